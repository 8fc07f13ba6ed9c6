"""What one block of a kernel needs, and how a kernel is launched."""

from __future__ import annotations

from typing import Literal

from ..errors import InputError, TooMuchError, shown
from .dataclass import dataclass

INT_MAX = 2**31 - 1
"""The driver's calls take signed 32-bit integers; nothing larger can be asked of it."""

MAX_REGISTERS_PER_THREAD = 255
"""The most that the instruction set can name. CUDA C++ Programming Guide, technical specifications."""

MAX_BARRIERS_PER_BLOCK = 16
"""Named barriers 0 to 15. PTX ISA, ``bar``."""

MAX_VIRTUAL_RESOURCES_PER_BLOCK = 255
"""What the one byte of a cubin's VRC_CTA_INIT_COUNT can say."""

VIRTUAL_RESOURCES_OF_TENSOR_MEMORY = 128
"""What ptxas (12.9 to 13.5) says of every kernel that allocates tensor memory, however little."""

TENSOR_MEMORY_UNIT = 32
"""Columns come in multiples of it. PTX ISA, ``tcgen05.alloc``."""

UNITS = {"tensor_memory": TENSOR_MEMORY_UNIT}
"""Field of a kernel -> what its values are multiples of, where that is not 1."""

MAX_GRID_DIM = (INT_MAX, 65535, 65535)
"""Blocks of a grid along x, y and z, from 3.0. CUDA C++ Programming Guide, technical specifications."""

Caching = Literal["ca", "cg"]
CACHING_MODES = ("ca", "cg")

CACHING_CHIPS = "5.2, 5.3, 6.1 and 6.2"
"""The chips on which a kernel can choose: those with `Limits.partitioned_global_caching`, in words."""

SharedMemoryMode = Literal["oversized"]
"""``"oversized"``: CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY of cuda.h, for 10.7, where a block may
have more shared memory and the L1 cache has 8 KiB only."""
SHARED_MEMORY_MODES = ("oversized",)

CARVEOUTS = "0 to 100 percent, a size such as 64k, max, auto, or default"
"""The spellings of a carveout, for errors."""

# Field, what people call it, lowest and highest value.
RANGES = (
    ("threads", "threads per block", 1, INT_MAX),
    ("regs", "registers per thread", 0, MAX_REGISTERS_PER_THREAD),
    ("static_smem", "static shared memory per block", 0, INT_MAX),
    ("dynamic_smem", "dynamic shared memory per block", 0, INT_MAX),
    ("smem", "shared memory per block", 0, INT_MAX),
    ("barriers", "barriers per block", 0, MAX_BARRIERS_PER_BLOCK),
    ("virtual_resources", "virtual resources per block", 0, MAX_VIRTUAL_RESOURCES_PER_BLOCK),
    ("tensor_memory", "columns of tensor memory per block", 1, INT_MAX),
    ("spill_smem", "shared memory for spills per block", 0, INT_MAX),
)


@dataclass(frozen=True, slots=True)
class Carveout:
    """How much of the memory that L1 cache and shared memory divide goes to shared memory.

    Args:
        amount: 0 to 100 percent of the SM's shared memory, or a size in bytes.
        unit: ``"percent"`` as in cudaFuncAttributePreferredSharedMemoryCarveout, or ``"bytes"``.

    Raises:
        InputError: Neither.
    """

    amount: int
    unit: Literal["percent", "bytes"]

    def __post_init__(self) -> None:
        most = 100 if self.unit == "percent" else INT_MAX
        if self.unit not in ("percent", "bytes") or not _is_between(0, self.amount, most):
            raise InputError(
                f"{shown(self.amount)} {self.unit} is out of range", where="carveout", allowed=CARVEOUTS
            )

    def __str__(self) -> str:
        return f"{self.amount}%" if self.unit == "percent" else f"{self.amount / 1024:g} KiB"


@dataclass(slots=True, init=False, unsafe_hash=True)
class Kernel:
    """What one block of a kernel needs. ``None`` means not given.

    Nobody changes one after it was made; `dataclasses.replace` makes another one. Python does not guard
    that, because guarding it takes as long as the whole arithmetic of an answer.

    Raises:
        InputError: A value that no kernel can have.
    """

    threads: int
    """Threads per block, 1 and up; more than the chip allows is an answer (0 blocks), not an error."""
    regs: int | None = None
    """Registers per thread, 0 to 255."""
    static_smem: int | None = None
    """Shared memory per block that the kernel declares, in bytes, without any reservation."""
    dynamic_smem: int | None = None
    """Shared memory per block that the launch asks for, in bytes."""
    smem: int | None = None
    """Both together, in bytes, where the split is not known; excludes the other two."""
    barriers: int | None = None
    """Named barriers per block, 0 to 16."""
    block_dim: tuple[int, int, int] | None = None
    """The block's shape, where it was given; its product is ``threads``."""
    carveout: Carveout | None = None
    caching: Caching | None = None
    """``"ca"``: global loads cached in L1; ``"cg"``, the default: in L2 only. On `CACHING_CHIPS` alone."""
    opt_in: bool | None = None
    """Whether the kernel has raised its dynamic shared memory limit with cudaFuncSetAttribute.

    Not given, it counts as raised.
    """
    virtual_resources: int | None = None
    """Virtual resources per block, 0 to 255, which set a limit from 10.0 only.

    Not given, they count as 128 with tensor memory, and else as none. Given beside it, they say whether the
    kernel keeps its permit to allocate (128) or has relinquished it (0).
    """
    tensor_memory: int | None = None
    """Columns of tensor memory per block, 1 and up."""
    shared_memory_mode: SharedMemoryMode | None = None
    """``"oversized"``: the kernel may have more shared memory than by opt-in; 10.7 alone."""
    spill_smem: int | None = None
    """What of the static shared memory the compiler has added to spill registers to, in bytes."""
    reallocates_registers: bool = False
    """Whether the warpgroups pass registers to one another (``setmaxnreg``), so that ``registers`` is their
    common pool, and fewer of them no advice."""
    triton_warps: int | None = None
    """Of a kernel that Triton compiled its ``num_warps``, with more or fewer of which it can be compiled for
    the same tile; where warps are specialised, all of them, which are more than were asked for."""

    # Written out, because it runs for each of the millions of kernels of an autotuner.
    def __init__(
        self,
        threads: int,
        regs: int | None = None,
        static_smem: int | None = None,
        dynamic_smem: int | None = None,
        smem: int | None = None,
        barriers: int | None = None,
        block_dim: tuple[int, int, int] | None = None,
        carveout: Carveout | None = None,
        caching: Caching | None = None,
        opt_in: bool | None = None,
        virtual_resources: int | None = None,
        tensor_memory: int | None = None,
        shared_memory_mode: SharedMemoryMode | None = None,
        spill_smem: int | None = None,
        reallocates_registers: bool = False,
        triton_warps: int | None = None,
    ) -> None:
        self.threads = threads
        self.regs = regs
        self.static_smem = static_smem
        self.dynamic_smem = dynamic_smem
        self.smem = smem
        self.barriers = barriers
        self.block_dim = block_dim
        self.carveout = carveout
        self.caching = caching
        self.opt_in = opt_in
        self.virtual_resources = virtual_resources
        self.tensor_memory = tensor_memory
        self.shared_memory_mode: SharedMemoryMode | None = shared_memory_mode
        self.spill_smem = spill_smem
        self.reallocates_registers = reallocates_registers
        self.triton_warps = triton_warps
        # bool is a subclass of int, and True threads are a mistake.
        if (
            type(threads) is not int
            or not 0 < threads <= INT_MAX
            or not (regs is None or (type(regs) is int and 0 <= regs <= MAX_REGISTERS_PER_THREAD))
            or not (static_smem is None or (type(static_smem) is int and 0 <= static_smem <= INT_MAX))
            or not (dynamic_smem is None or (type(dynamic_smem) is int and 0 <= dynamic_smem <= INT_MAX))
            or not (
                smem is None
                or (type(smem) is int and 0 <= smem <= INT_MAX and static_smem is dynamic_smem is None)
            )
            or not (barriers is None or (type(barriers) is int and 0 <= barriers <= MAX_BARRIERS_PER_BLOCK))
            or not (virtual_resources is tensor_memory is spill_smem is None or self._are_new_ones_in_range())
        ):
            raise self._first_error()

    def _are_new_ones_in_range(self) -> bool:
        return all(
            getattr(self, name) is None or _is_between(low, getattr(self, name), high)
            for name, _, low, high in RANGES
            if name in ("virtual_resources", "tensor_memory", "spill_smem")
        )

    def _first_error(self) -> InputError:
        for name, _, low, high in RANGES:
            value = getattr(self, name)
            if (value is None and name != "threads") or _is_between(low, value, high):
                continue
            wrong = "is out of range" if type(value) is int else "is not a whole number"
            kind = TooMuchError if type(value) is int and value > high else InputError
            return kind(f"{shown(value)} {wrong}", where=name, allowed=f"{low:,} to {high:,}")
        return InputError(
            "is the total, and static or dynamic shared memory is given too",
            where="smem",
            hint="Give the total, or static and dynamic apart.",
        )

    @property
    def shared_memory(self) -> int:
        """Shared memory per block in bytes, static and dynamic, without the reservation; 0 if not given."""
        if self.smem is not None:
            return self.smem
        return (self.static_smem or 0) + (self.dynamic_smem or 0)

    @property
    def virtual_resources_at_start(self) -> int:
        """Virtual resources that a block holds when it starts."""
        if self.virtual_resources is not None:
            return self.virtual_resources
        return 0 if self.tensor_memory is None else VIRTUAL_RESOURCES_OF_TENSOR_MEMORY

    @property
    def is_shared_memory_given(self) -> bool:
        """Whether any of the three sizes was given."""
        return self.smem is not None or self.static_smem is not None or self.dynamic_smem is not None


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel with the grid that it is launched on.

    Raises:
        InputError: A grid that no launch can have, or one that its clusters do not divide.
    """

    kernel: Kernel
    grid_dim: tuple[int, int, int]
    """Blocks along x, y and z."""
    cluster_dim: tuple[int, int, int] | None = None
    """Blocks per cluster along x, y and z; None: launched without clusters."""

    def __post_init__(self) -> None:
        for axis, blocks in enumerate(self.grid_dim):
            if not _is_between(1, blocks, MAX_GRID_DIM[axis]):
                raise InputError(
                    f"{blocks:,} blocks along {'xyz'[axis]} are out of range",
                    where="grid",
                    allowed=f"1 to {MAX_GRID_DIM[axis]:,}",
                )
        for axis, size in enumerate(self.cluster_dim or ()):
            blocks = self.grid_dim[axis]
            if size < 1 or blocks % size:
                whole = blocks - blocks % max(size, 1)
                nearest = [f"{each:,}" for each in (whole, whole + size) if each > 0]
                raise InputError(
                    f"{blocks:,} along {'xyz'[axis]} is not divisible into clusters of {size}, and CUDA "
                    "refuses such a launch",
                    where="grid",
                    hint=f"The nearest that are: {' and '.join(nearest)}." if size > 0 else "",
                )

    @property
    def blocks(self) -> int:
        """Blocks in the whole grid."""
        x, y, z = self.grid_dim
        return x * y * z

    @property
    def cluster_size(self) -> int | None:
        """Blocks per cluster; None without clusters."""
        if self.cluster_dim is None:
            return None
        x, y, z = self.cluster_dim
        return x * y * z


def _is_between(low: int, value: object, high: int) -> bool:
    # bool is a subclass of int, and True threads are a mistake.
    return type(value) is int and low <= value <= high
