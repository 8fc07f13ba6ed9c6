"""Run `program.py`, which type checkers check."""

from pathlib import Path

from tests.typing import program


def test_the_program_runs(builds: Path, tmp_path: Path) -> None:
    program.answers()
    program.chips()
    program.questions()
    program.arrays()
    program.builds(builds / "before", builds / "after")
    (tmp_path / "rules.toml").write_text("[[rules]]\nmax_regs = 32\n")
    program.rules(builds / "before", tmp_path / "rules.toml")
    assert "threads" in program.errors()
