"""What ``occupancy calc`` says to a person of several chips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...advice.launch_bounds import bounds_in_source
from ...advice.next_steps import NextStep
from ...advice.on_all import StepOnAll
from ...advice.portability import CLUSTER_LIMITS
from ...render import words
from ...render.document import (
    SENTENCE,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    graded,
)
from ...values.asking import Asking
from ...values.resources import ADJUSTABLE, QUANTITIES, Changeable, amount_of
from ..calc.document import not_compiled, steps_of
from ..fits import limited_or_stopped_by
from ..gpu.document import EQUALLY_LONG, wave_cells, what_clusters_change
from ..gpu.report import why_fewer_clusters
from ..inputs import blocks_in_words
from ..next_steps import how_to_cap
from ..of_chips import labels_by
from ..opt_in import without_it
from .report import OnAllReport, OnChip

COLUMNS = (
    Column("Chip", is_number=False),
    Column("CC", is_number=False),
    Column("Occupancy"),
    Column("Blocks"),
    Column("Warps"),
)

WAVE_COLUMNS = (
    Column("Chip", is_number=False),
    Column("SMs"),
    Column("Blocks at once", is_number=False, least=SENTENCE),
    Column("Waves"),
    Column("Last wave", is_number=False, least=SENTENCE),
    Column("GPU idle"),
)

MOST_STEPS = 9
"""By using less, on a screen."""


def document(report: OnAllReport) -> Document:
    """What was asked, a row for each chip, then what helps on all of them."""
    has_names = any(chip.gpu for chip in report.chips)
    rows = [
        (
            *([chip.label] if has_names else []),
            chip.cc,
            *_resident(chip),
            limited_or_stopped_by(chip, report.inputs),
        )
        for chip in report.chips
    ]
    models = {chip.model for chip in report.chips}
    title = f"{blocks_in_words(report.inputs)} on {len(report.chips)} chips"
    title += words.by(*models) if len(models) == 1 else ""
    refused = [chip.refused_by_compiler for chip in report.chips if chip.refused_by_compiler]
    elsewhere = [*_of_clusters(report.chips)]
    said = [note for note in report.notes if note not in elsewhere and not any(map(note.endswith, refused))]
    notes = Bullets(said, "faint")
    are_first = "spreadsheet" in models  # what differs from the hardware stands before any advice
    columns = (*COLUMNS[not has_names :], Column("Limited by", is_number=False, least=SENTENCE))
    return (
        Only("text", [Paragraph(Marked(title, "strong"))]),
        *_not_compiled(report),
        Table(columns, rows),
        Together(list(_opt_ins(report))),
        *([notes] if are_first else []),
        Together(list(_waves(report.chips))),
        *_advice(report),
        *([] if are_first else [notes]),
        *(part for chip in report.chips for part in _explained(chip)),
    )


def _resident(chip: OnChip) -> tuple[Cell, str, str]:
    """The occupancy, the blocks and the warps; nothing where it is not known whether it launches."""
    if chip.launchable is None:
        return "unknown", "", ""
    return (
        graded(words.percent(chip.occupancy), chip.occupancy),
        str(chip.active_blocks),
        f"{chip.active_warps} of {chip.max_warps_per_multiprocessor}",
    )


def _not_compiled(report: OnAllReport) -> Iterator[Block]:
    """What no compiler makes for some chips, each reason once."""
    for why, labels in labels_by((chip.refused_by_compiler, chip.label) for chip in report.chips).items():
        some = labels if len(labels) < len(report.chips) else []
        yield Paragraph(((f"{words.listing(some)}: " if some else ""), *not_compiled(why)))


def _opt_ins(report: OnAllReport) -> Iterator[Block]:
    """Each call that a launch needs, once, for the chips that need it."""
    needed_on = labels_by((each, chip.label) for chip in report.chips for each in chip.opt_ins)
    for opt_in, labels in needed_on.items():
        without = "" if opt_in.is_made or not opt_in.error else f', else "{opt_in.error}"'
        said = without_it((opt_in,), report.inputs) if report.launchable else ""
        how = (" (", said, ")") if said else ()
        needed = f"Opt-in needed before the launch on {words.listing(labels)}{without}"
        yield Paragraph(Asking.of(needed, *how, ":"))
        yield Code(opt_in.call)


def _waves(chips: Sequence[OnChip]) -> Iterator[Block]:
    grid = next((chip.waves.blocks for chip in chips if chip.waves is not None), None)
    sizes = [chip.full_wave.cluster_size for chip in chips if chip.full_wave is not None]
    cluster = next((size for size in sizes if size is not None), None)
    if grid is None and cluster is None:
        return
    title = "The whole GPU" if grid is None else f"A grid of {words.count(grid, 'block')}"
    title += "" if cluster is None else f" in clusters of {cluster}"
    yield Heading(title if grid is None else f"{title}, {EQUALLY_LONG}")
    rows = [
        (chip.label if number == 0 else "", *cells)
        for chip in chips
        if chip.limit not in CLUSTER_LIMITS
        for number, cells in enumerate(wave_cells(chip))
    ]
    columns = WAVE_COLUMNS if grid is not None else WAVE_COLUMNS[:3]
    yield Table(columns, [row[: len(columns)] for row in rows])
    changed = labels_by((what_clusters_change(chip) or None, chip.label) for chip in chips)
    for said, labels in changed.items():
        yield Paragraph(f"{words.listing(labels)}: {said}")
    yield Bullets(list(_of_clusters(chips)), "faint")


def _of_clusters(chips: Sequence[OnChip]) -> Iterable[str]:
    """Why there may be fewer clusters than the bounds, each sentence once."""
    return dict.fromkeys(note for chip in chips for note in why_fewer_clusters(chip.full_wave, chip.gpu))


def _advice(report: OnAllReport) -> Iterator[Block]:
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


def _by_using_less(report: OnAllReport, steps: Sequence[StepOnAll]) -> Iterator[Block]:
    if not steps:
        return
    shown = _most_useful(steps)
    helps_all = all(_helps(report, steps[0], chip) for chip in report.chips)
    title, who = "Use less", "both chips" if len(report.chips) == 2 else "all chips"
    if len(steps) > 1 and helps_all:
        title += f": row 1 helps {who}; each further row raises the chip that is lowest by then"
    elif len(steps) > 1:
        title += ": each row helps the chip that is lowest"
    elif helps_all:
        title += f": this helps {who}"
    yield Heading(title)
    changed = [each for each in ADJUSTABLE if any(each in step.requires for step in shown)]
    titles = [_title(each).replace(" ", "\n") for each in changed]
    rows = [_cells(report, step, changed) for step in shown]
    yield _table(report, titles, rows, shown if any(step.fewer_registers for step in shown) else ())
    if served := _served(report, steps[0]):
        yield Paragraph(f"Row 1: {served}.")
    cap = next((step.fewer_registers for step in shown if step.fewer_registers is not None), None)
    if cap is not None:
        yield Paragraph(f"Fewer registers may spill. {how_to_cap(cap, may_spill=False)}")
    if why := _why_no_bounds(report, shown):
        yield Bullets([why], "faint")
    if len(shown) < len(steps):
        hidden = words.count(len(steps) - len(shown), "step")
        where = Asking("--format json", "to_dict()")
        yield Bullets([Asking.of(f"{hidden} between these in ", where, ".")], "faint")


def _why_no_bounds(report: OnAllReport, steps: Sequence[StepOnAll]) -> str:
    """``-maxrregcount=32: 10 blocks of 6 warps are more than the 48 warps that an SM of L4 holds, so ...``"""
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
                return f"{cap.maxrregcount}: {wanted} are more than {holds}, so {bounds} is not legal there."
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
    """``192, 5``, or the option of nvcc where no bounds mean as many registers on every chip."""
    cap = step.fewer_registers
    if cap is None:
        return ""
    return cap.maxrregcount if cap.launch_bounds is None else cap.launch_bounds.partition("(")[2][:-1]


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


def _explained(chip: OnChip) -> Document:
    """The steps of one chip, below its name."""
    if chip.explanation is None:
        return ()
    return Heading(words.chip(chip.gpu, chip.cc, chip.architecture)), *steps_of(chip.explanation)
