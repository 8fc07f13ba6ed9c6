"""What set a register cap, from what the compiled kernel says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from occupancy.builds.scanner import Scanner
from occupancy.compare.register_caps import CapOrigin, bounds_within, cap_origin
from occupancy.readers import KernelRecord
from occupancy.report.compare.change_words import meaning_of_caps
from occupancy.tables.shipped import limits


def kernel(cap: int | None, threads: int | None = None, **facts: Any) -> KernelRecord:
    known = {"source": "a.cubin", "format": "cubin", "name": "k", "arch": "sm_90", "regs": 32, "linked": True}
    return KernelRecord(**{**known, "register_cap": cap, "max_threads": threads, **facts})


@pytest.mark.parametrize(
    ("record", "origin"),
    [
        # As ptxas 13.0 has them of kernels compiled with and without -maxrregcount=40 and .maxnreg.
        (kernel(255), CapOrigin("nothing")),
        (kernel(40), CapOrigin("-maxrregcount or maxnreg")),
        (kernel(255, 256), CapOrigin("launch bounds", (256, 1))),
        (kernel(64, 256), CapOrigin("launch bounds", (256, 4))),
        (kernel(40, 256), CapOrigin("launch bounds", (256, 6))),
        (kernel(64, 1024), CapOrigin("launch bounds", (1024, 1))),
        (kernel(100, 256), CapOrigin("maxnreg")),  # no number of blocks means it: PTX alone can have both
        (kernel(255, required_threads=128), CapOrigin("launch bounds", (128, 1))),
        (kernel(128, required_threads=128, format="triton"), CapOrigin("maxnreg")),
        (kernel(40, 256, arch="sm_999"), CapOrigin("launch bounds")),
        (kernel(40, 256, arch=None), CapOrigin("launch bounds")),
        (kernel(None, 256), None),
    ],
)
def test_the_cause_of_a_cap(record: KernelRecord, origin: CapOrigin | None) -> None:
    assert cap_origin(record) == origin


def test_causes_in_words() -> None:
    row = Scanner(limits).row
    pairs = [
        (row(kernel(128, 256)), row(kernel(40, 256))),
        (row(kernel(255)), row(kernel(40, 256, name="bounded"))),
        (row(kernel(255)), row(kernel(40, name="option"))),
        (row(kernel(40)), row(kernel(255, name="free"))),
        (row(kernel(40)), row(kernel(40, name="same"))),
    ]
    (text,) = meaning_of_caps(pairs)
    assert text == (
        "Register cap: the most per thread that the compiler may use. The launch bounds of k changed from "
        "(256, 2) to (256, 6). The launch bounds (256, 6) cap bounded. -maxrregcount or maxnreg caps option. "
        "1 more. -maxrregcount does nothing beside launch bounds."
    )
    assert not list(meaning_of_caps(pairs[-1:]))
    (text,) = meaning_of_caps(pairs[2:3])
    assert text.endswith("use. -maxrregcount or maxnreg caps option.")


@pytest.mark.parametrize(
    ("record", "registers", "bounds", "cap"),
    [
        # 65,536 registers: 6 blocks of 8 warps have 42 for each thread, in whole units of 8 40.
        (kernel(128, 256), 40, "__launch_bounds__(256, 6)", 40),
        (kernel(128, 256), 47, "__launch_bounds__(256, 6)", 40),
        (kernel(128, 256), 48, "__launch_bounds__(256, 5)", 48),
        (kernel(255, required_threads=128), 96, "__launch_bounds__(128, 5)", 96),
        (kernel(64, 1024), 63, "__launch_bounds__(1024, 2)", 32),
        (kernel(64, 1024), 31, None, None),  # 2,048 threads are all that an SM holds
        (kernel(255, 32), 32, None, None),  # and so are 32 blocks
        (kernel(128), 64, None, None),
        (kernel(128, 256, arch=None), 64, None, None),
        (kernel(128, 256, arch="sm_999"), 64, None, None),
    ],
)
def test_the_bounds_that_cap_at_so_many(
    record: KernelRecord, registers: int, bounds: str | None, cap: int | None
) -> None:
    found = bounds_within(record, registers)
    assert (found and found.launch_bounds, found and found.register_cap) == (bounds, cap)
