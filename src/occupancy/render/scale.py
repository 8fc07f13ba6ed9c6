"""The axes of charts: what they are called, where they have ticks, what stands there."""

from __future__ import annotations

from . import words

NAMES = {
    "cc": "compute capability",
    "threads": "threads per block",
    "registers": "registers per thread",
    "regs": "registers per thread",
    "shared_memory": "shared memory per block",
    "smem": "shared memory per block",
    "carveout": "carveout",
}
IN_BYTES = ("shared_memory", "smem")


def name(variable: str) -> str:
    """A variable in words; what is not drawn along an axis too."""
    return NAMES.get(variable) or words.name(variable)


def title(variable: str) -> str:
    """What to write along an axis, with its unit."""
    return f"{name(variable)} (KiB)" if variable in IN_BYTES else name(variable)


def header(variable: str) -> str:
    """The same at the head of a column."""
    text = title(variable)
    return text[0].upper() + text[1:]  # capitalize() would make kib of KiB


def label(variable: str, value: int | str) -> str:
    """What to write at a value of an axis; sizes in KiB."""
    if variable == "carveout" and isinstance(value, int):
        return f"{value}%" if value <= 100 else words.size(value)
    if variable in IN_BYTES and isinstance(value, int):
        return f"{value / 1024:.4g}"
    return str(value)


def amount(variable: str, value: object) -> str:
    """A value by itself, with its unit where the variable's name does not tell it."""
    if isinstance(value, int):
        return words.size(value) if variable in IN_BYTES else label(variable, value)
    return str(value)


def ticks(first: int, last: int, most: int) -> list[int]:
    """Multiples of a power of two between two values, as many as there is room for.

    Powers of two, because every unit of an SM is one.
    """
    step = 1
    while last // step - (first - 1) // step > most:
        step *= 2
    return [tick for tick in range(0, last + 1, step) if tick >= first]
