"""How many stages of a pipeline the next step of a kernel of Triton leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import occupancy
from occupancy.builds.scanner import Scanner
from occupancy.builds.stages import stages_within
from occupancy.report.scan.stages import needs_smaller_tile, stages_in_words, stages_there
from occupancy.tables import shipped
from tests.cli_runner import run

MM = occupancy.ScanRow(
    source="mm.json", format="triton", name="mm", arch="sm_90a", num_warps=8, num_stages=3,
    smem=98304, next_step=occupancy.NextStep(3, 0.375, {"regs": 80, "smem": 76800}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("arch", "stages", "smem", "left"),
    [
        ("sm_90a", 3, 76800, 2),
        ("sm_90a", 4, 98303, 3),  # less than a stage is a stage all the same
        ("sm_90a", 3, 32768, 1),
        ("sm_90a", 3, 32767, 0),
        ("sm_80", 3, 76800, 2),  # two of 48 KiB in shared memory, one in registers
        ("sm_80", 3, 49151, 0),
        ("sm_80", 5, 76800, 4),
        ("sm_90a", 1, 76800, None),
    ],
)
def test_the_stages_that_fit(arch: str, stages: int, smem: int, left: int | None) -> None:
    assert stages_within(smem, replace(MM, arch=arch, num_stages=stages)) == left


def test_stages_in_words() -> None:
    whole = replace(MM, next_step=occupancy.NextStep(3, 0.375, {"regs": 80, "smem": 65536}))
    assert stages_in_words(whole) == "num_stages 3 -> 2 (about 64 KiB)"
    assert not needs_smaller_tile(whole)
    there = replace(whole, cc="8.9")  # where three stages of 32 KiB would take 64 KiB: a step names the bytes
    assert stages_in_words(there) == ""
    less = replace(MM, next_step=occupancy.NextStep(8, 1.0, {"smem": 32767}))
    assert stages_in_words(less) == ""
    assert needs_smaller_tile(less)


@pytest.mark.parametrize(
    ("arch", "stages", "smem", "expected"),
    [
        ("sm_90", 4, 32768, (8, 24576)),  # 31.5 KiB would be seven blocks
        ("sm_80", 4, 32768, (7, 21846)),  # three of them are in shared memory, and a part of a byte is a byte
        ("sm_90", 1, 32768, (7, 32256)),  # no pipeline: as much as suffices
        ("sm_90", 2, 98304, (4, 49152)),
    ],
)
def test_the_next_step_is_one_to_whole_stages(
    arch: str, stages: int, smem: int, expected: tuple[int, int]
) -> None:
    blocks, bytes_left = expected
    record = occupancy.KernelRecord(
        source="mm.json", format="triton", name="mm", arch=arch, regs=64, static_smem=0, dynamic_smem=smem,
        threads=128, num_warps=4, num_stages=stages,
    )  # fmt: skip
    step = Scanner(shipped.limits).row(record).next_step
    assert step is not None
    assert (step.active_blocks, step.requires["smem"]) == expected
    alone = occupancy.compute(arch, threads=128, regs=64, smem=bytes_left)
    assert (alone.active_blocks, alone.occupancy) == (blocks, step.occupancy)


def test_nothing_is_said_where_shared_memory_may_stay() -> None:
    step = occupancy.NextStep(3, 0.375, {"regs": 80})
    assert stages_in_words(replace(MM, next_step=step)) == ""
    assert stages_in_words(replace(MM, next_step=None)) == ""


def test_the_screen_says_it_and_that_both_are_needed(samples: Path) -> None:
    shown = " ".join(run("scan", str(samples / "triton_cache")).stdout.split())
    assert "37.5%: regs 114 -> 80, num_stages 3 -> 2 (about 64 KiB) Other warps 16: 50%" in shown
    assert "50%: num_stages 4 -> 3 (about 24 KiB)" in shown
    assert "A step that names both needs both." in shown


def test_the_screen_says_what_lowers_the_registers(samples: Path) -> None:
    shown = " ".join(run("scan", str(samples / "triton_cache")).stdout.split())
    lowers = "maxnreg or more num_warps lower the registers per thread (maxnreg may spill)"
    assert f"; {lowers}, by how much shows only after compiling. A step" in shown


@pytest.mark.parametrize(
    ("cc", "other"),
    [
        ("8.0", "other registers, Triton also other shared memory (one stage less)."),
        ("10.0", "other registers, Triton also other shared memory."),
    ],
)
def test_what_triton_compiles_otherwise_for_another_chip(samples: Path, cc: str, other: str) -> None:
    shown = " ".join(run("scan", str(samples / "triton_cache"), "--cc", cc).stdout.split())
    assert f"a compiler for that one may use {other}" in shown
    no_triton = " ".join(run("scan", str(samples / "samples.cubin"), "--cc", cc).stdout.split())
    assert "a compiler for that one may use other registers." in no_triton


def test_a_pipeline_from_a_chip_that_holds_a_stage_less() -> None:
    assert stages_there([replace(MM, arch="sm_80", cc="9.0")]) == " (one stage more)"
    assert stages_there([replace(MM, cc="8.6"), replace(MM, arch="sm_80", cc="8.6")]) == ""
    assert stages_there([replace(MM, cc="8.6"), replace(MM, num_stages=1, cc="8.6")]) == " (one stage less)"
    assert stages_there([replace(MM, smem=0, cc="8.6")]) == ""


def test_each_kernel_says_what_other_warps_have_to_reach(samples: Path) -> None:
    shown = run("scan", str(samples / "triton_cache"), columns=80).stdout
    assert "\n    Other warps 16: 50% with up to 64 regs\n" in shown
    assert "\n    Other warps 8: 50% with up to 64 regs, 75% with up to 40\n" in shown
    assert "Other warps: the occupancy of the same tile compiled with so many num_warps" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "Other warps" not in run("scan", str(samples / "samples.cubin")).stdout
    found = occupancy.scan(samples / "triton_cache")
    assert [[step.requires for step in kernel.other_warps] for kernel in found] == [
        [{"threads": 512, "regs": 64}],
        [{"threads": 256, "regs": 64}, {"threads": 256, "regs": 48}, {"threads": 256, "regs": 40}],
        [],
    ]
    assert [row["other_warps"] for row in found.rows()] == [
        "2 blocks: threads=512, regs=64",
        "4 blocks: threads=256, regs=64; 5 blocks: threads=256, regs=48; 6 blocks: threads=256, regs=40",
        None,
    ]
    assert found.to_dict()["kernels"][0]["other_warps"] == [
        {"active_blocks": 2, "occupancy": 0.5, "requires": {"threads": 512, "regs": 64}}
    ]


def test_an_answer_names_what_triton_has(samples: Path) -> None:
    """Triton's users write no launch bounds, and give nvcc no options."""
    (kernel, *_) = occupancy.scan(samples / "triton_cache")
    assert kernel.answer is not None
    for text in (str(kernel.answer), str(kernel.answer.next_steps()), str(kernel.answer.budget())):
        assert "launch_bounds" not in text
        assert "maxrregcount" not in text
    steps = kernel.answer.next_steps()
    assert "\n80 regs (may spill): maxnreg=80 or more num_warps; maxnreg=64, maxnreg=48," in str(steps)
    assert steps.to_dict()["fewer_registers"][0] == {
        "regs": 80, "launch_bounds": None, "maxnreg": "maxnreg=80", "maxrregcount": None,
    }  # fmt: skip
    assert "\nIt launches. Limited by" in str(kernel.answer)  # the opt-in is Triton's own call
    assert "Opt-in" not in str(kernel.answer)
    several = occupancy.compute_on_all(["8.0", "9.0"], kernel)
    assert "maxnreg=" in str(several)
    assert "maxrregcount" not in str(several)
    assert "aunch bounds" not in str(several)


def test_a_bound_that_goes_with_the_warps_bounds_no_other_warps() -> None:
    record = occupancy.KernelRecord(
        source="mm.json", format="triton", name="mm", arch="sm_80", regs=64, static_smem=0,
        dynamic_smem=32 << 10, threads=128, max_threads=128, num_warps=4,
    )  # fmt: skip
    row = Scanner(shipped.limits).row(record)
    assert [step.requires["threads"] for step in row.other_warps] == [256] * len(row.other_warps) != []
