"""The bytes of one file or stream, for readers of binary formats and of text alike."""

from __future__ import annotations

import gzip
import io
import mmap
import os
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from .budget import MAX_LINE_CHARACTERS, MAX_STREAM_BYTES, MIB, Budget, Malformed

GZIP_MAGIC = b"\x1f\x8b"
HEAD_BYTES = 4096
WINDOW_BYTES = 32 * MIB

_KEPT_IN_MEMORY = 16 * MIB
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Readable(Protocol):
    """Whatever gives bytes or text, a piece at a time."""

    def read(self, size: int, /) -> bytes | str | None: ...


class Content:
    """A file or stream that is open for reading, with the name that messages call it by.

    Binary formats are read through `data`, which is mapped, not loaded, where the content is a file;
    text is read through `text`, a piece at a time.
    """

    def __init__(self, name: str, file: BinaryIO, size: int, path: Path | None = None) -> None:
        self.name = name
        self.size = size
        self.path = path
        """None for a stream."""
        self.budget = Budget(size)
        self._file = file
        self._data: mmap.mmap | bytes | None = None

    @property
    def data(self) -> mmap.mmap | bytes:
        """All bytes."""
        if self._data is None:
            if isinstance(self._file, io.BytesIO):
                self._data = self._file.getvalue()
            else:
                self._data = self._mapped()
        return self._data

    def _mapped(self) -> mmap.mmap:
        try:
            return mmap.mmap(self._file.fileno(), self.size, access=mmap.ACCESS_READ)
        except (ValueError, OverflowError) as error:  # shrunk since, or too large for the address space
            raise Malformed(f"cannot be mapped into memory: {error}") from error

    def windows(self) -> Iterator[tuple[int, int]]:
        """The parts that hold data, at most 32 MiB each; what was mapped for one is let go with the next.

        Without that, the pages of the whole file would come to count as resident memory.
        """
        data = self.data
        for start, end in self._extents():
            for low in range(start, end, WINDOW_BYTES):
                high = min(low + WINDOW_BYTES, end)
                yield low, high
                if isinstance(data, mmap.mmap) and hasattr(data, "madvise"):
                    first = low - low % mmap.PAGESIZE
                    data.madvise(mmap.MADV_DONTNEED, first, high - first)

    def _extents(self) -> Iterator[tuple[int, int]]:
        # Holes of a sparse file read as zeros, and need not be read at all.
        if isinstance(self._file, io.BytesIO) or not hasattr(os, "SEEK_DATA"):
            yield 0, self.size
            return
        position = 0
        while position < self.size:
            try:
                start = os.lseek(self._file.fileno(), position, os.SEEK_DATA)
                position = os.lseek(self._file.fileno(), start, os.SEEK_HOLE)
            except OSError:  # no more data; or a file system that cannot tell
                if position == 0:
                    yield 0, self.size
                return
            yield start, min(position, self.size)

    @property
    def is_compressed(self) -> bool:
        """Whether this is a gzip file."""
        self._file.seek(0)
        return self._file.read(len(GZIP_MAGIC)) == GZIP_MAGIC

    def head(self, size: int = HEAD_BYTES) -> bytes:
        """The first bytes; of a compressed text, the first after decompression.

        Raises:
            Malformed: They cannot be decompressed.
        """
        with self._plain() as plain, _damage_as_malformed():
            return plain.read(size)

    @contextmanager
    def text(self) -> Iterator[Text]:
        """The content as text, decompressed if need be.

        Whatever is not valid in the encoding becomes a replacement character: names and numbers that
        matter here are ASCII, and logs come in every encoding.
        """
        start = self.head(4)
        encoding = next((name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)), "utf-8")
        with self._plain() as plain:
            wrapper = io.TextIOWrapper(plain, encoding, errors="replace")
            try:
                yield Text(wrapper)
            finally:
                wrapper.detach()

    @contextmanager
    def _plain(self) -> Iterator[io.BufferedReader]:
        compressed = self.is_compressed
        self._file.seek(0)
        stream = gzip.GzipFile(fileobj=self._file, mode="rb") if compressed else self._file
        yield io.BufferedReader(_Metered(stream, self.budget if compressed else None))


class Text:
    """A text that is read a piece at a time."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self._stream = stream

    def lines(self) -> Iterator[tuple[int, str]]:
        """The numbered lines; an endless one comes in pieces.

        Raises:
            Malformed: They cannot be decompressed.
        """
        number = 0
        while True:
            with _damage_as_malformed():
                line = self._stream.readline(MAX_LINE_CHARACTERS)
            if not line:
                return
            number += 1
            yield number, line

    def read(self, size: int) -> str:
        """The next characters, up to so many; none at the end.

        Raises:
            Malformed: They cannot be decompressed.
        """
        with _damage_as_malformed():
            return self._stream.read(size)


class _Metered(io.RawIOBase):
    """Passes a stream through, stays open when closed, and pays for what decompression makes of it."""

    def __init__(self, stream: gzip.GzipFile | BinaryIO, budget: Budget | None) -> None:
        self._stream = stream
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._stream.read(len(buffer))
        if self._budget is not None:
            self._budget.expand(len(piece))
        buffer[: len(piece)] = piece
        return len(piece)


@contextmanager
def _damage_as_malformed() -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Malformed(f"the compressed text is damaged: {error}") from error
    except OSError as error:
        raise Malformed(f"cannot be read: {error.strerror or error}") from error


@contextmanager
def open_content(source: str | os.PathLike[str] | Readable) -> Iterator[Content]:
    """Open a path or a stream.

    Args:
        source: A path, or an object with ``read`` that gives bytes or text.

    Raises:
        Malformed: It cannot be opened, or a stream is longer than what is taken from one.
    """
    if not isinstance(source, (str, os.PathLike)):
        with _copied(source) as (file, size):
            yield Content(stream_name(source), file, size)
        return
    with _damage_as_malformed():
        opened = open(source, "rb")  # noqa: SIM115, only the opening may fail so
    with opened:
        status = os.fstat(opened.fileno())
        if stat.S_ISREG(status.st_mode):
            yield Content(os.fspath(source), opened, status.st_size, Path(source))
        else:  # a pipe, such as the shell's <(...)
            with _copied(opened) as (file, size):
                yield Content(os.fspath(source), file, size)


def stream_name(stream: object) -> str:
    """What messages call a stream."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else "<stream>"


@contextmanager
def _copied(stream: Readable) -> Iterator[tuple[BinaryIO, int]]:
    # Readers go back and forth, which a pipe does not allow: it is kept in memory, or on disk if long.
    kept = io.BytesIO()
    size = _copy(stream, kept, _KEPT_IN_MEMORY)
    if size <= _KEPT_IN_MEMORY:
        yield kept, size
        return
    with _damage_as_malformed():
        file = tempfile.TemporaryFile()  # noqa: SIM115, likewise
    with file:
        file.write(kept.getvalue())
        kept.close()
        size += _copy(stream, file, MAX_STREAM_BYTES)
        if size > MAX_STREAM_BYTES:
            raise Malformed(f"more than {MAX_STREAM_BYTES >> 30} GiB come from the stream; save it as a file")
        file.flush()
        yield file, size


def _copy(stream: Readable, file: BinaryIO, most: int) -> int:
    size = 0
    while size <= most:
        with _damage_as_malformed():
            piece = stream.read(MIB)
        if not piece:
            break
        size += file.write(piece.encode("utf-8", "replace") if isinstance(piece, str) else piece)
    return size
