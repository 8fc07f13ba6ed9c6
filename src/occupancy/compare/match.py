"""Match the kernels of two builds: by name, by the stable part of the name, by code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, NamedTuple

from ..builds.merge import LOGS
from ..builds.names import stable_name, unparametrized
from ..readers import KernelRecord

MatchedBy = Literal["name", "stable_name", "code"]
"""Mangled name and architecture; the name without parameters and compiler-made parts; the machine code."""

facts: Callable[[KernelRecord], Hashable] = attrgetter(
    "regs", "static_smem", "dynamic_smem", "smem", "spill_smem", "barriers", "virtual_resources",
    "tensor_memory", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "max_threads",
    "required_threads", "cluster_dim", "threads", "shared_memory_configuration",
)  # fmt: skip
"""Values of a kernel that are compared between builds."""


class Pair(NamedTuple):
    """One kernel in both builds."""

    old: KernelRecord
    new: KernelRecord
    matched_by: MatchedBy


@dataclass(frozen=True)
class Matching:
    """The kernels of two builds."""

    pairs: tuple[Pair, ...]
    removed: tuple[KernelRecord, ...]
    """Kernels only in the old build."""
    added: tuple[KernelRecord, ...]
    """Kernels only in the new build."""


Key = Callable[[KernelRecord], Hashable]


def match(old: Iterable[KernelRecord], new: Iterable[KernelRecord], *, ignore_arch: bool = False) -> Matching:
    """Match the kernels of two builds, each with one, or with the copies of one.

    Of several kernels of one name, as launches and ``static`` kernels of several files, equal ones are
    matched first, then those of one source. The order of the kernels does not matter, and the cost is linear.

    Args:
        old: The kernels of the old build.
        new: The kernels of the new one.
        ignore_arch: Match a kernel with one of another architecture if its own has none.
    """
    left, right = list(old), list(new)
    pairs: list[Pair] = []
    keys: list[tuple[MatchedBy, Key]] = [
        ("name", lambda record: (record.name, record.arch)),
        ("stable_name", lambda record: (stable_name(record.name), _family(record.arch))),
        ("stable_name", lambda record: (unparametrized(record.name), _family(record.arch))),
        ("code", lambda record: None if record.code is None else (record.code, record.arch)),
    ]
    if ignore_arch:
        keys += [
            ("name", lambda record: stable_name(record.name)),
            ("stable_name", lambda record: unparametrized(record.name)),
        ]
    for matched_by, key in keys:
        found, left, right = _join(left, right, key)
        pairs += [Pair(one, other, matched_by) for one, other in found]
    copies, left, right = _copies(pairs, _unmatched(left, new), _unmatched(right, old))
    return Matching((*pairs, *copies), tuple(left), tuple(right))


Joined = tuple[list[tuple[KernelRecord, KernelRecord]], list[KernelRecord], list[KernelRecord]]


def _join(left: list[KernelRecord], right: list[KernelRecord], key: Key) -> Joined:
    """Pair the records with equal keys; return the pairs and the rest of both sides."""
    if not left or not right:
        return [], left, right
    groups: dict[Hashable, tuple[list[KernelRecord], list[KernelRecord]]] = defaultdict(lambda: ([], []))
    for side, records in enumerate((left, right)):
        for record in records:
            name = key(record)
            if name is not None:
                groups[name][side].append(record)
    pairs: list[tuple[KernelRecord, KernelRecord]] = []
    for before, after in groups.values():
        if len(before) == len(after) == 1:
            pairs.append((before[0], after[0]))
        elif before and after:
            pairs += _pair_up(before, after)
    matched = {id(record) for pair in pairs for record in pair}
    rest = ([record for record in side if id(record) not in matched] for side in (left, right))
    return pairs, *rest  # type: ignore[return-value]


def _copies(
    pairs: Sequence[Pair], removed: Iterable[KernelRecord], added: Iterable[KernelRecord]
) -> tuple[list[Pair], list[KernelRecord], list[KernelRecord]]:
    """Pair the rest with the only kernel of the name in the other build.

    Equal copies in several files are one record, so that a copy that changes alone has none of its own in
    the other build. Other ``static`` kernels of the name are other kernels.
    """
    only_old = _only(pair.old for pair in pairs)
    only_new = _only(pair.new for pair in pairs)
    removed, added = list(removed), list(added)
    found = [Pair(old, new, "name") for old in removed if (new := only_new.get(_copy(old)))]
    found += [Pair(old, new, "name") for new in added if (old := only_old.get(_copy(new)))]
    paired = {id(record) for pair in found for record in pair[:2]}
    rest = ([record for record in side if id(record) not in paired] for side in (removed, added))
    return found, *rest  # type: ignore[return-value]


def _only(records: Iterable[KernelRecord]) -> dict[Hashable, KernelRecord]:
    groups: dict[Hashable, list[KernelRecord]] = defaultdict(list)
    for record in records:
        groups[_copy(record)].append(record)
    return {key: group[0] for key, group in groups.items() if key is not None and len(group) == 1}


def _copy(record: KernelRecord) -> Hashable:
    return None if record.is_static else (record.name, record.arch, record.threads)


def _pair_up(
    before: list[KernelRecord], after: list[KernelRecord]
) -> list[tuple[KernelRecord, KernelRecord]]:
    """Pair records of one name: equal ones, those of one source and block size, then the others in order."""
    pairs = []
    closeness: tuple[Key, ...] = (
        lambda record: (facts(record), record.source),
        facts,
        attrgetter("threads", "source"),
        attrgetter("source"),
        lambda record: None,
    )
    for likeness in closeness:
        waiting: dict[Hashable, list[KernelRecord]] = defaultdict(list)
        for record in sorted(after, key=_order, reverse=True):
            waiting[likeness(record)].append(record)
        left = []
        for record in sorted(before, key=_order):
            if others := waiting[likeness(record)]:
                pairs.append((record, others.pop()))
            else:
                left.append(record)
        before, after = left, [record for others in waiting.values() for record in others]
    return pairs


def _order(record: KernelRecord) -> tuple[str, ...]:
    return record.name, record.arch or "", record.source, repr(facts(record))


def _family(arch: str | None) -> str | None:
    """Return an architecture without its suffix: ``sm_90`` for ``sm_90a``."""
    return arch.rstrip("af") if arch else None


def _unmatched(left: Sequence[KernelRecord], others: Iterable[KernelRecord]) -> tuple[KernelRecord, ...]:
    """Drop records that a log of the other build names once for several equal kernels."""
    if not left:
        return ()
    lines = {_line(each) for each in others if each.format in LOGS}
    return tuple(each for each in left if _line(each) not in lines)


def _line(record: KernelRecord) -> Hashable:
    name, arch = stable_name(record.name), _family(record.arch)
    return name, arch, record.regs, record.static_smem, record.barriers
