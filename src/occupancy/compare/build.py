"""The kernels of a build: from a baseline, or from anything that the readers know.

Two builds in the place of one are refused: what is compared with what would be left to chance.
"""

from __future__ import annotations

import io
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import PurePath

from ..builds.atomic_file import both_ends
from ..builds.merging import merge
from ..errors import ReadError
from ..readers import Found, KernelRecord, ReadProblem, read
from ..readers.limits import ReadLimits
from ..readers.record import Remark
from ..values.dataclass import copier, dataclass
from .baseline import Baseline, records_of
from .baseline_file import MAX_FILE_BYTES, looks_like_baseline, parse_baseline, read_baseline

STANDARD_INPUT = "-"

_SHARE_IN_COMMON = 1 / 3
"""Of the kernels of the smaller of two folders, how many the other has, too, where they are two builds."""

_LEAST_IN_COMMON = 2
"""Kernels that they have in common at the least."""

_CMAKE_TARGET = ".dir"
"""Ends the name of the folder of a target, of which a build has several that may compile the same file."""


@dataclass(frozen=True, slots=True)
class Build:
    """The kernels of a build, with sources that mean the same on every machine."""

    name: str
    """What it was called: its paths."""
    records: tuple[KernelRecord, ...]
    problems: tuple[ReadProblem, ...] = ()
    """What could not be read."""
    threads: int | None = None
    """Threads per block that a baseline assumes where a source does not state them."""


def read_build(paths: Sequence[str], common: ReadLimits | None = None) -> Build:
    """Read a build.

    Args:
        paths: One baseline; or files and folders that hold kernels, ``"-"`` for standard input.
        common: What it shares with the other builds of the question; by default it is the only one.

    Raises:
        BaselineError: It is a baseline that is damaged, or one of a later version.
        ReadError: There is not a single kernel; or the paths hold two builds.
    """
    common = ReadLimits() if common is None else common
    if len(paths) == 1:
        (path,) = paths
        if _is_baseline(path):
            return build_of(read_baseline(path), path)
        if path == STANDARD_INPUT or _is_pipe(path):
            stream = _in_memory(path)
            if looks_like_baseline(stream.getvalue()):
                return build_of(parse_baseline(stream.getvalue(), path), path)
            return _build(paths, ((path, found) for found in read(stream, common)))
    return _build(paths, ((path, found) for path in paths for found in read(path, common)))


def build_of(baseline: Baseline, name: str) -> Build:
    """The build that a baseline was made of."""
    return Build(name, tuple(records_of(baseline)), threads=baseline.threads)


def _build(paths: Sequence[str], found: Iterable[tuple[str, Found]]) -> Build:
    records: list[KernelRecord | Remark] = []
    problems: list[ReadProblem] = []
    seen: dict[str, str] = {}
    for path, each in found:
        if isinstance(each, ReadProblem):
            problems.append(each)
            continue
        if each.source not in seen:
            seen[each.source] = portable(each.source, path)
        records.append(each)
    # Files of two paths can have the same portable name: what tells them apart is asked before.
    merged = merge(records)
    if not merged.records:
        first = problems[0]
        raise ReadError(first.what, where=first.where)
    problems = [each for each in problems if not each.is_harmless]
    _refuse_two(merged.records, paths)
    portables = tuple(_seen_as(record, seen) for record in merged.records)
    return Build(", ".join(paths), portables, (*problems, *merged.problems))


def _seen_as(record: KernelRecord, seen: Mapping[str, str]) -> KernelRecord:
    """The record with portable names of its files."""
    placed = _with_source(record, seen[record.source])
    files = {seen[file] for file in record.also_in} - {placed.source}
    return replace(placed, also_in=tuple(sorted(files))) if record.also_in else placed


_with_source = copier(KernelRecord, "source")


def portable(source: str, path: str) -> str:
    """The file as seen from the folder that was read, or its name alone; the same on every machine."""
    seen = os.path.relpath(source, path) if os.path.isdir(path) else os.path.basename(source)
    # File names can be bytes that are no text, which JSON cannot hold.
    return PurePath(seen).as_posix().encode("utf-8", "replace").decode()


def _is_pipe(path: str) -> bool:
    """Whether a path can be read only once, as the shell's ``<(...)``."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _in_memory(path: str) -> io.BytesIO:
    try:
        if path == STANDARD_INPUT:
            content = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with open(path, "rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", where=path) from error
    if len(content) > MAX_FILE_BYTES:
        raise ReadError("is too large for a stream", where=path, hint="Save it as a file.")
    stream = io.BytesIO(content)
    stream.name = path
    return stream


def _is_baseline(path: str) -> bool:
    try:
        return os.path.isfile(path) and looks_like_baseline(both_ends(path))
    except OSError:
        return False  # the readers say why


def _refuse_two(records: Sequence[KernelRecord], paths: Sequence[str]) -> None:
    """Raise an error where two folders hold the same files with other kernels of the same names in them.

    Args:
        records: The kernels, merged: copies are one. Their sources begin with the paths.
        paths: What was read as one build.

    Raises:
        ReadError: They do.
    """
    variants: dict[tuple[str, str | None], list[KernelRecord]] = defaultdict(list)
    for record in records:
        if record.launches is None and not record.is_static:
            variants[record.name, record.arch].append(record)
    several = [each for each in variants.values() if len(each) > 1]
    if not several:
        return
    differing = Counter(pair for each in several for pair in _folders_of(each))
    held = Counter(folder for record in records for folder in {*_folders(record)})
    for (one, other), count in sorted(differing.items()):
        common = sum(_is_in(each, one) and _is_in(each, other) for each in variants.values())
        if common >= max(_LEAST_IN_COMMON, _SHARE_IN_COMMON * min(held[one], held[other])):
            differ = f"with {count:,} kernel{'s' * (count > 1)} that differ{'s' * (count == 1)}"
            two = other or ".", one or "."
            if len(paths) > 1:
                raise ReadError(
                    f"are two builds, {differ}", where=" and ".join(two), hint="Give one of them."
                )
            first, second = (PurePath(os.path.relpath(each, *paths)).as_posix() for each in two)
            raise ReadError(
                f"holds two builds, {first} and {second}, {differ}", where=paths[0], hint="Give one of them."
            )


def _folders_of(variants: Sequence[KernelRecord]) -> set[tuple[str, str]]:
    """The folders in which files of the same name hold different kernels."""
    pairs = set()
    for ours, theirs in combinations(variants, 2):
        for one in _files(ours):
            for other in _files(theirs):
                pair = _apart(one, other)
                if pair is not None:
                    pairs.add(pair)
    return pairs


def _apart(one: str, other: str) -> tuple[str, str] | None:
    """What is in front of the end that two paths have in common; None without such an end."""
    ours, theirs = one.split("/"), other.split("/")
    if ours == theirs:
        return None
    while ours and theirs and ours[-1] == theirs[-1]:
        ours.pop()
        theirs.pop()
    if len(ours) == len(one.split("/")) or (
        ours and theirs and _is_target(ours[-1]) and _is_target(theirs[-1])
    ):
        return None
    first, second = sorted(("/".join(ours), "/".join(theirs)))
    return first, second


def _is_target(folder: str) -> bool:
    return folder.endswith(_CMAKE_TARGET)


def _files(record: KernelRecord) -> Iterable[str]:
    return (PurePath(file).as_posix() for file in (record.source, *record.also_in))


def _folders(record: KernelRecord) -> Iterator[str]:
    """Every folder that a kernel is in, from the first down."""
    for file in _files(record):
        parts = file.split("/")
        yield from ("/".join(parts[:depth]) for depth in range(len(parts)))


def _is_in(variants: Sequence[KernelRecord], folder: str) -> bool:
    start = f"{folder}/" if folder else ""
    return any(file.startswith(start) for record in variants for file in _files(record))
