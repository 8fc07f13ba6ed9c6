"""The model `cuda` and the advice compared with an H200 (9.0, driver 580): runtime calls and launches."""

import itertools
from functools import partial
from itertools import groupby

import numpy as np
import numpy.typing as npt

from occupancy.advice.registers import Warpgroups, split_registers
from occupancy.advice.runtime import max_active_clusters, max_potential_block_size
from occupancy.advice.waves import full_wave
from occupancy.engine import Result
from occupancy.tables import shipped
from occupancy.values.fields import Carveout
from occupancy.values.kernel import Kernel
from tests.samples import by_name, unpacked
from tests.sampling import sampled

from .against_header import available
from .golden import H200, Comparison, read_kernel, read_rows
from .header import INVALID_INPUT, Header, Records

LIMITS = shipped.limits(H200)
MULTIPROCESSORS = 132

FIELDS = {
    "threads_per_block": "threads", "registers_per_thread": "registers", "static_smem": "static_smem",
    "dynamic_smem": "dynamic_smem", "barriers": "barriers", "carveout_percent": "carveout_percent",
}  # fmt: skip
"""Column -> field of a query of the header."""


def test_active_blocks() -> None:
    """Compare cudaOccupancyMaxActiveBlocksPerMultiprocessor for compiled kernels with opt-in."""
    comparison = Comparison()
    for row in read_rows("h200_active_blocks"):
        comparison.check(row, int(row["active_blocks"]), Result(LIMITS, read_kernel(row)).active_blocks)
    comparison.conclude(compared=56_466)


def test_blocks_seen_resident() -> None:
    """Compare the maximum resident blocks on one SM, counted by the running kernel.

    The carveout is a hint. With a carveout of 0 and a kernel without shared memory, the runtime assumes
    8 KiB, just enough for the reserved shared memory. The SM selected 16 KiB.
    """
    runtime, seen, kept_larger = Comparison(), Comparison(), Comparison()
    for row in read_rows("h200_residency"):
        kernel, resident = read_kernel(row), int(row["blocks_seen_resident"])
        active_blocks = Result(LIMITS, kernel).active_blocks
        runtime.check(row, int(row["api_active_blocks"]), active_blocks)
        if kernel.carveout == Carveout(0, "percent") and not kernel.shared_memory:
            kernel = kernel.replace(carveout=Carveout(16384, "bytes"))
            kept_larger.check(row, resident, Result(LIMITS, kernel).active_blocks)
        else:
            seen.check(row, resident, active_blocks)
    runtime.conclude(compared=1_279)
    seen.conclude(compared=1_245)
    kept_larger.conclude(compared=34)


def test_max_potential_block_size() -> None:
    comparison = Comparison()
    for row in read_rows("h200_max_potential_block_size"):
        seen = int(row["min_grid_size"]), int(row["block_size"])
        ours = max_potential_block_size(LIMITS, read_kernel(row), MULTIPROCESSORS)
        comparison.check(row, seen, (ours.min_grid_size, ours.block_size))
    comparison.conclude(compared=1_103)


@sampled("stride", sample=7, thorough=1)
def test_available_dynamic_shared_memory(stride: int) -> None:
    """Compare the driver's result, which is 1,024 too high, and its errors."""
    comparison = Comparison()
    for row in itertools.islice(read_rows("h200_available_dynamic_smem"), 0, None, stride):
        seen = int(row["driver_580_bytes"]) if row["driver_580_bytes"] else None
        kernel, blocks = read_kernel(row), int(row["blocks"])
        right, one = (available(LIMITS, kernel, each) for each in (blocks, 1))
        comparison.check(row, seen, right if right is None or one is None else min(right + 1024, one))
        most = LIMITS.max_shared_memory_per_block_optin - int(row["static_smem"])
        is_promised_too_much = seen is not None and seen != most
        comparison.check(row, seen, right + 1024 if is_promised_too_much and right is not None else right)
    comparison.conclude(compared=2 * -(-12_028 // stride))


def test_no_more_clusters_than_the_bound() -> None:
    rows = list(read_rows("h200_max_active_clusters"))
    reached = 0
    for row in rows:
        kernel = read_kernel(row).replace(cluster=row["cluster_size"])
        bound = max_active_clusters(LIMITS, kernel, MULTIPROCESSORS)
        assert int(row["active_clusters"]) <= bound, row
        reached += int(row["active_clusters"]) == bound
    assert (len(rows), reached) == (4_272, 1_969)


def test_splits_of_registers() -> None:
    """Compare splits that finished and splits that hung; the solution is the largest that finished."""
    comparison, configurations = Comparison(), 0
    names = ("warpgroups", "min_blocks", "first_registers")
    for key, rows in groupby(read_rows("h200_setmaxnreg"), lambda row: [int(row[name]) for name in names]):
        warpgroups, min_blocks, first = key
        split = partial(split_registers, LIMITS, 128 * warpgroups, min_blocks=min_blocks)
        ended: dict[bool, list[int]] = {True: [], False: []}
        for row in rows:
            ends, regs = row["ends"] == "yes", int(row["other_registers"])
            ended[ends].append(regs)
            found = split([Warpgroups(1, first), Warpgroups(warpgroups - 1, regs)])
            comparison.check(row, (int(row["launch_registers"]), ends), (found.launch_regs, found.suffices))
        solved = split([Warpgroups(1, first), Warpgroups(warpgroups - 1, None)]).groups[1].regs
        assert max(ended[True]) == solved == min(ended[False]) - 8
        configurations += 1
    comparison.conclude(compared=73)
    assert configurations == 25


def test_spills_into_shared_memory() -> None:
    """Compare registers, shared memory and blocks reported by the driver with the values in cubins."""
    comparison = Comparison()
    for row in read_rows("h200_smem_spilling"):
        record = by_name(unpacked(f"modern/h200/{row['cubin']}"))[row["kernel"]]
        blocks = Result(LIMITS, record.kernel(int(row["threads"]))).active_blocks
        ours = (record.regs, record.static_smem, record.spill_smem, record.stack_bytes, record.max_threads)
        names = ("registers", "static_smem", "spill_smem", "local_bytes", "max_threads", "active_blocks")
        comparison.check(row, tuple(int(row[name]) for name in names), (*ours, blocks))
    comparison.conclude(compared=11)


def test_cooperative_launches() -> None:
    """Compare the largest cooperative grid; one block more failed to launch."""
    comparison = Comparison()
    for row in read_rows("h200_cooperative_launch"):
        # The kernel has 10 registers, which do not limit.
        answer = Result(LIMITS, Kernel(int(row["threads"]), 10, 0, int(row["dynamic_smem"])))
        most = full_wave(answer, MULTIPROCESSORS).blocks
        launches = "cudaSuccess" if int(row["grid"]) <= most else "cudaErrorCooperativeLaunchTooLarge"
        comparison.check(row, (int(row["blocks_per_sm"]), row["launch"]), (answer.active_blocks, launches))
    comparison.conclude(compared=48)


class TestHeader:
    """Compare NVIDIA's header, called through the wrapper, with the runtime, to validate the oracle."""

    def test_active_blocks(self, header: Header) -> None:
        golden = read_columns("h200_active_blocks")
        answers = header.max_active_blocks(LIMITS, queries_of(header, golden))
        assert (len(answers), answers["error"].sum()) == (56_466, 0)
        assert np.array_equal(answers["active_blocks"], golden["active_blocks"])

    def test_max_potential_block_size(self, header: Header) -> None:
        golden = read_columns("h200_max_potential_block_size")
        asked = queries_of(header, golden)
        asked["threads"] = LIMITS.max_threads_per_block
        answers = header.max_potential_block_size(LIMITS, asked, MULTIPROCESSORS)
        assert (len(answers), answers["error"].sum()) == (1_103, 0)
        for name in ("min_grid_size", "block_size"):
            assert np.array_equal(answers[name], golden[name])

    def test_max_potential_block_size_with_variable_shared_memory(self, header: Header) -> None:
        """Compare a constant function with the plain call; a function of threads prefers smaller blocks."""
        asked = header.queries(LIMITS, threads=1024, registers=range(256), dynamic_smem=20_000)
        constant = header.max_potential_block_size(LIMITS, asked, MULTIPROCESSORS, lambda threads: 20_000)
        assert np.array_equal(constant, header.max_potential_block_size(LIMITS, asked, MULTIPROCESSORS))
        (growing,) = header.max_potential_block_size(LIMITS, asked[:1], 1, lambda threads: threads**2 // 8)
        assert growing["block_size"] < constant["block_size"][0]

    def test_available_dynamic_smem(self, header: Header) -> None:
        """Compare with the driver, which is older and does not subtract the reserved shared memory.

        Results at the maximum per block are equal.
        """
        golden = read_columns("h200_available_dynamic_smem")
        answers = header.available_dynamic_smem(LIMITS, queries_of(header, golden), golden["blocks"])
        assert len(answers) == 12_028
        is_refused = golden["driver_580_bytes"] < 0
        assert np.array_equal(answers["error"], np.where(is_refused, INVALID_INPUT, 0))
        most = LIMITS.max_shared_memory_per_block_optin - golden["static_smem"]
        driver = golden["driver_580_bytes"]
        corrected = np.where(driver == most, driver, driver - LIMITS.reserved_shared_memory_per_block)
        assert np.array_equal(answers["bytes"][~is_refused], corrected[~is_refused])


def read_columns(name: str) -> dict[str, npt.NDArray[np.int64]]:
    """Return a file by column; an error, which is empty in the file, is -1."""
    rows = list(read_rows(name))
    return {column: np.array([int(row[column] or -1) for row in rows]) for column in rows[0]}


def queries_of(header: Header, golden: dict[str, npt.NDArray[np.int64]]) -> Records:
    return header.queries(LIMITS, **{field: golden[name] for name, field in FIELDS.items() if name in golden})
