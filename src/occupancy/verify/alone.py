"""Launches that may never end: in a process of their own, and under a time limit.

``python -m occupancy.verify.alone`` is that process. It reads what to run from its input, writes a line for
each kernel that has come to something, and ends at once where one does not end.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..device.driver import DriverCallError
from ..device.functions import Context
from ..errors import DeviceError

ENDS, WAITS = "ends", "waits for ever"
LIMIT_S = 2.0
"""Seconds after which a kernel of a few instructions counts as waiting for ever."""
PROCESS_LIMIT_S = 120.0
"""Seconds for a process with all that it starts, compiles and loads."""


class Job(NamedTuple):
    """A kernel without arguments, and how it is launched."""

    name: str
    blocks: int
    threads: int


def outcomes(index: int, image: bytes, jobs: Sequence[Job]) -> Iterator[str]:
    """What becomes of each launch: that it ends, that it waits for ever, or the driver's error.

    Args:
        index: The number of the GPU.
        image: A cubin with the kernels.
        jobs: What is launched; after one that waits, a new process goes on.

    Raises:
        DeviceError: The process fails.
    """
    left = list(jobs)
    while left:
        found = _run(index, image, left)
        yield from found
        left = left[len(found) :]


def _run(index: int, image: bytes, jobs: Sequence[Job]) -> list[str]:
    request = {"index": index, "image": base64.b64encode(image).decode(), "jobs": jobs}
    command = [sys.executable, "-m", __name__]
    try:
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, timeout=PROCESS_LIMIT_S
        )
    except subprocess.TimeoutExpired as error:
        raise DeviceError(
            f"a process that launches kernels did not end within {PROCESS_LIMIT_S:g} seconds", where="verify"
        ) from error
    found = done.stdout.splitlines()
    if not found or len(found) > len(jobs):
        why = (done.stderr.splitlines() or ["it says nothing"])[-1]
        raise DeviceError(f"a process that launches kernels ended without an answer: {why}", where="verify")
    return found


def main() -> None:
    """Launch each kernel of the request that stands in the input."""
    request = json.load(sys.stdin)
    with Context(request["index"]) as context:
        module = context.load(base64.b64decode(request["image"]))
        for name, blocks, threads in request["jobs"]:
            try:
                module.function(name).launch(blocks, threads)
                outcome = _wait(context)
            except DriverCallError as error:
                outcome = error.code
            print(outcome, flush=True)
            if outcome == WAITS:
                os._exit(0)  # to leave the context in order would be to wait for the kernel


def _wait(context: Context) -> str:
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if context.is_idle():
            return ENDS
        time.sleep(0.001)
    return WAITS


if __name__ == "__main__":
    main()
