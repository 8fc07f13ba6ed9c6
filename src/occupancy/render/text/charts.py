"""Charts of block characters, which every terminal and every mail shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from .. import words
from ..charts import BarChart, Chart, HeatMap, StepChart, ticks
from .heat_map import heat_map, thinned

ROWS = 8
EIGHTHS = " ▁▂▃▄▅▆▇█"
GUTTER = 6
"""Columns left of the chart, for the labels of its rows and the axis."""

BAR = "blue"
MARKED_BAR = "bold cyan"

MOST_TICKS = 9
LABELS_APART = 10
QUARTERS = (0, 0.25, 0.5, 0.75, 1)


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
    if chart.has_even_steps and columns >= len(chart.steps):
        columns -= columns % len(chart.steps)

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
        for place in thinned(range(count), max(columns // LABELS_APART, 1))
    }
    shares = [chart.shares[column * count // columns] for column in range(columns)]
    return ColumnChart(shares, {share: words.percent(share) for share in QUARTERS}, labels)


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
