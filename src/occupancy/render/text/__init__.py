"""Text for a terminal; the only home of rich."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType

PLAIN_WIDTH = 80


def to_string(*parts: RenderableType, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Lay out the parts one below the other, with ANSI colour or without."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        console.print(part, markup=False)
    text = console.file
    assert isinstance(text, io.StringIO)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def grade(occupancy: float) -> str:
    """The style of an occupancy."""
    if occupancy == 0:
        return "bold red"
    return "bold green" if occupancy >= 0.5 else "bold yellow"
