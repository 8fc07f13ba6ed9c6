"""Changed values of kernels as text, with causes and fixes, for all architectures of a kernel."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os.path import commonprefix
from typing import Any, NamedTuple

from ..builds.names import short_names
from ..builds.select import age
from ..compare.diff import PRESSURE, Change, Fix
from ..readers.record import KernelRecord, file_name
from ..values.numbers import join_and, listed, percent, size
from .words import arrow

_LABELS: Sequence[Callable[[KernelRecord], str]] = (
    lambda record: file_name(record.source),
    lambda record: f"{size(record.shared_memory or 0)} shared",
    lambda record: f"grid {'x'.join(map(str, record.grid_dim or ()))}",
)
MOST_KERNELS = 20
"""Kernels of a screen and a comment."""
_OPTIONAL = ("launch_bounds", "register_cap", "cluster_dim")  # None: the kernel has none


def _bounds_text(bounds: tuple[Any, ...] | None) -> str:
    if bounds is None:
        return "none"
    threads, *blocks = bounds
    return f"({threads})" if blocks[0] in (None, 1) else f"({threads}, {' to '.join(map(str, blocks))})"


PHRASES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "occupancy": ("{}", percent),
    "arch": ("code for {}", str),
    "name": ("renamed {}", str),
    "launch_bounds": ("launch bounds {}", _bounds_text),
    "register_cap": ("register cap {}", lambda cap: "none" if cap == 255 else str(cap)),
    "cluster_dim": ("cluster {}", lambda shape: "none" if shape is None else "x".join(map(str, shape))),
    "threads": ("{} threads", "{:,}".format),
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
    if text is size and old and new and (old % 128 or new % 128):
        text = "{:,} bytes".format  # the same unit for both
    return text(new) if old is None and name not in _OPTIONAL else arrow(text(old), text(new))


def phrase(name: str, old: Any, new: Any) -> str:
    return PHRASES[name][0].format(change_text(name, old, new))


def phrases(changes: Iterable[Change]) -> str:
    return ", ".join(phrase(*each) for each in changes)


class OnArch(NamedTuple):
    record: KernelRecord
    values: Sequence[str]
    causes: Sequence[Change]
    fix: Fix
    others: Sequence[Change] = ()


def change_facts(changed: Iterable[OnArch]) -> list[tuple[str, str]]:
    """Return labels and texts: the values of each architecture, then causes, other changes and the fix."""
    groups = defaultdict[tuple[str, ...], list[OnArch]](list)  # versions in several files
    for kernel in sorted(changed, key=lambda each: age(each.record.arch)):
        groups[(kernel.record.arch or "-", *kernel.values)].append(kernel)
    labels = [arch for arch, *_ in groups]
    if len(set(labels)) < len(labels):
        labels = _labels(labels, list(groups.values()))
    values = [(label, text) for label, (_, *texts) in zip(labels, groups, strict=True) for text in texts]
    kernels = [(label, each) for label, group in zip(labels, groups.values(), strict=True) for each in group]
    cause = _by_arch([(label, each.causes) for label, each in kernels if each.causes])
    others = _by_arch([(label, each.others) for label, each in kernels])
    fix = fix_phrase([(label, each.fix) for label, each in kernels])
    texts = {"cause": cause, "also" if cause else "change": others, "fix": fix}
    return [*values, *((name, text) for name, text in texts.items() if text)]


def _labels(archs: Sequence[str], groups: Sequence[Sequence[OnArch]]) -> list[str]:
    """Add what differs most between versions of an architecture: files, shared memory or grids."""
    labels, files = list(archs), [file_name(each.record.source) for group in groups for each in group]
    prefix = re.sub("[^_-]*$", "", commonprefix(files))  # noqa: RUF071
    for text in _LABELS:
        texts = (dict.fromkeys(text(each.record).removeprefix(prefix) for each in group) for group in groups)
        listed_texts = ("/".join(each) if len(each) < 5 else listed(list(each), 1) for each in texts)
        names = [f"{arch} {text}" for arch, text in zip(archs, listed_texts, strict=True)]
        labels = max(labels, names, key=lambda each: len(set(each)))
    return [label if archs.count(arch) > 1 else arch for arch, label in zip(archs, labels, strict=True)]


def fix_phrase(fixes: Sequence[tuple[str | None, Fix]]) -> str:
    """Return ``reduce registers 96 -> 64 (sm_80) and 128 -> 64 (sm_90)``, or nothing."""
    needed, alternatives, archs_of = list[str](), list[str](), defaultdict[str, list[str]](list)
    for verb in ("relax", "restore", "raise", "reduce", "launch"):
        if text := _by_arch([(arch, fix.changes.get(verb, ())) for arch, fix in fixes], verb):
            needed.append(f"{verb} {text}")
    if text := _by_arch([(arch, fix.changes.get("or launch", ())) for arch, fix in fixes], "or launch"):
        # An image does not contain the block size.
        sizes = {each.new for _, fix in fixes for each in fix.changes.get("or launch", ())}
        alternatives.append(f"or launch {text} and set `threads = {min(sizes)}` in a rule for the kernel")
    for arch, fix in fixes:
        archs_of[fix.pressure].append(arch or "-")
    for kind, archs in archs_of.items():
        where = f" ({', '.join(dict.fromkeys(archs))})" if len(archs_of) > 1 else ""
        text = f"reduce register pressure{PRESSURE[kind]}{where}"
        if kind == "or":
            needed, alternatives = needed or ["allow more registers"], [*alternatives, f"or {text}"]
        elif kind:
            needed.append(text)
    return ", ".join([", and ".join(needed), *alternatives])


def _by_arch(kernels: Sequence[tuple[str | None, Iterable[Change]]], verb: str = "") -> str:
    """Return ``registers 96 -> 40 (sm_80) and 128 -> 40 (sm_90)``; no architecture where all agree."""
    archs = defaultdict[str, dict[str, dict[str, None]]](dict)
    for arch, changes in kernels:
        for each in changes:
            archs[each.name].setdefault(change_text(*each), {})[arch or "-"] = None
    phrases, everywhere = [], {arch or "-" for arch, _ in kernels}
    for name, archs_of_text in archs.items():
        texts = defaultdict[tuple[str, ...], list[str]](list)
        for text, having in archs_of_text.items():
            texts[tuple(having)].append(text)
        is_same = len(texts) == 1 and everywhere.issubset(*texts)
        alike = [join_and(each) + ("" if is_same else f" ({', '.join(on)})") for on, each in texts.items()]
        suffix = " without spilling" if (verb, name) == ("reduce", "regs") else ""
        values = f"{'with ' if 'launch' in verb else ''}{join_and(alike)}"
        phrases.append(PHRASES[name][0].format(values) + suffix)
    return (", and " if verb else ", ").join(phrases)


def by_archs(texts: Iterable[tuple[str, str | None]]) -> dict[str, list[str]]:
    """Return ``sm_80, sm_90`` -> the texts with exactly these architectures."""
    archs = defaultdict[str, set[str]](set)
    for text, arch in texts:
        archs[text].add(arch or "-")
    grouped = defaultdict[str, list[str]](list)
    for text, its_archs in archs.items():
        grouped[", ".join(sorted(its_archs, key=age))].append(text)
    return grouped


def named_records(records: Sequence[KernelRecord]) -> Iterator[tuple[str, KernelRecord]]:
    """Yield short names and records; overloads keep their parameters, whatever their architectures."""
    names = short_names((each.demangled, None) for each in records)
    return ((names[each.demangled], each) for each in records)


def names_by_archs(records: Sequence[KernelRecord]) -> dict[str, list[str]]:
    return by_archs((name, each.arch) for name, each in named_records(records))


def placed_names(records: Sequence[KernelRecord]) -> list[str]:
    """Return the short names with their places in the source, if known: ``img::blur (k.cu:8)``."""
    named = ((name, each.file, each.line) for name, each in named_records(records))
    return [f"{name} ({file_name(file)}:{line})" if file and line else name for name, file, line in named]
