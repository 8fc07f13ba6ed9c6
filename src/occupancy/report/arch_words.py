"""The architectures of the kernels that one row stands for, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..builds.overview import age
from ..builds.running import RunsOn
from ..builds.scan_row import ScanRow
from ..render import words
from ..values.asking import Asking

PREFIX = "sm_"
LEAST_OF_A_RANGE = 3
"""Architectures; two are listed."""
MOST_LISTED = 2
"""Of those that are no range, where there is no room for all."""


def architecture(row: ScanRow) -> str:
    """The architecture, and what about it is out of the ordinary."""
    return _name(row.arch) + _beside(row)


def architectures(rows: Sequence[ScanRow], of: Collection[str | None]) -> tuple[str, str]:
    """``sm_80 to sm_90`` or ``sm_75, 86, 89, 107``: the architectures of rows that differ in nothing else,
    the oldest first; and the same where room is scarce, ``sm_75, 86, +2``.

    Args:
        rows: The rows.
        of: All architectures that files hold kernels for: a range leaves out none of those between its ends.
    """
    alike: dict[str, set[str | None]] = {}
    for row in sorted(rows, key=lambda row: age(row.arch)):
        alike.setdefault(_beside(row), set()).add(row.arch)
    every = sorted({*of, *(row.arch for row in rows)}, key=age)
    parts = [(_whole(archs, every), _short(archs, every), beside) for beside, archs in alike.items()]
    return (
        ", ".join(whole + beside for whole, _, beside in parts),
        ", ".join(short + beside for _, short, beside in parts),
    )


def chosen_code(runs_on: RunsOn | None) -> str:
    """Which code of kernels for several architectures is looked at; empty where all of it is."""
    if runs_on is None:
        return ""
    archs = words.listing(list(map(words.printable, runs_on.archs)))
    all_archs = Asking("--arch all shows all", 'archs=["all"] shows all', "occupancy scan --arch all has all")
    return Asking.of(f"Of each kernel only the code that {runs_on.cc} runs ({archs}); ", all_archs, ".")


def architecture_and_others(
    row: ScanRow, archs: Iterable[str | None], of: Collection[str | None]
) -> tuple[str, str]:
    """``sm_100 + 103, 107``: the architecture of a row, and which others have such a kernel, too; and the
    same where room is scarce, ``sm_100 + 2 more``. For the last argument see `architectures`."""
    arch, others = architecture(row), sorted({*archs} - {row.arch}, key=age)
    if not others:
        return arch, arch
    named = _whole(others, sorted({*of, *others}, key=age))
    return f"{arch} + {named.replace(PREFIX, '')}", f"{arch} + {len(others):,} more"


def _whole(archs: Collection[str | None], every: Sequence[str | None]) -> str:
    return _range(archs, every) or _listed(sorted(archs, key=age))


def _short(archs: Collection[str | None], every: Sequence[str | None]) -> str:
    more = len(archs) - MOST_LISTED
    if more <= 1 or _range(archs, every):
        return _whole(archs, every)
    return f"{_listed(sorted(archs, key=age)[:MOST_LISTED])}, +{more:,}"


def _range(archs: Collection[str | None], every: Sequence[str | None]) -> str:
    """The first and the last, where these are all between them; else empty."""
    places = [every.index(arch) for arch in archs]
    first, last = min(places), max(places)
    is_range = len(places) >= LEAST_OF_A_RANGE and last - first < len(places)
    return f"{_name(every[first])} to {_name(every[last])}" if is_range else ""


def _listed(archs: Iterable[str | None]) -> str:
    """``sm_75, 86``: what all names begin with is written once."""
    first, *others = map(_name, archs)
    is_usual = all(each.startswith(PREFIX) for each in (first, *others))
    return ", ".join([first, *(each.removeprefix(PREFIX) if is_usual else each for each in others)])


def _name(arch: str | None) -> str:
    return words.printable(arch or "unknown")


def _beside(row: ScanRow) -> str:
    text = " (not linked)" if row.linked is False else ""
    return f"{text} on {row.cc}" if row.what_if or (row.cc and not row.arch) else text
