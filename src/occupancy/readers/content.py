"""Bytes and text of one file or stream, and compiler errors in the text."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ..errors import cut, unreadable
from ..values.untrusted import printable
from .limits import MAX_TABLE_BYTES, MIB, Malformed, ReadLimits, Truncated, Unreadable

GZIP_MAGIC = b"\x1f\x8b"
HEAD_BYTES = 4096
WINDOW_BYTES = MIB
CHUNK_CHARACTERS = 1 << 14  # of text, lost if damaged
MAX_LINE_CHARACTERS = 1 << 20  # longer lines are split into pieces of this length
MAX_STREAM_BYTES = 1 << 30  # limit for pipes; files can be of any size

NumberedLines = Iterable[tuple[int, str]]

_KEPT_IN_MEMORY = 16 * MIB
BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
CHANGED = "was changed while it was read. Read it again"


class Readable(Protocol):
    """A stream of bytes or text."""

    def read(self, size: int, /) -> bytes | str | None: ...


KernelSource = str | os.PathLike[str] | Readable


class Bytes(Protocol):
    """Bytes in memory, or in a file and read slice by slice."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: slice, /) -> memoryview: ...


class Content:
    """An open file, or a stream (``path`` is None).

    Binary formats are read piecewise through `part` and `window`, and text through `text`. Files are not mapped
    into memory, because truncating a mapped file, as linkers do, kills the process.
    Passing the limits shared by all files of the command adds an allowance for this file.
    """

    def __init__(self, name: str, file: BinaryIO, size: int, limits: ReadLimits, path: Path | None) -> None:
        self.name = name
        self.size = size
        self.path = path
        self.suffix = "" if path is None else path.suffix
        self.file = file
        self.state_at_first = self.state()
        stored = sum(high - low for low, high in self._extents())  # without the holes of a sparse file
        self._is_sparse = stored < size
        self.limits = ReadLimits(stored, limits) if limits.shared is limits else limits
        self.is_compressed = self.part()[: len(GZIP_MAGIC)] == GZIP_MAGIC
        self.has_device_code = False  # true after an image was read, even one without kernels
        self.errors = CompilerErrors()

    def part(self, start: int = 0, end: int | None = None) -> Bytes:
        """Return the bytes from one offset to another, by default to the end."""
        end = self.size if end is None else end
        return _Stored(self.file, start, max(0, min(end, self.size) - start))

    def window(self, position: int, buffer: bytearray) -> tuple[int, int, bytes | bytearray]:
        """Return the start, end and bytes of the next 1 MiB of data, plus an overlap if the buffer has room."""
        start, end = next(self._extents(position), (self.size, self.size))
        end = min(end, start + WINDOW_BYTES)
        wanted = min(end + len(buffer) - WINDOW_BYTES, self.size) - start
        # Reuse one buffer: allocating memory would take longer than reading.
        with damage_as_malformed():
            self.file.seek(start)
            size = self.file.readinto(memoryview(buffer)[:wanted])  # type: ignore[attr-defined]
        if size < wanted:
            raise Unreadable(CHANGED)
        return start, end, buffer if size == len(buffer) else buffer[:size]

    def state(self) -> tuple[int, int] | None:
        """Return size and time of a file, which differ after a change."""
        if self.path is None:
            return None
        status = os.fstat(self.file.fileno())
        return status.st_size, status.st_mtime_ns

    def _extents(self, first: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the extents with data from an offset on; the holes between them are zeros."""
        if isinstance(self.file, io.BytesIO) or not hasattr(os, "SEEK_DATA"):
            yield first, self.size
            return
        descriptor = self.file.fileno()
        position = first
        while position < self.size:
            before = os.lseek(descriptor, 0, os.SEEK_CUR)
            try:
                start = os.lseek(descriptor, position, os.SEEK_DATA)
                position = min(os.lseek(descriptor, start, os.SEEK_HOLE), self.size)
            except OSError as error:
                if error.errno != errno.ENXIO and position == first:  # not supported by the file system
                    yield first, self.size
                return
            finally:  # the file object's buffer depends on its position
                os.lseek(descriptor, before, os.SEEK_SET)
            yield start, position

    def head(self) -> bytes:
        with damage_as_malformed():
            return self.plain().read(HEAD_BYTES)

    def text(self) -> Text:
        # Logs come in every encoding, but the names and numbers in them are ASCII. Invalid bytes therefore
        # become replacement characters.
        head = self.head()
        encoding = next((name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark)), "utf-8")
        return Text(io.TextIOWrapper(self.plain(), encoding, errors="replace"), self.limits)

    def plain(self) -> io.BufferedReader:
        """Return a reader of the content, decompressed if necessary; closing it leaves the file open."""
        self.file.seek(0)
        # Stop at the size at the time of opening: a growing log would never end.
        plain = _Metered(self.file, self.size, self.limits if self._is_sparse else None)
        if self.is_compressed:
            unpacked = gzip.GzipFile(fileobj=io.BufferedReader(plain), mode="rb")
            plain = _Metered(unpacked, sys.maxsize, self.limits)
        return io.BufferedReader(plain)


@dataclass
class _Stored:
    file: BinaryIO
    start: int
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: slice) -> memoryview:
        start, stop, _ = place.indices(self.size)
        if (size := max(0, stop - start)) > MAX_TABLE_BYTES:
            raise Unreadable(f"a piece of {size:,} bytes exceeds the limit")
        with damage_as_malformed():
            self.file.seek(self.start + start)
            data = self.file.read(size)
        if len(data) < size:
            raise Unreadable(CHANGED)
        return memoryview(data)


@dataclass(eq=False)
class _Metered(io.RawIOBase):
    """First ``left`` bytes of a stream, charged to the limits."""

    stream: gzip.GzipFile | BinaryIO
    left: int
    limits: ReadLimits | None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.stream.read(min(self.left, len(buffer)))
        self.left -= len(piece)
        if self.limits is not None:
            self.limits.expand(len(piece))
        buffer[: len(piece)] = piece
        return len(piece)


@dataclass
class Text:
    """Text read piece by piece, within the limits."""

    stream: io.TextIOWrapper
    limits: ReadLimits

    def lines(self, errors: CompilerErrors) -> Iterator[tuple[int, str]]:
        """Yield the numbered lines, and count compiler errors in them; very long lines are split."""
        number, rest = 0, ""
        while text := rest + (chunk := self.read(CHUNK_CHARACTERS)):
            end = text.rfind("\n") + 1
            if not chunk or len(text) - end >= MAX_LINE_CHARACTERS:
                end = len(text)
            whole, rest = text[:end].replace("\xa0", " "), text[end:]  # no-break spaces of web pages
            errors.inspect(whole, number + 1)
            self.limits.consume("pieces", whole.count("\n") + 1)
            for line in io.StringIO(whole):
                number += 1
                yield number, line

    def read(self, size: int) -> str:
        with damage_as_malformed():
            return self.stream.read(size)


def leb128(data: bytes | memoryview, position: int) -> tuple[int, int]:
    """Return the LEB128 number at a position, and the position after it."""
    value = 0
    for index, byte in enumerate(data[position : position + 10]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, position + index + 1
    raise Malformed("unterminated LEB128 number")


@contextmanager
def damage_as_malformed() -> Iterator[None]:
    try:
        yield
    except EOFError as error:
        raise Truncated from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise Malformed("its compressed data is invalid") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in a path, or a closed stream
        raise Unreadable(unreadable(error)) from error


@contextmanager
def open_content(source: KernelSource, limits: ReadLimits, name: str = "") -> Iterator[Content]:
    if not isinstance(source, (str, os.PathLike)):
        with _copied(source) as (file, size):
            yield Content(name, file, size, limits, None)
        return
    with damage_as_malformed():
        opened = open(source, "rb")  # noqa: SIM115, only `open` raises these errors
    with opened:
        status = os.fstat(opened.fileno())
        if stat.S_ISREG(status.st_mode):
            yield Content(os.fspath(source), opened, status.st_size, limits, Path(source))
        elif stat.S_ISCHR(status.st_mode) and not os.isatty(opened.fileno()) and opened.peek(1):
            raise Unreadable("is a device, which never ends")
        else:  # a pipe, such as the shell's <(...)
            with _copied(opened) as (file, size):
                yield Content(os.fspath(source), file, size, limits, None)


@contextmanager
def _copied(stream: Readable) -> Iterator[tuple[BinaryIO, int]]:
    # Readers seek, but a pipe cannot: copy it to memory, or to disk if it is long.
    from tempfile import SpooledTemporaryFile  # takes longer to import than most files take to read

    size = 0
    with SpooledTemporaryFile(_KEPT_IN_MEMORY) as copy:
        with damage_as_malformed():
            while piece := stream.read(MIB):
                size += copy.write(piece.encode("utf-8", "replace") if isinstance(piece, str) else piece)
                if size > MAX_STREAM_BYTES:
                    most = f"{MAX_STREAM_BYTES >> 30} GiB"
                    raise Unreadable(f"the stream has more than {most}. Save it as a file")
        copy.flush()
        file: Any = copy._file  # it has no readinto() of its own in Python 3.10
        yield file, size


# Every line with an error contains one of them.
_WORDS = ("error", "fatal", ": *** ", "ninja: ", ": not found", ": command not", "undefined reference")

# k.cu(12): error: ..., k.cu:12:3: fatal error: ..., k.cu(12): error #20-D: ..., k.obj : error LNK2019: ...
_ANYWHERE = re.compile(
    r"(?:\(\d{1,9}(?:,\d{1,9})?\)|:\d{1,9}) ?: (?:(?:fatal|catastrophic|internal) )?error[ #\w-]{0,12}:"
    r"| : (?:fatal )?error LNK\d{1,9}:|: undefined reference to |\b(?:nvcc|cicc|ptxas): (?:command )?not found"
)
# nvcc fatal   : ..., ptxas a.ptx, line 12; error   : ..., At end of source: error #20-D: ..., g++: fatal error: ...,
# <command-line>: error: ... A number is a test result.
_AT_START = re.compile(
    r"\s{0,9}(?:(?:(?:nvcc|ptxas|nvlink|fatbinary|cicc|cudafe\+\+|ninja|At end of source)(?!\w)(?:[^;]{1,300};)?"
    r"|[^\s'\"]{1,300}(?=: (?:fatal )?error: {0,9}[^\s\d.+-]))"
    r"[: ]{1,9}(?:fatal|error|fatal error)(?: #[\w-]{1,12})?\s{0,9}:"
    # Summaries: make[2]: *** [k.o] Error 1, error: command 'nvcc' failed, 1 error detected in the compilation of ...
    r"|(?P<summary>(?:g?make|scons)(?:\[\d{1,9}\])?: \*\*\* |ninja: build stopped|error: command "
    r"|\d{1,9} errors? detected in the compilation))"
)
_HARMLESS = re.compile(r"(?:^|\s)(?:warning|note|remark)(?=[\s:])", re.IGNORECASE)
ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")  # terminal colors
_MAX_MATCHED = 1000  # characters of a line that are matched
MAX_QUOTED = 160


@dataclass(slots=True)
class CompilerErrors:
    """Number of compiler errors in a text, and the first of them."""

    first: str = ""
    line: int = 0  # line number of the first error
    count: int = 0

    def inspect(self, text: str, number: int) -> None:
        """Count the errors in whole lines; ``number`` is the number of the first line."""
        if not any(word in text for word in _WORDS):  # skip most text fast
            return
        for place, line in enumerate(text.split("\n"), number):
            plain = ESCAPES.sub("", line[:_MAX_MATCHED])
            found = _AT_START.match(plain) or _ANYWHERE.search(plain)
            if found and not (found.lastgroup and self.count) and not _HARMLESS.search(plain, 0, found.end()):
                self.count += 1
                if self.count == 1:
                    self.first, self.line = cut(printable(plain.strip()), MAX_QUOTED), place

    def __str__(self) -> str:
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        return f"the compiler reported an error, so kernels may be missing: {self.first}{more}"
