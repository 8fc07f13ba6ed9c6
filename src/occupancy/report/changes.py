"""Changed values of kernels as text, with causes and fixes, for all architectures of a kernel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..advice.next_steps import NextStep
from ..builds.names import short_name
from ..compare.diff import Change
from ..readers import KernelRecord
from ..values.numbers import percent, size
from .words import arrow

MOST_KERNELS = 20
"""Kernels of a screen and a comment."""
MOST_NAMES = 10
NAME_WIDTH = 68
"""Width of a name in a heading."""


def _bounds_text(bounds: tuple[int, int | None] | None) -> str:
    if bounds is None:
        return "none"
    threads, blocks = bounds
    return f"({threads})" if blocks in (None, 1) else f"({threads}, {blocks})"


PHRASES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "occupancy": ("{}", percent),
    "arch": ("{}", str),
    "name": ("renamed {}", str),
    "launch_bounds": ("launch bounds {}", _bounds_text),
    "register_cap": ("register cap (-maxrregcount) {}", str),
    "cluster_dim": ("cluster {}", lambda shape: "none" if shape is None else "x".join(map(str, shape))),
    "threads": ("threads {}", "{:,}".format),
    "smem": ("shared memory {}", size),
    "regs": ("registers {}", "{:,}".format),
    "spill_bytes": ("{}", lambda total: f"{size(total)} in total" if total else size(total)),
    "spill_smem": ("spills to shared memory {}", size),
    "barriers": ("barriers {}", "{:,}".format),
    "tensor_memory": ("tensor memory {} columns", "{:,}".format),
    "spills": ("spill stores/loads {}", lambda spills: "{:,}/{:,} bytes".format(*spills)),
    "stack_bytes": ("stack {}", size),
}
"""Name of a value -> its phrase, and the function to its text."""


def change_text(name: str, old: Any, new: Any) -> str:
    """Return both values of a change: ``128 -> 40``; without an old one the new one."""
    text = PHRASES[name][1]
    return text(new) if old is None else arrow(text(old), text(new))


def phrase(name: str, old: Any, new: Any) -> str:
    """Return ``registers 128 -> 40``."""
    return PHRASES[name][0].format(change_text(name, old, new))


def phrases(all_changes: Iterable[Change]) -> str:
    return ", ".join(phrase(*each) for each in all_changes)


class OnArch(NamedTuple):
    """A kernel that changed, on one architecture."""

    arch: str | None
    values: Sequence[str]
    causes: Sequence[Change]
    fix: NextStep | None
    others: Sequence[Change] = ()


def change_facts(kernels: Sequence[OnArch]) -> list[tuple[str, str]]:
    """Return labels and texts: the values of each architecture, then the causes and other changes of all."""
    values = [(each.arch or "-", text) for each in kernels for text in each.values]
    cause = _by_arch([(each.arch, each.causes) for each in kernels])
    others = _by_arch([(each.arch, each.others) for each in kernels])
    texts = {"cause": cause, "also" if cause else "change": others}
    return [*values, *((name, text) for name, text in texts.items() if text)]


def fix_phrase(verb: str, kernels: Sequence[OnArch]) -> str:
    """Return ``reduce shared memory to 19.5 KiB (sm_80) and 27.5 KiB (sm_90)``, or nothing."""
    fixes = [(each.arch, each.fix.requires if each.fix else {}) for each in kernels]
    amounts = [(arch, [Change(name, None, after) for name, after in fix.items()]) for arch, fix in fixes]
    prefix = "to at least " if verb == "raise" else "to "  # the registers that spills need are unknown
    text = _by_arch(amounts, prefix)
    verb = "change" if any("threads" in fix for _, fix in fixes) else verb
    return f"{verb} {text}" if text else ""


def _by_arch(kernels: Sequence[tuple[str | None, Iterable[Change]]], prefix: str = "") -> str:
    """Return ``registers 96 -> 40 (sm_80) and 128 -> 40 (sm_90)``; no architecture where all agree."""
    archs = defaultdict[str, dict[str, list[str]]](dict)
    for arch, changes in kernels:
        for each in changes:
            archs[each.name].setdefault(change_text(*each), []).append(arch or "-")
    phrases = []
    for name, archs_of_text in archs.items():
        texts = [
            text if len(having) == len(kernels) else f"{text} ({', '.join(having)})"
            for text, having in archs_of_text.items()
        ]
        phrases.append(PHRASES[name][0].format(prefix + " and ".join(texts)))
    return ", ".join(phrases)


def on_one_line(labeled: Sequence[tuple[str, str]]) -> str:
    return "; ".join(map(": ".join, labeled))


def names_of(records: Iterable[KernelRecord]) -> dict[str, None]:
    return {short_name(name): None for name in dict.fromkeys(record.name for record in records)}


def listed(names: Mapping[str, None], most: int = MOST_NAMES) -> str:
    """Return names with commas, and the number of those beyond the most."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(list(names)[:most]) + more
