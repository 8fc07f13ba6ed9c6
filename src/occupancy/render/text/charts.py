"""Charts of block characters, which every terminal and every mail shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, gcd

from rich.text import Text

from .. import words
from ..charts import (
    NUMBERS_LEGEND,
    Axis,
    BarChart,
    Chart,
    HeatMap,
    StepChart,
    left_out,
    thinned,
    ticks,
    whole_share,
)

ROWS = 8
EIGHTHS = " ▁▂▃▄▅▆▇█"
GUTTER = 6
"""Columns left of the chart, for the labels of its rows and the axis."""

BAR = "blue"
MARKED_BAR = "bold cyan"

MOST_TICKS = 9
LABELS_APART = 10
QUARTERS = (0, 0.25, 0.5, 0.75, 1)

MOST_ROWS = 40
NUMBER_WIDTH = 5
"""Of a cell with a percentage, and a space before it."""
MOST_SHADE_WIDTH = 3
SHADES = {0.75: "█", 0.5: "▓", 0.25: "▒", 0: "░", -1: " "}
"""Shade of what is above an occupancy."""

GRADIENT = {
    1.0: "color(40)", 0.75: "color(76)", 0.5: "color(112)", 0.375: "color(184)", 0.25: "color(220)",
    0.125: "color(214)", 1e-9: "color(208)", 0: "red",
}  # fmt: skip
"""Colour of what is at least an occupancy: greens from 50% on, as of a verdict; red does not fit."""

SHADES_LEGEND = "█ over 75%   ▓ over 50%   ▒ over 25%   ░ less   blank: does not fit"


def chart(block: Chart, width: int) -> Iterator[Text]:
    """A chart as lines, as wide as the terminal."""
    room = max(width - GUTTER - 1, 1)
    if isinstance(block, HeatMap):
        yield from heat_map(block, width)
    elif isinstance(block, BarChart):
        yield from _bars(block, room).lines()
    else:
        yield Text(block.title, style="bold")
        yield from _steps(block, room).lines()
        yield Text(" " * GUTTER + block.caption)


def _steps(chart: StepChart, columns: int) -> ColumnChart:
    first, span = chart.first, chart.last - chart.first + 1
    if chart.has_even_steps:
        # What neighbours have in common is one step of them all: 32 threads.
        units = span // gcd(*(step.last - step.first + 1 for step in chart.steps))
        columns -= columns % units if columns >= units else 0

    def column_of(value: int) -> int:
        return min(max((value - first) * columns // span, 0), columns - 1)

    steps = iter(chart.steps)
    step = next(steps)
    heights = []
    for column in range(columns):
        value = first + (column + 1) * span // columns - 1
        while step.last < value:
            step = next(steps)
        heights.append(step.height)
    marked = None if chart.now is None else column_of(chart.now.value)
    if chart.now is not None and marked is not None:
        heights[marked] = chart.now.height
    labels = {column_of(tick): chart.scale.label(tick) for tick in ticks(chart.first, chart.last, MOST_TICKS)}
    quarters = {share: str(round(share * chart.highest)) for share in QUARTERS}
    return ColumnChart([each / chart.highest for each in heights], quarters, labels, marked)


def _bars(chart: BarChart, columns: int) -> ColumnChart:
    count = len(chart.shares)
    if columns >= count:
        columns -= columns % count
    labels = {
        place * columns // count: chart.axis.scale.label(chart.axis.values[place])
        for place in _round_places(chart.axis, max(columns // LABELS_APART, 1))
    }
    shares = [chart.shares[column * count // columns] for column in range(columns)]
    return ColumnChart(shares, {share: words.percent(share) for share in QUARTERS}, labels)


def _round_places(axis: Axis, most: int) -> Sequence[int]:
    """Where along an axis the round values are; if it has few of them, places as far apart as others."""
    numbers = {value: place for place, value in enumerate(axis.values) if isinstance(value, int)}
    if numbers:
        found = [numbers[tick] for tick in ticks(min(numbers), max(numbers), most) if tick in numbers]
        if len(found) > most // 2:
            return sorted(found)
    return thinned(range(len(axis.values)), most)


@dataclass(frozen=True)
class ColumnChart:
    """Columns side by side, each of one character.

    Args:
        heights: Of each column, 0 to 1.
        row_labels: Height (0 to 1) -> what to write there.
        labels: Column -> what to write below it.
        marked: The column to point at, if any.
    """

    heights: Sequence[float]
    row_labels: Mapping[float, str]
    labels: Mapping[int, str]
    marked: int | None = None

    def lines(self) -> list[Text]:
        """The chart, its axis, and the labels below."""
        labels = {round((1 - height) * ROWS): label for height, label in self.row_labels.items()}
        lines = [self._row(row, labels.get(row, "")) for row in range(ROWS)]
        lines.append(Text(f"{labels.get(ROWS, ''):>{GUTTER - 2}} └" + "─" * len(self.heights)))
        lines.append(Text(" " * GUTTER + self._labels()))
        if self.marked is not None:
            lines.insert(-1, Text(" " * (GUTTER + self.marked) + "▲", style=MARKED_BAR))
        return lines

    def _row(self, row: int, label: str) -> Text:
        line = Text(f"{label:>{GUTTER - 2}} {'┤' if label else '│'}")
        for column, height in enumerate(self.heights):
            eighths = round(height * ROWS * 8) - (ROWS - 1 - row) * 8
            style = MARKED_BAR if column == self.marked else BAR
            line.append(EIGHTHS[min(max(eighths, 0), 8)], style=style)
        return line

    def _labels(self) -> str:
        line = ""
        for column, label in sorted(self.labels.items()):
            # Centred below its column, but not beyond the end, and not into its neighbour.
            start = min(max(column - len(label) // 2, 0), len(self.heights) - len(label))
            if not line or start > len(line):
                line = line.ljust(start) + label
        return line


def heat_map(chart: HeatMap, width: int) -> Iterator[Text]:
    """The first axis downwards, the second to the right; neighbours that are alike share a place."""
    lines = chart.lines
    rows, columns = chart.places()
    row_labels, column_labels = chart.labels(rows, columns)
    gutter = max(map(len, row_labels)) + 1
    room = width - gutter
    cell_width, has_numbers = _cell_width(column_labels, room)
    row_places = thinned(range(len(rows)), MOST_ROWS)
    column_places = thinned(range(len(columns)), max(room // cell_width, 1))

    yield Text(chart.directions)
    yield Text()
    yield Text(" " * gutter + _header([column_labels[place] for place in column_places], cell_width))
    for row in row_places:
        line = Text(row_labels[row].rjust(gutter - 1) + " ")
        for column in column_places:
            share = lines[rows[row].start][columns[column].start]
            text = whole_share(share).rjust(cell_width) if has_numbers else _shade(share) * cell_width
            line.append(text, style=_color(share))
        yield line
    if not has_numbers or any(0 in line for line in lines):
        yield from (Text(), Text(NUMBERS_LEGEND if has_numbers else SHADES_LEGEND))
    if more := left_out(len(rows) * len(columns), len(row_places) * len(column_places)):
        yield Text(more)


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


def _shade(share: float) -> str:
    return next(shade for above, shade in SHADES.items() if share > above)


def _color(share: float) -> str:
    return next(color for above, color in GRADIENT.items() if share >= above)
