"""Answers for arrays as a person reads them: a document, and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import get_args

from ..errors import InputError
from ..render import words
from ..render.answers import charts_of, heat_map
from ..render.charts import Axis, Curves, Picture, Scale, scale
from ..render.document import Block, Document, KeyValues, Marked, Paragraph, Table, Together
from ..values.resources import Output
from .answered import Answered, OneAnswer
from .best import best_of

MOST_AXES = 2
MOST_ROWS = 60
"""Rows of a table over one input, and of the best of all chips."""
BEST = 10
"""Of a chip."""
MOST_VALUES = 100_000
"""Answers in a picture."""


def document_of(sweep: Answered, *, in_notebook: bool = False) -> Document:
    """What the command prints over one or two inputs, of which the chips are one; else the best answers.

    Args:
        sweep: The answers; where an array is missing, nothing is said but what was asked.
        in_notebook: Whether there is room for the best answers below a heat map, too.
    """
    is_whole = len(sweep.arrays) == len(get_args(Output))
    axes = axes_of(sweep) if is_whole else None
    chips = chip_scale(sweep)
    if axes is not None and len(sweep.names) > 1:
        axes = [Axis(chips, sweep.names), *axes]
    if axes and len(axes) <= MOST_AXES:
        heading = Marked(f"Occupancy by {words.listing([axis.scale.title for axis in axes])}", "strong")
        drawn = charts_of(axes, list(_answers(sweep)))
        return (
            Together((Paragraph(heading), Paragraph(about(sweep)))),
            *(part for block in drawn for part in _cut(block)),
            *(_best(sweep) if in_notebook and len(axes) == MOST_AXES else ()),
        )
    return (_asked(sweep, chips), *(_best(sweep) if is_whole else ()))


def _best(sweep: Answered) -> Document:
    return best_of(sweep, max(1, min(BEST, MOST_ROWS // len(sweep.names)))).document()


def _answers(sweep: Answered) -> Iterator[OneAnswer]:
    """All answers, the chips changing slowest."""
    count = len(sweep.limits)
    columns = [
        sweep.arrays[name].reshape(count, -1) for name in ("active_blocks", "active_warps", "limiters")
    ]
    for limits, *lines in zip(sweep.limits, *columns, strict=True):
        for blocks, warps, bits in zip(*(line.tolist() for line in lines), strict=True):
            yield OneAnswer.of(limits, blocks, warps, bits)


def _cut(block: Block) -> Iterator[Block]:
    if not isinstance(block, Table) or len(block.rows) <= MOST_ROWS:
        yield block
        return
    yield block._replace(rows=block.rows[:MOST_ROWS])
    yield Paragraph(f"{len(block.rows) - MOST_ROWS:,} more rows are left out.")


def _asked(sweep: Answered, chips: Scale) -> Block:
    """The shape of the arrays, and the values of each input."""
    lines = [
        ("Shape", " x ".join(f"{each:,}" for each in sweep.shape) or "a single answer"),
        (chips.header, ", ".join(sweep.names)),
    ]
    several = sweep.varying()
    for name, values in sweep.inputs.items():
        its = scale(name)
        low, high = its.alone(int(values.min())), its.alone(int(values.max()))
        text = f"{values.size:,} values, {low} to {high}" if name in several else low
        lines.append((its.name[0].upper() + its.name[1:], text))
    return KeyValues(lines)


def picture_of(sweep: Answered) -> Picture:
    """A curve for each chip over the input that varies; a heat map of one chip over two.

    Raises:
        InputError: Nothing varies, or too much.
    """
    axes, count = axes_of(sweep), len(sweep.names)
    shares = sweep.occupancy
    if axes and len(axes) == 1:
        lines = shares.reshape(count, -1).tolist()
        named = list(zip(sweep.names if count > 1 else [""], lines, strict=True))  # one is in the title
        return Picture(_title(axes, sweep), (Curves(axes[0], named),))
    if axes and len(axes) == 2 and count == 1:
        return Picture(_title(axes, sweep), (heat_map(axes, shares.reshape(-1).tolist()),))
    is_a_map = axes is not None and len(axes) == 2
    raise InputError(
        f"{words.count(len(sweep.varying()), 'input')} varied on {words.count(count, 'chip')}",
        where="plot",
        hint=f"One picture for each chip: sweep({sweep.names[0]!r}, ...).plot()."
        if is_a_map
        else "Vary one input on any number of chips, or two on one chip, each along a dimension of its own.",
    )


def axes_of(sweep: Answered) -> list[Axis] | None:
    """An axis for each input that varies.

    None where several of them do not have a dimension each, or where there is too much for a picture.
    """
    several = sweep.varying()
    answers = prod(values.size for values in several.values()) * len(sweep.names)
    has_own = len(several) < 2 or all(values.size == max(values.shape) for values in several.values())
    if answers != prod(sweep.shape) or answers > MOST_VALUES or not has_own:
        return None
    return [Axis(scale(name), [int(each) for each in values.flat]) for name, values in several.items()]


def _fixed(sweep: Answered) -> list[str]:
    """The inputs that do not vary: ``40 registers per thread``."""
    return [
        scale(name).given(int(values.flat[0])) for name, values in sweep.inputs.items() if values.size == 1
    ]


def chip_scale(sweep: Answered) -> Scale:
    """How the chips are told apart: by compute capability, or by other names."""
    ccs = tuple(str(each.compute_capability) for each in sweep.limits)
    return scale("cc" if sweep.names == ccs else "gpu")


def about(sweep: Answered) -> str:
    """What does not vary: ``compute capability 9.0, 256 threads per block``."""
    chip = [chip_scale(sweep).given(sweep.names[0])] if len(sweep.names) == 1 else []
    return ", ".join([*chip, *_fixed(sweep)])


def _title(axes: Sequence[Axis], sweep: Answered) -> str:
    """What varies, then what does not."""
    return f"Occupancy by {words.listing([axis.scale.name for axis in axes])}\n{about(sweep)}".rstrip()
