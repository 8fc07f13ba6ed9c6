"""Printing a report in any format, on standard output or into a file."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InputError
from .command import Option, terminal_width

if TYPE_CHECKING:
    from ..report.model import Report

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

# What charts are drawn with, for terminals that know ASCII only.
IN_ASCII = str.maketrans("▁▂▃▄▅▆▇█░▒▓│┤└─▲", "__..--##.+%||+-^")


FORMATS = ("text", "json", "jsonl", "csv", "markdown")
FORMAT_OF_ENDING = {
    ".csv": "csv", ".html": "html", ".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".txt": "text",
}  # fmt: skip


def format_option(*others: str) -> Callable[[Decorated], Decorated]:
    """Return the decorator of ``--format``, with further formats of a command."""
    formats = (*FORMATS, *others)
    return click.option(
        "--format", "output_format", cls=Option, group="output", is_common=True, type=click.Choice(formats),
        default="text", metavar="FORMAT", help=f"{', '.join(formats)}.",
    )  # fmt: skip


def show(report: Report, output_format: str) -> None:
    """Print a report on standard output."""
    if output_format == "text":
        from ..render.terminal import text

        color = wants_color()
        print_text(text(report, terminal_width(), color), color=color)
        return
    for piece in pieces(report, output_format):
        print_data(piece, nl=False)


def save(content: bytes, path: str) -> None:
    """Write a file, whole or not at all, and say so on standard error.

    Raises:
        OSError: It cannot be written.
    """
    from ..values.atomic_file import written_atomically
    from ..values.untrusted import printable

    with written_atomically(path) as file:
        file.buffer.write(content)
    click.echo(f"Wrote {printable(path)}.", err=True)


def pieces(report: Report, output_format: str) -> Iterator[str]:
    """Return a report in any format but a screen's, in pieces."""
    if output_format in ("markdown", "html"):
        from ..render import markup

        yield markup.markdown(report) if output_format == "markdown" else markup.html(report)
        return
    from ..render import data

    if output_format == "csv":
        stream = io.StringIO()
        data.write_csv(report, stream)
        yield stream.getvalue()
    else:
        yield from data.json_pieces(report) if output_format == "json" else data.json_line_pieces(report)


def format_of_file(path: str, output_format: str, pictures: tuple[str, ...] = ()) -> str:
    """Return the format that ``--format`` or else the ending of a file's name asks for.

    Raises:
        InputError: An ending that stands for no format.
    """
    source = click.get_current_context().get_parameter_source("output_format")
    if source is not click.core.ParameterSource.DEFAULT:
        return output_format
    ending = os.path.splitext(path)[1].lower()
    if ending in FORMAT_OF_ENDING:
        return FORMAT_OF_ENDING[ending]
    raise InputError(
        f"{path!r} does not end in a known format",
        where="output",
        allowed=", ".join((*pictures, *FORMAT_OF_ENDING)),
        hint="Or add --format.",
    )


def print_text(text: str, *, color: bool = False, nl: bool = True) -> None:
    """Print on standard output, in plainer characters where its encoding has no others.

    Args:
        text: What to print.
        color: Whether to keep the text's colours even where standard output is no terminal.

    Raises:
        OSError: It cannot be written there.
    """
    if sys.stdout is None:  # Python's word for a standard output that was closed from the start
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()  # names of files can be bytes that are no text
        if not encoding.lower().startswith("utf"):
            text = text.translate(IN_ASCII).encode(encoding, "replace").decode(encoding)
    click.echo(text, color=color or None, nl=nl)


def print_data(text: str, *, nl: bool = True) -> None:
    """Print what programs read, or what is kept: in UTF-8, whatever the encoding of standard output.

    On Windows that of a pipe and of a file is the system's code page, which JSON and HTML are never in.

    Raises:
        OSError: It cannot be written there.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.encoding.lower().startswith("utf"):
        sys.stdout.reconfigure(encoding="utf-8")
    print_text(text, nl=nl)


def wants_color() -> bool:
    """Return True for colored text.

    The first that applies decides: NO_COLOR is set: no; FORCE_COLOR is set: yes; otherwise only on a terminal
    that can show colours. A variable that is empty counts as not set, as both conventions have it
    (no-color.org, force-color.org).
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
