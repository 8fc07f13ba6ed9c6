"""The file that an answer goes to: whole or not at all, and never in the place of something else."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout

from ..errors import InputError

_WORDS = re.compile(
    rb"\A(?:Occupancy by |Blocks of [\d,]+ |\|[^\n]*\| Occupancy \|)"
    rb"|^(?:no kernels|[\d,]+ (?:kernels?|launch(?:es)?))\b",
    re.MULTILINE,
)
"""What answers for people begin with, or have on a line of their own."""
_GENERATOR = b'<meta name="generator" content="occupancy'
_JSON_NAMES = re.compile(r'(?<=^{")\w+(?=": )|(?<=, ")occupancy(?=": )')
"""The first name of an object, and the one that all of ours have but those of chosen columns."""
_PICTURES = {".svg": (b"<?xml", b"<svg"), ".png": (b"\x89PNG\r\n",), ".pdf": (b"%PDF-",)}


def _are_ours(columns: list[str]) -> bool:
    """Columns, or names in JSON, of an answer: those of kernels, or others beside their occupancy."""
    from ..builds.scan_row import ROW_FIELDS

    return "occupancy" in columns or set(columns) <= set(ROW_FIELDS)


def _has_words(ends: bytes) -> bool:
    return _WORDS.search(ends) is not None


_IS_ONE: dict[str, Callable[[bytes], bool]] = {
    "html": lambda ends: _GENERATOR in ends,
    "json": lambda ends: ends.startswith(b'{\n  "schema_version": '),
    "jsonl": lambda ends: _are_ours(_JSON_NAMES.findall(_first_line(ends)) or [""]),
    "csv": lambda ends: _are_ours(_first_line(ends).split(",")),
    "markdown": _has_words,
    "sarif": lambda ends: b"sarif-schema" in ends and b'"name": "occupancy"' in ends,
    "text": _has_words,
}
"""Whether a file, of which these are both ends, is an answer in this format, as an earlier call wrote it."""


def _first_line(ends: bytes) -> str:
    return ends.partition(b"\n")[0].decode("utf-8", "replace").strip()


@contextmanager
def written_to(path: str | None, output_format: str, sources: Iterable[str] = ()) -> Iterator[None]:
    """What is printed within goes to a file, all of it or nothing; without a path, where it always goes.

    Args:
        path: The file. Only an earlier answer in the same format, or an empty file, is replaced.
        output_format: The format of the answer.
        sources: Files that are read for it.

    Raises:
        InputError: The file is something else.
        OSError: It cannot be written.
    """
    if path is None:
        yield
        return
    from ..builds.atomic_file import check_replaceable, written_atomically

    if any(_is_same(source, path) for source in sources):
        raise InputError("is what is read", where=path, hint="Choose another name for the answer.")
    check_replaceable(path, _IS_ONE[output_format], f"answer in the format {output_format}", InputError)
    with written_atomically(path) as file, redirect_stdout(file):
        yield


def write_picture(path: str, content: bytes) -> None:
    """Write a picture, whole or not at all, in the place of nothing but a picture of its kind.

    Raises:
        InputError: The file is something else.
        OSError: It cannot be written.
    """
    from ..builds.atomic_file import check_replaceable, written_atomically

    suffix = os.path.splitext(path)[1].lower()
    starts = _PICTURES[suffix]
    check_replaceable(path, lambda ends: ends.startswith(starts), f"picture ({suffix})", InputError)
    with written_atomically(path) as file:
        file.buffer.write(content)


def _is_same(file: str, output: str) -> bool:
    try:
        return os.path.samefile(file, output)
    except OSError:
        return False
