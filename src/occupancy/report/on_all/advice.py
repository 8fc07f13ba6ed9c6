"""What helps a kernel on several chips at once, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...advice.launch_bounds import bounds_in_source
from ...advice.next_steps import NextStep
from ...advice.on_all import StepOnAll
from ...advice.portability import CLUSTER_LIMITS
from ...render import words
from ...render.document import Block, Bullets, Column, Heading, Paragraph, Table, Together
from ...values.asking import Asking, reworded
from ...values.resources import ADJUSTABLE, QUANTITIES, Changeable, amount_of
from ..next_steps import BY_ITS_RULES, ON_HARDWARE, how_to_cap
from .report import OnAllReport, OnChip

MOST_STEPS = 9
"""By using less, on a screen."""


def advice(report: OnAllReport) -> Iterator[Block]:
    """What helps on all of the chips at once; by the spreadsheet's rules also what does on the hardware."""
    yield from _by_its_rules(report)
    yield Together([*_on_hardware(report)])


def _by_its_rules(report: OnAllReport) -> Iterator[Block]:
    if not report.next_steps:
        lacking = [chip.label for chip in report.chips if chip.limit in CLUSTER_LIMITS]
        if len(lacking) == len(report.chips):
            return
        if lacking:
            yield Paragraph(f"For what helps on the others leave out {words.listing(lacking)}.")
            return
        if report.inputs.tensor_memory or all(
            chip.occupancy == 1 or chip.limiters == ("virtual_resources",) for chip in report.chips
        ):
            return  # of a permit that can be relinquished the notes tell
        yield Paragraph("No single change of what was given helps on all of these chips at once.")
        return
    less = [step for step in report.next_steps if "threads" not in step.requires]
    sizes = [step for step in report.next_steps if step not in less]
    yield Together([*_by_using_less(report, less)])
    left = [chip.label for chip in report.chips if less and not _helps(report, less[-1], chip)]
    if left:
        yield Paragraph(f"Using less does not help on {words.listing(left)}: only another block size can.")
    yield Together([*_by_block_size(report, sizes, less)])
    yield Together([*_alone(report, less)])


def _on_hardware(report: OnAllReport) -> Iterator[Block]:
    """The nearest step where the spreadsheet's rules do not hold."""
    if report.runtime is None or (step := report.runtime.next_step) is None:
        return
    yield Heading(reworded(ON_HARDWARE, lambda said: f"{words.capitalised(said)}: the nearest step"))
    changed = list(step.requires)
    yield _table(report, _titles(changed), [_cells(report, step, changed)])


def _whose(report: OnAllReport) -> str:
    return "" if report.runtime is None else f", {BY_ITS_RULES}"


def _by_using_less(report: OnAllReport, steps: Sequence[StepOnAll]) -> Iterator[Block]:
    if not steps:
        return
    shown = _most_useful(steps)
    helps_all = all(_helps(report, steps[0], chip) for chip in report.chips)
    title, who = f"Use less{_whose(report)}", "both chips" if len(report.chips) == 2 else "all chips"
    if len(steps) > 1 and helps_all:
        title += f": row 1 helps {who}; each further row raises the chip that is lowest by then"
    elif len(steps) > 1:
        title += ": each row helps the chip that is lowest"
    elif helps_all:
        title += f": this helps {who}"
    yield Heading(title)
    changed = [each for each in ADJUSTABLE if any(each in step.requires for step in shown)]
    rows = [_cells(report, step, changed) for step in shown]
    caps = [step.fewer_registers for step in shown if step.fewer_registers is not None]
    has_bounds = any(caps) and report.inputs.triton_warps is None
    yield _table(report, _titles(changed), rows, shown if has_bounds else ())
    if served := _served(report, steps[0]):
        yield Paragraph(f"Row 1: {served}.")
    if caps:
        yield Paragraph(f"Fewer registers may spill. {how_to_cap(caps[0], may_spill=False)}")
    if has_bounds and (why := _why_no_bounds(report, shown)):
        yield Bullets([why], "faint")
    if len(shown) < len(steps):
        hidden = words.count(len(steps) - len(shown), "step")
        where = Asking("--format json", "to_dict()")
        yield Bullets([Asking.of(f"{hidden} between these in ", where, ".")], "faint")


def _why_no_bounds(report: OnAllReport, steps: Sequence[StepOnAll]) -> str:
    """``__maxnreg__(32): 10 blocks of 6 warps are more than the 48 warps that an SM of L4 holds, so ...``"""
    held = [chip.active_warps // chip.active_blocks for chip in report.chips if chip.active_blocks]
    warps = max(held, default=0)  # of a block, the same on every chip
    for step in steps:
        cap, blocks = step.fewer_registers, max(step.active_blocks)
        for chip in report.chips:
            most = chip.max_warps_per_multiprocessor
            if cap is not None and cap.launch_bounds is None and blocks * warps > most:
                wanted = f"{words.count(blocks, 'block')} of {words.count(warps, 'warp')}"
                holds = f"the {words.count(most, 'warp')} that an SM of {chip.label} holds"
                bounds = bounds_in_source(report.inputs.threads, blocks)
                return f"{cap.maxnreg}: {wanted} are more than {holds}, so {bounds} is not legal there."
    return ""


def _served(report: OnAllReport, step: StepOnAll) -> str:
    """Which change of a step helps which chips; empty where all of it helps all of them."""
    helped = [chip for chip in report.chips if chip.nearest_step and _helps(report, step, chip)]
    needing = {
        resource: [chip.label for chip in helped if resource in _requires(chip.nearest_step)]
        for resource in step.requires
    }
    if all(len(chips) == len(helped) for chips in needing.values()):
        return ""
    return ", ".join(
        f"{words.used(resource, step.requires[resource])} "
        f"{'helps' if QUANTITIES[resource].unit else 'help'} {words.listing(chips)}"
        for resource, chips in needing.items()
        if chips
    )


def _alone(report: OnAllReport, steps: Sequence[StepOnAll]) -> Iterator[Block]:
    """What each chip takes by itself, where for some no step for all of them is as small and as good."""
    changed = [each for each in ADJUSTABLE if any(each in step.requires for step in steps)]
    alone = [(chip, chip.furthest_step) for chip in report.chips if chip.furthest_step is not None]
    of_all = [step.requires for step in _most_useful(steps)]
    if any(step.requires not in of_all for _, step in alone):
        yield Heading("Each chip alone: the most that it reaches by using less")
        columns = [Column("Chip", is_number=False), *map(Column, map(_title, changed)), Column("Reaches")]
        rows = [
            (
                chip.label,
                *_amounts(report, step.requires, changed),
                words.held(step.active_blocks, step.occupancy),
            )
            for chip, step in alone
        ]
        yield Table(columns, rows)


def _requires(step: NextStep | None) -> dict[Changeable, int]:
    return {} if step is None else step.requires


def _by_block_size(
    report: OnAllReport, steps: Sequence[StepOnAll], less: Sequence[StepOnAll]
) -> Iterator[Block]:
    if not steps:
        return
    lowest = max((min(step.occupancy) for step in less), default=1.0)
    is_best = any(min(step.occupancy) > lowest for step in steps)
    title = f"{'Or another' if less else 'Another'} block size{', which helps more' if is_best else ''}"
    title += _whose(report)
    amounts = [(each, amount_of(each, report.inputs)) for each in ADJUSTABLE]
    kept = [
        f"{words.used(each, amount)} per {'thread' if each == 'regs' else 'block'}"
        for each, amount in amounts
        if amount
    ]
    yield Heading(title + (f", if {words.listing(kept)} stay" if kept else ""))
    yield _table(report, [_title("threads")], [_cells(report, step, ["threads"]) for step in steps])


def _table(
    report: OnAllReport,
    titles: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    capped: Sequence[StepOnAll] = (),
) -> Table:
    """What a block is to use, what each chip gives, and where there is room how the compiler is told."""
    columns = [Column(title) for title in (*titles, *(chip.label for chip in report.chips))]
    if not capped:
        return Table(columns, rows)
    bounds = Column("Launch bounds", is_number=False, may_go=True)
    return Table([*columns, bounds], [(*row, _bounds(step)) for row, step in zip(rows, capped, strict=True)])


def _bounds(step: StepOnAll) -> str:
    """``192, 5``, or ``__maxnreg__(32)`` where no bounds mean as many registers on every chip."""
    cap = step.fewer_registers
    if cap is None:
        return ""
    return cap.maxnreg if cap.launch_bounds is None else cap.launch_bounds.partition("(")[2][:-1]


def _helps(report: OnAllReport, step: StepOnAll, chip: OnChip) -> bool:
    return step.occupancy[report.chips.index(chip)] > chip.occupancy or chip.occupancy == 1


def _cells(report: OnAllReport, step: StepOnAll, changed: Sequence[Changeable]) -> tuple[str, ...]:
    """What a block is to use then, and what each chip gives."""
    reached = map(words.held, step.active_blocks, step.occupancy)
    return *_amounts(report, step.requires, changed), *reached


def _amounts(
    report: OnAllReport, requires: dict[Changeable, int], changed: Iterable[Changeable]
) -> Iterator[str]:
    for each in changed:
        amount = requires.get(each, amount_of(each, report.inputs))
        yield "" if amount is None else words.amount(each, amount)


def _titles(resources: Iterable[Changeable]) -> list[str]:
    """Of columns, in two lines so that the chips beside them have room."""
    return [_title(each).replace(" ", "\n") for each in resources]


def _title(resource: Changeable) -> str:
    return QUANTITIES[resource].label.capitalize()


def _most_useful(steps: Sequence[StepOnAll]) -> Sequence[StepOnAll]:
    """All of few; of many the nearest, the furthest with each number of registers, and some between."""
    if len(steps) <= MOST_STEPS + 1:  # a line that says so would take as much room
        return steps
    last = len(steps) - 1
    furthest = {step.requires.get("regs"): number for number, step in enumerate(steps)}.values()
    evenly = (number * last // (MOST_STEPS - 1) for number in range(MOST_STEPS))
    useful = list(dict.fromkeys((0, last, *furthest, *evenly)))
    return [steps[number] for number in sorted(useful[:MOST_STEPS])]
