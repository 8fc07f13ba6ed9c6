"""The table of kernels, in which what is the same for several architectures is one row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from ..builds.scanner import ScanRow
from ..render.document import Cell, GroupColumn, GroupedTable, GroupRow, graded
from .name_words import IF_SHORTENED, short_name
from .scan_columns import ARCH, BLOCKS, LAST, Column

MOST_LISTED = 2
"""Architectures of a row; of more, the first and the last are named."""


def table_of(
    rows: Sequence[ScanRow],
    columns: Sequence[Column],
    if_there_is_room: Sequence[str],
    stays: Sequence[str],
    cure: str,
) -> GroupedTable:
    """Under each kernel's name a row for each architecture, or launch, that differs in what is shown.

    Args:
        rows: The kernels; those of one group stand together.
        columns: What is shown of them.
        if_there_is_room: The titles of the columns that may be left out, the most useful first.
        stays: Those of them that then stand below.
        cure: How to see those.
    """
    cells = [[_cell(column, row) for column in columns] for row in rows]
    arch = next((place for place, column in enumerate(columns) if column.title == ARCH), None)
    named = [GroupRow(row.group, short_name(row)) for row in rows]
    if arch is not None:
        named, cells = _joined(named, cells, arch)
    else:  # another architecture is no other row where it is not shown
        alone = [
            place == 0
            or (named[place], cells[place]) != (named[place - 1], cells[place - 1])
            or rows[place].arch == rows[place - 1].arch
            for place in range(len(rows))
        ]
        named, cells = list(compress(named, alone)), list(compress(cells, alone))
    shown = [
        GroupColumn(column.title, [line[place] for line in cells], column.is_number)
        for place, column in enumerate(columns)
    ]
    return GroupedTable("Kernel", named, shown, if_there_is_room, stays, LAST, cure, (BLOCKS,), IF_SHORTENED)


def _cell(column: Column, row: ScanRow) -> Cell:
    text = column.cell(row)
    return graded(text, row.occupancy) if column.fields == ("occupancy",) else text


def _joined(
    named: Sequence[GroupRow], cells: Sequence[list[Cell]], arch: int
) -> tuple[list[GroupRow], list[list[Cell]]]:
    """Neighbours of one group that differ in their architecture alone, as one row."""
    rows: list[tuple[GroupRow, list[Cell], list[Cell]]] = []
    for name, line in zip(named, cells, strict=True):
        if rows and rows[-1][0] == name and _without(rows[-1][1], arch) == _without(line, arch):
            rows[-1][2].append(line[arch])
        else:
            rows.append((name, line, [line[arch]]))
    for _, line, archs in rows:
        known = list(dict.fromkeys(map(str, archs)))
        line[arch] = ", ".join(known) if len(known) <= MOST_LISTED else f"{known[0]} to {known[-1]}"
    return [name for name, *_ in rows], [line for _, line, _ in rows]


def _without(line: Sequence[Cell], place: int) -> list[Cell]:
    return [*line[:place], *line[place + 1 :]]
