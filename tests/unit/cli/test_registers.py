"""``occupancy registers``."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli_runner import run

SPLIT = ("registers", "--threads", "384", "--groups")


def test_a_split_that_suffices() -> None:
    done = run(*SPLIT, "1:40,2:232")
    assert done.exit_code == 0
    assert done.stdout.startswith("Legal: 3 warpgroups take 64,512 registers, and the launch gives 64,512")
    assert "\nDeclare the kernel with\n__launch_bounds__(384, 1)\n" in done.stdout
    without = "ptxas must know the launch's registers, from either both launch bounds or __maxnreg__(168); "
    assert without in " ".join(done.stdout.split())


def test_what_a_real_kernel_has_both_of_is_no_contradiction() -> None:
    split = (*SPLIT, "1:24,2:240")
    bounds = run(*split, "--min-blocks", "1").stdout
    assert run(*split, "--regs", "168").stdout == bounds
    assert run(*split, "--regs", "168", "--min-blocks", "1").stdout == bounds
    other = run(*SPLIT, "1:24,2:224", "--regs", "160").stdout  # no launch bounds give so many
    assert "\nDeclare the kernel with\n__maxnreg__(160)\n" in other


@pytest.mark.parametrize("groups", ["24,240,240", "1:24,240,240", "24/240/240", " 24 , 240 , 1:240 "])
def test_warpgroups_one_by_one(groups: str) -> None:
    assert run(*SPLIT, groups).stdout == run(*SPLIT, "1:24,2:240").stdout


def test_more_blocks_promised_than_fit() -> None:
    split = (*SPLIT, "1:40,2:?", "-s")
    said = " ".join(run(*split, "200k", "--blocks", "2").stdout.split())
    assert (
        "The 2 blocks of the launch bounds do not fit, because of shared memory: --blocks 1 gives the launch "
        "168 registers per thread in place of 80, so that warpgroups can take more."
    ) in said
    # More threads than the SM has: ptxas drops the bound, and to lower it gives the launch no more.
    said = " ".join(run(*SPLIT, "40/232/232", "-s", "200k", "--blocks", "8").stdout.split())
    assert "bounds do not fit, because of registers and shared memory. " in said
    assert "in place of" not in said
    assert "do not fit" not in run(*split, "200k", "--blocks", "1").stdout
    assert "do not fit" not in run(*split, "100k", "--blocks", "2").stdout


def test_an_example_of_groups_is_to_be_copied() -> None:
    """What the error says where they are missing is the option's help."""
    assert "A ? asks for the most: --groups '1:40,2:?'." in " ".join(
        run("registers", "--help-all").stdout.split()
    )


def test_the_call_before_the_launch_is_named() -> None:
    call = "\ncudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 204800)\n"
    assert call in run(*SPLIT, "40,?,?", "--smem", "200k", columns=100).stdout
    assert "cudaFunc" not in run(*SPLIT, "40,?,?", "--smem", "48k").stdout
    assert "cudaFunc" not in run(*SPLIT, "40,?,?", "--smem", "228k").stdout  # which no call allows


def test_the_threads_need_not_be_given() -> None:
    assert run("registers", "--groups", "40,?,?").stdout == run(*SPLIT, "40,?,?").stdout
    assert (
        "--groups: 9 warpgroups are 1,152 threads. Allowed: 1 to 8"
        in run("registers", "--groups", "9:24").stderr
    )


def test_one_that_waits_fails() -> None:
    done = run(*SPLIT, "1:40,2:240")
    assert done.exit_code == 1
    assert done.stdout.startswith("Waits for ever: ")
    assert "Declare" not in done.stdout
    assert "The launch would have to give 176 registers" in done.stdout


def test_the_most_is_found_and_every_format_has_it() -> None:
    split = json.loads(run(*SPLIT, "1:24,2:?", "--format", "json").stdout)["split"]
    assert [share["regs"] for share in split["groups"]] == [24, 240]
    rows = list(csv.DictReader(io.StringIO(run(*SPLIT, "1:24,2:?", "--format", "csv").stdout)))
    assert [row["regs"] for row in rows] == ["24", "240"]
    assert "| 2 | 240 |" in run(*SPLIT, "1:24,2:?", "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("1:40",), "1 warpgroups are named, and 384 threads are 3"),
        (("1:41,2:232",), "24 to 256 in steps of 8"),
        (("1:40,2:232", "--cc", "8.0"), "8.0 has no setmaxnreg"),
        (
            ("1:40,2:232", "--regs", "160", "--min-blocks", "1"),
            "--regs and --min-blocks: __launch_bounds__(384, 1) gives 168 registers at the launch, not 160",
        ),
        (
            ("1x40,2x232",),
            "Write warpgroups and their registers as 1:40,2:232, or those of each as 40,232,232",
        ),
    ],
)
def test_refused(arguments: tuple[str, ...], complaint: str) -> None:
    done = run(*SPLIT, *arguments)
    assert done.exit_code == 2
    assert complaint in done.stderr


def test_every_newer_chip_answers_alike() -> None:
    texts = {run(*SPLIT, "1:40,2:232", *chip).stdout for chip in ((), ("--cc", "9.0"), ("--gpu", "H100-SXM"))}
    assert len(texts) == 1
