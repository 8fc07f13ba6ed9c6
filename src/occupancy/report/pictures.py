"""Pictures of occupancy as data: step plots, heat maps and bars; `render.pictures` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..values.fields import FIELDS
from ..values.numbers import join_and, size

Value = int | str
"""A value along an axis: threads, registers, bytes, or text as it was given."""

LABELS = {name: field.label for name, field in FIELDS.items()} | {"gpu": "GPU", "cc": "compute capability"}
"""Varied input -> its label along an axis."""


class StepPlot(NamedTuple):
    """The occupancy over one input, with a curve for each GPU.

    A value between two others has the occupancy of the larger one, because resources are rounded up.
    """

    input: str
    values: Sequence[int]
    curves: Mapping[str, Sequence[float]]
    """Name -> occupancy, 0 to 1, at each value; the name of a single curve may be empty."""
    marks: Sequence[int] = ()
    """Values at which to draw a line, with the occupancy of each curve."""


class HeatMap(NamedTuple):
    """The occupancy over two inputs."""

    inputs: tuple[str, str]
    """The input downwards, and the one to the right."""
    rows: Sequence[Value]
    columns: Sequence[Value]
    shares: Sequence[Sequence[float]]
    marks_best: bool = False


class Bars(NamedTuple):
    """A bar for each name."""

    names: Sequence[str]
    shares: Sequence[float]
    marks_best: bool = False


Plot = StepPlot | HeatMap | Bars


class Picture(NamedTuple):
    """Plots side by side under a title."""

    title: str
    plots: Sequence[Plot]


def title(varied: Sequence[str], fixed: Mapping[str, Value], own: str | None = None) -> str:
    """Return the title of a picture: its own or the inputs that vary, and below it those that do not."""
    names = join_and([LABELS[name] for name in varied])
    given = ", ".join(describe(name, value) for name, value in fixed.items())
    return f"{own or f'Occupancy by {names}'}\n{given}".rstrip()


def describe(name: str, value: Value) -> str:
    """Return a value with its input: ``256 threads per block``, ``compute capability 9.0``."""
    text, label = value_text(name, value), LABELS[name]
    if name == "gpu":
        return text
    if is_size(name) or name == "tensor_memory":
        return f"{text}{'' if is_size(name) else ' columns'} of {label}"
    if " per " not in label:
        return f"{label} {text}"
    return f"{text} {label.replace('s per', ' per') if text == '1' else label}"


def value_text(name: str, value: Value) -> str:
    """Return a value of an input as text, sizes with their unit."""
    if isinstance(value, int):
        return size(value) if is_size(name) else f"{value:,}"
    return value


def tick(name: str, value: Value) -> str:
    """Return a value of an input below its title, sizes in KiB."""
    return f"{value / 1024:,.5g}" if isinstance(value, int) and is_size(name) else value_text(name, value)


def title_of(name: str, *, short: bool = False) -> str:
    """Return the title of an axis, or the short one of a column, with the unit of sizes."""
    text = LABELS[name].partition(" per ")[0] if short else LABELS[name]
    return f"{text[0].upper()}{text[1:]}{' (KiB)' if is_size(name) else ''}"


def is_size(name: str) -> bool:
    return name in FIELDS and FIELDS[name].kind == "size"
