"""Match the kernels of two builds by name, by stable name, or by code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, NamedTuple

from ..builds.names import stable_name, unparametrized
from ..readers import KernelRecord

MatchedBy = Literal["name", "stable_name", "code"]
"""Key that matched a pair: name and architecture, name without parameters and generated parts, or code."""

Key = Callable[[KernelRecord], Hashable]

compared_values: Key = attrgetter(
    "regs", "static_smem", "dynamic_smem", "smem", "spill_smem", "barriers", "virtual_resources",
    "tensor_memory", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "max_threads",
    "required_threads", "cluster_dim", "threads", "shared_memory_configuration",
)  # fmt: skip
"""Values compared between builds."""

_copy: Key = attrgetter("name", "arch", "threads")
"""Values that copies of a kernel have in common."""


def by_name(record: KernelRecord) -> tuple[str, str, str]:
    return record.name, record.arch or "", record.source


class Pair(NamedTuple):
    """Kernel in both builds."""

    old: KernelRecord
    new: KernelRecord
    matched_by: MatchedBy


@dataclass(frozen=True)
class Matching:
    """Matched and unmatched kernels of two builds."""

    pairs: tuple[Pair, ...]
    removed: tuple[KernelRecord, ...]
    """Sorted by name, like ``added``."""
    added: tuple[KernelRecord, ...]


def match(old: Iterable[KernelRecord], new: Iterable[KernelRecord], *, ignore_arch: bool = False) -> Matching:
    """Match each kernel of one build with one kernel of the other, or with all copies of one kernel.

    If several kernels share a name, like launches and ``static`` kernels, equal kernels match first, then
    kernels of the same source. With ``ignore_arch``, a kernel without a match for its architecture can match
    another architecture. The order of the kernels does not matter, and the cost is linear.
    """
    left, right = list(old), list(new)
    pairs: list[Pair] = []
    keys: list[tuple[MatchedBy, Key]] = [
        ("name", lambda record: (record.name, record.arch)),
        ("stable_name", lambda record: (stable_name(record.name), (record.arch or "").rstrip("af"))),
        ("stable_name", lambda record: (unparametrized(record.name), (record.arch or "").rstrip("af"))),
        ("code", lambda record: None if record.code is None else (record.code, record.arch)),
    ]
    if ignore_arch:
        keys += [
            ("name", lambda record: stable_name(record.name)),
            ("stable_name", lambda record: unparametrized(record.name)),
        ]
    for matched_by, key in keys:
        found = [Pair(one, other, matched_by) for one, other in _join(left, right, key)]
        pairs += found
        left, right = _unpaired(left, found), _unpaired(right, found)
    copies = _copies(pairs, left, right)
    removed = sorted(_unpaired(left, copies), key=by_name)
    added = sorted(_unpaired(right, copies), key=by_name)
    return Matching((*pairs, *copies), tuple(removed), tuple(added))


def _join(
    left: list[KernelRecord], right: list[KernelRecord], key: Key
) -> Iterator[tuple[KernelRecord, KernelRecord]]:
    if not left or not right:
        return
    groups: dict[Hashable, tuple[list[KernelRecord], list[KernelRecord]]] = defaultdict(lambda: ([], []))
    for side, records in enumerate((left, right)):
        for record in records:
            name = key(record)
            if name is not None:
                groups[name][side].append(record)
    for before, after in groups.values():
        if len(before) == len(after) == 1:
            yield before[0], after[0]
        elif before and after:
            yield from _pair_up(before, after)


def _unpaired(records: list[KernelRecord], pairs: Iterable[Pair]) -> list[KernelRecord]:
    paired = {id(record) for pair in pairs for record in (pair.old, pair.new)}
    return [record for record in records if id(record) not in paired]


def _copies(
    pairs: Iterable[Pair], removed: Iterable[KernelRecord], added: Iterable[KernelRecord]
) -> list[Pair]:
    """Pair each remaining kernel with the only kernel of its name in the other build.

    Identical kernels of several files are merged into one record. If only one of them changes, the two
    kernels of the new build match this one record.
    """
    only_old = _only(pair.old for pair in pairs)
    only_new = _only(pair.new for pair in pairs)
    found = [Pair(old, new, "name") for old in removed if (new := only_new.get(_copy(old)))]
    return found + [Pair(old, new, "name") for new in added if (old := only_old.get(_copy(new)))]


def _only(records: Iterable[KernelRecord]) -> dict[Hashable, KernelRecord]:
    groups: dict[Hashable, list[KernelRecord]] = defaultdict(list)
    for record in records:
        groups[_copy(record)].append(record)
    return {key: group[0] for key, group in groups.items() if len(group) == 1}


def _pair_up(
    before: list[KernelRecord], after: list[KernelRecord]
) -> list[tuple[KernelRecord, KernelRecord]]:
    """Pair records of one name: equal values, then equal source and block size, then the rest in order."""
    pairs = []
    closeness: tuple[Key, ...] = (
        lambda record: (compared_values(record), record.source),
        compared_values,
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
    return *by_name(record), repr(compared_values(record))
