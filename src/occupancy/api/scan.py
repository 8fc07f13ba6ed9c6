"""The kernels that files hold, with their answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, overload

from ..builds.build import portable, read_build
from ..builds.merging import merge_while_read
from ..builds.overview import Tally
from ..builds.scanner import Scanner, ScanRow
from ..builds.selection import Order, Selection
from ..builds.since import since
from ..builds.traces import is_traced
from ..errors import ReadError
from ..page.listing import Listing, listing
from ..readers import KernelRecord, ReadProblem, read
from ..readers.budget import Allowance
from ..readers.reading import Source
from ..readers.remark import Remark
from ..render.words import count
from ..report.scan import MOST_IN_FULL, ScanReport, missing_for
from ..values.dataclass import dataclass
from .answer import Occupancy
from .reading import Reading, ReadingArguments, takes_reading

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_reading
def scan(
    sources: Source | Sequence[Source],
    *,
    below: float | str | None = None,
    only_spilling: bool = False,
    sort: Order | None = None,
    limit: int | None = None,
    multiprocessor_count: int | None = None,
    **reading: Unpack[ReadingArguments],
) -> Scan:
    """The kernels, or launches, that files, folders and streams hold, with their occupancy.

    What is read: cubins; fatbins, executables, libraries, objects and archives; PTX; the output of
    ``ptxas -v``, ``nvcc --resource-usage`` and ``cuobjdump -res-usage``; Triton's and Inductor's caches;
    reports and CSV of Nsight Compute; traces of PyTorch's profiler. The content decides, not the name.

    Without ``threads``, a kernel has its launch bound, else whatever is best for it.

        >>> for kernel in occupancy.scan("libcurand.so", cc="9.0"):    # doctest: +SKIP
        ...     print(kernel.demangled, kernel.arch, kernel.regs, kernel.answer.occupancy)

    Args:
        sources: A path of a file or folder, ``"-"`` for standard input, an object with ``read`` that
            gives bytes or text; or several of these.
        {arguments}
        below: Only kernels of an occupancy below this: a share, ``0.5``, or percent, ``50``.
        only_spilling: Only kernels that spill registers; where no file says so, those with a stack.
        sort: ``"occupancy"``, lowest first; ``"regs"``, ``"spills"`` or ``"time"``, most first; ``"worst"``:
            what most deserves a look, and nothing that does not. By default as they are found, and launches
            of traces by time; those are one that differ in nothing else.
        limit: The most kernels that are wanted.
        multiprocessor_count: SMs of the GPU, for the waves of launches.

    Returns:
        A sequence of kernels; what could not be read is in its ``problems``.

    Raises:
        ReadError: Nothing at all could be read.
        InputError: An argument out of range.
    """
    return Scan(
        Scanning(
            _several(sources), Reading(**reading), below, only_spilling, sort, limit, multiprocessor_count
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedKernel(ScanRow):
    """One kernel of one architecture, or one launch, as a file states it, with the answer."""

    _scanner: Scanner = field(compare=False)

    @property
    def answer(self) -> Occupancy | None:
        """The whole answer, with its next steps and all else; None where something needed is not known."""
        if self.occupancy is None:
            return None
        limits, kernel = self._scanner.question(self)
        return Occupancy(limits, kernel)

    def __repr__(self) -> str:
        return f"<ScannedKernel {self.title}>"


_ROW = tuple(each.name for each in fields(ScanRow))


MOST_PLOTTED = 40
MOST_OF_A_NAME = 48
"""Characters."""


class Scan(Sequence[ScannedKernel]):
    """Kernels of files, with their answers. Prints itself as ``occupancy scan`` does."""

    def __init__(self, scanning: Scanning) -> None:
        self._scanning = scanning
        self._records = tuple(scanning.records())
        if not self._records and scanning.problems:
            first = scanning.problems[0]
            raise ReadError(first.what, where=first.where)
        self._rows = tuple(scanning.rows(self._records))

    @property
    def problems(self) -> tuple[ReadProblem, ...]:
        """What could not be read."""
        return tuple(self._scanning.problems)

    @property
    def found(self) -> int:
        """How many kernels and launches the sources hold, wanted or not."""
        return self._scanning.found

    def plot(self, ax: Any = None, *, limit: int = MOST_PLOTTED) -> Any:
        """Draw the occupancy of the kernels, as they are sorted.

        Args:
            ax: matplotlib's ``Axes`` to draw into; by default those of a new figure.
            limit: The most kernels that are drawn.

        Returns:
            The ``Axes``.

        Raises:
            MissingDependencyError: matplotlib is not installed.
        """
        from ..render.charts import Picture, RowChart
        from ..render.plot import plot
        from ..render.text.shortening import shortened

        known = [row for row in self._rows if row.occupancy is not None]
        names = shortened((row.demangled for row in known), MOST_OF_A_NAME)
        labels = [f"{names[row.demangled]} {row.arch or ''}".rstrip() for row in known[:limit]]
        more = f", the first {limit} of them" if len(known) > limit else ""
        chart = RowChart(labels, [row.occupancy or 0.0 for row in known[:limit]])
        (axes,) = plot(Picture(f"Occupancy of {count(len(known), 'kernel')}{more}", (chart,)), ax)
        return axes

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dictionaries, lists and numbers: the command's JSON."""
        return self._scanning.report(self._rows).to_dict()

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> ScannedKernel: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ScannedKernel, ...]: ...
    def __getitem__(self, index: int | slice) -> ScannedKernel | tuple[ScannedKernel, ...]:
        if isinstance(index, slice):
            return tuple(map(self._kernel, self._rows[index]))
        return self._kernel(self._rows[index])

    def _kernel(self, row: ScanRow) -> ScannedKernel:
        return ScannedKernel(**{name: getattr(row, name) for name in _ROW}, _scanner=self._scanning.scanner)

    def __repr__(self) -> str:
        problems = f", {count(len(self.problems), 'problem')}" if self.problems else ""
        return f"<Scan of {count(len(self), 'kernel')}{problems}>"

    def __str__(self) -> str:
        return str(self._for_people())

    def _repr_html_(self) -> str:
        return self._for_people()._repr_html_()

    def _for_people(self) -> ScanReport:
        return self._scanning.for_people(self._records)


EXCERPT = 20
"""How many are shown of so many."""


class Scanning:
    """What sources hold, and the answers; each source is read once, as its records are asked for.

    Args:
        sources: What is read, one after the other.
        reading: Which kernels are wanted, and how they are answered for.
        below: See `scan`.
        only_spilling: See `scan`.
        sort: See `scan`.
        limit: See `scan`.
        multiprocessor_count: See `scan`.
        in_full: Whether people are shown all kernels, however many there are.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        reading: Reading,
        below: float | str | None = None,
        only_spilling: bool = False,
        sort: Order | None = None,
        limit: int | None = None,
        multiprocessor_count: int | None = None,
        in_full: bool = False,
    ) -> None:
        self.found = 0
        """How many kernels and launches there are so far."""
        self.time = 0.0
        """Microseconds of all launches of traces so far, wanted or not."""
        self.problems: list[ReadProblem] = []
        """What could not be read so far."""
        self._common = Allowance()
        self.scanner = reading.scanner(
            reading.threads, multiprocessor_count=multiprocessor_count, with_advice=True, common=self._common
        )
        self._selection = reading.selection(
            group=False, below=below, only_spilling=only_spilling, sort=sort, limit=limit
        )
        self._tally = Tally(self.scanner)
        self._in_full = in_full
        self._sources = sources

    def records(self, warn: Callable[[ReadProblem], None] | None = None) -> Iterator[KernelRecord]:
        """The kernels and launches that the sources hold, wanted or not; what several say of one is merged.

        Args:
            warn: Is told what cannot be read, at once.
        """
        for record in merge_while_read(self._read(warn), is_alone=self._is_alone(), tell=self._tell(warn)):
            self.found += 1
            if is_traced(record):
                self.time += record.duration_us or 0
            yield record

    def _read(self, warn: Callable[[ReadProblem], None] | None) -> Iterator[KernelRecord | Remark]:
        tell = self._tell(warn)
        for source in self._sources:
            for found in read(source, self._common):
                if isinstance(found, ReadProblem):
                    tell(found)
                else:
                    yield found

    def _tell(self, warn: Callable[[ReadProblem], None] | None) -> Callable[[ReadProblem], None]:
        def tell(problem: ReadProblem) -> None:
            self.problems.append(problem)
            if warn is not None:
                warn(problem)

        return tell

    def _is_alone(self) -> bool:
        """Whether there is one source, and it is no folder."""
        (source, *others) = self._sources
        return not others and not (isinstance(source, (str, os.PathLike)) and os.path.isdir(source))

    def rows(self, records: Iterable[KernelRecord]) -> Iterator[ScanRow]:
        """For programs: the answers for the kernels that are wanted, as soon as they are known."""
        self._tally = Tally(self.scanner)
        kernels = self._tally.counted(self._selection.kernels(records))
        return map(self._row, self._chosen(self._selection, kernels))

    def _chosen(self, choice: Selection, kernels: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
        """Those that are shown, once those that match are counted."""
        return choice.ordered(self._tally.matched(choice.matching(kernels, self.scanner)), self.scanner)

    def report(self, kernels: Iterable[ScanRow] = ()) -> ScanReport:
        """For programs: what is known once all records are through."""
        return self._report(tuple(kernels), self._selection.sort)

    def for_people(self, records: Iterable[KernelRecord]) -> ScanReport:
        """What people are shown: what belongs to one kernel stands together, and launches that differ in
        nothing of interest are one. Of many kernels only those that most deserve a look, or the first that
        match a filter, unless all were asked for, or so many."""
        self._tally = Tally(self.scanner)
        choice = replace(self._selection, group=True)
        found = list(self._tally.counted(choice.kernels(records)))
        is_excerpt = len(found) > MOST_IN_FULL and not self._in_full and choice.limit is None
        if is_excerpt or choice.has_filter:
            order = choice.order_of_excerpt(self._tally.is_of_traces)
            choice = replace(choice, sort=order, limit=EXCERPT if is_excerpt else choice.limit)
        rows = map(self._row, self._chosen(choice, found))
        return self._report(tuple(rows), choice.sort)

    def listing(self, records: Iterable[KernelRecord], compare: str | None = None) -> Listing:
        """All that is wanted, for the page to list.

        Args:
            records: What was found.
            compare: A baseline, or the path of a build, whose changes are shown.
        """
        self._tally = Tally(self.scanner)
        choice = replace(self._selection, group=True)
        found = list(self._tally.counted(choice.kernels(records)))
        shown = list(self._chosen(choice, found))
        if compare is None:
            return listing(self._shown(shown), self.scanner)
        build = read_build([compare], self._common)
        self.problems += build.problems
        old = [record for record in choice.kernels(build.records) if record.regs is not None]
        compiled = [record for record in found if record.regs is not None]
        became = since(build.name, old, list(map(self._portable, compiled)), self.scanner)
        changes = dict(zip(map(id, compiled), became.changes, strict=True))
        return listing(
            self._shown(shown), self.scanner, became, [changes.get(id(record)) for record in shown]
        )

    def _portable(self, record: KernelRecord) -> KernelRecord:
        """The record with the name that its file has in every build."""
        folders = (
            os.path.join(source, "")
            for source in self._sources
            if isinstance(source, (str, os.PathLike)) and os.path.isdir(source)
        )
        folder = next((each for each in folders if record.source.startswith(each)), record.source)
        return replace(record, source=portable(record.source, folder))

    def _shown(self, records: Iterable[KernelRecord]) -> ScanReport:
        return self._report(tuple(map(self._row, records)), self._selection.sort)

    @property
    def missing(self) -> str:
        """What no kernel had that they were to be sorted by; empty where some had it."""
        return missing_for(self._selection.sort, self._tally.overview())

    def _row(self, record: KernelRecord) -> ScanRow:
        row = self.scanner.row(record)
        if not self.time or not is_traced(record):
            return row
        return replace(row, time_share=(record.duration_us or 0) / self.time)

    def _report(self, kernels: tuple[ScanRow, ...], sort: Order | None) -> ScanReport:
        order = "time" if sort is None and self._tally.is_of_traces else sort
        overview = self._tally.overview()
        return ScanReport(kernels, order, self.found, self.time, overview, tuple(self.problems))


def _several(sources: Source | Sequence[Source]) -> Sequence[Source]:
    if isinstance(sources, (str, os.PathLike)) or not isinstance(sources, Sequence):
        return [sources]
    return tuple(sources)
