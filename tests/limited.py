"""Run the program on malicious input, in a subprocess with limited time and memory.

The limits are generous: only hangs and unbounded memory exceed them. Subprocesses are forked from a process with
all modules, because loading them takes longer than most commands.
"""

import functools
import multiprocessing
import os
import pkgutil
import resource
import sys
import tempfile
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import NamedTuple

import occupancy

CPU_SECONDS = 100
"""A hang takes hours, and test machines can be ten times slower than expected."""
MAX_MIB = 300
"""Bound in SECURITY.md for an input of up to 1 MB."""

PACKAGES = ["advice", "api", "builds", "cli", "engine", "readers", "render", "report", "tables", "values"]
FILES = ("stdin", "stdout", "stderr", "peak")


class Ended(NamedTuple):
    code: int
    out: bytes
    error: str
    peak_mib: float
    """Peak memory; 0 if the system does not report it."""


def limited(
    *arguments: object, stdin: bytes = b"", cpu_seconds: int = CPU_SECONDS,
    environment: dict[str, str] | None = None, folder: Path | None = None,
) -> Ended:  # fmt: skip
    variables = {**os.environ, **(environment or {})}
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name, each) for each in FILES]
        files[0].write_bytes(stdin)
        settings = (list(map(str, arguments)), str(folder or os.getcwd()), variables, cpu_seconds, files)
        process = _server().Process(target=_run, args=settings)
        process.start()
        process.join()
        _, out, error, peak = files
        assert process.exitcode is not None
        kib = int(peak.read_text()) if peak.exists() else 0
        return Ended(process.exitcode, out.read_bytes(), error.read_text("utf-8"), kib / 1024)


@functools.cache
def _server() -> ForkServerContext:
    """Return the context of a process with all modules of the program."""
    context = multiprocessing.get_context("forkserver")
    modules = [f"occupancy.{name}" for name in PACKAGES]
    for name in PACKAGES:
        folder = Path(occupancy.__file__).parent / name
        modules += [module.name for module in pkgutil.iter_modules([str(folder)], f"occupancy.{name}.")]
    context.set_forkserver_preload(["tests.limited", "rich.console", "rich.table", "demangle.api", *modules])
    return context


def _run(
    arguments: list[str], folder: str, variables: dict[str, str], cpu_seconds: int, files: list[Path]
) -> None:
    """Run the program with other standard streams, and record its peak memory."""
    for number, path in enumerate(files[:3]):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115, open until the process ends
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    sys.argv = ["occupancy", *arguments]
    from occupancy.__main__ import main

    try:
        main()
    finally:
        status = Path("/proc/self/status")
        lines = status.read_text().splitlines() if status.exists() else []
        files[3].write_text(next((line.split()[1] for line in lines if line.startswith("VmHWM")), "0"))


def held(ended: Ended) -> None:
    """Check that the process ended normally, without a traceback, within the memory limit."""
    assert ended.code in (0, 1, 2), (ended.code, ended.error[-2000:])
    assert "Traceback" not in ended.error, ended.error[-2000:]
    assert ended.peak_mib <= MAX_MIB
