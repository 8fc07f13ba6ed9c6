"""What the numbers of a scan rest on, in sentences below the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from ...advice.next_steps import USUAL_SIZE
from ...builds.attention import has_stack_of_unknown_spills
from ...builds.overview import Overview
from ...builds.scan_row import ScanRow
from ...builds.selection import Order
from ...builds.spill_cost import SpillCost
from ...render import words
from ...render.document import About
from ...values.asking import Asking, reworded
from ..assumed_sizes import AT_USUAL, at_usual_size, meanings
from ..name_words import MOST_IN_A_NOTE, brief_name
from ..other_warps import MEANING as MEANING_OF_OTHER_WARPS
from ..other_warps import TITLE as OTHER_WARPS
from ..source_files import copies_in_words, file_names, short_paths
from ..spilled_bytes import NOT_IN_LOGS, logs_are_in_doubt, meaning_of_spills
from .profiled import OF_REPORTED, REPORTED, of_achieved, of_nsight, where_profiled, with_their_waves
from .spills import TO_SHARED, WITHOUT, cost_in_all, cost_in_words
from .stages import stages_there

if TYPE_CHECKING:
    from .report import ScanReport

MOST_IN_FULL = 60
"""More kernels than this are not shown to people one by one unless that was asked for."""
MOST_NOTES = 4
"""About kernels; the JSON has each with its kernel."""
WHO_KNOWS = "ptxas -v says it, and code from sm_70 on."
UNKNOWN_STACK = f"Stack: nothing says whether it holds spills, or arrays that variables index. {WHO_KNOWS}"


def footnotes(report: ScanReport) -> Iterator[str | About]:
    """What the numbers rest on."""
    rows = report.kernels
    yield from _unsorted(report)
    yield from _of_spills(report)
    if report.sort == "spills":
        yield from _of_other_stacks(report)
    elif any(map(has_stack_of_unknown_spills, rows)):
        yield UNKNOWN_STACK
    yield from _of_given_threads(report)
    yield from _assumed(rows)
    if any(map(at_usual_size, rows)):
        usual = f"the usual {USUAL_SIZE} threads"
        yield About(AT_USUAL, f"{AT_USUAL}: the occupancy at {usual}, where it is less, and what limits it.")
    if more := report.overview.below_at_usual_size:
        verb = "is" if more == 1 else "are"
        options = f"--threads {USUAL_SIZE}"
        which = Asking(options, f"threads={USUAL_SIZE}", f"occupancy scan {options}")
        as_low = f"{more:,} more {verb} as low at the usual {USUAL_SIZE} threads: "
        yield Asking.of(as_low, which, " shows which.")
    if copies := copies_in_words(rows, report.spill_logs):
        yield copies
    yield from of_achieved(rows, with_their_waves(report))
    yield from of_nsight(rows)
    yield from where_profiled(report)
    yield from _of_triton(rows)
    yield from _of_what_if(report)
    notes = list(_of_kernels(rows))
    yield from notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        where = Asking("--format json", "to_dict()", "occupancy scan --format json")
        yield Asking.of(f"{words.count(len(notes) - MOST_NOTES, 'more note')} in ", where, ".")


def _of_what_if(report: ScanReport) -> Iterator[str]:
    """That code for an architecture says only so much about another one."""
    elsewhere = [row for row in report.kernels if row.what_if and row.cc]
    if elsewhere:
        product = f"{report.gpu}, compute capability " if report.gpu else ""
        ours = words.listing(sorted({row.cc or "" for row in elsewhere}))
        other = "other registers"
        if any(row.num_warps is not None and row.shared_memory for row in elsewhere):
            other += f", Triton also other shared memory{stages_there(elsewhere)}"
        yield (
            f"What if: compiled for another architecture, answered for {product}{ours}; a compiler for that "
            f"one may use {other}."
        )


def _of_triton(rows: Sequence[ScanRow]) -> Iterator[str | About]:
    """What its options change, what other warps have to reach, and how fewer of them are tried."""
    of_triton = [row for row in rows if row.num_warps is not None]
    if any(row.next_step is not None for row in of_triton):
        from ...advice.launch_bounds import FEWER_IN_TRITON  # which other kernels do not wait for

        yield (
            "Triton: fewer num_stages or a smaller tile take less shared memory; "
            f"{FEWER_IN_TRITON}, by how much shows only after compiling. A step that names both needs both."
        )
    if any(row.other_warps for row in of_triton):
        yield About(OTHER_WARPS, MEANING_OF_OTHER_WARPS)
    if any(row.next_step is not None or row.other_warps for row in of_triton):
        yield (
            "occupancy.triton.early_config_prune() drops configurations before they are compiled "
            "(docs/autotuning.md)."
        )


def _of_given_threads(report: ScanReport) -> Iterator[str]:
    """That a block size was given for nothing."""
    overview = report.overview
    if report.threads is not None and overview.kernels and overview.sizes_stated == overview.kernels:
        given = Asking(f"--threads {report.threads}", f"threads={report.threads}")
        whose = (
            "the file states its block size" if overview.kernels == 1 else "all block sizes are in the files"
        )
        yield Asking.of(given, f" changed nothing: {whose}.")


def _unsorted(report: ScanReport) -> Iterator[str]:
    """That an order is none, because nothing that was found has what to sort by."""
    missing = missing_for(report.sort, report.overview)
    if missing and len(report.kernels) > 1:
        yield f"Not sorted by {report.sort}: {missing}."


def _assumed(rows: Sequence[ScanRow]) -> Iterator[str]:
    """What counts for the occupancy where no file says it."""
    assumed: list[str] = []
    if sizes := meanings(rows):
        how = Asking(
            "--threads N if you know it",
            "threads=N if you know it",
            "occupancy scan --threads N answers for another size",
        )
        assumed += [f"threads ({sizes}; ", how, ")"]
    if any(row.occupancy is not None and row.lacks_dynamic_smem for row in rows):
        assumed.append(f"{', ' if assumed else ''}no dynamic shared memory (chosen at launch)")
    if assumed:
        yield Asking.of("Assumed where no file says it: ", *assumed, ".")


def missing_for(sort: Order | None, overview: Overview) -> str:
    """What no kernel has that they were to be sorted by; empty where some have it."""
    if sort == "spills" and not overview.spills_known:
        by = ", so by the stack" if overview.stacks_unknown else ""
        return f"nothing says what spills{by}; ptxas -v does, and code from sm_70 on"
    if sort == "time" and not overview.times_known:
        return "no file has times; profiles have them"
    return ""


def _of_spills(report: ScanReport) -> Iterator[str | About]:
    """What the numbers of the column are, and which logs they are from."""
    in_code = any(row.spills and any(row.spills) for row in report.kernels)
    logs = list(short_paths(report.spill_logs).values())
    said_by = f", from {words.listing(_first(logs))}" if logs and in_code else ""
    if in_code:
        yield About("Spills", meaning_of_spills(report.kernels, said_by))
    if logs_are_in_doubt(report.kernels):
        yield NOT_IN_LOGS
    yield from _of_spills_to_shared([row for row in report.kernels if row.spill_smem], report)


def _of_spills_to_shared(rows: Sequence[ScanRow], report: ScanReport) -> Iterator[About]:
    """Which files do that, and what it costs: here, and with fewer threads."""
    if not rows:
        return
    of = report.kernels
    name = file_names(of)
    files = sorted(set(map(name, rows)))
    only = f", in {words.listing(_first(files))}" if len(files) < len(set(map(name, of))) else ""
    meaning = f"{TO_SHARED}: shared memory of a block that registers are spilled to{only}"
    worst: dict[str, SpillCost] = {}
    for cost, kernel in sorted(((row.spill_cost, brief_name(row)) for row in rows), key=_most_first):
        if cost is not None and cost.worst is not None:
            worst.setdefault(kernel, cost)
    most = "; ".join(_first([f"{kernel} {cost_in_words(cost)}" for kernel, cost in worst.items()]))
    yield About(TO_SHARED, f"{meaning}. {cost_in_all(report.overview, most)}")
    yield About(WITHOUT, f"{WITHOUT}: the occupancy without what spills to shared memory, where it is more.")


def _most_first(spilling: tuple[SpillCost | None, str]) -> float:
    cost, _ = spilling
    return 0 if cost is None else (cost.worst or 0) - (cost.worst_without or 0)


def _of_other_stacks(report: ScanReport) -> Iterator[str]:
    """What has a stack and is not known to spill, and how it is shown."""
    overview = report.overview
    rest, unknown = overview.stacks_without_spills, overview.stacks_unknown
    how = Asking("--sort stack", 'sort="stack"', "sort by Stack in a scan without --spilling")
    if rest:
        no_spills = f"{_with_a_stack(rest)} for arrays or calls and spill{'s' * (rest == 1)} nothing: "
        yield Asking.of(no_spills, how, ".")
    if unknown and (overview.spills_known or not report.kernels):  # else that is said where the order is
        in_doubt = f"{_with_a_stack(unknown)} of which nothing says whether it holds spills: "
        yield Asking.of(in_doubt, how, f". {WHO_KNOWS}")


def _with_a_stack(number: int) -> str:
    return f"{words.count(number, 'kernel')} {'has' if number == 1 else 'have'} a stack"


def _of_kernels(rows: Sequence[ScanRow]) -> Iterator[str | About]:
    """The notes, each once, with the kernels that it is about where it is not about all."""
    about: dict[str, list[ScanRow]] = {}
    for row in rows:
        for note in _notes(row):
            about.setdefault(note, []).append(row)
    for note, those in about.items():
        who = "" if len(those) == len(rows) else f"{_names(those, rows)}: "
        line = Asking.of(who, reworded(note, lambda text: words.capitalised(text).rstrip(".") + "."))
        yield About(REPORTED, line) if note in OF_REPORTED else line


def _notes(row: ScanRow) -> Iterator[str]:
    if row.reason is not None:
        yield f"Does not launch: {row.reason}"
    yield from row.notes


def _names(those: Sequence[ScanRow], rows: Sequence[ScanRow]) -> str:
    """The kernels, with their files where others of the name are in others; or how many there are."""
    ours = {id(row) for row in those}
    elsewhere = {row.name: row.source for row in rows if id(row) not in ours}
    names = dict.fromkeys(
        brief_name(row)
        + (
            f" ({words.printable(PurePath(row.source).name)})"
            if elsewhere.get(row.name, row.source) != row.source
            else ""
        )
        for row in those
    )
    return words.listing(list(names)) if len(names) <= MOST_IN_A_NOTE else words.count(len(names), "kernel")


def _first(names: list[str]) -> list[str]:
    return words.first_of(names, MOST_IN_A_NOTE)
