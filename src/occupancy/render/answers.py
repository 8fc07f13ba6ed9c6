"""Answers over the values of an input or two: a chart or a heat map, and a row for each with its limiters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from ..values.resources import Resource
from . import words
from .charts import Axis, BarChart, HeatMap
from .document import Block, Column, Table

ANSWER = (
    Column("Occupancy", cuts=True),
    Column("Warps", cuts=True),
    Column("Blocks", cuts=True),
    Column("Limited by", is_number=False, least=0, cuts=True),
)
"""The columns of an answer."""

BAR_WIDTH = 8
COMFORTABLE_WIDTH = 76
"""Columns of a terminal in which the columns of the answers may stand apart."""
FEWEST_IN_A_CHART = 3


class HasAnswer(Protocol):
    """What stands under `ANSWER`."""

    @property
    def active_blocks(self) -> int: ...

    @property
    def active_warps(self) -> int: ...

    @property
    def occupancy(self) -> float: ...

    @property
    def limiters(self) -> tuple[Resource, ...]: ...


def answer_cells(answer: HasAnswer) -> tuple[str, str, str, str]:
    """The texts under `ANSWER`."""
    return (
        words.percent(answer.occupancy),
        str(answer.active_warps),
        str(answer.active_blocks),
        words.listing([words.name(limiter) for limiter in answer.limiters]),
    )


def charts_of(axes: Sequence[Axis], answers: Sequence[HasAnswer]) -> tuple[Block, ...]:
    """For a terminal: a chart for numbers, bars for anything else, then what limits each answer; over two
    axes, of which the second changes faster, a heat map.
    """
    shares = [each.occupancy for each in answers]
    if len(axes) == 2:
        return (heat_map(axes, shares),)
    (axis,) = axes
    if axis.is_numeric and len(axis.values) >= FEWEST_IN_A_CHART:
        return BarChart(axis, shares), _runs(axis, answers, with_bars=False)
    return (_runs(axis, answers, with_bars=True),)


def heat_map(axes: Sequence[Axis], shares: Sequence[float]) -> HeatMap:
    """The occupancy for each combination of two axes, of which the second changes faster."""
    down, across = axes
    length = len(across.values)
    lines = [shares[start : start + length] for start in range(0, len(shares), length)]
    return HeatMap(down, across, lines)


def _runs(axis: Axis, answers: Sequence[HasAnswer], *, with_bars: bool) -> Table:
    """A row for each run of neighbours with the same answer, and for each chip: others lie between two."""
    *numbers, limited_by = ANSWER
    bars = [Column("", is_number=False, cuts=True, mark="drawn")] if with_bars else []
    rows = []
    last = -1
    is_numeric = axis.is_numeric  # looks at all values
    keys = ((answer_cells(each), each.occupancy, is_numeric or at) for at, each in enumerate(answers))
    for _, run in groupby(zip(keys, answers, strict=True), lambda each: each[0]):
        answer, *others = (each for _, each in run)
        first, last = last + 1, last + 1 + len(others)
        *texts, limiters = answer_cells(answer)
        bar = ["█" * round(answer.occupancy * BAR_WIDTH)] if with_bars else []
        rows.append((axis.label(first, last, " to "), *texts, *bar, limiters))
    columns = (Column(axis.scale.header, is_number=False, cuts=True), *numbers, *bars, limited_by)
    return Table(columns, rows, splits=False, comfortable=COMFORTABLE_WIDTH, gaps=(3, 1))
