"""What was asked: the kernel as it was given, the same in every answer."""

from __future__ import annotations

from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.resources import total_shared_memory


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was given; None for what was not. Sizes are in bytes."""

    threads: int
    block_dim: tuple[int, int, int] | None
    regs: int | None
    static_smem: int | None
    dynamic_smem: int | None
    smem: int | None
    carveout: str | int | None
    """A percentage such as ``"50%"``, or a size in bytes."""
    barriers: int | None
    caching: str | None
    opt_in: bool | None
    virtual_resources: int | None
    tensor_memory: int | None
    """Columns per block."""
    shared_memory_mode: str | None
    spill_smem: int | None
    """Bytes of the static shared memory that the compiler has added to spill registers to."""
    reallocates_registers: bool | None
    """True where warpgroups divide the registers among themselves (``setmaxnreg``)."""

    @property
    def shared_memory(self) -> int | None:
        """Shared memory per block in bytes; None where it was not given."""
        return total_shared_memory(self.static_smem, self.dynamic_smem, self.smem)


def inputs_of(kernel: Kernel) -> Inputs:
    """What was given of a kernel."""
    carveout: str | int | None = None
    if kernel.carveout is not None:
        in_percent = kernel.carveout.unit == "percent"
        carveout = str(kernel.carveout) if in_percent else kernel.carveout.amount
    return Inputs(
        threads=kernel.threads,
        block_dim=kernel.block_dim,
        regs=kernel.regs,
        static_smem=kernel.static_smem,
        dynamic_smem=kernel.dynamic_smem,
        smem=kernel.smem,
        carveout=carveout,
        barriers=kernel.barriers,
        caching=kernel.caching,
        opt_in=kernel.opt_in,
        virtual_resources=kernel.virtual_resources,
        tensor_memory=kernel.tensor_memory,
        shared_memory_mode=kernel.shared_memory_mode,
        spill_smem=kernel.spill_smem,
        reallocates_registers=kernel.reallocates_registers or None,
    )
