"""How an answer is printed."""

from __future__ import annotations

import errno
import importlib
import os
import sys

import click

DEFAULT_WIDTH = 80

FORMATS = ("text", "json", "csv", "markdown")

# What charts are drawn with, for terminals that know ASCII only.
IN_ASCII = str.maketrans("▁▂▃▄▅▆▇█░▒▓│┤└─▲", "__..--##.+%||+-^")


def print_report(command: str, report: object, output_format: str) -> None:
    """Print a command's report in one of `FORMATS`.

    The text is made by ``render`` in the module of that name in ``render.text``, the others by the
    function of the format's name in ``render.records``.
    """
    kind = "text" if output_format == "text" else "records"
    module = importlib.import_module(f"...render.{kind}.{command}", __name__)
    if output_format == "text":
        print_text(module.render(report, width=terminal_width(), color=wants_color()))
    else:
        print_text(getattr(module, output_format)(report))


def print_text(text: str) -> None:
    """Print on standard output, in plainer characters where its encoding has no others.

    Raises:
        OSError: It cannot be written there.
    """
    if sys.stdout is None:  # Python's word for a standard output that was closed from the start
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(IN_ASCII).encode(encoding, "replace").decode(encoding)
    click.echo(text)


def terminal_width() -> int:
    """Columns of the terminal, or of the variable COLUMNS; 80 where there is neither."""
    # As shutil.get_terminal_size(), whose module takes as long to import as a whole answer to compute.
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        # A terminal that was never told its size says 0.
        return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    except (AttributeError, OSError, ValueError):  # closed, no terminal, or a test's stand-in
        return DEFAULT_WIDTH


def wants_color() -> bool:
    """Colour only on a terminal that can show it, and not where NO_COLOR is set."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
