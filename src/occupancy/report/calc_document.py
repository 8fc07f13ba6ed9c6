"""What ``occupancy calc`` says to a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from ..advice.launch_bounds import RegisterCap
from ..advice.next_steps import NextStep
from ..render import words
from ..render.document import (
    Block,
    Bullets,
    Column,
    Document,
    Heading,
    KeyValues,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    grade,
)
from ..values.resources import ADJUSTABLE, COUNTED, QUANTITIES, Resource, amount_of
from .calc import CalcReport, Explanation, ResourceUse
from .gpu import whole_gpu_lines
from .next_steps import changes_in_words

COLUMNS = (
    Column("Resource", is_number=False),
    Column("Per block", least=1),
    Column("Per SM", least=1),
    Column("Blocks that fit", least=1),
)

COMFORTABLE_WIDTH = 78
"""Columns of a terminal in which the widest table of resources has room."""

HOLDS_ALL = "a block that allocates tensor memory starts with all virtual resources of the SM"

REASONS = {
    "too_little": "too little for one more block",
    "another_limiter": "stopped by another resource",
}


def document(report: CalcReport) -> Document:
    """The answer first, then whether it launches, then each resource, the advice, what it rests on."""
    where = f"on {words.chip(report.gpu.name if report.gpu else None, report.cc, report.architecture)}"
    if report.model == "spreadsheet":
        where = f"{where}, by NVIDIA's spreadsheet {report.spreadsheet_version}"
    return (
        *(_held(report, where) if report.launchable else _refused(report, where)),
        _resources(report),
        KeyValues([*_whole(report), *_advice(report)]),
        Bullets(list(_remarks(report)), "faint"),
        *steps_of(report.explanation or ()),
    )


def _whole(report: CalcReport) -> Iterator[tuple[str, str]]:
    """The lines about the whole GPU; what tensor memory keeps to one block is said to be so."""
    lines = whole_gpu_lines(
        report.full_wave, report.waves, report.measured_waves, report.launchable, report.green_context
    )
    for number, (label, text) in enumerate(lines):
        if number == 0 and is_held(report) and report.tensor_memory and report.full_wave:
            most = report.tensor_memory.blocks_without_permit * report.full_wave.multiprocessor_count
            text = f"{text}; up to {most:,} blocks once each relinquishes its permit (inferred)"
        yield label, text


def steps_of(explanation: Sequence[Explanation]) -> Document:
    """Every step of the arithmetic, resource by resource."""
    return (
        Only("text", [Together([part for each in explanation for part in _steps(each)])]),
        Only("markdown", [part for each in explanation for part in _steps_on_a_page(each)]),
    )


def _held(report: CalcReport, where: str) -> Document:
    """The occupancy, and what stops one more block."""
    occupancy = f"{words.percent(report.occupancy)} occupancy"
    amounts = (
        f"{report.active_warps} of {report.resources['warps'].per_multiprocessor} warps, "
        f"{words.count(report.active_blocks, 'block')} of {words.count(report.inputs.threads, 'thread')}, "
        f"{words.count(report.active_threads, 'thread')} per SM"
    )
    why = _limited_by(report)
    if report.model == "spreadsheet":  # what differs from the hardware stands before any advice
        why = " ".join((why, *report.notes))
    headline = Paragraph((Marked(occupancy, grade(report.occupancy)), f" {where}\n{amounts}"))
    verdict = Paragraph((Marked("Launches.", "strong"), f" {why}"))
    sentence = Paragraph((Marked(occupancy, "strong"), f" {where}: {amounts}. Launches. {why}"))
    return Only("text", [Together([headline, verdict])]), Only("markdown", [sentence])


def _refused(report: CalcReport, where: str) -> Document:
    """That it does not launch, and why."""
    return (Paragraph((Marked(f"Does not launch {where}:", "bad"), f" {report.reason}")),)


def _resources(report: CalcReport) -> Table:
    """Every resource; not those that few kernels use, where they set no limit and were not given."""
    shown = {
        resource: use
        for resource, use in report.resources.items()
        if resource not in COUNTED or use.blocks is not None or amount_of(resource, report.inputs)
    }
    rows = [
        (
            words.name(resource),
            _per_block(report, resource, use),
            "unknown" if use.per_multiprocessor is None else words.amount(resource, use.per_multiprocessor),
            words.number(use.blocks, "no limit"),
        )
        for resource, use in shown.items()
    ]
    if (columns := report.tensor_memory) is not None:
        rows.append(
            (
                "tensor memory",
                f"{columns.per_block} columns",
                str(columns.per_multiprocessor),
                str(columns.blocks),
            )
        )
    return Table(
        COLUMNS,
        rows,
        marked={number for number, resource in enumerate(shown) if resource in report.limiters},
        splits=False,
        comfortable=COMFORTABLE_WIDTH,
        gaps=(2, 1),
        pointers=("<- limiter", "<-"),
    )


def _per_block(report: CalcReport, resource: Resource, use: ResourceUse) -> str:
    missing = amount_of(resource, report.inputs) is None
    if not use.per_block:
        return "not given" if missing else "0"
    amount = words.amount(resource, use.per_block)
    if use.reserved:
        amount, own = f"{words.amount(resource, use.reserved)} reserved", use.per_block - use.reserved
        amount = f"{words.amount(resource, own)} + {amount}" if own else amount
    return f"not given ({amount})" if missing else amount


def _remarks(report: CalcReport) -> list[str]:
    """What the answer rests on, a sentence each."""
    lines = []
    if report.occupancy_by_threads != report.occupancy:
        lines.append(
            f"{words.percent(report.occupancy_by_threads)} by threads: "
            "the last warp of each block is not full."
        )
    lines += list(_about_tensor_memory(report))
    if report.inputs.reallocates_registers:
        lines.append(
            "The registers are those of the launch, which the warpgroups divide among themselves "
            "(setmaxnreg), so that fewer are no advice."
        )
    lines += [f"What if: {field} = {_setting(value)}." for field, value in report.what_if.items()]
    if report.model != "spreadsheet" or not report.launchable:
        lines += report.notes
    return lines


def _about_tensor_memory(report: CalcReport) -> Iterator[str]:
    """What is the header's answer, and what is inferred."""
    if is_held(report):
        yield (
            "1 block is the answer of cuda_occupancy.h; more are inferred, no such GPU was asked. "
            "Tensor memory limits no launch: a block waits until columns are free."
        )


def is_held(report: CalcReport) -> bool:
    """Whether the resident block holds all virtual resources of the SM."""
    return report.limiters == ("virtual_resources",) and report.active_blocks > 0


def _limited_by(report: CalcReport) -> str:
    limiters = words.listing([words.name(limiter) for limiter in report.limiters])
    if is_held(report) and report.tensor_memory is not None:
        later = report.tensor_memory.blocks_without_permit
        return (
            f"Limited by {limiters} (the permit to allocate tensor memory): 1 block at start; up to {later} "
            "once each relinquishes it with tcgen05.relinquish_alloc_permit (inferred)."
        )
    return f"Limited by {limiters}{' (the most that the SM holds)' if report.occupancy == 1 else ''}."


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _steps(each: Explanation) -> Iterator[Block]:
    yield Heading(words.name(each.resource).capitalize())
    yield Bullets(list(map(words.grouped, each.steps)), indent=2)
    if each.why:
        yield Bullets([words.grouped(f"Why: {each.why}")], "faint", indent=2)


def _steps_on_a_page(each: Explanation) -> Iterator[Block]:
    yield Heading(words.name(each.resource))
    yield Bullets(
        [words.grouped(text) for text in (*each.steps, *([f"Why: {each.why}"] if each.why else []))]
    )


def _advice(report: CalcReport) -> Iterator[tuple[str, str]]:
    """The next steps, how far the kernel may grow, what is left over, and the carveout: label and text.

    A label is empty where the line belongs to the one above.
    """
    yield from _labelled("Next steps", _next_steps(report))
    yield from _labelled("Slack", _slack(report))
    yield from _labelled("Left over", _left_over(report))
    yield from _labelled("Carveout", _carveout(report))
    if report.carveout.needs_opt_in:
        yield "Opt-in", "needed: cudaFuncAttributeMaxDynamicSharedMemorySize"


def _next_steps(report: CalcReport) -> Iterator[str]:
    """At most three levels by using less, and the block sizes; none at full occupancy."""
    levels = [step for step in report.next_steps if "threads" not in step.requires]
    sizes = [step for step in report.next_steps if "threads" in step.requires]
    shown = most_useful(levels, report.occupancy)
    if len(levels) == len(shown) + 1:
        shown = levels  # a line that says so would take as much room
    if report.runtime is not None and report.next_steps:
        yield "by the spreadsheet's rules; --model cuda has the hardware's"
    if is_held(report):
        yield f"none within reach for a second block: {HOLDS_ALL}"
    elif sizes and not levels:
        yield "only another block size can help"
    yield from (_step(report, step) for step in (*shown, *sizes))
    if report.fewer_registers is not None:
        yield how_to_cap(report.fewer_registers)
    if report.inputs.spill_smem and any("smem" in step.requires for step in levels):
        spilled = words.size(report.inputs.spill_smem)
        yield f"launch bounds of fewer threads shrink the {spilled} that registers spill to"
    if len(levels) > len(shown):
        yield f"{words.count(len(levels) - len(shown), 'more level')} in --format json"
    if not report.next_steps and report.occupancy < 1 and not is_held(report):
        yield "none: no other block size has a higher occupancy"


def most_useful(levels: list[NextStep], now: float) -> list[NextStep]:
    """The nearest level, the highest, and the first that is at least half way between now and that."""
    if not levels:
        return []
    half_way = next(step for step in levels if step.occupancy >= (now + levels[-1].occupancy) / 2)
    return [step for step in levels if step in (levels[0], half_way, levels[-1])]


def how_to_cap(cap: RegisterCap) -> str:
    """How the compiler is asked for fewer registers."""
    ways = " or ".join(way for way in (cap.launch_bounds, cap.maxrregcount) if way is not None)
    return f"{cap.regs} registers: {ways}"


def _step(report: CalcReport, step: NextStep) -> str:
    reached = f"{words.count(step.active_blocks, 'block')}, {words.percent(step.occupancy)}"
    return f"{reached}: {changes_in_words(step.requires, report.inputs)}"


def _slack(report: CalcReport) -> Iterator[str]:
    limits_barriers = report.resources["barriers"].blocks is not None
    parts = []
    for resource in ADJUSTABLE:
        amount, now = getattr(report.slack, resource), amount_of(resource, report.inputs)
        grows = amount is not None and (now is None or amount > now)
        if grows and (resource != "barriers" or limits_barriers):
            parts.append(f"{QUANTITIES[resource].label} up to {words.amount(resource, amount)}")
    if parts:
        yield ", ".join(parts)


def _left_over(report: CalcReport) -> Iterator[str]:
    for reason, words_for_it in REASONS.items():
        left = [
            f"{words.amount(resource, rest.amount)} {words.name(resource)}"
            for resource, rest in report.slack.left_over.items()
            if rest.reason == reason and rest.amount is not None and _is_of_interest(report, resource)
        ]
        if left:
            yield f"{words_for_it}: {words.listing(left)}"


def _is_of_interest(report: CalcReport, resource: Resource) -> bool:
    """Free block slots are no use, and free barriers neither unless they are what limits."""
    if not report.active_blocks or resource == "blocks":
        return False
    if resource in COUNTED:
        return resource in report.limiters
    return bool(report.resources[resource].per_block)


def _carveout(report: CalcReport) -> Iterator[str]:
    smallest, configurations = report.carveout.smallest, report.carveout.configurations
    if smallest is None or (smallest.percent is None and smallest.l1 is None):
        return  # no block, or a size that no one would choose
    given = amount_of("smem", report.inputs) is not None or report.inputs.carveout is not None
    if not given and "shared_memory" not in report.limiters:
        return
    verdict = "is needed" if smallest == configurations[-1] else "is enough"
    percent = "" if smallest.percent is None else f": request {smallest.percent}% or more"
    l1 = "" if smallest.l1 is None else f"; it leaves {words.size(smallest.l1)} of L1"
    yield f"{words.size(smallest.shared_memory)} {verdict}{percent}{l1}"
    if report.inputs.carveout is not None:
        for blocks, alike in groupby(configurations, lambda each: each.active_blocks):
            sizes = [words.size(each.shared_memory) for each in alike]
            yield f"{words.count(blocks, 'block')} with {words.listing(sizes)}"


def _labelled(label: str, texts: Iterator[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        yield label, text
        label = ""
