"""Atomic writing of files: a reader sees the old content or the new one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import TextIO


@contextmanager
def written_atomically(path: str) -> Iterator[TextIO]:
    """Open a temporary file in UTF-8 that replaces the target at the end.

    A link stays a link, and an existing file keeps its permissions. A device or a pipe is written directly.
    After an error the target is as it was.
    """
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".occupancy-{token_hex(8)}")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                yield file
            return
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename in (path, temporary):
            error.filename = path  # the name that the user gave
            has_folder = os.path.isdir(os.path.dirname(target))
            reason = error.strerror if has_folder else f"the folder {os.path.dirname(path)} does not exist"
            error.strerror = f"cannot be written: {reason}"
        with suppress(OSError):
            os.unlink(temporary)
        raise
