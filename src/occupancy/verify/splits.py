"""Splits of a block's registers among its warpgroups (``setmaxnreg``): which end, and which wait for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..advice.next_steps import FIRST_WITH_SETMAXNREG, THREADS_PER_WARPGROUP
from ..advice.registers import STEP, Group, split_registers
from ..device import Device
from ..device.compiler import compile_cuda
from ..device.functions import Context
from ..errors import DeviceError
from ..values.limits import Limits
from .alone import ENDS, WAITS, Job, outcomes
from .result import Check

CONFIGURATIONS = ((2, 2), (3, 1), (3, 2), (4, 1), (5, 1))
"""Warpgroups of a block, and the blocks of its launch bounds."""
FIRST_REGISTERS = (24, 40, 72)
"""What the first warpgroup keeps; the others take the most, and a step more."""
BLOCKS = 2 * 132
"""Blocks that are launched: some for every SM of the largest GPUs."""


class Split(NamedTuple):
    """A kernel whose first warpgroup gives registers to the others."""

    warpgroups: int
    first: int
    others: int
    min_blocks: int | None
    """The second launch bound; None: the registers of the launch are set instead."""
    launch_regs: int | None = None

    @property
    def name(self) -> str:
        """Its name in the compiled code."""
        bound = f"blocks{self.min_blocks}" if self.min_blocks else f"launch{self.launch_regs}"
        return f"split{self.warpgroups}_{bound}_{self.first}_{self.others}"

    @property
    def threads(self) -> int:
        """Threads per block."""
        return self.warpgroups * THREADS_PER_WARPGROUP

    @property
    def groups(self) -> list[Group]:
        """Its warpgroups."""
        return [Group(1, self.first), Group(self.warpgroups - 1, self.others)]

    def source(self) -> str:
        """CUDA C++ of the kernel."""
        attribute = f"__maxnreg__({self.launch_regs})"
        if self.min_blocks:
            attribute = f"__launch_bounds__({self.threads}, {self.min_blocks})"
        return (
            f'extern "C" __global__ void {attribute} {self.name}()\n{{\n'
            f"    if (threadIdx.x < {THREADS_PER_WARPGROUP})\n"
            f'        asm volatile("setmaxnreg.dec.sync.aligned.u32 {self.first};");\n'
            f'    else\n        asm volatile("setmaxnreg.inc.sync.aligned.u32 {self.others};");\n}}\n'
        )


def splits(limits: Limits) -> Iterator[Split]:
    """For each configuration the most that the other warpgroups can take, and a step more.

    The last one's launch gives registers that are no whole step: what a warp is given is rounded up.
    """
    for warpgroups, min_blocks in CONFIGURATIONS:
        threads = warpgroups * THREADS_PER_WARPGROUP
        for first in FIRST_REGISTERS:
            asked = [Group(1, first), Group(warpgroups - 1, None)]
            most = split_registers(limits, threads, asked, min_blocks=min_blocks).groups[1].regs
            yield Split(warpgroups, first, most, min_blocks)
            yield Split(warpgroups, first, most + STEP, min_blocks)
    yield Split(3, 40, 232, None, launch_regs=162)
    yield Split(3, 40, 240, None, launch_regs=162)


def ask_splits(check: Check, context: Context, device: Device) -> None:
    """Launch each split in another process; nothing where the GPU or NVRTC has no ``setmaxnreg``."""
    limits = device.row
    if limits.compute_capability < FIRST_WITH_SETMAXNREG:
        return
    asked = list(splits(limits))
    try:
        source = "".join(split.source() for split in asked)
        image = compile_cuda(source, limits.compute_capability, variant="a")
    except DeviceError:
        return  # NVRTC is older than the GPU, and code of this kind runs on no other
    module = context.load(image)
    ours = [
        split_registers(
            limits,
            split.threads,
            split.groups,
            launch_regs=split.launch_regs,
            min_blocks=split.min_blocks,
        )
        for split in asked
    ]
    for split, answer in zip(asked, ours, strict=True):
        check.compare(f"{split.name}: registers", module.function(split.name).num_regs, answer.launch_regs)
    jobs = [Job(split.name, BLOCKS, split.threads) for split in asked]
    found = outcomes(device.index, image, jobs)
    for split, answer, outcome in zip(asked, ours, found, strict=True):
        check.compare(split.name, outcome, ENDS if answer.suffices else WAITS)
