"""The three curves: all values of a step have the same occupancy."""

from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any

import pytest

from occupancy import compute
from occupancy.builds.names import contains
from occupancy.engine import Result
from occupancy.render.terminal import text
from occupancy.report.model import Column, Report, cut_in_middle
from occupancy.report.sweep import curves

KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("7.0", {"threads": 128, "regs": 37}), ("9.0", {"threads": 128, "regs": 37, "smem": 40_000}),
    ("9.0", {"threads": 1000, "regs": 70, "static_smem": 1000, "dynamic_smem": 229_000}),
    ("9.0", {"threads": 64, "regs": 16, "smem": 60_000, "opt_in": False}),
    ("8.6", {"threads": 96, "regs": 40, "smem": 9_000, "carveout": 16}),
    ("5.2", {"threads": 128, "regs": 85, "caching": "ca"}),
    ("2.0", {"threads": 192, "regs": 21, "smem": 5_000}),
    ("1.3", {"threads": 100, "regs": 10, "smem": 2_000}), ("8.0", {"threads": 5000, "regs": 0}),
]  # fmt: skip

answer = attrgetter("active_blocks", "active_warps", "limiters")


@pytest.mark.parametrize(("cc", "kernel"), KERNELS)
class TestExactness:
    def test_steps_leave_no_gap_and_differ(self, cc: str, kernel: dict[str, Any]) -> None:
        result = compute(cc, **kernel)
        found = curves(result)
        limits = result.limits
        assert (found["threads"][0].first, found["threads"][-1].last) == (1, limits.max_threads_per_block)
        assert (found["regs"][0].first, found["regs"][-1].last) == (1, limits.max_registers_per_thread)
        assert found["smem"][0].first == 0
        for steps in found.values():
            assert all(before.last + 1 == after.first for before, after in pairwise(steps))
            assert all(answer(before.result) != answer(after.result) for before, after in pairwise(steps))

    def test_steps_are_the_engines_results(self, cc: str, kernel: dict[str, Any]) -> None:
        result = compute(cc, **kernel)
        for name, steps in curves(result).items():
            edges = {each for step in steps for each in (step.first, step.last)}
            stride = 61 if name == "smem" else 1
            for value in {*range(steps[0].first, steps[-1].last + 1, stride), *edges}:
                changes: Any = {name: value}
                expected = Result(result.limits, result.kernel.replace(**changes), result.model)
                # Values after the last step are equal to it.
                found = next((step for step in steps if value <= step.last), steps[-1])
                assert answer(found.result) == answer(expected), (name, value)


def test_shared_memory_that_no_block_can_have_is_shown_only_for_a_kernel_that_requests_it() -> None:
    assert curves(compute("9.0", threads=64, smem=1, opt_in=False))["smem"][-1].last == 48 * 1024
    assert curves(compute("5.2", threads=64))["smem"][-1].last == 48 * 1024
    assert not curves(compute("9.0", threads=64, smem=49_153, opt_in=False))["smem"][-1].result.active_blocks


def test_names_are_cut_to_the_part_that_differs_and_found() -> None:
    names = [f"gemm<{'float, ' * 9}{size}{', float' * 9}>" for size in (16, 32)]
    cut = cut_in_middle(names, 24)
    assert [[contains((part,), name) for name in names] for part in cut] == [[True, False], [False, True]]
    rows = [(f"k<{'a, ' * 9}{size}{'b, ' * 9}{kind}, c>", "warps") for size in "34" for kind in ("on", "in")]
    columns = [Column("k", "K", itemgetter(0), cut_to=9), Column("l", "Limiter", itemgetter(1), optional=1)]
    report = Report("scan", [], columns, rows)
    assert ["Limiter." in text(report, width) for width in (40, 99)] == [True, False]
