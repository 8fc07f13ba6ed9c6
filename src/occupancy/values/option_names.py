"""What the options of a question are called, on the command line and in the page's address."""

from __future__ import annotations

_SEVERAL = {
    "cc": ("cc", "arch", "sm"),
    "threads": ("threads", "block", "block-size"),
    "regs": ("regs", "registers"),
    "tensor_memory": ("tmem", "tensor-memory"),
}


def names_of(field: str) -> tuple[str, ...]:
    """All names of the option for a field, without dashes in front; that of the help comes first."""
    return _SEVERAL.get(field) or (field.replace("_", "-"),)


def options_of(field: str) -> tuple[str, ...]:
    """The same as they are typed: ``--regs`` and ``--registers``."""
    return tuple(f"--{name}" for name in names_of(field))
