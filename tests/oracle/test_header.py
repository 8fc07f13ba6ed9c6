"""The model `cuda` and the runtime's calls compared with NVIDIA's cuda_occupancy.h, on all GPUs that it supports.

A result is the minimum over all resources, and each resource depends on a few inputs. Each resource is therefore
compared over all values of its own inputs. Complete results are compared for all pairs of values of two
inputs, and at random: completely with ``pytest -m thorough``, and by default as a sample.
``pytest -m exhaustive`` compares far more combinations.
"""

import itertools
import math
import operator
import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from occupancy.advice.runtime import max_potential_block_size
from occupancy.arrays import ArrayResults
from occupancy.engine import Result, cuda
from occupancy.errors import InputError
from occupancy.tables import shipped
from occupancy.values.fields import MAX_VIRTUAL_RESOURCES_PER_BLOCK, Carveout
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits
from occupancy.values.resources import Limiter
from tests.sampling import sampled

from . import axes
from .against_header import (
    CHIPS,
    available,
    chips_with_percentages,
    compare,
    each_chip,
    is_known_to_header,
    limiting_factors,
)
from .golden import Comparison
from .header import LIMITING_FACTORS, UNKNOWN_DEVICE, Header, carveout_settings


def every(stride: int, *values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield a stride of the combinations of some values."""
    return itertools.islice(itertools.product(*values), 0, None, stride)


def test_chips_that_the_header_does_not_know(header: Header) -> None:
    """Check that the model `cuda` and the header support the same GPUs."""
    unknown = []
    for cc in shipped.known():
        limits = shipped.limits(cc)
        (error,) = header.max_active_blocks(limits, header.queries(limits, threads=[32]))["error"]
        assert error in (0, UNKNOWN_DEVICE)
        if error:
            unknown.append(str(cc))
    assert unknown == ["1.0", "1.1", "1.2", "1.3", "2.0", "2.1"]
    assert len(CHIPS) == len(shipped.known()) - len(unknown) == 26


@each_chip
@sampled("stride", sample=31, thorough=1)
def test_warps_and_registers(header: Header, limits: Limits, stride: int) -> None:
    sizes = [*range(32, 1025, 32), 1, 33, 1023, 1025, 4096]
    asked = every(stride, sizes, range(256), axes.cachings(limits))
    kernels = (Kernel(threads, registers, caching=caching) for threads, registers, caching in asked)
    compared, skipped = compare(header, limits, kernels)
    assert compared + skipped == -(-len(sizes) * 256 * len(axes.cachings(limits)) // stride)
    if limits.compute_capability != (3, 0):
        assert skipped == 0
    elif stride == 1:
        assert skipped == len(sizes) * 192


@each_chip
@sampled("stride", sample=31, thorough=1)
def test_threads(header: Header, limits: Limits, stride: int) -> None:
    asked = every(stride, range(1, 1100), (0, 40), axes.cachings(limits))
    kernels = (Kernel(threads, registers, caching=caching) for threads, registers, caching in asked)
    compared, _ = compare(header, limits, kernels)
    assert compared == -(-1099 * 2 * len(axes.cachings(limits)) // stride)


@each_chip
@sampled("stride", sample=61, thorough=5, exhaustive=1)
def test_shared_memory(header: Header, limits: Limits, stride: int) -> None:
    """Compare all allocation steps with their edges and all configurations, with and without opt-in."""
    sizes = axes.shared_memory(limits)
    steps = limits.max_shared_memory_per_multiprocessor // limits.shared_memory_allocation_unit
    below_reservation = limits.reserved_shared_memory_per_block // limits.shared_memory_allocation_unit
    assert len(sizes) > 3 * (steps - below_reservation)
    asked = every(stride, sizes, axes.configurations(limits), axes.OPT_IN)
    kernels = (Kernel(32, smem=size, carveout=carveout, opt_in=opt_in) for size, carveout, opt_in in asked)
    compared, _ = compare(header, limits, kernels)
    assert compared == -(-len(sizes) * (1 + len(limits.shared_memory_configurations)) * 2 // stride)


@chips_with_percentages
@sampled("stride", sample=31, thorough=3, exhaustive=1)
def test_carveout_in_percent(header: Header, limits: Limits, stride: int) -> None:
    """Compare all percentages at the sizes where the number of blocks changes, static and dynamic."""
    asked = every(stride, axes.shared_memory_by_blocks(limits), (2, 1), axes.percentages(limits), axes.OPT_IN)
    kernels = (
        Kernel(32, None, size // part, size - size // part, carveout=carveout, opt_in=opt_in)
        for size, part, carveout, opt_in in asked
    )
    compared, _ = compare(header, limits, kernels)
    assert compared > 10_000 / stride


@each_chip
def test_barriers(header: Header, limits: Limits) -> None:
    kernels = [Kernel(threads, barriers=each) for threads in (1, 64, 1024) for each in axes.BARRIERS]
    assert compare(header, limits, kernels) == (3 * 18, 0)


@each_chip
@sampled("stride", sample=31, thorough=1)
def test_virtual_resources(header: Header, limits: Limits, stride: int) -> None:
    """Compare all counts that a cubin can contain, with block sizes, registers and memory around the limit."""
    blocks = [(32, 0, 0, 0), (128, 40, 0, 1), (1024, 64, 0, 1), (64, 255, 0, 16)]
    blocks += [(32, 16, size, 2) for size in axes.shared_memory_by_blocks(limits)[::5]]
    kernels = (
        Kernel(threads, registers, smem=size, barriers=barriers, virtual_resources=count)
        for count, (threads, registers, size, barriers) in every(
            stride, range(MAX_VIRTUAL_RESOURCES_PER_BLOCK + 1), blocks
        )
    )
    compared, skipped = compare(header, limits, kernels)
    assert compared + skipped == -(-256 * len(blocks) // stride)


@sampled("stride", sample=31, thorough=1)
def test_oversized_shared_memory(header: Header, stride: int) -> None:
    """Compare modes, which the header does not support, through the maximum that they allow."""
    limits = shipped.limits("10.7")
    oversized = limits.max_oversized_shared_memory_per_block
    assert oversized is not None
    told = limits.replace(max_shared_memory_per_block_optin=oversized)
    sizes = axes.shared_memory(told)
    carveouts = axes.configurations(limits)
    plain = [Kernel(32, smem=size, carveout=carveout) for size in sizes for carveout in carveouts][::stride]
    assert compare(header, told, plain) == (len(plain), 0)
    for kernel in plain:
        there = Result(limits, kernel._replace(shared_memory_mode="oversized"))
        assert there.block_limits == Result(told, kernel).block_limits
        without = Result(limits, kernel)
        assert without.launchable == (kernel.shared_memory <= limits.max_shared_memory_per_block_optin)
        if limits.max_shared_memory_per_block_optin < kernel.shared_memory <= oversized:
            assert "mode oversized" in (without.reason or "")


@each_chip
@sampled("stride", sample=31, thorough=1)
def test_every_pair_of_values(header: Header, limits: Limits, stride: int) -> None:
    """Compare complete results for all pairs of values of two inputs, with several values of the others."""
    compared, _ = compare(header, limits, axes.pairwise(limits, stride))
    assert compared > 3_000 / stride


@each_chip
@sampled("count", sample=200, thorough=2_000, exhaustive=200_000)
def test_random_kernels(header: Header, limits: Limits, count: int) -> None:
    compared, skipped = compare(header, limits, axes.random_kernels(limits, count))
    assert compared + skipped == count


@each_chip
@sampled("count", sample=15, thorough=60)
def test_what_if_hardware(header: Header, limits: Limits, count: int) -> None:
    """Compare fictitious SMs with sizes that do not divide evenly, as far as the header can be configured."""
    chance = random.Random(f"what if {limits.compute_capability}")
    has_opt_in = limits.max_shared_memory_per_block_optin > limits.max_shared_memory_per_block
    for _ in range(count):
        most_shared_memory = chance.randint(1, limits.max_shared_memory_per_block)
        imagined = limits.replace(
            max_threads_per_multiprocessor=32 * chance.randint(1, 128),
            max_threads_per_block=chance.randint(1, 2048),
            max_registers_per_multiprocessor=chance.randint(1, 2**18),
            max_registers_per_block=chance.randint(1, 2**17),
            max_shared_memory_per_block=most_shared_memory,
            max_shared_memory_per_block_optin=(
                limits.max_shared_memory_per_block_optin if has_opt_in else most_shared_memory
            ),
        )
        compare(header, imagined, axes.random_kernels(imagined, 50))


def test_a_percentage_is_rounded_down_to_bytes(header: Header) -> None:
    """Compare 50% of 16,385 bytes with the configuration 8,192; no real SM has a percentage on this edge."""
    most: dict[str, Any] = {"max_shared_memory_per_block": 16384, "max_shared_memory_per_block_optin": 16384}
    limits = shipped.limits("7.0").replace(max_shared_memory_per_multiprocessor=16385, **most)
    kernel = Kernel(32, smem=4096, carveout=Carveout(50, "percent"))
    assert compare(header, limits, [kernel]) == (1, 0)
    assert Result(limits, kernel).block_limits.shared_memory == 2


def test_more_registers_than_3_0_has(header: Header) -> None:
    """Check that the library returns 0 blocks for the kernels that `is_known_to_header` skips."""
    limits = shipped.limits("3.0")
    for registers in range(64, 256):
        kernel = Kernel(32, registers)
        assert not is_known_to_header(limits, kernel)
        assert Result(limits, kernel).block_limits.registers == 0
    (theirs,) = header.max_active_blocks(limits, header.queries(limits, threads=[32], registers=64))
    assert theirs["active_blocks"] == 16


def test_256_registers(header: Header) -> None:
    """Check that 256 registers, which the header allows from 7.0 on, are rejected: instructions encode 255."""
    limits = shipped.limits("9.0")
    asked = header.queries(limits, threads=32, registers=[255, 256])
    at_255, at_256 = header.max_active_blocks(limits, asked)
    assert at_255 == at_256
    with pytest.raises(InputError, match="256 is out of range"):
        Kernel(32, 256)


def test_limiting_factors_that_the_header_does_not_take_back(header: Header) -> None:
    """Check the reason for `limiting_factors`: barriers allow 4 blocks, but the header reports warps (16)."""
    limits = shipped.limits("9.0")
    theirs = header.max_active_blocks(limits, header.queries(limits, threads=[128], barriers=16))
    assert theirs["active_blocks"] == theirs["block_limit_barriers"] == 4
    assert theirs["block_limit_warps"] == 16
    assert theirs["limiting_factors"] == LIMITING_FACTORS["warps"] | LIMITING_FACTORS["barriers"]
    assert limiting_factors(theirs) == LIMITING_FACTORS["barriers"]
    assert Result(limits, Kernel(128, barriers=16)).limiters == ("barriers",)


KERNELS = sampled("count", sample=50, thorough=200)
"""Samples for each GPU and call of the runtime."""


def runtime_kernels(limits: Limits, question: str, count: int) -> list[Kernel]:
    chance = random.Random(f"{question} {limits.compute_capability}")
    wanted: list[Kernel] = []
    while len(wanted) < count:
        kernel = Kernel(
            chance.choice((chance.randint(1, 1024), 32 * chance.randint(1, 32))),
            chance.choice(axes.registers(limits)),
            static_smem=chance.choice((0, 0, chance.randint(0, 49152))),
            dynamic_smem=chance.choice((0, chance.randint(0, limits.max_shared_memory_per_multiprocessor))),
            barriers=chance.choice(axes.BARRIERS), carveout=chance.choice(axes.configurations(limits)),
            caching=chance.choice(axes.cachings(limits)), opt_in=chance.choice(axes.OPT_IN),
        )  # fmt: skip
        if is_known_to_header(limits, kernel):
            wanted.append(kernel)
    return wanted


@each_chip
@KERNELS
@pytest.mark.parametrize("smem", [None, partial(operator.mul, 24)], ids=["fixed", "by the size"])
def test_block_sizes(header: Header, limits: Limits, count: int, smem: Callable[[int], int] | None) -> None:
    """Compare with the kernel's own threads as its maximum block size."""
    asked = runtime_kernels(limits, "block size", count)
    if smem is not None:
        asked = [kernel.replace(dynamic_smem=0) for kernel in asked]
    theirs = header.max_potential_block_size(limits, header.queries_of(limits, asked), 7, smem)
    comparison = Comparison()
    for kernel, answer in zip(asked, theirs, strict=True):
        ours = max_potential_block_size(limits, kernel, 7, smem, block_size_limit=kernel.threads)
        expected = int(answer["min_grid_size"]), int(answer["block_size"])
        comparison.check((limits.compute_capability, kernel), expected, (ours.min_grid_size, ours.block_size))
    comparison.conclude(compared=count)


@each_chip
@KERNELS
def test_available_dynamic_shared_memory(header: Header, limits: Limits, count: int) -> None:
    """Compare except where the header contradicts itself: on 3.x, static memory beyond a small carveout.

    There it returns the maximum per block, although its own calculation allows fewer resident blocks.
    """
    kernels = runtime_kernels(limits, "dynamic shared memory", count)
    asked = [kernel.replace(dynamic_smem=0) for kernel in kernels]
    chance = random.Random(str(limits.compute_capability))
    blocks = [chance.randint(1, chance.choice((4, limits.max_blocks_per_multiprocessor))) for _ in asked]
    queries = header.queries_of(limits, asked)
    theirs = header.available_dynamic_smem(limits, queries, blocks)
    queries["dynamic_smem"] = theirs["bytes"]
    resident = header.max_active_blocks(limits, queries)["active_blocks"]
    comparison = Comparison()
    for kernel, wanted, answer, actual in zip(asked, blocks, theirs, resident, strict=True):
        expected = None if answer["error"] else int(answer["bytes"])
        if expected is not None and actual < wanted and limits.compute_capability < (5, 0):
            comparison.skipped += 1
        else:
            ours = available(limits, kernel, wanted)
            comparison.check((limits.compute_capability, kernel, wanted), expected, ours)
    assert comparison.skipped <= 3
    comparison.conclude(compared=count - comparison.skipped, skipped=comparison.skipped)


LIMITERS = np.array([
    sum(Limiter[name.upper()] for name, factor in LIMITING_FACTORS.items() if factors & factor)
    for factors in range(2 * max(LIMITING_FACTORS.values()))
])  # fmt: skip
"""Limiting factor of the header -> bits of the library."""


@pytest.mark.exhaustive
@each_chip
def test_every_block_size_and_register_count(header: Header, limits: Limits) -> None:
    for caching in axes.cachings(limits):
        kernels = (Kernel(t, r, caching=caching) for t in range(1, 1026) for r in range(256))
        compared, skipped = compare(header, limits, kernels)
        assert compared + skipped == 1025 * 256


@pytest.mark.exhaustive
@chips_with_percentages
def test_every_percentage_and_step_of_shared_memory(header: Header, limits: Limits) -> None:
    for opt_in in axes.OPT_IN:
        for carveout in axes.percentages(limits):
            sizes = axes.shared_memory(limits)
            kernels = (Kernel(32, smem=size, carveout=carveout, opt_in=opt_in) for size in sizes)
            assert compare(header, limits, kernels)[0] == len(sizes)


@pytest.mark.exhaustive
@each_chip
def test_every_combination(header: Header, limits: Limits) -> None:
    """Compare the product of all inputs, with results from arrays, which other tests compare with the engine."""
    steps = axes.shared_memory_steps(limits)
    threads, registers, sizes = grid = np.ix_(axes.threads(limits), axes.registers(limits), steps)
    # All counts are compared above. Combine only counts where the blocks change with the other inputs.
    permits = (0, 8, 43, 128) if limits.virtual_resources_per_multiprocessor is not None else (0, 128)
    counts = range(17) if limits.compute_capability >= cuda.FIRST_WITH_BARRIER_LIMIT else (0, 16)
    settings = (axes.configurations(limits), axes.cachings(limits), axes.OPT_IN, counts, permits)
    for carveout, caching, opt_in, barriers, virtual in itertools.product(*settings):
        percent, preference = carveout_settings(limits, carveout)
        asked = header.queries(
            limits, threads=threads, registers=registers, dynamic_smem=sizes, barriers=barriers,
            virtual_resources=virtual, carveout_percent=percent, cache_config=preference,
            is_cached=caching == "ca", is_opted_in=opt_in,
        )  # fmt: skip
        theirs = header.max_active_blocks(limits, asked)
        columns = {"threads": threads, "regs": registers, "smem": sizes, "barriers": np.array(barriers)}
        columns["virtual_resources"] = np.array(virtual)
        kernel = Kernel(1, carveout=carveout, caching=caching, opt_in=opt_in)
        ours = ArrayResults.compute([limits], columns, kernel)
        assert len(asked) == math.prod(axis.size for axis in grid)
        assert not theirs["error"].any()
        expected = np.stack([theirs["active_blocks"], LIMITERS[limiting_factors(theirs)]])
        answers = np.stack([ours.active_blocks.reshape(-1), ours.limiters.reshape(-1)])
        wrong = np.flatnonzero((answers != expected).any(axis=0))[:5]
        found = f"blocks and limiters {answers[:, wrong]}, not {expected[:, wrong]}"
        assert not wrong.size, f"{asked[wrong]}: {found}"
