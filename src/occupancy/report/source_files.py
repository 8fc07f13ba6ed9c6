"""The files that kernels were read from, and the places in their source, as people are shown them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import PurePath

from ..builds.scan_row import ScanRow
from ..render import words
from ..render.sarif import within_here
from ..values.asking import Asking

MOST_FILES = 3
"""Files that a heading or a note names; more are counted."""

NAMES_FILES = Asking("also_in of --format json", "also_in", "occupancy scan --format json")

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
    """The file that each kernel was read from, see `short_paths`."""
    names = short_paths({row.source for row in rows})
    return lambda row: names[row.source]


def short_paths(files: Iterable[str]) -> dict[str, str]:
    """The last part of each path, or so many of them that different files look different."""
    paths = {file: tuple(map(_folder, PurePath(file).parts)) for file in files}
    if len(set(paths.values())) < len(paths):
        paths = {source: PurePath(source).parts for source in paths}
    names = {source: parts[-1] if parts else source for source, parts in paths.items()}
    for depth in range(2, MOST_PARTS):
        often = Counter(names.values())
        alike = [source for source, name in names.items() if often[name] > 1]
        if not alike:
            break
        names |= {source: "/".join(paths[source][-depth:]) for source in alike}
    return {file: words.printable(name) for file, name in names.items()}


def _folder(name: str) -> str:
    """The beginning of a checksum, and any other part of a path as it is."""
    return name if len(name) <= MOST_OF_A_FOLDER or "." in name else f"{name[:8]}..."


def copies_of(rows: Sequence[ScanRow], logs: Collection[str]) -> Callable[[ScanRow], str]:
    """`` +2``: how many more files hold just this kernel; nothing where it is the same for all.

    Args:
        rows: The kernels.
        logs: Files that only say what kernels of others spill.
    """
    numbers = {id(row): len(set(row.also_in) - set(logs)) for row in rows}
    if len(set(numbers.values())) < 2:
        return lambda row: ""
    return lambda row: f" +{numbers[id(row)]:,}" if numbers[id(row)] else ""


def copies_in_words(rows: Sequence[ScanRow], logs: Collection[str]) -> str:
    """``Each is in app and libimg.so too.``, or what the numbers of `copies_of` are; empty where each kernel
    is in one file.

    Args:
        rows: The kernels.
        logs: See `copies_of`.
    """
    files = {frozenset(row.also_in) - frozenset(logs) for row in rows}
    if not any(files):
        return ""
    if any(map(copies_of(rows, logs), rows)):
        return Asking.of("+N: N more files hold the same kernel; ", NAMES_FILES, " names them.")
    each = "Each" if len(rows) > 1 else "It"
    first = next(iter(files))
    if len(files) > 1 or len(first) > MOST_FILES:
        number = words.count(len(first), "more file")
        return Asking.of(f"{each} is in {number}; ", NAMES_FILES, " names them.")
    return (
        f"{each} is in {words.listing([words.printable(PurePath(file).name) for file in sorted(first)])} too."
    )
