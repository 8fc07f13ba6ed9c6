"""What less shared memory means for a kernel of Triton: fewer stages of its software pipeline."""

from __future__ import annotations

from ..advice.next_steps import NextStep
from ..advice.search import changed
from ..engine import Result, evaluate
from ..readers import KernelRecord
from ..values.limits import ComputeCapability

READ_WHERE_THEY_ARE = (9, 10, 11)
"""Major compute capabilities whose tensor cores read the running stage from shared memory; elsewhere it is in
registers, and a pipeline holds one stage less. As Triton 3.9 compiles a product of matrices."""


def stages_within(smem: int, record: KernelRecord) -> int | None:
    """The stages of a kernel's pipeline that fit into so much shared memory, if each takes as much as now.

    Args:
        smem: Bytes per block.
        record: The kernel.

    Returns:
        The stages; 0 where not even one fits, None where there is no pipeline to shorten.
    """
    stages, held = record.num_stages or 0, _held(record)
    if not held or not record.shared_memory:
        return None
    fitting = smem * held // record.shared_memory
    return stages - held + fitting if fitting else 0


def at_whole_stages(step: NextStep, record: KernelRecord, now: Result) -> NextStep:
    """A step whose shared memory is that of whole stages, and the occupancy of them; as it was where it asks
    for no less shared memory, or no stage fits.

    Args:
        step: What to change.
        record: The kernel.
        now: Its answer.
    """
    wanted = step.requires.get("smem")
    stages = None if wanted is None else stages_within(wanted, record)
    if not stages or not record.shared_memory:
        return step
    held = _held(record)
    left = held - ((record.num_stages or 0) - stages)
    requires = {**step.requires, "smem": -(-record.shared_memory * left // held)}
    reached = evaluate(now.limits, changed(now.kernel, requires), now.model)
    return NextStep(reached.active_blocks, reached.occupancy, requires)


def more_stages_there(record: KernelRecord, cc: ComputeCapability) -> int | None:
    """How many stages more, or less, a pipeline compiled for another chip holds in shared memory.

    Args:
        record: The kernel.
        cc: The compute capability of that chip.

    Returns:
        The difference; None where there is no pipeline.
    """
    here = _held(record)
    return _held_on(cc, record.num_stages or 0) - here if here and record.shared_memory else None


def _held(record: KernelRecord) -> int:
    """How many stages are in shared memory; 0 where there is no pipeline to shorten."""
    cc = record.compute_capability
    return 0 if cc is None else _held_on(cc, record.num_stages or 0)


def _held_on(cc: ComputeCapability, stages: int) -> int:
    if stages < 2:
        return 0
    return stages if cc.major in READ_WHERE_THEY_ARE else stages - 1
