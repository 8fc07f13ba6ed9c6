"""The advice in ``calc``, and the commands that answer the inverse questions."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import occupancy
from occupancy.advice.launch_bounds import register_cap
from occupancy.advice.next_steps import NextStep
from occupancy.advice.runtime import CALL
from occupancy.report.calc.advice import most_useful
from occupancy.report.schema import adapter
from occupancy.tables.gpus import WELL_KNOWN, find_gpu
from occupancy.values.kernel import Kernel
from tests.cli_runner import run

FITS = ("fits", "--threads", "256", "--regs", "64", "--smem", "96k")
BUDGET = ("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "75%")
BOUNDS = ("bounds", "--threads", "256", "--min-blocks", "6", "--cc", "7.5,sm_80", "--cc", "8.6")
BLOCK_SIZES = ("block-sizes", "--cc", "8.6", "--regs", "40")
TIED = ("calc", "--cc", "9.0", "--threads", "64", "--regs", "168", "--smem", "100k", "--barriers", "16")


def as_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--format", "json").stdout)


def as_csv(*arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv").stdout)))


def advice_of(*arguments: str) -> list[str]:
    """The lines between the resources and the footnotes, without labels and breaks."""
    text = run(*arguments, columns=200).stdout.split("\n\n")[2]
    return [line.split("   ")[-1].strip() for line in text.splitlines()]


def test_the_case_from_the_field() -> None:
    assert "8 blocks, 100%: registers 36 -> 32" in advice_of(
        "calc", "--cc", "8.0", "--threads", "256", "--regs", "36"
    )


def test_text_shows_three_levels_and_says_how_many_there_are() -> None:
    lines = advice_of(*TIED)
    assert lines[:5] == [
        "3 blocks, 9.4%: shared memory 100 KiB -> 75 KiB",
        "17 blocks, 53.1%: registers 168 -> 56, shared memory 100 KiB -> 12.375 KiB and barriers 16 -> 3",
        "32 blocks, 100%: registers 168 -> 32, shared memory 100 KiB -> 6.125 KiB and barriers 16 -> 2",
        "2 blocks, 9.4%: block size 64 -> 96, still 100 KiB per block",
        "2 blocks, 18.8%: block size 64 -> 192, still 100 KiB per block",
    ]
    assert "27 more levels in --format json" in lines
    assert len(as_json(*TIED)["next_steps"]) == 3 + 2 + 27


def test_how_the_compiler_is_asked_for_fewer_registers() -> None:
    lines = advice_of("calc", "--cc", "8.6", "-t", "1024", "-r", "80")
    assert "64 regs (may spill): __launch_bounds__(1024) or -maxrregcount=64" in lines
    kernel = ("calc", "--cc", "9.0", "-t", "256", "-r", "80")
    assert (
        "64 regs (may spill): __launch_bounds__(256, 4) or -maxrregcount=64; "
        "(256, 5) for 48, (256, 6) for 40, (256, 8) for 32"
    ) in advice_of(*kernel)
    caps = as_json(*kernel)["fewer_registers"]
    assert caps[0] == {
        "regs": 64,
        "launch_bounds": "__launch_bounds__(256, 4)",
        "maxnreg": "__maxnreg__(64)",
        "maxrregcount": "-maxrregcount=64",
    }
    assert [cap["regs"] for cap in caps] == [64, 48, 40, 32]
    assert as_csv(*kernel)[0]["fewer_registers"].startswith("64: __launch_bounds__(256, 4);48: ")
    no_fewer = as_json("calc", "--cc", "9.0", "-t", "256", "-r", "32")
    assert no_fewer["fewer_registers"] == []


@given(
    cc=st.sampled_from(["5.0", "6.0", "7.5", "8.6", "9.0", "10.7"]),
    threads=st.integers(1, 1024),
    blocks=st.integers(1, 32),
    registers=st.integers(1, 254),
)
def test_bounds_are_named_exactly_where_they_mean_so_many_registers(
    cc: str, threads: int, blocks: int, registers: int
) -> None:
    bounds = occupancy.launch_bounds(cc, threads=threads, min_blocks=blocks if blocks > 1 else None)
    for each in (registers, bounds.register_cap):
        cap = register_cap([occupancy.compute(cc, threads=threads)], each, blocks)
        is_meant = bounds.legal and bounds.register_cap == each
        assert (cap is not None and cap.launch_bounds == bounds.launch_bounds) is (is_meant and each < 255)


def test_what_json_holds() -> None:
    answer = as_json(*TIED)
    assert answer["next_steps"][2] == {
        "active_blocks": 5,
        "occupancy": 0.15625,
        "requires": {"smem": 45568, "barriers": 12},
    }
    assert {name: answer["slack"][name] for name in ("regs", "smem", "barriers")} == {
        "regs": 255,
        "smem": 115712,
        "barriers": 16,
    }
    assert answer["slack"]["left_over"]["shared_memory"] == {"amount": 26624, "reason": "too_little"}
    assert answer["slack"]["left_over"]["warps"] == {"amount": 60, "reason": "another_limiter"}
    assert answer["carveout"]["needs_opt_in"] is True
    assert answer["carveout"]["smallest"] == answer["carveout"]["configurations"][-1]


def test_only_another_block_size_can_help() -> None:
    lines = advice_of("calc", "--cc", "8.6", "--threads", "1024", "--regs", "40")
    assert lines[:2] == ["only another block size can help", "2 blocks, 100%: block size 1,024 -> 768"]


def test_another_shape_can_help() -> None:
    lines = advice_of("calc", "--cc", "9.0", "--threads", "1x1x128")
    assert "16 blocks, 100%: 128 threads in another shape" in lines


def test_nothing_can_help() -> None:
    """On an SM that holds one block of 32 threads, whatever it uses."""
    lines = advice_of(
        "calc", "--cc", "9.0", "--threads", "32", "--set", "max_blocks_per_multiprocessor=1",
        "--set", "max_threads_per_block=32",
    )  # fmt: skip
    assert lines[0] == "none: no other block size has a higher occupancy"


def test_at_full_occupancy_there_is_nothing_to_change() -> None:
    full = ("calc", "--cc", "8.0", "--threads", "256", "--regs", "32")
    assert advice_of(*full)[0] == "shared memory up to 19.5 KiB"


def test_what_is_none_is_not_said() -> None:
    """No slack where nothing can grow, no carveout where shared memory plays no part."""
    assert "shared" not in line_of("Slack", "calc", "--cc", "9.0", "--threads", "256", "--smem", "27.5k")
    assert not line_of("Carveout", "calc", "--cc", "9.0", "--threads", "256", "--regs", "72")
    text = line_of("Carveout", "calc", "--cc", "9.0", "--threads", "256", "--regs", "72", "--smem", "8k")
    assert "32 KiB is enough: ask for 8% (of 228 KiB, rounded up) or more; leaves 224 KiB of L1" in text
    assert "latency" not in run(*TIED).stdout


def test_one_more_level_is_printed_and_not_announced() -> None:
    text = run("calc", "--cc", "9.0", "--threads", "256", "--regs", "46").stdout
    assert "1 more level" not in text
    shown = run("calc", "--cc", "9.0", "--threads", "256", "--regs", "72", "--smem", "40k").stdout
    assert "2 more levels in --format json" in shown


def line_of(label: str, *command: str) -> str:
    """The line of the advice that begins so; empty where there is none."""
    return next(
        (line for line in run(*command, columns=200).stdout.splitlines() if line.startswith(label)), ""
    )


def test_the_carveout_in_one_line_and_with_all_sizes_where_it_was_asked_for() -> None:
    kernel = ("calc", "--cc", "9.0", "--threads", "256", "--smem", "96k")
    smallest = "196 KiB is enough: ask for 72% (of 228 KiB, rounded up) or more; leaves 60 KiB of L1"
    assert smallest in advice_of(*kernel)
    call = "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
    assert f"needed before the launch: {call}98304)" in advice_of(*kernel)
    both = ("-t", "256", "--static-smem", "40k", "--dynamic-smem", "20k")
    assert f"needed before the launch: {call}20480)" in advice_of("calc", "--cc", "9.0", *both)
    static = run("calc", "--cc", "9.0", "-t", "256", "--static-smem", "60k", columns=200).stdout
    assert "Opt-in" not in static
    assert "Does not compile: the compiler refuses more than 49,152 bytes of static shared memory" in static
    lines = advice_of(*kernel, "--carveout", "auto")
    assert "1 block with 100 KiB, 132 KiB and 164 KiB" in lines
    assert "2 blocks with 196 KiB and 228 KiB" in lines
    large = advice_of("calc", "--cc", "9.0", "--threads", "256", "--smem", "200k", "--carveout", "auto")
    assert "228 KiB is needed: ask for 86% (of 228 KiB, rounded up) or more; leaves 28 KiB of L1" in large
    assert "1 block with 228 KiB" in large
    assert "Carveout" not in run("calc", "--cc", "6.1", "--threads", "256", "--smem", "9k").stdout


def level(blocks: int) -> NextStep:
    return NextStep(blocks, blocks / 16, {"regs": 1})


def test_the_most_useful_levels() -> None:
    levels = [level(blocks) for blocks in (3, 4, 9, 16)]
    assert most_useful(levels, 2 / 16) == [levels[0], levels[2], levels[3]]
    assert most_useful(levels[:2], 2 / 16) == levels[:2]
    assert most_useful(levels[:1], 2 / 16) == levels[:1]
    assert most_useful([], 1.0) == []


def test_markdown_and_html_hold_the_advice() -> None:
    markdown = run("calc", "--cc", "8.0", "--threads", "256", "--regs", "36", "--format", "markdown").stdout
    assert "- Next steps: 8 blocks, 100%: registers 36 -> 32" in markdown
    html = occupancy.compute("8.0", threads=256, regs=36)._repr_html_()
    assert ">8 blocks, 100%: registers 36 -&gt; 32</td>" in html


def test_csv_holds_the_steps_in_one_cell() -> None:
    (row,) = as_csv("calc", "--cc", "9.0", "--threads", "256", "--regs", "64", "--smem", "44k")
    assert row["next_steps"].split(";")[:2] == ["5 blocks: regs=48", "6 blocks: regs=40, smem=37888"]
    assert row["slack.regs"] == "64"


def test_fits() -> None:
    lines = run(*FITS).stdout.splitlines()
    assert lines[0].startswith("Launches on 13 of 14 compute capabilities")
    current = run(*FITS, columns=120).stdout.splitlines()
    rows = [" ".join(line.split()[:4]) for line in current[4:6]]
    assert rows == ["8.0 Ampere (A100) with", "8.6 Ampere (3090) with"]
    every = run(*FITS, "--all", columns=120).stdout.splitlines()
    assert every[0].startswith("Launches on 15 of 32 compute capabilities")
    assert "--all" not in every[0]
    stopped = [line for line in every if line.startswith("Not on ")]
    assert any(" 3.0: over 63 registers per thread. It launches there with" in line for line in stopped)
    assert any(line.startswith("Not on 7.5 (T4): over 64 KiB shared memory. ") for line in stopped)
    assert [row["cc"] for row in as_csv(*FITS)] == [each["cc"] for each in as_json(*FITS)["chips"]]
    assert len(as_csv(*FITS)) == 14  # with those on which it does not launch
    chips = as_json(*FITS, "--cc", "7.5,9.0")["chips"]
    assert [(each["cc"], each["launchable"], each["limit"]) for each in chips] == [
        ("7.5", False, "max_shared_memory_per_block_optin"),
        ("9.0", True, None),
    ]
    assert [row["cc"] for row in as_csv(*FITS, "--cc", "7.5,9.0")] == ["7.5", "9.0"]


def test_fits_says_which_chips_and_where_it_is_full() -> None:
    asked = ("fits", "-t", "512", "-r", "64", "--dynamic-smem", "60k")
    lines = run(*asked, columns=120).stdout.splitlines()
    assert lines[0] == (
        "Launches on 14 of 14 compute capabilities; 100% occupancy on 10.7 (VR200) "
        "(from 7.5 on; --all has the older ones)"
    )
    rows = {line.split()[0]: line.split() for line in lines[3:17]}
    assert rows["12.0"][1:] == [
        "Blackwell",
        "(5090)",
        "with",
        "opt-in",
        "1",
        "33.3%",
        "48",
        "shared",
        "memory",
    ]
    assert rows["10.7"][1:8] == ["Rubin", "(VR200)", "with", "opt-in", "2", "100%", "32"]
    assert max(map(len, run(*asked, columns=80).stdout.splitlines())) <= 80
    assert len(run(*asked, columns=80).stdout.split("\n\n")) == 3  # one table
    assert lines[-2:] == [
        "With opt-in: more than 48 KiB of dynamic shared memory takes this call before the launch",
        "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440)",
    ]
    assert "opt-in" not in run("fits", "-t", "512", "-s", "48k").stdout
    chip = as_json(*asked, "--cc", "11.0")["chips"][0]
    assert (chip["known_by"], chip["max_warps_per_multiprocessor"]) == ("Thor", 48)
    assert "from 7.5 on" not in run(*asked, "--gpu", "A100").stdout


def test_fits_in_clusters() -> None:
    asked = ("fits", "-t", "512", "-r", "96", "-s", "100k", "--cluster")
    lines = run(*asked, "4x2", columns=120).stdout.splitlines()
    assert lines[0].startswith("Launches on 6 of 14 compute capabilities in clusters of 8 (")
    assert [line.split()[0] for line in lines[4:10]] == ["9.0", "10.0", "10.1", "10.3", "10.7", "11.0"]
    said = " ".join(lines)
    assert "Not on 7.5 (T4), 8.0 (A100), 8.6 (3090), 8.7 (Orin), 8.8 and 8.9 (4090): no clusters. Not" in said
    stopped = "Not on 12.0 (5090) and 12.1 (GB10): over 99 KiB shared memory."
    assert f"{stopped} It launches there with shared memory 100 KiB -> 99 KiB. Without" in said
    assert any(line.startswith("Clusters can leave SMs idle. ") for line in lines)
    assert "Without clusters it launches on 8.0 and 8.7, too." in lines  # on others not: over 99 KiB
    assert "NonPortable" not in "".join(lines)
    answer = as_json(*asked, "16", "--cc", "8.9,9.0,11.0,12.0,12.1")
    assert answer["cluster_size"] == 16
    assert [(each["cc"], each["launchable"], each["limit"], each["allowed"]) for each in answer["chips"]] == [
        ("8.9", False, "max_portable_cluster_size", None),
        ("9.0", True, None, None),
        ("11.0", False, "max_non_portable_cluster_size", 8),
        ("12.0", False, "max_shared_memory_per_block_optin", 101376),
        ("12.1", False, "max_non_portable_cluster_size", 12),
    ]
    call = "cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)"
    asked_of = [
        [each["call"] for each in chip["opt_ins"] if "Cluster" in each["call"]] for chip in answer["chips"]
    ]
    assert asked_of == [[], [call], [], [], []]
    large = run("fits", "-t", "64", "--cluster", "16", "--cc", "9.0,11.0,12.0", columns=120).stdout
    assert "Not on 11.0 (Thor): over 8 blocks per cluster.\n" in large
    assert "unknown above 8 per cluster\n" in large
    assert "; unknown on 1" in large
    assert (
        f"With opt-in: a cluster of more than 8 blocks takes this call before the launch\n{call}\n" in large
    )
    assert call in as_csv(*asked, "16", "--cc", "9.0")[0]["opt_ins"]
    assert run(*asked, "8", "--cc", "8.0", "--exit-code").exit_code == 1
    assert "--cluster: '0' is out of range" in run(*asked, "0").stderr


def test_fits_does_not_count_what_no_compiler_makes() -> None:
    asked = ("fits", "-t", "256", "--static-smem", "60k", "--cc", "7.5,9.0")
    done = run(*asked, "--exit-code")
    assert done.exit_code == 1
    assert done.stdout.startswith("Launches on 0 of 2")
    assert "Does not compile: the compiler refuses more than 49,152 bytes" in done.stdout
    assert [line.split()[3] for line in done.stdout.splitlines() if line[:4] in ("7.5 ", "9.0 ")] == [
        "no"
    ] * 2
    assert [bool(chip["refused_by_compiler"]) for chip in as_json(*asked)["chips"]] == [True, True]
    assert run("fits", "-t", "256", "-s", "60k", "--cc", "7.5,9.0", "--exit-code").exit_code == 0


def test_fits_tells_what_it_takes_to_launch() -> None:
    asked = ("fits", "-t", "1024", "-r", "96", "-s", "64k", "--cc", "9.0,7.5,7.0")
    said = run(*asked, columns=120).stdout
    stopped = "Not on 9.0 (H100), 7.5 (T4) and 7.0 (V100): over 65,536 registers."  # of a block, as all such
    assert f"{stopped} It launches there with registers 96 -> 64.\n" in said
    assert as_json(*asked)["chips"][0]["to_launch"] == {"regs": 64}
    assert as_csv(*asked)[0]["to_launch"] == "regs=64"
    calc = run("calc", "--cc", "9.0", "-t", "1024", "-r", "96", "-s", "64k").stdout
    assert "registers 96 -> 64" in calc


def test_fits_names_the_opt_in_beside_less_shared_memory() -> None:
    call = "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304)\n"
    asked = ("fits", "-s", "96k", "--gpu", "A100", "--no-opt-in")
    less = "Not on A100: over 48 KiB shared memory. It launches there with shared memory 96 KiB -> 48 KiB"
    said = run(*asked, "-t", "256", "-r", "32", columns=200).stdout
    assert f"{less}, or as it is after this call:\n{call}" in said
    said = run(*asked, "-t", "1024", "-r", "72", columns=200).stdout
    assert f"-> 48 KiB, or with registers 72 -> 64 after this call:\n{call}" in said
    for regs, threads in ((32, 256), (64, 1024)):
        assert occupancy.compute("A100", threads=threads, regs=regs, smem="96k", opt_in=True).launchable
    clusters = run(*asked[:-2], "H100", "--no-opt-in", "-t", "256", "--cluster", "16", columns=200).stdout
    assert "or as it is after these calls:\n" in clusters
    too_much = run("fits", "-t", "256", "-s", "128k", "--gpu", "4090", "--no-opt-in", columns=200).stdout
    assert "It launches there with shared memory 128 KiB -> 48 KiB.\n" in too_much


def test_fits_names_the_product_with_the_most_sms() -> None:
    first, second = as_json("fits", "-t", "64", "--cc", "10.1,10.3")["chips"]
    assert (first["largest_gpu"], first["largest_multiprocessor_count"]) == (None, None)
    assert (second["largest_gpu"], second["largest_multiprocessor_count"]) == ("GB300", 152)
    variants = run("fits", "-t", "64", "--gpu", "H100,A100,RTX 5090").stdout
    assert any(line.startswith("H100 ") and line.endswith(" up to 132") for line in variants.splitlines())
    assert [
        chip["multiprocessor_count"] for chip in as_json("fits", "-t", "64", "--gpu", "H20")["chips"]
    ] == [78]


@pytest.mark.parametrize("columns", [60, 78, 80, 90])
@pytest.mark.parametrize(
    ("asked", "times"), [(("calc", "--cc", "1.0,1.1,1.2,1.3,9.0"), 2), (("fits", "--all"), 1)]
)
def test_no_number_is_broken_in_a_narrow_column(asked: tuple[str, ...], times: int, columns: int) -> None:
    words = run(*asked, "-t", "512", "-r", "40", columns=columns).stdout.split()
    assert "registers" in words
    assert "registe" not in words
    assert words.count("16,384") >= times


@pytest.mark.parametrize(("threads", "count"), [(2048, 0), (512, 1)])
def test_fits_counts_in_markdown_too_where_no_table_is_left(threads: int, count: int) -> None:
    asked = ("fits", "-t", str(threads), "-r", "40", "--gpu", "A100")
    shown = run(*asked, "--format", "markdown").stdout
    assert shown.startswith(f"**Launches on {count} of 1 chip")
    assert ("| Chip |" in shown) == bool(count)


def test_fits_lists_the_chips_that_reach_an_occupancy_the_best_first() -> None:
    asked = ("fits", "-t", "512", "-r", "64", "--dynamic-smem", "60k", "--occupancy")
    lines = run(*asked, "60%", columns=120).stdout.splitlines()
    assert lines[0] == (
        "At least 60% occupancy on 4 of 14 compute capabilities (from 7.5 on; --all has the older ones)"
    )
    assert "on none of 1 compute capability" in run(*asked, "100", "--cc", "9.0").stdout
    assert "on none of 2 chips" in run(*asked, "100", "--gpu", "RTX 4090,RTX 4080").stdout  # both 8.9
    assert [line.split()[0] for line in lines[4:8]] == ["10.7", "8.7", "10.1", "11.0"]
    answer = as_json(*asked, "100")
    assert [chip["cc"] for chip in answer["chips"]] == ["10.7"]
    assert (answer["least_occupancy"], len(answer["asked"])) == (1, 14)
    assert run(*asked, "100%", "--gpu", "A100").stdout == "100% occupancy on none of 1 chip\n"
    assert [row["cc"] for row in as_csv(*asked, "100%")] == ["10.7"]
    assert "Give more than 0 and up to 100%" in run(*asked, "0").stderr


def test_what_a_compute_capability_is_known_by_is_a_product_of_it() -> None:
    for cc, name in WELL_KNOWN.items():
        assert find_gpu(name).cc == cc


def test_budget() -> None:
    lines = run(*BUDGET).stdout.splitlines()
    assert lines[:2] == [
        "75% occupancy on compute capability 9.0, 6 blocks of 256 threads:",
        "up to 40 registers per thread and 37 KiB of shared memory per block",
    ]
    answer = as_json(*BUDGET)
    assert answer["wanted"] in answer["levels"]
    assert answer["wanted"]["active_blocks"] == 6
    assert [row["regs"] for row in as_csv(*BUDGET) if row["wanted"] == "true"] == ["40"]
    assert as_json("budget", "--cc", "9.0", "--threads", "256", "--blocks", "6") == answer
    assert lines[-1] == "40 registers: __launch_bounds__(256, 6) or -maxrregcount=40"
    call = "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize"
    half = run("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "50%").stdout
    assert half.endswith(f"\n{call}, 57344)\n")
    assert run("budget", "--gpu", "A100,H100", "--threads", "256").stdout.endswith(f"\n{call}, bytes)\n")
    assert answer["register_cap"]["launch_bounds"] == "__launch_bounds__(256, 6)"
    assert as_json(*BUDGET[:-2], "--blocks", "1")["register_cap"] is None  # 255 need no asking
    several = run("budget", "--gpu", "A100,RTX 3090", "--threads", "256", "--blocks", "4").stdout
    assert several.endswith("\n64 registers: __launch_bounds__(256, 4) or -maxrregcount=64\n")
    assert "| **75%** | 6 | 40 | 37 KiB |  |" in run(*BUDGET, "--format", "markdown").stdout


@pytest.mark.parametrize("share", ["75", "0.75", "75%", "75.0"])
def test_shares_are_read_in_percent_or_as_a_share_of_1(share: str) -> None:
    assert run(*BUDGET[:-1], share).stdout == run(*BUDGET).stdout


def test_a_budget_without_a_target_is_its_table() -> None:
    text = run(*BUDGET[:-2]).stdout
    assert "--occupancy or --blocks picks a row" in text
    assert run(*BUDGET).stdout.split("\n\n")[1] == text.split("\n\n")[1].rstrip()
    assert as_json(*BUDGET[:-2])["wanted"] is None
    assert {row["wanted"] for row in as_csv(*BUDGET[:-2])} == {"false"}


def test_bounds() -> None:
    text = run(*BOUNDS, "--regs", "70").stdout
    assert text.startswith("__launch_bounds__(256, 6)\n")
    assert "7.5: ptxas ignores minnctapersm: 6 blocks of 256 take 1,536 threads" in text
    assert "On 8.0 and 8.6 the compiler may have to spill: 70 registers are too many." in text
    assert "__maxnreg__(40), or nvcc -maxrregcount=40." in text
    legal = run("bounds", "--threads", "256", "--min-blocks", "4", "--cc", "8.0,9.0").stdout
    assert "The same cap without launch bounds: __maxnreg__(64), or nvcc -maxrregcount=64." in legal
    chips = as_json(*BOUNDS)["chips"]
    assert [(each["cc"], each["legal"], each["register_cap"]) for each in chips] == [
        ("7.5", False, 255),
        ("8.0", True, 40),
        ("8.6", True, 40),
    ]
    too_many = run("bounds", "--threads", "32", "--min-blocks", "48", "--cc", "12.0", columns=120).stdout
    assert "ptxas ignores minnctapersm: an SM has places for 24 blocks. At most 24 blocks." in too_many
    partial = run("bounds", "--threads", "1000", "--min-blocks", "2", "--cc", "8.6", columns=120).stdout
    assert "2 blocks of 1000 take 2,048 threads in whole warps, and an SM holds 1,536" in partial


def test_block_sizes_say_what_the_runtime_answers() -> None:
    for more, call in (((), ""), (("--smem-per-thread", "100"), "VariableSMem")):
        asked = ("block-sizes", "--gpu", "RTX 3090", "--regs", "40", *more)
        of_size = (lambda threads: 100 * threads) if more else None
        launch = occupancy.max_potential_block_size("RTX 3090", regs=40, dynamic_smem=of_size)
        size, grid = f"{launch.block_size:,} threads", f"{launch.min_grid_size:,} blocks"
        assert launch.call == f"cudaOccupancyMaxPotentialBlockSize{call}"
        why = " (the shared memory depends on the block size)" if more else ""
        said = f"{launch.call}{why} answers {size}, and a grid of {grid}."
        assert run(*asked, columns=200).stdout.splitlines()[2] == said  # above all rows
        of_any = run("block-sizes", "--cc", "8.6", "--regs", "40", *more, "--limit", "1", columns=200).stdout
        assert f"{launch.call}{why} answers {size}; for its grid" in of_any
        found = as_json(*asked)
        assert found["launch"] == launch.to_dict()
        assert found["block_sizes"][0]["threads"] == launch.block_size


def test_block_sizes() -> None:
    lines = run(*BLOCK_SIZES).stdout.splitlines()
    assert lines[0] == "Block sizes on compute capability 8.6 (Ampere)"
    assert "on H100, compute" in run("block-sizes", "--gpu", "H100").stdout.splitlines()[0]
    no_grid = " ".join(run("block-sizes", "--cc", "8.6", "-r", "50").stdout.split())
    call = "cudaOccupancyMaxPotentialBlockSize answers 576 threads; for its grid, which depends on the number"
    assert f"{call} of SMs, name the GPU (--gpu)." in no_grid
    variants = " ".join(run("block-sizes", "--gpu", "H100", "-r", "50").stdout.split())
    assert f"{call} of SMs, name one variant of the H100." in variants
    assert "cudaOccupancy" not in run("block-sizes", "--cc", "2.0", "-r", "20").stdout.partition("Among")[0]
    first = lines.index("Threads  Blocks  Warps  Occupancy  Limited by") + 1
    assert lines[first].split() == ["768", "2", "48", "100%", "warps,", "regs"]
    assert f"{CALL} chooses it; next steps name the size nearest to yours." in " ".join(lines[first:])
    few = run(*BLOCK_SIZES, "--limit", "5").stdout.splitlines()
    assert few[: few.index("", first)] == lines[: first + 5]
    assert len(as_csv(*BLOCK_SIZES, "--limit", "3")) == 3
    on_two = as_json("block-sizes", "--gpu", "H100,A100", "--limit", "2")["block_sizes"]
    assert [each["threads"] for each in on_two] == [1024, 512]
    grown = as_json(*BLOCK_SIZES, "--dynamic-smem", "1k", "--smem-per-thread", "8")
    assert grown["inputs"]["smem_per_thread"] == 8
    assert {each["threads"]: each["dynamic_smem"] for each in grown["block_sizes"]} == {
        threads: 1024 + 8 * threads for threads in range(32, 1025, 32)
    }
    assert len(as_csv(*BLOCK_SIZES)) == 32
    assert grown["full_occupancy"] is None
    full = as_json("block-sizes", "--cc", "9.0", "--regs", "40", "--smem-per-thread", "64")["full_occupancy"]
    assert full == {"requires": {"regs": 32}, "threads": [64, 128, 256, 512, 1024]}
    sizes = [occupancy.compute("9.0", threads=each, regs=32, smem=64 * each) for each in full["threads"]]
    assert [each.occupancy for each in sizes] == [1] * 5
    said = run("block-sizes", "--cc", "9.0", "--regs", "40", columns=200).stdout
    assert "With 32 registers blocks of 64, 128, 256, 512 and 1,024 threads have it." in said
    both = run("block-sizes", "--cc", "9.0", "--regs", "40", "--smem", "64k", columns=200).stdout
    assert "No size reaches 100%" in both
    assert "have it" not in both  # two amounts stand in the way
    text = run("block-sizes", "--cc", "8.6", "--smem", "64/thread").stderr
    assert "`occupancy block-sizes --smem-per-thread 64`." in text
    none = run("block-sizes", "--cc", "9.0", "--smem", "300k", "--format", "markdown").stdout
    assert "**" not in none
    assert "Among equals" not in run("block-sizes", "--cc", "9.0", "--smem", "300k").stdout


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("arguments", [TIED, FITS, BUDGET, BOUNDS, (*BLOCK_SIZES, "--smem-per-thread", "8")])
def test_no_line_is_wider_than_the_terminal_and_none_is_cut(arguments: tuple[str, ...], columns: int) -> None:
    text = run(*arguments, columns=columns).stdout
    assert max(len(line) for line in text.splitlines()) <= columns
    assert text.isascii()


@pytest.mark.parametrize("arguments", [FITS, BUDGET, BOUNDS, (*BLOCK_SIZES, "--smem-per-thread", "8")])
def test_a_narrow_terminal_loses_nothing(arguments: tuple[str, ...]) -> None:
    wide, narrow = (run(*arguments, columns=columns).stdout for columns in (200, 40))
    lost = Counter(wide.split()) - Counter(narrow.split())
    # Only a name that is longer than a line goes on in the next one.
    assert all(len(word) > 40 and word in "".join(narrow.split()) for word in lost)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "75%", "--blocks", "6"),
            "--occupancy and --blocks: both say what is wanted",
        ),
        (("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "120%"), "1.2 (120%) is out of range"),
        (("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "1_0%"), "'1_0%' is not a share"),
        (("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "nan"), "'nan' is not a share"),
        (
            ("budget", "--cc", "9.0", "--threads", "256", "--regs", "64", "--blocks", "6"),
            "cannot be resident on 9.0; with what the kernel uses the most is 4 (50%)",
        ),
        (
            ("budget", "--cc", "9.0", "--threads", "256", "--smem", "300k", "--blocks", "1"),
            "Error: kernel: no block of 256 threads",
        ),
        (("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "0"), "0 (0%) is out of range"),
        (("budget", "--cc", "9.0", "--threads", "256", "--occupancy", "750"), "such as 75%, 75 or 0.75"),
        (
            ("budget", "--cc", "9.0", "--threads", "256", "--blocks", "9"),
            "the most is 8 (100%), limited by warps",
        ),
        (("bounds", "--threads", "1025", "--cc", "8.0,9.0"), "1025 is more than a block may have on 8.0"),
        (("bounds", "--threads", "256", "--cc", ","), "--cc: ',' names no chip"),
        (("bounds", "--threads", "256", "--cc", "9.0", "--min-blocks", "0"), "0 is out of range"),
        (("bounds", "--threads", "256", "--cc", "9.0", "--min-blocks", "9" * 20), "1 to 2,147,483,647"),
        (
            ("bounds", "--threads", "256", "--cc", "9.0", "--min-blocks", "many"),
            "'many' is not a whole number",
        ),
        (("fits", "--threads", "256", "--cc", ""), "--cc: '' names no chip"),
        (("fits", "--threads", "256", "--cc", "9.0", "--all"), "--all: some chips are named"),
        (("fits", "--threads", "256", "--cc", "9.0,13.0"), "13.0 is not in the table"),
        (("fits", "--threads", "0"), "0 is out of range"),
        (("block-sizes",), "--cc: is missing"),
        (("block-sizes", "--cc", "9.0", "--smem-per-thread", "12Q"), "'12Q' is not a size"),
        (("block-sizes", "--cc", "9.0", "--smem-per-thread", "8", "--smem", "1k"), "Give the total"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_code_2(arguments: tuple[str, ...], complaint: str) -> None:
    result = run(*arguments, columns=300)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in result.stderr
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("arguments", [TIED, FITS, BUDGET, BOUNDS, BLOCK_SIZES])
def test_the_json_is_what_the_schema_says(arguments: tuple[str, ...]) -> None:
    report = adapter(arguments[0])
    text = run(*arguments, "--format", "json").stdout
    assert report.dump_python(report.validate_json(text, strict=True), mode="json") == json.loads(text)


@pytest.mark.parametrize("bounds", [("9.0",), ("8.6", "--min-blocks", "7")])
def test_where_there_is_no_cap_there_is_no_other_way_to_it(bounds: tuple[str, ...]) -> None:
    """Every kernel has 255 registers anyway, and the compiler ignores bounds that are not legal."""
    assert "maxnreg" not in run("bounds", "--threads", "256", "--cc", *bounds).stdout


@pytest.mark.parametrize(
    "kernel",
    [
        ("-t", "256", "-r", "40", "-s", "20k"),
        ("-t", "16x16", "--static-smem", "1000", "--dynamic-smem", "60k", "--carveout", "50", "--opt-in"),
        ("-t", "128", "--barriers", "3", "--tmem", "64", "--virtual-resources", "0"),
        ("-t", "128", "--carveout", "64k", "--no-opt-in"),
    ],
)
def test_what_tells_how_many_clusters_fit_is_to_be_copied(kernel: tuple[str, ...]) -> None:
    fits = ("fits", *kernel, "--cluster", "2", "--cc", "10.0", "--cc", "9.0")
    text = run(*fits, columns=300).stdout
    (command,) = (line for line in text.splitlines() if line.startswith("occupancy calc --gpu "))
    done = run(*shlex.split(command)[1:], "--format", "json")
    whole = json.loads(done.stdout)
    assert whole["full_wave"]["clusters"] > 0
    asked = json.loads(run(*fits, "--format", "json").stdout)
    assert whole["inputs"] == asked["inputs"]
    given_again = {name: value for name, value in asked["inputs"].items() if value is not None}
    if shape := given_again.pop("block_dim", None):
        given_again["threads"] = tuple(shape)
    said = str(occupancy.fits(ccs=["10.0", "9.0"], cluster=2, **given_again))
    (call,) = re.findall(r"occupancy\.max_active_clusters\(.*?\)", " ".join(said.split()))
    bound = occupancy.max_active_clusters("GB200", cluster_size=2, **given_again)
    assert eval(call) == bound
    assert bound.at_most >= whole["full_wave"]["clusters"]  # it counts blocks that wait for tensor memory


def test_what_only_a_file_states_is_not_asked_again() -> None:
    compiled = Kernel(256, 40, spill_smem=0, reallocates_registers=True, triton_warps=8)
    said = " ".join(str(occupancy.fits(compiled, cluster=2)).split())
    assert 'max_active_clusters("H100 SXM5 80 GB", threads=256, regs=40, cluster_size=2)' in said
