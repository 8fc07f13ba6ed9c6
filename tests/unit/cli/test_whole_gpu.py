from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli_runner import run

NSIGHT = str(Path(__file__).parents[2] / "data" / "kernels" / "ncu_raw.csv")
KERNEL = ("--threads", "256", "--regs", "32")


def answer(*arguments: str) -> Any:
    return json.loads(run("calc", *KERNEL, *arguments, "--format", "json").stdout)


def test_waves_of_a_grid() -> None:
    printed = answer("--cc", "9.0", "--sms", "132", "--grid", "128x32")
    assert printed["full_wave"] == {
        "multiprocessor_count": 132,
        "blocks": 1056,
        "cluster_size": None,
        "clusters": None,
        "is_upper_bound": False,
        "measured": None,
    }
    assert printed["waves"] == {
        "grid_dim": [128, 32, 1],
        "blocks": 4096,
        "waves": 4096 / 1056,
        "full_waves": 3,
        "partial_wave_blocks": 928,
        "last_wave_fill": 928 / 1056,
        "idle_share": 128 / 4224,
        "partial_wave_share": 0.25,
        "filling_grid_below": 3168,
        "filling_grid_above": 4224,
        "is_cooperative": False,
    }


def test_what_was_not_asked_is_null() -> None:
    printed = answer("--cc", "9.0")
    assert (printed["gpu"], printed["full_wave"], printed["waves"]) == (None, None, None)
    printed = answer("--cc", "9.0", "--sms", "132")
    assert printed["waves"] is None
    assert printed["full_wave"]["blocks"] == 1056


def test_a_product_brings_its_sms() -> None:
    printed = answer("--gpu", "rtx4090", "--grid", "4096")
    assert printed["cc"] == "8.9"
    assert printed["gpu"] == {
        "name": "GeForce RTX 4090",
        "multiprocessor_count": 128,
        "known_from": "hardware",
        "device": None,
    }
    assert printed["waves"]["waves"] == 4096 / (128 * 6)
    assert answer("--gpu", "rtx4090", "--sms", "64")["full_wave"]["blocks"] == 64 * 6


def test_text_says_what_the_whole_gpu_does() -> None:
    text = run("calc", *KERNEL, "--gpu", "H200", "--grid", "4096", columns=200).stdout
    assert text.startswith("100% occupancy on H200, compute capability 9.0 (Hopper)")
    for line in (
        "Whole GPU    132 SMs hold 1,056 blocks: the grid of a persistent kernel",
        "Grid         4,096 blocks: 3.88 waves, 3 full and one of 928 blocks, 87.9% full",
        "Tail         3% of the GPU idle, if all blocks take equally long; "
        "the last wave takes up to 25% of the time",
        "Full waves   3,168 or 4,224 blocks",
    ):
        assert line in text
    markdown = run("calc", *KERNEL, "--gpu", "H200", "--grid", "4096", "--format", "markdown").stdout
    assert "- Full waves: 3,168 or 4,224 blocks" in markdown


@pytest.mark.parametrize(
    ("grid", "line"),
    [
        ("2112", "2,112 blocks: 2.00 waves, all of them full"),
        ("264", "264 blocks: 0.25 waves, 25% full"),
        ("1", "1 block: <0.01 waves, 0.1% full"),
    ],
)
def test_grids_with_no_partial_wave_or_with_nothing_else(grid: str, line: str) -> None:
    text = run("calc", *KERNEL, "--gpu", "H200", "--grid", grid, columns=200).stdout
    assert line in text
    assert ("Tail" in text) == ("full" in line and "all" not in line)


def test_clusters_are_a_bound_and_say_so() -> None:
    text = run("calc", *KERNEL, "--gpu", "H200", "--grid", "128x32", "--cluster", "2x2", columns=200).stdout
    assert "132 SMs hold at most 1,056 blocks, 264 clusters of 4" in text
    assert "at least 3.88 waves; with so many clusters 3 full and one of 928 blocks, 87.9% full" in text
    assert "3% of the GPU idle, if there are so many clusters and all blocks take equally long" in text
    assert "3,168 or 4,224 blocks, if there are so many clusters" in text
    small = run("calc", *KERNEL, "--gpu", "H200", "--grid", "264", "--cluster", "2", columns=200).stdout
    assert "264 blocks: at least 0.25 waves, at least 25% full" in small


def test_one_sm() -> None:
    text = run("calc", *KERNEL, "--cc", "9.0", "--sms", "1").stdout
    assert "1 SM holds 8 blocks: the grid of a persistent kernel" in text
    text = run("calc", *KERNEL, "--cc", "9.0", "--sms", "1", "--cluster", "16", "--grid", "16").stdout
    assert "1 SM holds no cluster of 16 blocks" in text
    assert "persistent" not in text


def test_a_kernel_that_does_not_launch_has_no_waves() -> None:
    printed = run("calc", "--threads", "1025", "--gpu", "H200", "--grid", "12", "--format", "json")
    assert json.loads(printed.stdout)["waves"] is None
    assert "Whole GPU" not in run("calc", "--threads", "1025", "--gpu", "H200", "--grid", "12").stdout


def test_several_gpus() -> None:
    printed = json.loads(
        run("fits", *KERNEL, "--gpu", "rtx4090,A100 SXM4 40GB", "--cc", "7.0", "--format", "json").stdout
    )
    assert len(printed["chips"]) == 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--cc", "9.0", "--grid", "12"), "--grid: the number of SMs is missing. Give --sms 132"),
        (("--cc", "9.0", "--cluster", "2"), "--cluster: the number of SMs is missing"),
        (("--cc", "9.0", "--sms", "0"), "--sms: 0 is out of range"),
        (("--cc", "9.0", "--sms", "many"), "--sms: 'many' is not a whole number"),
        (("--gpu", "H200", "--grid", "0"), "grid: '0' is out of range"),
        (("--gpu", "H200", "--grid", "1x2x3x4"), "grid: '1x2x3x4' has 4 dimensions"),
        (
            ("--gpu", "H200", "--grid", "10", "--cluster", "4"),
            "--grid: 10 along x is not divisible into clusters of 4",
        ),
        (("--gpu", "rtx4090", "--grid", "10", "--cluster", "2"), "8.9 has no clusters"),
        (("--gpu", "H200", "--cc", "8.0", "--grid", "9"), "--grid: answers for one chip, and 2 are named"),
        (("--gpu", "RTX 9999"), "'RTX 9999' is neither a compute capability nor"),
        (("--gpu", "H100", "--grid", "9"), "--grid: H100 comes with different numbers of SMs"),
        (("--device", "0", "--limits", "table.yaml"), "--device and --limits: both say"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_code_2(arguments: tuple[str, ...], complaint: str) -> None:
    result = run("calc", *KERNEL, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in result.stderr


def test_gpus_of_a_pattern() -> None:
    lines = run("gpus", "h100 sxm", columns=120).stdout.splitlines()
    assert all("9.0" in line for line in lines[1:])
    assert len(json.loads(run("gpus", "--format", "json").stdout)["gpus"]) > 900
    assert run("gpus", "no such thing").exit_code == 2


def test_scan_counts_the_waves_of_launches() -> None:
    launches = json.loads(run("scan", NSIGHT, "--gpu", "H200", "--format", "json").stdout)["kernels"]
    assert [f"{launch['waves']:.2f}" for launch in launches] == [
        "3.88",
        "3.88",
        "3.88",
        "0.25",
        "1.00",
        "1.00",
    ]
    assert [launch["idle_share"] for launch in launches[3:]] == [0.75, 0.0, 0.0]
    assert "Waves" in run("scan", NSIGHT, "--sms", "132").stdout


def test_scan_without_sms_counts_no_waves() -> None:
    launches = json.loads(run("scan", NSIGHT, "--cc", "9.0", "--format", "json").stdout)["kernels"]
    assert {launch["waves"] for launch in launches} == {None}
    assert "Waves" not in run("scan", NSIGHT).stdout
    assert run("scan", NSIGHT, "--sms", "0").exit_code == 2


def test_scan_on_the_gpu_of_this_machine(h200: None) -> None:
    (first, *_) = json.loads(run("scan", NSIGHT, "--device", "0", "--format", "json").stdout)["kernels"]
    assert (first["cc"], first["what_if"], first["active_blocks"]) == ("9.0", False, 8)
    assert f"{first['waves']:.2f}" == "3.88"


def test_the_largest_cooperative_grid() -> None:
    fits = answer("--gpu", "H200", "--grid", "1056")["waves"]
    too_large = answer("--gpu", "H200", "--grid", "1057")["waves"]
    assert (fits["is_cooperative"], too_large["is_cooperative"]) == (True, False)
    assert answer("--gpu", "H200", "--grid", "64", "--cluster", "4")["waves"]["is_cooperative"] is None
    text = run("calc", *KERNEL, "--gpu", "H200", "--grid", "1057", columns=200).stdout
    assert "Coop. grid   cudaLaunchCooperativeKernel cannot run it: it takes up to 1,056 blocks" in text


def test_clusters_that_one_unit_held_stand_beside_the_bound() -> None:
    kernel = ("calc", "--threads", "384", "--regs", "168", "--cluster", "4", "--grid", "128")
    measured = json.loads(run(*kernel, "--gpu", "H200", "--format", "json").stdout)["full_wave"]
    assert (measured["clusters"], measured["measured"]) == (33, {"gpu": "H200", "clusters": 30})
    text = " ".join(run(*kernel, "--gpu", "B200").stdout.split())
    assert "37 clusters of 4" in text
    assert "one B200 was measured to hold 33" in text
    assert "; with the 33 clusters measured: 0.97 waves Tail" in text  # 128 / (33 x 4)
    assert "measured" not in run(*kernel, "--cc", "9.0", "--sms", "100").stdout


class TestPartOfAGpu:
    def test_a_green_context_is_rounded_up(self) -> None:
        printed = answer("--gpu", "H200", "--sms", "20", "--grid", "100")
        assert printed["full_wave"]["multiprocessor_count"] == 20
        assert printed["green_context"] == {
            "wanted": 20, "multiprocessor_count": 24, "without_coscheduling": 20, "most_groups": 5,
        }  # fmt: skip
        text = run("calc", *KERNEL, "--gpu", "H200", "--sms", "20").stdout
        assert "one of at least 20 SMs gets 24, or 20 without co-scheduling" in text

    def test_all_of_it_or_an_unknown_whole_is_no_part(self) -> None:
        assert answer("--gpu", "H200", "--sms", "132")["green_context"] is None
        assert answer("--cc", "9.0", "--sms", "20")["green_context"] is None
        assert answer("--gpu", "GTX 1080", "--sms", "10")["green_context"] is None

    def test_a_percentage_is_of_the_gpu(self) -> None:
        printed = answer("--gpu", "H200", "--sms", "25%")
        assert (printed["full_wave"]["multiprocessor_count"], printed["green_context"]) == (33, None)
        for arguments, complaint in (
            (("--cc", "9.0", "--sms", "25%"), "of how many SMs is not known"),
            (("--gpu", "H200", "--sms", "0%"), "0% is out of range"),
            (("--gpu", "H200", "--sms", "x%"), "--sms"),
        ):
            done = run("calc", *KERNEL, *arguments)
            assert done.exit_code == 2
            assert complaint in done.stderr
