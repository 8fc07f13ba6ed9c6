"""What a kernel of Triton reaches with other warps for the same tile."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import occupancy
from occupancy import Kernel, NextStep
from occupancy.advice.next_steps import other_warps


def steps(cc: str, warps: int, **uses: Any) -> tuple[NextStep, ...]:
    kernel = Kernel(**{"threads": 32 * warps, "triton_warps": warps, **uses})
    return tuple(other_warps(occupancy.compute(cc, kernel)))


@pytest.mark.parametrize("cc", ["7.5", "8.0", "8.6", "9.0", "10.0", "12.0"])
@pytest.mark.parametrize("regs", [32, 64, 90, 114, 168, 255])
def test_each_is_reached_with_as_many_registers_and_with_no_more(cc: str, regs: int) -> None:
    for warps in (1, 4, 8, 32):
        for smem in (0, 32 << 10):
            now = occupancy.compute(cc, threads=32 * warps, regs=regs, smem=smem)
            found = steps(cc, warps, regs=regs, smem=smem)
            shares = [now.occupancy, *(step.occupancy for step in found)]
            assert all(low < high for low, high in pairwise(shares))
            assert len({step.requires["threads"] for step in found}) <= 1
            for step in found:
                assert step.requires["threads"] in (64 * warps, 16 * warps)
                needs: dict[str, Any] = {str(name): amount for name, amount in step.requires.items()} | {
                    "smem": smem
                }
                then = occupancy.compute(cc, **needs)
                assert (then.active_blocks, then.occupancy) == (step.active_blocks, step.occupancy)
                if step.requires["regs"] < 255:
                    needs["regs"] += 1
                    assert occupancy.compute(cc, **needs).occupancy < step.occupancy
                least = regs if step.requires["threads"] < 32 * warps else regs / 2
                assert step.requires["regs"] >= least


def test_twice_the_warps_in_the_same_shared_memory() -> None:
    """Six blocks of 33 KiB fit, whatever their warps: 6 x 8 of 64 warps are 75%."""
    assert steps("9.0", 4, regs=64, smem=32 << 10) == (
        NextStep(4, 0.5, {"threads": 256, "regs": 64}),
        NextStep(5, 0.625, {"threads": 256, "regs": 48}),
        NextStep(6, 0.75, {"threads": 256, "regs": 40}),
    )


def test_half_the_warps_where_no_block_may_have_more() -> None:
    """Of 1,024 threads one block fits into the 1,536 of 8.6, of 512 three."""
    assert steps("8.6", 32, regs=40) == (NextStep(3, 1.0, {"threads": 512, "regs": 40}),)
    assert steps("8.6", 32, regs=48) == ()  # three with 40 registers; fewer than now are not to be hoped for


@pytest.mark.parametrize(
    "uses",
    [
        {"regs": 32},  # full already
        {"regs": None, "smem": 32 << 10},
        {"regs": 168, "threads": 384},  # more than its warps have
        {"regs": 168, "reallocates_registers": True},  # of warps that are specialised some were asked for
        {"regs": 168, "triton_warps": None},
    ],
)
def test_nothing_where_it_does_not_help_or_is_not_known(uses: dict[str, Any]) -> None:
    assert steps("9.0", 8, **uses) == ()


def test_they_take_the_place_of_other_block_sizes() -> None:
    """Triton compiles for powers of two of warps, and not for 160 threads."""
    kernel = Kernel(128, regs=64, smem=32 << 10, triton_warps=4)
    answer = occupancy.compute("9.0", kernel)
    with_warps = [step for step in answer.next_steps() if "threads" in step.requires]
    assert with_warps == list(steps("9.0", 4, regs=64, smem=32 << 10))
    text = " ".join(str(answer).split())
    assert "4 blocks, 50%: num_warps 4 -> 8 for the same tile, with up to 64 registers" in text
    assert "6 blocks, 75%: num_warps 4 -> 8 for the same tile, with up to 40 registers" in text
    assert "5 blocks" not in text
    assert "block size" not in text
    assert "only other num_warps can help" in str(occupancy.compute("8.6", Kernel(1024, 40, triton_warps=32)))
