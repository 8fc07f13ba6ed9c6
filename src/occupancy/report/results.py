"""Columns that results share, and an `Occupancy` as a row of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from operator import methodcaller
from typing import Any

from ..advice.launch_bounds import RegisterCap, register_cap
from ..advice.launch_requirements import opt_ins
from ..advice.next_steps import NextStep, next_steps
from ..advice.slack import carveout
from ..advice.waves import FullWave, WavesFields, full_wave
from ..engine import Result, limiting
from ..values.numbers import listed, percent, plain, size
from .model import Column, Note, Paragraph, Report, Section, note, values_of
from .words import LABELS, given_name, gpu_name, is_size, kernel_text, label, labels, limit_text, result_text


class ResultRow:
    """An `Occupancy` with the advice on it, each part computed when a column or a detail needs it."""

    def __init__(
        self, result: Result, wave: FullWave | None = None, waves: WavesFields | None = None
    ) -> None:
        self.result, self.waves = result, waves
        self.gpu, self.kernel = result.gpu, result.kernel
        sms = self.gpu.multiprocessor_count
        self.wave = full_wave(result, sms) if wave is None and sms is not None else wave

    @cached_property
    def steps(self) -> tuple[NextStep, ...]:
        """Higher occupancies; none for a grid of at most one wave, whose blocks are all resident."""
        return () if self.is_one_wave else tuple(next_steps(self.result))

    @property
    def is_one_wave(self) -> bool:
        return self.waves is not None and self.waves.waves <= 1 and not self.waves.full_wave.is_upper_bound

    def cap(self, step: NextStep) -> RegisterCap | None:
        """Return the compiler's register cap for a step; None if the registers do not change."""
        registers = step.requires.get("regs")
        if registers is None or "threads" in step.requires:
            return None
        return register_cap(self.result, registers, step.active_blocks)

    @property
    def next_steps(self) -> list[dict[str, Any]]:
        """The steps as plain values, each with both ways to cap the registers."""
        return [
            {**step._asdict(), "launch_bounds": cap and cap.launch_bounds, "maxnreg": cap and cap.maxnreg}
            for step, cap in zip(self.steps, map(self.cap, self.steps), strict=True)
        ]

    @property
    def clusters(self) -> dict[str, Any] | None:
        size = self.kernel.cluster_size
        bound = size and self.wave and values_of(self.wave, "clusters", "blocks", "is_upper_bound")
        return {"cluster_size": size, **bound} if bound else None

    @property
    def opt_ins(self) -> list[str]:
        return list(opt_ins(self.result))

    @property
    def carveout(self) -> dict[str, Any] | None:
        smallest = carveout(self.result).smallest
        return smallest and values_of(smallest, "shared_memory", "percent", "l1", "active_blocks")


def wave_blocks(wave: FullWave) -> str:
    return f"up to {wave.blocks:,}" if wave.is_upper_bound else f"{wave.blocks:,}"


RESULT_COLUMNS = (
    Column("gpu", "GPU", lambda row: given_name(row.gpu),
           show=lambda row: gpu_name(row.gpu) if given_name(row.gpu) else "-",
           about="Name of the GPU, if one was given", align="left", type="string"),
    Column("cc", "CC", "gpu.cc", about="Compute capability", align="left", type="string"),
    Column("model", value="result.model", about='"cuda" or "spreadsheet"', type="string"),
    Column("launchable", value="result.launchable", about="True if the kernel launches", type="boolean"),
    Column("reason", value="result.reason", about="Reason why the kernel does not launch", type="string"),
    Column("occupancy", "Occupancy", "result.occupancy",
           show=lambda row: percent(row.result.occupancy) if row.result.launchable else "no launch",
           about="Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", "result.active_blocks", about="Resident blocks per SM", type="integer",
           show=lambda row: plain(row.result.active_blocks if row.result.launchable else 0)),
    Column("multiprocessor_count", value=lambda row: (row.wave or row.gpu).multiprocessor_count,
           about="SMs of the GPU, or as given", type="integer"),
    Column("resident_blocks", "Whole GPU", lambda row: row.wave and row.wave.blocks, optional=2, type="integer",
           show=lambda row: wave_blocks(row.wave) if row.wave else "-",
           about="Resident blocks of the whole GPU; with clusters, an upper bound in whole clusters"),
    Column("active_warps", value="result.active_warps", about="Resident warps per SM", type="integer"),
    Column("limiters", "Limited by", lambda row: list(limiting(row.result)), text=labels, about="Limiting resources",
           align="left", wraps=True, type="array"),
    Column("resources", value=lambda row: {name: use._asdict() for name, use in row.result.resources.items()},
           type="object", about="Amount per block, amount per SM and block limit of each resource; null: no limit"),
)  # fmt: skip
"""Keys of `Occupancy.to_dict`, too. Most fit any row with a ``gpu`` and a ``result``."""


def gpu_notes(gpus: Iterable[Any], results: Iterable[Any] = ()) -> list[Note]:
    """Return notes on limits that differ from the table, and on a permit of tensor memory that limits."""
    names, known = dict[str, list[str]](), (getattr(each, "gpu", each) for each in gpus)
    for gpu in dict.fromkeys({id(each): each for each in known}.values()):  # thousands of rows share them
        changes = gpu.limits.changes
        if "max_shared_memory_per_multiprocessor" in changes:
            changes.pop("shared_memory_configurations", None)  # the largest is the maximum
        if changes:
            text = ", ".join(f"{name}={limit_text(name, value)}" for name, value in changes.items())
            names.setdefault(text, []).append(gpu.label)
    notes = [note("changed-limits", gpus=listed(on), changes=text) for text, on in names.items()]
    has_permit = any(result.limiters == ("virtual_resources",) for result in results)
    return [*notes, note("tensor-memory")] if has_permit else notes


def gpu_remarks(rows: Sequence[Any], reasons: Sequence[str | None]) -> list[Section]:
    """Return a line for each reason for a failure, and for each opt-in, with the GPUs."""
    gpus: dict[str, list[str]] = {}
    for row, reason in zip(rows, reasons, strict=True):
        problem = reason and reason.removeprefix(f"compute capability {row.gpu.cc} has ")
        for remark in [problem] if problem else [f"call {call}" for call in getattr(row, "opt_ins", ())]:
            gpus.setdefault(remark, []).append(gpu_name(row.gpu))
    lines = [f"{'All' if len(on) == len(rows) > 1 else ', '.join(on)}: {text}" for text, on in gpus.items()]
    return [Paragraph(lines)] if lines else []


def part_report(
    parts: Sequence[Any], name: str, rows: list[dict[str, Any]], details: Sequence[Section] = (),
    own_notes: Iterable[Note] = (),
) -> Report:  # fmt: skip
    """Return the report of some advice on each of some results; details replace the table of its rows."""
    first, *others = (part.result for part in parts)
    headline = [] if others else [result_text(first)]
    headline.append(kernel_text(first.kernel, first.gpu, *(each.gpu for each in others)))
    columns = list(map(keyed_column, dict.fromkeys(key for row in rows for key in row)))
    inputs, notes = first.kernel.to_dict(), [*gpu_notes(part.result for part in parts), *own_notes]
    return Report(name, headline, columns, rows, "results", inputs, details, notes, has_table=not details)


def keyed_column(key: str) -> Column:
    """Return the column of a key of dictionaries, an input or part of a result."""
    column = next((each for each in RESULT_COLUMNS if each.key == key), Column(key))
    title = column.title or LABELS.get(key, label(key)).partition(" per ")[0]
    texts = dict[str, Callable[[Any], str]](occupancy=percent, limiters=labels, shared_memory=size, l1=size)
    return column._replace(
        title=title[:1].upper() + title[1:], value=methodcaller("get", key),
        text=texts.get(key, size if is_size(key) else None), show=None,
    )  # fmt: skip
