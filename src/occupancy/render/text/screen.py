"""What rich lays out, as a string; the styles of what stands out; progress."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeVar, cast

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.style import Style
from rich.text import Text

from ...values.untrusted import without_commands
from ..document import Mark

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

_UNITS = "[KMG]iB|GB|B|bytes?|blocks?|warps?|threads?|registers?|SMs?|clusters?|levels?|more"
_BEFORE_A_UNIT = re.compile(rf"(?<=\d) (?=(?:{_UNITS})\b)")
_CHANGE = re.compile(r"(?<=[\ds%B]) -> (?=[\d?])")


def glued(text: str) -> str:
    """A text whose numbers stay with their units where it is broken into lines."""
    return _CHANGE.sub(f"{GLUE}->{GLUE}", _BEFORE_A_UNIT.sub(GLUE, text))


def to_string(*parts: RenderableType, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Lay out the parts one below the other, with ANSI colour or without."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system=_color_system() if color else None,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        _environ={},  # which it would read a width from again, whatever stands there
    )
    for part in parts:
        if isinstance(part, Text) and part.no_wrap:
            console.file.write(_line(part, color))
        else:
            console.print(part, markup=False)
    text = console.file
    assert isinstance(text, io.StringIO)
    lines = "\n".join(line.rstrip() for line in text.getvalue().replace(GLUE, " ").splitlines())
    return without_commands(lines)


def _line(text: Text, color: bool) -> str:
    """A line that is laid out already; rich takes a millisecond for each, and there may be thousands."""
    plain = text.plain
    if not color:
        return f"{plain}\n"
    if text.style:
        return f"{_styled(plain, text.style)}\n"
    parts, end = [], 0
    for span in text.spans:
        parts += [plain[end : span.start], _styled(plain[span.start : span.end], span.style)]
        end = span.end
    return f"{''.join(parts)}{plain[end:]}\n"


def _styled(text: str, style: str | Style) -> str:
    parsed = Style.parse(style) if isinstance(style, str) else style
    return parsed.render(text, color_system=ColorSystem.STANDARD)


def _color_system() -> Literal["standard", "256", "truecolor", "windows"]:
    """The colours of the terminal, which TERM and COLORTERM tell; the plain ones where they do not."""
    found = Console(file=io.StringIO(), force_terminal=True, legacy_windows=False).color_system
    return cast("Literal['standard', '256', 'truecolor']", found or "standard")


def with_progress(items: Iterable[T]) -> Iterator[T]:
    """Pass the items on, and meanwhile show on standard error how many there are.

    How many there will be is not known before the last one: the bar moves, and fills at no point.
    """
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
