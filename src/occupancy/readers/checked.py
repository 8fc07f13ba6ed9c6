"""What readers find, as far as a file's budget goes, with names and counts that are what they seem."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter

from ..errors import MAX_SHOWN, shown
from ..values.kernel import INT_MAX
from ..values.untrusted import printable
from .budget import (
    MAX_NAME_BYTES,
    MAX_PROBLEMS,
    MOST_REMEMBERED,
    SHORT_NAME_BYTES,
    Budget,
    Exhausted,
    cost_of,
)
from .record import Found, KernelRecord, ReadProblem
from .remark import Fusion


def within(budget: Budget, found: Iterator[Found], source: str) -> Iterator[Found]:
    """Pass on what a reader finds in a file, as far as its budget goes.

    It also ends where so much is damaged that the source is none of its kind. A problem says so.
    """
    problems = 0
    possible: set[object] = set()
    try:
        for each in found:
            if isinstance(each, KernelRecord):
                budget.pay("kernels" if each.launches is None else "launches")
                budget.pay("names", cost_of(each.name))
                each = sound(each)
                counts = _counts(each)
                # Most kernels of a library have the counts of another, which need no second look.
                wrong = None if counts in possible else _wrong(each)
                if wrong is None:
                    if len(possible) < MOST_REMEMBERED:
                        possible.add(counts)
                    yield each
                    continue
                each = ReadProblem(each.source, None, f"of {each.name[:MAX_SHOWN]}, {wrong}")
            if isinstance(each, ReadProblem):
                problems += 1
                budget.pay("problems")
                yield each
                if problems == MAX_PROBLEMS:
                    yield replace(each, what="too much is damaged; the rest is not read")
                    return
            else:
                budget.pay("kernels")
                said = (each.file, *each.operations) if isinstance(each, Fusion) else (each.folder,)
                budget.pay("names", sum(map(cost_of, said)))
                yield each
    except Exhausted as error:
        yield ReadProblem(source, None, error.what)


_NO_COUNTS = ("code", "spill_store_bytes", "spill_load_bytes")
"""Of these, one is a checksum, and the others can be below 0."""
_COUNTS = tuple(
    each.name for each in fields(KernelRecord) if each.type == "int | None" and each.name not in _NO_COUNTS
)


_counts = attrgetter(*_COUNTS)


def _wrong(record: KernelRecord) -> str | None:
    """What is wrong with the first count that neither a kernel nor a launch can have."""
    known = [value for value in _counts(record) if value]
    if not known or (min(known) >= 0 and max(known) <= INT_MAX):
        return None
    for name in _COUNTS:
        value = getattr(record, name)
        if value is not None and not 0 <= value <= INT_MAX:
            return f"{name} is {shown(value)}, which no kernel has"
    return None


def sound(record: KernelRecord) -> KernelRecord:
    """The record with a name and an architecture that are what they seem.

    A name of a real kernel has no characters that a terminal would obey, and fits in a page.
    """
    name, arch = record.name, record.arch
    fit = _fit_again(name) if len(name) <= SHORT_NAME_BYTES else _fit(name)
    if fit == name and _is_architecture(arch):
        return record
    return replace(record, name=fit, arch=arch if _is_architecture(arch) else None)


def _fit(name: str) -> str:
    return printable(name[:MAX_NAME_BYTES])[:MAX_NAME_BYTES]


_fit_again = lru_cache(maxsize=MOST_REMEMBERED)(_fit)
"""A library has each name once for each architecture."""


@lru_cache(maxsize=64)
def _is_architecture(arch: str | None) -> bool:
    return arch is None or re.fullmatch(r"sm_\d{1,4}[a-z]?", arch, re.ASCII) is not None
