"""How an error is said: one line for a program; on a terminal red, and broken at words."""

from __future__ import annotations

import sys

import click

from .output import DEFAULT_WIDTH


def say(error: click.ClickException) -> None:
    """Print an error on standard error, click's own in the form of ours.

    Raises:
        OSError: It cannot be written there.
    """
    text = message(error)
    if sys.stderr is None or not sys.stderr.isatty():
        click.echo(f"Error: {text}", err=True)
        return
    from .output import wants_color

    color = wants_color()
    lines = wrapped(f"Error: {text}", _width())
    if color:
        lines = lines.replace("Error:", click.style("Error:", fg="red", bold=True), 1)
    click.echo(lines, err=True, color=color)


def message(error: click.ClickException) -> str:
    """What is wrong; of a wrong use of the command line also where its use is told."""
    text = error.format_message().strip()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text = text if text.endswith((".", "?", "!")) else f"{text}."
        text += f" `{error.ctx.command_path} --help` lists what there is."
    return text


def wrapped(text: str, width: int) -> str:
    """A text in lines that end between words; a word that is too long has a line of its own."""
    import textwrap  # only an error needs it

    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
