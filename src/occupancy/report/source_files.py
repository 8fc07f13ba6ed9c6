"""The files that kernels were read from, and the places in their source, as people are shown them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import PurePath

from ..builds.scanner import ScanRow
from ..render import words
from ..render.sarif import within_here

MOST_PARTS = 8
"""Of a path, in the column of files."""

MOST_OF_A_FOLDER = 20
"""Characters of the name of a folder; that of a cache is a checksum, of which the first 8 are shown then."""


def place(file: str | None, line: int | None) -> str:
    """Where in the source: ``src/blur.cu:12``; relative to this folder where it is in it."""
    if file is None:
        return ""
    path = PurePath(file)
    short = within_here(file) if path.is_relative_to(os.getcwd()) else path.name
    return words.printable(short if line is None else f"{short}:{line}")


def file_names(rows: Sequence[ScanRow]) -> Callable[[ScanRow], str]:
    """The last part of each path, or so many of them that different files look different."""
    paths = {source: tuple(map(_folder, PurePath(source).parts)) for source in {row.source for row in rows}}
    if len(set(paths.values())) < len(paths):
        paths = {source: PurePath(source).parts for source in paths}
    names = {source: parts[-1] if parts else source for source, parts in paths.items()}
    for depth in range(2, MOST_PARTS):
        often = Counter(names.values())
        alike = [source for source, name in names.items() if often[name] > 1]
        if not alike:
            break
        names |= {source: "/".join(paths[source][-depth:]) for source in alike}
    return lambda row: words.printable(names[row.source])


def _folder(name: str) -> str:
    """The beginning of a checksum, and any other part of a path as it is."""
    return name if len(name) <= MOST_OF_A_FOLDER or "." in name else f"{name[:8]}..."


def copies_of(rows: Sequence[ScanRow], logs: Collection[str]) -> Callable[[ScanRow], str]:
    """`` +2``: how many more files hold just this kernel; nothing where it is the same for all.

    Args:
        rows: The kernels.
        logs: Files that only say what kernels of others spill.
    """
    if in_all(rows, logs):
        return lambda row: ""
    numbers = {id(row): len(set(row.also_in) - set(logs)) for row in rows}
    return lambda row: f" +{numbers[id(row)]:,}" if numbers[id(row)] else ""


def in_all(rows: Sequence[ScanRow], logs: Collection[str]) -> list[str]:
    """The names of the files that all kernels are in besides their own, where there are no others."""
    files = {frozenset(row.also_in) - frozenset(logs) for row in rows}
    (same,) = files if len(files) == 1 else (frozenset[str](),)
    return [words.printable(PurePath(file).name) for file in sorted(same)]
