"""The tables of the commands that answer with one, as plain text for every kind of output."""

from __future__ import annotations

from dataclasses import dataclass

from ..report.block_sizes import BlockSizesReport
from ..report.bounds import BoundsReport
from ..report.budget import BudgetReport
from . import words

TIES = (
    "Among equals the larger block stands first, as cudaOccupancyMaxPotentialBlockSize chooses it. "
    "Smaller blocks wait less at barriers and spread better over the SMs."
)


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int]
    """Rows that stand out."""
    of_words: frozenset[int]
    """Columns of words; the others are numbers."""


def budget(report: BudgetReport) -> Grid:
    """A row for each level; the one that was asked for stands out."""
    rows = tuple(
        (
            words.percent(level.occupancy),
            str(level.active_blocks),
            str(level.registers),
            words.size(level.shared_memory),
            "needed" if level.needs_opt_in else "",
        )
        for level in report.levels
    )
    wanted = frozenset({report.levels.index(report.wanted)})
    header = ("Occupancy", "Blocks", "Registers up to", "Shared memory up to", "Opt-in")
    return Grid(header, rows, wanted, frozenset({4}))


def bounds(report: BoundsReport) -> Grid:
    """A row for each chip; those where the bounds are not legal stand out."""
    rows = tuple(
        (
            chip.cc,
            "yes" if chip.legal else "no",
            str(chip.register_cap),
            str(chip.active_blocks),
            words.percent(chip.occupancy),
        )
        for chip in report.chips
    )
    illegal = frozenset(index for index, chip in enumerate(report.chips) if not chip.legal)
    header = ("CC", "Legal", "Register cap", "Blocks", "Occupancy")
    return Grid(header, rows, illegal, frozenset({0, 1}))


def bounds_notes(report: BoundsReport) -> tuple[str, ...]:
    """What to beware of, chip by chip, and how to have the same cap in another way."""
    notes = [
        f"{chip.cc}: {chip.warning}. At most {words.count(chip.most_blocks, 'block')}."
        for chip in report.chips
        if chip.warning is not None
    ]
    registers = report.inputs.regs
    if registers is not None:
        spilling = [chip.cc for chip in report.chips if registers > chip.register_cap]
        if spilling:
            notes.append(
                f"On {words.listing(spilling)} the compiler must spill: {registers} registers are too many."
            )
    caps = {chip.register_cap for chip in report.chips}
    cap = caps.pop() if len(caps) == 1 else "N"
    notes.append(f"The same cap without launch bounds: __maxnreg__({cap}), or nvcc -maxrregcount={cap}.")
    return tuple(notes)


def block_sizes(report: BlockSizesReport) -> Grid:
    """A row for each block size; the best stand out."""
    has_dynamic = any(each.dynamic_smem is not None for each in report.block_sizes)
    dynamic = ("Dynamic",) if has_dynamic else ()
    rows = tuple(
        (
            str(each.threads),
            *((words.size(each.dynamic_smem or 0),) if has_dynamic else ()),
            str(each.active_blocks),
            str(each.active_warps),
            words.percent(each.occupancy),
            words.listing([words.name(limiter) for limiter in each.limiters]),
        )
        for each in report.block_sizes
    )
    header = ("Threads", *dynamic, "Blocks", "Warps", "Occupancy", "Limited by")
    highest = report.block_sizes[0].occupancy
    best = frozenset(i for i, each in enumerate(report.block_sizes) if 0 < each.occupancy == highest)
    return Grid(header, rows, best, frozenset({len(header) - 1}))


def block_sizes_note(report: BlockSizesReport) -> str:
    """Why equals stand in this order, or that there is nothing to order."""
    return TIES if report.block_sizes[0].active_blocks else "No block of any size launches with so much."
