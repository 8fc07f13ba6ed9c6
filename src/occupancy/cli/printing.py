"""Printing a report in any format, on standard output or into a file."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InputError
from . import terminal_width
from .help import Option
from .output import print_data, print_text, wants_color

if TYPE_CHECKING:
    from ..report.model import Report

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

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
