"""Files, folders and streams: what to open, in which order, and what to say where nothing is found."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeGuard

from ..errors import ReadError
from ..values.listed import listed
from ..values.untrusted import printable
from .budget import Allowance, Malformed
from .content import Content, Readable, Renamed, open_content, stream_name
from .recognise import read_content, triton_metadata, why_nothing
from .record import Found, KernelRecord, ReadProblem
from .remark import Remark
from .triton import IMAGE_SUFFIX

Source = str | os.PathLike[str] | Readable

STANDARD_INPUT = "-"

CMAKE_FOLDER = "CMakeFiles"
_PROBES = re.compile(r"\d+\.\d+.*|CMakeScratch|CMakeTmp|ShowIncludes")
"""Folders in it with which CMake tries the compiler: what is in them is none of the project's."""

METADATA_SUFFIX = ".json"
TRITON_SUFFIXES = (IMAGE_SUFFIX, ".ptx")
"""Triton's metadata are read first of a folder: the image and the PTX of the same name belong to them."""


def read(source: Source, common: Allowance | None = None) -> Iterator[Found]:
    """Everything that a source holds: records, remarks on them, what could not be read; in its order.

    Never raises for what a file holds. A source with nothing at all gives one problem that says why.

    Args:
        source: A path of a file or folder, ``"-"`` for standard input, or an object with ``read`` that
            gives bytes or text.
        common: What it shares with the other sources of the same question; by default it is the only one.
    """
    common = Allowance() if common is None else common
    if source == STANDARD_INPUT:
        yield from _read_file(sys.stdin.buffer, common)
    elif is_folder(source):
        yield from _read_folder(Path(source), common)
    elif metadata := _metadata_beside(source):
        yield from _read_paths([(metadata, None), (metadata.with_suffix(IMAGE_SUFFIX), None)], common)
    else:
        yield from _read_file(source, common)


def read_each(sources: Iterable[Source], common: Allowance | None = None) -> Iterator[Found]:
    """Everything that several sources hold.

    Streams of one name, or without any, are several files: from the second on the name has their number.

    Args:
        sources: Each as in `read`.
        common: What they share with the other sources of the same question; by default there are no others.
    """
    common = Allowance() if common is None else common
    streams: dict[str, int] = {}
    harmless: list[ReadProblem] = []
    has_kernels = False
    for source in sources:
        if not isinstance(source, (str, os.PathLike)):
            name = stream_name(source)
            number = streams[name] = streams.get(name, 0) + 1
            if number > 1:
                source = Renamed(source, f"{name} ({number})")
        for found in read(source, common):
            has_kernels = has_kernels or isinstance(found, KernelRecord)
            if isinstance(found, ReadProblem) and found.is_harmless:
                harmless.append(found)
            else:
                yield found
    if not has_kernels:
        yield from harmless


def is_folder(source: Source) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is the path of a folder."""
    return source != STANDARD_INPUT and isinstance(source, (str, os.PathLike)) and os.path.isdir(source)


def stream_kernels(source: Source) -> KernelStream:
    """The kernels, or launches, of a source, one by one while it is read; for sources of any size.

    As `scan`, which keeps them all and has their answers, but as the source states them.

        >>> for kernel in occupancy.stream_kernels("trace.json"):    # doctest: +SKIP
        ...     print(kernel.demangled, kernel.arch, kernel.regs)

    Args:
        source: A path of a file or folder, ``"-"`` for standard input, or an object with ``read`` that
            gives bytes or text.

    Returns:
        What reads the source whenever it is iterated; damaged pieces are in its ``problems``.
    """
    return KernelStream(source)


@listed
class KernelStream(Iterable[KernelRecord]):
    """The kernels of a source, which is read anew whenever they are iterated."""

    def __init__(self, source: Source) -> None:
        self.problems: list[ReadProblem] = []
        """What could not be read so far."""
        self._source = source
        self._was_read = False

    def __iter__(self) -> Iterator[KernelRecord]:
        """The kernels.

        Raises:
            ReadError: The source is a stream that was read already; or, at the end, nothing at all could
                be read.
        """
        is_stream = self._source == STANDARD_INPUT or not isinstance(self._source, (str, os.PathLike))
        if self._was_read and is_stream:
            raise ReadError(
                "was read already", where=_name(self._source), hint="Keep what it holds: occupancy.scan()."
            )
        self._was_read = True
        self.problems = []
        return self._records()

    def _records(self) -> Iterator[KernelRecord]:
        is_empty = True
        for found in read(self._source):
            if isinstance(found, KernelRecord):
                is_empty = False
                yield found
            elif isinstance(found, ReadProblem):
                self.problems.append(found)
        if is_empty and self.problems:
            first = self.problems[0]
            raise ReadError(first.what, where=first.where)

    def __repr__(self) -> str:
        return f"<KernelStream of {_name(self._source)}>"

    def __str__(self) -> str:
        """What it is of, without reading it."""
        return f"the kernels of {printable(_name(self._source))}, which are read when they are iterated"


def _name(source: Source) -> str:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else stream_name(source)


def _read_file(source: Source, common: Allowance, listed: int | None = None) -> Iterator[Found]:
    """What a file holds, or why it holds nothing.

    Args:
        source: The file.
        common: What it shares with the others.
        listed: Its size when its folder was listed. Of what a folder holds, not everything need be known.
    """
    name = _name(source)
    is_empty = True
    try:
        with open_content(source, common) as content:
            for found in read_content(content):
                is_empty = is_empty and isinstance(found, Remark)
                yield found
            if content.has_changed() or listed not in (None, content.size):
                yield ReadProblem(name, None, "was changed while it was read; read it again")
            elif content.errors.count and _is_told(content, is_empty, listed):
                yield ReadProblem(name, None, str(content.errors), content.errors.line)
            elif is_empty and listed is None:
                is_harmless = content.has_device_code
                yield ReadProblem(name, None, why_nothing(content), is_harmless=is_harmless)
    except Malformed as error:
        yield ReadProblem(name, None, error.what)
    except OSError as error:
        yield ReadProblem(name, None, f"cannot be read: {error.strerror or error}")
    except MemoryError:
        yield ReadProblem(name, None, "there is not enough memory to read it")


def _is_told(content: Content, is_empty: bool, listed: int | None) -> bool:
    """Whether errors of a compiler are told: of a folder only those in logs of kernels, and never those of
    CMake's probes, which are meant to fail."""
    if listed is None:
        return True
    return not is_empty and (content.path is None or content.path.parent.name != CMAKE_FOLDER)


def _metadata_beside(source: Source) -> Path | None:
    """Triton's metadata of a cubin that is named by itself, which has neither the block size nor the shared
    memory that the launch asks for."""
    if not isinstance(source, (str, os.PathLike)) or Path(source).suffix != IMAGE_SUFFIX:
        return None
    beside = Path(source).with_suffix(METADATA_SUFFIX)
    if not (os.path.isfile(source) and os.path.isfile(beside)):
        return None
    try:
        with open_content(beside) as content:
            return None if triton_metadata(content) is None else beside
    except (Malformed, OSError):
        return None


def _read_folder(folder: Path, common: Allowance) -> Iterator[Found]:
    is_empty = True
    for found in _read_paths(_files(folder), common):
        is_empty = is_empty and isinstance(found, Remark)
        yield found
    if is_empty:
        yield ReadProblem(str(folder), None, "a folder without kernels")


def _read_paths(paths: Iterable[tuple[Path, int | ReadProblem | None]], common: Allowance) -> Iterator[Found]:
    """What files hold, less the images that Triton's metadata before them describe.

    Args:
        paths: Each with its size when its folder was listed, if one was; or with why it cannot be read.
        common: What they share.
    """
    described: set[Path] = set()
    for path, size in paths:
        if isinstance(size, ReadProblem):
            yield size
            continue
        if path.suffix in TRITON_SUFFIXES and path.with_suffix("") in described:
            continue
        for found in _read_file(path, common, size):
            if isinstance(found, KernelRecord) and found.format == "triton":
                described.add(path.with_suffix(""))
            yield found


def _files(folder: Path) -> Iterator[tuple[Path, int | ReadProblem]]:
    """Each file with its size, or with why it cannot be read.

    A file that the folder has under several names, as libraries often are, is read once.
    """
    seen: set[tuple[int, int]] = set()
    closed: list[OSError] = []
    for path, size, identity in _listed(folder, closed):
        if identity not in seen:
            seen.add(identity)
            yield path, size
    for refused in closed:
        name = str(refused.filename)
        yield Path(name), ReadProblem(name, None, f"cannot be read: {refused.strerror or refused}")


def _leads_to_a_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _listed(folder: Path, closed: list[OSError]) -> Iterator[tuple[Path, int, tuple[int, int]]]:
    """Every file below a folder in order, with its size and what it is known by.

    A loop, as folders can be thousands deep. All files of a folder are looked at before the first is read, so
    that it is known of the others whether they have changed meanwhile.
    """
    waiting = [str(folder)]
    while waiting:
        parent = waiting.pop()
        folders, files = [], []
        try:
            with os.scandir(parent) as entries:
                for entry in entries:
                    if not _leads_to_a_folder(entry):
                        files.append(entry.name)
                    elif not entry.is_symlink():
                        folders.append(entry.path)
        except OSError as error:
            closed.append(error)
        if os.path.basename(parent) == CMAKE_FOLDER:
            folders = [each for each in folders if not _PROBES.fullmatch(os.path.basename(each))]
        waiting += sorted(folders, reverse=True)
        found = []
        for name in sorted(files, key=lambda name: (not name.endswith(METADATA_SUFFIX), name)):
            path = os.path.join(parent, name)
            try:
                status = os.stat(path)
            except OSError as error:
                # A link that leads nowhere is no loss.
                if isinstance(error, PermissionError) or not os.path.islink(path):
                    closed.append(error)
                continue
            if stat.S_ISREG(status.st_mode):
                found.append((path, status.st_size, (status.st_dev, status.st_ino)))
        for path, size, identity in found:
            yield Path(path), size, identity
