"""The engine's results over NumPy arrays."""

from ..errors import MissingDependencyError

try:
    import numpy  # noqa: F401
except ImportError as error:
    hint = "Install it with: pip install numpy"
    raise MissingDependencyError("NumPy is not installed", where="sweep", hint=hint) from error

from numpy.typing import ArrayLike

from .results import ArrayResults

__all__ = ["ArrayLike", "ArrayResults"]
