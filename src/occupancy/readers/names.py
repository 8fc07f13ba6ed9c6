"""Demangled names; the only home of the package `demangle`.

That package is pure Python, agrees with LLVM on 99% of the names of real kernels, and bounds its own
time and memory: a name from a damaged file makes the compiled demanglers exhaust the stack, which
ends the process. It needs Python 3.11; without it, names stay as the compiler wrote them.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

MOST_LONGER, MOST_CHARACTERS = 8, 1 << 12
"""The longest readable name, as a multiple of the mangled one and beyond: names of hundreds of characters
can be made that stand for millions."""


@lru_cache(maxsize=1 << 11)
def demangle(name: str) -> str:
    """Return the demangled C++ name, or the name itself."""
    package = _package()
    if package is None or not name.startswith("_Z"):
        return name
    try:
        readable: str = package.demangle(name, language="itanium")
    except Exception:  # whatever a third party's parser makes of a damaged name, the name remains
        return name
    return readable if len(readable) <= MOST_LONGER * len(name) + MOST_CHARACTERS else name


@cache
def _package() -> Any:
    try:
        import demangle
    except ImportError:
        return None
    return demangle
