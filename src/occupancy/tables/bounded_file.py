"""The whole content of a file of unknown origin, where it is not too large."""

from __future__ import annotations

import os

from ..errors import OccupancyError


def content_of(file: str, kind: str, most: int, error_class: type[OccupancyError]) -> bytes:
    """The bytes of a file.

    Args:
        file: Its path.
        kind: What it is to be, for the error: ``"a baseline"``.
        most: Bytes that it may have.
        error_class: The error that is raised.

    Raises:
        OccupancyError: Of the given class: it cannot be read, or has more bytes.
    """
    try:
        with open(file, "rb", opener=_without_waiting) as stream:
            content = stream.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        problem = getattr(error, "strerror", None) or error
        raise error_class(f"cannot be read: {problem}", where=file) from error
    check_size(content, file, kind, most, error_class)
    return content


def check_size(content: bytes, name: str, kind: str, most: int, error_class: type[OccupancyError]) -> None:
    """Refuse a content of more bytes; the arguments are as above."""
    if len(content) > most:
        allowed = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
        raise error_class(f"is too large for {kind}", where=name, allowed=f"up to {allowed}")


def _without_waiting(path: str, flags: int) -> int:
    # The path can be that of a pipe that nobody writes to, which would be waited for without end.
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor
