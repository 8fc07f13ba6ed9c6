"""What less shared memory means for a kernel of Triton: fewer stages of its software pipeline."""

from __future__ import annotations

from ..builds.scanner import ScanRow

READ_WHERE_THEY_ARE = (9, 10, 11)
"""Major compute capabilities whose tensor cores read the running stage from shared memory; elsewhere it is in
registers, and a pipeline holds one stage less. As Triton 3.9 compiles a product of matrices."""


def stages_in_words(row: ScanRow) -> str:
    """``about 2 of 3 stages``: those that fit into the shared memory of the next step, if each takes as much.

    Empty where the step asks for no less shared memory, or there is no pipeline to shorten.
    """
    stages, total, cc = row.num_stages or 0, row.shared_memory, row.compute_capability
    if stages < 2 or not total or cc is None or row.next_step is None:
        return ""
    wanted = row.next_step.requires.get("smem")
    if wanted is None:
        return ""
    in_registers = 0 if cc.major in READ_WHERE_THEY_ARE else 1
    fitting = wanted * (stages - in_registers) // total
    return f"about {fitting + in_registers} of {stages} stages" if fitting else "a smaller tile"
