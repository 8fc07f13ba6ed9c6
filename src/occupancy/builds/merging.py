"""One kernel, one row: what several files say about the same kernel of the same architecture.

An image states registers, shared memory, stack, barriers and launch bounds; a log of the compiler the
spills; a profile launches and times. Identical copies, as in an object, an archive, a library and a
program, are one kernel; different kernels of one name, as ``static`` ones of two files, stay apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from ..readers import KernelRecord
from ..readers.record import COMPILED, ReadProblem, Remark
from .inductor import with_remarks
from .kernel_names import base_name
from .launch_merging import with_launches
from .log_merging import LOGS, MOST_COMPARED, Unfit, difference, unfit_logs, with_logs
from .stated import OF_LOGS, Placed, also_in, fill, line_of

_OF_COPIES = (
    *COMPILED,
    "linked",
    "code",
    "is_static",
    "dynamic_smem",
    "smem",
    "threads",
    "block_dim",
    "notes",
)
"""What identical copies agree in."""


_HINT = "Keep the log of the whole build that made the images, or none"
"""What to do about a log that does not fit them."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The kernels of a build."""

    records: tuple[KernelRecord, ...]
    problems: tuple[ReadProblem, ...]
    """Logs that say other than the images, as they are of another build; and what was too much to merge."""


def merge(records: Iterable[KernelRecord | Remark]) -> Merged:
    """Merge what several files say about the same kernel of the same architecture.

    The result is the same in whatever order the files were read, but for its order: that in which each
    kernel was found first.
    """
    return _Merging(records).merged()


def merge_while_read(
    records: Iterable[KernelRecord | Remark], *, is_alone: bool, tell: Callable[[ReadProblem], None]
) -> Iterator[KernelRecord]:
    """What `merge` makes of records that are still being read, each as soon as nothing can be added to it.

    Args:
        records: What the files hold.
        is_alone: Whether all is from one file. Then there is no other that could say more of a launch, of
            which a trace can have millions.
        tell: Is told of each log that contradicts the images, and of what was too much to merge.
    """
    held = []
    for record in records:
        if is_alone and isinstance(record, KernelRecord) and record.launches is not None:
            yield record
        else:
            held.append(record)
    merged = merge(held)
    for problem in merged.problems:
        tell(problem)
    yield from merged.records


@dataclass(slots=True)
class _Group:
    """What was said about one name of one architecture, with the place in the order of what was found."""

    images: list[Placed] = field(default_factory=list)
    logs: list[Placed] = field(default_factory=list)
    ptx: list[Placed] = field(default_factory=list)


class _Merging:
    def __init__(self, records: Iterable[KernelRecord | Remark]) -> None:
        self._groups: dict[tuple[str, str | None], _Group] = defaultdict(_Group)
        self._launches: list[Placed] = []
        self._remarks: list[Remark] = []
        self._size: Counter[str] = Counter()
        """A file -> how many kernels it holds."""
        self._rows: list[Placed] = []
        self._contradictions: dict[str, list[tuple[KernelRecord, KernelRecord]]] = defaultdict(list)
        self._unfit: dict[str, Unfit] = {}
        self._too_many: dict[str, set[str]] = defaultdict(set)
        for place, record in enumerate(records):
            if isinstance(record, KernelRecord):
                self._add(place, record)
            else:
                self._remarks.append(record)

    def _add(self, place: int, record: KernelRecord) -> None:
        if record.launches is not None:
            self._launches.append((place, record))
            return
        self._size[record.source] += 1
        group = self._groups[record.name, record.arch]
        if record.format in LOGS:
            group.logs.append((place, record))
        elif record.format == "ptx" or record.regs is None:
            group.ptx.append((place, record))
        else:
            group.images.append((place, record))

    def merged(self) -> Merged:
        self._give_linker_lines_their_architecture()
        self._leave_out_other_builds()
        compiled = {name for (name, _), group in self._groups.items() if group.images or group.logs}
        for (name, _), group in self._groups.items():
            if len(group.images) == 1 and not group.logs and not group.ptx:
                self._rows += group.images
                continue
            rows = self._images(group) or self._without_image(group.logs)
            if rows and group.ptx:
                ptx = sorted((record for _, record in group.ptx), key=line_of)
                if len(rows) * len(ptx) <= MOST_COMPARED:
                    rows = [(place, self._filled(row, ptx)) for place, row in rows]
                else:
                    self._leave_apart(ptx)
            elif name not in compiled:
                rows = self._copies(group.ptx)
            self._rows += rows
        rows = with_remarks(self._rows, self._remarks) if self._remarks else self._rows
        if self._launches:
            rows, alone = with_launches(rows, self._launches)
            self._leave_apart(alone)
        rows.sort(key=lambda row: row[0])
        return Merged(tuple(record for _, record in rows), tuple(self._problems()))

    # Images

    def _images(self, group: _Group) -> list[Placed]:
        """The images of a group; linked ones take the place of the relocatable ones they were made of."""
        linked = [each for each in group.images if each[1].linked is not False]
        relocatable = [each for each in group.images if each[1].linked is False]
        rows = self._copies(linked or relocatable)
        if linked and relocatable:
            before = {record.source for _, record in relocatable}
            rows = [(place, also_in(row, before)) for place, row in rows]
        done = with_logs(rows, group.logs, [record for _, record in relocatable])
        self._leave_apart(done.too_many)
        for row, log in done.contradictions:
            self._contradictions[log.source].append((row, log))
        return done.rows

    def _copies(self, found: Sequence[Placed]) -> list[Placed]:
        """One record for identical copies, named after the file that tells most: that with the fewest
        kernels, which is the object and not the program; or after Triton's, which states the launch."""
        described = {
            (record.code, record.threads): _key(record) for _, record in found if record.format == "triton"
        }
        alike: dict[Hashable, list[Placed]] = defaultdict(list)
        for place, record in found:
            key = None if record.code is None else described.get((record.code, record.threads))
            if key is None or record.format == "triton":
                key = _key(record)
            alike[key].append((place, record))
        holds = Counter(source for each in alike.values() for source in {record.source for _, record in each})

        def tells_most(record: KernelRecord) -> tuple[bool, int, int, str]:
            source = record.source
            return record.format != "triton", holds[source], self._size[source], source

        rows = []
        for each in alike.values():
            first, *others = dict.fromkeys(record for _, record in each)
            if others:
                first = min((first, *others), key=lambda record: (tells_most(record), line_of(record)))
            modules = {module for _, record in each for module in record.modules}
            if len(modules) != len(first.modules):
                first = replace(first, modules=tuple(sorted(modules)))
            rows.append(_for_all(each, first))
        return rows

    # Logs

    def _without_image(self, logs: Sequence[Placed]) -> list[Placed]:
        """What only logs tell of: equal lines once, and the linker's in place of the compiler's."""
        linked = [each for each in logs if each[1].linked]
        compiled = [each for each in logs if not each[1].linked]
        if len(linked) == 1 and len(compiled) == 1:
            (place, final), (earlier, before) = linked[0], compiled[0]
            # The linker counts the system's part of the shared memory as the kernel's.
            final = replace(final, static_smem=before.static_smem, notes=before.notes)
            row = also_in(fill(final, before, OF_LOGS), {final.source, before.source})
            return [(min(place, earlier), row)]
        alike: dict[Hashable, list[Placed]] = defaultdict(list)
        for place, record in logs:
            key = (record.spill_store_bytes, record.spill_load_bytes)
            alike[key, _key(record)].append((place, record))
        first_file = attrgetter("source")
        return [
            _for_all(each, min((record for _, record in each), key=first_file)) for each in alike.values()
        ]

    def _give_linker_lines_their_architecture(self) -> None:
        """The linker's lines name none: what they say belongs to the one architecture that the kernel has,
        and to none where an image says it better."""
        nameless = [name for (name, arch), group in self._groups.items() if arch is None and group.logs]
        if not nameless:
            return
        archs: dict[str, list[str]] = defaultdict(list)
        for name, arch in self._groups:
            if arch is not None:
                archs[name].append(arch)
        for name in nameless:
            group = self._groups[name, None]
            linker = [each for each in group.logs if each[1].linked]
            if any(self._groups[name, arch].images for arch in archs[name]):
                group.logs = [each for each in group.logs if not each[1].linked]
            elif len(archs[name]) == 1:
                (arch,) = archs[name]
                group.logs = [each for each in group.logs if not each[1].linked]
                self._groups[name, arch].logs += [(place, replace(log, arch=arch)) for place, log in linker]

    def _leave_out_other_builds(self) -> None:
        """Of logs that are of another build than the images, what only they name is no kernel of this one."""
        if not any(group.logs for group in self._groups.values()):
            return
        self._unfit = unfit_logs(
            ([record for _, record in group.images], [log for _, log in group.logs])
            for group in self._groups.values()
        )
        for group in self._groups.values() if self._unfit else ():
            if not group.images:
                group.logs = [each for each in group.logs if each[1].source not in self._unfit]

    def _leave_apart(self, records: Sequence[KernelRecord]) -> None:
        """Remember the files and the kernels that are not merged, because there is too much of them."""
        for record in records:
            self._too_many[record.source].add(record.name)

    def _problems(self) -> Iterator[ReadProblem]:
        for source, names in sorted(self._too_many.items()):
            others = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
            yield ReadProblem(
                source,
                None,
                f"holds too many different kernels called {base_name(min(names))}{others}: what it says "
                "of them is not merged with what other files say",
            )
        for log, pairs in sorted(self._contradictions.items()):
            row, line = min(pairs, key=lambda pair: (pair[0].name, pair[0].arch or ""))
            others = f", and so of {len(pairs) - 1:,} more" if len(pairs) > 1 else ""
            yield ReadProblem(
                log,
                None,
                f"contradicts {row.source} about {base_name(row.name)} for {row.arch} "
                f"({difference(line, row)}){others}: the log is of another build, or from before linking. "
                f"The image counts, without the spills of the log. {_HINT}",
            )
        for log, (line, image) in sorted(self._unfit.items()):
            if log not in self._contradictions:
                yield ReadProblem(
                    log,
                    None,
                    f"names {base_name(line.name)} for {line.arch}, of which there is no image, and lacks "
                    f"{base_name(image.name)}, of which {image.source} has one: the log is of another build. "
                    f"The images count; what the log alone names is left out. {_HINT}",
                )

    # PTX

    def _filled(self, row: KernelRecord, ptx: Sequence[KernelRecord]) -> KernelRecord:
        for record in ptx:
            row = also_in(fill(row, record, COMPILED), {record.source})
        return row


def _for_all(found: Sequence[Placed], record: KernelRecord) -> Placed:
    """One record for all, at the place of the first, with the names of all files."""
    return found[0][0], also_in(record, {each.source for _, each in found})


_key: Callable[[KernelRecord], Hashable] = attrgetter(*_OF_COPIES)
"""What identical copies agree in."""
