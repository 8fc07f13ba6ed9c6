"""Common behavior of all commands: help and system errors."""

import os
import re
from pathlib import Path
from unittest.mock import Mock

import click
import pytest

from occupancy.cli import commands
from occupancy.cli.command import errors_as_messages
from occupancy.report.scan import chosen_columns
from tests import hostile
from tests.cli_runner import COMMANDS, as_json, run


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_prints_no_escape_sequence(command: str) -> None:
    shown = run(*command.split(), "--help").stdout
    assert shown.startswith("Usage: occupancy")
    found = COMMANDS.get(command, commands)
    assert all(each.opts[-1] in shown for each in found.params if isinstance(each, click.Option))
    sections = ["Examples", "Options", "Kernel", "Launch", "GPU", "Advanced", "Output"]
    assert command != "calc" or re.findall(r"^(\w+):$", shown, re.MULTILINE) == sections
    assert "\\b" not in shown
    assert not re.search(r"^  \[?[A-Z]+\]?(\.\.\.)?$", shown, re.MULTILINE), "no row without a description"


@pytest.mark.parametrize(("command", "line"), [
    ("calc --cc 10.0 -t 128 -r 40 --tensor-memory 512 --virtual-resources 0",
     "      12.5%       2  512 -> 256 columns"),
    ("calc --cc 3.0 -t 32 -r 64 --explain", "  64 registers per thread > 63: 0 blocks"),
    ("calc --gpu H200 -t 256 -r 64 --grid 132", "132 blocks in one wave of 528: 25% full"),
    ("calc --gpu H200 -t 256 -r 64 --grid 528", "528 blocks in 1 wave of 528: no tail"),
    ("calc --gpu H200 -t 256 -r 64 --grid 3000",
     "3,000 blocks in 5.68 waves of 528: last wave 68.2% full, GPU 5.3% idle (no tail"),
    ("fits --gpu A100,L4 -t 256 -r 72 -s 20k --occupancy 50", "Launches on 2 of 2 GPUs, 1 with at least 50%"),
    ("calc --cc 7.0,7.5,9.0 -t 1024 -r 72",
     "All: 1,024 threads with 72 registers each need 73,728 registers in one block,"),
    ("budget --cc 7.5,3.7 -t 1024 -r 40", " 1 / 2       100%         64  48 KiB  __launch_bounds__(1024, 1)"),
    ("budget --cc 9.0 --stage-smem 16k", "     2   113 KiB       7"),
    ("budget --cc 9.0 -t 256 -r 128 --stage-smem 16k", "Compute capability 9.0 (Hopper): 256 threads per block"),
    ("calc --gpu A100 -t 128 -s 20k", "       100%      16  20 -> 9.25 KiB"),  # the highest is never hidden
    ("calc --gpu A100 -t 128 -s 20k", "1 more step not shown: see --format json."),
    ("calc --gpu H100 -t 384 -r 96 --sms 132 --grid 2048 --cluster 1",
     "2,048 blocks in 15.52 waves of 132: last wave 51.5% full, GPU 3% idle (no tail"),
    ("scan tests/data/kernels/samples.exe.gz tests/data/stack --sort stack --limit 9",
     "Hidden at this width: Limited by. CSV contains every column."),
    ("block-sizes --cc 8.6 --smem-per-thread 64", "cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES)."),
    ("block-sizes --cc 8.6 --regs 40", "  8.6  768 threads, minimum grid 2 x SMs"),
    ("bounds -t 1024 --blocks 2 --cc 8.0,8.6,9.0",
     "__launch_bounds__(1024, 2): at most 32 registers per thread (ptxas ignores the"),
    ("bounds -t 384 --blocks 8.0=2,9.0=2,12.0=4 --cc 8.0,9.0,12.0",
     "__launch_bounds__(384, MIN_BLOCKS): at most 80 (8.0 and 9.0) or 40 (12.0)"),
    ("sweep --gpu H100,L4 -t 32:1024:32 -r 64", "  160 to 192   47%  63%"),
    ("calc --gpu H200,B200 -t 384 -r 168 -s 200k --cluster 4",
     "H200  9.0       18.8%       1  up to 132  registers,        37.5%: 80 regs, 113"),
    ("sweep --cc 9.0 -t 128 --static-smem 40k:60k:4k",
     "52 to 60                    no launch              0  shared memory"),
    ("bounds --cc 8.0 -t 256 --smem 200k",
     "8.0: 204,800 bytes of shared memory in one block, but a block can have at most"),
    ("scan tests/data/kernels/cubins --below 50",
     "4 of 34 kernels for 8 architectures at 256* threads: no spills, 4 below 50%"),
])  # fmt: skip
def test_lines_that_no_screen_has(command: str, line: str) -> None:
    assert line in run(*command.split()).stdout.splitlines()


def test_steps_are_left_out_where_one_wave_holds_the_grid() -> None:
    for grid, helps in (("132", False), ("528", False), ("3000", True)):
        shown = run("calc", "--gpu", "H100 SXM5", "-t", "256", "-r", "64", "--grid", grid).stdout
        assert ("To raise occupancy" in shown) == helps


def test_exit_codes() -> None:
    codes = {
        "calc --cc 9.0 -t 1024 -r 64 --exit-code": 0, "calc --cc 9.0,8.0 -t 1024 -r 65 --exit-code": 1,
        "calc --cc 9.0,8.6 -t 256 --smem 150k --exit-code": 1,
        "calc --cc 9.0 -t 256 --static-smem 100k --exit-code": 1, "calc --cc 9.0 -t 1024 -r 65": 0,
        "fits --cc 9.0,8.0 -t 256 --smem 200k --exit-code": 0,
        "fits --cc 7.5,8.0 -t 256 --smem 200k --exit-code": 1,
        "fits --cc 7.5,8.0 -t 256 --smem 200k": 0, "registers --groups 1:40,2:232": 0,
        "registers --groups 1:40,2:240": 0, "calc --gpu H100,H200 -t 32 --cluster 2 --max-active-clusters 9": 2,
        "registers --groups 1:40,2:240 --exit-code": 1, "scan tests/data/kernels/samples.cubin -t 64": 0,
        "scan tests/data/kernels/samples.cubin -t 64 -o x.csv --format json": 2,
    }  # fmt: skip
    assert {command: run(*command.split()).exit_code for command in codes} == codes
    assert run("fits", "-t", "64", columns="9" * 400).exit_code == 0, "a screen can claim any width"


def test_the_gpu_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCCUPANCY_CC", "A100")
    assert "A100, compute capability 8.0 (Ampere): " in run("calc", "-t", "256").stdout
    assert "Compute capability 9.0 (Hopper): " in run("calc", "-t=256", "-c=9.0").stdout
    assert "&amp;gpu=A100" in run("page", "-t", "256", "-o", "-").stdout
    monkeypatch.setenv("OCCUPANCY_CC", "Voodoo2")
    assert run("calc", "-t", "256").stderr.startswith("Error: OCCUPANCY_CC=Voodoo2: ")


def test_values_that_a_grid_and_a_function_of_the_block_size_add() -> None:
    commands = "calc --gpu H200 -t 128 --grid 1000", "block-sizes --cc 9.0 --smem-per-thread 32"
    calc, sizes = (as_json(*each.split()) for each in commands)
    (wave,) = calc["gpus"]
    assert (wave["waves"]["blocks_per_wave"], wave["waves"]["partial_wave_blocks"]) == (2112, 1000)
    assert all(each["dynamic_smem"] == 32 * each["threads"] for each in sizes["block_sizes"])
    clusters = "calc --gpu H200 -t 384 -r 168 -s 200k --grid 1056 --cluster 4"  # 30 clusters on a real one
    bound, exact = (as_json(*clusters.split(), *each) for each in ((), ("--max-active-clusters", "30")))
    keys = "waves", "last_wave_fill", "filling_grid_below", "filling_grid_above"
    tails = [tuple(each["gpus"][0]["waves"][key] for key in keys) for each in (bound, exact)]
    assert tails == [(8, None, None, None), (8.8, 0.8, 960, 1080)]
    assert (exact["inputs"]["grid"], exact["inputs"]["cluster"]) == ([1056, 1, 1], [4, 1, 1])


def test_columns_by_other_names() -> None:
    names = "kernel,Regs,shared,stack,spills,occ,limited_by,time,share,achieved"
    done = run("scan", "tests/data/kernels/ptxas_v.txt", "--columns", names, "--format", "csv")
    titles = run("scan", "tests/data/kernels/ptxas_v.txt", "--columns", "arch,spills_from").stdout
    assert "\n Arch  Spills from\n" in titles
    chosen = [column.title for column in chosen_columns(["cc", "Limited by", "next-step"])]
    assert chosen == ["Cc", "Limited by", "Next step"]
    assert done.stdout.splitlines()[0] == (
        "demangled,regs,smem,stack_bytes,spill_store_bytes,spill_load_bytes,occupancy,limiters,duration_us,time_share,achieved_occupancy"
    )


@pytest.mark.parametrize(("command", "shown"), [
    ("limits", "\n13.0  "), ("calc -t 64", "\nCompute capability 13.0 "), ("scan {log} -t 64", " 100% "),
    ("budget --cc 13.0,9.0 -t 64 --blocks 13.0=2,9.0=3", "\n13.0 and 9.0: "),
    ("bounds --cc 13.0,9.0 -t 64 --blocks 13.0=2,9.0=3", "\n13.0  "),
])  # fmt: skip
def test_a_table_of_ones_own(command: str, shown: str, tmp_path: Path) -> None:
    table, log = tmp_path / "limits.yaml", tmp_path / "log"
    table.write_text('schema_version: 1\ncompute_capabilities:\n  "13.0":\n    like: "9.0"\n')
    log.write_text(hostile.log("k").replace("sm_90", "sm_130"))
    done = run(*command.format(log=log).split(), "--limits", str(table))
    assert (done.exit_code, done.stderr) == (0, "")
    assert shown in done.stdout
    refused = run("limits", "--limits", str(table), "--sources")
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_a_file_that_fails_is_named_and_only_printing_is_called_writing_the_answer() -> None:
    with (
        pytest.raises(click.UsageError, match=r"^/nowhere/table: No such file or directory\.$"),
        errors_as_messages(),
    ):
        os.stat("/nowhere/table")
    with pytest.raises(click.UsageError, match=r"^The output cannot be written: "), errors_as_messages():
        click.echo("answer", file=Mock(write=Mock(side_effect=OSError(28, "No space left on device"))))
