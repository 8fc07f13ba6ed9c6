"""The arithmetic in words: that it adds up, for every kind of chip, and says what surprises."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given

import occupancy
from occupancy.engine import evaluate
from occupancy.report.calc.explain import explain
from tests.property.strategies import Question, questions

# 64 warps per SM // 8 warps = 8; 16384 per sub-partition // 1280 = 12
DIVISION = re.compile(r"(\d+)(?: [a-z]+)?(?: per [a-zA-Z-]+)? // (\d+)[^=,;]* = (\d+)")
# 6 warps, counted as 8, x 5376 = 43008 <= 65536 per block: launches
CHECK = re.compile(r"(\d+)(?: warps?|,) x (\d+) = (\d+) (<=|>) (\d+) per block: (launches|0 blocks)")
RESULT = re.compile(r"(\d+) blocks?(?: per SM)?$")


@given(questions())
def test_every_step_adds_up_to_the_answer(question: Question) -> None:
    result = evaluate(*question)
    for explanation in explain(result):
        for step in explanation.steps:
            for dividend, divisor, quotient in DIVISION.findall(step):
                assert int(dividend) // int(divisor) == int(quotient), step
            for warps, per_warp, product, sign, most, outcome in CHECK.findall(step):
                assert int(warps) * int(per_warp) == int(product), step
                assert (int(product) > int(most)) == (sign == ">") == (outcome == "0 blocks"), step
        blocks = getattr(result.block_limits, explanation.resource)
        last = explanation.steps[-1]
        if blocks is None:
            assert last.startswith("no limit"), last
        else:
            found = RESULT.search(last)
            assert found is not None, last
            assert int(found[1]) == blocks, last


def registers_of(cc: str | occupancy.Limits, **kernel: Any) -> tuple[tuple[str, ...], str | None]:
    explanations = occupancy.compute(cc, **kernel).report(explain=True).explanation
    assert explanations is not None
    (found,) = (each for each in explanations if each.resource == "registers")
    return found.steps, found.why


def test_6_0_is_checked_as_its_family() -> None:
    _, why = registers_of("6.0", threads=288, regs=168)
    assert "all 4 sub-partitions" in str(why)
    assert "others of its family" in str(why)


def test_6_0_that_fails_only_in_the_sub_partitions_of_its_family() -> None:
    sm = occupancy.limits("6.0").replace(max_registers_per_multiprocessor=32768)
    steps, _ = registers_of(sm, threads=160, regs=168)
    assert steps[-1] == "launch check: 4 warps fit in 4 sub-partitions: 0 blocks"


@pytest.mark.parametrize(
    ("cc", "kernel", "step"),
    [
        ("12.0", {"threads": 1}, "1 thread / 32, rounded up = 1 warp"),
        ("9.0", {"threads": 32, "regs": 1}, "1 register x 32 threads = 32, rounded up to 256s: 256 per warp"),
        ("1.0", {"threads": 32, "regs": 8}, "1 warp, rounded up to 2s: 2"),
    ],
)
def test_one_is_singular(cc: str, kernel: dict[str, int], step: str) -> None:
    explanations = occupancy.compute(cc, **kernel).report(explain=True).explanation  # type: ignore[arg-type]
    assert explanations is not None
    assert step in [each for explanation in explanations for each in explanation.steps]


@pytest.mark.parametrize(
    ("registers_per_sm", "last"),
    [
        (65536, "64 // 4 warps = 16 blocks"),
        (131072, "64 // 4 warps = 16, x 2 shares per SM = 32 blocks"),
        (32768, "64 // 4 warps = 16, x 0 shares per SM = 0 blocks"),
    ],
)
def test_the_spreadsheet_counts_whole_shares(registers_per_sm: int, last: str) -> None:
    sm = occupancy.limits("8.0").replace(max_registers_per_multiprocessor=registers_per_sm)
    steps, _ = registers_of(sm, threads=128, regs=32, model="spreadsheet")
    assert steps[-1] == last


def test_caching_that_is_given_up_is_told() -> None:
    report = occupancy.compute("5.2", threads=512, regs=65, caching="ca").report(explain=True)
    assert report.explanation is not None
    assert "does without caching" in str(report.explanation[0].why)
    assert ["not cached in L1" in note for note in report.notes] == [True]
    assert occupancy.compute("5.2", threads=128, regs=85, caching="ca").report().notes == ()


def test_one_block_of_the_runtime_is_singular() -> None:
    note, _ = occupancy.compute("8.6", threads=32, smem="50k", model="spreadsheet").report().notes
    assert note == "The CUDA runtime gives 1 block, 2.1%."


@pytest.mark.parametrize(
    ("cc", "arguments", "resource", "step"),
    [
        ("8.0", {"threads": 200, "regs": 72}, "warps", "200 threads / 32, rounded up = 7 warps"),
        ("8.0", {"threads": 200, "regs": 72}, "registers", "launch check: 7 warps, counted as 8, "),
        ("8.0", {"threads": 200, "regs": 38}, "registers", "16384 per sub-partition // 1280 = 12 warps"),
        ("8.0", {"threads": 200, "smem": "30k"}, "shared_memory", "30720 bytes + 1024 reserved = 31744"),
        ("8.0", {"threads": 200, "smem": "300k"}, "shared_memory", "307200 bytes + 1024 reserved"),
        ("10.0", {"threads": 128, "tensor_memory": 256}, "tensor_memory", "512 columns per SM // 256 = 2"),
        ("2.0", {"threads": 256, "regs": 21, "model": "spreadsheet"}, "registers", "21 registers x 32 thr"),
    ],
)
def test_a_reason_is_of_the_step_that_surprises(
    cc: str, arguments: dict[str, Any], resource: str, step: str
) -> None:
    answer = occupancy.compute(cc, **arguments)
    (found,) = (each for each in answer.explain() if each.resource == resource)
    assert found.why_of is not None
    assert found.steps[found.why_of].startswith(step)
    lines = str(answer.explain()).replace(",", "").splitlines()
    place = next(
        number for number, line in enumerate(lines) if line.strip().startswith(step.replace(",", ""))
    )
    assert any(line.startswith("  Why: ") for line in lines[place + 1 : place + 3])
