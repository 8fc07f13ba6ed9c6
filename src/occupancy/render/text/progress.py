"""What is shown on a terminal while many kernels are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

T = TypeVar("T")

STEP = 100
"""Kernels between two updates."""


def with_progress(items: Iterable[T]) -> Iterator[T]:
    """Pass the items on, and meanwhile show on standard error how many there are.

    How many there will be is not known before the last one: the bar moves, and fills at no point.
    """
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
            if number % STEP == 0:
                bar.update(task, completed=number)
            yield item
