"""What `program.py` has checked for its types also runs."""

from __future__ import annotations

from pathlib import Path

from tests.typing import program


def test_the_program_runs(builds: Path) -> None:
    program.answers()
    program.chips()
    program.questions()
    program.arrays()
    program.builds(builds / "before", builds / "after")
    assert "threads" in program.errors()
