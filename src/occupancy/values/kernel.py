"""Resources that one block of a kernel needs, and a kernel with its grid."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple, NoReturn

from ..errors import InputError
from .fields import FIELDS, Caching, Carveout, KernelChanges, SharedMemoryMode, Unpack, reject_unknown
from .records import readable
from .spellings import INT_MAX, in_range, parse_shape, parse_threads

VIRTUAL_RESOURCES_OF_TENSOR_MEMORY = 128
"""Count that ptxas 12.9 to 13.5 writes for every kernel that allocates tensor memory, of any size."""

MAX_GRID_DIM = (INT_MAX, 65535, 65535)
"""Blocks of a grid along x, y and z, from 3.0. CUDA C++ Programming Guide, technical specifications."""

_MAX_REGS, _MAX_BARRIERS = FIELDS["regs"].high, FIELDS["barriers"].high
_make = tuple.__new__


@readable
class _KernelFields(NamedTuple):
    threads: int
    regs: int | None = None
    static_smem: int | None = None
    dynamic_smem: int | None = None
    smem: int | None = None
    barriers: int | None = None
    max_threads: int | None = None
    block_dim: tuple[int, int, int] | None = None
    carveout: Carveout | None = None
    caching: Caching | None = None
    opt_in: bool | None = None
    virtual_resources: int | None = None
    tensor_memory: int | None = None
    shared_memory_mode: SharedMemoryMode | None = None
    reallocates_registers: bool = False
    cluster: tuple[int, int, int] | None = None


class Kernel(_KernelFields):
    """Resources of one block; immutable and hashable. None means not given.

    Values can be written as in `occupancy.compute`, such as ``smem="40k"`` and ``threads="16x16"``.

    Args:
        threads: Threads per block, 1 or more, or the block's shape. A block that is too large for a GPU
            is no error: its result has 0 blocks.
        regs: Registers per thread, 0 to 255.
        static_smem: Static shared memory per block in bytes, without the 1 KiB that CUDA reserves.
        dynamic_smem: Dynamic shared memory per block in bytes, set at launch.
        smem: Static and dynamic shared memory together, if the parts are unknown. Mutually exclusive with both.
        barriers: Named barriers per block, 0 to 16; 1 by default.
        max_threads: First launch bound: maximum threads per block of the compiled kernel.
        block_dim: The block's shape; its product is ``threads``.
        carveout: Preferred shared memory of the SM in percent or bytes; the maximum by default.
        caching: ``"ca"`` to cache global loads in L1, or ``"cg"``, the default, for L2 only.
        opt_in: True, the default, if the program opts in to more than 48 KiB of dynamic shared memory
            (cudaFuncSetAttribute), or if the target allows more static shared memory, such as sm_90a.
        virtual_resources: Virtual resources per block, 0 to 255, on compute capability 10.0 and newer; by
            default 128 with tensor memory, and 0 without.
        tensor_memory: Columns of tensor memory per block, a multiple of 32.
        shared_memory_mode: ``"oversized"`` for more shared memory than the opt-in limit, on sm_107.
        reallocates_registers: True if warpgroups exchange registers (``setmaxnreg``). ``regs`` is then
            the number at launch.
        cluster: Blocks per cluster, or their shape along x, y and z, on compute capability 9.0 and newer.

    Raises:
        InputError: A value is invalid for every kernel.
        TypeError: A keyword does not exist.
    """

    __slots__ = ()

    def __new__(
        cls, threads: int | str | tuple[int, ...] | None = None, regs: int | str | None = None,
        static_smem: int | str | None = None, dynamic_smem: int | str | None = None, smem: int | str | None = None,
        barriers: int | str | None = None, max_threads: int | str | None = None,
        block_dim: str | Sequence[int] | None = None, carveout: int | str | Carveout | None = None,
        caching: Caching | None = None, opt_in: bool | str | None = None, virtual_resources: int | str | None = None,
        tensor_memory: int | str | None = None, shared_memory_mode: SharedMemoryMode | None = None,
        reallocates_registers: bool = False, cluster: int | str | Sequence[int] | None = None, **unknown: NoReturn,
    ) -> Kernel:  # fmt: skip
        """Check the values, plain integers in place, because autotuners make millions of kernels."""
        shape = block_dim
        if type(threads) is tuple and block_dim is None:
            threads, shape = parse_threads(threads)
        given = (
            threads, regs, static_smem, dynamic_smem, smem, barriers, max_threads, shape, carveout,
            caching, opt_in, virtual_resources, tensor_memory, shared_memory_mode, reallocates_registers, cluster,
        )  # fmt: skip
        # bool is a subclass of int, and True threads are a mistake: hence the comparison of types.
        if (
            type(threads) is int
            and 0 < threads <= INT_MAX
            and (regs is None or (type(regs) is int and 0 <= regs <= _MAX_REGS))
            and (static_smem is None or (type(static_smem) is int and 0 <= static_smem <= INT_MAX))
            and (dynamic_smem is None or (type(dynamic_smem) is int and 0 <= dynamic_smem <= INT_MAX))
            and (
                smem is None
                or (type(smem) is int and 0 <= smem <= INT_MAX and static_smem is dynamic_smem is None)
            )
            and (barriers is None or (type(barriers) is int and 0 <= barriers <= _MAX_BARRIERS))
            and (max_threads is None or (type(max_threads) is int and 0 < max_threads <= INT_MAX))
            and block_dim is None
            and (carveout is None or type(carveout) is Carveout)
            and caching is opt_in is virtual_resources is None
            and tensor_memory is shared_memory_mode is cluster is None
            and reallocates_registers is False
            and not unknown
        ):
            return _make(cls, given)
        reject_unknown(unknown, cls, cls._fields)
        if threads is None:
            hint = 'Pass threads per block, such as 256 or "16x16".'
            raise InputError("is missing", where="threads", hint=hint)
        if smem is not None and not (static_smem is dynamic_smem is None):
            problem = "is the total, so it cannot be combined with static, dynamic or per-thread sizes"
            raise InputError(problem, where="smem", hint="Pass the total alone, or only its parts.")
        count, shape = parse_threads(threads)
        pairs = zip(cls._fields, (count, *given[1:]), strict=True)
        values = {name: None if value is None else FIELDS[name].parse(value) for name, value in pairs}
        values["block_dim"] = block_dim = values["block_dim"] or shape
        if block_dim is not None and (prod(block_dim) != count or shape not in (None, block_dim)):
            raise InputError("does not match threads", where="block_dim", hint='Pass threads alone: "16x16".')
        values["reallocates_registers"] = bool(values["reallocates_registers"])
        return _make(cls, values.values())

    def replace(self, **changes: Unpack[KernelChanges]) -> Kernel:
        """Return the kernel with other values, in any spelling; errors as in `Kernel`.

        ``smem`` replaces static and dynamic shared memory, and ``threads`` the block's shape.
        """
        reject_unknown(changes, self.replace, self._fields)
        reset: dict[str, Any] = {"static_smem": None, "dynamic_smem": None} if "smem" in changes else {}
        reset |= {"block_dim": None} if "threads" in changes else {}
        return type(self)(*self._replace(**{**reset, **changes}))

    __replace__ = replace

    @property
    def launch_bound(self) -> int:
        """First launch bound: ``max_threads``, or the threads of this block if not given."""
        return self.max_threads or self.threads

    @property
    def shared_memory(self) -> int:
        """Shared memory per block in bytes, static and dynamic, without the reservation; 0 if not given."""
        return (self.smem or 0) + (self.static_smem or 0) + (self.dynamic_smem or 0)

    @property
    def virtual_resources_at_start(self) -> int:
        """Virtual resources of a block when it starts."""
        if self.virtual_resources is not None:
            return self.virtual_resources
        return 0 if self.tensor_memory is None else VIRTUAL_RESOURCES_OF_TENSOR_MEMORY

    @property
    def cluster_size(self) -> int | None:
        """Blocks per cluster; None without clusters."""
        return self.cluster and prod(self.cluster)

    @property
    def has_shared_memory(self) -> bool:
        """True if any shared memory size was given."""
        return self.smem is not None or self.static_smem is not None or self.dynamic_smem is not None

    def to_dict(self) -> dict[str, Any]:
        """Return the values by the names of the fields; a carveout as text."""
        values = self._asdict()
        values["carveout"] = None if self.carveout is None else str(self.carveout).replace(" ", "")
        return values


class _LaunchFields(NamedTuple):
    kernel: Kernel
    grid_dim: tuple[int, int, int]


@readable
class Launch(_LaunchFields):
    """Kernel with its grid.

    Args:
        kernel: The kernel.
        grid_dim: Blocks along x, y and z.

    Raises:
        InputError: The grid is out of range, or not divisible into the clusters of the kernel.
    """

    __slots__ = ()

    def __new__(cls, kernel: Kernel, grid_dim: tuple[int, int, int]) -> Launch:
        grid, cluster = parse_shape(grid_dim, "grid"), kernel.cluster or (1, 1, 1)
        for axis, blocks, most, size in zip("xyz", grid, MAX_GRID_DIM, cluster, strict=True):
            in_range(blocks, "grid", 1, most, f"1 to {most:,} along {axis}")
            if blocks % size:
                near = f"{blocks // size * size:,} or {blocks + -blocks % size:,}".removeprefix("0 or ")
                problem = f"{blocks:,} along {axis} is not divisible into clusters of {size}"
                raise InputError(problem, where="grid", hint=f"Use a multiple, such as {near}.")
        return super().__new__(cls, kernel, grid)

    @property
    def blocks(self) -> int:
        """Blocks in the whole grid."""
        return prod(self.grid_dim)
