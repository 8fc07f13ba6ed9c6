"""The table of kernels, in which what is the same for several architectures is one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress

from ...builds.scan_row import ScanRow
from ...render.document import Cell, GroupColumn, GroupedTable, GroupRow, graded
from ...values.asking import Asking
from ..name_words import IF_SHORTENED, IF_WHOLE, short_name
from .columns import ARCH, BLOCKS, LAST, Column

CURE = Asking("--columns arch,regs,... chooses; --format csv has all.", "rows() has them.")
"""For columns that there is no room for."""

ArchsInWords = Callable[[Sequence[ScanRow]], tuple[str, str]]
"""From the rows that are one in the table to their architectures, and to the same where room is scarce."""


def table_of(
    rows: Sequence[ScanRow],
    columns: Sequence[Column],
    archs_in_words: ArchsInWords,
    if_there_is_room: Sequence[str],
    stays: Sequence[str],
) -> GroupedTable:
    """Under each kernel's name a row for each architecture, or launch, that differs in what is shown.

    Args:
        rows: The kernels; those of one group stand together.
        columns: What is shown of them.
        archs_in_words: What the cell of their architectures says.
        if_there_is_room: The titles of the columns that may be left out, the most useful first.
        stays: Those of them that then stand below.
    """
    cells = [[_cell(column, row) for column in columns] for row in rows]
    arch = next((place for place, column in enumerate(columns) if column.title == ARCH), None)
    named = [GroupRow(row.group, short_name(row)) for row in rows]
    shorter: list[Cell] = []
    if arch is not None:
        places = joined(named, cells, arch)
        named, cells = [named[first] for first, *_ in places], [cells[first] for first, *_ in places]
        said = [archs_in_words([rows[place] for place in each]) for each in places]
        for line, (whole, short) in zip(cells, said, strict=True):
            line[arch] = whole
            shorter.append(short)
    else:  # another architecture is no other row where it is not shown
        alone = [
            place == 0
            or (named[place], cells[place]) != (named[place - 1], cells[place - 1])
            or rows[place].arch == rows[place - 1].arch
            for place in range(len(rows))
        ]
        named, cells = list(compress(named, alone)), list(compress(cells, alone))
    shown = [
        GroupColumn(
            column.title,
            [line[place] for line in cells],
            column.is_number,
            shorter if place == arch else (),
        )
        for place, column in enumerate(columns)
    ]
    return GroupedTable(
        "Kernel", named, shown, if_there_is_room, stays, LAST, CURE, (BLOCKS,), IF_SHORTENED, IF_WHOLE
    )


def _cell(column: Column, row: ScanRow) -> Cell:
    text = column.cell(row)
    return graded(text, row.occupancy) if column.fields == ("occupancy",) else text


def joined(named: Sequence[object], cells: Sequence[Sequence[object]], arch: int) -> list[list[int]]:
    """The numbers of neighbours of one group that differ in their architecture alone; those are one row.

    Args:
        named: The group of each line.
        cells: What each says.
        arch: The place of the architecture among the cells.
    """
    found: list[list[int]] = []
    for place, (name, line) in enumerate(zip(named, cells, strict=True)):
        before = found[-1][0] if found else None
        is_alike = before is not None and named[before] == name
        if is_alike and _without(cells[found[-1][0]], arch) == _without(line, arch):
            found[-1].append(place)
        else:
            found.append([place])
    return found


def _without(line: Sequence[object], place: int) -> list[object]:
    return [*line[:place], *line[place + 1 :]]
