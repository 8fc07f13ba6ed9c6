"""Text for a program, or for a document: JSON, CSV, Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..csv_json import flatten as flatten
from ..csv_json import to_csv as to_csv
from ..csv_json import to_json as to_json
from ..csv_json import to_json_lines as to_json_lines
from ..markdown import code as code
from ..markdown import to_markdown as to_markdown

if TYPE_CHECKING:
    from ...advice.next_steps import NextStep


def step(step: NextStep) -> str:
    """A next step in one cell: ``8: registers=32, shared_memory=20480`` for 8 blocks."""
    changes = ", ".join(f"{name}={amount}" for name, amount in step.requires.items())
    return f"{step.active_blocks}: {changes}"
