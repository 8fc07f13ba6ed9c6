"""Options about the whole GPU, and their answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import DeviceError, InputError, MissingDependencyError
from .help import grouped_option

if TYPE_CHECKING:
    from ..advice.partitions import GreenContext
    from ..api.answer import Occupancy
    from ..report.gpu import WholeGpu
    from ..tables.chips import Chip


sms_option = grouped_option(
    "launch",
    "--sms",
    metavar="N|P%",
    help="SMs of the GPU, where --gpu or --device does not say; or a part of them: a number, as of a green "
    "context, or a percentage, as of MPS.",
)


def grid_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--grid``, ``--cluster`` and ``--sms``."""
    for option in (
        sms_option,
        grouped_option("launch", "--cluster", metavar="N|XxYxZ", help="Blocks per cluster, from 9.0."),
        grouped_option(
            "launch", "--grid", is_common=True, metavar="N|XxYxZ", help="Blocks of the grid, for its waves."
        ),
    ):
        command = option(command)
    return command


def count_of_sms(chip: Chip | None, sms: str | None) -> int | None:
    """The number of SMs that ``--sms`` gives, or else the GPU that was named.

    Raises:
        InputError: Not a number of SMs, or a percentage of a number that is not known.
    """
    from ..advice.partitions import mps_share
    from ..advice.waves import check_multiprocessors
    from ..values.spellings import parse_count

    if sms is not None and sms.strip().endswith("%"):
        whole = count_of_sms(chip, None)
        if whole is None:
            raise InputError(
                "of how many SMs is not known",
                where="--sms",
                cure="Give a number, or --gpu or --device.",
            )
        return mps_share(parse_count(sms.strip()[:-1], "--sms"), whole)
    if sms is not None:
        count = parse_count(sms, "--sms")
        check_multiprocessors(count)
        return count
    return None if chip is None else chip.multiprocessor_count


def whole_gpu(
    result: Occupancy, chip: Chip, grid: str | None, cluster: str | None, sms: str | None
) -> WholeGpu:
    """The answers for the whole GPU, as far as they were asked for and its SMs are known.

    Raises:
        InputError: A grid or a cluster that the GPU does not have, or the number of SMs is missing.
    """
    from ..advice.waves import count_waves
    from ..api.waves import launch_and_wave
    from ..report.gpu import WholeGpu, gpu_of
    from ..values.spellings import parse_shape

    grid_dim = None if grid is None else parse_shape(grid, "grid")
    cluster_dim = None if cluster is None else parse_shape(cluster, "cluster")
    gpu = gpu_of(chip)
    multiprocessor_count = count_of_sms(chip, sms)
    if multiprocessor_count is None:
        if grid is None and cluster is None:
            return WholeGpu(gpu)
        where = "--cluster" if grid is None else "--grid"
        if chip.variants:
            from ..tables.chips import choices_of

            raise InputError(
                f"{chip.name} comes with different numbers of SMs",
                where=where,
                cure="Name one of them with --gpu, or give --sms:",
                choices=choices_of(chip.variants),
            )
        raise InputError(
            "the number of SMs is missing",
            where=where,
            cure="Give --sms 132, a product such as --gpu H100-SXM, or this machine's GPU as --device 0.",
        )
    launch, wave = launch_and_wave(
        result,
        multiprocessor_count,
        grid=grid_dim,
        cluster=cluster_dim,
        resident_clusters=lambda size: _told_clusters(result, chip, size) if sms is None else None,
    )
    waves = count_waves(launch, wave) if grid is not None and wave.blocks else None
    return WholeGpu(gpu, wave, waves, _green_context(chip, sms))


def _green_context(chip: Chip, sms: str | None) -> GreenContext | None:
    """What a green context gets that asks for ``--sms`` of the GPU; None where they are all, or not known."""
    from ..advice.partitions import FIRST_WITH_GREEN_CONTEXTS, green_context

    whole, part = count_of_sms(chip, None), count_of_sms(chip, sms)
    if sms is None or "%" in sms or whole is None or part is None or part >= whole:
        return None
    if chip.limits.compute_capability < FIRST_WITH_GREEN_CONTEXTS:
        return None
    return green_context(chip.limits, part, whole)


def _told_clusters(result: Occupancy, chip: Chip, cluster_size: int | None) -> int | None:
    """The clusters that this machine's GPU says it holds; None where it is not asked or has no answer."""
    if cluster_size is None or chip.device is None or not result.launchable:
        return None
    from ..device.clusters import count_active_clusters

    try:
        return count_active_clusters(chip.device, chip.limits, result.active_blocks, cluster_size)
    except (DeviceError, MissingDependencyError):
        return None
