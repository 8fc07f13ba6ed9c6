"""Answers for arrays as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, get_args

from ..render import words
from ..render.answers import charts_of
from ..render.charts import Axis, Scale, scale
from ..render.document import Block, Document, KeyValues, Marked, Paragraph, Table, Together
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


class OneAnswer(NamedTuple):
    """One of the answers."""

    active_blocks: int
    active_warps: int
    occupancy: float
    limiters: tuple[Resource, ...]


def document_of(sweep: Sweep, arrays: Mapping[Output, Integers], *, in_notebook: bool = False) -> Document:
    """What the command prints over one or two inputs, of which the chips are one; else the best answers.

    Args:
        sweep: The answers.
        arrays: Output -> the answers for it; where one is missing, nothing is said but what was asked.
        in_notebook: Whether there is room for the best answers below a heat map, too.
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
            *(_best(sweep) if in_notebook and len(axes) == MOST_AXES else ()),
        )
    return (_asked(sweep, chips), *(_best(sweep) if is_whole else ()))


def _best(sweep: Sweep) -> Document:
    return sweep.best(max(1, min(BEST, MOST_ROWS // len(sweep.names)))).document()


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
