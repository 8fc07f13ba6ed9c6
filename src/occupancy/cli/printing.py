"""Reports in any format, on standard output or in a file; and their schema."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from ..values.untrusted import printable
from .command import Option, command, terminal_width

if TYPE_CHECKING:
    from ..report.model import Report
    from ..report.pictures import Picture

# What charts are drawn with, for terminals that know ASCII only.
IN_ASCII = str.maketrans("▁▂▃▄▅▆▇█░▒▓│┤└─▲", "__..--##.+%||+-^")

FORMATS = ("text", "json", "jsonl", "csv", "markdown")
FORMAT_OF_ENDING = {
    ".csv": "csv", ".html": "html", ".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".sarif": "sarif",
    ".txt": "text", ".xml": "junit",
}  # fmt: skip


def format_option(*others: str) -> Option:
    """Return ``--format``, with further formats of a command."""
    formats = (*FORMATS, *others)
    return Option(
        "--format", "output_format", type=click.Choice(formats), default="text", metavar="FORMAT",
        help=f"{', '.join(formats)}.",
    )  # fmt: skip


FORMAT = format_option()


def show(report: Report, output_format: str) -> None:
    """Print a report on standard output."""
    if output_format == "text":
        from ..render.terminal import text

        color = wants_color()
        print_text(text(report, terminal_width(), color), color=color)
    elif output_format in ("markdown", "html"):
        from ..render import markup

        print_data(markup.markdown(report) if output_format == "markdown" else markup.html(report), nl=False)
    else:
        from ..render import data

        pieces = {"csv": data.csv_pieces, "json": data.json_pieces, "jsonl": data.json_line_pieces}
        for piece in pieces[output_format](report):
            print_data(piece, nl=False)


@contextmanager
def written_to(path: str | None, sources: Iterable[str] = ()) -> Iterator[None]:
    """Redirect standard output to a file, written whole or not at all, that is none of the sources.

    An existing file is replaced. None or ``-`` leaves standard output as it is.
    """
    if path is None or path == "-":
        yield
        return
    from ..values.atomic_file import written_atomically

    if os.path.exists(path) and any(os.path.samefile(each, path) for each in filter(os.path.exists, sources)):
        raise InputError("is one of the files that are read", where=path, hint="Choose another file.")
    with written_atomically(path) as file, redirect_stdout(file):
        yield
    click.echo(f"Wrote {printable(path)}.", err=True)


def save_picture(picture: Picture, path: str) -> None:
    """Draw a picture in the format of a file's ending."""
    from ..render.pictures import picture_bytes

    content = picture_bytes(picture, path)
    with written_to(path):
        sys.stdout.buffer.write(content)


def format_of(output: str | None, output_format: str, pictures: Iterable[str] = ()) -> str:
    """Return the format of ``--format``, else that of the ending of the output file."""
    source = click.get_current_context().get_parameter_source("output_format")
    if output is None or output == "-" or source is not click.core.ParameterSource.DEFAULT:
        return output_format
    return format_of_ending(output, pictures, hint="Choose another ending, or set --format.")


def format_of_ending(path: str, pictures: Iterable[str] = (), hint: str = "") -> str:
    """Return the format of the running command for the ending of a file's name.

    The endings of pictures are for the error of an ending that stands for no format.
    """
    options = click.get_current_context().command.params
    choice = next(option.type for option in options if option.name == "output_format")
    known = {each: name for each, name in FORMAT_OF_ENDING.items() if name in getattr(choice, "choices", ())}
    ending = os.path.splitext(path)[1].lower()
    if ending not in known:
        problem = f"{path!r} does not end in a known format"
        raise InputError(problem, where="output", allowed=", ".join((*pictures, *known)), hint=hint)
    return known[ending]


def print_text(text: str, *, color: bool = False, nl: bool = True) -> None:
    """Print on standard output, in plainer characters where its encoding has no others.

    With ``color``, the text's colours stay even if standard output is no terminal.
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


def _complete_report(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from ..report.schema import REPORTS

    return [name for name in REPORTS if name.startswith(typed)]


@command(click.Argument(["name"], metavar="COMMAND", required=False, shell_complete=_complete_report))
def schema(name: str | None) -> None:
    """Print the JSON Schema of a command's --format json.

    \b
    occupancy schema calc
    """
    import json

    from ..report.schema import REPORTS, json_schema

    if name is None:
        raise InputError("is missing", where="COMMAND", allowed=", ".join(REPORTS))
    print_data(json.dumps(json_schema(name), indent=2))
