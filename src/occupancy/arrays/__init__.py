"""The engine's results over NumPy arrays."""

from ..errors import importing

with importing("NumPy", "sweep"):
    import numpy  # noqa: F401

from numpy.typing import ArrayLike

from .results import ArrayResults

__all__ = ["ArrayLike", "ArrayResults"]
