"""The kernels of a build: from a baseline, or from anything that the readers know."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from ..builds.atomic_file import both_ends
from ..builds.merging import merge
from ..errors import ReadError
from ..readers import Found, KernelRecord, ReadProblem, read
from ..readers.budget import Allowance
from ..readers.remark import Remark
from ..values.dataclass import copier, dataclass
from .baseline import Baseline, records_of
from .baseline_file import MAX_FILE_BYTES, looks_like_baseline, parse_baseline, read_baseline
from .two_builds import refuse_two_builds

STANDARD_INPUT = "-"


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


def read_build(paths: Sequence[str], common: Allowance | None = None) -> Build:
    """Read a build.

    Args:
        paths: One baseline; or files and folders that hold kernels, ``"-"`` for standard input.
        common: What it shares with the other builds of the question; by default it is the only one.

    Raises:
        BaselineError: It is a baseline that is damaged, or one of a later version.
        ReadError: There is not a single kernel; or the paths hold two builds.
    """
    common = Allowance() if common is None else common
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
    refuse_two_builds(merged.records, paths)
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
        raise ReadError("is too large for a stream", where=path, cure="Save it as a file.")
    stream = io.BytesIO(content)
    stream.name = path
    return stream


def _is_baseline(path: str) -> bool:
    try:
        return os.path.isfile(path) and looks_like_baseline(both_ends(path))
    except OSError:
        return False  # the readers say why
