"""What people type, right and wrong, and what must happen: that answer, or what to type instead."""

from __future__ import annotations

import json
from typing import Any

import pytest

import occupancy
from tests.cli_runner import run

CALC = ("calc", "--cc", "9.0", "--threads")
KERNEL = ("-t", "256", "-r", "40")

# What is typed, and the inputs that it stands for.
READ: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    ((*CALC, "1,024"), {"threads": 1024, "block_dim": None}),
    ((*CALC, "1_024"), {"threads": 1024}),
    ((*CALC, "0x100"), {"threads": 256}),
    ((*CALC, "16x16"), {"threads": 256, "block_dim": [16, 16, 1]}),
    ((*CALC, "16X8x2"), {"threads": 256, "block_dim": [16, 8, 2]}),
    ((*CALC, "16*16"), {"threads": 256, "block_dim": [16, 16, 1]}),
    ((*CALC, "(16, 16, 1)"), {"threads": 256, "block_dim": [16, 16, 1]}),
    ((*CALC, " 256 "), {"threads": 256}),
    ((*CALC, "256", "--smem", "27.5KiB"), {"smem": 28160}),
    ((*CALC, "256", "--smem", "27.5 KiB"), {"smem": 28160}),
    ((*CALC, "256", "--smem", "1.5k"), {"smem": 1536}),
    ((*CALC, "256", "--smem", "0x1000"), {"smem": 4096}),
    ((*CALC, "256", "--smem", "16,384"), {"smem": 16384}),
    ((*CALC, "256", "--smem", "16_384"), {"smem": 16384}),
    ((*CALC, "256", "--smem", "1,001 bytes"), {"smem": 1001}),
    ((*CALC, "256", "-s", "96K"), {"smem": 98304}),
    ((*CALC, "256", "-r", "40"), {"regs": 40}),
    (("calc", "-c", "9.0", "-t", "256", "-r", "40", "-s", "1k"), {"threads": 256, "regs": 40, "smem": 1024}),
    ((*CALC, "256", "--carveout", "65,536"), {"carveout": 65536}),
)


@pytest.mark.parametrize(("arguments", "inputs"), READ, ids=lambda each: " ".join(each))
def test_what_we_print_we_read(arguments: tuple[str, ...], inputs: dict[str, Any]) -> None:
    done = run(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    given = json.loads(done.stdout)["inputs"]
    assert {name: given[name] for name in inputs} == inputs


# What is typed for one chip, and the compute capability and the product that it stands for.
CHIPS: tuple[tuple[tuple[str, ...], str, str | None], ...] = (
    (("--cc", "9.0"), "9.0", None),
    (("--cc", "90"), "9.0", None),
    (("--cc", "sm_90a"), "9.0", None),
    (("--cc", "compute_90"), "9.0", None),
    (("--cc", "9.0+PTX"), "9.0", None),
    (("--cc", "sm_120"), "12.0", None),
    (("--cc", "hopper"), "9.0", None),
    (("--cc", "Ada Lovelace"), "8.9", None),
    (("--gpu", "ada"), "8.9", None),
    (("--cc", "H100"), "9.0", "H100"),
    (("--gpu", "H100"), "9.0", "H100"),
    (("--gpu", "h100-sxm"), "9.0", "H100 SXM5"),
    (("--gpu", "9.0"), "9.0", None),
    (("--cc", "RTX 4090"), "8.9", "GeForce RTX 4090"),
    (("--gpu", "4090"), "8.9", "GeForce RTX 4090"),
    (("--gpu", "980"), "5.2", "GeForce GTX 980"),
    (("--gpu", "V100"), "7.0", "Tesla V100"),
    (("--sm", "8.0"), "8.0", None),
)


@pytest.mark.parametrize(("arguments", "cc", "gpu"), CHIPS, ids=str)
def test_a_chip_is_a_chip_everywhere(arguments: tuple[str, ...], cc: str, gpu: str | None) -> None:
    done = run("calc", *KERNEL, *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert (answer["cc"], answer["gpu"] and answer["gpu"]["name"]) == (cc, gpu)
    for command in (("fits", *KERNEL), ("bounds", *KERNEL)):
        (row,) = json.loads(run(*command, *arguments, "--format", "json").stdout)["chips"]
        assert (row["cc"], row["gpu"]) == (cc, gpu)
    (limits,) = json.loads(run("limits", *arguments, "--format", "json").stdout)["compute_capabilities"]
    assert limits == cc
    if arguments[1] != "980":  # which only --gpu takes for a product
        assert str(occupancy.limits(arguments[1]).compute_capability) == cc


# What is typed, and what the message must say.
REFUSED: tuple[tuple[tuple[str, ...], str], ...] = (
    ((*CALC, "128,256"), "128256 (one number) or 128x256 (a shape)"),
    ((*CALC, "128,256"), "occupancy sweep"),
    ((*CALC, "16,16"), "16x16 (a shape)"),
    ((*CALC, "1,536"), "1536 (one number) or 1x536"),
    ((*CALC, "(1,024)"), "'(1,024)' is not a shape"),
    ((*CALC, "1,24"), "1x24 (a shape)"),
    ((*CALC, "256.0"), "'256.0' is not a whole number"),
    ((*CALC, "1_0"), "'1_0' is not a whole number"),
    ((*CALC, "256", "--smem", "1.3k"), "not a whole number of bytes"),
    ((*CALC, "256", "--smem", "1.5"), "'1.5' is not a size"),
    ((*CALC, "256", "--smem", "1,5k"), "'1,5k' is not a size"),
    ((*CALC, "256", "--regs", "32,64"), "For several values: occupancy sweep"),
    ((*CALC, "256", "--smem", "1024,2048"), "For several values: occupancy sweep"),
    ((*CALC, "256", "--cluster", "4,16"), "'4,16' is not a whole number. Give one; for several ask once"),
    ((*CALC, "256", "--grid", "1000,2000"), "Give one; for several ask once for each."),
    (("budget", "--cc", "9.0", "-t", "256", "--blocks", "2,4"), "Give one; for several ask once for each."),
    (("calc", "--cc", "10.0", "-t", "256", "--tmem", "32,64"), "For several values: occupancy sweep."),
    ((*CALC, "256", "--regs", "1,024"), "1024 is out of range"),
    (("calc", *KERNEL, "--cc", "hoper"), "Did you mean hopper?"),
    (("calc", *KERNEL, "--gpu", "RTX 4099"), "Did you mean:\n  GeForce RTX"),
    (("calc", *KERNEL, "--gpu", "6000"), "Quadro RTX 6000  7.5  TU102  72 SMs"),
    (("calc", *KERNEL, "--gpu", "laptop"), "and 357 more"),
    (("calc", *KERNEL, "--gpu", ""), "--gpu: '' names no chip"),
    (("calc", *KERNEL, "--cc", "13.0"), "13.0 is not in the table"),
    (("calc", *KERNEL, "--gpu", "H100", "--grid", "100"), "H100 PCIe 80 GB  9.0  GH100  114 SMs"),
    (
        ("calc", *KERNEL, "--gpu", "H100", "--cluster", "2", "--grid", "8"),
        "'H100' is the name of GPUs with different",
    ),
    (("calc", *KERNEL, "--gpu", "H100,A100", "--charts"), "--charts: answers for one chip"),
    (("scan", "x", "--cc", "9.0", "--cc", "8.0"), "is given 2 times"),
    (("scan", "x", "--gpu", "A100", "--gpu", "H100"), "is given 2 times"),
    (("diff", "x", "y", "--cc", "9.0", "--cc", "8.0"), "is given 2 times"),
    (("check", "x", "--cc", "9.0", "--cc", "8.0"), "is given 2 times"),
    (("check", "x", "--rules", "a", "--rules", "b"), "is given 2 times, and takes one value"),
    (("scan", "x", "--sort", "regs", "--sort", "spills"), "is given 2 times, and takes one value"),
    (("scan", "x", "--below", "50", "--below", "50"), "is given 2 times, and takes one value"),
    (("page", "--cc", "9.0", "-c", "8.0"), "is given 2 times, and takes one value"),
    (("sweep", "--cc", "9.0", "-t", "64", "--smem", "16,384"), "16384 for one, 16, 384 with a blank for two"),
    (("budget", "--cc", "9.0", "-t", "256", "--occupancy", "750"), "7.5 (750%) is out of range"),
    (("clac", "--cc", "9.0"), "There is no command 'clac'. Did you mean calc?"),
    (("block",), "Did you mean block-sizes?"),
    (("gpus", "radeon"), "'radeon' is not a compute"),
    (("device", "0", "--device", "1"), "both say which GPU it is"),
    ((*CALC, "0"), "--threads: 0 is out of range. Allowed: 1 to 2,147,483,647."),
    ((*CALC, "16x"), "--threads: '16x' is not a shape. Write it as 16x16x1."),
    ((*CALC, "256", "-r", "256"), "-r: 256 is out of range. Allowed: 0 to 255."),
    ((*CALC, "256", "-s", "1k", "--static-smem", "1k"), "-s: is the total, and static or dynamic"),
    ((*CALC, "256", "--carveout", "500%"), "--carveout: '500%' is not a carveout."),
    ((*CALC, "256", "--set", "max_block=3"), "Allowed: max_block_dim, max_blocks_per_multiprocessor."),
    (
        (*CALC, "256", "--grid", "64x64", "--cluster", "3"),
        "--grid: 64 along x is not divisible into",
    ),
    ((*CALC, "256", "--grid", "64x64", "--cluster", "4"), "--grid: the number of SMs is missing."),
    (("scan", ".", "--below", "200"), "--below: '200' is out of range."),
    (("sweep", "--cc", "9.0", "-t", "64:32"), "-t: the range '64:32' is empty."),
    (
        ("--gpu", "H100 SXM", "--threads", "256"),
        "The command before --gpu is missing: `occupancy calc --gpu ...`",
    ),
    (("--rules", "x.toml"), "The command before --rules is missing: `occupancy init --rules ...`"),
    (("--foo",), "No such option"),
    (
        (*CALC, "256", "--shared", "24k"),
        "There is no option '--shared'. Did you mean --smem?",
    ),
    ((*CALC, "256", "--dynamic-shared-memory", "1k"), "Did you mean --dynamic-smem?"),
    ((*CALC, "256", "--tmem-columns", "256"), "Did you mean --tensor-memory?"),
    (("bounds", "--gpu", "RTX 4090", "256", "4"), "Did you mean --threads 256 --blocks 4?"),
    (("calc", "--cc", "9.0", "256"), "Did you mean --threads 256?"),
    (("bounds", "--gpu", "RTX", "4090", "-t", "256"), "For a name of several words write --gpu 'RTX 4090'"),
    ((*CALC, "256", "--reg", "32"), "Did you mean --regs?"),
    ((*CALC, "256", "--smme=1k"), "Did you mean --smem?"),
    ((*CALC, "256", "--xyzzy"), "There is no option '--xyzzy'.\n"),
    (("calc", "--block_dim", "256"), "Did you mean --threads?"),
    (("fits", "--architecture", "9.0"), "Did you mean --cc?"),
    (("bounds", *KERNEL, "--blocks-per-sm", "3"), "Did you mean --blocks?"),
    ((*CALC, "256", "-s", "24", "KiB"), "'KiB' stands without an option. Write 24KiB in one word."),
    (
        ("calc", "-t", "256", "--gpu", "H100", "SXM", "-s", "1", "k"),
        "For a name of several words write --gpu 'H100 SXM'.",
    ),
    (("calc", "9.0", "256"), "'9.0', '256' stand without an option. Did you mean --cc 9.0 --threads 256?"),
    (("calc", "H100", "SXM", "256", "32"), "Did you mean --gpu 'H100 SXM' --threads 256 --regs 32?"),
    (("fits", "512", "64"), "Did you mean --threads 512 --regs 64?"),
    (("calc", "RTX", "4090", "-t", "256"), "Did you mean --gpu 'RTX 4090'?"),
    (("budget", "A100", "what"), "Each value follows its option, as in `occupancy budget --cc"),
    (("calc", __file__), f"`occupancy scan {__file__}` reads files."),
    (("registers", *KERNEL, "--cluster", "2"), "`occupancy calc --cluster` answers for it."),
    (("block-sizes", "-c", "9.0", "--grid", "2"), "`occupancy calc --grid` answers for it."),
    (("fits", *KERNEL, "--charts"), "`occupancy calc --charts` answers for it."),
    (("bounds", "--launch-bounds", "256, 4"), "Did you mean --threads 256 --blocks 4?"),
    (("bounds", "--gpu", "A100", "--launch_bounds=(128)"), "Did you mean --threads 128?"),
    (("calc", "--launch-bounds", "256,4"), "`occupancy bounds --threads 256 --blocks 4` answers for it."),
    (("calc", *KERNEL, "--below", "3"), "There is no option '--below'.\n"),
    (
        ("diff", "a", "b", "-o", "x.md"),
        "There is no option '-o'. The answer is printed: add > FILE to keep it.",
    ),
    (("gpus", "--reverse"), "There is no option '--reverse'.\n"),
    (("limits", "--grid", "3"), "There is no option '--grid'.\n"),
    ((*CALC, "256", "--tmem", "64", "--relinquish"), "Did you mean --virtual-resources?"),
    (
        ("calc", *KERNEL, "--cc", "9.0", "--sms", "9", "--grid", "13", "--cluster", "4"),
        "13 along x is not divisible into clusters of 4, and CUDA refuses such a launch. "
        "The nearest that are: 12 and 16.",
    ),
    (
        ("sweep", "--cc", "9.0", "-t", "64", "-r", "16-128"),
        "'16-128' is not a value. Write a range as 16:1",
    ),
    (
        ("sweep", "-c9.0", "-t", "64,96..128..32"),
        "'96..128..32' is not a value. Write a range as 96:128:32.",
    ),
    ((*CALC, "256", "-r", "16:128"), "For several values: occupancy sweep"),
    (
        ("calc", *KERNEL, "--cc", "9,0"),
        "'9,0' names two chips, 9 and 0. A compute capability is written as 9.0.",
    ),
    (
        ("calc", "-t", "256", "--cc", "9,9"),
        "names two chips, 9 and 9. A compute capability is written as 9.0, and two of them as 9.0,8.9.",
    ),
    (("calc", *KERNEL, "--cc", "9.0", "--grid", "-5"), "--grid: '-5' is out of range. Allowed: 1 and up."),
    (
        ("calc", *KERNEL, "--cc", "10.0", "--tensor-memory", "257"),
        "--tensor-memory: 257 is no multiple of 32.",
    ),
    (("fits", *KERNEL, "--tensor-memory", "48"), "takes 32, 64, 128, 256 or 512 columns each time"),
    (("calc", *KERNEL, "--gpu", "H1000"), "Did you mean:\n  H100 "),
    (("calc", *KERNEL, "--gpu", "H1000"), "\n  H100 SXM5 "),
    (("calc", *KERNEL, "--gpu", "RTX4900"), "Did you mean:\n  GeForce RTX 4090 "),
    (("calc", *KERNEL, "--gpu", "radeon"), "Write it as 9.0, hopper"),
    (("sweep", "--cc", "9.0", "-t", "64,128", "-o", "x.png", "--format", "csv"), "x.png is a picture"),
)


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=lambda each: " ".join(each))
def test_what_could_mean_something_else_is_refused_with_the_ways_to_say_it(
    arguments: tuple[str, ...], message: str
) -> None:
    done = run(*arguments, columns=300)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_tables_hold_many_spellings_and_mistakes() -> None:
    typed = [arguments for arguments, _ in (*READ, *REFUSED)] + [arguments for arguments, _, _ in CHIPS]
    assert len(set(typed)) >= 60


def test_a_comma_in_the_blocks_of_a_grid_groups_digits() -> None:
    plain, grouped = (
        run("calc", *KERNEL, "--gpu", "H200", "--grid", text).stdout for text in ("4752", "4,752")
    )
    assert grouped == plain
    assert "4,752 blocks" in plain


def test_a_list_of_block_sizes_is_for_a_sweep() -> None:
    with pytest.raises(occupancy.InputError, match=r"occupancy\.sweep\(\)"):
        occupancy.compute("9.0", threads=[128, 256])
    done = run("sweep", "--cc", "9.0", "-t", "128,256,1,024", "--format", "json")
    assert json.loads(done.stdout)["variables"] == {"threads": [128, 256, 1024]}


@pytest.mark.parametrize(
    ("pattern", "is_one"),
    [
        (("9.0",), lambda row: row["cc"] == "9.0"),
        (("sm_90",), lambda row: row["cc"] == "9.0"),
        (("hopper",), lambda row: row["cc"] == "9.0"),
        (("ampere",), lambda row: row["cc"] in ("8.0", "8.6", "8.7", "8.8")),
        (("rtx", "4090"), lambda row: "RTX 4090" in row["name"]),
        (("h100", "sxm"), lambda row: row["name"].startswith("H100 SXM")),
    ],
)
def test_gpus_are_found_by_chip_and_by_words_without_quotes(pattern: tuple[str, ...], is_one: Any) -> None:
    found = json.loads(run("gpus", *pattern, "--format", "json").stdout)["gpus"]
    assert len(found) > 2
    assert all(map(is_one, found))


def test_a_small_size_without_a_unit_says_that_it_is_in_bytes() -> None:
    asked = ("calc", "--cc", "9.0", "-t", "128")
    for option in ("--smem", "--static-smem", "--dynamic-smem"):
        assert run(*asked, option, "24").stderr == f"{option}: 24 bytes; for KiB write 24k.\n"
    for size in ("24k", "24b", "256", "0"):
        assert run(*asked, "-s", size).stderr == ""
    assert run(*asked, "-s", "24", "--format", "json").stderr == ""
