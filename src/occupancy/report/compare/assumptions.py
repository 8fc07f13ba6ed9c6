"""What a comparison of builds rests on: block sizes that no file states, candidates that nobody launches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...builds.scan_row import ScanRow
from ...compare.same_sizes import INSTEAD, is_ours
from ...render import words
from ...values.asking import Asking
from ..assumed_sizes import meanings
from ..name_words import short_name


def left_out(not_chosen: int) -> Iterator[str]:
    """How many candidates of autotuners were left out, and why."""
    if not_chosen:
        what = words.count(not_chosen, "candidate")
        yield f"Left out: {what} that an autotuner did not choose, so that nobody launches them."


def assumptions(rows: Sequence[ScanRow]) -> Iterator[str]:
    """Which block sizes the occupancy is for where no source states them."""
    known = [row for row in rows if row.occupancy is not None]
    given: dict[int, list[str]] = {}
    for row in known:
        if row.threads_from == "option" and row.threads is not None:
            given.setdefault(row.threads, []).append(short_name(row))
    others = _not_launched_with(known)
    told = {name for names in others.values() for name in names}
    assumed = [row for row in known if is_ours(row) and short_name(row) not in told]
    if len(given) == 1 and not assumed:
        yield f"For blocks of {next(iter(given)):,} threads where a file does not state the block size."
    else:
        for threads_given, names in given.items():
            yield f"For blocks of {threads_given:,} threads: {words.listing(list(dict.fromkeys(names)))}."
    yield from (f"{words.listing(names)}: {note}" for note, names in others.items())
    if any(row.lacks_dynamic_smem for row in known):
        yield "Dynamic shared memory that no file states counts as none."
    if known_as := meanings(assumed):
        yield Asking.of(
            f"Threads are assumed where no file has them: {known_as}. All sizes are compared; the worst drop "
            "decides. Give ",
            Asking("--threads N", "threads=N"),
            " if you know it, or ",
            Asking("--threads KERNEL=N", 'threads={"KERNEL": N}'),
            " for one kernel.",
        )


def _not_launched_with(rows: Sequence[ScanRow]) -> dict[str, list[str]]:
    """That a size which was given is none of some kernels -> these."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            if note.endswith(INSTEAD) and short_name(row) not in found.setdefault(note, []):
                found[note].append(short_name(row))
    return found


def not_launched(row: ScanRow) -> Iterator[str]:
    """``does not launch with 256 threads``: where the size that was given is none of the kernel."""
    for note in row.notes:
        for end in INSTEAD:
            if note.endswith(f", {end}"):
                yield note.removesuffix(f", {end}").removeprefix("It ")


def about_sizes(unsized: int, asked: Collection[str]) -> Iterator[str]:
    """What decides for kernels whose block size no file states.

    Args:
        unsized: How many there are.
        asked: What the rules ask for.
    """
    if not unsized:
        return
    drop, least = "max_occupancy_drop" in asked, "min_occupancy" in asked
    parts = [
        *["the worst drop counts"] * drop,
        *[f"the best size {'for min_occupancy' if drop else 'counts'}"] * least,
    ]
    unknown = f"Block size unknown ({words.count(unsized, 'kernel')}): {', '.join(parts)}; "
    yield Asking.of(unknown, Asking("--threads", "threads="), " states it.")
