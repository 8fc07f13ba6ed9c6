"""Charts of block characters, which every terminal and every mail shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

ROWS = 8
EIGHTHS = " ▁▂▃▄▅▆▇█"
GUTTER = 6
"""Columns left of the chart, for the labels of its rows and the axis."""

BAR = "blue"
MARKED_BAR = "bold cyan"


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
