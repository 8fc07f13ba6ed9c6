"""Comparison of complete results of the model `cuda` with NVIDIA's header.

There are two exceptions, each a rule: `is_known_to_header` and `limiting_factors`.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from occupancy import InputError
from occupancy.advice.runtime import available_dynamic_shared_memory_per_block
from occupancy.engine import Result, cuda
from occupancy.tables import shipped
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits

from . import axes
from .header import LIMITING_FACTORS, NO_LIMIT, Header, Records

CHIPS = [shipped.limits(cc) for cc in shipped.known() if cuda.supports(shipped.limits(cc))]


def for_each(chips: list[Limits]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("limits", chips, ids=lambda limits: str(limits.compute_capability))


each_chip = for_each(CHIPS)
chips_with_percentages = for_each([limits for limits in CHIPS if axes.percentages(limits)])

FIELDS = (
    "active_blocks", "limiting_factors", "block_limit_warps", "block_limit_blocks",
    "block_limit_registers", "block_limit_shared_memory", "block_limit_barriers",
    "block_limit_virtual_resources", "allocated_registers", "allocated_shared_memory",
)  # fmt: skip
SHOWN_DIFFERENCES = 5


def compare(header: Header, limits: Limits, kernels: Iterable[Kernel]) -> tuple[int, int]:
    """Compare complete results; return the numbers of compared and skipped kernels (`is_known_to_header`)."""
    every = list(kernels)
    known = [kernel for kernel in every if is_known_to_header(limits, kernel)]
    theirs = header.max_active_blocks(limits, header.queries_of(limits, known))
    assert not theirs["error"].any(), f"the header refuses a kernel for {limits.compute_capability}"
    theirs["limiting_factors"] = limiting_factors(theirs)
    expected = np.stack([theirs[name] for name in FIELDS], axis=1)
    ours = np.array([answer_of(Result(limits, kernel, "cuda")) for kernel in known], np.int64)
    wrong = np.flatnonzero((ours != expected).any(axis=1))
    assert not wrong.size, f"{wrong.size} of {len(known)} differ; the first:\n" + "\n".join(
        f"{limits.compute_capability} {known[i]}\n"
        f"    header {dict(zip(FIELDS, expected[i].tolist(), strict=True))}\n"
        f"    ours   {dict(zip(FIELDS, ours[i].tolist(), strict=True))}"
        for i in wrong[:SHOWN_DIFFERENCES]
    )
    return len(known), len(every) - len(known)


def answer_of(result: Result) -> tuple[int, ...]:
    """Return a result as the header does: its factors are in the engine's order, without tensor memory."""
    limits = [NO_LIMIT if limit is None else limit for limit in result.block_limits[: len(LIMITING_FACTORS)]]
    blocks = min(limits)
    factors = zip(limits, LIMITING_FACTORS.values(), strict=True)
    limiting = sum([factor for limit, factor in factors if limit == blocks])
    return (blocks, limiting, *limits, result.allocated.registers, result.allocated.shared_memory)


def is_known_to_header(limits: Limits, kernel: Kernel) -> bool:
    """Return True if the header has correct limits for a kernel.

    It has one maximum of registers per thread for all of 3.x, 255. On 3.0, the maximum is 63 (CUDA Programming
    Guide, technical specifications).
    """
    return limits.compute_capability != (3, 0) or (kernel.regs or 0) <= 63


def limiting_factors(theirs: Records) -> npt.NDArray[np.int32]:
    """Return the limiting factors that the header reports.

    The header sets them before it checks the barriers, and does not clear them if the barriers allow fewer
    blocks than all others.
    """
    names = {name for name in FIELDS if name.startswith("block_limit_")} - {"block_limit_barriers"}
    only_barriers = theirs["block_limit_barriers"] < np.min([theirs[name] for name in names], axis=0)
    return np.where(only_barriers, np.int32(LIMITING_FACTORS["barriers"]), theirs["limiting_factors"])


@cache
def available(limits: Limits, kernel: Kernel, blocks: int) -> int | None:
    """None for an error."""
    try:
        return available_dynamic_shared_memory_per_block(limits, kernel, blocks)
    except InputError:
        return None
