"""The kernels of files, with their occupancy."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict, overload

from ..builds.merge import merge
from ..builds.names import count_kernels, matches
from ..builds.rows import LAUNCH_SIZES, Evaluator, ScannedKernel
from ..builds.select import ORDERS, Order, Selection, names_there
from ..errors import ErrorCollector, InputError, shown
from ..readers import KernelRecord, KernelSource, ReadProblem
from ..readers.reading import STANDARD_INPUT, read_each
from ..report.model import Report
from ..report.scan import Finding, ScanSummary, chosen_columns, findings, scan_report, summary
from ..report.words import given_name
from ..tables.gpus import Gpu, LimitsTable, compute_capabilities_of, find_gpu
from ..values.fields import Unpack, reject_unknown
from ..values.limits import ComputeCapability
from ..values.records import FrozenDict
from ..values.spellings import did_you_mean, in_range, parse_count, parse_optional, parse_share
from .occupancy import GpuLike, occupancy_on
from .results import Printed

if TYPE_CHECKING:
    from ..compare.rules import Rule

Path = str | os.PathLike[str]
Paths = Path | Sequence[Path]
BlockSizeLike = int | str | tuple[int, ...]
ArchitectureLike = str | int | tuple[int, int] | ComputeCapability

EVERY = "*"
"""Pattern of the kernels that no other one matches."""


class SelectionOptions(TypedDict, total=False):
    """Keyword arguments of `scan` and `save_baseline`."""

    threads: BlockSizeLike | Mapping[str, BlockSizeLike] | None
    dynamic_smem: int | str | Mapping[str, int | str] | None
    name: str | Sequence[str] | None
    arch: ArchitectureLike | Sequence[ArchitectureLike]
    only_newest: bool
    with_runtime: bool


class ReadingOptions(SelectionOptions, total=False):
    """Keyword arguments of `scan` that `diff` and `check` share."""

    gpu: GpuLike | None
    multiprocessor_count: int | str | None
    limits_file: Path | None


class Reading:
    """The files, kernels and limits that a function's `ReadingOptions` choose."""

    def __init__(self, options: Mapping[str, Any], function: Any, known: type = ReadingOptions) -> None:
        reject_unknown(options, function, known.__annotations__)
        self.options = options
        table = LimitsTable(options.get("limits_file"))
        self.given = {name: _by_pattern(options.get(name), parse) for name, parse in LAUNCH_SIZES.items()}
        """Sizes of kernels whose file does not record them, by patterns of names."""
        self.threads = self.given["threads"].get(EVERY)
        self.sizes = [
            (name, pattern, value)
            for name, values in self.given.items()
            for pattern, value in values.items()
            if (name, pattern) != ("threads", EVERY)
        ]
        """Name, pattern and value of each but threads for all, which apply up to the launch bound: see `Evaluator`."""
        self.gpu = None if options.get("gpu") is None else find_gpu(options["gpu"], table)
        """GPU to compute for, in place of the one that each kernel was compiled for."""
        archs = as_list(options.get("arch"))
        texts = [part for arch in archs for part in (arch.split(",") if isinstance(arch, str) else [arch])]
        wanted = [] if "all" in texts else texts
        self.selection = Selection(
            names=tuple(str(part) for part in as_list(options.get("name")) if part),
            archs=tuple(frozenset(compute_capabilities_of(text, table)) for text in wanted),
            only_newest=options.get("only_newest", False),
            with_runtime=options.get("with_runtime", False),
            # Architectures that were chosen are shown whether the GPU runs their code or not.
            gpu=None if self.gpu is None or texts else self.gpu.limits.compute_capability,
        )
        self.selects = self.selection != Selection(with_runtime=self.selection.with_runtime)
        sms, where = options.get("multiprocessor_count"), "multiprocessor_count"
        self.multiprocessor_count = None if self.gpu is None else self.gpu.multiprocessor_count
        if sms is not None:
            self.multiprocessor_count = in_range(parse_count(sms, where, "Write one such as 132."), where)
        self._gpu_of = cache(lambda cc: Gpu(table.limits(cc)))

    def evaluator(self, threads: int | None = None) -> Evaluator:
        threads = self.threads or threads
        selects = self.selection.gpu is not None
        return Evaluator(self._gpu_of, occupancy_on, threads, self.gpu, self.multiprocessor_count, selects)

    def check_names(self, records: Sequence[KernelRecord]) -> None:
        """Refuse names and architectures that no kernel has, and sizes for such names."""
        replace(self.selection, only_newest=False, gpu=None).records(records)
        names = {record.name for record in records} if self.sizes else set()
        for name, pattern, _ in self.sizes:
            if names and not (pattern and any(matches(pattern, each) for each in names)):
                problem = f"no kernel is called {shown(pattern)}"
                raise InputError(problem, where=name, **names_there(pattern, names))

    def sized(self, records: Iterable[KernelRecord], rules: Sequence[Rule] = ()) -> list[KernelRecord]:
        """Return records with the sizes of rules, then of options."""
        rules = [rule for rule in rules if rule.threads is not None or rule.dynamic_smem is not None]
        if not rules and not self.sizes:
            return list(records)
        from ..compare.rules import Rule

        own: Any = ({"kernels": pattern, name: value} for name, pattern, value in self.sizes)
        return list(with_launch_sizes(records, [*rules, *(Rule(**each) for each in own)]))

    def inputs(self, **others: Any) -> dict[str, Any]:
        """Return the given arguments, with those of the function, for a report."""
        sizes = {name: (len(of) == 1 and of.get(EVERY)) or FrozenDict(of) for name, of in self.given.items()}
        archs = tuple(sorted(each.sm for each in frozenset().union(*self.selection.archs)))
        values = others | sizes | {
            "cc": self.gpu and self.gpu.cc, "gpu": self.gpu and given_name(self.gpu), "names": self.selection.names,
            "archs": archs, "newest": self.selection.only_newest, "sms": self.multiprocessor_count,
        }  # fmt: skip
        return FrozenDict((name, value) for name, value in values.items() if value)


def _by_pattern(given: Any, parse: Callable[[object], int]) -> dict[str, int]:
    """Return the parsed values by patterns, that of all kernels first, because the last match wins."""
    values = given if isinstance(given, Mapping) else {EVERY: given}
    for_all_first = sorted(values.items(), key=lambda item: item[0] != EVERY)
    return {str(pattern): parse(value) for pattern, value in for_all_first if value is not None}


def with_launch_sizes(records: Iterable[KernelRecord], rules: Sequence[Rule]) -> Iterator[KernelRecord]:
    """Apply the sizes of rules to records; the last matching rule wins."""
    for record in records:
        changes: dict[str, Any] = {}
        for rule in (each for each in rules if each.matching(record)):
            if rule.threads is not None and record.threads is None:
                changes |= {"threads": rule.threads, "threads_from": "option"}
            if rule.dynamic_smem is not None and record.lacks_dynamic_smem:
                changes["dynamic_smem"] = rule.dynamic_smem
        yield replace(record, **changes) if changes else record


def scan(
    sources: KernelSource | Sequence[KernelSource], *, below: float | str | None = None, only_spilling: bool = False,
    sort: Order | None = None, limit: int | None = None, **options: Unpack[ReadingOptions],
) -> Scan:  # fmt: skip
    """Return the kernels, or launches, of files, folders and streams, with their occupancy.

    It reads cubins, fatbins, executables, libraries, objects, archives, wheels, zip files and PTX, the output of
    ``ptxas -v``, ``nvcc --resource-usage`` and ``cuobjdump -res-usage``, caches of Triton and Inductor, reports
    and CSV of Nsight Compute, and traces of PyTorch's profiler. Files are recognized by content.

        >>> for kernel in occupancy.scan("libcurand.so", gpu="9.0"):    # doctest: +SKIP
        ...     print(kernel.short_name, kernel.arch, kernel.regs, kernel.occupancy)

    Args:
        sources: Files, folders, ``"-"`` for standard input, or objects whose ``read`` returns bytes or text.
        below: Only kernels below this occupancy, such as ``0.5`` or ``"50%"``.
        only_spilling: Only kernels that spill registers.
        sort: ``"occupancy"``, lowest first, or ``"regs"``, ``"spills"``, ``"stack"`` or ``"time"``, highest
            first. The default is time for traces, and occupancy for other files.
        limit: Maximum number of kernels to return.
        threads: Threads per block of kernels whose file does not contain them, or a dictionary from patterns
            of names to threads. By default, or above the launch bound: the launch bound, or 256 without one.
            ``threads_assumed`` is then True. A dictionary's threads are used even above the launch bound.
        dynamic_smem: Dynamic shared memory per block of kernels whose file does not contain it: bytes, text such as
            ``"48k"``, or a dictionary from patterns of names to sizes. The default is 0.
        gpu: GPU or compute capability; by default, the architecture of each kernel.
        name: Part of a name, or several, of which one must match; ``*`` matches any text.
        arch: Only kernels for these architectures, such as ``["sm_80", "hopper"]``, with their variants, such as
            ``sm_90a``. ``"all"`` includes code that ``gpu`` cannot load.
        only_newest: Only the newest architecture of each kernel.
        with_runtime: Include kernels of the CUDA device runtime.
        multiprocessor_count: Number of SMs, for waves; by default that of the named GPU, or of the GPU of
            each launch.
        limits_file: Table of limits in YAML or TOML.

    Returns:
        A sequence of kernels without identical copies. ``problems`` lists the damaged parts of the files.

    Raises:
        ReadError: Nothing could be read.
        InputError: An argument is out of range, or no kernel has such a name or architecture.
    """
    reading = Reading(options, scan)
    if sort is not None and sort not in ORDERS:
        raise InputError(f"{shown(sort)} is unknown", where="sort", **did_you_mean(str(sort), ORDERS))
    limit = None if limit is None else in_range(parse_count(limit, "limit"), "limit")
    share = parse_optional(parse_share, below, "below")
    selection = replace(reading.selection, below=share, only_spilling=only_spilling, sort=sort, limit=limit)
    records, problems, _ = merge(read_each(as_sources(sources, "sources")))
    if not records:
        with ErrorCollector() as errors:
            for problem in problems:
                errors.add(problem.error())
    reading.check_names(records)
    wanted = reading.sized(selection.records(records))
    rows = reading.evaluator().rows(wanted, sum(record.duration_us or 0 for record in records))
    chosen = selection.filtered(rows)
    counts = summary(chosen)
    if only_spilling and not chosen:  # 0 if spills are known
        counts = counts._replace(spilling=summary(rows).spilling)
    inputs = reading.inputs(below=share, spilling=only_spilling, limit=limit)
    found = counts.kernels if len(chosen) == len(records) else count_kernels(records)
    kernels, key = tuple(selection.ordered(chosen)), selection.order(chosen)
    order = f"{'lowest' if key == 'occupancy' else 'most'} {key} first"
    return Scan(kernels, tuple(problems), counts, found, inputs, order)


@dataclass(frozen=True, repr=False)
class Scan(Printed, Sequence[ScannedKernel]):
    """Kernels of files, with their occupancy: a sequence that prints as ``occupancy scan``.

    ``problems`` are the damaged parts of the files, ``summary`` counts the kernels before ``limit``, and ``found``
    all kernels in the files, each once for all of its architectures and launches.
    """

    kernels: tuple[ScannedKernel, ...]
    problems: tuple[ReadProblem, ...]
    summary: ScanSummary
    found: int
    inputs: Mapping[str, Any]
    """Arguments, as in the JSON."""
    order: str
    """Order of the kernels, in words."""

    def findings(self) -> list[Finding]:
        """Return the kernels that cannot launch, spill, or have an occupancy below 50%."""
        return list(findings(self.kernels))

    def report(self, columns: str | Sequence[str] = (), *, in_full: bool = False) -> Report:
        """Return the report with columns by their titles or by their names in CSV, or with all rows."""
        return scan_report(self, chosen_columns(as_list(columns)), in_full=in_full)

    def __len__(self) -> int:
        return len(self.kernels)

    @overload
    def __getitem__(self, index: int) -> ScannedKernel: ...
    @overload
    def __getitem__(self, index: slice) -> Scan: ...
    def __getitem__(self, index: int | slice) -> Any:
        chosen: Any = self.kernels[index]
        if isinstance(index, slice):
            return replace(self, kernels=chosen, summary=summary(chosen), found=self.found if chosen else 0)
        return chosen

    def __repr__(self) -> str:
        return f"<Scan: {self.report().headline[0]}{f', {len(self.problems)} problems' if self.problems else ''}>"


def as_list(given: Any) -> list[Any]:
    if given is None:
        return []
    is_one = isinstance(given, (str, bytes)) or hasattr(given, "read") or not isinstance(given, Iterable)
    return [given] if is_one else list(given)


def as_sources(given: Any, where: str, *, with_streams: bool = True) -> list[Any]:
    several = as_list(given)
    if several.count(STANDARD_INPUT) > 1:
        hint = "Pass a file for one of them."
        raise InputError("standard input (-) is given twice", where=where, hint=hint)
    for source in several or [given]:
        is_text = isinstance(source, str) and re.search("\n| registers|^$", source)
        is_path = isinstance(source, (str, os.PathLike)) and (not is_text or os.path.exists(source))
        if not is_path and not (with_streams and hasattr(source, "read")):
            streams = ", or `io.BytesIO` (`- for standard input`)" if with_streams else ""
            raise InputError(f"{shown(source)} is not a path", where=where, hint=f"Pass paths{streams}.")
    return several if with_streams else list(map(os.fspath, several))
