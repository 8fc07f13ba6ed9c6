"""The advice of ``occupancy calc``: what to change, how far to grow, what is left over, the carveout."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ...advice.next_steps import THREADS_PER_WARPGROUP, NextStep
from ...render import words
from ...values.asking import Asking
from ...values.resources import ADJUSTABLE, COUNTED, QUANTITIES, Resource, amount_of
from ..inputs import Inputs, name_of
from ..next_steps import BY_ITS_RULES, ON_HARDWARE, SKIP_FEWER, changes_in_words, how_registers_are_had
from ..opt_in import without_it
from .report import CalcReport
from .tensor_memory import both_states, steps_of_state

MOST_SIZES = 2
"""Steps to other block sizes that are shown, the nearest and the highest."""

NO_OTHER_SIZE = "no other block size has a higher occupancy"


def advice(report: CalcReport) -> Iterator[tuple[str, str]]:
    """The next steps, how far the kernel may grow, what is left over, and the carveout: label and text.

    A label is empty where the line belongs to the one above.
    """
    if not report.launchable:  # what it asks for may be all that is missing
        yield from _labelled("Opt-in", _opt_ins(report))
    yield from _labelled("Next steps", _next_steps(report))
    yield from _labelled("Slack", _slack(report))
    yield from _labelled("Left over", _left_over(report))
    yield from _labelled("Carveout", _carveout(report))
    if report.launchable:
        yield from _labelled("Opt-in", _opt_ins(report))


def _opt_ins(report: CalcReport) -> Iterator[str]:
    if report.inputs.triton_warps and all(each.is_made for each in report.opt_ins):
        return  # it is Triton that makes them
    yield from (f"needed before the launch: {each.call}" for each in report.opt_ins)
    if report.launchable and (said := without_it(report.opt_ins, report.inputs)):
        yield said


def _next_steps(report: CalcReport) -> Iterator[str]:
    """What makes a split legal that is not; else the next steps, and how they are taken."""
    if report.split is not None and not report.split.suffices:
        from ..registers import ways_out  # which few answers need

        yield "one of these makes the split legal"
        yield from ways_out(report.split)
        return
    lead, occupancy, at_once, levels = steps_of_state(report, report.next_steps, report.tensor_memory)
    shown = worth_showing(levels, occupancy)
    # With a split, another size has other warpgroups, and takes another split.
    sizes = [each for each in report.next_steps if "threads" in each.requires] if report.split is None else []
    sizes = [sizes[0], sizes[-1]] if len(sizes) > MOST_SIZES else sizes
    if report.runtime is not None and report.next_steps:
        yield BY_ITS_RULES
    if report.registers_may_be_divided and not report.inputs.reallocates_registers:
        others = report.inputs.threads // THREADS_PER_WARPGROUP - 1
        how = Asking("add the split: --setmaxnreg", "ask occupancy.registers() about the split:")
        yield Asking.of(f"{SKIP_FEWER}, and ", how, f" '1:24,{others}:?'")
    if lead:
        yield lead
    elif sizes and not levels:
        yield f"only {'other num_warps' if report.inputs.triton_warps else 'another block size'} can help"
    yield from (_step(report, step) for step in (*at_once, *shown, *sizes))
    if not report.registers_may_be_divided:
        yield from how_registers_are_had(shown, report.fewer_registers)
    if report.inputs.spill_smem and any("smem" in step.requires for step in levels):
        spilled = words.size(report.inputs.spill_smem)
        yield f"launch bounds of fewer threads shrink the {spilled} that registers spill to"
    if len(levels) > len(shown):
        where = Asking("--format json", "next_steps()")
        yield Asking.of(f"{words.count(len(levels) - len(shown), 'more level')} in ", where)
    if not lead and not levels and not sizes and report.occupancy < 1:
        yield f"none: {_why_none(report)}"
    if report.runtime is not None and (step := report.runtime.next_step) is not None:
        yield Asking.of(ON_HARDWARE, f" {_step(report, step)}")


def _why_none(report: CalcReport) -> str:
    if report.inputs.reallocates_registers and "registers" in report.limiters:
        return "the warpgroups need the registers"
    return NO_OTHER_SIZE if report.split is None else "another block size takes another split"


def of_divided_registers(inputs: Inputs) -> str:
    """What to ask instead, for several chips, where a block looks as if its warpgroups divide registers."""
    threads, regs = inputs.threads, inputs.regs
    how = Asking(
        f"occupancy registers --threads {threads} --regs {regs} --groups ...",
        f"occupancy.registers() with threads={threads}, regs={regs}, groups=...",
    )
    return Asking.of(f"{SKIP_FEWER}, and ask ", how)


def most_useful(levels: list[NextStep], now: float) -> list[NextStep]:
    """The nearest level, the highest, and the first that is at least half way between now and that.

    Where some ask for fewer columns of tensor memory: the nearest, and the highest with each number of them.
    """
    if not levels:
        return []
    highest = {step.requires.get("tensor_memory"): step for step in levels}
    if len(highest) > 1:
        return [step for step in levels if step is levels[0] or step in highest.values()]
    half_way = next(step for step in levels if step.occupancy >= (now + levels[-1].occupancy) / 2)
    return [step for step in levels if step in (levels[0], half_way, levels[-1])]


def worth_showing(levels: list[NextStep], now: float) -> list[NextStep]:
    """The most useful; and the one that is left, if it is one: to say so would take as much room."""
    useful = most_useful(levels, now)
    return levels if len(levels) == len(useful) + 1 else useful


def _step(report: CalcReport, step: NextStep) -> str:
    reached = words.held(step.active_blocks, step.occupancy)
    return f"{reached}: {changes_in_words(step.requires, report.inputs)}"


def _slack(report: CalcReport) -> Iterator[str]:
    limits_barriers = report.resources["barriers"].blocks is not None
    parts = []
    for resource in ADJUSTABLE:
        amount, now = getattr(report.slack, resource), amount_of(resource, report.inputs)
        grows = amount is not None and (now is None or amount > now)
        if grows and (resource != "barriers" or limits_barriers):
            parts.append(f"{QUANTITIES[resource].label} up to {words.amount(resource, amount)}")
    are_both = both_states(report) is not None
    if parts:
        yield f"{'held: ' if are_both else ''}{', '.join(parts)}"
    columns = report.tensor_memory if are_both else None
    if columns is not None and columns.regs_without_permit and columns.smem_without_permit is not None:
        size = words.size(columns.smem_without_permit)
        yield f"relinquished: registers up to {columns.regs_without_permit}, shared memory up to {size}"


def _left_over(report: CalcReport) -> Iterator[str]:
    """What is free, and whether it would do for one more block."""
    if both_states(report) is not None:
        return
    limiters = words.listing([_obstacle(report, limiter) for limiter in report.limiters])
    reasons = {
        "too_little": "too little for one more block",
        "another_limiter": f"enough for one more block, if not for {limiters}",
    }
    for reason, words_for_it in reasons.items():
        left = [
            f"{words.amount(resource, rest.amount)} {words.name(resource)}"
            for resource, rest in report.slack.left_over.items()
            if rest.reason == reason and rest.amount is not None and _is_of_interest(report, resource)
        ]
        if left:
            yield f"{words.listing(left)}: {words_for_it}"


def _obstacle(report: CalcReport, limiter: Resource) -> str:
    return "the number of blocks" if limiter == "blocks" else name_of(limiter, report.inputs)


def _is_of_interest(report: CalcReport, resource: Resource) -> bool:
    """Free block slots are no use, and free barriers neither unless they are what limits."""
    if not report.active_blocks or resource == "blocks":
        return False
    if resource in COUNTED:
        return resource in report.limiters
    return bool(report.resources[resource].per_block)


def _carveout(report: CalcReport) -> Iterator[str]:
    smallest, configurations = report.carveout.smallest, report.carveout.configurations
    blocks = ""
    columns = report.tensor_memory
    if columns is not None and both_states(report) is not None:
        blocks = f" for {words.count(columns.blocks_without_permit, 'block')}"
        enough = columns.carveout_without_permit
        smallest = next((each for each in configurations if each.shared_memory == enough), None)
    if smallest is None or (smallest.percent is None and smallest.l1 is None):
        return  # no block, or a size that no one would choose
    if report.runtime is not None:
        return  # a size for blocks that the hardware does not hold
    given = amount_of("smem", report.inputs) is not None or report.inputs.carveout is not None
    if not given and "shared_memory" not in report.limiters:
        return
    verdict = "is needed" if smallest == configurations[-1] else "is enough"
    percent = ""
    if smallest.percent is not None:
        largest = words.size(configurations[-1].shared_memory)
        percent = f": ask for {smallest.percent}% (of {largest}, rounded up) or more"
    l1 = "" if smallest.l1 is None else f"; leaves {words.size(smallest.l1)} of L1"
    yield f"{words.size(smallest.shared_memory)} {verdict}{blocks}{percent}{l1}"
    if report.inputs.carveout is not None:
        for held, alike in groupby(configurations, lambda each: each.active_blocks):
            sizes = [words.size(each.shared_memory) for each in alike]
            yield f"{words.count(held, 'block')} with {words.listing(sizes)}"


def _labelled(label: str, texts: Iterator[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        yield label, text
        label = ""
