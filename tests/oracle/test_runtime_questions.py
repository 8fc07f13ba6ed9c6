"""The runtime's questions, as the advice answers them, against an H200 and against NVIDIA's header."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

from occupancy import InputError
from occupancy.advice.runtime import (
    LaunchConfiguration,
    available_dynamic_shared_memory_per_block,
    max_active_clusters,
    max_potential_block_size,
)
from occupancy.tables import shipped
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits
from tests.sampling import sampled

from . import axes
from .against_header import each_chip, is_known_to_header
from .golden import H200, Comparison, carveout_of, read_rows
from .header import Header

MULTIPROCESSORS = 132
"""SMs of the H200."""

KERNELS = sampled("count", sample=50, everything=200)
"""For each chip and question."""


def kernel_of(row: dict[str, str]) -> Kernel:
    return Kernel(
        int(row.get("threads_per_block", 1)),
        int(row["registers_per_thread"]),
        int(row["static_smem"]),
        int(row.get("dynamic_smem", 0)),
        barriers=int(row["barriers"]),
        carveout=carveout_of(row) if "carveout_percent" in row else None,
    )


def _of_the_runtime(launch: LaunchConfiguration) -> tuple[int, int]:
    return launch.min_grid_size, launch.block_size


def test_max_potential_block_size_on_an_h200() -> None:
    limits, comparison = shipped.limits(H200), Comparison()
    for row in read_rows("h200_max_potential_block_size"):
        seen = int(row["min_grid_size"]), int(row["block_size"])
        ours = max_potential_block_size(limits, kernel_of(row), MULTIPROCESSORS)
        comparison.check(row, seen, _of_the_runtime(ours))
    comparison.conclude(compared=1_103)


@sampled("stride", sample=7, everything=1)
def test_available_dynamic_shared_memory_on_an_h200(stride: int) -> None:
    """The driver's own answer, which is 1024 too high, and its refusals."""
    limits, comparison = shipped.limits(H200), Comparison()
    for row in itertools.islice(read_rows("h200_available_dynamic_smem"), 0, None, stride):
        seen = int(row["driver_580_bytes"]) if row["driver_580_bytes"] else None
        kernel, blocks = kernel_of(row), int(row["blocks"])
        comparison.check(row, seen, available(limits, kernel, blocks, driver_580=True))
        right = available(limits, kernel, blocks)
        most = limits.max_shared_memory_per_block_optin - int(row["static_smem"])
        is_promised_too_much = seen is not None and seen != most
        comparison.check(row, seen, right + 1024 if is_promised_too_much and right is not None else right)
    comparison.conclude(compared=2 * -(-12_028 // stride))


def test_no_more_clusters_on_an_h200_than_the_bound() -> None:
    limits = shipped.limits(H200)
    rows = list(read_rows("h200_max_active_clusters"))
    reached = 0
    for row in rows:
        bound = max_active_clusters(limits, kernel_of(row), MULTIPROCESSORS, int(row["cluster_size"])).at_most
        assert int(row["active_clusters"]) <= bound, row
        reached += int(row["active_clusters"]) == bound
    assert (len(rows), reached) == (4_272, 1_969)


def available(limits: Limits, kernel: Kernel, blocks: int, *, driver_580: bool = False) -> int | None:
    """None for a refusal."""
    try:
        return available_dynamic_shared_memory_per_block(limits, kernel, blocks, driver_580=driver_580)
    except InputError:
        return None


def kernels(limits: Limits, question: str, count: int) -> list[Kernel]:
    chance = random.Random(f"{question} {limits.compute_capability}")
    wanted: list[Kernel] = []
    while len(wanted) < count:
        kernel = Kernel(
            chance.choice((chance.randint(1, 1024), 32 * chance.randint(1, 32))),
            chance.choice(axes.registers(limits)),
            static_smem=chance.choice((0, 0, chance.randint(0, 49152))),
            dynamic_smem=chance.choice((0, chance.randint(0, limits.max_shared_memory_per_multiprocessor))),
            barriers=chance.choice(axes.BARRIERS),
            carveout=chance.choice(axes.configurations(limits)),
            caching=chance.choice(axes.cachings(limits)),
            opt_in=chance.choice(axes.OPT_IN),
        )
        if is_known_to_header(limits, kernel):
            wanted.append(kernel)
    return wanted


@each_chip
@KERNELS
def test_max_potential_block_size(header: Header, limits: Limits, count: int) -> None:
    """With the kernel's own threads as the largest block that it works with."""
    asked = kernels(limits, "block size", count)
    theirs = header.max_potential_block_size(limits, header.queries_of(limits, asked), 7)
    comparison = Comparison()
    for kernel, answer in zip(asked, theirs, strict=True):
        ours = max_potential_block_size(limits, kernel, 7, block_size_limit=kernel.threads)
        expected = int(answer["min_grid_size"]), int(answer["block_size"])
        comparison.check((limits.compute_capability, kernel), expected, _of_the_runtime(ours))
    comparison.conclude(compared=count)


@each_chip
@KERNELS
def test_max_potential_block_size_with_shared_memory_of_the_size(
    header: Header, limits: Limits, count: int
) -> None:
    def shared_memory(threads: int) -> int:
        return 24 * threads

    asked = [
        replace(kernel, dynamic_smem=0) for kernel in kernels(limits, "shared memory of the size", count)
    ]
    theirs = header.max_potential_block_size(limits, header.queries_of(limits, asked), 7, shared_memory)
    comparison = Comparison()
    for kernel, answer in zip(asked, theirs, strict=True):
        ours = max_potential_block_size(limits, kernel, 7, shared_memory, kernel.threads)
        expected = int(answer["min_grid_size"]), int(answer["block_size"])
        comparison.check((limits.compute_capability, kernel), expected, _of_the_runtime(ours))
    comparison.conclude(compared=count)


@each_chip
@KERNELS
def test_available_dynamic_shared_memory(header: Header, limits: Limits, count: int) -> None:
    """But where the header contradicts itself: on 3.x, with static memory beyond a small carveout.

    It answers with what one block may have, but by its own count fewer blocks are resident with it.
    """
    asked = [replace(kernel, dynamic_smem=0) for kernel in kernels(limits, "dynamic shared memory", count)]
    chance = random.Random(str(limits.compute_capability))
    blocks = [chance.randint(1, chance.choice((4, limits.max_blocks_per_multiprocessor))) for _ in asked]
    queries = header.queries_of(limits, asked)
    theirs = header.available_dynamic_smem(limits, queries, blocks)
    queries["dynamic_smem"] = theirs["bytes"]
    resident = header.max_active_blocks(limits, queries)["active_blocks"]
    comparison = Comparison()
    for kernel, wanted, answer, actual in zip(asked, blocks, theirs, resident, strict=True):
        expected = None if answer["error"] else int(answer["bytes"])
        if expected is not None and actual < wanted and limits.compute_capability < (5, 0):
            comparison.left_out += 1
        else:
            ours = available(limits, kernel, wanted)
            comparison.check((limits.compute_capability, kernel, wanted), expected, ours)
    assert comparison.left_out <= 3
    comparison.conclude(compared=count - comparison.left_out, left_out=comparison.left_out)
