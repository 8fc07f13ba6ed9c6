"""The kernels of a build in numbers: how many, for which architectures, how many of them deserve a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..advice.next_steps import USUAL_SIZE
from ..readers import KernelRecord
from ..values.dataclass import copier, dataclass
from ..values.resources import Resource
from .attention import LOW, deserves_a_look, spilled_bytes
from .log_merging import LOGS
from .scanner import Scanner, Verdict

LOW_IN_TIME = 0.25
"""The time of launches with this occupancy or less is summed up. A convention, as `attention.LOW`."""


@dataclass(frozen=True, slots=True)
class ArchitectureOverview:
    """The kernels and launches of one architecture."""

    arch: str | None
    """None: the files do not name it."""
    kernels: int
    """Kernels, and launches that are shown as one."""
    answered: int
    """Those whose occupancy is known, without candidates that an autotuner did not choose; so below."""
    below_half: int
    """Those of an occupancy below 50 %."""
    does_not_launch: int
    spilling: int | None
    """Those that spill registers; None where that is not known of any."""
    with_stack: int
    """Those that use a stack: for spills, for arrays that are indexed by variables, for calls."""
    limited_by: dict[Resource, int]
    """How many each resource limits; where several do, each counts. The most frequent first."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What was found, whether it is shown or not."""

    kernels: int
    """Kernels for one architecture each, and launches that are shown as one."""
    launches: int
    """Of how many launches; 0 where there are none."""
    launch_rows: int
    """How many of ``kernels`` stand for launches."""
    functions: int
    """Different names."""
    not_chosen: int
    """How many of ``kernels`` are candidates that an autotuner did not choose."""
    sizes_stated: int
    """How many of ``kernels`` a file states the block size of."""
    matching: int
    """How many of ``kernels`` are what ``--below`` and ``--spilling`` ask for, shown or not."""
    below_at_usual_size: int
    """How many more ``--below`` would match with blocks of 256 threads, not of the best size."""
    matching_limited_by: dict[Resource, int]
    """How many of those each resource limits, the most frequent first; empty where nothing asked for some."""
    matching_do_not_launch: int
    """How many of those do not launch, which nothing limits; 0 where nothing asked for some."""
    stacks_without_spills: int
    """Those that use a stack and spill nothing: it holds arrays that variables index, or frames of calls."""
    stacks_unknown: int
    """Those that use a stack of which it is not known whether it holds spills."""
    deserve_a_look: int
    """Those that do not launch, spill, have an occupancy below 50 %, or use a stack."""
    of_logs: int
    """How many of ``kernels`` only the output of the compiler tells of, and no image."""
    spilling_functions: int
    """Different names of those that spill."""
    spilling_to_shared: int
    """Those that spill registers to shared memory."""
    losing_to_spills: int
    """Those of them whose occupancy would be higher without that memory."""
    spills_known: int
    """Those of which a file or the code says whether they spill."""
    times_known: int
    """Those whose time is known."""
    traced: int
    """How many of ``kernels`` stand for launches of traces, which have times."""
    time_up_to_quarter_us: float
    """Microseconds of launches of traces with an occupancy of 25 % or less."""
    time_not_known_us: float
    """Microseconds of launches of traces whose occupancy is not known."""
    architectures: tuple[ArchitectureOverview, ...]
    """The oldest first."""

    def total(self) -> ArchitectureOverview:
        """All architectures together."""
        parts = self.architectures
        limited: Counter[Resource] = Counter()
        for each in parts:
            limited.update(each.limited_by)
        return ArchitectureOverview(
            arch="all",
            kernels=self.kernels,
            answered=sum(each.answered for each in parts),
            below_half=self.below_half,
            does_not_launch=self.does_not_launch,
            spilling=self.spilling if self.spills_known else None,
            with_stack=sum(each.with_stack for each in parts),
            limited_by=dict(limited.most_common()),
        )

    @property
    def below_half(self) -> int:
        """Those of an occupancy below 50 %."""
        return sum(each.below_half for each in self.architectures)

    @property
    def spilling(self) -> int:
        """Those that are known to spill."""
        return sum(each.spilling or 0 for each in self.architectures)

    @property
    def does_not_launch(self) -> int:
        """Those that do not."""
        return sum(each.does_not_launch for each in self.architectures)


class Tally:
    """Counts kernels while they pass by.

    Args:
        scanner: What answers for them.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._kinds: Counter[tuple[str | None, Verdict, bool | None, bool, bool]] = Counter()
        self._names: set[str] = set()
        self._spilling_names: set[str] = set()
        self._launches = self._launch_rows = self._times = self._not_chosen = self._sizes_stated = 0
        self._to_shared = self._losing = self._below_at_usual = 0
        self._traced = self._matching = self._of_logs = 0
        self._matching_limited_by: Counter[Resource] = Counter()
        self._matching_do_not_launch = 0
        self._time_up_to_quarter: float = 0
        self._time_not_known: float = 0

    def counted(self, records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
        """The same records, each counted as it comes."""
        verdict_of, kinds, names = self._scanner.verdict, self._kinds, self._names
        for record in records:
            is_run = not record.rejected_by_autotuner
            self._not_chosen += not is_run
            verdict = verdict_of(record) if is_run else Verdict()
            spilled = spilled_bytes(record) if is_run else None
            kinds[
                record.arch,
                verdict,
                None if spilled is None else spilled > 0,
                is_run and bool(record.stack_bytes),
                deserves_a_look(record, verdict),
            ] += 1
            names.add(record.name)
            if spilled:
                self._spilling_names.add(record.name)
            self._to_shared += bool(is_run and record.spill_smem)
            self._losing += verdict.loses_to_spills
            self._of_logs += record.format in LOGS
            self._sizes_stated += record.threads is not None and record.threads_from != "option"
            if record.launches is not None:
                self._launches += record.launches
                self._launch_rows += 1
            self._times += record.duration_us is not None
            if record.is_traced:
                self._traced += 1
                duration = record.duration_us or 0
                if verdict.occupancy is None:
                    self._time_not_known += duration
                elif verdict.occupancy <= LOW_IN_TIME:
                    self._time_up_to_quarter += duration
            yield record

    def above(self, records: Iterable[KernelRecord], below: float) -> Iterator[KernelRecord]:
        """The same records; those are counted that are not below this share, but at a usual block size."""
        verdict = self._scanner.verdict
        for record in records:
            if record.max_threads is None and not self._scanner.is_stated(record):
                best, usual = verdict(record).occupancy, verdict(_sized(record, USUAL_SIZE, None)).occupancy
                self._below_at_usual += usual is not None and best is not None and usual < below <= best
            yield record

    def matched(self, records: Iterable[KernelRecord], with_limiters: bool) -> Iterator[KernelRecord]:
        """The same records, counted as what was asked for."""
        for record in records:
            self._matching += 1
            if with_limiters:
                verdict = self._scanner.verdict(record)
                if verdict.launchable is False:
                    self._matching_do_not_launch += 1
                else:
                    self._matching_limited_by.update(verdict.limiters)
            yield record

    def deserving(self) -> Counter[str | None]:
        """How many deserve a look, for each architecture."""
        found: Counter[str | None] = Counter()
        for (arch, *_, deserves), count in self._kinds.items():
            found[arch] += count * deserves
        return found

    @property
    def is_of_traces(self) -> bool:
        """Whether all are launches of traces."""
        return 0 < self._traced == self._kinds.total()

    def overview(self) -> Overview:
        """What was counted so far."""
        archs = {kind[0] for kind in self._kinds}
        return Overview(
            kernels=self._kinds.total(),
            launches=self._launches,
            launch_rows=self._launch_rows,
            functions=len(self._names),
            not_chosen=self._not_chosen,
            sizes_stated=self._sizes_stated,
            matching=self._matching,
            below_at_usual_size=self._below_at_usual,
            matching_limited_by=dict(self._matching_limited_by.most_common()),
            matching_do_not_launch=self._matching_do_not_launch,
            stacks_without_spills=self._stacks(False),
            stacks_unknown=self._stacks(None),
            of_logs=self._of_logs,
            deserve_a_look=self.deserving().total(),
            spilling_functions=len(self._spilling_names),
            spilling_to_shared=self._to_shared,
            losing_to_spills=self._losing,
            spills_known=sum(count for kind, count in self._kinds.items() if kind[2] is not None),
            times_known=self._times,
            traced=self._traced,
            time_up_to_quarter_us=self._time_up_to_quarter,
            time_not_known_us=self._time_not_known,
            architectures=tuple(map(self._of, sorted(archs, key=age))),
        )

    def _stacks(self, spills: bool | None) -> int:
        return sum(count for kind, count in self._kinds.items() if kind[2] is spills and kind[3])

    def _of(self, arch: str | None) -> ArchitectureOverview:
        kinds = [(kind, count) for kind, count in self._kinds.items() if kind[0] == arch]
        limited: Counter[Resource] = Counter()
        for (_, verdict, *_rest), count in kinds:
            for resource in verdict.limiters:
                limited[resource] += count

        def number(wanted: Iterable[bool]) -> int:
            return sum(count for is_wanted, (_, count) in zip(wanted, kinds, strict=True) if is_wanted)

        shares = [verdict.occupancy for (_, verdict, *_rest), _ in kinds]
        spilling = [kind[2] for kind, _ in kinds]
        return ArchitectureOverview(
            arch=arch,
            kernels=sum(count for _, count in kinds),
            answered=number(share is not None for share in shares),
            below_half=number(share is not None and share < LOW for share in shares),
            does_not_launch=number(kind[1].launchable is False for kind, _ in kinds),
            spilling=number(bool(each) for each in spilling) if spilling != [None] * len(kinds) else None,
            with_stack=number(kind[3] for kind, _ in kinds),
            limited_by=dict(limited.most_common()),
        )


_sized = copier(KernelRecord, "threads", "block_dim")


def age(arch: str | None) -> tuple[bool, int, str]:
    """What architectures are sorted by, the oldest first, and at the end what is not known."""
    digits = "".join(filter(str.isdigit, arch or ""))[:12]
    return arch is None, int(digits or 0), arch or ""
