"""The bytes of one file or stream, for readers of binary formats and of text alike."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from .budget import MAX_STREAM_BYTES, MAX_TABLE_BYTES, MIB, Allowance, Budget, Malformed
from .compiler_errors import CompilerErrors
from .text import Text, damage_as_malformed

GZIP_MAGIC = b"\x1f\x8b"
HEAD_BYTES = 4096
WINDOW_BYTES = MIB

_KEPT_IN_MEMORY = 16 * MIB
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Readable(Protocol):
    """Whatever gives bytes or text, a piece at a time."""

    def read(self, size: int, /) -> bytes | str | None: ...


class Bytes(Protocol):
    """Bytes that are in memory, or are read when a slice of them is asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: slice, /) -> memoryview: ...


class Content:
    """A file or stream that is open for reading, with the name that messages call it by.

    Binary formats are read through `part` and `search`, a piece at a time, and so is text through `text`.
    Nothing is mapped into memory: where someone cuts a mapped file short, as a linker does that writes its
    output anew, the system ends the whole process.
    """

    def __init__(
        self, name: str, file: BinaryIO, size: int, path: Path | None = None, common: Allowance | None = None
    ) -> None:
        self.name = name
        self.size = size
        self.path = path
        """None for a stream."""
        self._file = file
        self._in_memory = memoryview(file.getvalue()) if isinstance(file, io.BytesIO) else None
        self._state = self._state_now()
        stored = self._stored_bytes()
        self._is_sparse = stored < size
        self.budget = Budget(stored, common)
        self._common = common
        self.has_device_code = False
        """True once an image was read, with kernels or without."""
        self.errors = CompilerErrors()
        """Those in the text, as far as it was read as one."""

    def part(self, start: int = 0, end: int | None = None) -> Bytes:
        """The bytes from one place to another, by default to the end."""
        end = self.size if end is None else end
        if self._in_memory is not None:
            return self._in_memory[start:end]
        return _Stored(self._file, start, min(end, self.size))

    def search(self, overlap: int) -> Generator[tuple[int, int, bytes | bytearray], int | None, None]:
        """The parts that hold data, at most 1 MiB each: where one begins and ends, and its bytes.

        What may begin in one and end in the next is seen as a whole, as the bytes go on behind the end. Who
        has read on may `send` the place to go on from.

        Args:
            overlap: How many bytes go on behind the end.
        """
        buffer = bytearray(WINDOW_BYTES + overlap)
        position = 0
        for low, high in self._extents():
            position = max(position, low)
            while position < high:
                end = min(position + WINDOW_BYTES, high)
                if self._in_memory is not None:
                    piece: bytes | bytearray = bytes(self._in_memory[position : end + overlap])
                else:
                    piece = self._filled(buffer, position, min(end + overlap, self.size))
                onward = yield position, end, piece
                position = max(end, onward or 0)

    def _filled(self, buffer: bytearray, start: int, end: int) -> bytearray:
        # Into the same buffer again and again: fresh memory would take longer than the reading.
        with damage_as_malformed():
            self._file.seek(start)
            size = self._file.readinto(memoryview(buffer)[: end - start])  # type: ignore[attr-defined]
        if size < end - start:
            raise Malformed(_SHRUNK)
        return buffer if size == len(buffer) else buffer[:size]

    def has_changed(self) -> bool:
        """Whether the file is another one than when it was opened: what was read may be of both."""
        now = self._state_now()
        return now is not None and now != self._state

    def _state_now(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        status = os.fstat(self._file.fileno())
        return status.st_size, status.st_mtime_ns

    def _stored_bytes(self) -> int:
        """How much the file holds: of a sparse one, which may claim terabytes, what is not holes."""
        if self.path is None:
            return self.size
        # Some file systems tell no blocks at all.
        blocks = getattr(os.fstat(self._file.fileno()), "st_blocks", 0)
        return min(self.size, 512 * blocks) if blocks else self.size

    def _extents(self) -> Iterator[tuple[int, int]]:
        # Holes of a sparse file read as zeros, and need not be read at all.
        if self._in_memory is not None or not hasattr(os, "SEEK_DATA"):
            yield 0, self.size
            return
        position = 0
        while position < self.size:
            data = self._next_data(position)
            if data is None:  # no more; or a file system that cannot tell
                if position == 0:
                    yield 0, self.size
                return
            start, position = data
            yield start, min(position, self.size)

    def _next_data(self, position: int) -> tuple[int, int] | None:
        descriptor = self._file.fileno()
        before = os.lseek(descriptor, 0, os.SEEK_CUR)
        try:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
            return start, os.lseek(descriptor, start, os.SEEK_HOLE)
        except OSError:
            return None
        finally:  # the file's own buffer counts on it
            os.lseek(descriptor, before, os.SEEK_SET)

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
        with self._plain() as plain, damage_as_malformed():
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
                yield Text(wrapper, self.budget)
            finally:
                wrapper.detach()

    @contextmanager
    def unpacked(self) -> Iterator[Content]:
        """What a gzip file holds, as a file of its own: readers of binary formats go back and forth.

        Raises:
            Malformed: It is damaged, or more than is read.
        """
        with self._plain() as plain, _copied(plain) as (file, size):
            yield Content(self.name, file, size, common=self._common)

    @contextmanager
    def _plain(self) -> Iterator[io.BufferedReader]:
        compressed = self.is_compressed
        self._file.seek(0)
        # No more than the file had when it was opened: a log that grows would never end.
        stored = _Metered(self._file, self.size, self.budget if self._is_sparse else None)
        if not compressed:
            yield io.BufferedReader(stored)
            return
        with io.BufferedReader(stored) as raw:
            yield io.BufferedReader(_Metered(gzip.GzipFile(fileobj=raw, mode="rb"), None, self.budget))


class _Stored:
    """Bytes of a file that are read when a slice of them is asked for."""

    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        self._file = file
        self._start = start
        self._size = max(0, end - start)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: slice) -> memoryview:
        start, stop, _ = place.indices(self._size)
        size = max(0, stop - start)
        if size > MAX_TABLE_BYTES:
            raise Malformed(f"{size} bytes in one piece are declared, more than are read")
        with damage_as_malformed():
            data = _read_at(self._file, self._start + start, size)
        if len(data) < size:
            raise Malformed(_SHRUNK)
        return memoryview(data)


_SHRUNK = "the file has become shorter while it was read"


def _read_at(file: BinaryIO, position: int, size: int) -> bytes:
    if hasattr(os, "pread") and size <= MIB:  # which gives as much as that at once
        return os.pread(file.fileno(), size, position)
    file.seek(position)
    return file.read(size)


class _Metered(io.RawIOBase):
    """Passes a stream through, stays open when closed, and pays for what decompression makes of it.

    Args:
        stream: The stream.
        most: How many bytes are taken from it; None: all.
        budget: Who pays; None: nobody.
    """

    def __init__(self, stream: gzip.GzipFile | BinaryIO, most: int | None, budget: Budget | None) -> None:
        self._stream = stream
        self._left = most
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer) if self._left is None else min(self._left, len(buffer))
        piece = self._stream.read(size)
        if self._left is not None:
            self._left -= len(piece)
        if self._budget is not None:
            self._budget.pay("expanded", len(piece))
        buffer[: len(piece)] = piece
        return len(piece)


@contextmanager
def open_content(
    source: str | os.PathLike[str] | Readable, common: Allowance | None = None
) -> Iterator[Content]:
    """Open a path or a stream.

    Args:
        source: A path, or an object with ``read`` that gives bytes or text.
        common: What it shares with the other files of the question.

    Raises:
        Malformed: It cannot be opened, or a stream is longer than what is taken from one.
    """
    if not isinstance(source, (str, os.PathLike)):
        with _copied(source) as (file, size):
            yield Content(stream_name(source), file, size, common=common)
        return
    with damage_as_malformed():
        opened = open(source, "rb")  # noqa: SIM115, only the opening may fail so
    with opened:
        status = os.fstat(opened.fileno())
        if stat.S_ISREG(status.st_mode):
            yield Content(os.fspath(source), opened, status.st_size, Path(source), common)
        elif stat.S_ISCHR(status.st_mode) and not os.isatty(opened.fileno()) and opened.peek(1):
            raise Malformed("is a device, which has no end")
        else:  # a pipe, such as the shell's <(...)
            with _copied(opened) as (file, size):
                yield Content(os.fspath(source), file, size, common=common)


class Renamed:
    """A stream that messages call otherwise."""

    def __init__(self, stream: Readable, name: str) -> None:
        self.read = stream.read
        self.name = name


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
    with damage_as_malformed():
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
        with damage_as_malformed():
            piece = stream.read(MIB)
        if not piece:
            break
        size += file.write(piece.encode("utf-8", "replace") if isinstance(piece, str) else piece)
    return size
