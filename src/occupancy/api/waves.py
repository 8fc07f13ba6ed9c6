"""A kernel on the whole GPU: the wave that its blocks come in, in people's spellings."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ..advice.partitions import FIRST_WITH_GREEN_CONTEXTS, GreenContext, green_context, mps_share
from ..advice.waves import FullWave, check_cluster, check_multiprocessors, count_waves, full_wave
from ..errors import DeviceError, InputError, MissingDependencyError, shown
from ..report.gpu.report import WholeGpu, gpu_of, why_fewer_clusters
from ..tables.gpus import Gpu, unclear_name
from ..values.asking import Asking
from ..values.kernel import INT_MAX, Launch
from ..values.spellings import parse_count, parse_shape

if TYPE_CHECKING:
    from ..engine import Answer
    from .arguments import ShapeLike


def launch_of(
    answer: Answer, grid: ShapeLike | None, cluster: ShapeLike | None, *, is_told: bool = False
) -> Launch:
    """A launch of a kernel.

    Args:
        answer: What fits on one SM.
        grid: Blocks, or the grid's shape; None: one cluster, or one block.
        cluster: Blocks per cluster, or the cluster's shape; only from 9.0.
        is_told: As in `check_cluster`.

    Raises:
        InputError: A number out of range, a chip without such clusters, or a grid that its clusters do not
            divide.
    """
    cluster_dim, size = None if cluster is None else parse_shape(cluster, "cluster"), cluster_size_of(cluster)
    if size is not None:  # one that no chip has, before a grid that it does not divide
        check_cluster(answer.limits, size, is_told=is_told)
    shape = cluster_dim if grid is None else parse_shape(grid, "grid")
    return Launch(answer.kernel, shape or (1, 1, 1), cluster_dim)


def cluster_size_of(cluster: ShapeLike | None) -> int | None:
    """Blocks per cluster, whatever the chip; None without clusters.

    Raises:
        InputError: Not a number of blocks, or not a shape.
    """
    if cluster is None:
        return None
    size = prod(parse_shape(cluster, "cluster"))
    if size > INT_MAX:
        raise InputError(
            f"{shown(size)} blocks are out of range", where="cluster", allowed=f"1 to {INT_MAX:,}"
        )
    return size


def launch_and_wave(
    answer: Answer,
    multiprocessor_count: int,
    grid: ShapeLike | None,
    cluster: ShapeLike | None,
    max_active_clusters: int | None,
) -> tuple[Launch, FullWave]:
    """A launch of a kernel, and what is resident at once of it on a whole GPU.

    Args:
        answer: What fits on one SM.
        multiprocessor_count: SMs of the GPU, 1 and up.
        grid: As in `launch_of`, and so is ``cluster``.
        cluster: Likewise.
        max_active_clusters: The clusters that are resident at once, where a device tells that.

    Raises:
        InputError: As in `launch_of`, and as in `full_wave`.
    """
    launch = launch_of(answer, grid, cluster, is_told=max_active_clusters is not None)
    size = launch.cluster_size
    return launch, full_wave(
        answer, multiprocessor_count, cluster_size=size, max_active_clusters=max_active_clusters
    )


def whole_gpu(
    chip: Gpu,
    answer: Answer,
    grid: ShapeLike | None = None,
    cluster: ShapeLike | None = None,
    sms: str | None = None,
) -> WholeGpu:
    """The answers for the whole GPU, as far as they were asked for and its SMs are known.

    Args:
        chip: The chip; a product and this machine's GPU have SMs.
        answer: What fits on one of them.
        grid: As in `launch_of`, and so is ``cluster``.
        cluster: Likewise. Alone it needs no number of SMs: then a note says what is not known.
        sms: As in `count_of_sms`.

    Raises:
        InputError: A grid or a cluster that the GPU does not have, or a grid without the number of SMs.
    """
    gpu, count = gpu_of(chip), count_of_sms(chip, sms)
    if count is None:
        size = launch_of(answer, grid, cluster).cluster_size
        if grid is not None:
            raise _without_sms(chip)
        return WholeGpu(gpu, cluster_size=size, notes=() if size is None else (_CLUSTERS_UNKNOWN,))
    told = _told_clusters(chip, answer, cluster_size_of(cluster)) if sms is None else None
    launch, wave = launch_and_wave(answer, count, grid, cluster, told)
    waves = count_waves(launch, wave) if grid is not None and wave.blocks else None
    notes = why_fewer_clusters(wave, chip.name)
    return WholeGpu(gpu, wave, waves, _green_context(chip, sms, count), launch.cluster_size, notes)


_CLUSTERS_UNKNOWN = Asking.of(
    "How many clusters the whole GPU holds depends on its number of SMs: name one product, such as H100-SXM",
    Asking("; --sms 132 will do, too", ""),
    ".",
)


def _without_sms(chip: Gpu) -> InputError:
    if not chip.variants:
        return InputError(
            "the number of SMs is missing",
            where="grid",
            hint=Asking.of(
                "Name a product, such as H100-SXM", Asking("; --sms or --device will do, too", ""), "."
            ),
        )
    return unclear_name(chip, "grid")


def count_of_sms(chip: Gpu | None, sms: str | None) -> int | None:
    """The number of SMs that is given, or else that of the GPU that was named; None where neither says it.

    Args:
        chip: The chip.
        sms: SMs, or a percentage of those of the GPU, as of MPS: ``"20"``, ``"25%"``.

    Raises:
        InputError: Not a number of SMs, or a percentage of a number that is not known.
    """
    whole = None if chip is None else chip.multiprocessor_count
    if sms is None:
        return whole
    if sms.strip().endswith("%"):
        if whole is None:
            raise InputError(
                "of how many SMs is not known",
                where="sms",
                hint=Asking.of("Give a number, or ", Asking("--gpu or --device", "name a product"), "."),
            )
        return mps_share(parse_count(sms.strip()[:-1], "sms"), whole)
    count = parse_count(sms, "sms")
    check_multiprocessors(count)
    return count


def _green_context(chip: Gpu, sms: str | None, part: int) -> GreenContext | None:
    """What a green context gets that asks for so many SMs; None where they are all, or not known."""
    whole = chip.multiprocessor_count
    if sms is None or "%" in sms or whole is None or part >= whole:
        return None
    if chip.limits.compute_capability < FIRST_WITH_GREEN_CONTEXTS:
        return None
    return green_context(chip.limits, part, whole)


def _told_clusters(chip: Gpu, answer: Answer, cluster_size: int | None) -> int | None:
    """The clusters that this machine's GPU says it holds; None where it is not asked or has no answer."""
    if cluster_size is None or chip.device is None or not answer.launchable:
        return None
    from ..device.clusters import count_active_clusters

    try:
        return count_active_clusters(chip.device, chip.limits, answer.active_blocks, cluster_size)
    except (DeviceError, MissingDependencyError):
        return None
