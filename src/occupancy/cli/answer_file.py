"""Writing a report to the file of ``-o``, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout

from ..errors import InputError
from ..values.atomic_file import written_atomically


@contextmanager
def written_to(path: str | None, output_format: str = "", sources: Iterable[str] = ()) -> Iterator[None]:
    """Redirect standard output to a file; without a path, leave it.

    Args:
        path: The file; an existing one is replaced.
        output_format: The format of the report.
        sources: Files that are read for it.

    Raises:
        InputError: The file is one of the sources.
        OSError: It cannot be written.
    """
    if path is None:
        yield
        return
    if any(_is_same(source, path) for source in sources):
        raise InputError("is one of the files that are read", where=path, hint="Choose another file.")
    with written_atomically(path) as file, redirect_stdout(file):
        yield


def write_picture(path: str, content: bytes) -> None:
    """Write a picture, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    with written_atomically(path) as file:
        file.buffer.write(content)


def _is_same(file: str, output: str) -> bool:
    try:
        return os.path.samefile(file, output)
    except OSError:
        return False
