"""Behavior on Windows and macOS, as far as it can be simulated."""

import os
import shutil
import subprocess
from pathlib import Path, PureWindowsPath

import pytest

import occupancy
from occupancy.render import ci
from tests.cli_runner import PROGRAM

DATA = Path(__file__).parent / "data"
CODE_PAGE = "cp1252"
"""Code page of Windows in Western Europe."""


def run(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run the program with its output in a pipe, in the system's code page."""
    environment = {
        **os.environ,
        "PYTHONIOENCODING": CODE_PAGE,
        "PYTHONUTF8": "1",  # for file names and arguments, which are Unicode on Windows
        "PYTHONWARNDEFAULTENCODING": "1",  # detects files opened in the system's code page by mistake
        "PYTHONWARNINGS": "error::EncodingWarning",
    }
    return subprocess.run([*PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Return a folder with a name that the code page cannot encode."""
    folder = tmp_path / "bü→ld"
    folder.mkdir()
    shutil.copy(DATA / "kernels" / "ptxas_v.txt", folder / "build.log")
    return folder


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv", "html", "markdown"])
def test_what_programs_read_is_in_utf_8_whatever_the_code_page(build: Path, form: str) -> None:
    done = run("scan", build.name, "--format", form, folder=build.parent)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    if form in ("json", "jsonl", "csv"):
        assert build.name in text.encode().decode("unicode_escape" if form.startswith("json") else "utf-8")
    elif form == "text":
        assert "spilly" in text


def test_the_page_is_in_utf_8_whatever_the_code_page(tmp_path: Path) -> None:
    assert run("page", "-o", "page.html", folder=tmp_path).returncode == 0
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert run("page", "-o", "-").stdout.decode("utf-8").rstrip() == written.rstrip()


def test_a_system_without_non_blocking_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "baseline.json"
    occupancy.save_baseline(DATA / "builds" / "before", path)
    for name in ("O_NONBLOCK", "set_blocking"):
        monkeypatch.delattr(os, name, raising=False)
    assert occupancy.diff(path, DATA / "builds" / "before").summary["same"] == 14


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_files_of_editors_of_windows(tmp_path: Path, ending: bytes, mark: bytes) -> None:
    def as_windows(content: bytes) -> bytes:
        return mark + content.replace(b"\n", ending)

    log = tmp_path / "build.log"
    log.write_bytes(as_windows((DATA / "kernels" / "ptxas_v.txt").read_bytes()))
    assert [kernel.regs for kernel in occupancy.scan(log)] == [64, 32, 32, 12, 12]
    rules = tmp_path / "occupancy.toml"
    rules.write_bytes(as_windows(b'baseline = "b.json"\n[[rules]]\nmax_occupancy_drop = 0\n'))
    assert occupancy.check(log, rules, update=True).passed
    baseline = tmp_path / "b.json"
    baseline.write_bytes(as_windows(baseline.read_bytes()))
    assert occupancy.check(log, rules).passed
    table = tmp_path / "limits.yaml"
    table.write_bytes(as_windows(b'schema_version: 1\ncompute_capabilities:\n  "13.0": {like: "10.0"}\n'))
    assert list(occupancy.read_limits(table)) == ["13.0"]


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        (r"C:\work\src\blur.cu", "src/blur.cu"),
        ("c:/Work/src/blur.cu", "src/blur.cu"),  # path on the compiler's command line
        (r"C:\work/src\blur.cu", "src/blur.cu"),
        (r"build\blur.obj", "build/blur.obj"),
        (r"D:\other\blur.cu", "D:/other/blur.cu"),
    ],
)
def test_paths_in_findings(monkeypatch: pytest.MonkeyPatch, path: str, seen: str) -> None:
    monkeypatch.setattr(ci, "PurePath", PureWindowsPath)
    monkeypatch.setattr(os, "getcwd", lambda: r"C:\work")
    assert ci.within_checkout(path) == seen
