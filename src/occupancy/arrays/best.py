"""The best answers for arrays: a sequence of rows that shows itself as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, islice
from typing import Any, NamedTuple, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..render import words
from ..render.charts import scale
from ..render.document import Column, Document, Line, Marked, Paragraph, Table, Together
from ..values.resources import COUNTED
from ..values.spellings import parse_count
from .answered import Answered
from .values import SHARED_MEMORY_FIELDS, Integers

RULE = (
    "Those with the most registers come first, then those with the most shared memory. "
    "Of the same threads and occupancy, what uses no more of anything than another is left out."
)
LIMITERS = 12
"""Characters in which the limiters can be read."""


class ChipHead(NamedTuple):
    """What is said of all answers of a chip, above its best."""

    chip: str
    """What it is called; empty where it is the only one."""
    as_high: int
    """How many have its highest occupancy."""
    answers: int
    best: int
    """How many of the rows are its own."""


class BestAnswers(tuple[dict[str, Any], ...]):
    """The best answers of a sweep, chip after chip: a tuple of dictionaries that prints as a table."""

    heads: tuple[ChipHead, ...]
    inputs: tuple[str, ...]
    """The inputs that vary."""

    def __new__(
        cls, rows: Iterable[dict[str, Any]], heads: Iterable[ChipHead], inputs: Iterable[str]
    ) -> BestAnswers:
        made = super().__new__(cls, rows)
        made.heads, made.inputs = tuple(heads), tuple(inputs)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.heads, self.inputs  # so that it can be copied and pickled

    @overload
    def __getitem__(self, place: SupportsIndex) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> BestAnswers: ...

    def __getitem__(self, place: Any) -> Any:
        """One of the rows; some of them (``[:5]``) print as the table with these alone."""
        found = super().__getitem__(place)
        if not isinstance(place, slice):
            return found
        kept = range(len(self))[place]
        ends = np.cumsum([head.best for head in self.heads])
        counts = np.bincount(np.searchsorted(ends, kept, "right"), minlength=len(self.heads)).tolist()
        heads = (head._replace(best=count) for head, count in zip(self.heads, counts, strict=True))
        return BestAnswers(found, heads, self.inputs)

    def rows(self) -> Sequence[dict[str, Any]]:
        """A list of the dictionaries, as ``rows()`` of every table gives it."""
        return list(self)

    def document(self) -> Document:
        """A table for each chip, how many answers are as good as its first, and what is left out."""
        rest = iter(self)
        blocks = [_of_chip(head, list(islice(rest, head.best)), self.inputs) for head in self.heads]
        has_choice = any(head.as_high and head.answers > 1 for head in self.heads)
        return (*blocks, *([Paragraph(Marked(RULE, "faint"))] if has_choice else []))

    def __str__(self) -> str:
        from ..render.text import to_text

        return to_text(self.document(), reader="python")

    def _repr_html_(self) -> str:
        """The same as HTML, for a notebook."""
        from ..render.html import html

        return html(self.document())


def best_of(sweep: Answered, most: int, where: ArrayLike = True) -> BestAnswers:
    """What `Sweep.best` returns.

    Args:
        sweep: The answers.
        most: Rows of each chip.
        where: Of which answers, as an array that broadcasts to theirs.

    Raises:
        InputError: Less than a row, no such array, or the sweep has no active warps.
    """
    most = parse_count(most, "n")
    if most < 1:
        raise InputError(f"{most} is out of range", where="n", allowed="1 and up")
    shares = sweep.occupancy.reshape(len(sweep.limits), -1)
    wanted = _mask(where, sweep.shape).reshape(shares.shape)
    heads: list[ChipHead] = []
    rows: list[dict[str, Any]] = []
    for chip, its in enumerate(shares):
        launched = np.flatnonzero((its > 0) & wanted[chip])
        of_launched = its[launched]
        best = chain.from_iterable(_best_places(sweep, launched + chip * its.size, of_launched))
        places = np.fromiter(islice(best, most), np.int64)
        rows += sweep.rows_at(places)
        as_high = int(np.count_nonzero(of_launched == of_launched.max())) if launched.size else 0
        name = sweep.names[chip] if len(sweep.names) > 1 else ""
        heads.append(ChipHead(name, as_high, int(np.count_nonzero(wanted[chip])), places.size))
    several = sweep.varying()
    return BestAnswers(rows, heads, (name for name in sweep.inputs if name in several))


def _mask(where: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """An array of true and false, in the shape of the answers."""
    mask = np.asarray(where)
    try:
        wanted = np.broadcast_to(mask, shape)
    except ValueError:
        wanted = None
    if wanted is None or mask.dtype != bool:
        raise InputError(
            f"got {mask.dtype} of shape {mask.shape}",
            where="where",
            allowed=f"bool of shape {shape}, or what broadcasts to it",
            hint="A condition on arrays is one, such as regs >= 64; several are joined by &.",
        )
    return wanted


def _of_chip(head: ChipHead, rows: Sequence[Mapping[str, Any]], inputs: Sequence[str]) -> Together:
    """The best answers of one chip."""
    of_chip = [f"{head.chip}: "] if head.chip else []
    if not head.as_high:
        why = "None of them launches." if head.answers else "There are no answers where asked."
        return Together((Paragraph([*of_chip, why]),))
    if not rows:  # of a slice that has none of this chip
        return Together(())
    highest = f"The highest occupancy is {words.percent(rows[0]['occupancy'])}"
    count = f", in {head.as_high:,} of {words.count(head.answers, 'answer')}"
    title: Line = [*of_chip, Marked(highest, "strong"), count]
    return Together((Paragraph(title), _table(rows, inputs)))


def _table(rows: Sequence[Mapping[str, Any]], inputs: Sequence[str]) -> Table:
    """What varies, and the answers, as far as they were asked for."""
    headers = [words.name(each).capitalize().replace(" ", "\n") for each in inputs]  # room for the limiters
    columns = [*map(Column, headers), Column("Occ."), Column("Warps")]
    has_blocks, has_limiters = ("active_blocks" in rows[0]), ("limiters" in rows[0])
    if has_blocks:
        columns.append(Column("Blocks"))
    if has_limiters:
        columns.append(Column("Limited by", is_number=False, least=LIMITERS))
    lines = [
        (
            *(scale(name).alone(row[name]) for name in inputs),
            words.percent(row["occupancy"]),
            str(row["active_warps"]),
            *([str(row["active_blocks"])] if has_blocks else []),
            *([words.short_names(row["limiters"])] if has_limiters else []),
        )
        for row in rows
    ]
    return Table(columns, lines)


def _best_places(sweep: Answered, launched: Integers, shares: NDArray[np.float32]) -> Iterator[Integers]:
    """The places of one chip in the flat arrays of what launches, best first, in some arrays.

    What decides among equals is looked up for these alone: for all of them it would take gigabytes.

    Args:
        sweep: The answers.
        launched: The places of what launches.
        shares: The occupancy of each of them.
    """
    several = {
        name: np.broadcast_to(each, sweep.shape) for name, each in sweep.inputs.items() if each.size > 1
    }

    def at(name: str, places: Integers) -> Integers:
        return np.asarray(several[name].flat[places], np.int32)  # of what launches none is larger

    sizes = [name for name in SHARED_MEMORY_FIELDS if name in several]
    kinds: list[list[str]] = [["regs"], sizes, *([str(name)] for name in COUNTED)]
    used = [names for names in kinds if names and names[0] in several]
    while launched.size:
        is_highest = shares == shares.max()
        alike = launched[is_highest]
        launched, shares = launched[~is_highest], shares[~is_highest]
        threads = at("threads", alike) if "threads" in several else np.zeros(alike.size, np.int32)
        uses = [reduce(np.add, (at(name, alike) for name in names)) for names in used]
        left = _using_the_most(threads, uses)
        order = np.lexsort([left, threads[left], *(-use[left] for use in reversed(uses))])  # the last first
        yield alike[left[order]]


def _using_the_most(threads: Integers, uses: Sequence[Integers]) -> Integers:
    """Which answers of the same occupancy have none beside them with as many threads that uses at least as
    much of everything; of equals the first.

    Args:
        threads: Threads per block of each.
        uses: What each uses, an array for each resource.
    """
    kept = []
    left = np.argsort(threads, kind="stable")
    while left.size:
        starts = np.flatnonzero(np.diff(threads[left], prepend=-1))
        sizes = np.diff(starts, append=left.size)
        amounts = [use[left] for use in uses]
        # The first in the order of the resources has nothing above it.
        is_most = np.ones(left.size, bool)
        for amount in amounts:
            candidates = np.where(is_most, amount, -1)
            is_most = candidates == np.repeat(np.maximum.reduceat(candidates, starts), sizes)
        places = np.flatnonzero(is_most)
        most = places[np.flatnonzero(np.diff(threads[left[places]], prepend=-1))]
        kept.append(left[most])
        has_more = np.zeros(left.size, bool)
        for amount in amounts:
            has_more |= amount > np.repeat(amount[most], sizes)
        left = left[has_more]
    return np.concatenate(kept)
