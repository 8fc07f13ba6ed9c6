"""The advice compared with brute force: the engine evaluates every amount.

The engine rounds shared memory to allocation units, which `tests.property.test_laws` checks. So only bytes on
both sides of each unit are tried, except on `small_chips`, where every byte is.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from occupancy import InputError
from occupancy.advice.block_sizes import block_sizes
from occupancy.advice.budget import budgets
from occupancy.advice.launch_bounds import launch_bounds
from occupancy.advice.next_steps import next_steps
from occupancy.advice.runtime import (
    available_dynamic_shared_memory_per_block,
    max_potential_block_size,
    runtime_result,
)
from occupancy.advice.slack import carveout, slack
from occupancy.engine import MODELS, Model, Result, cuda
from occupancy.tables import shipped
from occupancy.tables.gpus import Gpu
from occupancy.values.fields import Carveout
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits
from occupancy.values.resources import COUNTED
from tests.sampling import examples

from . import strategies
from .strategies import Question

Resource = str
RESOURCES = ("regs", "smem", "barriers")

brute_force = examples(80)
"""Fewer examples, because each one takes thousands of evaluations."""


@st.composite
def small_chips(draw: st.DrawFn) -> Question:
    """Draw SMs with so little shared memory, of an odd size, that every byte can be tried."""
    real = shipped.limits(draw(st.sampled_from(["2.0", "3.5", "5.2", "7.0", "9.0"])))
    smaller = draw(st.sets(st.integers(0, 1500), min_size=1, max_size=4))
    sizes = sorted(smaller | {draw(st.integers(1501, 2000))})
    reserved = draw(st.integers(0, 100))
    limits = real.replace(
        max_shared_memory_per_multiprocessor=sizes[-1], shared_memory_configurations=tuple(sizes),
        reserved_shared_memory_per_block=reserved, max_shared_memory_per_block=draw(st.integers(1, 1000)),
        max_shared_memory_per_block_optin=draw(st.integers(1000, sizes[-1] - reserved)),
        shared_memory_allocation_unit=draw(st.sampled_from([1, 7, 16, 128])),
        unified_l1_and_shared_memory=None, max_registers_per_multiprocessor=draw(st.integers(512, 65536)),
        max_blocks_per_multiprocessor=draw(st.integers(1, 40)),
    )  # fmt: skip
    kernel = draw(strategies.kernels(limits))
    kernel = kernel.replace(smem=draw(st.integers(0, 2200)), static_smem=None, dynamic_smem=None)
    return Question(limits, kernel, draw(strategies.models(limits)))


def questions() -> st.SearchStrategy[Question]:
    return strategies.questions() | small_chips()


def with_less_to_use() -> st.SearchStrategy[Question]:
    """Draw kernels whose steps need no opt-in."""
    return questions().filter(
        lambda each: (
            each.kernel.opt_in is not False
            or each.kernel.shared_memory <= each.limits.max_shared_memory_per_block
        )
    )


def amounts_of(kernel: Kernel) -> dict[Resource, int]:
    barriers = 1 if kernel.barriers is None else kernel.barriers
    return {"regs": kernel.regs or 0, "smem": kernel.shared_memory, "barriers": barriers}


def with_amounts(kernel: Kernel, amounts: Mapping[Any, int]) -> Kernel:
    changes: dict[str, Any] = dict(amounts)
    if "smem" in changes:
        changes |= {"static_smem": None, "dynamic_smem": None}
    return kernel.replace(**changes)


def blocks_with(question: Question, resource: Resource, amount: int) -> int:
    """Return the blocks that the resource alone allows: the other amounts do not limit."""
    limits, kernel, model = question
    limit = Result(limits, with_amounts(kernel, {resource: amount}), model).block_limits
    warps = limit.warps if resource == "regs" else limit.blocks
    allowed = getattr(limit, {"regs": "registers", "smem": "shared_memory"}.get(resource, resource))
    return min(limit.blocks, warps, limit.blocks if allowed is None else allowed)


def amounts_up_to(question: Question, resource: Resource, most: int) -> Sequence[int]:
    """Return every relevant amount, ascending."""
    limits = question.limits
    if resource == "tensor_memory":  # sizes of tcgen05.alloc, and the kernel's total of several allocations
        return sorted({most, *(each for each in (32, 64, 128, 256, 512) if each < most)})
    if resource != "smem" or most <= 2200:
        return range(most + 1)
    unit, reserved = limits.shared_memory_allocation_unit, limits.reserved_shared_memory_per_block
    edges = range(-reserved % unit, most + 1, unit)
    return sorted({0, most, *edges, *(edge + 1 for edge in edges if edge < most)})


def highest(question: Question, resource: Resource) -> int:
    limits = question.limits
    few = {"regs": limits.max_registers_per_thread, "barriers": limits.max_barriers_per_block}
    return few.get(resource, limits.max_shared_memory_per_multiprocessor)


def shrinkable(kernel: Kernel) -> dict[Resource, int]:
    given = {name: getattr(kernel, name) for name in ("regs", "barriers", "tensor_memory")}
    return {name: amount for name, amount in (given | {"smem": kernel.shared_memory}).items() if amount}


def by_resources(question: Question) -> list[Any]:
    return [step for step in next_steps(question.ask()) if not {"threads", "carveout"} & {*step.requires}]


SMALL_CARVEOUT = Question(
    shipped.limits("3.5"), Kernel(64, 20, smem=25000, carveout=Carveout(16384, "bytes")), "cuda"
)
"""2 blocks of 24 KiB, but 1 of 23 KiB, for which the carveout is not raised."""


@brute_force
@given(with_less_to_use())
@example(SMALL_CARVEOUT)
def test_a_step_is_reached_at_its_values_and_not_one_before(question: Question) -> None:
    limits, kernel, model = question
    for step in by_resources(question):
        reached = Result(limits, with_amounts(kernel, step.requires), model)
        assert (reached.active_blocks, reached.occupancy) == (step.active_blocks, step.occupancy)
        for resource, amount in step.requires.items():
            assert amount < shrinkable(kernel)[resource]
            every = amounts_up_to(question, resource, shrinkable(kernel)[resource])
            more = min(each for each in every if each > amount) if resource == "tensor_memory" else amount + 1
            one_more = with_amounts(kernel, {**step.requires, resource: more})
            assert Result(limits, one_more, model).active_blocks < step.active_blocks


@brute_force
@given(with_less_to_use())
@example(SMALL_CARVEOUT)
def test_no_step_is_missing_and_each_is_the_nearest(question: Question) -> None:
    limits, kernel, model = question
    now = Result(limits, kernel, model)
    blocks_by_amount = {
        resource: {
            amount: blocks_with(question, resource, amount)
            for amount in amounts_up_to(question, resource, most)
            if amount or resource != "regs"
        }
        for resource, most in shrinkable(kernel).items()
    }
    expected: list[Any] = []
    for blocks in range(now.active_blocks + 1, limits.max_blocks_per_multiprocessor + 1):
        nearest = {
            resource: max((each for each, allowed in amounts.items() if allowed >= blocks), default=None)
            for resource, amounts in blocks_by_amount.items()
        }
        if None in nearest.values():
            break
        needed = {name: amount for name, amount in nearest.items() if amount != shrinkable(kernel)[name]}
        reached = Result(limits, with_amounts(kernel, needed), model).active_blocks  # type: ignore[arg-type]
        if reached < blocks:
            break
        if not expected or expected[-1] != (reached, needed):
            expected.append((reached, needed))
    assert [(step.active_blocks, step.requires) for step in by_resources(question)] == expected


@given(with_less_to_use())
@example(
    Question(shipped.limits("9.0"), Kernel(256, 32, smem=61440, carveout=Carveout(65536, "bytes")), "cuda")
)
def test_a_carveout_that_limits_is_raised_to_the_smallest_for_more_blocks(question: Question) -> None:
    limits, kernel, model = question
    sizes = limits.shared_memory_configurations if kernel.carveout else ()
    with_less = [
        step.requires for step in by_resources(Question(limits, kernel.replace(carveout=None), model))
    ]
    blocks, expected = 0, []
    for requires in ({}, *with_less):
        less = with_amounts(kernel, requires)
        blocks = max(blocks, Result(limits, less, model).active_blocks)
        for size in sizes:
            each = Result(limits, less.replace(carveout=Carveout(size, "bytes")), model)
            if each.shared_memory_pool == size and each.active_blocks > blocks:
                blocks = each.active_blocks
                expected.append((blocks, each.occupancy, {**requires, "carveout": size}))
    steps = [step for step in next_steps(question.ask()) if "threads" not in step.requires]
    assert [tuple(step) for step in steps if "carveout" in step.requires] == expected
    assert steps == sorted(steps, key=lambda step: (step.active_blocks, "carveout" not in step.requires))


@given(questions())
@example(Question(shipped.limits("9.0"), Kernel(256, 32, static_smem="64k"), "cuda"))
def test_every_step_launches_and_opts_in_only_for_more_than_48_kib(question: Question) -> None:
    limits, kernel, model = question
    kernel = kernel.replace(opt_in=False)
    for step in next_steps(Result(limits, kernel, model)):
        requires: dict[str, Any] = dict(step.requires)
        reached = Result(limits, kernel.replace(**requires), model)
        assert (reached.launchable, reached.active_blocks) == (True, step.active_blocks)
        if requires.pop("opt_in", False):
            assert not Result(limits, kernel.replace(**requires), model).launchable


@given(with_less_to_use())
@example(Question(shipped.limits("9.0"), Kernel(2048, 32, smem="300k"), "cuda"))
def test_block_sizes_named_as_steps_are_the_nearest_better_one_and_the_best(question: Question) -> None:
    limits, kernel, model = question
    answer = Result(limits, kernel, model)
    now = answer.active_warps if answer.launchable else 0
    steps = [step for step in next_steps(question.ask()) if "threads" in step.requires]
    # A block of any size uses all virtual resources, and possibly all columns.
    if answer.limiters in (("virtual_resources",), ("virtual_resources", "tensor_memory")):
        assert not steps
        return
    better = {}
    for threads in range(limits.warp_size, limits.max_threads_per_block + 1, limits.warp_size):
        answer = Result(limits, kernel.replace(threads=threads, block_dim=None), model)
        if answer.launchable and answer.active_warps > now:
            better[threads] = (answer.active_blocks, answer.occupancy)
    nearest = sorted(better, key=lambda threads: abs(threads - kernel.threads))
    best = sorted(nearest, key=lambda threads: -better[threads][1])
    expected = list(dict.fromkeys([*nearest[:1], *best[:1]]))
    if not expected and steps:  # both changes at once
        reached = Result(limits, with_amounts(kernel, dict[str, Any](steps[0].requires)), model)
        assert (now, reached.launchable, steps) == (0, True, [*next_steps(question.ask())])
        return
    assert [step.requires["threads"] for step in steps] == expected
    assert [(step.active_blocks, step.occupancy) for step in steps] == [better[size] for size in expected]


@given(questions())
def test_steps_come_nearest_first_and_all_lead_up(question: Question) -> None:
    now = question.ask()
    steps = tuple(next_steps(question.ask()))
    assert all(step.occupancy > (now.occupancy if now.launchable else 0) for step in steps)
    blocks = [step.active_blocks for step in by_resources(question)]
    assert blocks == sorted(set(blocks))
    rest = [step for step in steps if "carveout" not in step.requires]
    assert rest[: len(blocks)] == by_resources(question)
    if now.occupancy == 1 and now.launchable:
        assert steps == ()


@brute_force
@given(questions())
@example(SMALL_CARVEOUT)
def test_slack_is_the_last_amount_that_keeps_the_blocks(question: Question) -> None:
    limits, kernel, model = question
    now = question.ask().active_blocks
    answer = slack(question.ask())
    for resource in RESOURCES:
        kept = getattr(answer, resource)
        if not now:
            assert kept is None
            continue
        amounts = amounts_up_to(question, resource, highest(question, resource))
        first = last = amounts_of(kernel)[resource]
        for amount in (each for each in amounts if each > first):
            if Result(limits, with_amounts(kernel, {resource: amount}), model).active_blocks < now:
                break
            last = amount
        assert kept == last


@given(questions())
def test_what_is_unused(question: Question) -> None:
    result = question.ask()
    for resource, unused in slack(result).unused.items():
        use = result.resources[resource]
        if unused is None:
            assert resource in COUNTED
            assert use.blocks is getattr(result.block_limits, resource) is None
        else:
            assert use.per_multiprocessor is not None
            assert unused == use.per_multiprocessor - result.active_blocks * use.per_block
            if unused and resource not in result.limiters:
                assert unused >= use.per_block


@brute_force
@given(questions())
@example(SMALL_CARVEOUT)
def test_budgets_are_the_most_that_an_exhaustive_search_finds(question: Question) -> None:
    limits, kernel, model = question
    bare = with_amounts(kernel, {"regs": 0, "smem": 0})
    most = Result(limits, bare, model).active_blocks
    assume(most)
    asked = Question(limits, bare, model)
    answer = budgets([(Gpu(limits), bare, model, 1)])[0]
    expected: list[Any] = []
    for blocks in range(most, 0, -1):
        limits_of_level = [most_up_to(asked, "regs", blocks), most_up_to(asked, "smem", blocks)]
        if not expected or expected[-1] != limits_of_level:
            expected.append(limits_of_level)
    assert [[level.regs, level.smem] for level in answer.levels] == expected
    assert answer.wanted == answer.levels[-1]
    for level in answer.levels:
        reached = Result(limits, with_amounts(bare, {"regs": level.regs, "smem": level.smem}), model)
        if kernel.carveout is None:
            assert (reached.active_blocks, reached.occupancy) == (level.active_blocks, level.occupancy)
        else:  # the carveout can be raised, so that more blocks fit than below this level
            assert reached.active_blocks >= level.active_blocks


def most_up_to(question: Question, resource: Resource, blocks: int) -> int:
    """Return the last amount before the first that allows fewer blocks."""
    last = 0
    for amount in amounts_up_to(question, resource, highest(question, resource)):
        if blocks_with(question, resource, amount) < blocks:
            break
        last = amount
    return last


@given(questions(), st.data())
def test_a_budget_reaches_its_target_and_no_level_below_does(question: Question, data: st.DataObject) -> None:
    limits, kernel, model = question
    bare = with_amounts(kernel, {"regs": 0, "smem": 0})
    most = min([Result(limits, each, model) for each in (kernel, bare)], key=lambda each: each.active_blocks)
    assume(most.active_blocks)
    blocks = data.draw(st.integers(1, most.active_blocks))
    answer = budgets([(Gpu(limits), kernel, model, blocks)])[0]
    assert answer.wanted is not None
    reached = answer.wanted.active_blocks
    assert reached >= blocks
    assert all(each.active_blocks < blocks for each in answer.levels if each.active_blocks < reached)
    share = blocks * most.allocated.warps / limits.max_warps_per_multiprocessor
    assert budgets([(Gpu(limits), kernel, model, None)], share)[0] == answer
    assert budgets([(Gpu(limits), kernel, model, None)], round(share, 3) or share)[0] == answer
    with pytest.raises(InputError, match=rf"up to {most.active_blocks}\."):
        budgets([(Gpu(limits), kernel, model, most.active_blocks + 1)])
    with pytest.raises(InputError, match="out of range"):
        budgets([(Gpu(limits), kernel, model, None)], 0)


@given(questions())
def test_the_smallest_configuration_that_keeps_the_answer(question: Question) -> None:
    limits, kernel, model = question
    now = Result(limits, kernel, model).active_blocks
    answer = carveout(question.ask())
    by_size = {}
    for size in limits.shared_memory_configurations:
        result = Result(limits, kernel.replace(carveout=Carveout(size, "bytes")), model)
        if result.active_blocks and result.shared_memory_pool == size:
            by_size[size] = result.active_blocks
    assert {each.shared_memory: each.active_blocks for each in answer.configurations} == by_size
    assert (answer.smallest is None) == (not now)
    if answer.smallest is not None:
        assert answer.smallest.shared_memory == min(size for size in by_size if by_size[size] >= now)
    for each in answer.configurations:
        if each.percent is not None:
            asked = Result(limits, kernel.replace(carveout=Carveout(each.percent, "percent")), model)
            assert asked.shared_memory_pool == each.shared_memory


@given(questions())
def test_block_sizes_are_all_there_best_first(question: Question) -> None:
    limits, kernel, model = question
    answers = block_sizes(limits, kernel, model=model)
    sizes = range(limits.warp_size, limits.max_threads_per_block + 1, limits.warp_size)
    assert sorted(each.threads for each in answers) == list(sizes)
    assert list(answers) == sorted(answers, key=lambda each: (-each.occupancy, -each.threads))
    for each in answers:
        result = Result(limits, kernel.replace(threads=each.threads, block_dim=None), model)
        for name in ("active_blocks", "occupancy", "limiters"):
            assert getattr(each, name) == getattr(result, name)


for_cuda = questions().filter(lambda question: cuda.supports(question.limits))


@given(for_cuda, st.integers(0, 1100), st.integers(0, 64))
def test_no_block_size_has_more_resident_threads(question: Question, limit: int, per_thread: int) -> None:
    limits, kernel, _ = question
    kernel = kernel.replace(smem=None, static_smem=None, dynamic_smem=None)
    best = max_potential_block_size(limits, kernel, 10, per_thread.__mul__, limit)
    largest = min(limit or limits.max_threads_per_block, limits.max_threads_per_block)
    resident = {}
    for threads in {*range(limits.warp_size, largest, limits.warp_size), largest}:
        sized = kernel.replace(threads=threads, block_dim=None, smem=per_thread * threads)
        resident[threads] = runtime_result(limits, sized).active_blocks * threads
    most = max(resident.values())
    assert best.min_grid_size * best.block_size == 10 * most
    if most:
        assert best.block_size == max(threads for threads, each in resident.items() if each == most)


@brute_force
@given(for_cuda, st.integers(1, 40))
def test_available_dynamic_shared_memory(question: Question, blocks: int) -> None:
    # Like the runtime's call, count blocks that wait for columns of tensor memory.
    limits, kernel, _ = question
    static = with_amounts(kernel, {"smem": kernel.static_smem or 0})
    if runtime_result(limits, static).active_blocks < blocks:
        with pytest.raises(InputError):
            available_dynamic_shared_memory_per_block(limits, static, blocks)
        return
    first, fitting = static.shared_memory, 0
    every = amounts_up_to(question, "smem", limits.max_shared_memory_per_multiprocessor)
    for amount in (each for each in every if each >= first):
        if runtime_result(limits, with_amounts(static, {"smem": amount})).active_blocks < blocks:
            break
        fitting = amount - first
    assert available_dynamic_shared_memory_per_block(limits, static, blocks) == fitting


@given(strategies.limits(), st.integers(1, 1024), st.integers(1, 40))
def test_the_cap_of_launch_bounds_just_keeps_the_blocks(limits: Limits, threads: int, blocks: int) -> None:
    assume(limits.launch_check_sub_partitions is None)
    assume(threads <= min(limits.max_threads_per_block, limits.max_threads_per_multiprocessor))
    answer = launch_bounds(Gpu(limits), Kernel(threads), blocks)
    assert answer.legal == (answer.most_blocks >= blocks) == (answer.warning is None)
    needed = blocks if answer.legal else 1

    def resident(registers: int) -> int:
        return Result(limits, Kernel(threads, registers)).active_blocks

    assert resident(answer.register_cap) == answer.active_blocks >= needed
    if answer.register_cap < limits.max_registers_per_thread:
        assert resident(answer.register_cap + 1) < needed


@pytest.mark.parametrize("cc", [str(cc) for cc in shipped.known()])
@pytest.mark.parametrize("model", ["cuda", "spreadsheet"])
def test_advice_asks_the_engine_few_times(cc: str, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    limits, rules = shipped.limits(cc), MODELS[model]
    if not rules.supports(limits):
        return
    engine = Mock(side_effect=rules.evaluate)
    monkeypatch.setattr(rules, "evaluate", engine)
    smallest = Carveout(limits.shared_memory_configurations[0], "bytes")
    most = (limits.max_shared_memory_per_block, limits.max_shared_memory_per_block_optin)
    steps, opted_in = (Kernel(32, limits.max_registers_per_thread, smem=each, barriers=16) for each in most)
    for kernel in (steps, steps.replace(carveout=smallest), opted_in, Kernel(256, 32)):
        engine.reset_mock()
        now = Result(limits, kernel, model)
        _ = tuple(next_steps(now)), slack(now), carveout(now)
        assert 0 < engine.call_count <= (800 if kernel.carveout else 400)  # with and without a larger one
