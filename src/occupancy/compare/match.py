"""Match the kernels of two builds by name, by stable name, or by code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple

from ..builds.merge import MAX_FILES
from ..builds.names import stable_name, unparametrized
from ..readers import KernelRecord

MatchedBy = Literal["name", "stable_name", "code"]
"""Key that matched a pair: name and architecture, name without parameters and generated parts, or code."""

_ANY_FILE = ""
Key = Callable[[KernelRecord], Hashable]
Records = tuple[KernelRecord, ...]
Pairs = Iterator[tuple[KernelRecord, KernelRecord]]

compared_values: Key = attrgetter(
    "regs", "static_smem", "dynamic_smem", "smem", "spill_smem", "barriers", "virtual_resources",
    "tensor_memory", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "max_threads",
    "required_threads", "cluster_dim", "threads", "shared_memory_configuration",
)  # fmt: skip


def by_name(record: KernelRecord) -> tuple[str, str, str]:
    return record.name, record.arch or "", record.source


class Pair(NamedTuple):
    old: KernelRecord
    new: KernelRecord
    matched_by: MatchedBy


class Matching(NamedTuple):
    """Matched and unmatched kernels of two builds."""

    pairs: tuple[Pair, ...]
    removed: Records
    added: Records


def match(old: Sequence[KernelRecord], new: Sequence[KernelRecord], *, ignore_arch: bool = False) -> Matching:
    """Match each kernel of one build with one kernel of the other, or with all copies of one kernel.

    If several kernels share a name, like launches and ``static`` kernels, equal kernels match first, then
    kernels of the same source. If one build has more, each extra kernel matches an equal one, or the only one of
    its file. With ``ignore_arch``, kernels without a match for their architectures can match another one. The
    order of the kernels does not matter, and the cost is linear.
    """
    removed, added, pairs = list(old), list(new), list[Pair]()

    def add(matched: list[Pair]) -> None:
        nonlocal removed, added
        pairs.extend(matched)
        paired = {id(record) for pair in matched for record in (pair.old, pair.new)}
        removed, added = ([each for each in left if id(each) not in paired] for left in (removed, added))

    for matched_by, key in _KEYS:
        add([Pair(*records, matched_by) for records in _join(removed, added, key)])
    add(_copies(pairs, removed, added) if removed or added else [])
    names = {stable_name(record.name) for pair in pairs for record in pair[:2]} if ignore_arch else set()
    for matched_by, key in _KEYS_OF_ANY_ARCH if ignore_arch else ():
        alone = [[each for each in left if stable_name(each.name) not in names] for left in (removed, added)]
        add([Pair(*records, matched_by) for records in _join(alone[0], alone[1], key)])
    return Matching(tuple(pairs), *(tuple(sorted(each, key=by_name)) for each in (removed, added)))


def _architecture(record: KernelRecord) -> str:
    """Return the architecture without its variant: ``sm_90`` for ``sm_90a``."""
    return (record.arch or "").rstrip("af")


_KEYS: tuple[tuple[MatchedBy, Key], ...] = (
    ("name", attrgetter("name", "arch")),
    ("stable_name", lambda record: (stable_name(record.name), _architecture(record))),
    ("stable_name", lambda record: (unparametrized(record.name), _architecture(record))),
    ("code", lambda record: None if record.code is None else (record.code, record.arch)),
)
_KEYS_OF_ANY_ARCH: tuple[tuple[MatchedBy, Key], ...] = (
    ("name", lambda record: stable_name(record.name)),
    ("stable_name", lambda record: unparametrized(record.name)),
)


def _join(old: list[KernelRecord], new: list[KernelRecord], key: Key) -> Pairs:
    """Yield pairs of records with the same key; records without a key match none."""
    if not old or not new:
        return
    candidates = _grouped(new, key)
    for value, before in _grouped(old, key).items():
        after = candidates[value]
        if value is not None and len(before) == len(after) == 1:
            yield before[0], after[0]
        elif value is not None and after:
            yield from _pair_up(before, after)


def _grouped(records: Iterable[KernelRecord], key: Key) -> dict[Hashable, list[KernelRecord]]:
    groups: dict[Hashable, list[KernelRecord]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return groups


def _copies(pairs: list[Pair], removed: list[KernelRecord], added: list[KernelRecord]) -> list[Pair]:
    """Pair each remaining kernel with an equal copy in the other build, or with the only one of its file."""
    # Identical kernels of several files are one record, and identical `static` kernels are one line of a
    # baseline. A wheel can have a library for each version of CUDA, with more copies than another wheel.
    lacking = {_copy(each) for each in (*removed, *added)}
    alike = [each for each in pairs if not lacking.isdisjoint(map(_copy, each[:2]))]
    before, after = (_finder(each) for each in ([pair.old for pair in alike], [pair.new for pair in alike]))
    found = *((record, after(record)) for record in removed), *((before(record), record) for record in added)
    return [Pair(old, new, "name") for old, new in found if old and new]


def _finder(records: list[KernelRecord]) -> Callable[[KernelRecord], KernelRecord | None]:
    in_file = defaultdict[Hashable, list[KernelRecord]](list)
    for each in records:
        # A log does not name the files of an image.
        copy, is_partial = _copy(each), each.code is None or len(each.also_in) >= MAX_FILES
        for file in (each.source, *each.also_in, *[_ANY_FILE] * is_partial):
            in_file[copy, file].append(each)
    only = {key: group[0] for key, group in in_file.items() if len(group) == 1}
    last_first = sorted(records, key=by_name, reverse=True)
    equal = {(_copy(each), compared_values(each)): each for each in last_first}

    def find(record: KernelRecord) -> KernelRecord | None:
        copy, any_file = _copy(record), record.source if record.code is None else _ANY_FILE
        same = equal.get((copy, compared_values(record)))
        return same or only.get((copy, record.source)) or only.get((copy, any_file))

    return find


def _copy(record: KernelRecord) -> Hashable:
    return stable_name(record.name), record.arch, record.threads


def _pair_up(before: list[KernelRecord], after: list[KernelRecord]) -> Pairs:
    """Pair records of one name: equal values, then equal source and block size, then the rest in order."""
    closeness: tuple[Key, ...] = (
        lambda record: (compared_values(record), record.source),
        compared_values,
        attrgetter("threads", "source"),
        attrgetter("source"),
        lambda record: None,
    )
    for key in closeness:
        candidates = _grouped(sorted(after, key=_order, reverse=True), key)
        unmatched = []
        for record in sorted(before, key=_order):
            if candidates[key(record)]:
                yield record, candidates[key(record)].pop()
            else:
                unmatched.append(record)
        before, after = unmatched, [record for group in candidates.values() for record in group]


def _order(record: KernelRecord) -> tuple[str, ...]:
    return *by_name(record), repr(compared_values(record))
