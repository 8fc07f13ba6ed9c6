"""Pictures of occupancy as data: step plots and heat maps; `render.pictures` draws them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..values.numbers import join_and
from .words import LABELS, Value, input_text, is_size, value_text


class StepPlot(NamedTuple):
    """The occupancy over one input for each GPU; a value between two others has that of the larger one."""

    input: str
    values: Sequence[int]
    curves: Mapping[str, Sequence[float]]
    """Name -> occupancy, 0 to 1, at each value; the name of a single curve may be empty."""
    marks: Sequence[int] = ()
    """Values at which to draw a line, with the occupancy of each curve."""


class HeatMap(NamedTuple):
    """The occupancy over two inputs, of which one can be the GPU."""

    inputs: tuple[str, str]
    """The input downwards, and the one to the right."""
    rows: Sequence[Value]
    columns: Sequence[Value]
    shares: Sequence[Sequence[float]]
    marks_best: bool = False


Plot = StepPlot | HeatMap


class Picture(NamedTuple):
    """Plots side by side under a title."""

    title: str
    plots: Sequence[Plot]


def best_marks(values: Sequence[int], curves: Iterable[Sequence[float]]) -> list[int]:
    """Return the values at which each curve has its highest occupancy, of neighbors the last."""
    marks = []
    for shares in curves:
        best = max(shares)
        ends = zip(values, shares, (*shares[1:], 0.0), strict=True)
        marks += [value for value, share, following in ends if share == best > following]
    return sorted(set(marks))


def picture_title(varied: Sequence[str], fixed: Mapping[str, Value], own: str | None = None) -> str:
    """Return the title of a picture: its own or the inputs that vary, and below it those that do not."""
    names = join_and([LABELS[name] for name in varied])
    given = ", ".join(input_text(name, value) for name, value in fixed.items())
    return f"{own or f'Occupancy by {names}'}\n{given[:1].upper()}{given[1:]}".rstrip()


def axis_title(name: str, *, short: bool = False) -> str:
    """Return the title of an axis, or the short one of a column, with the unit of sizes."""
    text = LABELS[name].partition(" per ")[0] if short else LABELS[name]
    return f"{text[0].upper()}{text[1:]}{' (KiB)' if is_size(name) else ''}"


def axis_value(name: str, value: Value) -> str:
    """Return a value of an input below its title, sizes in KiB."""
    return f"{value / 1024:,.5g}" if isinstance(value, int) and is_size(name) else value_text(name, value)
