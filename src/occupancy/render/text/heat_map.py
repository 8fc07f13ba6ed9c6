"""A heat map of characters: percentages where there is room for them, else shades."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby
from math import ceil

from rich.text import Text

from .. import words
from ..charts import HeatMap

MOST_ROWS = 40
NUMBER_WIDTH = 5
"""Of a cell with a percentage, and a space before it."""
MOST_SHADE_WIDTH = 3
SHADES = {0.75: "█", 0.5: "▓", 0.25: "▒", 0: "░", -1: " "}
"""Shade of what is above an occupancy."""

NUMBERS_LEGEND = "-  does not fit"
SHADES_LEGEND = "█ over 75%   ▓ over 50%   ▒ over 25%   ░ less   blank: does not fit"


def heat_map(chart: HeatMap, width: int) -> Iterator[Text]:
    """The first axis downwards, the second to the right; neighbours that are alike share a place."""
    down, across, lines = chart
    rows = _runs(len(lines), lambda row: tuple(lines[row]))
    columns = _runs(len(lines[0]), lambda column: tuple(line[column] for line in lines))
    row_labels = [down.label(row[0], row[-1], "-") for row in rows]
    column_labels = [across.label(column[0], column[-1], "-") for column in columns]
    gutter = max(map(len, row_labels)) + 1
    room = width - gutter
    cell_width, has_numbers = _cell_width(column_labels, room)
    row_places = thinned(range(len(rows)), MOST_ROWS)
    column_places = thinned(range(len(columns)), max(room // cell_width, 1))

    yield Text(f"{down.scale.title} downwards, {across.scale.title} to the right")
    yield Text()
    yield Text(" " * gutter + _header([column_labels[place] for place in column_places], cell_width))
    for row in row_places:
        line = Text(row_labels[row].rjust(gutter - 1) + " ")
        for column in column_places:
            share = lines[rows[row].start][columns[column].start]
            text = _number(share).rjust(cell_width) if has_numbers else _shade(share) * cell_width
            line.append(text, style=_color(share))
        yield line
    if not has_numbers or any(0 in line for line in lines):
        yield from (Text(), Text(NUMBERS_LEGEND if has_numbers else SHADES_LEGEND))
    left_out = len(rows) * len(columns) - len(row_places) * len(column_places)
    if left_out:
        yield Text(f"{left_out:,} of {len(rows) * len(columns):,} places are left out for want of room.")


def thinned(places: Sequence[int], most: int) -> Sequence[int]:
    """Every so many of them, from the first on, so that there are no more than so many."""
    return places[:: ceil(len(places) / most)]


def _runs(count: int, key: Callable[[int], Hashable]) -> list[range]:
    """Neighbours with the same key."""
    runs = []
    for _, group in groupby(range(count), key):
        places = list(group)
        runs.append(range(places[0], places[-1] + 1))
    return runs


def _cell_width(labels: list[str], room: int) -> tuple[int, bool]:
    """Characters of a cell, and whether percentages fit into it."""
    for width in (max(NUMBER_WIDTH, *(len(label) + 1 for label in labels)), NUMBER_WIDTH):
        if len(labels) * width <= room:
            return width, True
    return min(max(room // len(labels), 1), MOST_SHADE_WIDTH), False


def _header(labels: list[str], cell_width: int) -> str:
    if max(map(len, labels)) < cell_width:
        return "".join(label.rjust(cell_width) for label in labels)
    apart = ceil((max(map(len, labels)) + 1) / cell_width)
    return "".join(label.ljust(cell_width * apart) for label in labels[::apart]).rstrip()


def _number(share: float) -> str:
    return words.whole_percent(share) if share else "-"


def _shade(share: float) -> str:
    return next(shade for above, shade in SHADES.items() if share > above)


def _color(share: float) -> str:
    if share == 0:
        return "red"
    return "green" if share > 0.5 else "yellow"
