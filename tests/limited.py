"""The program in a process of its own, whose time and memory are limited: for input that means harm.

The limits are generous. Only what hangs, or takes memory without end, meets them; how much was really
used is in what comes back.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import occupancy

MIB = 1 << 20

CPU_SECONDS = 100
"""A hang takes hours; and a machine that tests run on may be ten times as slow as ours."""
MOST_MIB = 300
"""What SECURITY.md promises for an input of up to 1 MB."""

_PROGRAM = """
import atexit, os, sys
descriptor = int(sys.argv[1])
def peak():
    with open("/proc/self/status") as status:
        kib = next((line.split()[1] for line in status if line.startswith("VmHWM")), "0")
    os.write(descriptor, kib.encode())
atexit.register(peak)
arguments = sys.argv[2:]
sys.argv = ["occupancy", *arguments]
from occupancy.__main__ import main
main()
"""


class Ended(NamedTuple):
    """How the program ended."""

    code: int
    out: bytes
    error: str
    peak_mib: float
    """The most memory that it held at a time; 0 where the system does not tell."""


def limited(
    *arguments: object,
    stdin: bytes | None = None,
    cpu_seconds: int = CPU_SECONDS,
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
) -> Ended:
    """Run ``occupancy`` with these arguments."""
    read_end, write_end = os.pipe()
    source = str(Path(occupancy.__file__).parents[1])
    with os.fdopen(read_end, "rb") as peak:
        try:
            done = subprocess.run(
                [sys.executable, "-c", _PROGRAM, str(write_end), *map(str, arguments)],
                input=stdin,
                capture_output=True,
                pass_fds=(write_end,),
                preexec_fn=_cpu_limit(cpu_seconds),
                cwd=folder,
                env={**os.environ, "PYTHONPATH": source, **(environment or {})},
            )
        finally:
            os.close(write_end)
        kib = peak.read() or b"0"
    return Ended(done.returncode, done.stdout, done.stderr.decode(), int(kib) / 1024)


def _cpu_limit(seconds: int) -> Callable[[], None]:
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def held(ended: Ended) -> None:
    """It came to its end by itself, with a message at most, within the memory."""
    assert ended.code in (0, 1, 2), (ended.code, ended.error[-2000:])
    assert "Traceback" not in ended.error, ended.error[-2000:]
    assert ended.peak_mib <= MOST_MIB
