"""Two builds in the place of one: what is compared with what would be left to chance."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import PurePath

from ..errors import ReadError
from ..readers import KernelRecord

SHARE = 1 / 3
"""Of the kernels of the smaller of two folders, how many the other has, too, where they are two builds."""

LEAST = 2
"""Kernels that they have in common at the least."""

_CMAKE_TARGET = ".dir"
"""Ends the name of the folder of a target, of which a build has several that may compile the same file."""


def refuse_two_builds(records: Sequence[KernelRecord], paths: Sequence[str]) -> None:
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
        if common >= max(LEAST, SHARE * min(held[one], held[other])):
            differ = f"with {count:,} kernel{'s' * (count > 1)} that differ{'s' * (count == 1)}"
            two = other or ".", one or "."
            if len(paths) > 1:
                raise ReadError(
                    f"are two builds, {differ}", where=" and ".join(two), cure="Give one of them."
                )
            first, second = (PurePath(os.path.relpath(each, *paths)).as_posix() for each in two)
            raise ReadError(
                f"holds two builds, {first} and {second}, {differ}", where=paths[0], cure="Give one of them."
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
