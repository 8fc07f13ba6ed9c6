"""NVIDIA's assembler ptxas as an oracle: the register cap that it computes from launch bounds.

It writes the cap into the cubin of each kernel, even an empty one, so one run computes the caps of thousands of
bounds::

    caps = assemble(find("ptxas"), "80", [(256, 4), (1024, 3)])
    caps[256, 4]        # Cap(registers=64, ignored="")

It wrote the golden file ``ptxas_register_caps.csv.gz`` with the assemblers of several toolkits:
``python -m tests.oracle.ptxas PTXAS...``
"""

import gzip
import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from occupancy.readers import stream_kernels

from .golden import FOLDER

# Compute capability -> first version of PTX that supports it, which every later ptxas accepts.
PTX_VERSIONS = {
    "35": "6.0", "37": "6.0", "50": "6.0", "52": "6.0", "53": "6.0", "60": "6.0", "61": "6.0", "62": "6.0",
    "70": "6.0", "72": "6.1", "75": "6.3", "80": "7.0", "86": "7.1", "87": "7.4", "88": "9.0", "89": "7.8",
    "90": "7.8", "100": "8.6", "101": "8.6", "103": "8.8", "107": "9.4", "110": "9.0", "120": "8.7",
    "121": "8.8",
}  # fmt: skip

GOLDEN = "ptxas_register_caps"


class Cap(NamedTuple):
    """Result of ptxas for one pair of launch bounds."""

    registers: int | None
    """Maximum registers per thread of the kernel."""
    ignored: str
    """Reason for ignoring the number of blocks: too many ``blocks``, too many ``threads``, or empty."""


def find(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path="/usr/local/cuda/bin")


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def chips(tool: str) -> list[str]:
    """Return the keys of `PTX_VERSIONS` that the assembler supports."""
    known = set(re.findall(r"'sm_(\d+)'", output(tool, "--help")))
    return [chip for chip in PTX_VERSIONS if chip in known]


@cache
def release(tool: str) -> str:
    (found,) = re.findall(r"release ([\d.]+),", output(tool, "--version"))
    return str(found)


def assemble(tool: str, chip: str, pairs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Cap]:
    source = [f".version {PTX_VERSIONS[chip]}\n.target sm_{chip}\n.address_size 64\n"]
    source += [
        f".visible .entry k_{threads}_{blocks}()\n"
        f".maxntid {threads}, 1, 1\n.minnctapersm {blocks}\n{{ ret; }}\n"
        for threads, blocks in pairs
    ]
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = Path(folder, "kernels.ptx"), Path(folder, "kernels.cubin")
        ptx.write_text("".join(source))
        command = [tool, f"-arch=sm_{chip}", str(ptx), "-o", str(cubin)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{tool} for sm_{chip}: {done.stderr}")
        caps = register_caps(cubin.read_bytes())
    ignored = dict(_complaints(done.stderr))
    return {_pair(name): Cap(registers, ignored.get(_pair(name), "")) for name, registers in caps.items()}


def register_caps(cubin: bytes) -> dict[str, int | None]:
    return {record.name: record.register_cap for record in stream_kernels(io.BytesIO(cubin))}


def _complaints(text: str) -> Iterable[tuple[tuple[int, int], str]]:
    for line in text.splitlines():
        found = re.search(r"warning : Value of (minnctapersm|threads per SM) for entry (k_\d+_\d+) ", line)
        if found:
            yield _pair(found[2]), "blocks" if found[1] == "minnctapersm" else "threads"
        elif "warning" in line and "deprecated" not in line:
            raise ValueError(f"a complaint that is not known: {line}")


def _pair(kernel: str) -> tuple[int, int]:
    _, threads, blocks = kernel.split("_")
    return int(threads), int(blocks)


def record(tools: Iterable[str]) -> None:
    """Write the golden file: for each block size, every number of blocks up to two that do not fit.

    If several assemblers support a compute capability, the last one is used.
    """
    sizes = sorted({*range(32, 1025, 32), 1, 33, 65, 97, 161, 337, 673, 1000})
    counts = range(1, 35)
    lines = ["release,chip,threads_per_block,min_blocks,max_registers,ignored"]
    newest = {chip: each for each in tools for chip in chips(each)}
    for chip, tool in sorted(newest.items()):
        caps = assemble(tool, chip, [(threads, blocks) for threads in sizes for blocks in counts])
        for threads in sizes:
            fitting = sum(not caps[threads, blocks].ignored for blocks in counts)
            for blocks in counts[: fitting + 2]:
                cap = caps[threads, blocks]
                lines.append(f"{release(tool)},{chip},{threads},{blocks},{cap.registers},{cap.ignored}")
    with (FOLDER / f"{GOLDEN}.csv.gz").open("wb") as file:
        file.write(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


if __name__ == "__main__":
    record(sys.argv[1:])
