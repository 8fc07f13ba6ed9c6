"""What ``occupancy calc`` says to a person of several chips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
from ..calc.document import not_compiled, steps_of
from ..fits import limited_or_stopped_by
from ..gpu.document import EQUALLY_LONG, wave_cells, what_clusters_change
from ..gpu.report import why_fewer_clusters
from ..inputs import blocks_in_words
from ..of_chips import labels_by
from ..opt_in import without_it
from .advice import advice
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
        *advice(report),
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


def _explained(chip: OnChip) -> Document:
    """The steps of one chip, below its name."""
    if chip.explanation is None:
        return ()
    return Heading(words.chip(chip.gpu, chip.cc, chip.architecture)), *steps_of(chip.explanation)
