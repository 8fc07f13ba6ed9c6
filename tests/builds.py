"""Kernels of builds without files, and the evaluator of a scan."""

from typing import Any

from occupancy import KernelRecord
from occupancy.api.occupancy import occupancy_on
from occupancy.builds.rows import Evaluator
from occupancy.tables.gpus import find_gpu

EVALUATOR = Evaluator(find_gpu, occupancy_on)


def kernel(name: str = "_Z1kv", **changes: Any) -> KernelRecord:
    values = {
        "source": "k.cubin", "format": "cubin", "arch": "sm_90", "regs": 32, "static_smem": 0, "barriers": 1,
        "stack_bytes": 0, "spill_store_bytes": 0, "spill_load_bytes": 0, "linked": True, "max_threads": 256,
    }  # fmt: skip
    return KernelRecord(**{**values, "name": name, **changes})
