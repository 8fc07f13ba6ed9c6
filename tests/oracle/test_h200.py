"""The model `cuda` against an H200 (9.0, driver 580): what its runtime said, and what was seen running."""

from __future__ import annotations

from occupancy.engine import evaluate
from occupancy.tables import shipped
from occupancy.values.kernel import Carveout, Kernel

from .golden import H200, Comparison, carveout_of, read_rows


def test_active_blocks() -> None:
    """cudaOccupancyMaxActiveBlocksPerMultiprocessor for compiled kernels that had opted in."""
    limits = shipped.limits(H200)
    comparison = Comparison()
    for row in read_rows("h200_active_blocks"):
        kernel = Kernel(
            int(row["threads_per_block"]),
            int(row["registers_per_thread"]),
            int(row["static_smem"]),
            int(row["dynamic_smem"]),
            barriers=int(row["barriers"]),
            carveout=carveout_of(row),
        )
        comparison.check(row, int(row["active_blocks"]), evaluate(limits, kernel).active_blocks)
    comparison.conclude(compared=56_466)


def test_blocks_seen_resident() -> None:
    """The most blocks that were resident at once on one SM, counted by the running kernel itself."""
    limits = shipped.limits(H200)
    runtime, seen = Comparison(), Comparison()
    for row in read_rows("h200_residency"):
        kernel = resident_kernel(row, carveout_of(row))
        active_blocks = evaluate(limits, kernel).active_blocks
        runtime.check(row, int(row["api_active_blocks"]), active_blocks)
        if is_kept_larger(kernel):
            seen.left_out += 1
        else:
            seen.check(row, int(row["blocks_seen_resident"]), active_blocks)
    runtime.conclude(compared=1_279)
    seen.conclude(compared=1_245, left_out=34)


def test_blocks_seen_resident_where_the_carveout_was_a_hint() -> None:
    """What `is_kept_larger` leaves out is what a pool of 16 KiB gives, so the rule is no excuse for more."""
    limits = shipped.limits(H200)
    comparison = Comparison()
    for row in read_rows("h200_residency"):
        if is_kept_larger(resident_kernel(row, carveout_of(row))):
            kernel = resident_kernel(row, Carveout(16384, "bytes"))
            comparison.check(row, int(row["blocks_seen_resident"]), evaluate(limits, kernel).active_blocks)
    comparison.conclude(compared=34)


def is_kept_larger(kernel: Kernel) -> bool:
    """Whether the SM kept more shared memory than the carveout asked for.

    The carveout is a hint. Asked for none at all, for a kernel without shared memory of its own, the
    runtime reckons with 8 KiB, just enough for the system's reservation; the SM kept 16 KiB.
    """
    return kernel.carveout == Carveout(0, "percent") and not kernel.shared_memory


def resident_kernel(row: dict[str, str], carveout: Carveout | None) -> Kernel:
    return Kernel(
        int(row["threads_per_block"]),
        int(row["registers_per_thread"]),
        dynamic_smem=int(row["dynamic_smem"]),
        carveout=carveout,
    )
