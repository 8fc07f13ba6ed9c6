"""Reports in any format, on standard output or in a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

import click

from ..errors import FOR_COMMAND, InputError
from ..values.untrusted import printable
from .command import Option

if TYPE_CHECKING:
    from ..report.model import Report
    from ..report.pictures import Picture

FORMAT_OF_ENDING = {
    ".csv": "csv", ".html": "html", ".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".sarif": "sarif",
    ".txt": "text", ".xml": "junit",
}  # fmt: skip
CSV_NOTES = {
    "other-gpu": "", "changed-limits": "", "assumed-threads": "threads_assumed", "spills-counted": "spills_from",
    "dynamic-smem": "dynamic_smem",
}  # fmt: skip
"""Note for a CSV without a column -> this column."""
CHECK_FORMATS = ("html", "github", "junit", "sarif")


def format_option(*others: str) -> Option:
    """Return ``--format``, with further formats of a command."""
    formats = ("text", "json", "jsonl", "csv", "markdown", *others)
    return Option("--format", "output_format", group="output", type=click.Choice(formats), metavar="FORMAT",
                  help=f"Output as {', '.join(formats[:-1])} or {formats[-1]}.")  # fmt: skip


FORMAT = format_option()


def output_option(text: str) -> Option:
    return Option("-o", "--output", group="output", multiple=True, metavar="FILE", help=f"{text} Repeatable.")


def show(report: Report, output_format: str | None) -> None:
    report = report.reworded(*FOR_COMMAND)
    if not output_format or output_format == "text":
        from ..render.terminal import text

        is_terminal = sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        wanted = bool(os.environ.get("FORCE_COLOR")) or is_terminal
        color = wanted and not os.environ.get("NO_COLOR")  # both variables count if they are not empty
        width = None if is_terminal or os.environ.get("COLUMNS") else 80
        click.echo(text(report, width, color), color=color or None)
        if report.limit is not None:
            is_newest = click.get_current_context().params.get("only_newest")
            click.echo(f"\n--all lists every row{'' if is_newest else ', --newest one per kernel and file'}.")
    elif output_format in ("markdown", "html"):
        from ..render import markup

        click.echo((markup.html_document if output_format == "html" else markup.markdown)(report), nl=False)
    else:
        from ..render import data

        pieces = {"csv": data.csv_pieces, "json": data.json_pieces, "jsonl": data.json_line_pieces}
        for piece in pieces[output_format](report):
            click.echo(piece, nl=False, color=True)  # escape codes are escaped: nothing to remove
        keys = {column.key for column in report.columns}
        for each in report.notes if output_format == "csv" else ():
            if each.code in CSV_NOTES and CSV_NOTES[each.code] not in keys:
                click.echo(each.text, err=True)


@contextmanager
def written_to(path: str, inputs: Iterable[str | None] = ()) -> Iterator[None]:
    """Redirect standard output to a file, whole or not at all; ``-`` does not."""
    if path == "-":
        yield
        return
    from ..readers.reading import check_output
    from ..tables.files import written_atomically

    check_output(path, filter(None, inputs))
    with written_atomically(path) as file, redirect_stdout(file):
        yield
    click.echo(f"Wrote {printable(path)}.", err=True)


def save_picture(picture: Picture, path: str) -> None:
    from ..render.pictures import picture_bytes

    with written_to(path):
        sys.stdout.buffer.write(picture_bytes(picture, path))


def formats_of(paths: Sequence[str], given: str | None, charts: Sequence[str] = ()) -> dict[str, str | None]:
    """Return files and their formats, given or by their endings; without files, standard output."""
    types = {each.name: each.type for each in click.get_current_context().command.params}
    possible = getattr(types.get("output_format"), "choices", ["html"])  # of page
    known = [*charts, *(each for each, name in FORMAT_OF_ENDING.items() if name in possible)]
    formats: dict[str, str | None] = dict.fromkeys(paths or ["-"], given)
    for path in filter("-".__ne__, paths):
        if os.path.isdir(path):
            raise InputError(f"{path} is a folder", where="output", hint="Name a file in it.")
        ending = os.path.splitext(path)[1].lower()
        fitting = "picture" if ending in charts else FORMAT_OF_ENDING.get(ending, given)
        if given is None and ending not in known:
            problem = f"{path!r} does not end in a known format"
            raise InputError(problem, where="output", allowed=", ".join(known))
        if given not in (None, fitting) and (given, fitting) != ("sarif", "json"):  # SARIF is JSON
            hint = "Remove --format, or rename the file."
            raise InputError(f"{given} contradicts {path}", where="output_format", hint=hint)
        formats[path] = given or fitting
    return formats
