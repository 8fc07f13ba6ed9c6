"""A picture of answers for arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from ..errors import InputError
from ..render import words
from ..render.answers import heat_map
from ..render.charts import Axis, Curves, Picture, Scale, scale
from .values import Integers

if TYPE_CHECKING:
    from .answers import Sweep

MOST_VALUES = 100_000


def picture_of(sweep: Sweep) -> Picture:
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
        f"{words.count(len(varying(sweep)), 'input')} varied on {words.count(count, 'chip')}",
        where="plot",
        cure=f"One picture for each chip: sweep({sweep.names[0]!r}, ...).plot()."
        if is_a_map
        else "Vary one input on any number of chips, or two on one chip, each along a dimension of its own.",
    )


def varying(sweep: Sweep) -> dict[str, Integers]:
    """The inputs with more than one value, in the order of the dimensions along which they vary."""
    several = {name: values for name, values in sweep.inputs.items() if values.size > 1}
    return dict(sorted(several.items(), key=lambda each: _place(each[1], len(sweep.shape))))


def axes_of(sweep: Sweep) -> list[Axis] | None:
    """An axis for each input that varies.

    None where several of them do not have a dimension each, or where there is too much for a picture.
    """
    several = varying(sweep)
    answers = prod(values.size for values in several.values()) * len(sweep.names)
    has_own = len(several) < 2 or all(values.size == max(values.shape) for values in several.values())
    if answers != prod(sweep.shape) or answers > MOST_VALUES or not has_own:
        return None
    return [Axis(scale(name), [int(each) for each in values.flat]) for name, values in several.items()]


def _fixed(sweep: Sweep) -> list[str]:
    """The inputs that do not vary: ``40 registers per thread``."""
    return [
        scale(name).given(int(values.flat[0])) for name, values in sweep.inputs.items() if values.size == 1
    ]


def chip_scale(sweep: Sweep) -> Scale:
    """How the chips are told apart: by compute capability, or by other names."""
    ccs = tuple(str(each.compute_capability) for each in sweep.limits)
    return scale("cc" if sweep.names == ccs else "gpu")


def about(sweep: Sweep) -> str:
    """What does not vary: ``compute capability 9.0, 256 threads per block``."""
    chip = [chip_scale(sweep).given(sweep.names[0])] if len(sweep.names) == 1 else []
    return ", ".join([*chip, *_fixed(sweep)])


def _title(axes: Sequence[Axis], sweep: Sweep) -> str:
    """What varies, then what does not."""
    return f"Occupancy by {words.listing([axis.scale.name for axis in axes])}\n{about(sweep)}".rstrip()


def _place(values: Integers, dimensions: int) -> int:
    """The dimension of the answers along which an input varies; arrays align at their last one."""
    longest = max(range(values.ndim), key=lambda axis: values.shape[axis])
    return longest + dimensions - values.ndim
