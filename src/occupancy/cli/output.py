"""How an answer is printed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import click

from ..errors import InputError
from .command import terminal_width
from .printing import print_data, print_text, wants_color

if TYPE_CHECKING:
    from ..render.document import Document
    from ..report.base import Report

FOR_PEOPLE = ("text", "markdown")
FORMATS = ("text", "json", "csv", "markdown")


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
