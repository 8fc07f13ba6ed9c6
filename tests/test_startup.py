"""Modules that each command loads. Time is measured in benchmarks/, not asserted."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples import FOLDER

HEAVY = ("click", "lz4", "matplotlib", "numpy", "pydantic", "rich", "yaml", "cuda", "pynvml")


def loaded(code: str) -> set[str]:
    """Return the heavy packages, and the modules of occupancy, in a fresh interpreter after running the code."""
    program = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = done.stderr.split()
    assert "occupancy" in modules
    return {name for name in modules if name in HEAVY or name.startswith("occupancy.")}


def cli(*arguments: str) -> str:
    return (
        f"sys.argv = ['occupancy', *{list(arguments)}]\n"
        "from occupancy.cli import main\n"
        "try: main()\nexcept SystemExit as stop: assert stop.code == 0, stop.code"
    )


def test_import_loads_nothing_and_help_click_alone() -> None:
    assert loaded("import occupancy") == set()
    assert loaded("import occupancy\noccupancy.compute('7.0', threads=128)") & set(HEAVY) <= {"yaml"}
    own = {"occupancy.cli", "occupancy.cli.command", "occupancy.errors", "occupancy.values"}
    assert loaded(cli("--help")) <= {"click", *own, "occupancy.values.untrusted"}


@pytest.mark.parametrize("output_format", ["json", "csv", "markdown"])
def test_a_plain_answer_loads_neither_rich_nor_pydantic(output_format: str) -> None:
    arguments = ("calc", "--cc", "7.0", "--threads", "128", "--regs", "37", "--format", output_format)
    modules = loaded(cli(*arguments))
    assert modules & set(HEAVY) <= {"click", "yaml"}
    assert not {name for name in modules if name.startswith(("occupancy.device", "occupancy.readers"))}
    assert "occupancy.advice.registers" not in modules


@pytest.mark.parametrize("own", [("--set", "max_blocks_per_multiprocessor=4"), ("--limits", "own.yaml")])
def test_own_limits_load_no_pydantic(
    own: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = '"7.0": {like: "7.0", max_blocks_per_multiprocessor: 4}'
    (tmp_path / "own.yaml").write_text(f"schema_version: 1\ncompute_capabilities:\n  {row}\n")
    arguments = ("calc", "--cc", "7.0", "--threads", "128", *own, "--format", "json")
    assert loaded(cli(*arguments)) & set(HEAVY) <= {"click", "yaml"}


@pytest.mark.parametrize("output_format", ["text", "csv", "json"])
def test_a_scan_that_compares_nothing_loads_no_pydantic(output_format: str) -> None:
    arguments = cli("scan", str(FOLDER / "samples.cubin"), "--format", output_format)
    assert loaded(arguments) & set(HEAVY) <= {"click", "lz4", "rich", "yaml"}


def test_rows_of_a_sweep_load_neither_numpy_nor_matplotlib() -> None:
    modules = loaded(cli("sweep", "--cc", "7.0", "--threads", "32:1024:32", "--format", "csv"))
    assert modules & set(HEAVY) <= {"click", "yaml"}
    assert not {name for name in modules if name.startswith("occupancy.device")}
