"""The model `cuda` against NVIDIA's header over far more combinations, in minutes: pytest -m exhaustive."""

from __future__ import annotations

import itertools

import pytest

from occupancy.kernel import Kernel
from occupancy.sm_limits import Limits

from . import axes
from .against_header import chips_with_percentages, compare, each_chip
from .header import Header

pytestmark = pytest.mark.exhaustive


@each_chip
def test_every_block_size_and_register_count(header: Header, limits: Limits) -> None:
    for caching in axes.cachings(limits):
        kernels = (Kernel(t, r, caching=caching) for t in range(1, 1026) for r in range(256))
        compared, left_out = compare(header, limits, kernels)
        assert compared + left_out == 1025 * 256


@chips_with_percentages
def test_every_percentage_and_step_of_shared_memory(header: Header, limits: Limits) -> None:
    for opt_in in axes.OPT_IN:
        for carveout in axes.percentages(limits):
            sizes = axes.shared_memory(limits)
            kernels = (Kernel(32, smem=size, carveout=carveout, opt_in=opt_in) for size in sizes)
            assert compare(header, limits, kernels)[0] == len(sizes)


@each_chip
def test_product_of_warps_registers_and_shared_memory(header: Header, limits: Limits) -> None:
    """Every warp count, by every register level, by every change of blocks, by configuration and barriers."""
    sizes = axes.shared_memory_by_blocks(limits)
    for carveout, barriers in itertools.product(axes.configurations(limits), (1, 3)):
        for caching in axes.cachings(limits):
            kernels = (
                Kernel(threads, registers, smem=size, carveout=carveout, barriers=barriers, caching=caching)
                for threads in axes.threads(limits)
                for registers in axes.registers(limits)
                for size in sizes
            )
            compared, left_out = compare(header, limits, kernels)
            assert compared == 34 * len(axes.registers(limits)) * len(sizes)
            assert not left_out


@each_chip
def test_many_random_kernels(header: Header, limits: Limits) -> None:
    compare(header, limits, axes.random_kernels(limits, 200_000))
