"""Part of a GPU: how many SMs a green context gets, or a client of MPS.

A slice of MIG has its own number of SMs, which the driver of the machine says.
"""

from __future__ import annotations

from ..engine.common import divide_up
from ..errors import InputError
from ..tables.families import TEGRA
from ..values.dataclass import dataclass
from ..values.limits import Limits
from .waves import check_multiprocessors

FIRST_WITH_GREEN_CONTEXTS = (7, 0)
"""cuda.h of CUDA 13.5, ``CU_DEV_SM_RESOURCE``: its table of alignments begins with 7.x."""
FIRST_ALIGNED_TO_EIGHT = (9, 0)
"""The same table: 2 SMs on 7.x, 8.x and Tegra, 8 from there on; an H200 gave out SMs by 8."""

# cuda.h of CUDA 13.5, "Green Contexts": a split by count is rounded up to whole multiples of these.
ALIGNMENT, ALIGNMENT_OF_PAIRS = 8, 2


@dataclass(frozen=True, slots=True)
class GreenContext:
    """What a green context gets that asks for a number of SMs (cuDevSmResourceSplitByCount)."""

    wanted: int
    multiprocessor_count: int
    """SMs that it gets, co-scheduled: in whole multiples, but no more than the GPU has."""
    without_coscheduling: int
    """With CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, where large clusters may not run."""
    most_groups: int
    """Contexts of that size that the GPU can be split into; a chip may come to fewer."""


def green_context(limits: Limits, wanted: int, multiprocessor_count: int) -> GreenContext:
    """The SMs of a green context.

    An H200, asked for 1 to 132 of its 132 SMs, gave as many as this says (``h200_green_contexts.csv``).
    The number of contexts was one less than the bound where 8 SMs were asked: how many SMs the
    processing clusters of a chip have differs.

    Args:
        limits: What the SM offers.
        wanted: SMs that the context asks for.
        multiprocessor_count: SMs of the GPU.

    Raises:
        InputError: A number out of range, or a chip without green contexts.
    """
    check_multiprocessors(wanted)
    if wanted > multiprocessor_count:
        raise InputError(
            f"{wanted} SMs are more than the GPU's {multiprocessor_count}",
            where="SMs of a green context",
            allowed=f"1 to {multiprocessor_count}",
        )
    cc = limits.compute_capability
    if cc < FIRST_WITH_GREEN_CONTEXTS:
        raise InputError(
            f"cuda.h has no rule for green contexts on {cc}",
            where="SMs of a green context",
            allowed="7.0 and newer",
        )
    in_eights = cc >= FIRST_ALIGNED_TO_EIGHT and cc not in TEGRA
    coscheduled = _aligned(wanted, ALIGNMENT if in_eights else ALIGNMENT_OF_PAIRS, multiprocessor_count)
    return GreenContext(
        wanted=wanted,
        multiprocessor_count=coscheduled,
        without_coscheduling=_aligned(wanted, ALIGNMENT_OF_PAIRS, multiprocessor_count),
        most_groups=multiprocessor_count // coscheduled,
    )


def mps_share(percentage: int, multiprocessor_count: int) -> int:
    """SMs of a client with an active thread percentage (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE), rounded down.

    What the driver rounds to is its own affair; inside the client, the device's number of SMs says it.

    Raises:
        InputError: A percentage out of range, or so few that no SM is left.
    """
    if not 1 <= percentage <= 100 or multiprocessor_count * percentage < 100:
        raise InputError(
            f"{percentage}% leaves no SM" if 1 <= percentage <= 100 else f"{percentage}% is out of range",
            where="share of the SMs",
            allowed=f"{min(divide_up(100, multiprocessor_count), 100)}% to 100%",
        )
    return multiprocessor_count * percentage // 100


def _aligned(wanted: int, alignment: int, multiprocessor_count: int) -> int:
    return min(divide_up(wanted, alignment) * alignment, multiprocessor_count)
