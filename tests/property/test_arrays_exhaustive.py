"""Every block size, register count and shared memory step of a GPU.

In the engine, the limits by warps, block slots and registers do not depend on shared memory, and vice versa.
So the engine evaluates each half of the input space, and the results are combined here by minimum: all
combinations in seconds, and by default some of the sizes. With the marker ``exhaustive``, the engine evaluates
each combination.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from occupancy import Limiter
from occupancy.arrays import ArrayResults
from occupancy.engine import Result
from occupancy.tables import shipped
from occupancy.values.fields import MAX_REGISTERS_PER_THREAD
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits
from occupancy.values.resources import RESOURCES
from tests.sampling import sampled

Array = NDArray[Any]

REGISTERS = np.arange(MAX_REGISTERS_PER_THREAD + 1)
NO_LIMIT = 2**15 - 1
THREADS_AT_ONCE = 8


def threads_of(limits: Limits) -> Array:
    return np.arange(1, limits.max_threads_per_block + 1)


def steps_of(limits: Limits) -> Array:
    """Return one size for each allocation step of shared memory, from 0 to the opt-in maximum."""
    return np.arange(0, limits.max_shared_memory_per_block_optin + 1, limits.shared_memory_allocation_unit)


def limits_by_warps(limits: Limits) -> Array:
    """Return the engine's limits by warps, blocks and registers, over (threads, registers)."""
    pairs = product(threads_of(limits).tolist(), REGISTERS.tolist())
    found = [Result(limits, Kernel(threads, registers)).block_limits[:3] for threads, registers in pairs]
    return as_array(found).reshape(-1, len(REGISTERS), 3)


def limits_by_size(limits: Limits, sizes: Array) -> Array:
    """Return the engine's limits by shared memory and barriers, over sizes."""
    return as_array([Result(limits, Kernel(1, smem=size)).block_limits[3:] for size in sizes.tolist()])


def as_array(found: Sequence[tuple[int | None, ...]]) -> Array:
    return np.array([[NO_LIMIT if each is None else each for each in row] for row in found], np.int16)


def assert_grid_is_as_combined(limits: Limits, sizes: Array) -> None:
    by_warps = limits_by_warps(limits)[:, :, None]
    by_size = limits_by_size(limits, sizes)
    threads = threads_of(limits)
    warps = -(-threads // limits.warp_size)[:, None, None]
    for first in range(0, len(threads), THREADS_AT_ONCE):
        some = slice(first, first + THREADS_AT_ONCE)
        columns = dict(zip(("threads", "regs", "smem"), np.ix_(threads[some], REGISTERS, sizes), strict=True))
        found = ArrayResults.compute([limits], columns, Kernel(1))
        allowed = [*np.moveaxis(by_warps[some], -1, 0), *by_size.T]
        blocks = reduce(np.minimum, allowed)
        assert np.array_equal(found.active_blocks, blocks)
        assert np.array_equal(found.active_warps, blocks * warps[some])
        named = zip(RESOURCES, allowed, strict=True)
        bits = sum((limit == blocks) * np.uint8(Limiter[name.upper()]) for name, limit in named)
        assert np.array_equal(found.limiters, bits)


@sampled("stride", sample=7, thorough=1)
def test_every_byte_of_shared_memory_on_one_chip(stride: int) -> None:
    limits = shipped.limits("9.0")
    sizes = np.arange(0, limits.max_shared_memory_per_multiprocessor + 1, stride)
    found = ArrayResults.compute([limits], {"threads": 1, "smem": sizes}, Kernel(1))
    allowed = np.minimum(limits_by_size(limits, sizes)[:, 0], limits.max_blocks_per_multiprocessor)
    assert np.array_equal(found.active_blocks, allowed)


# By default, `test_arrays.test_random_kernels` compares a sample, on every GPU.
HOPPER = pytest.param("9.0", 7, marks=pytest.mark.thorough)
WHOLE = [pytest.param(cc, 1, marks=pytest.mark.exhaustive) for cc in shipped.known()]


@pytest.mark.parametrize(("cc", "stride"), [HOPPER, *WHOLE], ids=str)
def test_all_combinations(cc: object, stride: int) -> None:
    limits = shipped.limits(cc)
    sizes = steps_of(limits)
    assert cc != "9.0" or (len(threads_of(limits)), len(REGISTERS), len(sizes)) == (1024, 256, 1817)
    assert_grid_is_as_combined(limits, sizes[::stride])


@pytest.mark.exhaustive
def test_the_engine_itself_on_all_combinations_of_one_chip() -> None:
    limits = shipped.limits("9.0")
    sizes = steps_of(limits)
    for warps in range(1, limits.max_threads_per_block // limits.warp_size + 1):
        threads = warps * limits.warp_size
        columns: dict[str, Any] = {"threads": threads, "regs": REGISTERS[:, None], "smem": sizes}
        found = ArrayResults.compute([limits], columns, Kernel(1))
        pairs = product(REGISTERS.tolist(), sizes.tolist())
        kernels = (Kernel(threads, registers, smem=size) for registers, size in pairs)
        expected = [Result(limits, kernel).active_blocks for kernel in kernels]
        assert found.active_blocks.ravel().tolist() == expected
