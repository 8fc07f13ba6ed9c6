"""The model `cuda` against NVIDIA's cuda_occupancy.h, for every compute capability that it knows.

An answer is the least of what each resource allows, and each resource looks at a few inputs only. So
each resource is compared over all the values of its own inputs, and whole answers for every pair of
values of two different inputs, and at random: in full with ``pytest -m thorough``, and by default a sample.
``pytest -m exhaustive`` compares far more combinations.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from occupancy.engine import evaluate
from occupancy.errors import InputError
from occupancy.tables import shipped
from occupancy.values.kernel import MAX_VIRTUAL_RESOURCES_PER_BLOCK, Carveout, Kernel
from occupancy.values.limits import Limits
from tests.sampling import sampled

from . import axes
from .against_header import (
    CHIPS,
    chips_with_percentages,
    compare,
    each_chip,
    is_known_to_header,
    limiting_factors,
)
from .header import LIMITING_FACTORS, UNKNOWN_DEVICE, Header


def test_chips_that_the_header_does_not_know(header: Header) -> None:
    """The model `cuda` supports exactly the chips that the header answers for."""
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
@sampled("stride", sample=7, everything=1)
def test_warps_and_registers(header: Header, limits: Limits, stride: int) -> None:
    """Every block size of interest, by every count of registers, by the caching."""
    sizes = [*range(32, 1025, 32), 1, 33, 1023, 1025, 4096]
    compared, left_out = compare(
        header,
        limits,
        (
            Kernel(threads, registers, caching=caching)
            for threads in sizes
            for registers in range(256)
            for caching in axes.cachings(limits)
        ),
        stride=stride,
    )
    assert compared + left_out == -(-len(sizes) * 256 * len(axes.cachings(limits)) // stride)
    if limits.compute_capability != (3, 0):
        assert left_out == 0
    elif stride == 1:
        assert left_out == len(sizes) * 192


@each_chip
@sampled("stride", sample=7, everything=1)
def test_threads(header: Header, limits: Limits, stride: int) -> None:
    """Every block size, with and without registers, by the caching."""
    compared, _ = compare(
        header,
        limits,
        (
            Kernel(threads, registers, caching=caching)
            for threads in range(1, 1100)
            for registers in (0, 40)
            for caching in axes.cachings(limits)
        ),
        stride=stride,
    )
    assert compared == -(-1099 * 2 * len(axes.cachings(limits)) // stride)


@each_chip
@sampled("stride", sample=31, everything=1)
def test_shared_memory(header: Header, limits: Limits, stride: int) -> None:
    """Every allocation step and its edges, by every configuration, with and without opt-in."""
    sizes = axes.shared_memory(limits)
    steps = limits.max_shared_memory_per_multiprocessor // limits.shared_memory_allocation_unit
    below_reservation = limits.reserved_shared_memory_per_block // limits.shared_memory_allocation_unit
    assert len(sizes) > 3 * (steps - below_reservation)
    compared, _ = compare(
        header,
        limits,
        (
            Kernel(32, smem=size, carveout=carveout, opt_in=opt_in)
            for size, carveout, opt_in in itertools.islice(
                itertools.product(sizes, axes.configurations(limits), axes.OPT_IN), 0, None, stride
            )
        ),
    )
    every = len(sizes) * (1 + len(limits.shared_memory_configurations)) * 2
    assert compared == -(-every // stride)


@chips_with_percentages
@sampled("stride", sample=7, everything=1)
def test_carveout_in_percent(header: Header, limits: Limits, stride: int) -> None:
    """Every percentage, by the sizes at which the number of blocks changes, static and dynamic."""
    sizes = axes.shared_memory_by_blocks(limits)
    compared, _ = compare(
        header,
        limits,
        (
            Kernel(32, static_smem=static, dynamic_smem=size - static, carveout=carveout, opt_in=opt_in)
            for size in sizes
            for static in (size // 2, size)
            for carveout in axes.percentages(limits)
            for opt_in in axes.OPT_IN
        ),
        stride=stride,
    )
    assert compared > 10_000 / stride


@each_chip
def test_barriers(header: Header, limits: Limits) -> None:
    compared, _ = compare(
        header,
        limits,
        (Kernel(threads, barriers=barriers) for threads in (1, 64, 1024) for barriers in axes.BARRIERS),
    )
    assert compared == 3 * 18


@each_chip
@sampled("stride", sample=7, everything=1)
def test_virtual_resources(header: Header, limits: Limits, stride: int) -> None:
    """Every count that a cubin can say, by block sizes, registers and shared memory on either side of it."""
    sizes = axes.shared_memory_by_blocks(limits)[::5]
    compared, left_out = compare(
        header,
        limits,
        (
            Kernel(threads, registers, smem=size, barriers=barriers, virtual_resources=count)
            for count in range(MAX_VIRTUAL_RESOURCES_PER_BLOCK + 1)
            for threads, registers, size, barriers in (
                (32, 0, 0, 0),
                (128, 40, 0, 1),
                (1024, 64, 0, 1),
                (64, 255, 0, 16),
                *((32, 16, size, 2) for size in sizes),
            )
        ),
        stride=stride,
    )
    assert compared + left_out == -(-256 * (4 + len(sizes)) // stride)


@sampled("stride", sample=7, everything=1)
def test_oversized_shared_memory(header: Header, stride: int) -> None:
    """The header knows no modes: it is told the maximum that the mode allows."""
    limits = shipped.limits("10.7")
    oversized = limits.max_oversized_shared_memory_per_block
    assert oversized is not None
    told = limits.replace(max_shared_memory_per_block_optin=oversized)
    sizes = axes.shared_memory(told)
    carveouts = axes.configurations(limits)
    plain = [Kernel(32, smem=size, carveout=carveout) for size in sizes for carveout in carveouts][::stride]
    assert compare(header, told, plain) == (len(plain), 0)
    for kernel in plain:
        there = evaluate(limits, replace(kernel, shared_memory_mode="oversized"))
        assert there.block_limits == evaluate(told, kernel).block_limits
        without = evaluate(limits, kernel)
        assert without.launchable == (kernel.shared_memory <= limits.max_shared_memory_per_block_optin)
        if limits.max_shared_memory_per_block_optin < kernel.shared_memory <= oversized:
            assert "mode oversized" in (without.reason or "")


@each_chip
@sampled("stride", sample=7, everything=1)
def test_every_pair_of_values(header: Header, limits: Limits, stride: int) -> None:
    """Whole answers: every two values of two different inputs occur together, by several of the others."""
    compared, _ = compare(header, limits, axes.pairwise(limits, stride))
    assert compared > 3_000 / stride


@each_chip
@sampled("count", sample=500, everything=5_000)
def test_random_kernels(header: Header, limits: Limits, count: int) -> None:
    """Whole answers, from all of the input space, also between the edges."""
    compared, left_out = compare(header, limits, axes.random_kernels(limits, count))
    assert compared + left_out == count


@each_chip
@sampled("count", sample=15, everything=60)
def test_what_if_hardware(header: Header, limits: Limits, count: int) -> None:
    """SMs that do not exist, with sizes that do not divide evenly, in what the header lets one choose."""
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
    """50 percent of 16385 bytes is 8192, and that is a size; no real SM has a percentage on this edge."""
    limits = shipped.limits("7.0").replace(
        max_shared_memory_per_multiprocessor=16385,
        max_shared_memory_per_block=16384,
        max_shared_memory_per_block_optin=16384,
    )
    kernel = Kernel(32, smem=4096, carveout=Carveout(50, "percent"))
    assert compare(header, limits, [kernel]) == (1, 0)
    assert evaluate(limits, kernel).block_limits.shared_memory == 2


def test_more_registers_than_3_0_has(header: Header) -> None:
    """What `is_known_to_header` leaves out, the library answers with 0 blocks for the registers."""
    limits = shipped.limits("3.0")
    for registers in range(64, 256):
        kernel = Kernel(32, registers)
        assert not is_known_to_header(limits, kernel)
        assert evaluate(limits, kernel).block_limits.registers == 0
    (theirs,) = header.max_active_blocks(limits, header.queries(limits, threads=[32], registers=64))
    assert theirs["active_blocks"] == 16


def test_256_registers(header: Header) -> None:
    """The header takes 256 registers from 7.0 on, for the price of 255; no instruction can name them."""
    limits = shipped.limits("9.0")
    at_255, at_256 = header.max_active_blocks(
        limits, header.queries(limits, threads=32, registers=[255, 256])
    )
    assert at_255 == at_256
    with pytest.raises(InputError, match="256 is out of range"):
        Kernel(32, 256)


def test_limiting_factors_that_the_header_does_not_take_back(header: Header) -> None:
    """The reason for `limiting_factors`: 4 blocks by barriers, and the header still names the 16 by warps."""
    limits = shipped.limits("9.0")
    theirs = header.max_active_blocks(limits, header.queries(limits, threads=[128], barriers=16))
    assert theirs["active_blocks"] == theirs["block_limit_barriers"] == 4
    assert theirs["block_limit_warps"] == 16
    assert theirs["limiting_factors"] == LIMITING_FACTORS["warps"] | LIMITING_FACTORS["barriers"]
    assert limiting_factors(theirs) == LIMITING_FACTORS["barriers"]
    assert evaluate(limits, Kernel(128, barriers=16)).limiters == ("barriers",)
