"""Names that are too long for a line: cut so that different names still look different, or broken."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from .lines import chopped, columns_of, head, tail

DOTS = "..."
LEAST_HEAD = 12
"""Columns of the beginning that are kept, where there is room for more than that."""
MOST_OF_A_WORD = (40, 24, 16, 12, 8, 6, 4)
"""Columns of a word that tells names apart, less and less until there is room for all such words."""

_NAMESPACES = re.compile(r"(?<![\w:])(?:[A-Za-z_]\w*::)+")
_WORDS = re.compile(r"\w+|\W")
_BREAKS = tuple(re.compile(rf".+?(?:{sign}|$)", re.DOTALL) for sign in (", ?", " ", "[<(]", "::"))
"""What stands between two of the signs after which a whole name is broken, the best first."""


def shortened(names: Iterable[str], width: int) -> dict[str, str]:
    """What to show of each name in so many columns.

    Namespaces within a name's template arguments go first. Then it is cut at its end; where several would
    look the same, what they have in common is cut within, so that the words in which they differ are seen:
    ``cub::DeviceReduce...float...Max...``. Names that look the same even so are numbered.
    """
    brief = {name: name if columns_of(name) <= width else _without_namespaces(name) for name in names}
    for group in _alike(brief):
        brief |= {name: name for name in group}
    shown = _cut_apart(brief.values(), width)
    return {name: shown[text] for name, text in brief.items()}


def wrapped(name: str, width: int, indent: str) -> list[str]:
    """The whole name in lines of so many columns, all but the first of them indented.

    It is broken after commas; what has no room in a line also after other signs, see `_BREAKS`.
    """
    lines = [""]
    for part in _parts(name, width - len(indent), _BREAKS):
        room = width - len(indent) * (len(lines) > 1)
        if columns_of(lines[-1]) + columns_of(part.rstrip()) > room:
            lines.append("")
        lines[-1] += part
    first, *others = map(str.rstrip, lines)
    return [first, *(f"{indent}{each}" for each in others)]


def _parts(text: str, width: int, breaks: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """The parts between which a text is broken, none of them longer than so many columns."""
    if columns_of(text.rstrip()) <= width:
        yield text
    elif not breaks:
        yield from chopped(text, width)
    else:
        for part in breaks[0].findall(text):
            yield from _parts(part, width, breaks[1:])


def _without_namespaces(name: str) -> str:
    """The name without those of its template arguments, which say least: ``sort<thrust::less<int>>``."""
    function, bracket, arguments = name.partition("<")
    return function + bracket + _NAMESPACES.sub("", arguments)


def _cut_apart(names: Iterable[str], width: int) -> dict[str, str]:
    """The names, those that are too long cut; no two of them alike."""
    shown = {name: name if columns_of(name) <= width else _cut(name, width) for name in names}
    for group in _alike(shown):
        shown |= {
            name: _around(words, places, width) for name, (words, places) in _differences(group).items()
        }
    taken = set(shown.values())
    for group in _alike(shown):
        marks = (f"~{number}" for number in count(2))
        for name in group[1:]:
            texts = (f"{head(shown[name], width - len(mark))}{mark}" for mark in marks)
            shown[name] = next(text for text in texts if text not in taken)
    return shown


def _cut(name: str, width: int) -> str:
    return head(name, width - len(DOTS)) + DOTS


def _alike(shown: dict[str, str]) -> list[list[str]]:
    """The names that look the same."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, text in shown.items():
        groups[text].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _differences(names: Sequence[str]) -> dict[str, tuple[list[str], list[int]]]:
    """The words of each name, and the places of those by which it differs from the others that are the same
    up to there: together they say which name it is."""
    found: dict[str, tuple[list[str], list[int]]] = {name: (_WORDS.findall(name), []) for name in names}
    waiting = [(list(names), 0)]
    while waiting:
        group, place = waiting.pop()
        by_word: dict[str, list[str]] = defaultdict(list)
        for name in group:
            words = found[name][0]
            by_word[words[place] if place < len(words) else ""].append(name)
        for word, some in by_word.items():
            if len(by_word) > 1 and word:
                for name in some:
                    found[name][1].append(place)
            if len(some) > 1:
                waiting.append((some, place + 1))
    return found


def _around(words: Sequence[str], places: Sequence[int], width: int) -> str:
    """The beginning, and the words at some places."""
    for most in MOST_OF_A_WORD:
        end = _end(words, places, most)
        room = width - columns_of(end)
        if room >= LEAST_HEAD:
            break
    before = "".join(words[: places[0]]) if places else ""
    if columns_of(before) + columns_of(end) - len(DOTS) <= width:
        return before + end.removeprefix(DOTS)
    return head(head(before, room) + end, width)


def _end(words: Sequence[str], places: Sequence[int], most: int) -> str:
    """The words at some places, each cut within to so many columns."""
    text, last = "", -1
    for place in places:
        word = words[place]
        half = (most - len(DOTS) + 1) // 2
        if columns_of(word) > most:
            word = f"{head(word, half)}{DOTS}{tail(word, most - len(DOTS) - half)}"
        text += word if text and place == last + 1 else DOTS + word
        last = place
    return text if last == len(words) - 1 else text + DOTS
