from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

import occupancy
from occupancy import InputError
from occupancy.advice.budget import Budget
from occupancy.advice.budget import budget as _budget
from occupancy.advice.carveout import carveout as _carveout
from occupancy.advice.launch_bounds import launch_bounds as _launch_bounds
from occupancy.advice.next_steps import next_steps as _next_steps
from occupancy.advice.portability import fits as _fits
from occupancy.advice.runtime import CALL, LaunchConfiguration
from occupancy.advice.runtime import (
    available_dynamic_shared_memory_per_block as _available_dynamic_shared_memory_per_block,
)
from occupancy.advice.slack import slack as _slack
from occupancy.tables.gpus import Gpu
from occupancy.values.kernel import Carveout, Kernel


def test_each_question_takes_the_arguments_of_compute() -> None:
    arguments: Any = {
        "threads": (16, 16), "regs": "70", "static_smem": "4k", "dynamic_smem": 1000, "carveout": "100%",
        "barriers": 2, "opt_in": True, "model": "cuda",
    }  # fmt: skip
    sm = occupancy.limits("9.0")
    answer = occupancy.compute(sm, **arguments)
    kernel = answer.kernel
    assert occupancy.next_steps("9.0", **arguments) == tuple(_next_steps(answer))
    assert occupancy.slack("9.0", **arguments) == _slack(answer)
    assert occupancy.carveout("9.0", **arguments) == _carveout(answer)
    budget = occupancy.budget("9.0", blocks="2", **arguments)
    assert Budget(budget.wanted, budget.levels) == _budget(Gpu(sm), kernel, blocks=2)
    assert occupancy.launch_bounds("9.0", min_blocks=3, **arguments) == _launch_bounds(Gpu(sm), kernel, 3)
    assert occupancy.fits(ccs=[90], **arguments) == _fits([sm], kernel)
    assert occupancy.max_active_blocks_per_multiprocessor("9.0", **arguments) == 3


@pytest.mark.parametrize("share", [0.75, "75%", "0.75", " 75 % "])
def test_an_occupancy_as_people_write_it(share: float | str) -> None:
    wanted = occupancy.budget("9.0", threads=256, occupancy=share).wanted
    assert wanted is not None
    assert wanted.active_blocks == 6


def test_a_rounded_occupancy_means_the_one_that_it_was_rounded_from() -> None:
    assert occupancy.compute("8.6", threads=1024).occupancy == 2 / 3
    wanted = occupancy.budget("8.6", threads=1024, occupancy="66.7%").wanted
    assert wanted is not None
    assert wanted.active_blocks == 1


def test_a_budget_beside_what_is_given() -> None:
    """What the kernel uses must allow what is asked for; it does not change what it may use."""
    with_registers = occupancy.budget("9.0", threads=256, regs=40, blocks=6)
    without = occupancy.budget("9.0", threads=256, blocks=6)
    assert (with_registers.wanted, with_registers.levels) == (without.wanted, without.levels)
    with pytest.raises(InputError, match=r"the most is 6 \(75%\), limited by registers"):
        occupancy.budget("9.0", threads=256, regs=40, blocks=7)


def test_a_level_that_costs_nothing_more_is_reached_instead() -> None:
    """Without shared memory 32 registers allow 8 blocks as well as 7."""
    levels = occupancy.budget("6.0", threads=256, blocks=7).levels
    assert {level.regs for level in levels if level.active_blocks in (7, 8)} == {32}


def test_shared_memory_as_a_function_of_the_block_size() -> None:
    def tile(threads: int) -> int:
        return threads * threads // 8

    sizes = occupancy.block_sizes("9.0", static_smem=256, dynamic_smem=tile)
    assert {each.threads: each.dynamic_smem for each in sizes} == {
        threads: tile(threads) for threads in range(32, 1025, 32)
    }
    best = occupancy.max_potential_block_size(
        "9.0", multiprocessor_count=2, dynamic_smem=tile, static_smem=256
    )
    assert (best.block_size, best.min_grid_size) == (512, 8)
    limited = occupancy.max_potential_block_size("9.0", multiprocessor_count=2, block_size_limit=100)
    assert (limited.block_size, limited.min_grid_size) == (64, 64)


def test_no_block_size_fits() -> None:
    best = occupancy.max_potential_block_size("9.0", multiprocessor_count=2, smem="300k")
    assert best == LaunchConfiguration(0, 0, 0.0, CALL)


def test_the_driver_promises_1024_bytes_too_many() -> None:
    right = occupancy.available_dynamic_shared_memory_per_block("9.0", threads=256, blocks=2)
    promised = _available_dynamic_shared_memory_per_block(
        occupancy.limits("9.0"), Kernel(256), 2, driver_580=True
    )
    assert (right, promised) == (115712, 116736)
    assert occupancy.compute("9.0", threads=256, dynamic_smem=right).active_blocks == 2
    assert occupancy.compute("9.0", threads=256, dynamic_smem=promised).active_blocks == 1


def test_the_automatic_carveout_is_the_smallest_with_as_many_blocks() -> None:
    largest = occupancy.compute("9.0", threads=256, smem="10k")
    auto = occupancy.compute("9.0", threads=256, smem="10k", carveout="auto")
    assert auto.kernel.carveout == Carveout(102400, "bytes")
    assert auto.active_blocks == largest.active_blocks == 8
    smaller = occupancy.compute("9.0", threads=256, smem="10k", carveout="64k")
    assert smaller.active_blocks == 5
    assert occupancy.compute("9.0", threads=1025, carveout="auto").kernel.carveout is None


def test_an_automatic_carveout_follows_what_a_question_changes() -> None:
    """It is the smallest that holds the blocks of a kernel, but there is no kernel yet, or another one."""
    auto, largest = ({"threads": 256, "smem": "96k", "carveout": each} for each in ("auto", None))
    assert occupancy.next_steps("9.0", **auto) == occupancy.next_steps("9.0", **largest)  # type: ignore[arg-type]
    assert occupancy.slack("9.0", **auto) == occupancy.slack("9.0", **largest)  # type: ignore[arg-type]
    budget = occupancy.budget("9.0", threads=256, blocks=2, carveout=" Auto ")
    assert budget.wanted is not None
    assert budget.wanted.smem == 115712


def test_l1_beside_the_shared_memory() -> None:
    sizes = occupancy.carveout("8.0", threads=256, smem="40k").configurations
    assert [(each.shared_memory, each.l1) for each in sizes][:2] == [(65536, 131072), (102400, 94208)]
    separate = occupancy.carveout("6.1", threads=256, smem="40k").configurations
    assert [(each.shared_memory, each.l1, each.percent) for each in separate] == [(98304, None, None)]


def test_a_kernel_needs_the_opt_in_above_48_kib() -> None:
    def needed(cc: str, smem: int) -> bool:
        return bool(occupancy.fits(ccs=[cc], threads=32, smem=smem)[0].opt_ins)

    assert [needed("9.0", 49152), needed("9.0", 49153), needed("9.0", 232448)] == [False, True, True]
    assert not needed("9.0", 232449)
    assert not needed("6.1", 49153)


def test_what_no_compiler_makes_cannot_run() -> None:
    old, new = occupancy.fits(ccs=["7.0", "9.0"], threads=32, static_smem="64k")
    for each in (old, new):
        assert (each.launchable, each.can_run) == (True, False)
        assert (
            each.refused_by_compiler
            == occupancy.compute(each.cc, threads=32, static_smem="64k").report().refused_by_compiler
        )
        assert str(each) == f"{each.cc}: {each.refused_by_compiler}"
    assert occupancy.fits(ccs="9.0", threads=32, smem="64k")[0].can_run


def test_what_a_chip_does_not_offer_stops_the_kernel_there_alone() -> None:
    old, new = occupancy.fits(ccs=["6.1", "9.0"], threads=32, caching="ca")
    assert old.launchable
    assert (new.launchable, new.limit) == (False, None)
    assert new.reason is not None
    assert new.reason == "compute capability 9.0 has no choice of the caching of global loads"


def test_one_chip_is_not_its_letters() -> None:
    assert [each.cc for each in occupancy.fits(ccs="9.0", threads=32)] == ["9.0"]


def test_everywhere_is_the_whole_table() -> None:
    fits = occupancy.fits(threads=32)
    assert [each.cc for each in fits] == [str(cc) for cc in occupancy.compute_capabilities()]
    assert all(each.launchable for each in fits)


def test_registers_above_the_cap_of_launch_bounds_count_as_the_cap() -> None:
    assert occupancy.launch_bounds("8.0", threads=256, min_blocks=8).regs == 32
    assert occupancy.launch_bounds("8.0", threads=256, min_blocks=8, regs=24).regs == 24
    assert occupancy.launch_bounds("8.0", threads=256, min_blocks=8, regs=64).regs == 32
    assert occupancy.launch_bounds("8.0", threads=256).launch_bounds == "__launch_bounds__(256)"
    assert (
        occupancy.launch_bounds("8.0", threads=256, min_blocks=8).launch_bounds == "__launch_bounds__(256, 8)"
    )


def test_the_compiler_divides_the_registers_of_6_0_as_for_the_rest_of_its_family() -> None:
    assert occupancy.launch_bounds("6.0", threads=32, min_blocks=9).register_cap == 168
    assert occupancy.compute("6.0", threads=32, regs=200).active_blocks >= 9


@pytest.mark.parametrize(
    ("question", "complaint"),
    [
        (lambda: occupancy.budget("9.0", threads=256, occupancy=101), r"occupancy: 1.01 \(101%\) is out"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy="0%"), r"occupancy: 0 \(0%\) is out"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy=-1), r"occupancy: -1 \(-100%\) is out"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy="nan"), "'nan' is not a share"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy="most"), "'most' is not a share"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy=True), "True is not a share"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy=float("inf")), "inf is not a share"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy="٥٠%"), "is not a share"),
        (lambda: occupancy.budget("9.0", threads=256, occupancy=1, blocks=8), "both say what is wanted"),
        (lambda: occupancy.budget("9.0", threads=256, blocks=0), "blocks: 0 is out of range"),
        (lambda: occupancy.budget("9.0", threads=256, blocks=9), r"the most is 8 \(100%\), limited by warps"),
        (lambda: occupancy.budget("9.0", threads=32, blocks=33), "the most is 32 .50%., limited by blocks"),
        (lambda: occupancy.budget("9.0", threads=224, occupancy=1), r"the most is 9 \(98.44%\)"),
        (lambda: occupancy.budget("9.0", threads=1025, blocks=1), "no block of 1025 threads can be resident"),
        (lambda: occupancy.launch_bounds("9.0", threads=1025), "1025 is more than a block may have on 9.0"),
        (lambda: occupancy.launch_bounds("1.3", threads=513), "Allowed: 1 to 512"),
        (lambda: occupancy.launch_bounds("9.0", threads=128, min_blocks=0), "0 is out of range"),
        (lambda: occupancy.fits(ccs=[], threads=128), "names no GPU"),
        (lambda: occupancy.block_sizes("9.0", dynamic_smem=lambda threads: -1), "-1 is out of range"),
        (
            lambda: occupancy.block_sizes("9.0", dynamic_smem=lambda threads: cast(int, None)),
            "the function gives None for 1024 threads",
        ),
        (lambda: occupancy.block_sizes("9.0", smem=1, dynamic_smem=lambda threads: 1), "Give the total"),
        (
            lambda: occupancy.max_potential_block_size("9.0", regs=40),
            "^multiprocessor_count: is missing. Give the number of SMs",
        ),
        (
            lambda: occupancy.max_potential_block_size("H100", regs=40),
            "^multiprocessor_count: 'H100' is the name of GPUs with different numbers of SMs",
        ),
        (
            lambda: occupancy.max_active_clusters("9.0", threads=256, cluster_size=4),
            "^multiprocessor_count: is missing. Give the number of SMs",
        ),
        (
            lambda: occupancy.compute("9.0", threads=256).waves(300),
            "^multiprocessor_count: is missing. Give the number of SMs",
        ),
        (
            lambda: occupancy.compute("9.0", threads=256).waves(300, multiprocessor_count="x"),
            "^multiprocessor_count: 'x' is not a whole number",
        ),
        (
            lambda: occupancy.compute("9.0", threads=256).waves(
                300, multiprocessor_count=132, cluster=2, max_active_clusters="x"
            ),
            "^max_active_clusters: 'x' is not a whole number",
        ),
        (
            lambda: occupancy.fits(threads=256, cluster=10**20),
            r"^cluster: 1.* blocks are out of range. Allowed: 1 to 2,147,483,647\.",
        ),
        (
            lambda: occupancy.scan("nothing.cubin", multiprocessor_count="x"),
            "^multiprocessor_count: 'x' is not a whole number",
        ),
        (
            lambda: occupancy.max_potential_block_size("9.0", multiprocessor_count=0),
            "multiprocessor_count: 0 is out of range",
        ),
        (
            lambda: occupancy.max_potential_block_size("9.0", multiprocessor_count=1, block_size_limit=-1),
            "block_size_limit: -1 is out of range",
        ),
        (
            lambda: occupancy.available_dynamic_shared_memory_per_block("9.0", threads=256, blocks=9),
            "9 blocks of 256 threads are not resident on 9.0",
        ),
        (
            lambda: occupancy.max_active_clusters("8.9", threads=256, multiprocessor_count=1, cluster_size=2),
            "8.9 has no clusters",
        ),
        (
            lambda: occupancy.max_active_clusters(
                "9.0", threads=256, multiprocessor_count=1, cluster_size=17
            ),
            "17 blocks per cluster are out of range",
        ),
        (lambda: occupancy.max_active_blocks_per_multiprocessor("2.0", threads=32), "does not know compute"),
    ],
)
def test_bad_input_gets_a_clear_error(question: Callable[[], object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        question()


def test_a_product_brings_its_number_of_multiprocessors() -> None:
    by_number = occupancy.max_potential_block_size("9.0", multiprocessor_count=132, regs=40)
    assert occupancy.max_potential_block_size("H100 SXM", regs=40) == by_number
    assert occupancy.max_potential_block_size("H100 SXM", multiprocessor_count="132", regs=40) == by_number
    half = occupancy.max_potential_block_size("H100 SXM", multiprocessor_count=66, regs=40)
    assert half.min_grid_size * 2 == by_number.min_grid_size
    clusters = occupancy.max_active_clusters("H100 SXM", threads=256, cluster_size=4)
    assert clusters == occupancy.max_active_clusters(
        "9.0", threads=256, multiprocessor_count=132, cluster_size=4
    )
