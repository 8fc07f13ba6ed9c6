"""Every combination of some inputs on some chips: the distinct answers, and which of them each has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Model
from ..values.kernel import Kernel
from ..values.limits import Limits
from .answered import OneAnswer
from .answers import Sweep, sweep_arrays

CARVEOUT = "carveout"
_BITS = 16
"""In which the number of a chip, the limiters, the warps and the blocks of an answer have room."""


def grid_answers(
    chips: Sequence[Limits], axes: Mapping[str, Sequence[Any]], common: Sequence[Kernel], model: Model | None
) -> tuple[list[OneAnswer], list[int]]:
    """The distinct answers, and for each combination the place of its own among them.

    Args:
        chips: The SMs, which change slowest.
        axes: Field of `Kernel` -> its values, numbers but for the carveout; the last field changes fastest.
        common: A kernel with the other settings for each carveout; just one where none was given.
        model: Whose answers, which must be those of CUDA.

    Raises:
        InputError: What a chip does not offer.
    """
    arrays = _crossed({name: values for name, values in axes.items() if name != CARVEOUT})
    names = list(arrays)
    place = list(axes).index(CARVEOUT) if CARVEOUT in axes else 0
    shape = [len(axes[name]) for name in names]
    codes = np.empty((len(chips), len(common), *shape), np.int64)
    for number, limits in enumerate(chips):
        for index, kernel in enumerate(common):
            found = sweep_arrays([limits], arrays, kernel, model)
            code = found.active_blocks.astype(np.int64)
            for part in (found.active_warps, found.limiters, number):
                code <<= _BITS
                code |= part
            codes[number, index] = code
    distinct, places = np.unique(np.moveaxis(codes, 1, place + 1), return_inverse=True)
    low = (1 << _BITS) - 1
    answers = [
        OneAnswer.of(chips[code & low], code >> 3 * _BITS, code >> 2 * _BITS & low, code >> _BITS & low)
        for code in distinct.tolist()
    ]
    return answers, places.ravel().tolist()


def grid_sweep(
    chips: Sequence[Limits],
    names: Sequence[str],
    axes: Mapping[str, Sequence[int]],
    common: Kernel,
    model: Model | None,
) -> Sweep:
    """All combinations as arrays, the first dimension that of the chips where there are several.

    Args:
        chips: The SMs.
        names: What each is called.
        axes: Field of `Kernel` -> its values.
        common: A kernel with the other settings.
        model: Whose answers.

    Raises:
        InputError: What a chip does not offer.
    """
    return sweep_arrays(chips, _crossed(axes), common, model, has_chip_axis=len(chips) > 1, names=names)


def _crossed(axes: Mapping[str, Sequence[Any]]) -> dict[str, NDArray[Any]]:
    """Each as an array with a dimension of its own."""
    return dict(zip(axes, np.ix_(*map(np.asarray, axes.values())), strict=True))
