"""``occupancy scan`` as the shell runs it: pipes, terminals, exit codes, memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.samples import sample

PROGRAM = (sys.executable, "-m", "occupancy", "scan")


def run(*arguments: object, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *map(str, arguments)], input=stdin, capture_output=True)


def test_standard_input() -> None:
    for name, kernels in (("ptxas_v.txt", 5), ("samples.fatbin", 9), ("pytorch_trace.json", 7)):
        done = run("-", "--format", "jsonl", stdin=sample(name))
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert (done.returncode, done.stderr, len(rows)) == (0, b"", kernels)
        assert {row["source"] for row in rows} == {"<stdin>"}


def test_unreadable_file_ends_with_1(samples: Path) -> None:
    done = run(samples / "samples.cubin", samples / "no such file")
    assert done.returncode == 1
    assert b"3 kernels for sm_90" in done.stdout
    assert b"no such file: cannot be read" in done.stderr
    assert b"Traceback" not in done.stderr


def test_reader_that_goes_away(samples: Path) -> None:
    for output_format in ("jsonl", "json", "csv", "text"):
        with subprocess.Popen(
            [*PROGRAM, samples, "--format", output_format], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as program:
            assert program.stdout is not None
            assert program.stderr is not None
            program.stdout.close()
            assert program.stderr.read() == b""
        assert program.returncode == 141


def test_other_answers_do_not_load_the_readers() -> None:
    code = (
        "import sys; sys.argv = ['occupancy', 'calc', '--cc', '9.0', '--threads', '64', '--format', 'json']\n"
        "from occupancy.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "assert not [name for name in sys.modules if 'readers' in name], sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
