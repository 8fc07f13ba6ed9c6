"""How an answer is printed."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import click

from ..errors import InputError
from . import terminal_width

if TYPE_CHECKING:
    from ..render.document import Document
    from ..report.base import Report

FOR_PEOPLE = ("text", "markdown")
FORMATS = ("text", "json", "csv", "markdown")

# What charts are drawn with, for terminals that know ASCII only.
IN_ASCII = str.maketrans("▁▂▃▄▅▆▇█░▒▓│┤└─▲", "__..--##.+%||+-^")


def print_report(report: Report, output_format: str, *, full_names: bool = False) -> None:
    """Print an answer in one of `FORMATS`, or as JSON lines; see `print_document`."""
    if output_format in FOR_PEOPLE:
        print_document(report.document(), output_format, full_names=full_names)
    else:
        for piece in report.for_programs(output_format):
            print_data(piece)


def print_document(document: Document, output_format: str, *, full_names: bool = False) -> None:
    """Print what a person reads, in one of the formats `FOR_PEOPLE`; in text names that are too long for a
    line are shortened, unless whole ones are wanted."""
    if output_format == "text":
        from ..render.text import to_text

        color = wants_color()
        text = to_text(document, width=terminal_width(), color=color, full_names=full_names)
        print_text(text, color=color)
    else:
        from ..render.markdown import markdown

        print_data(markdown(document))


FORMAT_OF = {
    ".csv": "csv",
    ".html": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".sarif": "sarif",
    ".txt": "text",
}
"""What the ending of a file's name says where no option does."""


def file_of(output: str | None) -> str | None:
    """The file of ``-o``; None for ``-``, which is standard output, and where there is none."""
    return None if output == "-" else output


def is_format_given() -> bool:
    """Whether the user has said ``--format``."""
    source = click.get_current_context().get_parameter_source("output_format")
    return source is not click.core.ParameterSource.DEFAULT


def format_for(output: str | None, output_format: str, pictures: Sequence[str] = ()) -> str:
    """``--format``, else what the ending of the file's name says; without one it is text.

    Args:
        output: The file; None: there is none.
        output_format: The value of the option.
        pictures: The endings of the pictures that the command draws; one of them is to be asked for.

    Raises:
        InputError: An ending that says nothing, or a format that the command does not have.
    """
    if output is None or is_format_given():
        return output_format
    ending = os.path.splitext(output)[1].lower()
    known = _formats()
    endings = [each for each, its_format in FORMAT_OF.items() if its_format in known]
    if ending in endings:
        return FORMAT_OF[ending]
    if not ending and not pictures:
        return output_format
    raise InputError(
        f"{output!r} does not say what to write",
        where="output",
        allowed=", ".join((*pictures, *endings)),
        hint="Or say it with --format.",
    )


def _formats() -> Sequence[str]:
    """Those of the command that runs."""
    params = click.get_current_context().command.params
    (option,) = (each for each in params if each.name == "output_format")
    return cast(click.Choice[str], option.type).choices


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
    """Whether the text is coloured.

    The first that applies decides: NO_COLOR is set: no; FORCE_COLOR is set: yes; otherwise only on a terminal
    that can show colours. A variable that is empty counts as not set, as both conventions have it
    (no-color.org, force-color.org).
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
