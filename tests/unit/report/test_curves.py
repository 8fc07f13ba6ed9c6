"""The three curves: every step holds for each of its values."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import occupancy
from occupancy import compute
from occupancy.advice.search import changed
from occupancy.engine import Answer, evaluate
from occupancy.report.curves import Better, Curve, Step, curves_report

KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("7.0", {"threads": 128, "regs": 37}),
    ("9.0", {"threads": 128, "regs": 37, "smem": 40_000}),
    ("9.0", {"threads": 1000, "regs": 70, "static_smem": 1000, "dynamic_smem": 229_000}),
    ("9.0", {"threads": 64, "regs": 16, "smem": 60_000, "opt_in": False}),
    ("8.6", {"threads": 96, "regs": 40, "smem": 9_000, "carveout": 16}),
    ("5.2", {"threads": 128, "regs": 85, "caching": "ca"}),
    ("2.0", {"threads": 192, "regs": 21, "smem": 5_000}),
    ("1.3", {"threads": 100, "regs": 10, "smem": 2_000}),
    ("8.0", {"threads": 5000, "regs": 0}),
]


@pytest.mark.parametrize(("cc", "kernel"), KERNELS)
class TestExactness:
    def test_steps_leave_no_gap(self, cc: str, kernel: dict[str, Any]) -> None:
        result = compute(cc, **kernel)
        threads, registers, shared_memory = curves_report(result).curves
        assert ends(threads) == (1, result.limits.max_threads_per_block)
        assert ends(registers) == (1, result.limits.max_registers_per_thread)
        assert ends(shared_memory)[0] == 0
        for curve in (threads, registers, shared_memory):
            assert all(before.last + 1 == after.first for before, after in pairwise(curve.steps))

    def test_steps_are_the_engines_answers(self, cc: str, kernel: dict[str, Any]) -> None:
        result = compute(cc, **kernel)
        for curve in curves_report(result).curves:
            first, last = ends(curve)
            stride = 61 if curve.variable == "smem" else 1
            edges = {each for step in curve.steps for each in (step.first, step.last)}
            for value in {*range(first, last + 1, stride), *edges}:
                answer = answer_at(result, curve, value)
                step = at(curve, value)
                assert (step.active_blocks, step.active_warps, step.occupancy, step.limiters) == (
                    answer.active_blocks,
                    answer.active_warps,
                    answer.occupancy,
                    answer.limiters,
                ), (curve.variable, value)

    def test_no_two_neighbours_are_alike(self, cc: str, kernel: dict[str, Any]) -> None:
        for curve in curves_report(compute(cc, **kernel)).curves:
            answers = [(step.active_blocks, step.active_warps, step.limiters) for step in curve.steps]
            assert all(before != after for before, after in pairwise(answers))

    def test_the_better_are_the_nearest(self, cc: str, kernel: dict[str, Any]) -> None:
        result = compute(cc, **kernel)
        for curve in curves_report(result).curves:
            if curve.now is None:
                assert curve.better == ()
                continue
            first, last = ends(curve)
            better = [
                value
                for value in range(first, last + 1)
                if at(curve, value).active_warps > result.active_warps
            ]
            below = max((value for value in better if value < curve.now), default=None)
            above = min((value for value in better if value > curve.now), default=None)
            if above is not None and curve.variable == "threads":
                above = at(curve, above).last
            assert [each.value for each in curve.better] == [
                each for each in (below, above) if each is not None
            ]


def ends(curve: Curve) -> tuple[int, int]:
    """The lowest value and the highest."""
    return curve.steps[0].first, curve.steps[-1].last


def at(curve: Curve, value: int) -> Step:
    """The step that holds a value, or the one nearest to it."""
    return next((step for step in curve.steps if value <= step.last), curve.steps[-1])


def answer_at(result: Answer, curve: Curve, value: int) -> Answer:
    return evaluate(result.limits, changed(result.kernel, {curve.variable: value}), result.model)


def test_the_spreadsheets_example() -> None:
    report = curves_report(compute("7.0", threads=128, regs=37))
    threads, registers, shared_memory = report.curves
    assert (threads.now, registers.now, shared_memory.now) == (128, 37, None)
    assert at(threads, 128) == Step(97, 128, 12, 48, 0.75, ("registers",))
    assert threads.better == ()
    assert at(registers, 37) == Step(33, 40, 12, 48, 0.75, ("registers",))
    assert registers.better == (Better(32, 16, 64, 1.0),)
    assert ends(shared_memory)[1] == 96 * 1024
    assert report.max_warps_per_multiprocessor == 64


def test_the_shared_memory_that_no_block_can_have_is_left_out() -> None:
    report = curves_report(compute("9.0", threads=64, smem=1, opt_in=False))
    assert report.curves[2].steps[-1].last == 48 * 1024
    assert curves_report(compute("5.2", threads=64)).curves[2].steps[-1].last == 48 * 1024


def test_unless_the_kernel_asks_for_it() -> None:
    curve = curves_report(compute("9.0", threads=64, smem=49_153, opt_in=False)).curves[2]
    assert curve.steps[-1].active_blocks == 0
    assert curve.better == (Better(49_152, 4, 8, 0.125),)


def test_to_dict() -> None:
    values = curves_report(compute("9.0", threads=128)).to_dict()
    assert values["inputs"]["threads"] == 128
    assert [curve["variable"] for curve in values["curves"]] == ["threads", "regs", "smem"]
    assert values["schema_version"] == 2
    assert values["max_warps_per_multiprocessor"] == occupancy.limits("9.0").max_warps_per_multiprocessor
