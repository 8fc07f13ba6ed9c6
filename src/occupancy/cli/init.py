"""``occupancy init``, which is in the module of ``check``."""

from .check import init as command

__all__ = ["command"]
