"""Examples of textbooks, courses and articles, as in docs/worked-examples.md."""

from __future__ import annotations

from typing import Any

import pytest

import occupancy


def imaginary_sm(threads: int, blocks: int, **other: int) -> occupancy.Limits:
    """Return the SM of an exercise: that of an A100, but for what the exercise says."""
    return occupancy.limits("8.0").replace(
        max_threads_per_multiprocessor=threads, max_blocks_per_multiprocessor=blocks, **other
    )


KEPLER = imaginary_sm(2048, 32, max_registers_per_multiprocessor=65536)
WARPS, BLOCKS, REGISTERS, SMEM = ("warps",), ("blocks",), ("registers",), ("shared_memory",)
V100, A100, H100, A6000 = "7.0", "8.0", "9.0", "8.6"


@pytest.mark.parametrize(
    ("gpu", "kernel", "blocks", "share", "limiters"),
    [
        (V100, {"threads": 128, "regs": 37}, 12, 48 / 64, REGISTERS),
        (V100, {"threads": 320, "regs": 37}, 4, 40 / 64, REGISTERS),
        *((A100, {"threads": 2048 // blocks}, blocks, 1, None) for blocks in (2, 4, 8, 16, 32)),
        (A100, {"threads": 32}, 32, 0.5, BLOCKS),
        (A100, {"threads": 768}, 2, 0.75, WARPS),
        (A100, {"threads": 256, "regs": 64}, 4, 0.5, REGISTERS),
        # The cliff behind 32 registers.
        (A100, {"threads": 512, "regs": 31}, 4, 1, None),
        (A100, {"threads": 512, "regs": 32}, 4, 1, None),
        (A100, {"threads": 512, "regs": 33}, 3, 0.75, REGISTERS),
        # Without the system's 1 KiB and in fractions of blocks: 164 / 33 = 4.97 blocks, 1272 threads, 62%.
        (A100, {"threads": 256, "smem": "32k"}, 4, 0.5, SMEM),
        # 65536 / (40 * 32) = 51.2 warps, 79.7%, if warps and blocks could be cut up.
        (H100, {"threads": 256, "regs": 40, "smem": "8k"}, 6, 48 / 64, REGISTERS),
        (H100, {"threads": 256, "regs": 32, "smem": "8k"}, 8, 1, None),
        (H100, {"threads": 1024, "regs": 20, "smem": 8448}, 2, 1, None),
        (A6000, {"threads": 1024, "regs": 37, "static_smem": 8192}, 1, 32 / 48, ("warps", "registers")),
        *((imaginary_sm(1536, 4), {"threads": each}, min(4, 1536 // each), None, None)
          for each in (128, 256, 512, 1024)),
        (imaginary_sm(2048, 32), {"threads": 32}, 32, 0.5, BLOCKS),
        (imaginary_sm(2048, 64), {"threads": 32}, 64, 1, None),
        (imaginary_sm(2048, 64), {"threads": 64}, 32, 1, None),
        (KEPLER, {"threads": 128, "regs": 30}, 16, 1, None),
        (KEPLER, {"threads": 32, "regs": 29}, 32, 0.5, BLOCKS),
        (KEPLER, {"threads": 256, "regs": 34}, 6, 0.75, REGISTERS),
        (imaginary_sm(2048, 32, max_threads_per_block=512), {"threads": "32x32"}, 0, 0, None),
        ("2.0", {"threads": 256, "regs": 21}, 5, None, REGISTERS),
        ("1.0", {"threads": 128, "regs": 10}, 6, 1, ("warps", "registers")),
    ],
)  # fmt: skip
def test_an_example(
    gpu: str | occupancy.Limits, kernel: dict[str, Any], blocks: int, share: float | None,
    limiters: tuple[str, ...] | None,
) -> None:  # fmt: skip
    result = occupancy.compute(gpu, **kernel)
    assert result.active_blocks == blocks
    assert share is None or result.occupancy == pytest.approx(share)
    assert limiters is None or result.limiters == limiters
    assert result.launchable == bool(blocks)


@pytest.mark.parametrize(
    ("gpu", "threads", "regs", "allocated"),
    [("7.0", 128, 37, 4 * 1280), ("2.0", 256, 21, 8 * 768), ("1.0", 128, 10, 1280)],
)
def test_allocated_registers(gpu: str, threads: int, regs: int, allocated: int) -> None:
    result = occupancy.compute(gpu, threads=threads, regs=regs)
    assert result.allocated.registers == allocated  # on 2.0 in units of 128 for this very number
    assert result.model == ("cuda" if gpu == "7.0" else "spreadsheet")


@pytest.mark.parametrize(("smem", "naive", "exact"), [("16k", 14, 13), ("4k", 57, 45)])
def test_h100_shared_memory_costs_1_kib_more_per_block(smem: str, naive: int, exact: int) -> None:
    limits = occupancy.limits("9.0")
    assert occupancy.compute(limits, threads=32, smem=smem).block_limits.shared_memory == exact
    without = limits.replace(reserved_shared_memory_per_block=0)
    assert occupancy.compute(without, threads=32, smem=smem).block_limits.shared_memory == naive
