"""Existing files survive failures, and missing results are reported: full disks, closed pipes, signals, changes."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest

from tests import hostile
from tests.cli_runner import PROGRAM
from tests.limited import held, limited

FORMATS = ("text", "json", "jsonl", "csv")
Setting = dict[str, str]


def program(
    *arguments: str | Path, environment: Setting, out: int | TextIO = subprocess.PIPE, most: int | None = None
) -> tuple[int, bytes]:
    """Run the program with a limit on file sizes; return its exit code and messages."""

    def limit() -> None:
        if most is not None:
            # The signal would kill it before it prints a message.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    variables = {**os.environ, **environment}
    done = subprocess.run(
        [*PROGRAM, *arguments], stdout=out, stderr=subprocess.PIPE, env=variables, preexec_fn=limit
    )
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log whose output is longer than any buffer or pipe."""
    path = tmp_path / "log"
    path.write_text("".join(hostile.log(f"kernel_{number}", number % 200 + 1) for number in range(800)))
    return path


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({}, id="buffer"),
        pytest.param({"PYTHONUNBUFFERED": "1"}, id="no buffer", marks=pytest.mark.thorough),
    ],
)
class TestOutputThatIsNotTaken:
    @pytest.mark.parametrize("output_format", FORMATS)
    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="SKIPPED: there is no /dev/full to write to")
    def test_a_full_disk(self, log: Path, environment: Setting, output_format: str) -> None:
        with open("/dev/full", "w") as full:
            code, error = program("scan", log, "--format", output_format, environment=environment, out=full)
        assert (code, error[-25:]) == (2, b"No space left on device.\n")

    @pytest.mark.parametrize("output_format", FORMATS)
    def test_a_full_file(self, log: Path, tmp_path: Path, environment: Setting, output_format: str) -> None:
        scan = ("scan", log, "--all", "--format", output_format)
        with open(tmp_path / "out", "w") as out:
            code, error = program(*scan, environment=environment, out=out, most=1000)
        assert (code, b"File too large" in error) == (2, True)

    @pytest.mark.parametrize("output_format", [each for each in FORMATS if each != "text"])
    def test_a_reader_that_goes_away(self, log: Path, environment: Setting, output_format: str) -> None:
        with subprocess.Popen(
            [*PROGRAM, "scan", log, "--all", "--format", output_format],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment},
        ) as program:  # fmt: skip
            assert program.stdout is not None
            assert program.stderr is not None
            assert os.read(program.stdout.fileno(), 10)
            program.stdout.close()
            assert program.stderr.read() == b""
        assert program.returncode == 141

    def test_the_old_file_stays_without_room(self, log: Path, tmp_path: Path, environment: Setting) -> None:
        folder = tmp_path / "answers"
        folder.mkdir()
        small = tmp_path / "small"
        small.write_text(hostile.log("k"))
        for option, name in (("-o", "answer.csv"), ("--save-baseline", "baseline.json")):
            target = folder / name
            assert limited("scan", small, option, target).code == 0
            before = target.read_bytes()
            code, error = program("scan", log, option, target, environment=environment, most=10_000)
            assert (code, b"File too large" in error) == (2, True)
            assert target.read_bytes() == before
        assert sorted(each.name for each in folder.iterdir()) == ["answer.csv", "baseline.json"]


class TestFilesThatChange:
    # The file changes between two records, as a linker can write at any time.
    READING = """
import os, sys
from occupancy.readers import read
found = read(sys.argv[1])
first = next(found)
exec(sys.argv[2], {"os": os, "path": sys.argv[3]})
*_, last = found
print(last)
"""

    def changed(self, source: Path, action: str, path: Path) -> str:
        command = [sys.executable, "-c", self.READING, str(source), action, str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, (done.returncode, done.stderr)  # not killed by the system
        return done.stdout

    @pytest.mark.parametrize("name", ["samples.fatbin", "samples.exe", "pytorch_trace.json", "ncu.ncu-rep"])
    @pytest.mark.parametrize(
        "action",
        [
            "os.truncate(path, 0)", "os.truncate(path, 4096)",
            "os.truncate(path, os.path.getsize(path) + 1)", "open(path, 'ab').write(b'more')",
            "open(path, 'wb').write(bytes(100_000))",
        ],
        ids=["nothing", "a page", "longer", "more", "another"],
    )  # fmt: skip
    def test_a_file_that_is_read(self, samples: Path, tmp_path: Path, name: str, action: str) -> None:
        shutil.copy(samples / name, tmp_path / "file")
        said = self.changed(tmp_path / "file", action, tmp_path / "file")
        assert "file was changed while it was read. Read it again" in said or "truncated" in said

    @pytest.mark.parametrize(
        ("action", "says"),
        [("os.unlink(path)", "b.cubin does not exist"), ("os.truncate(path, 100)", "b.cubin"),
         ("open(path, 'wb')", "b.cubin")],
        ids=["gone", "shorter", "empty"],
    )  # fmt: skip
    def test_a_file_that_a_folder_listed(self, samples: Path, tmp_path: Path, action: str, says: str) -> None:
        for name in ("a.cubin", "b.cubin"):
            shutil.copy(samples / "samples.cubin", tmp_path / name)
        assert says in self.changed(tmp_path, action, tmp_path / "b.cubin")


def test_a_good_baseline_is_not_replaced_by_one_that_cannot_be_read(tmp_path: Path) -> None:
    log, baseline = tmp_path / "log", tmp_path / "baseline.json"
    (tmp_path / "rules.toml").write_text("[[rules]]\nmax_regs_growth = 8\n")
    log.write_text(hostile.log("good"))
    check = ("check", log, "--rules", tmp_path / "rules.toml", "--baseline", baseline)
    assert limited(*check, "--update").code == 0
    good = baseline.read_bytes()
    for line in (
        "Used 32 registers, 999999999999 bytes smem",
        f"Used {10**11} registers",
        "Used -1 registers",
    ):
        log.write_text(hostile.log("good").replace("Used 32 registers, used 0 barriers", line))
        ended = limited(*check, "--update")
        held(ended)
        assert (ended.code, baseline.read_bytes()) == (2, good)
    log.write_text(hostile.log("good"))
    assert limited(*check).code == 0
