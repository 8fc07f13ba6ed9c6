"""What ``occupancy calc`` says to a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ...advice.waves import FullWave
from ...render import words
from ...render.document import (
    SENTENCE,
    Block,
    Bullets,
    Column,
    Document,
    Heading,
    KeyValues,
    Mark,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    grade,
    graded,
)
from ...values.asking import Asking
from ...values.resources import COUNTED, Resource, amount_of
from ..gpu.document import in_clusters, whole_gpu_lines
from ..gpu.report import why_fewer_clusters
from ..inputs import name_of
from ..opt_in import launches
from .advice import advice
from .report import CalcReport, Explanation, ResourceUse
from .tensor_memory import (
    RELINQUISHES,
    WHICH_IS_YOURS,
    State,
    both_states,
    is_held,
    limited_by,
    one_more_waits,
    waits_for_columns,
)

COLUMNS = (
    Column("Resource", is_number=False, least=17),
    Column("Per block", least=1),
    Column("Per SM", least=1),
    Column("Blocks that fit", least=1),
)

COMFORTABLE_WIDTH = 78
"""Columns of a terminal in which the widest table of resources has room."""


def document(report: CalcReport) -> Document:
    """The answer first, then whether it launches, then each resource, the advice, what it rests on."""
    where = f"on {words.chip(report.gpu.name if report.gpu else None, report.cc, report.architecture)}"
    if report.model == "spreadsheet":
        where = f"{where}{words.by(report.model)} {report.spreadsheet_version}"
    return (
        *_not_compiled(report),
        *(_held(report, where) if report.launchable else _refused(report, where)),
        _resources(report),
        *_lines(report),
        Bullets(list(_remarks(report)), "faint"),
        *steps_of(report.explanation or ()),
    )


def _lines(report: CalcReport) -> Document:
    """The whole GPU and the grid, then the advice, with a label each; between them what is of clusters alone,
    a table and what it rests on."""
    whole = list(_whole(report))
    if report.split is not None:
        from ..registers import how_it_is_had  # few answers need it

        whole = [*how_it_is_had(report.split), *whole]
    clusters = [*in_clusters(report)]
    if why := _of_clusters(report):
        clusters.append(Bullets(why, "faint"))
    if not clusters:
        return (KeyValues([*whole, *advice(report)]),)
    return KeyValues(whole), Together(clusters), KeyValues(list(advice(report)))


def _of_clusters(report: CalcReport) -> Sequence[str]:
    return why_fewer_clusters(report.full_wave, report.gpu.name if report.gpu else None)


def _whole(report: CalcReport) -> Iterator[tuple[str, str]]:
    """The lines about the whole GPU, the first of which says what is resident at once."""
    wave = report.full_wave
    lines = whole_gpu_lines(wave, report.waves, report.launchable, report.green_context)
    first = next(lines, None)
    if wave is None or first is None:
        return
    label, resident = first
    yield label, _with_columns(report, wave) or resident + _once_relinquished(report, wave)
    yield from lines


def _once_relinquished(report: CalcReport, wave: FullWave) -> str:
    """How many blocks the whole GPU holds without the permits, for behind what it holds; else empty."""
    found = both_states(report)
    if found is None:
        return ""
    most = found[1].blocks * wave.multiprocessor_count
    return f"; {most:,} blocks once the permits are relinquished (inferred)"


def _with_columns(report: CalcReport, wave: FullWave) -> str:
    """What a launch may have of the blocks that the header counts, where fewer have their columns at once;
    empty where all have them, and of clusters."""
    columns = report.tensor_memory
    if columns is None or wave.cluster_size is not None or not waits_for_columns(report):
        return ""
    counted = columns.resident_blocks * wave.multiprocessor_count
    have = "has" if wave.multiprocessor_count == 1 else "have"
    sms, blocks = words.count(wave.multiprocessor_count, "SM"), words.count(wave.blocks, "block")
    return (
        f"{sms} {have} columns for {blocks} at once: the grid of a persistent kernel, the largest that can "
        f"meet at a grid-wide barrier. cuda_occupancy.h counts {counted:,}: a cooperative launch of "
        "so many may start, but its barrier would wait for ever (inferred)"
    )


def steps_of(explanation: Sequence[Explanation]) -> Document:
    """Every step of the arithmetic, resource by resource."""
    return (
        Only("text", [Together([part for each in explanation for part in _steps(each)])]),
        Only("markdown", [part for each in explanation for part in _steps_on_a_page(each)]),
    )


def _held(report: CalcReport, where: str) -> Document:
    """The occupancy, and what stops one more block."""
    if (found := both_states(report)) is not None:
        return _with_permit_and_without(report, found, where)
    blocks, threads = report.active_blocks, report.active_threads
    occupancy, mark = _occupancy(report)
    amounts = (
        f"{_warps(report, blocks)} warps, {words.count(blocks, 'block')} of "
        f"{words.count(report.inputs.threads, 'thread')}, {words.count(threads, 'thread')} per SM"
    )
    why = limited_by(report, report.inputs, report.tensor_memory)
    if report.model == "spreadsheet":  # what differs from the hardware stands before any advice
        why = " ".join((why, *report.notes))
    verdict = _verdict(report, why)
    headline = Paragraph((Marked(occupancy, mark), f" {where}\n{amounts}"))
    sentence = Paragraph((Marked(occupancy, "strong"), f" {where}: {amounts}. ", *verdict))
    return Only("text", [Together([headline, Paragraph(verdict)])]), Only("markdown", [sentence])


def _occupancy(report: CalcReport) -> tuple[str, Mark]:
    """The first words of the answer: a kernel that never ends is none with a good occupancy."""
    said = f"{words.percent(report.occupancy)} occupancy"
    if report.split is not None and not report.split.suffices:
        return f"{said}, but it waits for ever,", "bad"
    return said, grade(report.occupancy)


def _verdict(report: CalcReport, why: str) -> Sequence[str | Marked]:
    """That it launches, what limits it, and what a split of the registers comes to."""
    split = report.split
    if report.refused_by_compiler is not None:
        return (why,)
    launch = Marked(launches(report.opt_ins), "strong")
    if split is None:
        return launch, Asking.of(" ", why)
    from ..registers import taken_and_given, what_it_needs  # few answers need it

    amounts = f" {taken_and_given(split)}."
    if split.suffices:
        return launch, Asking.of(" ", why, " "), Marked("The split is legal:", "good"), amounts
    waits = Marked("It launches, and then waits for ever:", "bad")
    return waits, Asking.of(f"{amounts} {what_it_needs(split)} ", why)


PERMIT_COLUMNS = (
    Column("Permit", is_number=False),
    Column("Blocks"),
    Column("Occupancy"),
    Column("Warps"),
    Column("Limited by", is_number=False, least=SENTENCE),
)


def _with_permit_and_without(report: CalcReport, found: Sequence[State], where: str) -> Document:
    """Both states of a kernel that allocates tensor memory, and how to ask for one of them."""
    rows = [
        (
            state.name,
            str(state.blocks),
            graded(words.percent(state.occupancy), state.occupancy),
            _warps(report, state.blocks),
            words.listing([name_of(limiter, report.inputs) for limiter in state.limiters]),
        )
        for state in found
    ]
    occupancy = Marked(*_occupancy(report))
    now = words.count(report.active_blocks, "block")
    then = words.held(found[-1].blocks, found[-1].occupancy)
    waits = one_more_waits(found[-1].blocks, found[-1].limiters)
    said = Asking.of(WHICH_IS_YOURS, f" {waits}" if waits else "")
    return (
        Paragraph((occupancy, f" {where}: {now}; {then}, {RELINQUISHES}")),
        Table(PERMIT_COLUMNS, rows, splits=False),
        Paragraph(_verdict(report, said)),
    )


def _not_compiled(report: CalcReport) -> Document:
    """That no compiler makes the kernel, before the numbers that it would have."""
    if report.refused_by_compiler is None:
        return ()
    return (Paragraph(not_compiled(report.refused_by_compiler)),)


def not_compiled(why: str) -> Sequence[str | Marked]:
    """``Does not compile:`` and why, and what the numbers below are then."""
    then = "The numbers are those of as much dynamic shared memory, with an opt-in."
    return Marked("Does not compile:", "bad"), f" {why[0].lower()}{why[1:]} {then}"


def _warps(report: CalcReport, blocks: int) -> str:
    """``8 of 64``: the warps of some blocks, and those that an SM holds."""
    warps = report.resources["warps"]
    return f"{blocks * (warps.per_block or 0)} of {warps.per_multiprocessor}"


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
            name_of(resource, report.inputs),
            _per_block(report, resource, use),
            "unknown"
            if use.per_multiprocessor is None
            else words.amount(resource, use.per_multiprocessor).removesuffix(" columns"),
            # Of barriers on an 8.x an SM has some, a block takes some, and cuda_occupancy.h compares neither.
            words.number(use.blocks, "not counted" if use.per_block else "no limit"),
        )
        for resource, use in shown.items()
    ]
    return Table(
        COLUMNS,
        rows,
        marked={number for number, name in enumerate(shown) if name in report.limiters},
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
    if resource == "registers" and report.registers_checked is not None:
        return f"{amount}, counted as {report.registers_checked:,}"
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
    if report.inputs.reallocates_registers and report.launchable and report.split is None:
        lines.append(
            "The registers are those of the launch, which the warpgroups divide among themselves "
            "(setmaxnreg): to use fewer is no advice."
        )
    lines += [f"What if: {field} = {_setting(value)}." for field, value in report.what_if.items()]
    if report.model != "spreadsheet" or not report.launchable:
        elsewhere = (report.refused_by_compiler, *_of_clusters(report))
        lines += (note for note in report.notes if note not in elsewhere)
    return lines


def _about_tensor_memory(report: CalcReport) -> Iterator[str]:
    """What is the header's answer, and what is inferred."""
    if is_held(report):
        yield (
            f"cuda_occupancy.h answers {words.count(report.active_blocks, 'block')}. What relinquishing the "
            "permit gives is inferred: it was tried on no such GPU."
        )


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _steps(each: Explanation) -> Iterator[Block]:
    yield Heading(words.name(each.resource).capitalize())
    explained = len(each.steps) if each.why_of is None else each.why_of + 1
    yield Bullets(list(map(words.grouped, each.steps[:explained])), indent=2)
    yield Bullets(_why(each), "faint", indent=2)
    yield Bullets(list(map(words.grouped, each.steps[explained:])), indent=2)
    yield Bullets(_of_runtime(each), "faint", indent=2)


def _steps_on_a_page(each: Explanation) -> Iterator[Block]:
    yield Heading(words.name(each.resource))
    steps = list(map(words.grouped, each.steps))
    explained = len(steps) if each.why_of is None else each.why_of + 1
    yield Bullets([*steps[:explained], *_why(each), *steps[explained:], *_of_runtime(each)])


def _why(each: Explanation) -> list[str]:
    """Why a step surprises, for below it."""
    return [words.grouped(f"Why: {each.why}")] if each.why else []


def _of_runtime(each: Explanation) -> list[str]:
    """What the runtime counts instead."""
    return [words.grouped(f"The CUDA runtime: {'; '.join(each.runtime_steps)}")] if each.runtime_steps else []
