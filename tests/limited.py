"""The program in a process of its own, whose time and memory are limited: for input that means harm.

The limits are generous. Only what hangs, or takes memory without end, meets them; how much was really
used is in what comes back. Each process begins as a copy of one that has loaded the program's modules and
waits: to load them takes longer than most answers.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import occupancy

MIB = 1 << 20

CPU_SECONDS = 100
"""A hang takes hours; and a machine that tests run on may be ten times as slow as ours."""
MOST_MIB = 300
"""What SECURITY.md promises for an input of up to 1 MB."""

_PROGRAM = """
import atexit, gc, json, os, resource, socket, sys
from importlib import import_module
from pkgutil import iter_modules
if sys.version_info >= (3, 11):
    import demangle.api
from rich import console, table
for name in "advice api builds cli engine readers render report tables values".split():
    package = import_module("occupancy." + name)
    for module in iter_modules(package.__path__, package.__name__ + "."):
        import_module(module.name)
from occupancy.__main__ import main
gc.freeze()  # nothing of it is looked at again, or taken apart at the end

asked = socket.socket(fileno=int(sys.argv[1]))
while True:
    size, descriptors, _, _ = socket.recv_fds(asked, 8, 4)
    if not size:
        os._exit(0)
    text = b""
    while len(text) < int.from_bytes(size, "big"):
        text += asked.recv(1 << 20)
    child = os.fork()
    if not child:
        break
    for each in descriptors:
        os.close(each)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    asked.sendall(code.to_bytes(4, "big", signed=True))

def peak():
    with open("/proc/self/status") as status:
        kib = next((line.split()[1] for line in status if line.startswith("VmHWM")), "0")
    os.write(descriptors[3], kib.encode())

question = json.loads(text)
asked.close()
for standard in range(3):
    os.dup2(descriptors[standard], standard)
    os.close(descriptors[standard])
resource.setrlimit(resource.RLIMIT_CPU, (question["cpu_seconds"],) * 2)
os.environ.clear()
os.environ.update(question["environment"])
os.chdir(question["folder"])
atexit.register(peak)
sys.argv = ["occupancy", *question["arguments"]]
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
    stdin: bytes = b"",
    cpu_seconds: int = CPU_SECONDS,
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
) -> Ended:
    """Run ``occupancy`` with these arguments."""
    question = json.dumps(
        {
            "arguments": list(map(str, arguments)),
            "cpu_seconds": cpu_seconds,
            "environment": {**os.environ, **(environment or {})},
            "folder": str(folder or os.getcwd()),
        }
    ).encode()
    waiting = _waiting()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as error,
        tempfile.TemporaryFile() as peak,
    ):
        files = (given, out, error, peak)
        given.write(stdin)
        given.seek(0)
        socket.send_fds(waiting, [len(question).to_bytes(8, "big")], [each.fileno() for each in files])
        waiting.sendall(question)
        said = waiting.recv(4)
        assert len(said) == 4, "the process that waits has ended"
        code = int.from_bytes(said, "big", signed=True)
        for each in files:
            each.seek(0)
        kib = int(peak.read() or b"0")
        return Ended(code, out.read(), error.read().decode(), kib / 1024)


@functools.cache
def _waiting() -> socket.socket:
    """The process that waits with the program's modules loaded, for as long as this one runs."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(Path(occupancy.__file__).parents[1])},
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def held(ended: Ended) -> None:
    """It came to its end by itself, with a message at most, within the memory."""
    assert ended.code in (0, 1, 2), (ended.code, ended.error[-2000:])
    assert "Traceback" not in ended.error, ended.error[-2000:]
    assert ended.peak_mib <= MOST_MIB
