"""Answers for arrays as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from ..render import words
from ..render.answers import answer_cells, charts_of
from ..render.charts import Axis, Scale, scale
from ..render.document import Block, Column, Document, KeyValues, Marked, Paragraph, Table, Together
from ..values.resources import Limiter, Output, Resource
from .picture import about, axes_of, chip_scale, varying
from .values import Integers

if TYPE_CHECKING:
    from .answers import Sweep

MOST_AXES = 2
MOST_ROWS = 60
"""Rows of a table over one input, and of the best of all chips."""
BEST = 10
"""Of a chip."""
LIMITERS = 12
"""Characters in which the limiters can be read."""
OF_THE_BEST = (
    Column("Occ."),
    Column("Warps"),
    Column("Blocks"),
    Column("Limited by", is_number=False, least=LIMITERS),
)
TIES = "those with the most registers come first, each with the most shared memory"


class OneAnswer(NamedTuple):
    """One of the answers."""

    active_blocks: int
    active_warps: int
    occupancy: float
    limiters: tuple[Resource, ...]


def document_of(sweep: Sweep, arrays: Mapping[Output, Integers]) -> Document:
    """What the command prints over one or two inputs, of which the chips are one; else the best answers.

    Args:
        sweep: The answers.
        arrays: Output -> the answers for it; where one is missing, nothing is said but what was asked.
    """
    is_whole = len(arrays) == len(get_args(Output))
    axes = axes_of(sweep) if is_whole else None
    chips = chip_scale(sweep)
    if axes is not None and len(sweep.names) > 1:
        axes = [Axis(chips, sweep.names), *axes]
    if axes and len(axes) <= MOST_AXES:
        heading = Marked(f"Occupancy by {words.listing([axis.scale.title for axis in axes])}", "strong")
        drawn = charts_of(axes, list(_answers(sweep, arrays)))
        return (
            Together((Paragraph(heading), Paragraph(about(sweep)))),
            *(part for block in drawn for part in _cut(block)),
        )
    return (_asked(sweep, chips), *(_best(sweep) if is_whole else ()))


def _answers(sweep: Sweep, arrays: Mapping[Output, Integers]) -> Iterator[OneAnswer]:
    """All answers, the chips changing slowest."""
    count = len(sweep.limits)
    columns = [arrays[name].reshape(count, -1) for name in ("active_blocks", "active_warps", "limiters")]
    for limits, *lines in zip(sweep.limits, *columns, strict=True):
        for blocks, warps, bits in zip(*(line.tolist() for line in lines), strict=True):
            share = warps / limits.max_warps_per_multiprocessor
            yield OneAnswer(blocks, warps, share, Limiter(bits).resources)


def _cut(block: Block) -> Iterator[Block]:
    if not isinstance(block, Table) or len(block.rows) <= MOST_ROWS:
        yield block
        return
    yield block._replace(rows=block.rows[:MOST_ROWS])
    yield Paragraph(f"{len(block.rows) - MOST_ROWS:,} more rows are left out.")


def _asked(sweep: Sweep, chips: Scale) -> Block:
    """The shape of the arrays, and the values of each input."""
    lines = [
        ("Shape", " x ".join(f"{each:,}" for each in sweep.shape) or "a single answer"),
        (chips.header, ", ".join(sweep.names)),
    ]
    several = varying(sweep)
    for name, values in sweep.inputs.items():
        its = scale(name)
        low, high = its.alone(int(values.min())), its.alone(int(values.max()))
        text = f"{values.size:,} values, {low} to {high}" if name in several else low
        lines.append((its.name[0].upper() + its.name[1:], text))
    return KeyValues(lines)


def _best(sweep: Sweep) -> Iterator[Block]:
    """The best answers of each chip."""
    several = len(sweep.names) > 1
    rows = sweep.best(max(1, min(BEST, MOST_ROWS // len(sweep.names))))
    for chip, name in enumerate(sweep.names):
        its = [row for row in rows if not several or row["index"][0] == chip]
        shares = sweep.occupancy[chip] if several else sweep.occupancy
        of_chip = [f"{name}: "] if several else []
        if not its:
            yield Paragraph([*of_chip, "None of them launches."])
            continue
        as_high = int(np.count_nonzero(shares == shares.max()))
        title: list[str | Marked] = [
            *of_chip,
            Marked(f"The highest occupancy is {words.percent(its[0]['occupancy'])}", "strong"),
            f", in {as_high:,} of {shares.size:,} answers",
        ]
        if as_high > 1 and chip == 0:
            title.append(f"; {TIES}")
        yield Together((Paragraph(title), _table(sweep, its)))


def _table(sweep: Sweep, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows of one chip: what varies, and the answers."""
    inputs = {name: scale(name) for name in sweep.inputs if name in varying(sweep)}
    headers = [words.name(each).capitalize().replace(" ", "\n") for each in inputs]  # room for the limiters
    lines = []
    for row in rows:
        answer = OneAnswer(row["active_blocks"], row["active_warps"], row["occupancy"], row["limiters"])
        given = (its.alone(row[name]) for name, its in inputs.items())
        *numbers, _ = answer_cells(answer)
        lines.append((*given, *numbers, words.short_names(answer.limiters)))
    return Table((*map(Column, headers), *OF_THE_BEST), lines)
