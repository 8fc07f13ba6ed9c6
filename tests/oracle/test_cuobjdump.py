"""Comparison with cuobjdump for thousands of kernels in real libraries."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from occupancy.readers import stream_kernels
from tests.oracle import libraries

# Number of kernels in each library, so that an empty comparison cannot pass.
KERNELS = {
    "libcurand.so.10": 2368, "libnvjpeg.so.12": 3720, "libnvjpeg.so.13": 2480,
    "libbitsandbytes_cuda117.so": 1608, "libbitsandbytes_cuda120.so": 2010,
    "libbitsandbytes_cuda125.so": 2010, "libbitsandbytes_cuda128.so": 1608,
}  # fmt: skip

UNREADABLE = {"libbitsandbytes_cuda120.so"}
"""Files in which cuobjdump stops early."""

ROW = re.compile(r"REG:(\d+) STACK:(\d+) SHARED:(\d+) .*CONSTANT\[0\]")

Usage = tuple[str | None, str, int | None, int | None, int | None]


def listed(tool: Path, library: Path) -> Counter[Usage]:
    """Architecture, name, registers, stack and static shared memory of each kernel, by cuobjdump."""
    text = subprocess.run([tool, "-res-usage", library], check=True, capture_output=True, text=True).stdout
    usages: Counter[Usage] = Counter()
    arch = name = ""
    for line in text.splitlines():
        if line.startswith("arch = "):
            arch = line.removeprefix("arch = ")
        elif line.startswith(" Function "):
            name = line.removeprefix(" Function ").removesuffix(":")
        elif found := ROW.search(line):
            registers, stack, shared = map(int, found.groups())
            reserved = 1024 if int(arch.removeprefix("sm_").rstrip("af")) >= 90 and shared else 0
            usages[arch, name, registers, stack, shared - reserved] += 1
    return usages


def test_every_library_is_listed() -> None:
    assert set(KERNELS) == set(libraries.LIBRARIES)


@pytest.mark.parametrize("name", KERNELS)
def test_no_difference(cuobjdump: Path, name: str) -> None:
    found = stream_kernels(libraries.FOLDER / name)
    ours: Counter[Usage] = Counter()
    for record in found:
        ours[record.arch, record.name, record.regs, record.stack_bytes, record.static_smem] += 1
    assert not any(None in usage for usage in ours)
    assert found.problems == []
    assert ours.total() == KERNELS[name]
    if name not in UNREADABLE:
        theirs = listed(cuobjdump, libraries.FOLDER / name)
        assert (list((ours - theirs).items())[:5], list((theirs - ours).items())[:5]) == ([], [])
