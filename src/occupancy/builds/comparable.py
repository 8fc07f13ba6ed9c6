"""Which of the records play a part where builds are compared."""

from __future__ import annotations

from ..readers import KernelRecord


def is_comparable(record: KernelRecord) -> bool:
    """Whether it is compiled, and may be launched: PTX has no registers yet, and nobody launches what an
    autotuner passed over."""
    return record.regs is not None and record.chosen is not False


def is_passed_over(record: KernelRecord) -> bool:
    """Whether it is compiled, and a candidate that an autotuner did not choose."""
    return record.regs is not None and record.chosen is False
