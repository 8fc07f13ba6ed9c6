"""One kernel on several chips at once, with the arguments of `compute`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..advice.on_all import budget_on_all as _budget_on_all
from ..advice.on_all import steps_on_all
from ..advice.portability import no_such_clusters
from ..advice.waves import check_cluster
from ..report.gpu.report import WholeGpu, gpu_of
from ..report.on_all.budget import BudgetOnAllReport, budget_on_all_report
from ..report.on_all.report import OnAllReport, on_all_report
from ..tables.gpus import Gpu, find_gpus
from ..values.spellings import parse_count, parse_share
from .answer import Occupancy
from .arguments import (
    ComputeCapabilityLike,
    CountLike,
    KernelArguments,
    KernelLike,
    ShapeLike,
    kernel_with,
    takes_kernel,
    without_automatic,
)
from .waves import cluster_size_of, whole_gpu

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_kernel
def compute_on_all(
    ccs: Iterable[ComputeCapabilityLike],
    kernel: KernelLike | None = None,
    *,
    grid: ShapeLike | None = None,
    cluster: ShapeLike | None = None,
    **arguments: Unpack[KernelArguments],
) -> OnAllReport:
    """How many blocks of a kernel fit on each of several chips, and what helps on all of them at once.

    >>> import occupancy
    >>> answer = occupancy.compute_on_all(["H100", "RTX 4090"], threads=192, regs=72, smem="40k")
    >>> [(chip.gpu, chip.occupancy) for chip in answer.chips]
    [('H100', 0.375), ('GeForce RTX 4090', 0.25)]
    >>> answer.next_steps[0].requires
    {'regs': 64, 'smem': 33024}

    Args:
        ccs: Chips, each as in `compute`, or all of an architecture.
        kernel: As in `compute`.
        grid: Blocks, or the grid's shape, for its waves on each; then name products, whose SMs are known.
        cluster: Blocks per cluster, or the cluster's shape; a chip without such clusters does not launch it.
        {arguments}
    """
    return on_all(find_gpus(ccs), kernel, grid=grid, cluster=cluster, **arguments)


@takes_kernel
def budget_on_all(
    ccs: Iterable[ComputeCapabilityLike],
    kernel: KernelLike | None = None,
    *,
    occupancy: float | str | None = None,
    blocks: CountLike | None = None,
    **arguments: Unpack[KernelArguments],
) -> BudgetOnAllReport:
    """The most registers and shared memory with which an occupancy is reached on every one of several chips.

    Args:
        ccs: Chips, each as in `compute`, or all of an architecture.
        kernel: As in `compute`.
        occupancy: A share of 1, or a percentage: ``0.75``, ``75``, ``"75%"``.
        blocks: Resident blocks, instead of the occupancy. Without either, only the levels are the answer.
        {arguments}
    """
    needed, chips = kernel_with(kernel, without_automatic(arguments)), find_gpus(ccs)
    share = None if occupancy is None else parse_share(occupancy, "occupancy")
    count = None if blocks is None else parse_count(blocks, "blocks")
    answer = _budget_on_all(chips, needed, occupancy=share, blocks=count, model=arguments.get("model"))
    return budget_on_all_report(chips, needed, answer)


def on_all(
    chips: list[Gpu],
    kernel: KernelLike | None = None,
    *,
    grid: ShapeLike | None = None,
    cluster: ShapeLike | None = None,
    sms: str | None = None,
    explain: bool = False,
    **arguments: Unpack[KernelArguments],
) -> OnAllReport:
    """The same for chips that were found already.

    Args:
        chips: The chips.
        kernel: As in `compute`.
        grid: As in `whole_gpu`, and so are ``cluster`` and ``sms``.
        cluster: Likewise.
        sms: Likewise.
        explain: Whether to add every step of the arithmetic.
        arguments: As in `compute`.
    """
    needed = kernel_with(kernel, without_automatic(arguments))
    model = arguments.get("model")
    answers = [Occupancy.on(chip, needed, model) for chip in chips]
    size = cluster_size_of(cluster)
    missing = [no_such_clusters(chip.limits, size) for chip in chips]
    if size is not None and all(lacks is not None and lacks.is_known for lacks in missing):
        check_cluster(chips[0].limits, size)  # says so
    wholes = [
        whole_gpu(chip, answer, grid, cluster, sms) if lacks is None else WholeGpu(gpu_of(chip))
        for chip, answer, lacks in zip(chips, answers, missing, strict=True)
    ]
    # Nothing that a block uses less of brings a chip the clusters that it does not have.
    steps = () if any(missing) else steps_on_all(answers)
    explained = [
        tuple(answer.explain()) if explain and lacks is None else None
        for answer, lacks in zip(answers, missing, strict=True)
    ]
    return on_all_report(chips, answers, steps, wholes, explained, missing)
