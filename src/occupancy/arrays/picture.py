"""A picture of answers for arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from ..render import words
from ..render.charts import Axis, Curves, HeatMap, Picture, scale
from .values import Integers

if TYPE_CHECKING:
    from .answers import Sweep

MOST_VALUES = 100_000


def picture_of(sweep: Sweep) -> Picture:
    """A curve for each chip over the input that varies; a heat map of one chip over two.

    Raises:
        InputError: Nothing varies, or too much.
    """
    arrays = {name: np.asarray(values) for name, values in sweep.inputs.items()}
    varying = {name: values for name, values in arrays.items() if values.size > 1}
    axes = {name: Axis(scale(name), [int(each) for each in values.flat]) for name, values in varying.items()}
    shares, count = sweep.occupancy, len(sweep.names)
    if len(axes) == 1:
        (axis,) = axes.values()
        lines = shares.reshape(count, -1)
        if lines.shape[1] == len(axis.values) <= MOST_VALUES:
            named = [(label, line.tolist()) for label, line in zip(sweep.names, lines, strict=True)]
            return Picture(_title([axis], arrays, sweep.names), (Curves(axis, named),))
    if len(axes) == 2 and count == 1:
        down, across = (
            axes[name] for name in sorted(axes, key=lambda each: _place(arrays[each], shares.ndim))
        )
        if shares.size == len(down.values) * len(across.values) <= MOST_VALUES:
            rows = shares.reshape(len(down.values), len(across.values)).tolist()
            return Picture(_title([down, across], arrays, sweep.names), (HeatMap(down, across, rows),))
    raise InputError(
        f"{words.count(len(varying), 'input')} varied on {words.count(count, 'chip')}",
        where="plot",
        cure="Vary one input on any number of chips, or two on one chip, each along a dimension of its own.",
    )


def _title(axes: Sequence[Axis], arrays: Mapping[str, Integers], names: Sequence[str]) -> str:
    """What varies, then what does not."""
    fixed = [
        f"{scale(name).name} {scale(name).alone(int(values.flat[0]))}"
        for name, values in arrays.items()
        if values.size == 1
    ]
    about = ", ".join([*(names if len(names) == 1 else ()), *fixed])
    return f"Occupancy by {words.listing([axis.scale.name for axis in axes])}" + (
        f"\n{about}" if about else ""
    )


def _place(values: Integers, dimensions: int) -> int:
    """The dimension of the answers along which an input varies; arrays align at their last one."""
    longest = max(range(values.ndim), key=lambda axis: values.shape[axis])
    return longest + dimensions - values.ndim
