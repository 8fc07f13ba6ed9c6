"""One question about several chips: a row for each by its name, and what holds on all."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import occupancy
from occupancy import (
    BudgetOnAllReport,
    ChipBudget,
    OnAllReport,
    OnChip,
    StepOnAll,
    budget_on_all,
    compute_on_all,
)
from tests.cli_runner import run

KERNEL = ("-t", "192", "-r", "72", "-s", "40k")
CHIPS = ("7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")
TARGET = {"calc": (), "budget": ("--blocks", "2")}
FOUR = "A100,H100,RTX 3090,RTX 5090"


def as_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--format", "json").stdout)


def test_my_kernel_on_an_h100_and_a_4090_what_should_i_change() -> None:
    text = run("calc", *KERNEL, "--gpu", "H100,4090", columns=120).stdout
    rows = [line.split() for line in text.splitlines()]
    assert ["H100", "9.0", "37.5%", "4", "24", "of", "64", "registers"] in rows
    assert ["GeForce", "RTX", "4090", "8.9", "25%", "2", "12", "of", "48", "shared", "memory"] in rows
    assert (
        "\nUse less: row 1 helps both chips; each further row raises the chip that is lowest by then\n"
        in text
    )
    assert ["64", "32.25", "KiB", "5", "blocks,", "46.9%", "3", "blocks,", "37.5%", "192,", "5"] in rows
    assert ["64", "24", "KiB", "5", "blocks,", "46.9%", "4", "blocks,", "50%", "192,", "5"] in rows
    assert ["448", "2", "blocks,", "43.8%", "2", "blocks,", "58.3%"] in rows
    step = as_json("calc", *KERNEL, "--gpu", "H100,4090")["next_steps"][0]
    for cc, blocks in zip(("9.0", "8.9"), step["active_blocks"], strict=True):
        before = occupancy.compute(cc, threads=192, regs=72, smem="40k")
        after = occupancy.compute(cc, threads=192, regs=64, smem="32.25k")
        assert after.active_blocks == blocks > before.active_blocks


NEW_NAME = "CUDA 13.0 calls this compute capability 11.0 (Thor): the same SM."


def test_an_old_name_of_a_compute_capability_says_the_new_one() -> None:
    alone, beside = ("--cc", "10.1"), ("--cc", "9.0,sm_101")
    assert run("calc", *KERNEL, *alone, columns=100).stdout.endswith(f"\n{NEW_NAME}\n")
    assert NEW_NAME in as_json("calc", *KERNEL, *alone)["notes"]
    assert f"10.1: {NEW_NAME}" in as_json("calc", *KERNEL, *beside)["notes"]
    assert as_json("fits", *KERNEL, *beside)["notes"] == [f"10.1: {NEW_NAME}"]
    for output_format in ("text", "markdown"):
        said = run("limits", "10.1", "--format", output_format, columns=100).stdout
        assert said.count(f"10.1: {NEW_NAME}\n") == 1
    for asked in (("fits", *KERNEL), ("fits", *KERNEL, "--all"), ("limits",), ("limits", "--all")):
        assert "13.0 calls" not in run(*asked).stdout, asked
    assert "13.0 calls" not in run("calc", *KERNEL, "--cc", "11.0").stdout


def test_the_waves_of_a_grid_on_each_of_several_gpus() -> None:
    kernel = ("-t", "256", "-r", "48", "-s", "20k", "--grid", "3000")
    asked = ("calc", "--gpu", "a100 sxm,h100 sxm", *kernel)
    text = run(*asked, columns=100).stdout
    assert "\nA grid of 3,000 blocks, if all blocks take equally long\n" in text
    assert "A100 SXM4  108  540              5.56  300 blocks, 55.6% full      7.4%\n" in text
    assert "H100 SXM5  132  660              4.55  360 blocks, 54.5% full      9.1%\n" in text
    assert "A grid of 3,000 blocks" in run(*asked, "--format", "markdown").stdout
    for chip, of_one in zip(as_json(*asked)["chips"], ("a100 sxm", "h100 sxm"), strict=True):
        alone = as_json("calc", "--gpu", of_one, *kernel)
        for name in ("full_wave", "waves", "measured_waves", "waves_without_clusters"):
            assert chip[name] == alone[name]
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").stdout)))
    assert [row["waves.waves"] for row in rows] == [str(3000 / 540), str(3000 / 660)]
    clustered = compute_on_all(["H200", "B200"], threads=256, regs=48, smem="20k", grid=3000, cluster=4)
    assert " 616 in 154 clusters,           4.87  536 blocks, 87% full        9.1%\n" in str(clustered)
    assert (
        "\nH200: Clusters of 4 change nothing if all 165 fit. With 154, 4.87 waves instead\n"
        "of 4.55: still 5 rounds. Plan with the measured 154. Idle is counted against\n"
        "what all 132 SMs could hold, in each row.\n"
        "B200: Clusters of 4 change nothing if all 185 fit.\n"
    ) in str(clustered)
    assert str(clustered).count("each stays within") == 1
    alike = compute_on_all(["H100 SXM", "H200"], threads=256, regs=48, smem="20k", grid=3000, cluster=4)
    assert "\nH100 SXM5 and H200: Clusters of 4 change nothing if" in str(alike)
    assert " ".join(str(alike).split()).count("Idle is counted against") == 1
    quarter = as_json("calc", "--gpu", "a100 sxm,h100 sxm", *kernel, "--sms", "25%")["chips"]
    assert [chip["full_wave"]["multiprocessor_count"] for chip in quarter] == [27, 33]


def test_steps_go_on_until_nothing_helps_any_chip_and_ask_no_more_than_the_lowest_needs() -> None:
    answer = as_json("calc", *KERNEL, "--gpu", "H100,4090")
    steps = [(step["requires"], step["active_blocks"]) for step in answer["next_steps"]]
    assert steps[:4] == [
        ({"regs": 64, "smem": 33024}, [5, 3]), ({"regs": 64, "smem": 24576}, [5, 4]),
        ({"regs": 56, "smem": 24576}, [6, 4]), ({"regs": 56, "smem": 19456}, [6, 5]),
    ]  # fmt: skip
    less = [step for step in steps if "threads" not in step[0]]
    assert less[-1] == ({"regs": 32, "smem": 11776}, [10, 8])
    for (_, before), (_, after) in pairwise(less):
        assert before != after
        assert all(one <= other for one, other in zip(before, after, strict=True))
    assert steps[len(less) :] == [({"threads": 224}, [4, 2]), ({"threads": 448}, [2, 2])]
    text = run("calc", *KERNEL, "--gpu", "H100,4090", columns=120).stdout
    assert (
        "\nFewer registers may spill. 64 registers: __launch_bounds__(192, 5) or -maxrregcount=64\n" in text
    )
    assert "\nOr another block size, if 72 registers per thread and 40 KiB per block stay\n" in text
    assert "steps between these" not in text


def test_each_step_says_how_its_registers_are_had_where_there_is_room() -> None:
    steps = as_json("calc", *KERNEL, "--gpu", "H100,4090")["next_steps"]
    caps = [step["fewer_registers"] for step in steps]
    assert [cap and cap["launch_bounds"] for cap in caps[:5]] == [
        *["__launch_bounds__(192, 5)"] * 2, *["__launch_bounds__(192, 6)"] * 2, "__launch_bounds__(192, 8)",
    ]  # fmt: skip
    ways = {"maxnreg": "__maxnreg__(32)", "maxrregcount": "-maxrregcount=32"}
    assert caps[8] == {"regs": 32, "launch_bounds": None, **ways}
    assert caps[9:] == [None, None]  # of block sizes
    for cap in filter(None, caps):
        for cc in ("9.0", "8.9"):
            blocks = int(cap["launch_bounds"][:-1].rpartition(" ")[2]) if cap["launch_bounds"] else None
            if blocks is not None:
                bounds = occupancy.launch_bounds(cc, threads=192, min_blocks=blocks)
                assert (bounds.legal, bounds.register_cap) == (True, cap["regs"])
    wide, narrow = (run("calc", *KERNEL, "--gpu", "H100,4090", columns=each).stdout for each in (80, 72))
    assert " Launch bounds\n" in wide
    assert "  __maxnreg__(32)\n" in wide
    why = "__maxnreg__(32): 10 blocks of 6 warps are more than the 48 warps that an SM of "
    so = "so __launch_bounds__(192, 10) is not legal there."
    assert f"{why}GeForce RTX 4090 holds, {so}" in " ".join(wide.split())
    stopped = run("calc", "-t", "256", "-r", "72", "-s", "120k", "--gpu", "A100,4090").stdout
    assert "__maxnreg__(32): 8 blocks of 8 warps are more than" in stopped  # though one holds no block now
    alone = "32 registers: __maxnreg__(32) or -maxrregcount=32\n"  # the first is for this kernel alone
    assert alone in run("calc", "-t", "256", "-r", "40", "--cc", "8.0,8.6").stdout
    assert "Launch bounds" not in narrow
    assert narrow.count("\nRegisters ") == 1


def test_which_change_helps_which_chip_and_what_each_takes_alone() -> None:
    text = run("calc", *KERNEL, "--gpu", "H100,4090").stdout
    assert "\nRow 1: 64 registers help H100, 32.25 KiB helps GeForce RTX 4090.\n" in text
    alone = text[text.index("\nEach chip alone: the most that it reaches by using less\n") :]
    assert "\nH100                     32      21.75 KiB  10 blocks, 93.8%\n" in alone
    assert "\nGeForce RTX 4090         40       11.5 KiB    8 blocks, 100%\n" in alone
    h100, ada = as_json("calc", *KERNEL, "--gpu", "H100,4090")["chips"]
    for chip, cc in ((h100, "9.0"), (ada, "8.9")):
        steps = occupancy.next_steps(cc, threads=192, regs=72, smem="40k")
        less = [step for step in steps if "threads" not in step.requires]
        assert chip["nearest_step"]["requires"] == less[0].requires
        assert chip["furthest_step"]["requires"] == less[-1].requires
    (row, _) = csv.DictReader(
        io.StringIO(run("calc", *KERNEL, "--gpu", "H100,4090", "--format", "csv").stdout)
    )
    assert row["nearest_step"] == "5 blocks: regs=64"
    assert row["furthest_step"] == "10 blocks: regs=32, smem=22272"
    both = run("calc", "-t", "448", "-r", "72", "-s", "40k", "--gpu", "H100,4090").stdout
    alone = both[both.index("\nEach chip alone") :]
    assert "\nH100                     32         40 KiB  4 blocks, 87.5%\n" in alone
    assert "\nGeForce RTX 4090         40      32.25 KiB  3 blocks, 87.5%\n" in alone  # row 1 for both
    same = run("calc", "-t", "192", "-r", "72", "--gpu", "H100,A100").stdout
    assert "Step 1" not in same
    assert "Alone" not in same


def test_a_chip_has_one_name_its_own() -> None:
    text = run("calc", *KERNEL, "--gpu", "a100,h100", columns=120).stdout
    assert "\nA100  8.0 " in text
    for command in ("calc", "budget"):
        header = "CC   Occupancy  Blocks"
        assert f"\n{header}" in run(command, "-t", "192", "--cc", "9.0,8.9", *TARGET[command]).stdout
    assert "on Jetson Orin, compute capability 8.7" in run("calc", "-t", "64", "--gpu", "orin").stdout


def test_one_block_size_for_several_chips() -> None:
    asked = ("block-sizes", "--gpu", "H100,RTX 4090", "-r", "72", "-s", "40k")
    sizes = as_json(*asked)["block_sizes"]
    lowest = [min(chip["occupancy"] for chip in size["chips"]) for size in sizes]
    assert lowest == sorted(lowest, reverse=True)
    assert len(sizes) == 32
    for size in sizes[:3]:
        for chip in size["chips"]:
            alone = occupancy.compute(chip["cc"], threads=size["threads"], regs=72, smem="40k")
            assert (chip["active_blocks"], chip["occupancy"]) == (alone.active_blocks, alone.occupancy)
    text = run(*asked, columns=100).stdout
    assert text.startswith("Occupancy with each block size on 2 chips, best for all of them first\n")
    assert "Threads   H100  GeForce RTX 4090\n" in text
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--format", "csv").stdout)))
    assert [row["gpu"] for row in rows[:2]] == ["H100", "GeForce RTX 4090"]
    grows = as_json("block-sizes", "--cc", "9.0,8.9", "--smem-per-thread", "64")["block_sizes"]
    assert all(size["dynamic_smem"] == 64 * size["threads"] for size in grows)


def test_the_arithmetic_of_each_of_several_chips() -> None:
    asked = ("calc", *KERNEL, "--gpu", "H100,4090", "--explain")
    text = run(*asked, columns=120).stdout
    first = text.index("H100, compute capability 9.0 (Hopper)")
    second = text.index("GeForce RTX 4090, compute capability 8.9 (Ada")
    alone = run("calc", *KERNEL, "--gpu", "H100", "--explain", columns=120).stdout
    steps = alone[alone.index("\nWarps\n") :].strip()
    assert steps in text[first:second]
    assert [bool(chip["explanation"]) for chip in as_json(*asked)["chips"]] == [True, True]
    assert as_json(*asked[:-1])["chips"][0]["explanation"] is None


def test_what_does_not_launch_has_no_waves_and_tensor_memory_no_second_block_at_start() -> None:
    launch = ("--gpu", "h100 sxm,b200", "--grid", "32", "--cluster", "4")
    text = run("calc", "-t", "1025", *launch, columns=100).stdout
    assert "\nB200       148  0\n" in text
    kernel = ("calc", "-t", "128", "--cc", "10.0,11.0", "--tmem")
    tensor = run(*kernel, "256", columns=200).stdout
    said = "2 blocks, 16.7%, limited by tensor memory, if the kernel relinquishes its permit"
    assert f"\n11.0: {said} to allocate tensor memory (inferred).\n" in tensor
    assert "No single change" not in tensor
    assert "relinquishes" not in run(*kernel, "512").stdout


def test_of_blocks_that_find_no_columns_fewer_columns_are_advised_for_several_chips() -> None:
    kernel = ("calc", "-t", "128", "-r", "72", "--cc", "10.0,10.3", "--virtual-resources", "0", "--tmem")
    text = " ".join(run(*kernel, "256").stdout.split())
    assert (
        "10.0 and 10.3: cuda_occupancy.h, which knows no tensor memory, counts 7 blocks as resident" in text
    )
    assert "Only 2 of them have their columns at once" in text
    assert "Use less" in text
    assert as_json(*kernel, "256")["next_steps"][0]["requires"] == {"tensor_memory": 128}
    steps = as_json(*kernel, "32")["next_steps"]  # columns of 16 blocks
    assert [step["active_blocks"] for step in steps if "regs" in step["requires"]][-1] == [16, 16]
    assert as_json(*kernel, "64")["next_steps"][0]["active_blocks"] == [8, 8]
    assert as_json(*kernel, "64")["next_steps"][1]["requires"] == {"regs": 56, "tensor_memory": 32}


def test_block_sizes_stand_after_using_less_and_say_where_they_help_more() -> None:
    asked = ("calc", "--gpu", "H100,4090", "-t", "544", "-r", "40")
    text = run(*asked, columns=120).stdout
    assert [list(step["requires"]) for step in as_json(*asked)["next_steps"]] == [["regs"], ["threads"]]
    less, why = text.index("Use less"), text.index("Using less does not help on GeForce RTX 4090")
    assert less < why < text.index("Or another block size, which helps more, if 40 registers per thread stay")
    assert "helps more" not in run("calc", *KERNEL, "--gpu", "H100,4090").stdout


def test_warpgroups_that_may_divide_the_registers_on_one_of_several_chips() -> None:
    asked = ("calc", "-t", "384", "-r", "168", "--cc")
    said = (
        "If warpgroups use setmaxnreg, skip steps to fewer registers, and ask occupancy registers "
        "--threads 384 --regs 168 --groups ..."
    )
    assert said in run(*asked, "8.0,9.0", columns=200).stdout
    assert "setmaxnreg" not in run(*asked, "8.0,8.6", columns=200).stdout


def test_repeated_options_and_commas_are_the_same_and_none_is_dropped() -> None:
    listed = run("calc", *KERNEL, "--gpu", "H100,4090").stdout
    assert run("calc", *KERNEL, "--gpu", "H100", "--gpu", "4090").stdout == listed
    mixed = as_json("calc", *KERNEL, "--cc", "8.0", "--gpu", "L4", "--gpu", "RTX 4090")
    assert [(chip["gpu"], chip["cc"]) for chip in mixed["chips"]] == [
        (None, "8.0"),
        ("L4", "8.9"),
        ("GeForce RTX 4090", "8.9"),
    ]
    of_architecture = as_json("calc", *KERNEL, "--cc", "ampere")
    assert [chip["cc"] for chip in of_architecture["chips"]] == ["8.0", "8.6", "8.7", "8.8"]


def test_steps_by_the_spreadsheets_rules_say_so_and_which_is_nearest_on_the_hardware() -> None:
    kernel = ("calc", "--gpu", "A100,RTX 3090", "-t", "256", "-r", "40", "-s", "20k")
    text = run(*kernel, "--model", "spreadsheet").stdout
    assert "\nUse less, by the spreadsheet's rules: this helps both chips\n" in text
    hardware = text.partition("\nOn the hardware (without --model): the nearest step\n")[2]
    assert hardware.splitlines()[2].split() == [
        "32",
        "19",
        "KiB",
        "8",
        "blocks,",
        "100%",
        "5",
        "blocks,",
        "83.3%",
    ]
    printed = as_json(*kernel, "--model", "spreadsheet")["runtime"]
    by_runtime = as_json(*kernel)
    assert printed["next_step"] == by_runtime["next_steps"][0]
    assert printed["active_blocks"] == [chip["active_blocks"] for chip in by_runtime["chips"]]
    assert by_runtime["runtime"] is None
    assert "spreadsheet" not in run(*kernel).stdout
    sized = run("calc", "--cc", "1.3,8.6", "-t", "256", "-s", "12k", "--model", "spreadsheet").stdout
    assert "block size, by the spreadsheet's rules, if 12 KiB per block stay\n" in sized
    old = run("calc", "--cc", "1.3,8.6", "-t", "256", "-s", "12k").stdout
    assert "Use less: " in old
    assert "hardware" not in old


def test_the_spreadsheets_answers_say_whose_they_are_and_where_the_hardware_differs() -> None:
    kernel = ("-t", "256", "-r", "40", "-s", "20k")
    text = run("calc", "--cc", "8.6,8.0", *kernel, "--model", "spreadsheet", columns=120).stdout
    assert "of shared memory on 2 chips, by NVIDIA's spreadsheet\n" in text
    said = "8.6: The CUDA runtime gives 4 blocks, 66.7%."
    assert text.index(said) < text.index("Use less")
    assert said in as_json("calc", "--cc", "8.6,8.0", *kernel, "--model", "spreadsheet")["notes"]
    assert "8.6: The spreadsheet leaves out 1,024 bytes" in text
    both = run("calc", "--cc", "1.3,9.0", "-t", "256", "-s", "9k").stdout
    assert "\n1.3: by NVIDIA's spreadsheet.\n" in both
    cuda = run("calc", "--cc", "8.6,8.0", *kernel).stdout
    assert "spreadsheet" not in cuda
    for command in ("budget", "block-sizes"):
        asked = (command, "--cc", "8.6", *(("-t", "256") if command == "budget" else ()), "--model")
        assert "by NVIDIA's spreadsheet" in run(*asked, "spreadsheet", columns=120).stdout
        assert "spreadsheet" not in run(*asked, "cuda", columns=120).stdout
    unknown = run("fits", "--cc", "8.6,9.0", *kernel, "--model", "spreadsheet", columns=120).stdout
    assert "unknown" in unknown
    assert "not in the spreadsheet\n" in unknown


def test_a_table_of_steps_has_some_of_many_and_all_where_one_is_too_many() -> None:
    def shown(*kernel: str) -> int:
        text = run("calc", "--gpu", "H100,4090", *kernel).stdout
        return text[text.index("Use less") : text.index("Or another block size")].count("blocks, ") // 2

    assert shown("-t", "192", "-r", "32", "-s", "40k") == 6
    assert shown("-t", "64", "-r", "32", "-s", "40k") == 9
    first_and_last = run("calc", "--gpu", "H100,4090", "-t", "64", "-r", "32", "-s", "40k").stdout
    steps = as_json("calc", "--gpu", "H100,4090", "-t", "64", "-r", "32", "-s", "40k")["next_steps"]
    less = [step["requires"]["smem"] for step in steps if "smem" in step["requires"]]
    assert all(f"\n{size / 1024:g} KiB " in first_and_last for size in (less[0], less[-1]))


def test_products_keep_their_names() -> None:
    names = ["GeForce RTX 4090", "A100", "L4"]
    arguments = ("-t", "256", "--gpu", "RTX 4090,A100,L4")
    for command in ("fits", "bounds", "calc"):
        assert [chip["gpu"] for chip in as_json(command, *arguments)["chips"]] == names
        text = run(command, *arguments, columns=120).stdout
        assert all(name in text for name in names)
    assert as_json("budget", "-t", "256", "--gpu", "L4")["gpu"] == "L4"
    assert " on L4, compute capability 8.9" in run("budget", "-t", "256", "--gpu", "L4").stdout
    swept = as_json("sweep", *arguments)
    assert swept["variables"] == {"gpu": names}
    assert [row["gpu"] for row in swept["rows"]] == names
    assert "GeForce RTX 4090" in run("limits", "RTX 4090").stdout


def test_what_all_chips_allow_is_one_number() -> None:
    text = run("budget", "--gpu", FOUR, "-t", "256", "--blocks", "4").stdout
    assert text.startswith("Up to 64 registers per thread and 24 KiB of shared memory per block on all of")
    for gpu in FOUR.split(","):
        assert occupancy.compute(gpu, threads=256, regs=64, smem="24k").active_blocks >= 4
    assert occupancy.compute("RTX 3090", threads=256, regs=64, smem=24 * 1024 + 1).active_blocks == 3
    bounds = run("bounds", "--gpu", FOUR, "-t", "256", "--min-blocks", "4", columns=120).stdout
    assert "On all of these chips: at most 64 registers per thread, and 4 blocks with up to 24 KiB" in bounds
    assert "of shared memory (as GeForce RTX 3090 and GeForce RTX 5090 allow)." in " ".join(bounds.split())
    cap = as_json("budget", "--gpu", "H100,4090", "-t", "192", "--occupancy", "50%")["register_cap"]
    steps = as_json("calc", *KERNEL, "--gpu", "H100,4090")["next_steps"]
    assert cap in [step["fewer_registers"] for step in steps]  # which the test of those holds to be right
    assert (cap["regs"], cap["launch_bounds"]) == (56, "__launch_bounds__(192, 6)")
    chips = as_json("bounds", "--gpu", FOUR, "-t", "256", "--min-blocks", "4")["chips"]
    assert [chip["most_smem"] for chip in chips] == [40960, 57344, 24576, 24576]


@pytest.mark.parametrize("command", ["bounds", "budget", "registers"])
def test_the_examples_of_help_have_the_name_of_the_blocks_that_is_listed(command: str) -> None:
    for page in ("--help", "--help-all"):
        text = run(command, page).stdout
        assert f"  occupancy {command} " in text
        assert not re.search(r"  occupancy .*--min-blocks", text)


@pytest.mark.parametrize("command", ["bounds", "budget"])
def test_the_blocks_asked_for_go_by_both_names(command: str) -> None:
    asked = (command, "--gpu", FOUR, "-t", "256")
    assert run(*asked, "--blocks", "4").stdout == run(*asked, "--min-blocks", "4").stdout
    for name in ("--blocks", "--min-blocks"):
        assert run(*asked, name, "0").stderr.startswith(f"Error: {name}: 0 ")
    assert "also --min-blocks" in run(command, "--help").stdout
    assert "--blocks, --min-blocks N" in run(command, "--help-all").stdout


def test_bounds_say_when_the_shared_memory_breaks_the_blocks_asked_for() -> None:
    text = run("bounds", "--gpu", FOUR, "-t", "256", "--min-blocks", "4", "-s", "40k", columns=120).stdout
    assert "GeForce RTX 3090: 40 KiB of shared memory leave room for 2 blocks, not for 4." in text
    assert "A100:" not in text
    fits = run("bounds", "--gpu", FOUR, "-t", "256", "--min-blocks", "4", "-s", "24k", columns=120).stdout
    assert "leave room" not in fits


def test_what_allocates_tensor_memory_has_bounds_and_a_budget_that_say_why_one_block_is_the_most() -> None:
    kernel = ("--cc", "10.0", "-t", "128", "--tmem", "256", "--min-blocks", "2")
    assert "10.0: virtual resources leave room for 1 block, not for 2." in run("bounds", *kernel).stdout
    assert as_json("bounds", *kernel)["most_smem"] is None
    refused = run("budget", *kernel).stderr
    assert "--min-blocks: 2 blocks of 128 threads cannot be resident on 10.0; with what the kernel" in refused
    assert "the most is 1 (6.25%), limited by virtual resources" in refused
    assert "Allowed: 1. 0 virtual resources answer for a kernel that relinquishes its permit." in refused
    relinquished = (*kernel[:-1], "3", "--virtual-resources", "0")
    refused = run("budget", *relinquished).stderr
    assert "the most is 2 (12.5%), limited by tensor memory. Allowed: 1 to 2. Fewer columns of" in refused
    assert "10.0: tensor memory leaves room for 2 blocks, not for 3." in run("bounds", *relinquished).stdout
    assert run("budget", *kernel, "--virtual-resources", "0").exit_code == 0
    assert "and 12.1 (GB10): no tensor memory.\n" in run("fits", *kernel[2:-2], columns=200).stdout
    assert "capability 7.5 has" not in run("fits", *kernel[2:-2], columns=200).stdout


def test_bounds_and_budgets_without_a_chip_or_a_target() -> None:
    chips = [chip["cc"] for chip in as_json("bounds", "-t", "256")["chips"]]
    assert chips == [str(cc) for cc in occupancy.compute_capabilities() if cc >= (7, 5)]
    levels = as_json("budget", "--gpu", FOUR, "-t", "256")
    assert levels["wanted"] is None
    assert [level["active_blocks"] for level in levels["levels"]] == [6, 5, 4, 3, 2, 1]
    text = run("budget", "--gpu", FOUR, "-t", "256").stdout
    assert "--occupancy or --blocks picks a row" in text


def test_from_python() -> None:
    answer = compute_on_all(["H100", "RTX 4090"], threads=192, regs=72, smem="40k")
    assert isinstance(answer, OnAllReport)
    assert all(isinstance(chip, OnChip) for chip in answer.chips)
    assert all(isinstance(step, StepOnAll) for step in answer.next_steps)
    assert answer.launchable
    assert str(answer).startswith(
        "Blocks of 192 threads, 72 registers and 40 KiB of shared memory on 2 chips"
    )
    assert repr(answer) == "<OnAllReport: H100 37.5%, GeForce RTX 4090 25%>"
    budget = budget_on_all(FOUR.split(","), threads=256, blocks=4)
    assert isinstance(budget, BudgetOnAllReport)
    assert all(isinstance(chip, ChipBudget) for chip in budget.chips)
    assert budget.wanted is not None
    assert budget.wanted.active_blocks == 4
    for ccs in ((90, 80), ["9.0", "8.0"], iter([(9, 0), (8, 0)])):
        assert [fit.cc for fit in occupancy.fits(threads=64, ccs=ccs)] == ["9.0", "8.0"]
    for one in ((9, 0), "9.0", 90, "hopper", occupancy.limits("9.0"), occupancy.ComputeCapability(9, 0)):
        assert [fit.cc for fit in occupancy.fits(threads=64, ccs=one)] == ["9.0"]  # type: ignore[arg-type]
    with pytest.raises(occupancy.InputError, match="names no GPU"):
        compute_on_all([], threads=192)


def test_where_using_less_does_not_help_on_a_chip_that_is_said() -> None:
    text = run("calc", "--cc", "8.6,9.0", "-t", "1024", "-r", "40", columns=120).stdout
    assert "Using less does not help on 8.6: only another block size can." in text
    full = run("calc", "--cc", "8.0,9.0", "-t", "256", "-r", "32", columns=120).stdout
    assert "What helps" not in full
    assert "Row 1 helps" not in full


def blocks_on(cc: str, threads: int | None, regs: int | None, smem: int | None) -> occupancy.Occupancy:
    return occupancy.compute(cc, threads=threads, regs=regs, smem=smem)


@given(
    chips=st.lists(
        st.sampled_from(["7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"]), min_size=2, unique=True
    ),
    threads=st.integers(1, 1024),
    regs=st.none() | st.integers(1, 255),
    smem=st.none() | st.integers(0, 200_000),
)
def test_a_step_for_all_helps_where_it_says_and_hurts_nowhere(
    chips: list[str], threads: int, regs: int | None, smem: int | None
) -> None:
    answer = compute_on_all(chips, threads=threads, regs=regs, smem=smem)
    before = [chip.active_warps for chip in answer.chips]
    for step in answer.next_steps:
        needs = {"threads": threads, "regs": regs, "smem": smem, **step.requires}
        after = [
            occupancy.compute(cc, threads=needs["threads"], regs=needs["regs"], smem=needs["smem"])
            for cc in chips
        ]
        assert tuple(each.active_blocks for each in after) == step.active_blocks
        assert tuple(each.occupancy for each in after) == step.occupancy
        warps = [each.active_warps for each in after]
        if "threads" not in step.requires:
            assert all(one >= other for one, other in zip(warps, before, strict=True))
        assert warps != before


@given(
    chips=st.lists(st.sampled_from(CHIPS), min_size=2, unique=True),
    warps=st.integers(1, 32),
)
def test_the_common_budget_holds_on_each_chip_and_no_larger_one_does(chips: list[str], warps: int) -> None:
    threads = 32 * warps
    for level in budget_on_all(chips, threads=threads).levels:
        most = level.regs, level.smem
        found = [blocks_on(cc, threads, *most).active_blocks for cc in chips]
        assert min(found) >= level.active_blocks
        if level.regs < 255:
            more = [blocks_on(cc, threads, most[0] + 1, most[1]).active_blocks for cc in chips]
            assert min(more) < min(found)
