"""Atomic writing of files: a reader sees the old content or the new one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


@contextmanager
def written_atomically(path: str) -> Iterator[TextIO]:
    """Open a temporary file in UTF-8 that replaces the target at the end.

    A link stays a link, and an existing file keeps its permissions. A device or a pipe is written directly.
    After an error the target is as it was.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    mode = os.stat(target).st_mode & 0o7777 if os.path.exists(target) else 0o666 & ~_umask()
    try:
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".occupancy-")
    except OSError as error:
        error.filename = path  # the name that the user gave
        raise
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
