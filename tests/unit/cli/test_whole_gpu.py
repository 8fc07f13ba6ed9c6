from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy import Kernel, Occupancy
from occupancy.api.waves import whole_gpu
from occupancy.device import clusters
from occupancy.tables.gpus import Gpu
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
        "places": 1056,
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
        "rounds": 4,
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
        "Whole GPU    132 SMs hold 1,056 blocks: the grid of a persistent kernel, "
        "the largest cooperative one",
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
    assert "132 SMs hold at most 1,056 blocks, 264 clusters of 4; one H200 was measured to hold" in text
    kernel = ("calc", *KERNEL, "--cc", "9.0", "--sms", "100", "--cluster", "4")
    text = run(*kernel, "--grid", "4096", columns=200).stdout
    assert "100 SMs hold at most 800 blocks, 200 clusters of 4\n" in text
    assert "each stays within one GPC, of which some SMs are left over. Your own GPU tells" in text
    assert "\nat most 200        5.12  96 blocks, 12% full  14.7%  4,000 or 4,800\n" in text
    assert "\nClusters of 4 change nothing if all 200 fit.\n" in text
    small = run(*kernel, "--grid", "200", columns=200).stdout
    assert "\nat most 200        0.25  200 blocks, 25% full   75%  800\n" in small


def test_one_sm() -> None:
    text = run("calc", *KERNEL, "--cc", "9.0", "--sms", "1", columns=100).stdout
    assert "1 SM holds 8 blocks: the grid of a persistent kernel, the largest cooperative one" in text
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
        (("--cc", "9.0", "--grid", "12"), "--grid: the number of SMs is missing. Name a product"),
        (("--cc", "8.9", "--cluster", "2"), "--cluster: compute capability 8.9 has no clusters"),
        (("--gpu", "H100", "--cluster", "99"), "--cluster: 99 blocks per cluster are out of range"),
        (("--cc", "9.0", "--sms", "0"), "--sms: 0 is out of range"),
        (("--cc", "9.0", "--sms", "many"), "--sms: 'many' is not a whole number"),
        (("--gpu", "H200", "--grid", "0"), "grid: '0' is out of range"),
        (("--gpu", "H200", "--grid", "1x2x3x4"), "grid: '1x2x3x4' has 4 dimensions"),
        (
            ("--gpu", "H200", "--grid", "10", "--cluster", "4"),
            "--grid: 10 along x is not divisible into clusters of 4",
        ),
        (("--gpu", "rtx4090", "--grid", "10", "--cluster", "2"), "8.9 has no clusters"),
        (("--gpu", "H200", "--cc", "8.0", "--grid", "9"), "--grid: the number of SMs is missing"),
        (("--gpu", "H200,H100", "--grid", "9"), "--grid: 'H100' is the name of GPUs with different"),
        (("--gpu", "RTX 4090,A100", "--cluster", "2"), "--cluster: compute capability 8.9 has no clusters"),
        (("--gpu", "H200,A100", "--sms", "9"), "--sms: says nothing of several chips alone"),
        (("--gpu", "RTX 9999"), "'RTX 9999' is not a compute capability"),
        (("--gpu", "H100", "--grid", "9"), "--grid: 'H100' is the name of GPUs with different"),
        (("--device", "0", "--limits", "table.yaml"), "--device and --limits: both say"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_code_2(arguments: tuple[str, ...], complaint: str) -> None:
    result = run("calc", *KERNEL, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in result.stderr


def test_gpus_of_a_compute_capability_and_in_an_order() -> None:
    def gpus(*arguments: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(run("gpus", *arguments, "--format", "json").stdout)["gpus"]
        return found

    assert gpus("hopper,sm_100a") == gpus("9.0,10.0")
    sms = [each["multiprocessor_count"] for each in gpus("hopper,blackwell", "--sort", "sms")]
    assert sms == sorted(sms, reverse=True)
    names = [each["name"] for each in gpus("ada", "--sort", "name")]
    assert names == sorted(names)
    memory = [each["memory_gb"] or 0 for each in gpus("hopper", "--sort", "memory")]
    assert memory == sorted(memory, reverse=True)
    with pytest.raises(occupancy.InputError, match="sort: 'size' is not an order"):
        occupancy.gpus(sort="size")  # type: ignore[arg-type]


def test_gpus_of_a_pattern() -> None:
    lines = run("gpus", "h100 sxm", columns=120).stdout.splitlines()
    assert all("9.0" in line for line in lines[1:])
    assert len(json.loads(run("gpus", "--all", "--format", "json").stdout)["gpus"]) > 900
    assert run("gpus", "no such thing").exit_code == 2
    both = run("gpus", "rtx", "4090,", "h100", "sxm,rtx 4090", columns=120).stdout
    each = [run("gpus", name, columns=120).stdout.splitlines()[1:] for name in ("rtx 4090", "h100 sxm")]
    found = sorted(line.split() for one in each for line in one)
    assert sorted(line.split() for line in both.splitlines()[1:]) == found
    assert "no GPU of compute capability 8.8 is known" in run("gpus", "8.8").stderr
    newest = run("gpus")
    assert len(newest.stdout.splitlines()) == 31
    assert newest.stderr == "925 more with --all, or by a pattern such as ampere.\n"
    assert len(run("gpus", "--all").stdout.splitlines()) > 900


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


def test_scan_counts_waves_on_the_gpu_that_a_profile_names_or_that_is_given() -> None:
    def waves(*arguments: str) -> list[float | None]:
        printed = run("scan", NSIGHT, *arguments, "--format", "json").stdout
        return [launch["waves"] for launch in json.loads(printed)["kernels"]]

    assert waves() == waves("--cc", "9.0") == waves("--gpu", "H200")
    assert set(waves("--cc", "8.0")) == {None}  # another chip, whose SMs nobody says
    assert "Waves" in run("scan", NSIGHT).stdout
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
    assert "hold 1,056 blocks: the grid of a persistent kernel, the largest cooperative one" in text


def test_clusters_that_one_unit_held_stand_beside_the_bound() -> None:
    kernel = ("calc", "-t", "256", "-r", "48", "-s", "20k", "--cluster", "4", "--grid", "3000")
    printed = json.loads(run(*kernel, "--gpu", "h100 sxm", "--format", "json").stdout)
    assert printed["full_wave"]["clusters"] == 165
    assert printed["full_wave"]["measured"] == {"gpu": "H200", "clusters": 154, "blocks": 616}
    assert (printed["waves"]["waves"], printed["waves"]["partial_wave_blocks"]) == (3000 / 660, 360)
    measured = printed["measured_waves"]
    assert (measured["waves"], measured["partial_wave_blocks"]) == (3000 / 616, 536)
    without = printed["waves_without_clusters"]
    assert (without["waves"], without["rounds"], measured["rounds"]) == (3000 / 660, 5, 5)
    assert without["idle_share"] == measured["idle_share"] == 300 / 3300  # all of them of the whole GPU
    text = run(*kernel, "--gpu", "h100 sxm", columns=200).stdout
    for line in (
        "Whole GPU   132 SMs hold at most 660 blocks, 165 clusters of 4; "
        "one H200 was measured to hold 616 blocks, 154 clusters",
        "A grid of 3,000 blocks, if all blocks take equally long",
        "without clusters            4.55  360 blocks, 54.5% full  9.1%  2,640 or 3,300",
        "at most 165                 4.55  360 blocks, 54.5% full  9.1%  2,640 or 3,300",
        "154, measured on one H200   4.87  536 blocks, 87% full    9.1%  2,464 or 3,080",
        "Clusters of 4 change nothing if all 165 fit. With 154, 4.87 waves instead of 4.55: still 5 rounds. "
        "Plan with the measured 154. Idle is counted against what all 132 SMs could hold, in each row.",
    ):
        assert line in text.splitlines()
    assert text.index("Whole GPU") < text.index("Clusters of 4 change") < text.index("Next steps")
    more = run(*kernel[:-1], "3200", "--gpu", "h100 sxm", columns=200).stdout
    assert "With 154, 5.19 waves instead of 4.85: 6 rounds instead of 5." in more
    odd = run(*kernel[:-3], "16", "--grid", "3200", "--cc", "9.0", "--sms", "131", columns=200).stdout
    assert "If all 40 fit, 5.00 waves instead of 4.89: still 5 rounds." in odd
    assert "measured" not in run(*kernel, "--cc", "9.0", "--sms", "100").stdout
    all_fit = run("calc", *KERNEL, "--gpu", "H200", "--cluster", "2", "--grid", "9000", columns=200).stdout
    assert "1,056 blocks, 528 clusters of 2; one H200 was measured to hold all 1,056 blocks" in all_fit
    both = run("calc", *KERNEL, "--gpu", "H200,B200", "--cluster", "2", columns=100).stdout
    assert "H200  132  1,056 in 528 clusters, measured on one H200\n" in both
    assert "528, measured on one H200   8.52  552 blocks, 52.3% full  5.3%  8,448 or 9,504\n" in all_fit
    assert "\nClusters of 2 change nothing.\n" in all_fit


def test_clusters_without_the_number_of_sms_still_say_what_an_sm_holds() -> None:
    kernel = ("calc", "-t", "384", "-r", "168", "--dynamic-smem", "220k", "--cluster", "2")
    for chip in (("--gpu", "H100"), ("--cc", "9.0")):
        printed = json.loads(run(*kernel, *chip, "--format", "json").stdout)
        assert (printed["active_blocks"], printed["full_wave"]) == (1, None)
        assert printed["notes"][-1].startswith("How many clusters the whole GPU holds depends on its number")
    large = run(*kernel[:-1], "16", "--cc", "9.0", columns=200).stdout
    assert "cudaFuncAttributeNonPortableClusterSizeAllowed, 1)" in large
    assert (
        "name one product, such as H100-SXM; --sms 132 will do, too."
        in run(*kernel, *chip, columns=200).stdout
    )
    several = run(*kernel, "--gpu", "H100,H200", columns=120).stdout
    assert "The whole GPU in clusters of 2" in several
    assert "How many clusters the whole GPU holds depends" in several


def test_clusters_of_another_product_say_why_it_was_asked() -> None:
    text = run("calc", *KERNEL, "--gpu", "H100 SXM", "--cluster", "4", columns=200).stdout
    assert "one H200 was measured to hold" in text
    assert "some SMs are left over. Your own GPU tells: --device 0" in text
    assert "\nThe H200 that was measured has 132 SMs, too.\n" in text
    for chips in ("H100 SXM", "H100 SXM,B200"):  # what it rests on is below the table, before any advice
        grid = ("-t", "256", "-r", "48", "--cluster", "4", "--grid", "3000")
        beside = run("calc", *grid, "--gpu", chips, columns=200).stdout
        table, why = beside.index("measured on one H200"), beside.index("At most so many clusters fit")
        assert table < beside.index("Plan with the measured") < why < beside.index("launch_bounds")
        assert beside.count("At most so many clusters fit") == 1
    assert "SMs, too" not in run("calc", *KERNEL, "--gpu", "H200", "--cluster", "4", columns=200).stdout


def test_a_chip_without_such_clusters_does_not_launch_beside_one_that_has_them() -> None:
    kernel = ("calc", *KERNEL, "--gpu", "A100 SXM4 40GB,H100 SXM", "--cluster", "2", "--grid", "3000")
    result = run(*kernel, "--exit-code", columns=120)
    row = next(line for line in result.stdout.splitlines() if line.startswith("A100"))
    assert row.split()[5:8] == ["0%", "0", "0"]
    assert row.endswith("  no clusters")
    assert "For what helps on the others leave out A100 SXM4 40 GB.\n" in result.stdout
    assert result.exit_code == 1
    first, second = json.loads(run(*kernel, "--explain", "--format", "json").stdout)["chips"]
    assert (first["launchable"], first["limit"], first["reason"]) == (
        False,
        "max_portable_cluster_size",
        "compute capability 8.0 has no clusters",
    )
    assert (first["full_wave"], first["waves"], first["explanation"]) == (None, None, None)
    assert (second["full_wave"]["cluster_size"], second["waves"]["blocks"]) == (2, 3000)
    too_large = run("calc", *KERNEL, "--cc", "9.0,11.0", "--cluster", "16").stdout
    assert "over 8 blocks per cluster" in too_large


def test_a_gpu_tells_of_clusters_that_no_source_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Gpu(occupancy.limits("12.0"), "GeForce RTX 5090", 170, "device", device=0)
    answer = Occupancy.on(mine, Kernel(64))
    for told, held in ((20, 20), (0, 0)):
        monkeypatch.setattr(clusters, "count_active_clusters", lambda *_, told=told: told)
        whole = whole_gpu(answer.chip, answer, cluster="16")
        assert whole.full_wave is not None
        assert (whole.full_wave.clusters, whole.full_wave.is_upper_bound) == (held, False)

    def refuse(*_: object) -> int:
        raise occupancy.DeviceError("no")

    monkeypatch.setattr(clusters, "count_active_clusters", refuse)
    with pytest.raises(occupancy.InputError, match=r"run on 12\.0 is unknown"):
        whole_gpu(answer.chip, answer, cluster="16")


def test_clusters_of_which_no_source_tells_are_unknown_in_every_answer() -> None:
    asked = ("-t", "64", "--cluster", "16")
    unknown = "whether clusters of more than 8 blocks run on 12.0 is unknown"
    alone = run("calc", *asked, "--cc", "12.0", "--exit-code")
    assert (alone.exit_code, alone.stderr.splitlines()[0].startswith(f"Error: --cluster: {unknown}.")) == (
        2,
        True,
    )
    for cc in ("12.0,9.0", "12.0,10.7", "8.0,12.0"):
        several = run("calc", *asked, "--cc", cc, "--exit-code", columns=120)
        row = next(line for line in several.stdout.splitlines() if line.startswith("12.0 "))
        assert row.split(maxsplit=2)[:2] == ["12.0", "unknown"]
        assert row.endswith("  unknown above 8 per cluster")
        assert several.exit_code == 1
    for command in ("calc", "fits"):
        printed = json.loads(run(command, *asked, "--cc", "12.0,9.0", "--format", "json").stdout)["chips"]
        assert [each["launchable"] for each in printed] == [None, True]
        assert (printed[0]["reason"], printed[0]["limit"]) == (unknown, "max_portable_cluster_size")
        assert (printed[0]["active_blocks"], printed[0]["occupancy"]) == (0, 0)
    assert repr(occupancy.compute_on_all(["12.0", "9.0"], threads=64, cluster=16)).endswith(
        "12.0 unknown, 9.0 100%>"
    )
    assert "leave out" not in run("calc", *asked, "--cc", "12.0,10.7").stdout
    no_room = ("calc", *asked, "--smem", "110k", "--cc", "12.0,9.0")
    assert "over 99 KiB shared memory" in run(*no_room, columns=120).stdout  # which is known
    with pytest.raises(occupancy.InputError, match=unknown):
        occupancy.max_active_clusters("RTX 5090", threads=64, cluster_size=16)
    answer = occupancy.compute("RTX 5090", threads=64)
    with pytest.raises(occupancy.InputError, match=unknown):
        answer.waves(1600, cluster=16)
    assert answer.waves(1600, cluster=16, max_active_clusters=20).full_wave.clusters == 20
    assert not occupancy.is_launchable("12.0", {"num_ctas": 16}, threads=64)


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
