"""The engine's answers over arrays; the only home of NumPy.

On one chip the answer is the smallest of five small tables: over (warps, registers), over the steps in
which shared memory is allocated, over barriers, virtual resources, and columns of tensor memory. `tables`
makes them by asking the engine, so no rule is written a second time; `lookup` checks the input and looks it
up, in chunks that stay in the processor's cache; `answers` combines what was found, and `answered` holds it.
Of the package it uses `values`, `engine`, and `render` for pictures.
"""

from __future__ import annotations

from ..errors import MissingDependencyError

try:
    import numpy  # noqa: F401
except ImportError as error:
    raise MissingDependencyError(
        "NumPy is not installed", where="sweep", hint='Install it with: pip install "occupancy[sweep]"'
    ) from error

from numpy.typing import ArrayLike

from .answers import Sweep, sweep_arrays

__all__ = ["ArrayLike", "Sweep", "sweep_arrays"]
