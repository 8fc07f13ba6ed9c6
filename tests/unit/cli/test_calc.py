from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import occupancy
from occupancy.advice.search import changed
from occupancy.advice.tensor_memory import tensor_memory
from occupancy.cli import COMMANDS
from occupancy.readers.record import KernelRecord
from occupancy.values.kernel import Kernel
from tests.cli_runner import run

V100 = ("calc", "--cc", "7.0", "--threads", "128", "--regs", "37")


def test_text_answers_first_then_says_whether_it_launches_then_shows_each_resource() -> None:
    lines = run(*V100).stdout.splitlines()
    assert lines[0] == "75% occupancy on compute capability 7.0 (Volta)"
    assert lines[1] == "48 of 64 warps, 12 blocks of 128 threads, 1,536 threads per SM"
    assert lines[2] == "It launches. Limited by registers."
    assert [line.split() for line in lines if "<- limiter" in line] == [
        ["registers", "5,120", "65,536", "12", "<-", "limiter"]
    ]


def test_what_was_not_given_is_not_shown_as_given() -> None:
    text = run("calc", "--cc", "9.0", "--threads", "128").stdout
    assert [line.split()[1:3] for line in text.splitlines() if line.startswith("registers")] == [
        ["not", "given"]
    ]
    inputs = json.loads(run("calc", "--cc", "9.0", "--threads", "128", "--format", "json").stdout)["inputs"]
    assert {name for name, value in inputs.items() if value is not None} == {"threads"}


def test_what_was_not_given_and_counts_as_none_has_no_number_in_json() -> None:
    def per_block(*kernel: str) -> dict[str, int | None]:
        printed = json.loads(run("calc", "--threads", "128", "--format", "json", *kernel).stdout)
        return {name: use["per_block"] for name, use in printed["resources"].items()}

    assert (per_block("--cc", "7.0")["registers"], per_block("--cc", "7.0")["shared_memory"]) == (None, None)
    assert per_block("--cc", "7.0", "--smem", "0")["shared_memory"] == 0
    assert per_block("--cc", "9.0")["shared_memory"] == 1024


def test_json_is_the_dictionary_of_the_python_answer() -> None:
    printed = json.loads(run(*V100, "--format", "json").stdout)
    expected = occupancy.compute("7.0", threads=128, regs=37).to_dict()
    assert printed == json.loads(json.dumps(expected))
    assert printed["schema_version"] == 2
    assert printed["resources"]["registers"] == {
        "per_block": 5120,
        "per_multiprocessor": 65536,
        "blocks": 12,
        "reserved": 0,
    }


def test_csv_is_one_row_with_the_same_numbers() -> None:
    (row,) = csv.DictReader(io.StringIO(run(*V100, "--format", "csv").stdout))
    assert (row["occupancy"], row["active_blocks"], row["limiters"]) == ("0.75", "12", "registers")
    assert row["resources.registers.blocks"] == "12"
    assert row["inputs.smem"] == ""


def test_markdown_marks_the_limiter() -> None:
    assert "| **registers** | 5,120 | 65,536 | 12 |" in run(*V100, "--format", "markdown").stdout


def test_markdown_says_all_that_the_answer_rests_on() -> None:
    what_if = run("calc", "--cc", "8.6", "--threads", "33", "--smem", "20k", "--model", "spreadsheet",
                  "--set", "max_blocks_per_multiprocessor=4", "--format", "markdown").stdout  # fmt: skip
    assert "- What if: max_blocks_per_multiprocessor = 4." in what_if
    assert "(Ampere), by NVIDIA's spreadsheet 11.1: " in what_if
    assert "by threads" in what_if
    assert "| shared memory | 20 KiB | 100 KiB | 5 |" in what_if


@pytest.mark.parametrize("kernel", [("--threads", "1025"), ("--threads", "32")])
def test_markdown_ends_its_sentence_once(kernel: tuple[str, ...]) -> None:
    first = run("calc", "--cc", "9.0", *kernel, "--format", "markdown").stdout.splitlines()[0]
    assert first.endswith(".")
    assert not first.endswith("..")


def test_the_explanation_is_one_readable_cell_of_the_csv() -> None:
    (row,) = csv.DictReader(io.StringIO(run(*V100, "--explain", "--format", "csv").stdout))
    assert row["explanation"].startswith("warps: 128 threads / 32 = 4 warps, 64 warps per SM // ")
    assert "{" not in row["explanation"]
    (plain,) = csv.DictReader(io.StringIO(run(*V100, "--format", "csv").stdout))
    assert plain["explanation"] == ""


def test_a_what_if_is_written_as_set_reads_it() -> None:
    text = run(
        "calc", "--cc", "9.0", "--threads", "32", "--set", "max_barriers_per_multiprocessor=null"
    ).stdout
    assert "What if: max_barriers_per_multiprocessor = null." in text


def test_explain_shows_the_arithmetic_with_its_numbers() -> None:
    text = run(*V100, "--explain").stdout
    for step in (
        "37 registers x 32 threads = 1,184, rounded up to 256s: 1,280 per warp",
        "16,384 per sub-partition // 1,280 = 12 warps, x 4 = 48",
        "48 // 4 warps = 12 blocks",
    ):
        assert step in text
    explained = json.loads(run(*V100, "--explain", "--format", "json").stdout)["explanation"]
    assert [each["resource"] for each in explained] == [
        "warps",
        "blocks",
        "registers",
        "shared_memory",
        "barriers",
    ]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    text = run("calc", "--cc", "9.0", "--threads", "1025", "--smem", "300k", "--explain", columns=columns)
    assert max(len(line) for line in text.stdout.splitlines()) <= columns
    assert "\x1b" not in text.stdout
    assert "\u2026" not in text.stdout
    assert "65,536" in text.stdout


@pytest.mark.parametrize(
    "kernel",
    [
        ("--threads", "1025"),
        ("--threads", "1024", "--regs", "255"),
        ("--threads", "32", "--smem", "228k"),
        ("--threads", "32", "--smem", "64k", "--no-opt-in"),
    ],
)
def test_a_kernel_that_cannot_launch_is_an_answer(kernel: tuple[str, ...]) -> None:
    result = run("calc", "--cc", "9.0", *kernel, columns=200)
    assert result.exit_code == 0
    assert re.match(
        r"Does not launch on compute capability 9\.0 \(Hopper\): [\d,]+ (threads|bytes) .*, "
        r"but a block may have at most [\d,]+\. ",
        result.stdout,
    )


@pytest.mark.parametrize("cc", ["9.0", "90", "sm_90", "sm_90a", "compute_90", "9.0+PTX"])
def test_every_spelling_of_an_architecture(cc: str) -> None:
    assert json.loads(run("calc", "--arch", cc, "--threads", "32", "--format", "json").stdout)["cc"] == "9.0"


def test_all_options_reach_the_engine() -> None:
    printed = run(
        "calc", "--cc", "9.0", "--block", "16x16", "--registers", "40", "--static-smem", "8k",
        "--dynamic-smem", "96KiB", "--carveout", "100", "--barriers", "2", "--opt-in", "--model", "cuda",
        "--format", "json",
    )  # fmt: skip
    assert json.loads(printed.stdout)["inputs"] == {
        "threads": 256,
        "block_dim": [16, 16, 1],
        "regs": 40,
        "static_smem": 8192,
        "dynamic_smem": 98304,
        "smem": None,
        "carveout": "100%",
        "barriers": 2,
        "caching": None,
        "opt_in": True,
        "virtual_resources": None,
        "tensor_memory": None,
        "shared_memory_mode": None,
        "spill_smem": None,
        "reallocates_registers": None,
        "triton_warps": None,
    }


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--threads", "32"), "--cc"),
        (("--cc", "9.0"), "--threads"),
        (("--cc", "13.0", "--threads", "32"), "13.0 is not in the table"),
        (("--cc", "12.10", "--threads", "32"), "12.10 is not in the table"),
        (("--cc", "hoper", "--threads", "32"), "'hoper' is not a compute capability"),
        (("--cc", "9.0", "--threads", "0"), "0 is out of range"),
        (("--cc", "9.0", "--threads", "-1"), "-1 is out of range"),
        (("--cc", "9.0", "--threads", "many"), "'many' is not a whole number"),
        (("--cc", "9.0", "--threads", "1" + "0" * 30), "31 digits"),
        (("--cc", "9.0", "--threads", "32", "--regs", "-1"), "--regs: -1"),
        (("--cc", "9.0", "--threads", "32", "--regs", "256"), "--regs: 256"),
        (("--cc", "9.0", "--threads", "32", "--smem", "-1"), "'-1' is not a size"),
        (("--cc", "9.0", "--threads", "32", "--smem", "12Q"), "'12Q' is not a size"),
        (("--cc", "9.0", "--threads", "32", "--smem", "1k", "--static-smem", "1k"), "Give the total"),
        (("--cc", "9.0", "--threads", "32", "--carveout", "48k"), "no configuration of 49,152 bytes"),
        (("--cc", "9.0", "--threads", "32", "--caching", "ca"), "caching"),
        (
            ("--cc", "9.0", "--threads", "32", "--model", "spreadsheet"),
            "does not know compute capability 9.0",
        ),
        (("--cc", "9.0", "--threads", "32", "--format", "xml"), "xml"),
        (("--cc", "9.0", "--threads", "32", "--limits", "no/such/file.yaml"), "no/such/file.yaml"),
        (("--cc", "9.0", "--threads", "32", "--set", "max_blocks=4"), "max_blocks"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_code_2(arguments: tuple[str, ...], complaint: str) -> None:
    result = run("calc", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert complaint in result.stderr
    assert isinstance(result.exception, SystemExit)


def test_what_if() -> None:
    result = run("calc", "--cc", "9.0", "--threads", "32", "--set", "max_blocks_per_multiprocessor=4")
    assert "What if: max_blocks_per_multiprocessor = 4." in result.stdout
    assert "4 blocks of 32 threads" in result.stdout


def test_every_command_explains_itself() -> None:
    assert all(f"  {name} " in run("--help").stdout for name in COMMANDS)
    for name in COMMANDS:
        assert run(name, "--help").stdout.startswith(f"Usage: occupancy {name} ")


@pytest.mark.parametrize(
    ("cc", "smem", "said"),
    [
        (
            "8.6",
            "20k",
            "The CUDA runtime gives 4 blocks, 33.3%. The spreadsheet leaves out 1,024 bytes that the system",
        ),
        ("8.6", "24k", None),
        ("7.5", "40k", None),
    ],
)
def test_a_note_says_why_the_spreadsheet_differs_from_cuda(cc: str, smem: str, said: str | None) -> None:
    kernel = ("--cc", cc, "--threads", "128", "--smem", smem)
    text = run("calc", *kernel, "--model", "spreadsheet", columns=200).stdout
    assert said in text if said else "leaves out" not in text


def test_the_reservation_is_not_the_reason_of_every_difference() -> None:
    kernel = ("--cc", "3.7", "--threads", "224", "--regs", "64")
    text = run("calc", *kernel, "--model", "spreadsheet", columns=200).stdout
    assert "The CUDA runtime gives " in text
    assert "leaves out" not in text


def test_the_spreadsheets_advice_says_whose_it_is() -> None:
    kernel = ("calc", "--cc", "8.6", "-t", "128", "-r", "64", "-s", "20k", "--model", "spreadsheet")
    lines = run(*kernel, columns=120).stdout.splitlines()
    assert lines[0].endswith("compute capability 8.6 (Ampere), by NVIDIA's spreadsheet 11.1")
    assert lines[2].startswith(
        "It launches. Limited by shared memory. The CUDA runtime gives 4 blocks, 33.3%."
    )
    assert "Next steps   by the spreadsheet's rules" in lines
    said = "on the hardware (without --model) 5 blocks, 41.7%: shared memory 20 KiB -> 19 KiB"
    assert f"             {said}" in lines
    printed = json.loads(run(*kernel, "--format", "json").stdout)
    hardware = occupancy.next_steps("8.6", threads=128, regs=64, smem="20k")
    step = {"active_blocks": 5, "occupancy": 5 * 4 / 48, "requires": hardware[0].requires}
    assert printed["runtime"] == {"active_blocks": 4, "occupancy": 4 * 4 / 48, "next_step": step}
    (row,) = csv.DictReader(io.StringIO(run(*kernel, "--format", "csv").stdout))
    assert row["runtime.next_step"] == "5 blocks: smem=19456"
    assert printed["spreadsheet_version"] == "11.1"
    old = run("calc", "--cc", "1.3", "-t", "128", "-r", "40", columns=120).stdout
    assert "by NVIDIA's spreadsheet 2.4" in old
    assert "without --model" not in old


def test_tensor_memory_says_what_holds_in_practice() -> None:
    kernel = ("calc", "--gpu", "B200", "-t", "128", "-r", "64", "-s", "48k", "--tmem", "256")
    text = run(*kernel, columns=120).stdout
    said = " ".join(text.split())
    assert (
        "6.3% occupancy on B200, compute capability 10.0 (Blackwell): 1 block; 2 blocks, 12.5%, if "
        "the kernel relinquishes its permit to allocate tensor memory (inferred) Permit"
    ) in said
    assert "\nheld               1       6.3%  4 of 64  virtual resources (permit)\n" in text
    assert "\nrelinquished       2      12.5%  8 of 64  tensor memory\n" in text
    assert (
        "It launches. An SM has one permit to allocate tensor memory, and a block holds it to its end" in said
    )
    assert (
        " --virtual-resources 0 answers for a kernel that relinquishes it, 128 for one that does not." in said
    )
    assert "128 for one that does not. Beside 2 blocks at work one more may wait for columns" in said
    assert "virtual resources (permit) not given (128) 128 1 <- limiter" in said
    assert "Next steps relinquish the permit right after tcgen05.alloc (inferred), then 2 blocks" in said
    assert " 2 blocks, 12.5%: with no other change 4 blocks, 25%: tensor memory 256 -> 128 columns " in said
    for step in (
        "8 blocks, 50%: shared memory 48 KiB -> 27.5 KiB and tensor memory 256 -> 64 columns",
        "16 blocks, 100%: registers 64 -> 32, shared memory 48 KiB -> 13.25 KiB and tensor memory",
        "32 regs (may spill): __launch_bounds__(128, 16) or -maxrregcount=32",
        "10 more levels in --format json",
    ):
        assert step in said
    assert "relinquished: registers up to 255, shared memory up to 113 KiB" in said
    assert "Carveout 100 KiB is enough for 2 blocks: ask for 29% (of 228 KiB, rounded up) or more" in said
    assert "Left over" not in said
    assert ["tensor", "memory", "256", "columns", "512", "2"] in [line.split() for line in text.splitlines()]
    assert "296 blocks once the permits are relinquished (inferred)" in said
    assert "block size" not in text
    whole = json.loads(run(*kernel, "--format", "json").stdout)
    use = {"per_block": 256, "per_multiprocessor": 512, "blocks": 2, "reserved": 0}
    assert whole["resources"]["tensor_memory"] == use
    printed = whole["tensor_memory"]
    steps = printed.pop("next_steps_without_permit")
    assert steps[0] == {"active_blocks": 4, "occupancy": 0.25, "requires": {"tensor_memory": 128}}
    assert printed == {
        "resident_blocks": 1,
        "blocks_without_permit": 2,
        "occupancy_without_permit": 0.125,
        "limiters_without_permit": ["tensor_memory"],
        "regs_without_permit": 255,
        "smem_without_permit": 113 * 1024,
        "carveout_without_permit": 100 * 1024,
    }
    alone = run(*kernel[:-1], "512", columns=120).stdout
    assert "2 blocks, 12.5%: tensor memory 512 -> 256 columns\n" in alone
    assert "\nrelinquished" not in alone
    assert "Limited by virtual resources (permit) and tensor memory: until a block" in alone
    nothing = run("calc", "--cc", "11.0", "-t", "1024", "--tmem", "32", columns=120).stdout
    assert "none within reach for a second block: it does not fit without the permit either" in nothing
    many = json.loads(run(*kernel[:-1], "32", "--format", "json").stdout)
    assert many["resources"]["tensor_memory"]["blocks"] == 16
    assert many["tensor_memory"]["blocks_without_permit"] == 4  # the shared memory is for 4
    too_many = run(*kernel[:-1], "544").stderr
    assert "Allowed: 32, 64, ..., 512." in too_many


def test_given_virtual_resources_say_whether_a_kernel_keeps_its_permit_for_tensor_memory() -> None:
    kernel = ("calc", "--gpu", "B200", "-t", "128", "-r", "72", "--tmem", "256", "--virtual-resources")
    held = run(*kernel, "128", columns=120).stdout
    assert held.startswith("6.3% occupancy on B200, compute capability 10.0 (Blackwell)\n4 of 64 warps, ")
    assert "\nIt launches. Limited by virtual resources (permit): until a block relinquishes its" in held
    assert "relinquish the permit right after tcgen05.alloc (inferred), then\n" in held
    assert "2 blocks, 12.5%: with no other change\n" in held
    assert "\nrelinquished" not in held
    text = run(*kernel, "0", columns=120).stdout
    said = " ".join(text.split())
    assert text.startswith("12.5% occupancy on B200, compute capability 10.0 (Blackwell)\n8 of 64 warps, ")
    assert (
        "It launches. Limited by tensor memory (inferred): so many blocks have their columns at once." in said
    )
    assert "counts 7 blocks as resident, 43.8%. Only 2 of them have their columns at once" in said
    assert [line.split()[:2] for line in text.splitlines() if "<-" in line] == [["tensor", "memory"]]
    assert "148 SMs have columns for 296 blocks at once: the grid of a persistent kernel, " in said
    steps = "4 blocks, 25%: tensor memory 256 -> 128 columns 8 blocks, 50%: registers 72 -> 64 and tensor"
    assert f"Next steps {steps} memory 256 -> 64 columns" in said
    explained = run(*kernel, "0", "--explain", columns=120).stdout
    assert "\nVirtual resources\n  no limit: the kernel uses none once it has relinquished" in explained
    assert "\nTensor memory\n  512 columns per SM // 256 = 2 blocks\n" in explained
    assert "2 blocks, 43.8%: block size 128 -> 448, still 256 columns per block\n" in text
    assert "Slack registers up to 255, shared memory up to 113 KiB" in said
    printed = json.loads(run(*kernel, "0", "--format", "json").stdout)
    assert (printed["active_blocks"], printed["limiters"]) == (2, ["tensor_memory"])
    assert printed["tensor_memory"]["resident_blocks"] == 7
    assert printed["full_wave"]["blocks"] == 2 * 148
    answer = occupancy.compute("10.0", threads=128, regs=72, tensor_memory=256, virtual_resources=0)
    assert str(answer).startswith("12.5% occupancy on compute capability 10.0 (Blackwell)\n8 of 64 warps, ")
    grid = " ".join(run(*kernel, "0", "--grid", "592", columns=120).stdout.split())
    assert "Grid 592 blocks: 2.00 waves, all of them full" in grid
    enough = run(*kernel[:-2], "32", "--virtual-resources", "0", columns=120).stdout  # columns of 16 blocks
    assert enough.startswith("43.8% occupancy")
    assert "8 blocks, 50%: registers 72 -> 64\n" in enough
    assert "as resident" not in enough
    tied = ("-r", "64", "--tmem", "64", "--virtual-resources", "0")
    tie = run(*kernel[:5], *tied, columns=120).stdout
    assert "Limited by registers and tensor memory.\n" in tie
    small = run(*kernel[:3], "-t", "32", "--tmem", "32", "--virtual-resources", "0", columns=120).stdout
    assert "Next steps   only another block size can help\n" in small
    assert "16 blocks, 50%: block size 32 -> 64, still 32 columns per block\n" in small


def test_tritons_count_of_virtual_resources_does_not_say_that_the_permit_is_kept() -> None:
    record = KernelRecord(
        source="k.json", format="triton", name="k", threads=128, tensor_memory=256, virtual_resources=128
    )
    both = str(occupancy.compute("10.0", record))
    assert "\nrelinquished " in both
    assert "\nrelinquished " not in str(occupancy.compute("10.0", record, virtual_resources=128))


@given(
    warps=st.integers(1, 32),
    regs=st.none() | st.integers(1, 128),
    smem=st.none() | st.integers(0, 200_000),
    columns=st.integers(1, 16).map(lambda units: 32 * units),
)
def test_without_the_permit_each_step_is_what_fits_with_so_many_columns(
    warps: int, regs: int | None, smem: int | None, columns: int
) -> None:
    kernel = Kernel(32 * warps, regs, smem=smem, tensor_memory=columns)
    answer = occupancy.compute("10.0", kernel)
    found = tensor_memory(answer)
    if not answer.launchable:
        return
    assert found is not None
    before = found.blocks_without_permit
    for step in found.next_steps_without_permit:
        free = occupancy.compute("10.0", replace(changed(kernel, step.requires), virtual_resources=0))
        most = 512 // step.requires.get("tensor_memory", columns)
        assert step.active_blocks == free.active_blocks == min(free.resident_blocks, most) > before
        assert step.occupancy == pytest.approx(step.active_blocks * warps / 64)
        before = step.active_blocks


def test_a_split_that_waits_is_told_what_makes_it_legal() -> None:
    fewer = ("calc", "--gpu", "H100", "-t", "384", "-r", "128", "-s", "200k", "--setmaxnreg", "24,240,240")
    said = " ".join(run(*fewer, columns=120).stdout.split())
    assert (
        "one of these makes the split legal launch with 168 registers: __launch_bounds__(384, 1) 2 warp"
        in said
    )
    assert "2 warpgroups of 240: 176 registers, the others as they are" in said
    assert "block size" not in said  # 416 threads are no whole warpgroups, and 512 are other ones
    alone = run("registers", "-t", "384", "--groups", "1:40,2:240", columns=120).stdout
    assert "\nNext steps, one of these\n1 warpgroup of 40: 24 registers, the others as they are\n" in alone
    assert "launch with" not in alone  # no launch gives 176
    assert "At most: what one group can take while all others stay as they are.\n" in alone
    by = "__launch_bounds__(384, 1) gives the launch 168 registers per thread: 65,536 / 384, rounded down"
    assert by in alone
    two = run("registers", "-t", "256", "--groups", "1:24,1:104", columns=120).stdout
    assert "registers per thread: 65,536 / (4 x 256), rounded down to a multiple of 8.\n" in two
    assert "At most: " not in two


def test_what_is_left_over_says_whether_it_would_do_for_one_more_block() -> None:
    text = run("calc", "--cc", "9.0", "-t", "384", "-r", "168", columns=120).stdout
    assert "Left over    1,024 registers: too little for one more block" in text
    stopped = "52 warps and 227 KiB shared memory: enough for one more block, if not for registers"
    assert stopped in text
    small = run("calc", "--cc", "9.0", "-t", "32", columns=120).stdout
    assert "enough for one more block, if not for the number of blocks" in small


@pytest.mark.parametrize(
    ("cc", "threads", "regs", "is_said"),
    [
        ("9.0", 384, 168, True),
        ("12.0", 256, 240, True),
        ("9.0", 128, 255, False),  # one warpgroup
        ("9.0", 320, 200, False),  # no whole warpgroups
        ("9.0", 512, 128, True),
        ("9.0", 1024, 64, False),  # a usual block
        ("9.0", 384, 128, False),  # three quarters of the registers
        ("8.0", 384, 168, False),
        ("9.0", 1024, 128, False),  # more registers than there are
    ],
)
def test_registers_that_warpgroups_may_divide(cc: str, threads: int, regs: int, is_said: bool) -> None:
    kernel = ("calc", "--cc", cc, "-t", str(threads), "-r", str(regs))
    text = run(*kernel, columns=200).stdout
    split = f"1:24,{threads // 128 - 1}:?"
    said = (
        "Next steps   if warpgroups use setmaxnreg, skip steps to fewer registers, and add the split: "
        f"--setmaxnreg '{split}'\n"
    )
    assert (said in text) is ("setmaxnreg" in text) is is_said
    assert json.loads(run(*kernel, "--format", "json").stdout)["registers_may_be_divided"] is is_said
    if is_said:
        assert "The split is legal: " in run(*kernel, "--setmaxnreg", split, columns=200).stdout


def test_a_block_refused_for_warps_counted_alike_in_each_sub_partition_says_so() -> None:
    kernel = ("calc", "--cc", "8.6", "-t", "800", "-r", "80")
    said = " ".join(run(*kernel, columns=100).stdout.split())
    assert (
        "800 threads of 80 registers take 71,680 registers in one block (25 warps count as 28, as many in "
        "each of 4 sub-partitions), but a block may have at most 65,536."
    ) in said
    assert "registers 64,000, counted as 71,680 65,536 0 <- limiter" in said
    assert json.loads(run(*kernel, "--format", "json").stdout)["registers_checked"] == 71_680
    whole = ("calc", "--cc", "8.6", "-t", "1024", "-r", "80")
    assert "count as" not in run(*whole, columns=100).stdout
    assert json.loads(run(*whole, "--format", "json").stdout)["registers_checked"] is None


def test_a_split_of_the_registers_beside_shared_memory_and_clusters() -> None:
    kernel = ("calc", "--gpu", "H100 SXM", "-t", "384", "-s", "220KiB", "--cluster", "2", "--setmaxnreg")
    text = run(*kernel, "24,240,240", "-r", "168", columns=120).stdout
    said = " ".join(text.split())
    assert "Limited by registers and shared memory. The split is legal: 3 warpgroups take 64,512" in said
    assert "Split 1 warpgroup: 24 registers by setmaxnreg.dec, at most 24 2 warpgroups: 240 registers" in said
    assert "declare it with __launch_bounds__(384, 1), else ptxas drops setmaxnreg (C7508)" in said
    assert "compile for sm_90a: plain sm_90 has no setmaxnreg" in said
    assert "fewer is no advice" not in said  # it is said once
    assert "66 clusters of 2" in said
    assert "Next steps none: the warpgroups need the registers" in said
    assert run(*kernel[:-1], "--groups", "1:24,2:240", columns=120).stdout == text  # bounds give as many
    waits = (*kernel, "40,240,240", "-r", "168")
    assert "It launches, and then waits for ever: 3 warpgroups take 66,560 registers" in run(*waits).stdout
    assert run(*waits).stdout.startswith("18.8% occupancy, but it waits for ever, on H100 SXM5, compute capa")
    assert "declare" not in run(*waits).stdout
    assert (run(*waits).exit_code, run(*waits, "--exit-code").exit_code) == (0, 1)
    split = json.loads(run(*waits, "--format", "json").stdout)["split"]
    alone = run(
        "registers", "-t", "384", "--setmaxnreg", "40,240,240", "-s", "220k", "-r", "168", "--format", "json"
    )
    assert split == json.loads(alone.stdout)["split"]
    assert (split["suffices"], split["limiters"]) == (False, ["registers", "shared_memory"])
    (row,) = csv.DictReader(io.StringIO(run(*waits, "--format", "csv").stdout))
    assert (row["split.groups"], row["split.needed_regs"]) == ("1: 40;2: 240", "176")
    assert "--setmaxnreg: answers for one chip, and 2 are named." in run(*waits, "--cc", "10.0").stderr
    assert "`occupancy calc --setmaxnreg` answers for it." in run("fits", "--setmaxnreg", "240").stderr
    permit = ("calc", "--cc", "10.0", "-t", "256", "--tmem", "128", "--setmaxnreg")
    both = run(*permit, "64,240", "--regs", "128").stdout
    assert "It launches, and then waits for ever: 2 warpgroups" in both
    assert both.startswith("12.5% occupancy, but it waits for ever, on compute")
    assert "The split is legal: 2 warpgroups take" in " ".join(run(*permit, "40,200").stdout.split())
    assert "1 warpgroup takes " in run("registers", "-t", "128", "--groups", "240").stdout
    too_large = run("registers", "-t", "384", "--groups", "24,240,240", "-s", "300k")
    assert too_large.exit_code == 1
    assert too_large.stdout.startswith("Does not launch: 307,200 bytes of shared memory in one block, ")
    assert "\nThe split by itself is legal: 3 warpgroups take 64,512 registers" in too_large.stdout


def test_explain_says_why_the_spreadsheet_differs_from_cuda() -> None:
    kernel = ("--cc", "8.6", "--threads", "256", "--regs", "40", "--smem", "16k", "--explain")
    text = run("calc", *kernel, "--model", "spreadsheet", columns=200).stdout
    assert "The CUDA runtime gives 5 blocks, 83.3%." in text
    assert (
        "Why: The spreadsheet leaves out 1,024 bytes that the system takes for each resident block." in text
    )
    assert "leaves out" not in run("calc", *kernel, columns=200).stdout
    assert text.count("The CUDA runtime: ") == 1  # of the one resource in which they differ
    assert "The CUDA runtime: 16,384 bytes + 1,024 reserved = 17,408, rounded up" in text


def test_what_is_known_and_not_compared_is_not_called_no_limit() -> None:
    text = run("calc", "--cc", "8.0", "--threads", "128", "--barriers", "4").stdout
    assert re.search(r"^barriers +4 +64 +not counted$", text, re.MULTILINE), text
    none = run("calc", "--cc", "8.0", "--threads", "128", "--barriers", "0").stdout
    assert "not counted" not in none
    assert re.search(r"^registers +not given +65,536 +no limit$", none, re.MULTILINE), none
