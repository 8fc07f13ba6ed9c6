"""Zip archives, which wheels are, read as they are."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

MAX_RATIO = 100
"""Largest factor of decompression of a whole archive; libraries of kernels have up to 30."""
SLACK_BYTES = 64 << 20


class Member:
    """A file of an archive, as a stream."""

    def __init__(self, stream: IO[bytes], name: str, size: int) -> None:
        self._stream = stream
        self.name = name
        self.size = size

    def read(self, size: int, /) -> bytes:
        """Read bytes.

        Raises:
            OSError: The archive is damaged, or encrypted.
        """
        try:
            return self._stream.read(size)
        except Exception as error:  # each method of compression has errors of its own
            raise OSError(f"the archive is damaged: {error}") from error


def is_zip(path: str | os.PathLike[str]) -> bool:
    """Return True for a zip archive; programs with one at their end are none."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(4) == b"PK\3\4" and zipfile.is_zipfile(path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False


def members(path: Path) -> Iterator[Member | str]:
    """Yield the files of an archive, or why one cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [info for info in archive.infolist() if not info.is_dir()]
            if sum(info.file_size for info in found) > MAX_RATIO * path.stat().st_size + SLACK_BYTES:
                yield "it decompresses to far more than libraries do; unpack it, and give the folder"
                return
            for info in sorted(found, key=lambda info: info.filename):
                try:
                    with archive.open(info) as stream:
                        yield Member(stream, f"{path}/{info.filename}", info.file_size)
                except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # also: encrypted
                    yield f"{info.filename} cannot be read: {error}"
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        yield f"the archive is damaged: {error}"
