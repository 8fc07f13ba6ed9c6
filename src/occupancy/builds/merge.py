"""Merge the values that several files record for one kernel.

Images contain registers, shared memory, stack, barriers and launch bounds. Compiler logs contain spills, and
profiles contain launches and times. Identical copies, as in an object, an archive and a program, become one
kernel. Different kernels with the same name, such as ``static`` kernels of two files, stay separate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import isnan, nan
from operator import attrgetter
from pathlib import PurePath
from typing import Literal, NamedTuple

from ..engine.common import round_up
from ..readers import Item, KernelRecord, ReadProblem
from ..readers.ptxas import linker_line
from ..readers.record import COMPILED, RECORD_FIELDS, SPILLS, Choice, Fusion, Remark, agreed_ptx, file_name
from ..tables.gpus import runs_on
from ..values.numbers import listed
from .names import base_name, signature

LOGS = frozenset({"ptxas", "res-usage"})
"""Formats of compiler output, which contains no image."""

MAX_COMPARISONS = 1 << 14
"""Maximum comparisons of images with log lines for one name and architecture, or of launches with kernels.

Real builds need some dozens. Beyond the maximum, records are not merged, and a problem is reported."""

MAX_FILES = 64
"""Maximum number of other files that are listed with a kernel."""

_COPY_FIELDS = (*COMPILED, "linked", "code", "dynamic_smem", "smem", "threads", "block_dim", "notes")
_SOURCE_FIELDS = ("linked", "code", "file", "line")
_LOG_FIELDS = (*SPILLS, *_SOURCE_FIELDS)
_IMAGE_FIELDS = (*COMPILED, *_SOURCE_FIELDS)

_identity: Callable[[KernelRecord], Hashable] = attrgetter(*_COPY_FIELDS)
"""Values that identical copies have in common."""

_LABELS = {
    "regs": "registers", "static_smem": "bytes of shared memory", "barriers": "barriers",
    "stack_bytes": "bytes of stack",
}  # fmt: skip
"""Fields that match a log line to an image."""
_logged_values = attrgetter(*_LABELS)

_REGISTER_UNIT = 8
"""Allocation granularity of registers. Nsight Compute's tables have the allocated registers."""


class Merged(NamedTuple):
    records: tuple[KernelRecord, ...]
    problems: tuple[ReadProblem, ...]
    """Damaged pieces, logs that contradict the images, and records too numerous to merge."""
    images: Set[str]
    """Files with machine code."""


def merge(items: Iterable[Item]) -> Merged:
    """Merge records of the same kernel and architecture from several files.

    Kernels come first, by the first occurrence of their names, then launches. File order has no other effect.
    A file with device code, but without kernels, is a problem only if no other file has kernels.
    """
    return _Merging(items).merged()


def fill(record: KernelRecord, other: KernelRecord, names: Iterable[str]) -> KernelRecord:
    """Return the record with missing or less certain values taken from another record."""
    # Spills printed by the compiler take precedence over those counted in the code.
    better = SPILLS if other.spills_from == "compiler" != record.spills_from else ()
    lacking = (name for name in names if getattr(record, name) is None or name in better)
    known = {name: value for name in lacking if (value := getattr(other, name)) is not None}
    return replace(record, **known) if known else record


def also_in(record: KernelRecord, sources: Iterable[str]) -> KernelRecord:
    listed = tuple(sorted({*record.also_in, *sources} - {record.source})[:MAX_FILES])
    return replace(record, also_in=listed) if listed != record.also_in else record


def _kind(record: KernelRecord) -> Literal["image", "log", "ptx"]:
    if record.format in LOGS:
        return "log"
    return "ptx" if record.format == "ptx" or record.regs is None else "image"


class _Merging:
    def __init__(self, items: Iterable[Item]) -> None:
        self._groups: dict[tuple[str, str | None], list[KernelRecord]] = defaultdict(list)
        self._linker_lines: dict[str, list[KernelRecord]] = defaultdict(list)
        self._launches: dict[object, _Launches] = {}
        self._remarks: list[Remark] = []
        self._damaged: list[ReadProblem] = []
        self._contradictions: dict[str, list[tuple[KernelRecord, KernelRecord]]] = defaultdict(list)
        self._too_many: dict[str, set[str]] = defaultdict(set)
        for item in items:
            if isinstance(item, ReadProblem):
                self._damaged.append(item)
            elif not isinstance(item, KernelRecord):
                self._remarks.append(item)
            elif item.launches is not None:
                self._launches.setdefault(_configuration(item), _Launches(item)).add(item)
            elif item.format in LOGS and item.linked and item.arch is None:
                self._linker_lines[item.name].append(item)
            else:
                self._groups[item.name, item.arch].append(item)

    def merged(self) -> Merged:
        if self._linker_lines:
            self._assign_linker_lines()
        rows: list[KernelRecord] = []
        for group in self._groups.values():
            rows += group if len(group) == 1 and _kind(group[0]) == "image" else self._merged(group)
        if self._remarks:
            rows = _with_remarks(rows, self._remarks)
        if self._launches:
            rows, unmerged = _with_launches(rows, [each.total() for each in self._launches.values()])
            self._skip_merging(unmerged)
        damaged = (each for each in self._damaged if not (each.is_harmless and rows))
        records = chain.from_iterable(self._groups.values())
        images = {each.source for each in records if _kind(each) == "image"}
        return Merged(tuple(rows), (*damaged, *self._problems()), images)

    @cached_property
    def _size(self) -> Counter[str]:
        return Counter(each.source for group in self._groups.values() for each in group)

    @cached_property
    def _compiled(self) -> set[str]:
        return {each.name for group in self._groups.values() for each in group if _kind(each) != "ptx"}

    def _merged(self, group: Sequence[KernelRecord]) -> list[KernelRecord]:
        kinds = ("image", "log", "ptx")
        images, logs, ptx = ([each for each in group if _kind(each) == kind] for kind in kinds)
        kernels = self._images(images, logs) or self._logs_alone(logs)
        if not kernels:
            return [] if group[0].name in self._compiled else self._copies(ptx)
        if len(kernels) * len(ptx) > MAX_COMPARISONS:
            self._skip_merging(ptx)
            return kernels
        for each in sorted(ptx, key=repr):
            kernels = [also_in(fill(row, each, COMPILED), {each.source}) for row in kernels]
        return kernels

    def _assign_linker_lines(self) -> None:
        """Assign linker lines, which do not name the architecture, if their kernel has only one."""
        archs: dict[str, list[str | None]] = defaultdict(list)
        for (name, arch), group in self._groups.items():
            if {*map(_kind, group)} != {"ptx"}:
                archs[name].append(arch)
        for name, lines in self._linker_lines.items():
            records = chain.from_iterable(self._groups[name, arch] for arch in archs[name])
            arch = archs[name][0] if len(archs[name]) == 1 else None
            if arch or "image" not in map(_kind, records):  # images have more values
                self._groups[name, arch] += [linker_line(log, arch) for log in lines]

    def _images(self, images: Sequence[KernelRecord], logs: Sequence[KernelRecord]) -> list[KernelRecord]:
        """Merge images; linked images replace the relocatable images that they were linked from."""
        linked = [image for image in images if image.linked is not False]
        relocatable = [image for image in images if image.linked is False]
        rows = self._copies(linked or relocatable)
        if linked and relocatable:
            rows = [also_in(row, {image.source for image in relocatable}) for row in rows]
            for row in rows:
                if row.ptx == ():
                    row.ptx = agreed_ptx(relocatable)  # which the driver compiles and links
        return self._with_logs(rows, logs, relocatable) if logs else rows

    def _with_logs(
        self, rows: list[KernelRecord], logs: Sequence[KernelRecord], relocatable: Sequence[KernelRecord]
    ) -> list[KernelRecord]:
        """Add the spills in log lines to the images with the same name and architecture."""
        parts = {(_logged_values(record), record.frame_bytes): record for record in relocatable}.values()
        if len(logs) * (len(rows) + len(parts)) > MAX_COMPARISONS:
            self._skip_merging(logs)
            return rows
        linker_lines = [log for log in logs if log.linked]
        logs = [log for log in logs if not log.linked]
        before_linking = [log for log in logs if not all(_differences(log, part) for part in parts)]
        used: set[int] = set()
        merged, unlogged = [], []
        for row in rows:
            matching = [log for log in logs if not _differences(log, row)] or before_linking
            if not (matching or all(_differences(line, row) for line in linker_lines)):
                matching = [log for log in logs if log.frame_bytes == row.frame_bytes]  # linking keeps it
            used.update(map(id, matching))
            if not matching:
                merged.append(row)
                unlogged.append(row)
                continue
            best = max(matching, key=lambda log: _likeness(log, row))
            merged.append(also_in(fill(row, best, _LOG_FIELDS), {log.source for log in matching}))
        unused = [log for log in logs if id(log) not in used and log.linked is None]
        # If other lines match every image, the unused lines come from an earlier compilation.
        for row, log in zip(sorted(unlogged, key=repr), sorted(unused, key=repr), strict=False):
            self._contradictions[log.source].append((row, log))
        return merged

    def _copies(self, records: Sequence[KernelRecord]) -> list[KernelRecord]:
        """Merge identical copies; the source is Triton's file, or the file with the fewest kernels."""
        triton = [record for record in records if record.format == "triton"]
        described = {(record.code, record.threads): _identity(record) for record in triton}
        alike: dict[Hashable, list[KernelRecord]] = defaultdict(list)
        for record in records:
            has_image = described and record.format != "triton" and record.code is not None
            key = described.get((record.code, record.threads)) if has_image else None
            alike[key or _identity(record)].append(record)

        rows = []
        for copies in alike.values():
            first, sources = copies[0], {record.source for record in copies}
            if len(sources) > 1:
                rank = [(each.format != "triton", self._size[each.source], repr(each)) for each in copies]
                first = also_in(copies[rank.index(min(rank))], sources)
            # In place, because copying a record takes long.
            first.modules = tuple(sorted(set().union(*[record.modules for record in copies])))
            first.ptx = agreed_ptx(copies)
            rows.append(first)
        return rows

    def _logs_alone(self, logs: Sequence[KernelRecord]) -> list[KernelRecord]:
        """Merge the log lines of a kernel without an image: equal lines, and linker with compiler lines."""
        linked = [log for log in logs if log.linked]
        compiled = [log for log in logs if not log.linked]
        if not len(linked) == len(compiled) == 1:
            return self._copies(logs)
        # ptxas excludes callees and variables of templates.
        final = replace(linked[0], notes=compiled[0].notes)
        return [also_in(fill(final, compiled[0], _LOG_FIELDS), {compiled[0].source})]

    def _skip_merging(self, records: Iterable[KernelRecord]) -> None:
        for record in records:
            self._too_many[record.source].add(record.name)

    def _problems(self) -> Iterator[ReadProblem]:
        for source, names in sorted(self._too_many.items()):
            what = f"has too many different kernels named {listed(sorted(map(base_name, names)), 1)}"
            yield ReadProblem(source, f"{what} to merge with other files")
        for log, pairs in sorted(self._contradictions.items()):
            row, line = min(pairs, key=lambda pair: (pair[0].name, pair[0].arch or ""))
            others = f", and {len(pairs) - 1:,} more" if len(pairs) > 1 else ""
            differences = ", ".join(
                f"{getattr(line, name):,} {_LABELS[name]} in the log, {getattr(row, name):,} in the machine code"
                for name in _differences(line, row)
            )
            yield ReadProblem(
                log,
                f"contradicts {row.source} about {base_name(row.name)} for {row.arch} ({differences}){others}. "
                "The log is from another build, or from before linking, so its spills do not count. Delete it, or "
                "keep only the log of the build that produced these files",
            )


def _differences(log: KernelRecord, image: KernelRecord) -> list[str]:
    """Return the fields in which a log line contradicts an image; its stack can exclude callees."""
    can_be_less = "stack_bytes" if len({log.frame_bytes, image.frame_bytes} - {None}) < 2 else ""
    unknown = "static_smem" if image.linked is False else ""  # the linker allocates templates' variables
    values = zip(_LABELS, _logged_values(log), _logged_values(image), strict=True)
    known = (each for each in values if None not in each and each[0] != unknown)
    return [name for name, one, other in known if (one > other if name == can_be_less else one != other)]


def _likeness(log: KernelRecord, image: KernelRecord) -> tuple[bool, bool, int, str]:
    """Return a sort key, the most similar log line last; ties go to the most spills."""
    spilled = (log.spill_store_bytes or 0) + (log.spill_load_bytes or 0)
    return log.stack_bytes == image.stack_bytes, log.spill_store_bytes is not None, spilled, log.source


def _with_remarks(rows: Sequence[KernelRecord], remarks: Sequence[Remark]) -> list[KernelRecord]:
    """Add fused operations, and the choice to candidates with the same generated file and architecture."""
    operations = {each.file: each.operations for each in remarks if isinstance(each, Fusion)}
    folders = {each.folder for each in remarks if isinstance(each, Choice)}

    def is_chosen(row: KernelRecord) -> bool:
        return any(PurePath(each).parent.name in folders for each in (row.source, *row.also_in))

    tuned = {(row.name, row.arch, row.file) for row in rows if row.format == "triton" and is_chosen(row)}
    noted = []
    for row in rows:
        fuses = operations.get(file_name(row.file), row.fuses) if row.file else row.fuses
        is_tuned = row.format == "triton" and (row.name, row.arch, row.file) in tuned
        noted.append(replace(row, fuses=fuses, chosen=is_chosen(row) if is_tuned else row.chosen))
    return noted


def _with_launches(
    rows: Sequence[KernelRecord], launches: Sequence[KernelRecord]
) -> tuple[list[KernelRecord], list[KernelRecord]]:
    """Add images to launches and drop their rows; return launches too numerous to match, too."""
    names = {base_name(name) for name in {launch.name for launch in launches}}
    kernels: dict[str, list[KernelRecord]] = defaultdict(list)  # by name, signature and base name
    for row in rows:
        if row.regs is not None and (base := base_name(row.name)) in names:
            for key in {row.name, signature(row.name), base}:
                kernels[key].append(row)
    images: dict[object, KernelRecord | None] = {}  # by configuration
    merged: list[KernelRecord] = []
    unmerged: list[KernelRecord] = []
    compared: Counter[str] = Counter()
    for launch in launches:
        configuration = (launch.name, launch.arch, launch.regs, launch.static_smem, launch.threads)
        if configuration not in images:
            spelled = signature(launch.name)
            # Some profiles contain only the base name.
            key = spelled if "(" in spelled else base_name(launch.name)
            near = {id(row): row for name in (launch.name, key) for row in kernels.get(name, ())}
            compared[key] += len(near)
            if compared[key] > MAX_COMPARISONS:
                unmerged.append(launch)
                near = {}
            images[configuration] = _launched_kernel(launch, near.values())
        image = images[configuration]
        merged.append(launch if image is None else _with_image(launch, image))
    launched = set(map(id, images.values()))
    return [row for row in rows if id(row) not in launched] + merged, unmerged


def _with_image(launch: KernelRecord, image: KernelRecord) -> KernelRecord:
    # Traces contain only total shared memory, so that the image's static part must not be added.
    has_total = launch.smem is not None
    whole = fill(launch, image, (name for name in _IMAGE_FIELDS if not (has_total and name == "static_smem")))
    whole = replace(whole, name=image.name, regs=image.regs, fuses=image.fuses, chosen=image.chosen)
    return also_in(whole, {image.source, *image.also_in[:MAX_FILES]})


def _launched_kernel(launch: KernelRecord, near: Iterable[KernelRecord]) -> KernelRecord | None:
    """Return the launched kernel; None if several kernels are equally likely."""
    candidates: dict[tuple[bool, int, bool], list[KernelRecord]] = defaultdict(list)
    for row in near:
        if (distance := _distance(launch, row)) is not None:
            candidates[row.chosen is False, distance, row.name != launch.name].append(row)
    best = candidates[min(candidates)] if candidates else []
    return best[0] if len(best) == 1 else None


def _distance(launch: KernelRecord, image: KernelRecord) -> int | None:
    """Return the minor versions between an image and the GPU of a launch; None if they do not match."""
    allocated = round_up(image.regs or 0, _REGISTER_UNIT)
    is_size_right = launch.static_smem in (None, image.static_smem)
    is_block_right = None in (image.threads, launch.threads) or image.threads == launch.threads
    if not (is_size_right and is_block_right and launch.regs in (None, image.regs, allocated)):
        return None
    if image.arch is None or launch.arch is None:
        return 0
    own, gpu = image.compute_capability, launch.compute_capability
    return None if own is None or gpu is None or not runs_on(image.arch, gpu) else gpu.minor - own.minor


_LAUNCH_FIELDS = ("achieved_occupancy", "duration_us", "launches")
_configuration = attrgetter(*(name for name in RECORD_FIELDS if name not in _LAUNCH_FIELDS))
"""Values that the launches of one row have in common. Launches are summed while a trace is read."""


@dataclass(slots=True)
class _Launches:
    first: KernelRecord
    count: int = 0
    time: float = 0  # NaN if one is unknown
    achieved: float = 0

    def add(self, launch: KernelRecord) -> None:
        self.count += 1
        self.time += nan if launch.duration_us is None else launch.duration_us
        self.achieved += nan if launch.achieved_occupancy is None else launch.achieved_occupancy

    def total(self) -> KernelRecord:
        if self.count == 1:
            return self.first
        time, achieved = (None if isnan(each) else each for each in (self.time, self.achieved / self.count))
        return replace(self.first, launches=self.count, duration_us=time, achieved_occupancy=achieved)
