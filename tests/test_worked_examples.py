"""Examples from textbooks, courses and articles; docs/worked-examples.md tells them."""

from __future__ import annotations

import pytest

import occupancy


def answer(cc: str | occupancy.Limits, **kernel: object) -> tuple[int, float, tuple[str, ...]]:
    result = occupancy.compute(cc, **kernel)  # type: ignore[call-overload]
    return result.active_blocks, result.occupancy, result.limiters


def imaginary_sm(threads: int, blocks: int, **other: int) -> occupancy.Limits:
    """An SM of an exercise: an A100's but for what the exercise says."""
    return occupancy.limits("8.0").replace(
        max_threads_per_multiprocessor=threads, max_blocks_per_multiprocessor=blocks, **other
    )


def test_v100_128_threads_37_registers() -> None:
    result = occupancy.compute("7.0", threads=128, regs=37)
    assert result.allocated.registers == 4 * 1280
    assert result.active_warps == 48
    assert (result.active_blocks, result.occupancy, result.limiters) == (12, 0.75, ("registers",))


def test_v100_320_threads_37_registers() -> None:
    result = occupancy.compute("7.0", threads=320, regs=37)
    assert (result.active_blocks, result.active_warps, result.occupancy) == (4, 40, 0.625)


@pytest.mark.parametrize(("threads", "blocks"), [(1024, 2), (512, 4), (256, 8), (128, 16), (64, 32)])
def test_a100_full_with_blocks_of(threads: int, blocks: int) -> None:
    assert answer("8.0", threads=threads)[:2] == (blocks, 1.0)


def test_a100_blocks_of_32_are_limited_by_the_number_of_blocks() -> None:
    assert answer("8.0", threads=32) == (32, 0.5, ("blocks",))


def test_a100_blocks_of_768_leave_a_quarter_empty() -> None:
    assert answer("8.0", threads=768) == (2, 0.75, ("warps",))


def test_a100_64_registers_halve_the_occupancy() -> None:
    assert answer("8.0", threads=256, regs=64)[1] == 0.5


def test_a100_the_cliff_behind_32_registers() -> None:
    assert answer("8.0", threads=512, regs=31)[1] == 1.0
    assert answer("8.0", threads=512, regs=32)[1] == 1.0
    assert answer("8.0", threads=512, regs=33)[1] == 0.75


def test_a100_32_kib_of_shared_memory() -> None:
    # Without the system's 1 KiB and in fractions of blocks: 164 / 33 = 4.97 blocks, 1272 threads, 62%.
    assert answer("8.0", threads=256, smem="32k") == (4, 0.5, ("shared_memory",))


def test_h100_40_registers_8_kib() -> None:
    # 65536 / (40 * 32) = 51.2 warps, 79.7%, if warps and blocks could be cut up.
    result = occupancy.compute("9.0", threads=256, regs=40, smem="8k")
    assert (result.active_blocks, result.active_warps, result.occupancy) == (6, 48, 0.75)


def test_h100_32_registers_are_full() -> None:
    assert answer("9.0", threads=256, regs=32, smem="8k")[1] == 1.0


@pytest.mark.parametrize(("smem", "naive", "exact"), [("16k", 14, 13), ("4k", 57, 45)])
def test_h100_shared_memory_costs_1_kib_more_per_block(smem: str, naive: int, exact: int) -> None:
    limits = occupancy.limits("9.0")
    result = occupancy.compute(limits, threads=32, smem=smem)
    assert result.block_limits.shared_memory == exact
    without = limits.replace(reserved_shared_memory_per_block=0)
    assert occupancy.compute(without, threads=32, smem=smem).block_limits.shared_memory == naive


def test_h100_1024_threads_20_registers_8448_bytes() -> None:
    assert answer("9.0", threads=1024, regs=20, smem=8448)[:2] == (2, 1.0)


def test_a6000_limited_by_warps_and_registers_at_once() -> None:
    blocks, occupied, limiters = answer("8.6", threads=1024, regs=37, static_smem=8192)
    assert (blocks, limiters) == (1, ("warps", "registers"))
    assert occupied == pytest.approx(2 / 3)


def test_imaginary_sm_of_1536_threads_and_4_blocks() -> None:
    sm = imaginary_sm(1536, 4)
    resident = {
        threads: occupancy.compute(sm, threads=threads).active_threads for threads in (128, 256, 512, 1024)
    }
    assert resident == {128: 512, 256: 1024, 512: 1536, 1024: 1024}


def test_imaginary_sm_of_2048_threads_and_64_blocks() -> None:
    assert answer(imaginary_sm(2048, 32), threads=32)[1] == 0.5
    assert answer(imaginary_sm(2048, 64), threads=32)[:2] == (64, 1.0)
    assert answer(imaginary_sm(2048, 64), threads=64)[:2] == (32, 1.0)


def test_imaginary_sm_of_2048_threads_32_blocks_64k_registers() -> None:
    sm = imaginary_sm(2048, 32, max_registers_per_multiprocessor=65536)
    assert answer(sm, threads=128, regs=30)[1] == 1.0
    assert answer(sm, threads=32, regs=29) == (32, 0.5, ("blocks",))
    assert answer(sm, threads=256, regs=34) == (6, 0.75, ("registers",))


def test_32_by_32_threads_do_not_launch_where_a_block_has_at_most_512() -> None:
    result = occupancy.compute(imaginary_sm(2048, 32, max_threads_per_block=512), threads="32x32")
    assert (result.active_blocks, result.launchable) == (0, False)
    assert "1,024 threads" in str(result.reason)


def test_fermi_256_threads_21_registers() -> None:
    result = occupancy.compute("2.0", threads=256, regs=21)
    assert result.model == "spreadsheet"
    assert result.allocated.registers == 8 * 768  # 672 a warp, in units of 128 for this very number
    assert (result.active_blocks, result.limiters) == (5, ("registers",))


def test_g80_128_threads_10_registers() -> None:
    result = occupancy.compute("1.0", threads=128, regs=10)
    assert (result.model, result.allocated.registers) == ("spreadsheet", 1280)
    assert (result.active_blocks, result.occupancy, result.limiters) == (6, 1.0, ("warps", "registers"))
