"""Columns of tensor memory limit in every command, not in calc's table alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import occupancy
from tests.cli_runner import run

GIVEN: dict[str, Any] = {"threads": 128, "regs": 72, "smem": "40k", "tensor_memory": 256}
KERNEL = ("-t", "128", "-r", "72", "-s", "40k", "--tmem", "256")
RELINQUISHED = ("--virtual-resources", "0")


def test_charts_and_curves_have_what_calc_says() -> None:
    for asked in (("calc", "--charts"), ("sweep",)):
        text = run(asked[0], "--gpu", "B200", *KERNEL, *RELINQUISHED, *asked[1:], columns=80).stdout
        assert "Now 128 threads: 8 warps, 12.5%" in text
        assert "Now 72 registers: 8 warps, 12.5%" in text
        assert "counts as held" not in text
        held = " ".join(run(asked[0], "--gpu", "B200", *KERNEL, *asked[1:], columns=80).stdout.split())
        assert (
            "(Blackwell) The permit to allocate tensor memory counts as held; --virtual-resources 0 is for a "
            "kernel that relinquishes it. Warps per SM by threads"
        ) in held


def test_every_chip_says_so_and_what_the_header_counts() -> None:
    asked = ("fits", "--gpu", "B200,B300,H100", *KERNEL)
    chips = json.loads(run(*asked, *RELINQUISHED, "--format", "json").stdout)["chips"]
    assert [(chip["active_blocks"], chip["limiters"]) for chip in chips[:2]] == [(2, ["tensor_memory"])] * 2
    said = " ".join(run(*asked, *RELINQUISHED).stdout.split())
    assert "B200 and B300: cuda_occupancy.h, which knows no tensor memory, counts 5 blocks" in said
    held = " ".join(run(*asked).stdout.split())
    assert "B200 and B300: 2 blocks, 12.5%, limited by tensor memory, if the kernel relinquishes" in held
    kept = run(*asked, "--virtual-resources", "128").stdout
    assert "relinquishes" not in kept  # it was said that it does not


def test_block_sizes_and_budgets_end_at_the_columns() -> None:
    sizes = occupancy.block_sizes("B200", regs=72, tensor_memory=256, virtual_resources=0)
    assert max(size.active_blocks for size in sizes) == 2
    levels = json.loads(run("budget", "--gpu", "B200", *KERNEL, *RELINQUISHED, "--format", "json").stdout)[
        "levels"
    ]
    assert [level["active_blocks"] for level in levels] == [2, 1]


def test_python_answers_as_calc_does() -> None:
    answer = occupancy.compute("B200", **GIVEN, virtual_resources=0)
    printed = json.loads(run("calc", "--gpu", "B200", *KERNEL, *RELINQUISHED, "--format", "json").stdout)
    assert (answer.occupancy, answer.active_blocks, answer.limiters) == (0.125, 2, ("tensor_memory",))
    assert (printed["occupancy"], printed["active_blocks"]) == (0.125, 2)
    assert answer.resident_blocks == printed["tensor_memory"]["resident_blocks"] == 5
    assert answer.waves(592, multiprocessor_count=148).waves == 2
    on_all = occupancy.compute_on_all(["B200", "B300"], **GIVEN, virtual_resources=0)
    assert [chip.active_blocks for chip in on_all.chips] == [2, 2]
    without = occupancy.compute("B200", threads=128, regs=72)
    assert without.resident_blocks == without.active_blocks


def test_the_runtimes_calls_know_no_columns() -> None:
    given = {**GIVEN, "virtual_resources": 0}
    assert occupancy.max_active_blocks_per_multiprocessor("B200", **given) == 5
    assert occupancy.max_active_blocks_per_multiprocessor("B200", **GIVEN) == 1
    with pytest.raises(occupancy.InputError, match=r"9\.0 has no tensor memory"):
        occupancy.max_active_blocks_per_multiprocessor("9.0", **given)


def test_arrays_of_columns() -> None:
    found = occupancy.sweep("10.0", threads=128, tensor_memory=np.array([32, 64, 512]), virtual_resources=0)
    assert found.active_blocks.tolist() == [16, 8, 1]
    held = occupancy.sweep("10.0", threads=128, tensor_memory=[32, 512])
    assert held.active_blocks.tolist() == [1, 1]
    assert str(occupancy.Limiter(int(held.limiters[1]))) == "virtual_resources, tensor_memory"
    for columns, problem in ((33, "33 is no multiple of 32"), (0, "0 is out of range"), (544, "544 is out")):
        with pytest.raises(occupancy.InputError, match=problem):
            occupancy.sweep("10.0", threads=128, tensor_memory=columns)
    with pytest.raises(occupancy.InputError, match=r"9\.0 has no tensor memory"):
        occupancy.sweep("9.0", threads=128, tensor_memory=32)
