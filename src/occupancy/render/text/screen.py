"""What rich lays out, as a string; the styles of what stands out; progress."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from ...values.untrusted import without_commands
from ..document import Mark
from .lines import Part

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")

PLAIN_WIDTH = 80

PROGRESS_STEP = 100
"""Kernels between two updates of what is shown while they are read."""

STYLES: dict[Mark, str] = {
    "": "",
    "strong": "bold",
    "faint": "dim",
    "good": "bold green",
    "fair": "bold yellow",
    "bad": "bold red",
    "wrong": "red",
    "code": "",
    "drawn": "blue",
}


GLUE = "\ue000"
"""Stands for a blank at which no line ends; rich breaks at every blank that Unicode knows."""

_UNITS = "[KMG]iB|GB|B|bytes?|blocks?|warps?|threads?|registers?|SMs?|clusters?|columns?|levels?|more"
_BEFORE_A_UNIT = rf"(?<=\d) (?=(?:{_UNITS})\b)"
_BEFORE_A_VALUE = r"(?<=\s)(--[a-z-]+) (?=[0-9'N]|sm_)"
_CHANGE = r"(?<=[\ds%B]) -> (?=[\d?])"


def glued(text: str) -> str:
    """A text whose numbers stay with their units, and options with their values, where lines are broken."""
    text = re.sub(_BEFORE_A_VALUE, rf"\1{GLUE}", re.sub(_BEFORE_A_UNIT, GLUE, text))
    return re.sub(_CHANGE, f"{GLUE}->{GLUE}", text)


def to_string(parts: Iterable[Part], width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Lay out the parts one below the other, with ANSI colour or without."""
    text = io.StringIO()
    console = None
    for part in parts:
        if isinstance(part, list):
            text.write(
                "".join(_styled(*piece) for piece in part) if color else "".join(each for each, _ in part)
            )
            text.write("\n")
        else:
            console = console or _console(text, width, color)
            console.print(part, markup=False)
    lines = "\n".join(line.rstrip() for line in text.getvalue().replace(GLUE, " ").splitlines())
    return without_commands(lines)


def _console(file: io.StringIO, width: int, color: bool) -> Console:
    from rich.console import Console

    return Console(
        file=file,
        width=width,
        force_terminal=color,
        force_jupyter=False,  # in a notebook too this is text, which rich would show as an output of its own
        color_system=_color_system() if color else None,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        _environ={},  # which it would read a width from again, whatever stands there
    )


def _styled(text: str, style: str) -> str:
    if not (text and style):
        return text
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def _color_system() -> Literal["standard", "256", "truecolor", "windows"]:
    """The colours of the terminal, which TERM and COLORTERM tell; the plain ones where they do not."""
    from rich.console import Console

    found = Console(
        file=io.StringIO(), force_terminal=True, force_jupyter=False, legacy_windows=False
    ).color_system
    return cast("Literal['standard', '256', 'truecolor']", found or "standard")


def with_progress(items: Iterable[T]) -> Iterator[T]:
    """Pass the items on, and meanwhile show on standard error how many there are.

    How many there will be is not known before the last one: the bar moves, and fills at no point.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("Reading"),
        BarColumn(),
        TextColumn("{task.completed:,} kernels"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None)
        for number, item in enumerate(items):
            if number % PROGRESS_STEP == 0:
                bar.update(task, completed=number)
            yield item
