"""The screen of ``occupancy device``."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...report.device import DeviceEntry, DeviceReport
from .. import words
from . import PLAIN_WIDTH, plain_table, to_string


def render(report: DeviceReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """For each GPU what it is, then its limits with who tells them, then what is amiss."""
    parts: list[RenderableType] = []
    for device in report.devices:
        parts += [Text()] if parts else []
        parts += [headline(device), Text(), _limits(device)]
        if device.notes:
            parts += [Text(), *(Text(note, style="dim") for note in device.notes)]
    return to_string(*parts, width=width, color=color)


def headline(device: DeviceEntry) -> Text:
    """What the GPU is, in two lines."""
    generation = f" ({device.architecture})" if device.architecture else ""
    text = Text()
    text.append(f"GPU {device.index}: {device.name}", style="bold")
    text.append(f", compute capability {device.cc}{generation}")
    text.append(f"\n{words.driver(device)}")
    return text


def _limits(device: DeviceEntry) -> Table:
    table = plain_table()
    table.add_column("Limit", no_wrap=True)
    table.add_column("Value", justify="right")
    table.add_column("From")
    for name, limit in device.limits.items():
        differs = limit.in_table is not None and limit.value != limit.in_table
        instead = f"; the table has {words.limit(name, limit.in_table)}" if differs else ""
        style = "bold" if differs else ""
        table.add_row(name, words.limit(name, limit.value), f"{limit.source}{instead}", style=style)
    return table
