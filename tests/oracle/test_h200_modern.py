"""What an H200 (driver 580, CUDA 13.0) did with warpgroups, spills, cooperative grids and green contexts."""

from __future__ import annotations

import gzip
import io
from functools import cache
from itertools import groupby

from occupancy.advice.partitions import green_context
from occupancy.advice.registers import Group, split_registers
from occupancy.advice.waves import full_wave
from occupancy.engine import evaluate
from occupancy.readers import KernelRecord, stream_kernels
from occupancy.tables import shipped
from occupancy.tables.clusters import MeasuredClusters
from occupancy.values.kernel import Kernel

from .golden import FOLDER, H200, Comparison, read_rows

LIMITS = shipped.limits(H200)
MULTIPROCESSORS = 132


def test_splits_of_registers() -> None:
    """Which ended, and which waited for ever."""
    comparison = Comparison()
    for row in read_rows("h200_setmaxnreg"):
        warpgroups = int(row["warpgroups"])
        groups = [Group(1, int(row["first_registers"])), Group(warpgroups - 1, int(row["other_registers"]))]
        split = split_registers(LIMITS, 128 * warpgroups, groups, min_blocks=int(row["min_blocks"]))
        expected = (int(row["launch_registers"]), row["ends"] == "yes")
        comparison.check(row, expected, (split.launch_regs, split.suffices))
    comparison.conclude(compared=73)


def test_the_most_that_ended_is_what_is_solved() -> None:
    def others(row: dict[str, str]) -> int:
        return int(row["other_registers"])

    def configuration(row: dict[str, str]) -> tuple[int, ...]:
        return tuple(int(row[name]) for name in ("warpgroups", "min_blocks", "first_registers"))

    compared = 0
    for (warpgroups, min_blocks, first), alike in groupby(read_rows("h200_setmaxnreg"), configuration):
        rows = list(alike)
        most = max(others(row) for row in rows if row["ends"] == "yes")
        assert min(others(row) for row in rows if row["ends"] == "no") == most + 8
        asked = [Group(1, first), Group(warpgroups - 1, None)]
        split = split_registers(LIMITS, 128 * warpgroups, asked, min_blocks=min_blocks)
        assert split.groups[1].regs == most
        compared += 1
    assert compared == 25


@cache
def _kernels(cubin: str) -> dict[str, KernelRecord]:
    content = gzip.decompress((FOLDER.parent / "modern" / "h200" / f"{cubin}.gz").read_bytes())
    return {record.name: record for record in stream_kernels(io.BytesIO(content))}


def test_spills_into_shared_memory() -> None:
    """Registers, shared memory and blocks by the driver, beside what the cubins say."""
    comparison = Comparison()
    for row in read_rows("h200_smem_spilling"):
        record = _kernels(row["cubin"])[row["kernel"]]
        numbers = ("registers", "static_smem", "spill_smem", "local_bytes", "max_threads", "active_blocks")
        kernel = record.kernel(int(row["threads"]))
        ours = (
            record.regs,
            record.static_smem,
            record.spill_smem,
            record.stack_bytes,
            record.max_threads,
            evaluate(LIMITS, kernel).active_blocks,
        )
        comparison.check(row, tuple(int(row[name]) for name in numbers), ours)
    comparison.conclude(compared=11)


def test_cooperative_launches() -> None:
    """The largest grid was launched, and one of a block more was refused."""
    comparison = Comparison()
    for row in read_rows("h200_cooperative_launch"):
        # The kernel synchronises its grid; it has 10 registers, and so none that limit.
        kernel = Kernel(int(row["threads"]), 10, 0, int(row["dynamic_smem"]))
        answer = evaluate(LIMITS, kernel)
        most = full_wave(answer, MULTIPROCESSORS).blocks
        launches = "cudaSuccess" if int(row["grid"]) <= most else "cudaErrorCooperativeLaunchTooLarge"
        expected = (int(row["blocks_per_sm"]), row["launch"])
        comparison.check(row, expected, (answer.active_blocks, launches))
    comparison.conclude(compared=48)


def test_measured_clusters() -> None:
    """What the table of measured clusters has of this GPU is what its driver said of every kernel."""
    comparison = Comparison()
    for row in read_rows("h200_max_active_clusters"):
        cluster_size = int(row["cluster_size"])
        kernel = Kernel(
            int(row["threads_per_block"]),
            int(row["registers_per_thread"]),
            int(row["static_smem"]),
            int(row["dynamic_smem"]),
            barriers=int(row["barriers"]),
        )
        answer = evaluate(LIMITS, kernel)
        if cluster_size == 1 or not answer.active_blocks:
            comparison.left_out += 1
            continue
        measured = full_wave(answer, MULTIPROCESSORS, cluster_size=cluster_size).measured
        clusters = int(row["active_clusters"])
        comparison.check(row, MeasuredClusters("H200", clusters, clusters * cluster_size), measured)
    comparison.conclude(compared=2992, left_out=1280)


def test_green_contexts() -> None:
    """The SMs of each group are exact. How many groups there are is a bound, which 5 of 36 rows do not reach:
    with co-scheduling, a group of 8 SMs must lie within one processing cluster of this chip."""
    comparison = Comparison()
    fewer = 0
    for row in read_rows("h200_green_contexts"):
        ours = green_context(LIMITS, int(row["min_sms"]), MULTIPROCESSORS)
        each = ours.without_coscheduling if row["ignore_coscheduling"] == "1" else ours.multiprocessor_count
        comparison.check(row, int(row["sms_each"]), each)
        groups = int(row["groups"])
        assert groups * each + int(row["rest"]) == MULTIPROCESSORS
        most = MULTIPROCESSORS // each
        assert groups in (most, most - 1)
        fewer += groups < most
        assert groups == most or (each == 8 and row["ignore_coscheduling"] == "0")
    comparison.conclude(compared=36)
    assert fewer == 5
