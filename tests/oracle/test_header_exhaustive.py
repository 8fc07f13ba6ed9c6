"""The model `cuda` against NVIDIA's header over far more combinations, in minutes: pytest -m exhaustive."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from occupancy.arrays import sweep_arrays
from occupancy.engine import cuda
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits
from occupancy.values.resources import Limiter

from . import axes
from .against_header import chips_with_percentages, compare, each_chip, limiting_factors
from .header import LIMITING_FACTORS, Header, carveout_settings

pytestmark = pytest.mark.exhaustive

LIMITERS = np.array(
    [
        sum(Limiter.of(name) for name, factor in LIMITING_FACTORS.items() if factors & factor)
        for factors in range(2 * max(LIMITING_FACTORS.values()))
    ]
)
"""The library's bits for each of the header's limiting factors."""


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
def test_every_combination(header: Header, limits: Limits) -> None:
    """The product of all inputs: warps, register levels, steps of shared memory, configurations, barriers,
    caching and opt-in.

    So many answers come from the library's arrays, which are held to the engine by tests of their own.
    """
    threads, registers, sizes = grid = np.ix_(
        axes.threads(limits), axes.registers(limits), axes.shared_memory_steps(limits)
    )
    # Every count alone is in test_header.py; beside the other inputs, those where the blocks change.
    has_virtual = limits.virtual_resources_per_multiprocessor is not None
    has_barriers = limits.compute_capability >= cuda.FIRST_WITH_BARRIER_LIMIT
    for carveout, caching, opt_in, barriers, virtual in itertools.product(
        axes.configurations(limits),
        axes.cachings(limits),
        axes.OPT_IN,
        range(17) if has_barriers else (0, 16),
        (0, 8, 43, 128) if has_virtual else (0, 128),
    ):
        percent, preference = carveout_settings(limits, carveout)
        asked = header.queries(
            limits,
            threads=threads,
            registers=registers,
            dynamic_smem=sizes,
            barriers=barriers,
            virtual_resources=virtual,
            carveout_percent=percent,
            cache_config=preference,
            is_cached=caching == "ca",
            is_opted_in=opt_in,
        )
        theirs = header.max_active_blocks(limits, asked)
        ours = sweep_arrays(
            [limits],
            {
                "threads": threads,
                "regs": registers,
                "smem": sizes,
                "barriers": np.array(barriers),
                "virtual_resources": np.array(virtual),
            },
            Kernel(1, carveout=carveout, caching=caching, opt_in=opt_in),
        )
        assert len(asked) == math.prod(axis.size for axis in grid)
        assert not theirs["error"].any()
        expected = np.stack([theirs["active_blocks"], LIMITERS[limiting_factors(theirs)]])
        answers = np.stack([ours.active_blocks.reshape(-1), ours.limiters.reshape(-1)])
        wrong = np.flatnonzero((answers != expected).any(axis=0))[:5]
        assert not wrong.size, (
            f"{asked[wrong]}: blocks and limiters {answers[:, wrong]}, not {expected[:, wrong]}"
        )


@each_chip
def test_many_random_kernels(header: Header, limits: Limits) -> None:
    compare(header, limits, axes.random_kernels(limits, 200_000))
