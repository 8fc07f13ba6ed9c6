"""How many kernels of two builds are worse, better, the same or in one of them only, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...compare.diff import DiffRow, DiffSummary, Verdict
from ...render import words
from ..name_words import of_names

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
