"""Modules that each command loads. Time is measured in benchmarks/, not asserted."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


PLAIN = {"click", "yaml"}
CALC = "calc --cc 7.0 --threads 128 --format json"


@pytest.mark.parametrize(("command", "packages"), [
    *((f"calc --cc 7.0 -t 128 --regs 37 --format {each}", PLAIN) for each in ("json", "csv", "markdown")),
    (f"{CALC} --set max_blocks_per_multiprocessor=4", PLAIN), (f"{CALC} --limits own.yaml", PLAIN),
    ("sweep --cc 7.0 --threads 32:1024:32 --format csv", PLAIN),
    *((f"scan samples.cubin --format {each}", PLAIN | {"lz4", "rich"}) for each in ("text", "csv", "json")),
])  # fmt: skip
def test_a_command_loads_what_it_needs(
    command: str, packages: set[str], samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(samples / "samples.cubin", tmp_path)
    row = '"7.0": {like: "7.0", max_blocks_per_multiprocessor: 4}'
    Path("own.yaml").write_text(f"schema_version: 1\ncompute_capabilities:\n  {row}\n")
    modules = loaded(cli(*command.split()))
    assert modules & set(HEAVY) <= packages
    others = ("occupancy.device", *(() if command.startswith("scan") else ("occupancy.readers",)))
    assert not {name for name in modules if name.startswith((*others, "occupancy.advice.registers"))}


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("numpy", "from occupancy import *\nsweep('9.0', threads=32)"),
        ("matplotlib", cli("sweep", "--cc", "7.0", "-t", "128", "-o", "x.svg").replace("== 0", "== 2")),
    ],
    ids=["numpy", "matplotlib"],
)
def test_a_missing_package_is_named(package: str, code: str, tmp_path: Path) -> None:
    program = f"import sys\nsys.modules[{package!r}] = None\n{code}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == ""
    assert f" is not installed. Install it with: pip install {package}.\n" in done.stderr
