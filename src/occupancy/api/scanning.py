"""What sources hold, and the answers, for programs, for people, and for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..builds.excerpt import MOST, excerpt_of, in_numbers
from ..builds.merging import merge_while_read
from ..builds.overview import Tally
from ..builds.running import RunsOn
from ..builds.scan_row import ScanRow
from ..builds.selection import WORST, Order, Selection, Show
from ..compare.launches import refuse_absent, stated_launches
from ..readers import KernelRecord, ReadProblem
from ..readers.limits import ReadLimits
from ..readers.reading import KernelSource, is_folder, read_each
from ..readers.record import Remark
from ..report.scan.notes import MOST_IN_FULL, missing_for
from ..report.scan.report import ScanReport
from ..report.scan.screen import ScanScreen
from .reading import Reading

MOST_LOOKED_AT = 1 << 12
"""Kernels, to say which names there are where the one that was asked for is not."""


class Scanning:
    """What sources hold, and the answers; each source is read once, as its records are asked for.

    Args:
        sources: What is read, one after the other.
        reading: Which kernels are wanted, and how they are answered for.
        below: See `scan`.
        only_spilling: See `scan`.
        sort: See `scan`.
        limit: See `scan`.
        multiprocessor_count: SMs of the GPU, 1 and up, for the waves of launches; None: those of the product
            that is answered for, else of the GPU that each launch ran on.
        in_full: Whether people are shown all kernels, however many there are.
        reverse: See `scan`.
    """

    def __init__(
        self,
        sources: Sequence[KernelSource],
        reading: Reading,
        *,
        below: float | str | None = None,
        only_spilling: bool = False,
        sort: Order | None = None,
        limit: int | None = None,
        multiprocessor_count: int | None = None,
        in_full: bool = False,
        reverse: bool = False,
    ) -> None:
        self.found = 0
        """How many kernels and launches there are so far."""
        self.shown = 0
        """How many of them were answered for so far."""
        self.do_not_launch = 0
        """How many of those do not launch."""
        self._logs: set[str] = set()
        self._archs: set[str | None] = set()
        """The architectures of all of them so far."""
        self._reading = reading
        self._some: list[KernelRecord] = []
        """The first of them, to say which names there are."""
        self.time = 0.0
        """Microseconds of all launches of traces so far, wanted or not."""
        self.problems: list[ReadProblem] = []
        """What could not be read so far."""
        self._common = ReadLimits()
        if multiprocessor_count is None and reading.chip is not None:
            multiprocessor_count = reading.chip.multiprocessor_count
        self.scanner = reading.scanner(
            reading.threads, multiprocessor_count=multiprocessor_count, with_advice=True, common=self._common
        )
        self._runs_on: RunsOn | None = None
        self._selection = reading.selection(
            group=False,
            below=below,
            only_spilling=only_spilling,
            sort=sort,
            limit=limit,
            reverse=reverse,
        )
        self._order = self._selection.sort
        self._default: Order | None = None
        """The order of kernels where none was asked for; None: as they were found."""
        self._tally = Tally(self.scanner)
        self._in_full = in_full
        self._sources = sources

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle has: not the sources, which are read already, and can be open files."""
        return vars(self) | {"_sources": ()}

    @property
    def is_sorted(self) -> bool:
        """Whether an order was asked for."""
        return self._selection.sort is not None

    def records(self, warn: Callable[[ReadProblem], None] | None = None) -> Iterator[KernelRecord]:
        """The kernels and launches that the sources hold, wanted or not; what several say of one is merged.

        Args:
            warn: Is told what cannot be read, at once.
        """
        merged = merge_while_read(self._read(warn), is_alone=self._is_alone(), tell=self._tell(warn))
        if self._reading.launches:
            kernels = tuple(merged)
            for each in self._reading.launches:
                refuse_absent(each, kernels, "what was read")
            merged = iter(stated_launches(kernels, self._reading.launches))
        for record in merged:
            self.found += 1
            self._archs.add(record.arch)
            if self._reading.chooses_kernels and len(self._some) < MOST_LOOKED_AT:
                self._some.append(record)
            if record.is_traced:
                self.time += record.duration_us or 0
            yield record

    def _read(self, warn: Callable[[ReadProblem], None] | None) -> Iterator[KernelRecord | Remark]:
        tell = self._tell(warn)
        for found in read_each(self._sources, self._common):
            if isinstance(found, ReadProblem):
                tell(found)
                continue
            if isinstance(found, KernelRecord) and found.format == "ptxas":
                self._logs.add(found.source)
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
        return not others and not is_folder(source)

    def rows(self, records: Iterable[KernelRecord], *, as_found: bool = True) -> Iterator[ScanRow]:
        """For programs: the answers for the kernels that are wanted, as soon as they are known.

        Args:
            records: What was found.
            as_found: Whether they stay as they were found where no order was asked for; else they are in that
                in which people are shown them.
        """
        choice = replace(self._selection, as_found=as_found)
        kernels = self._wanted(choice, records)
        if choice.filters_answers:
            kernels = list(kernels)
            choice = self._in_order(choice)
            self._order = choice.sort
        self._default = None if as_found else "occupancy"
        return map(self._row, self._chosen(choice, kernels))

    def _wanted(self, choice: Selection, records: Iterable[KernelRecord]) -> Iterable[KernelRecord]:
        """The kernels that are wanted, counted anew, each as it comes."""
        self._tally, self._runs_on = Tally(self.scanner), None
        return self._tally.counted(choice.kernels(records, self._tell_code))

    def _in_order(self, choice: Selection) -> Selection:
        """The choice with the order of the first of what it chooses, once all that is wanted was counted."""
        return replace(choice, sort=choice.order_of_excerpt(self._tally.is_of_traces))

    def _tell_code(self, runs_on: RunsOn) -> None:
        self._runs_on = runs_on.unless_all

    def _chosen(self, choice: Selection, kernels: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
        """Those that are shown, once those that match are counted."""
        return choice.ordered(self._matching(choice, kernels), self.scanner)

    def _matching(self, choice: Selection, kernels: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
        """Those that match, each counted as it comes."""
        if choice.below is not None:
            kernels = self._tally.above(kernels, choice.below)
        return self._tally.matched(choice.matching(kernels, self.scanner), choice.filters_answers)

    def report(self, kernels: Iterable[ScanRow] = ()) -> ScanReport:
        """For programs: what is known once all records are through."""
        return self._report(tuple(kernels), self._order, self._default)

    def for_people(self, records: Iterable[KernelRecord]) -> ScanScreen:
        """What people are shown: what belongs to one kernel stands together, and launches that differ in
        nothing of interest are one. Of many kernels only those that most deserve a look, or the first that
        match a filter, one of each name where these are for several architectures; unless all were asked
        for, or so many."""
        choice = replace(self._selection, group=True)
        found = list(self._wanted(choice, records))
        are_many = len(found) > MOST_IN_FULL
        is_cut = are_many and not self._in_full and choice.limit is None
        if is_cut or choice.filters_answers:
            choice = self._in_order(choice)
        matching = list(self._matching(choice, found))
        excerpt = None
        if are_many:
            show: Show = "whole_kernels" if is_cut else "rows"
            if is_cut and choice.sort == WORST and self._selection.sort is None:
                show = "one_per_template"
            by_arch = self._tally.deserving() if show == "one_per_template" else in_numbers(matching)
            excerpt = excerpt_of(matching, by_arch, show)
            if is_cut:
                choice = replace(choice, limit=MOST, show=excerpt.show)
        rows = map(self._row, choice.ordered(matching, self.scanner))
        return ScanScreen(self._report(tuple(rows), choice.sort), excerpt, frozenset(self._archs))

    def page_report(self, records: Iterable[KernelRecord]) -> dict[str, Any]:
        """Return the data of the report page."""
        from ..page.report import report_data
        from ..report.scan.summary import summary

        choice = replace(self._selection, group=True)
        found = list(self._wanted(choice, records))
        if choice.filters_answers:
            choice = self._in_order(choice)
        report = self._report(tuple(map(self._row, self._chosen(choice, found))), choice.sort)
        return report_data(report.to_dict(), [str(summary(report))], [str(each) for each in self.problems])

    @property
    def missing(self) -> str:
        """What no kernel had that they were to be sorted by; empty where some had it."""
        return missing_for(self._selection.sort, self._tally.overview())

    @property
    def missing_kernels(self) -> str:
        """What to say where no kernel has the name, or one of the names, or is for the architecture, that was
        asked for."""
        is_known = (not self.shown or len(self._reading.names) > 1) and 0 < self.found <= len(self._some)
        return self._reading.missing(self._some) if is_known else ""

    def _row(self, record: KernelRecord) -> ScanRow:
        self.shown += 1
        row = self.scanner.row(record)
        self.do_not_launch += row.launchable is False
        if not self.time or not record.is_traced:
            return row
        return replace(row, time_share=(record.duration_us or 0) / self.time)

    def _report(
        self, kernels: tuple[ScanRow, ...], sort: Order | None, default: Order | None = None
    ) -> ScanReport:
        overview = self._tally.overview()
        is_of_logs_alone = overview.of_logs == overview.kernels
        logs = tuple(sorted(self._logs)) if overview.spills_known and not is_of_logs_alone else ()
        return ScanReport(
            kernels=kernels,
            sort=sort or ("time" if self._tally.is_of_traces else default),
            reverse=self._selection.reverse,
            found=self.found,
            time_us=self.time,
            runs_on=self._runs_on,
            gpu=None if self._reading.chip is None else self._reading.chip.name,
            threads=self._reading.threads,
            multiprocessor_count=self.scanner.multiprocessor_count,
            overview=overview,
            spill_logs=logs,
            problems=tuple(self.problems),
        )
