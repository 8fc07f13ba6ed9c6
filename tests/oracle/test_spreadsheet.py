"""The model `spreadsheet` compared with the cells of NVIDIA's CUDA_Occupancy_Calculator.xls."""

from typing import Any

import pytest

from occupancy.engine import Result, spreadsheet
from occupancy.tables import shipped
from occupancy.values.fields import Carveout
from occupancy.values.kernel import Kernel

from .golden import Comparison, read_rows

DIVISION_BY_ZERO = "ERR"


@pytest.mark.parametrize(("file", "rows"), [("spreadsheet_11_1", 6_280), ("spreadsheet_2_4", 1_360)])
def test_every_cell(file: str, rows: int) -> None:
    comparison = Comparison()
    for row in read_rows(file):
        answer = cells(Result(shipped.limits(row["cc"]), read_kernel(row), "spreadsheet"))
        expected = {name: row[name] if row[name] == DIVISION_BY_ZERO else float(row[name]) for name in answer}
        comparison.check(row, expected, answer)
    comparison.conclude(compared=rows)


def read_kernel(row: dict[str, str]) -> Kernel:
    """Return the inputs of a row. On GPUs without caching modes, the sheet ignores its cell, set to `ca`."""
    has_choice = shipped.limits(row["cc"]).partitioned_global_caching
    return Kernel(
        int(row["threads"]), int(row["regs"]), smem=int(row["smem"]),
        carveout=Carveout(int(row["shared_config"]), "bytes"),
        caching=("ca" if row["caching"] == "ca" else "cg") if has_choice else None,
    )  # fmt: skip


def cells(result: Result) -> dict[str, Any]:
    """Return the cells of the sheet for a result, outputs and intermediate values."""
    limits = result.block_limits
    return {
        "active_threads": result.active_threads,
        "active_warps": result.active_warps,
        "active_blocks": result.active_blocks,
        "occupancy": result.occupancy,
        "alloc_warps": result.allocated.warps,
        "alloc_smem": result.allocated.shared_memory,
        "limit_warps_blocks": min(limits.warps, limits.blocks),
        # A resource without a limit shows the maximum blocks per SM.
        "limit_regs": limits.blocks if limits.registers is None else limits.registers,
        "limit_smem": limits.blocks if limits.shared_memory is None else limits.shared_memory,
        "alloc_regs_cell": register_cells(result)[0],
        "limit_regs_cell": register_cells(result)[1],
    }


def register_cells(result: Result) -> tuple[int, int | str]:
    """Return the register cells B43 (per block) and C43 (limit).

    On 1.x both are registers, and the limit is that of the SM. From 2.0 on, where registers are allocated per
    warp, both are warps, and the limit is the number of warps that fit in the registers per block. The sheet
    divides by the registers per warp, which are 0 for a kernel without registers.
    """
    limits, kernel = result.limits, result.kernel
    if limits.register_allocation_granularity == "block":
        return result.allocated.registers, limits.max_registers_per_multiprocessor
    if not kernel.regs:
        return result.allocated.warps, DIVISION_BY_ZERO
    assert limits.spreadsheet is not None
    return result.allocated.warps, spreadsheet.warps_by_registers(limits, limits.spreadsheet, kernel)
