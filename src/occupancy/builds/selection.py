"""Which of the kernels that were found are shown, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Literal, TypeVar, get_args

from ..errors import shown
from ..readers import KernelRecord
from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability
from ..values.spellings import nearest_names
from .attention import has_stack_of_unknown_spills, spilled_bytes, worst_first, worst_of_templates
from .grouping import grouped, together, traces_in_short
from .kernel_names import base_name, last_name
from .patterns import Pattern
from .running import RunsOn, newest, running_code
from .scanner import Scanner

T = TypeVar("T")

RUNTIME_KERNEL = "_cuda_device_runtime_"
"""In the name of every kernel of CUDA's own device runtime, which linking with cudadevrt adds."""

Order = Literal["occupancy", "regs", "spills", "stack", "time", "worst"]
"""What kernels can be sorted by: the lowest occupancy first, or the most of the others; ``worst``: what
most deserves a look."""

ORDERS: tuple[Order, ...] = get_args(Order)

WORST: Order = "worst"

Show = Literal["rows", "whole_kernels", "one_per_name", "one_per_template"]
"""What is shown up to the limit: rows; or rows and, beyond it, what is left of the last kernel; or of each
kernel the first row in the order that was asked for; or, the worst first, one row of each template of those
that deserve a look."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which kernels are shown, and in which order.

    Args:
        names: Parts of names, mangled or demangled, upper or lower case, any of which may fit; ``*`` stands
            for anything. Without any: all.
        architectures: The compute capabilities that kernels are wanted for.
        variants: Architectures by the compiler's name, such as ``sm_90a``, that they are wanted for, too.
            Without any of either: all.
        only_newest: Of each kernel, only those for its newest architecture.
        with_runtime: Whether kernels of CUDA's own device runtime are wanted.
        group: Whether what belongs to one kernel is shown together, and launches that differ in nothing
            of interest as one; without it, launches of traces that differ in their time alone.
        as_found: Whether what is sorted by nothing stays as it was found, so that it can be shown while it is
            read; else the lowest occupancy comes first, with what belongs to one kernel.
        below: Only those of an occupancy below this, 0 to 1.
        only_spilling: Only those that spill registers.
        sort: See `Order`; None: by the occupancy, but candidates that an autotuner did not choose last; and
            launches of traces by their time.
        show: See `Show`.
        limit: How many are shown at most.
        reverse: Whether the order is the other way round.
        chip: Of each kernel, only the code that this chip runs; None: all of it.
    """

    names: tuple[str, ...] = ()
    architectures: frozenset[ComputeCapability] = frozenset()
    variants: frozenset[str] = frozenset()
    only_newest: bool = False
    with_runtime: bool = False
    group: bool = False
    as_found: bool = False
    below: float | None = None
    only_spilling: bool = False
    sort: Order | None = None
    show: Show = "rows"
    limit: int | None = None
    reverse: bool = False
    chip: ComputeCapability | None = None

    def kernels(
        self, records: Iterable[KernelRecord], tell: Callable[[RunsOn], None] = lambda _: None
    ) -> Iterable[KernelRecord]:
        """The records that are wanted: what a summary counts, whatever is shown of it.

        Args:
            records: What was found.
            tell: See `running_code`.
        """
        records = filter(self._is_wanted(), records)
        if self.chip is not None:
            records = running_code(records, self.chip, tell)
        if self.only_newest:
            records = newest(records)
        return grouped(records) if self.group else traces_in_short(records)

    def matching(self, kernels: Iterable[KernelRecord], scanner: Scanner) -> Iterable[KernelRecord]:
        """Those of them that are what ``below`` and ``only_spilling`` ask for."""
        if self.below is not None:
            below = self.below
            kernels = (
                record
                for record in kernels
                if (share := scanner.verdict(record).occupancy) is not None and share < below
            )
        if self.only_spilling:
            kernels = filter(spilled_bytes, kernels)
        return kernels

    def ordered(self, kernels: Iterable[KernelRecord], scanner: Scanner) -> Iterator[KernelRecord]:
        """As many as were asked for, in the order that was."""
        if self.show == "one_per_template":
            return _first(worst_of_templates(kernels, scanner), self.limit)
        if self.sort == WORST:
            kernels = worst_first(kernels, scanner)
        elif self.sort is not None:
            kernels = _sorted(kernels, _sort_key(self.sort, scanner), self.reverse)
        elif self.as_found:
            kernels = _by_time(kernels)
        else:
            kernels = _by_time(_sorted(kernels, _lowest_that_runs(scanner)))
        if self.show == "one_per_name":
            return _first(_one_of_each(kernels), self.limit)
        if self.show == "whole_kernels":
            return _first_whole(together(kernels), self.limit)
        shown = _first(kernels, self.limit)
        is_together = self.group or not (self.as_found or self.sort)
        return together(shown) if is_together else shown

    @property
    def filters_answers(self) -> bool:
        """Whether only kernels with some answer are shown: a low occupancy, or spills."""
        return self.only_spilling or self.below is not None

    def order_of_excerpt(self, is_of_traces: bool) -> Order:
        """The order of the first of very many, or of those of a kind: the one that was asked for, else by
        what was asked for."""
        if self.sort or is_of_traces:
            return self.sort or "time"
        if self.only_spilling:
            return "spills"
        return WORST if self.below is None else "occupancy"

    def is_for_architecture(self, record: KernelRecord) -> bool:
        """Whether it is for one that is wanted."""
        return (
            not (self.architectures or self.variants)
            or record.compute_capability in self.architectures
            or record.arch in self.variants
        )

    def _is_wanted(self) -> Callable[[KernelRecord], bool]:
        has_name = _with(self.names)

        def is_wanted(record: KernelRecord) -> bool:
            return (
                (self.with_runtime or RUNTIME_KERNEL not in record.name)
                and self.is_for_architecture(record)
                and has_name(record)
            )

        return is_wanted


def _with(parts: Sequence[str]) -> Callable[[KernelRecord], bool]:
    """Whether one of them is in a name, mangled or readable; upper and lower case are alike."""
    if not all(parts) or not parts:
        return lambda record: True
    # Dots stand on screens for what a line has no room for.
    patterns = [
        Pattern(f"*{part.casefold().replace('...', '*')}*", has_question_marks=False) for part in parts
    ]

    def has_one(record: KernelRecord) -> bool:
        name = record.name.casefold()
        if any(pattern.matches(name) for pattern in patterns):
            return True
        readable = record.demangled.casefold()
        return any(pattern.matches(readable) for pattern in patterns)

    return has_one


MOST_NAMES = 10
"""That are named where none is what was asked for."""


def unknown_architecture(records: Iterable[KernelRecord]) -> str:
    """What to say where there are kernels, and none for the architectures that were asked for."""
    archs = sorted({each.arch or "unknown" for each in records})
    return f"no kernel is for the architecture that is asked for; there are some for {', '.join(archs)}"


def unknown_name(parts: Sequence[str], records: Sequence[KernelRecord]) -> str:
    """What to say where no kernel has one of these in its name: the names most like the first such part;
    empty where each is in one."""
    unknown = [part for part in parts if not any(map(_with([part]), records))]
    if not unknown:
        return ""
    near = nearest_names(unknown[0], {last_name(record.name) for record in records})
    near = near or sorted({base_name(record.name) for record in records})
    more = f" and {len(near) - MOST_NAMES:,} more" if len(near) > MOST_NAMES else ""
    among = f"; there are {', '.join(near[:MOST_NAMES])}{more}" if near else ""
    return f"no kernel of {len(records):,} has {' or '.join(map(shown, unknown))} in its name{among}"


def _sort_key(order: Order, scanner: Scanner) -> Callable[[KernelRecord], Any]:
    if order == "regs":
        return lambda record: _most_first(record.regs)
    if order == "spills":
        return _by_spills
    if order == "stack":
        return lambda record: _most_first(record.stack_bytes)
    if order == "time":
        return lambda record: _most_first(record.duration_us)
    return lambda record: scanner.verdict(record).occupancy


def _lowest_that_runs(scanner: Scanner) -> Callable[[KernelRecord], float | None]:
    """The occupancy; candidates that an autotuner did not choose come after all others."""

    def key(record: KernelRecord) -> float | None:
        share = scanner.verdict(record).occupancy
        return share if share is None or not record.rejected_by_autotuner else 1 + share

    return key


def _by_time(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """Launches of traces, the longest first, after everything else."""
    traced = []
    for record in records:
        if record.is_traced:
            traced.append(record)
        else:
            yield record
    yield from sorted(traced, key=lambda record: -(record.duration_us or 0))


def _by_spills(record: KernelRecord) -> tuple[int, int] | None:
    """The most bytes that it spills first; before those that spill none, those of which that is not known, by
    the stack in which spills would be."""
    spilled = spilled_bytes(record)
    if spilled is None:
        return (1, -(record.stack_bytes or 0)) if has_stack_of_unknown_spills(record) else None
    return (0 if spilled else 2), -spilled


def _most_first(value: float | None) -> float | None:
    return None if value is None else -value


def _sorted(items: Iterable[T], key: Callable[[T], Any], reverse: bool = False) -> list[T]:
    """By the key, or the other way round; those without it come last."""
    keyed = [(key(item), item) for item in items]
    known = [each for each in keyed if each[0] is not None]
    known.sort(key=itemgetter(0), reverse=reverse)
    return [item for _, item in known] + [item for value, item in keyed if value is None]


def _one_of_each(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    seen: set[str] = set()
    for record in records:
        if record.group not in seen:
            seen.add(record.group)
            yield record


def _first_whole(records: Iterable[KernelRecord], limit: int | None) -> Iterator[KernelRecord]:
    """As many, and what is left of the last kernel: else it would seem to be all that there is of it."""
    last = None
    for number, record in enumerate(records):
        if limit is None or number < limit or record.group == last:
            last = record.group
            yield record


def _first(items: Iterable[T], limit: int | None) -> Iterator[T]:
    for number, item in enumerate(items):
        if limit is None or number < limit:
            yield item
