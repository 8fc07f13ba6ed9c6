"""What changed of a kernel between two builds, and how many are worse, better or the same, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from ...builds.scan_row import ScanRow
from ...compare.diff import DiffRow, DiffSummary, Verdict, knows_bounds
from ...compare.measures import measures
from ...compare.register_caps import CapOrigin, CappedBy, cap_origin
from ...compare.same_sizes import AtSize
from ...render import words
from ..arch_words import architecture
from ..assumed_sizes import threads, word_for
from ..name_words import MOST_IN_A_NOTE, brief_name, of_names, short_name
from ..spilled_bytes import spills

_UNITS = (" KiB", " B")


class DiffColumn(NamedTuple):
    """Something of a kernel that can change."""

    title: str
    value: Callable[[ScanRow], str]
    """What is shown of one side; empty where it is not known."""

    def has_changed(self, old: ScanRow, new: ScanRow) -> bool:
        """Whether both builds know it and it is not the same."""
        return "" not in (self.value(old), self.value(new)) and self.value(old) != self.value(new)

    def cell(self, before: ScanRow, after: ScanRow) -> str:
        """``64 -> 72``, ``4 -> 36 KiB``, or ``64`` where nothing changed."""
        old, new = self.value(before), self.value(after)
        if not self.has_changed(before, after):
            return new or old
        unit = next((each for each in _UNITS if old.endswith(each) and new.endswith(each)), "")
        return f"{old.removesuffix(unit)} -> {new}"


def _size(amount: int | None) -> str:
    if amount is None:
        return ""
    return words.size(amount).replace(" bytes", " B") if amount else "0"


def _spills(row: ScanRow) -> str:
    """``420 / 424 B``: what a thread stores / loads."""
    if row.spills is None:
        return ""
    return spills(row) or "0"


def _occupancy(row: ScanRow) -> str:
    return "" if row.occupancy is None else words.percent(row.occupancy)


def _limiters(row: ScanRow) -> str:
    if row.launchable is False:
        return "no launch"
    return words.short_names(row.limiters)


REGISTER_CAP = DiffColumn("Register cap", lambda row: words.number(row.register_cap, ""))

COLUMNS = (
    DiffColumn("Arch", architecture),
    DiffColumn("Occ.", _occupancy),
    # What the compiler was told comes before what it made of it.
    REGISTER_CAP,
    DiffColumn("Bound", lambda row: words.number(row.max_threads, "none") if knows_bounds(row) else ""),
    DiffColumn("Limited by", _limiters),
    DiffColumn("Regs", lambda row: words.number(row.regs, "")),
    DiffColumn("Spills", _spills),
    DiffColumn("Spills to shared", lambda row: _size(row.spill_smem)),
    DiffColumn("Stack", lambda row: _size(row.stack_bytes)),
    DiffColumn("Shared", lambda row: _size(measures(row).smem)),
    DiffColumn("Bar", lambda row: words.number(row.barriers, "")),
    DiffColumn("Virtual", lambda row: words.number(row.virtual_resources, "")),
    DiffColumn("Threads", threads),
)


def changes(
    old: ScanRow, new: ScanRow, titles: Collection[str] = (), besides: Collection[str] = ()
) -> Iterator[str]:
    """``regs 40 -> 72``, ``limited by warps + regs -> regs``: what changed of some of the columns, or of all.

    Args:
        old: The kernel in the old build.
        new: The kernel in the new one.
        titles: The columns that are looked at; none: all.
        besides: Those that are not.
    """
    for each in COLUMNS:
        if (not titles or each.title in titles) and each.title not in besides and each.has_changed(old, new):
            yield f"{each.title.lower()} {each.cell(old, new).replace(', ', ' + ')}"


def at_size_in_words(size: AtSize) -> str:
    """``100% -> 50% at 256 threads (usual)``, ``unchanged 50% at 128 threads (bound)``."""
    old, new = words.percent(size.old), words.percent(size.new)
    word = word_for(size.threads_from)
    origin = f" ({word})" if word else ""
    return f"{f'unchanged {new}' if old == new else f'{old} -> {new}'} at {size.threads:,} threads{origin}"


def other_size_in_words(size: AtSize) -> str:
    """``worst at 64 threads (100% -> 12.5%)``: what decides where it is not what is shown."""
    how = "worst" if size.new < size.old else "better"
    return f"{how} at {size.threads:,} threads ({words.percent(size.old)} -> {words.percent(size.new)})"


def change_in_words(
    old: ScanRow, new: ScanRow, titles: Collection[str] = (), deciding: AtSize | None = None
) -> str:
    """``occ. 100% -> 50%, regs 40 -> 72, at 256 threads, worst at 64 threads (100% -> 25%), was blur``; or
    what some of the columns say."""
    parts = list(changes(old, new, titles))
    if not titles and old.threads == new.threads and old.occupancy != new.occupancy:
        parts.append(f"at {words.count(new.threads or 0, 'thread')}")
    parts += [] if deciding is None else [other_size_in_words(deciding)]
    if not titles and short_name(old) != short_name(new):
        parts.append(f"was {short_name(old)}")
    return ", ".join(parts)


_KINDS: dict[Verdict, str] = {
    "worse": "worse",
    "mixed": "mixed",
    "other": "otherwise changed",
    "better": "better",
    "same": "the same",
}


def kinds(count: DiffSummary, changed: Iterable[DiffRow] = ()) -> str:
    """``2 worse (1 name), 1 mixed and 6 the same; 1 added``.

    Args:
        count: How many there are. A kernel of two architectures is two.
        changed: Those that changed, where it is to be said that they have fewer names.
    """
    names: dict[Verdict, list[str]] = {}
    for row in changed:
        names.setdefault(row.verdict, []).append(row.new.name)
    in_both: list[str] = []
    for verdict, word in _KINDS.items():
        number = getattr(count, verdict)
        of = of_names(names.get(verdict, [])) if verdict != "same" else ""
        in_both += [f"{number:,} {word}{of}"] * (number > 0)
    apart = {"added": count.added, "removed": count.removed}
    texts = in_both, [f"{number:,} {kind}" for kind, number in apart.items() if number]
    return "; ".join(words.listing(text) for text in texts if text) or "none"


def meaning_of_kinds(count: DiffSummary) -> Iterator[str]:
    """What the words of `kinds` mean that do not say it themselves."""
    if count.mixed:
        yield "mixed: better in one thing and worse in another, such as more occupancy for new spills."


def meaning_of_caps(pairs: Iterable[tuple[ScanRow, ScanRow]]) -> Iterator[str]:
    """What a register cap is, and what set those that are shown to have changed.

    Args:
        pairs: Kernels of both builds, the old one first.
    """
    causes: dict[str, dict[str, None]] = {}
    by_bounds = False
    for old, new in pairs:
        if REGISTER_CAP.has_changed(old, new):
            before, now = cap_origin(old), cap_origin(new)
            causes.setdefault(_cause(before, now), {})[brief_name(new)] = None
            by_bounds |= now is not None and now.by == _BOUNDS
    if not causes:
        return
    said = [cause.format(_names(list(names))) for cause, names in causes.items()]
    beside = "-maxrregcount does nothing beside launch bounds."
    by = [f"{each}." for each in words.first_of(said, MOST_IN_A_NOTE)]
    meaning = "Register cap: the most per thread that the compiler may use."
    yield " ".join([meaning, *by, *[beside] * by_bounds])


_BOUNDS: CappedBy = "launch bounds"


def _cause(old: CapOrigin | None, new: CapOrigin | None) -> str:
    """``The launch bounds of {} changed from (256, 2) to (256, 6)``, of the names of kernels."""
    if new is None or new.by == "nothing":
        return "Nothing caps {} any more"
    if new.by != _BOUNDS:
        return f"{new.by} caps {{}}"
    sides = [_arguments(each.bounds) for each in (old, new) if each is not None and each.bounds is not None]
    if new.bounds is None or not sides:
        return "Launch bounds cap {}"
    if len(set(sides)) == 1:
        return f"The launch bounds {sides[0]} cap {{}}"
    return f"The launch bounds of {{}} changed from {sides[0]} to {sides[1]}"


def _arguments(bounds: tuple[int, int]) -> str:
    threads, blocks = bounds
    return f"({threads})" if blocks == 1 else f"({threads}, {blocks})"


def _names(names: list[str]) -> str:
    return words.listing(names) if len(names) <= MOST_IN_A_NOTE else words.count(len(names), "kernel")
