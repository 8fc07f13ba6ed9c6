"""Laws for all SMs and kernels, in both models.

Each law is tested on real and fictitious SMs. If a law has an exception, the docstring gives the condition and the
reason, and an example shows that the exception exists.
"""

from typing import Any
from unittest.mock import ANY

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from occupancy.advice.waves import FullWave, WavesFields
from occupancy.engine import Result, cuda
from occupancy.errors import InputError
from occupancy.tables import shipped
from occupancy.values.fields import Carveout
from occupancy.values.kernel import MAX_GRID_DIM, Kernel, Launch
from occupancy.values.resources import RESOURCES
from occupancy.values.spellings import parse_threads

from . import strategies
from .fitting import fits
from .strategies import Question


def with_kernel(question: Question, **changes: Any) -> Question:
    return question._replace(kernel=question.kernel.replace(**changes))


@given(strategies.questions())
def test_what_a_resource_allows_fits_and_one_block_more_does_not(question: Question) -> None:
    result = question.ask()
    for resource, blocks in zip(RESOURCES, result.block_limits, strict=True):
        assert fits(result, resource, 10_000 if blocks is None else blocks)
        assert blocks is None or not fits(result, resource, blocks + 1)


@given(strategies.questions())
def test_the_answer_fits_into_the_sm(question: Question) -> None:
    result, limits = question.ask(), question.limits
    blocks, allocated = result.active_blocks, result.allocated
    assert 0 <= blocks <= limits.max_blocks_per_multiprocessor
    assert blocks * allocated.warps <= limits.max_warps_per_multiprocessor
    assert blocks * allocated.registers <= limits.max_registers_per_multiprocessor
    assert blocks * allocated.shared_memory <= limits.max_shared_memory_per_multiprocessor
    assert 0 <= result.occupancy_by_threads <= result.occupancy <= 1
    is_last_warp_full = question.kernel.threads % limits.warp_size == 0
    assert (result.occupancy_by_threads == result.occupancy) == (is_last_warp_full or not blocks)


@given(strategies.questions())
def test_the_limiters_are_all_the_resources_that_allow_no_more(question: Question) -> None:
    result = question.ask()
    assert result.limiters
    for resource, blocks in zip(RESOURCES, result.block_limits, strict=True):
        assert (resource in result.limiters) == (blocks == result.active_blocks)
        assert blocks is None or blocks >= result.active_blocks


@given(strategies.questions())
def test_a_kernel_launches_if_a_block_of_it_fits(question: Question) -> None:
    """Exception: the spreadsheet ignores the maximum block size, and counts blocks that do not launch."""
    result = question.ask()
    is_checked = question.model == "cuda" or question.kernel.threads <= question.limits.max_threads_per_block
    if is_checked or not result.active_blocks:
        assert result.launchable == (result.active_blocks > 0)
    assert result.launchable == (result.reason is None)


@given(strategies.questions())
def test_a_kernel_that_does_not_launch_needs_more_than_there_is(question: Question) -> None:
    """Exceptions: registers, whose sum can suffice if no sub-partition has enough.

    And `is_larger_than_half_an_sm`, where the whole SM would have enough warps.
    """
    assume(not is_larger_than_half_an_sm(question))
    failure = question.ask().failure
    assume(failure is not None and failure.limit != "max_registers_per_multiprocessor")
    assert failure is not None
    assert failure.needed > failure.allowed


MORE = {"regs": strategies.registers(), "threads": strategies.threads(), "barriers": st.integers(0, 16)}


@pytest.mark.parametrize("name", MORE)
@given(strategies.questions(), st.data())
def test_more_never_gives_more_blocks(name: str, question: Question, data: st.DataObject) -> None:
    """Exception: `is_larger_than_half_an_sm`."""
    now = getattr(question.kernel, name)
    given_now = (1 if name == "barriers" else 0) if now is None else now
    fewer, more = sorted((given_now, data.draw(MORE[name])))
    before, after = with_kernel(question, **{name: fewer}), with_kernel(question, **{name: more})
    assume(not is_larger_than_half_an_sm(before))
    assert after.ask().active_blocks <= before.ask().active_blocks


def test_10_registers_take_less_than_9_on_2_0() -> None:
    """The spreadsheet doubles the allocation unit for 9 registers, but so few registers do not limit."""
    limits = shipped.limits("2.0")
    nine, ten = Result(limits, Kernel(32, regs=9)), Result(limits, Kernel(32, regs=10))
    assert (nine.allocated.registers, ten.allocated.registers) == (384, 320)
    assert nine.block_limits.registers == 84
    assert nine.limits.max_warps_per_multiprocessor == 48


def is_larger_than_half_an_sm(question: Question) -> bool:
    """Return True if a block with cached loads has more warps than half an SM, as on no real GPU.

    It does not launch. With more registers than half an SM has, the hardware disables the caching, and the
    block can use the whole SM.
    """
    warps = -(-question.kernel.threads // question.limits.warp_size)
    return question.kernel.caching == "ca" and warps > question.limits.max_warps_per_multiprocessor // 2


def test_more_registers_help_a_block_that_is_larger_than_half_an_sm() -> None:
    limits = shipped.limits("6.1").replace(max_threads_per_multiprocessor=1024)
    kernel = Kernel(544, regs=32, caching="ca")
    assert Result(limits, kernel).active_blocks == 0
    assert Result(limits, kernel.replace(regs=88)).active_blocks == 1


@given(strategies.questions(), st.data())
def test_more_shared_memory_never_gives_more_blocks(question: Question, data: st.DataObject) -> None:
    """Exception: the model `cuda` on 3.x, if the carveout is too small for one block.

    There the SM selects its largest configuration. From 7.0 on it selects the smallest sufficient one, which is
    at most twice as large as the previous one, so that only one block fits.
    """
    sizes = [question.kernel.shared_memory, data.draw(strategies.shared_memory(question.limits))]
    before, after = (
        with_kernel(question, static_smem=None, dynamic_smem=None, smem=size) for size in sorted(sizes)
    )
    if question.model == "cuda" and question.limits.compute_capability < (7, 0):
        assume(pool(before) == pool(after))
    assert after.ask().active_blocks <= before.ask().active_blocks


def pool(question: Question) -> int:
    limits, kernel, _ = question
    return cuda.shared_memory_pool(limits, kernel, Result(limits, kernel).allocated.shared_memory)


def test_more_shared_memory_gives_more_blocks_on_3_5() -> None:
    limits = shipped.limits("3.5")
    kernel = Kernel(32, smem=16384, carveout=Carveout(16384, "bytes"))
    assert Result(limits, kernel).active_blocks == 1
    assert Result(limits, kernel.replace(smem=16385)).active_blocks == 2


@given(strategies.questions())
def test_unknown_barriers_count_as_one(question: Question) -> None:
    unknown, one = with_kernel(question, barriers=None), with_kernel(question, barriers=1)
    assert unknown.ask().block_limits == one.ask().block_limits


@given(strategies.questions(), st.integers(0, 100), st.integers(0, 100))
def test_a_larger_carveout_never_gives_fewer_blocks(question: Question, one: int, other: int) -> None:
    """Exception: the model `cuda` before 7.0, where a carveout that is too small means the largest."""
    assume(question.model == "spreadsheet" or question.limits.compute_capability >= (7, 0))
    carveouts = [Carveout(percent, "percent") for percent in sorted((one, other))]
    before, after = (with_kernel(question, carveout=each) for each in carveouts)
    assert before.ask().active_blocks <= after.ask().active_blocks


@given(strategies.questions())
def test_opting_in_never_gives_fewer_blocks(question: Question) -> None:
    without, opted_in = (with_kernel(question, opt_in=each).ask() for each in (False, True))
    assert without.active_blocks <= opted_in.active_blocks


@given(strategies.questions())
def test_only_the_sum_of_static_and_dynamic_shared_memory_counts(question: Question) -> None:
    total = with_kernel(question, static_smem=None, dynamic_smem=None, smem=question.kernel.shared_memory)
    assert total.ask().block_limits == question.ask().block_limits
    assert total.ask().allocated == question.ask().allocated


@given(strategies.questions(), st.tuples(*[st.integers(1, 16)] * 3))
def test_a_shape_counts_as_its_product(question: Question, shape: tuple[int, int, int]) -> None:
    threads, block_dim = parse_threads(shape)
    assert block_dim == shape
    plain, shaped = (with_kernel(question, threads=threads, block_dim=each) for each in (None, shape))
    is_short = all(size <= most for size, most in zip(shape, question.limits.max_block_dim, strict=True))
    if is_short or question.model == "spreadsheet":  # the spreadsheet does not check the block
        assert shaped.ask().block_limits == plain.ask().block_limits
    else:
        assert shaped.ask().block_limits.warps == 0


@given(strategies.questions(), st.sampled_from(["ca", "cg"]))
def test_a_caching_mode_is_refused_where_there_is_no_choice(question: Question, caching: str) -> None:
    assume(not question.limits.partitioned_global_caching)
    with pytest.raises(InputError, match="no caching mode"):
        with_kernel(question, caching=caching).ask()


@given(strategies.questions(), st.integers(0, 2**20))
def test_a_carveout_is_refused_that_is_no_size_of_the_sm(question: Question, size: int) -> None:
    assume(size not in question.limits.shared_memory_configurations)
    with pytest.raises(InputError, match="nor a shared memory configuration"):
        with_kernel(question, carveout=Carveout(size, "bytes")).ask()


resident = st.integers(1, 50_000)
lines = st.tuples(st.integers(1, 10_000), st.just(1), st.just(1))
grids = st.tuples(*(st.integers(1, most) for most in MAX_GRID_DIM)) | lines


@given(grids, resident)
def test_waves_hold_the_grid_and_name_the_grids_that_fill(grid: tuple[int, int, int], blocks: int) -> None:
    waves = WavesFields(Launch(Kernel(32), grid), FullWave(ANY, 1, blocks, blocks, None, False))
    whole = waves.launch.blocks
    assert waves.full_waves * blocks + waves.partial_wave_blocks == whole
    assert 0 <= waves.partial_wave_blocks < blocks
    assert 0 < waves.last_wave_fill <= 1
    assert 0 <= waves.idle_share < 1
    below, above = waves.filling_grid_below, waves.filling_grid_above
    assert (below or 0) <= whole <= above
    assert above % blocks == 0
    assert above - (below or 0) == (blocks if waves.partial_wave_blocks else 0) or below is None


@given(st.integers(1, 5_000), resident)
def test_a_grid_that_fills_its_waves_leaves_nothing_idle(rounds: int, blocks: int) -> None:
    launch = Launch(Kernel(32), (rounds * blocks, 1, 1))
    waves = WavesFields(launch, FullWave(ANY, 1, blocks, blocks, None, False))
    assert (waves.waves, waves.last_wave_fill, waves.idle_share) == (rounds, 1.0, 0.0)
