"""How many stages of a pipeline the next step of a kernel of Triton leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import occupancy
from occupancy.report.stages import stages_in_words
from tests.cli_runner import run

MM = occupancy.ScanRow(
    source="mm.json", format="triton", name="mm", arch="sm_90a", num_warps=8, num_stages=3,
    smem=98304, next_step=occupancy.NextStep(3, 0.375, {"regs": 80, "smem": 76800}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("arch", "stages", "smem", "words"),
    [
        ("sm_90a", 3, 76800, "about 2 of 3 stages"),
        ("sm_90a", 4, 98303, "about 3 of 4 stages"),  # less than a stage is a stage all the same
        ("sm_90a", 3, 32768, "about 1 of 3 stages"),
        ("sm_90a", 3, 32767, "a smaller tile"),
        ("sm_80", 3, 76800, "about 2 of 3 stages"),  # two of 48 KiB in shared memory, one in registers
        ("sm_80", 3, 49151, "a smaller tile"),
        ("sm_80", 5, 76800, "about 4 of 5 stages"),
        ("sm_90a", 1, 76800, ""),
    ],
)
def test_the_stages_that_fit(arch: str, stages: int, smem: int, words: str) -> None:
    step = occupancy.NextStep(3, 0.375, {"smem": smem})
    assert stages_in_words(replace(MM, arch=arch, num_stages=stages, next_step=step)) == words


def test_nothing_is_said_where_shared_memory_may_stay() -> None:
    step = occupancy.NextStep(3, 0.375, {"regs": 80})
    assert stages_in_words(replace(MM, next_step=step)) == ""
    assert stages_in_words(replace(MM, next_step=None)) == ""


def test_the_screen_says_it_and_that_both_are_needed(samples: Path) -> None:
    shown = " ".join(run("scan", str(samples / "triton_cache")).stdout.split())
    assert "regs 114 -> 80, shared 96 KiB -> 75 KiB, about 2 of 3 stages 4 warps" in shown
    assert "A step that names both needs both." in shown
