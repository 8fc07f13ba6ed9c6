"""Time and memory to read a library of 300 MB, a library of many small kernels, and a trace.

The 300 MB are copies of cuRAND if ``python -m tests.oracle.libraries`` has downloaded it, otherwise the samples
with filler between them. Each measurement runs in a new process.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from startup import ENVIRONMENT
from tests.oracle.libraries import DENSE, FOLDER, LARGEST
from tests.samples import sample

SIZE = 300 * 10**6
GOAL_SECONDS = 0.5
GOAL_MIB = 300
GOAL_OF_READING = 2.2
"""Multiple of the time to decompress the images."""
GOAL_OF_THE_COMMAND = 1.5
"""Multiple of the time to read the library, for each format."""
FORMATS = ("text", "csv", "json")
SMALL = str(Path(__file__).parents[1] / "tests/data/kernels/samples.cubin")
GOAL_OF_TRACES = 0.5
"""Multiple of the time of `json.load`."""
LAUNCHES = 30_000
ROUNDS = 5

PASS = """
import sys, time
start = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    while piece := file.read(1 << 20):
        piece.find(b"none")
print(time.perf_counter() - start, 0)
"""

SCAN = """
import sys, time
from occupancy.readers import read
start = time.perf_counter()
kernels = sum(1 for _ in read(sys.argv[1]))
print(time.perf_counter() - start, kernels)
"""

# Time spent in the functions with which the readers decompress.
DECOMPRESSION = """
import sys, time
from occupancy.readers import fatbin, read
spent = 0.0
def timed(decompress):
    def run(*arguments):
        global spent
        start = time.process_time()
        plain = decompress(*arguments)
        spent += time.process_time() - start
        return plain
    return run
fatbin.decompress_lz4 = timed(fatbin.decompress_lz4)
fatbin.decompress_zstd = timed(fatbin.decompress_zstd)
kernels = sum(1 for _ in read(sys.argv[1]))
print(spent, kernels)
"""

READING = """
import sys, time
from occupancy.readers import read
start = time.process_time()
kernels = sum(1 for _ in read(sys.argv[1]))
print(time.process_time() - start, kernels)
"""

JSON_LOAD = """
import json, sys, time
start = time.process_time()
with open(sys.argv[1]) as file:
    json.load(file)
print(time.process_time() - start, 0)
"""

COMMAND = """
import contextlib, io, sys, time
from occupancy.__main__ import main
def scan(path):
    sys.argv = ["occupancy", "scan", path, "--format", output_format]
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
    return time.process_time() - start
_, path, output_format, small = sys.argv
scan(small)  # imports everything: start-up is measured in startup.py
print(scan(path), 0)
"""

# ru_maxrss includes the parent process before exec on Linux; VmHWM does not.
PEAK = """
try:
    with open("/proc/self/status") as status:
        print(*[line.split()[1] for line in status if line.startswith("VmHWM")])
except OSError:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1))
"""


class Measured(NamedTuple):
    """Numbers that a process prints."""

    seconds: float
    kernels: int
    resident_kib: int


def compose(path: Path) -> str:
    """Write the library, and return a description of its parts."""
    real = FOLDER / LARGEST
    if real.exists():
        parts, made_of = [real.read_bytes()], LARGEST
    else:
        filler = random.Random(0).randbytes(4_000_000)
        parts, made_of = [sample("samples.exe"), filler, sample("samples.fatbin")], "the samples and filler"
    with path.open("wb") as file:
        while file.tell() < SIZE:
            for part in parts:
                file.write(part[: SIZE - file.tell()])
    return made_of


def measure(code: str, path: Path, *arguments: str) -> Measured:
    """Run code in a new process."""
    command = [sys.executable, "-c", code + PEAK, str(path), *arguments]
    seconds, kernels, memory = subprocess.run(
        command, check=True, capture_output=True, text=True, env=ENVIRONMENT
    ).stdout.split()
    return Measured(float(seconds), int(kernels), int(memory))


def verdict(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


def main() -> None:
    """Alternate the measurements, so that other load affects all of them, and print the fastest."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.so"
        made_of = compose(path)
        rounds = [(measure(PASS, path), measure(SCAN, path)) for _ in range(ROUNDS)]
    plain = min(one_pass.seconds for one_pass, _ in rounds)
    scan = min(scanned for _, scanned in rounds)
    memory = scan.resident_kib / 1024
    print(f"library      {SIZE / 10**6:.0f} MB ({made_of}), {scan.kernels} kernels")
    print(f"plain pass   {plain:.3f} s")
    print(f"reading all  {scan.seconds:.3f} s, {scan.seconds / plain:.2f} times")
    print(f"             goal {GOAL_SECONDS} s ({verdict(scan.seconds <= GOAL_SECONDS)})")
    print(f"resident     {memory:.0f} MiB, goal {GOAL_MIB} MiB ({verdict(memory <= GOAL_MIB)})")


def dense() -> None:
    """Measure the processor time of a library of many small kernels, if it has been downloaded."""
    path = FOLDER / DENSE
    if not path.exists():
        print(f"{DENSE} is missing; download it with python -m tests.oracle.libraries --benchmarks")
        return
    rounds = [
        [
            *(measure(code, path) for code in (DECOMPRESSION, READING)),
            *(measure(COMMAND, path, output_format, SMALL) for output_format in FORMATS),
        ]
        for _ in range(ROUNDS)
    ]
    decompression, reading, *commands = (
        min(part.seconds for part in parts) for parts in zip(*rounds, strict=True)
    )
    read = reading / decompression
    print(f"dense        {DENSE}, {rounds[0][1].kernels} kernels; decompression {decompression:.3f} s")
    print(f"reading      {reading:.3f} s, {read:.2f} times")
    print(f"             goal {GOAL_OF_READING} times ({verdict(read <= GOAL_OF_READING)})")
    for output_format, seconds in zip(FORMATS, commands, strict=True):
        shown = seconds / reading
        print(f"scan {output_format:8}{seconds:.3f} s, {shown:.2f} times the reading")
        print(f"             goal {GOAL_OF_THE_COMMAND} times ({verdict(shown <= GOAL_OF_THE_COMMAND)})")


def trace() -> None:
    """Measure the processor time of a PyTorch trace with six operators per launch."""
    chance = random.Random(0)
    events: list[dict[str, object]] = []
    for number in range(LAUNCHES):
        launch = {"grid": [chance.randrange(1, 500), 1, 1], "block": [256, 1, 1], "registers per thread": 40}
        name, place = f"void ns::kernel<{number % 300}>(float*, int)", {"pid": 0, "tid": 7, "ts": 10 * number}
        event = {"ph": "X", "cat": "kernel", "name": name, **place, "dur": 9.5}
        events.append({**event, "args": {"device": 0, "stream": 7, "shared memory": 1024, **launch}})
        operator = {"ph": "X", "cat": "cpu_op", **place, "args": {"Input Dims": [[8, 128, 768]] * 8}}
        events += ({**operator, "name": f"aten::op{index}", "dur": 5.5} for index in range(6))
    gpu = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0, "numSms": 132}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_text(json.dumps({"deviceProperties": [gpu], "traceEvents": events}), encoding="utf-8")
        size = path.stat().st_size
        rounds = [(measure(JSON_LOAD, path), measure(READING, path)) for _ in range(ROUNDS)]
    loading = min(loaded.seconds for loaded, _ in rounds)
    reading = min(read.seconds for _, read in rounds)
    print(f"trace        {size / 10**6:.0f} MB, {rounds[0][1].kernels} launches; json.load {loading:.3f} s")
    print(f"reading      {reading:.3f} s, {reading / loading:.2f} times")
    print(f"             goal {GOAL_OF_TRACES} times ({verdict(reading <= GOAL_OF_TRACES * loading)})")


if __name__ == "__main__":
    main()
    dense()
    trace()
