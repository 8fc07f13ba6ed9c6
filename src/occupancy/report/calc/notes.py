"""What a reader should know before relying on an answer of ``occupancy calc``."""

from __future__ import annotations

from dataclasses import replace

from ...advice.opt_in import refused_by_compiler
from ...engine import Answer, cuda, default_model, evaluate
from ...engine.common import shared_memory_configuration
from ...render import words
from ...values.kernel import Carveout
from ...values.limits import Limits


def notes_on(result: Answer) -> list[str]:
    """What a reader should know before relying on the number."""
    limits, kernel = result.limits, result.kernel
    notes = []
    if result.model == "spreadsheet" and result.active_blocks and not result.launchable:
        notes.append("The spreadsheet counts blocks of a kernel that does not launch; so does this answer.")
    if result.model == "spreadsheet" and default_model(limits) == "cuda":
        runtime = evaluate(limits, kernel, "cuda")
        if runtime.active_blocks != result.active_blocks:
            held = words.held(runtime.active_blocks, runtime.occupancy)
            notes.append(f"The CUDA runtime gives {held}.")
    if _asked_pool_is_too_small(result):
        notes.append(
            f"The carveout {kernel.carveout} is too small for one block, "
            "so the SM takes a larger configuration."
        )
    if (
        result.model == "cuda"
        and kernel.caching == "ca"
        and result.launchable
        and not is_confined_to_half(result)
    ):
        notes.append(
            "Half of the SM has too few registers for one block, so its global loads are not cached in L1."
        )
    refused = refused_by_compiler(result)
    if refused is not None:
        notes.append(refused)
    counted = counted_by_header(result)
    if counted is not None:
        notes.append(counted)
    return notes


def counted_by_header(result: Answer) -> str | None:
    """How many blocks NVIDIA's header counts, where fewer have their tensor memory; None where it is none."""
    resident = result.resident_blocks
    if resident == result.active_blocks:
        return None
    share = words.percent(result.occupancy_of(resident))
    have = "have their" if result.active_blocks > 1 else "has its"
    return (
        f"cuda_occupancy.h, which knows no tensor memory, counts {resident} blocks as resident, {share}. "
        f"Only {result.active_blocks} of them {have} columns at once (inferred: tried on no such GPU)."
    )


def left_out_by_spreadsheet(limits: Limits) -> str | None:
    """What of the system's own shared memory the spreadsheet leaves out; None where it leaves out nothing."""
    column = limits.spreadsheet
    if column is None:
        return None
    missing = limits.reserved_shared_memory_per_block - column.reserved_shared_memory_per_block
    if missing <= 0:
        return None
    return f"The spreadsheet leaves out {missing:,} bytes that the system takes for each resident block."


def why_it_differs(result: Answer) -> list[str]:
    """Why the spreadsheet differs, where what it leaves out is all of it; the page does not say."""
    limits, kernel = result.limits, result.kernel
    why = left_out_by_spreadsheet(limits)
    if result.model != "spreadsheet" or why is None or default_model(limits) != "cuda":
        return []
    runtime = evaluate(limits, kernel, "cuda").active_blocks
    smem = kernel.shared_memory + limits.reserved_shared_memory_per_block
    with_it = replace(kernel, static_smem=None, dynamic_smem=None, smem=smem)
    is_why = result.active_blocks != runtime == evaluate(limits, with_it, "spreadsheet").active_blocks
    return [why] if is_why else []


def is_confined_to_half(result: Answer) -> bool:
    """Whether caching global loads in L1 confines the blocks of this answer to halves of the SM."""
    warps, registers = result.allocated.warps, result.allocated.registers
    return cuda.is_confined_to_half(result.limits, result.kernel, warps, registers // warps)


def _asked_pool_is_too_small(result: Answer) -> bool:
    carveout: Carveout | None = result.kernel.carveout
    if result.model != "cuda" or carveout is None or not result.launchable:
        return False
    return shared_memory_configuration(result.limits, carveout) < result.allocated.shared_memory
