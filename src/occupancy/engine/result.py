"""Models, and the result of the engine as plain numbers."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from types import ModuleType

from ..errors import InputError, shown
from ..tables.gpus import Gpu
from ..values.fields import TENSOR_MEMORY_UNIT
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import RESOURCES, Resource
from ..values.spellings import did_you_mean
from . import cuda, spreadsheet
from .common import Allocation, BlockLimits, Model, Use, round_up
from .launch_failure import LaunchFailure, failures, max_static_smem

MODELS: dict[Model, ModuleType] = {"cuda": cuda, "spreadsheet": spreadsheet}
"""Model -> its module, with ``supports``, ``evaluate`` and ``shared_memory_pool``."""


def default_model(limits: Limits) -> Model:
    """Return ``cuda`` if it supports the GPU, and ``spreadsheet`` otherwise."""
    return "cuda" if cuda.supports(limits) else "spreadsheet"


def check_model(model: Model | None) -> None:
    if model is not None and not (isinstance(model, str) and model in MODELS):
        raise InputError(f"{shown(model)} is unknown", where="model", **did_you_mean(str(model), MODELS))


def rules(limits: Limits, model: Model) -> ModuleType:
    check_model(model)
    chosen = MODELS[model]
    if not chosen.supports(limits):
        others = (name for name, module in MODELS.items() if module.supports(limits))
        hint = "".join(f'Use `model="{name}"` (`--model {name}`).' for name in others)
        problem = f"{model} does not support compute capability {limits.compute_capability}"
        raise InputError(problem, where="model", hint=hint)
    return chosen


def limiting(result: Result) -> tuple[Resource, ...]:
    """Return the limiters; of a kernel that does not launch, the resources that allow no block."""
    if result.launchable:
        return result.limiters
    limits = zip(RESOURCES, result.block_limits, strict=True)
    rejected = () if result.compiles else ("shared_memory",)
    return tuple(name for name, blocks in limits if blocks == 0 or name in rejected)


class Result:
    """Maximum resident blocks of a kernel per SM, and the limiting resources.

    Immutable, but not a frozen dataclass, whose initialization takes longer than the arithmetic.

    Raises:
        InputError: The model does not support the GPU, or the GPU does not support an input.
    """

    # The public subclass needs the same slots, and uses that of the GPU: see `occupancy_on`.
    __slots__ = (
        "active_blocks", "active_warps", "allocated", "block_limits", "gpu", "kernel", "limits", "model",
    )  # fmt: skip

    gpu: Gpu
    limits: Limits
    kernel: Kernel
    model: Model
    """``"cuda"``, or ``"spreadsheet"`` for NVIDIA's spreadsheet."""
    block_limits: BlockLimits
    """Blocks that each resource alone allows."""
    allocated: Allocation
    """Resources of one block, rounded up to their allocation units."""
    active_blocks: int
    """Resident blocks per SM; with tensor memory, only blocks with allocated columns."""
    active_warps: int
    """Resident warps per SM."""

    def __init__(self, limits: Limits, kernel: Kernel, model: Model | None = None) -> None:
        if model is None:
            # default_model(), inlined because a call takes 5% of the time.
            model = "cuda" if limits.compute_capability >= cuda.FIRST_COMPUTE_CAPABILITY else "spreadsheet"
            chosen = MODELS[model]
        else:
            chosen = rules(limits, model)
        self.active_blocks, self.block_limits, self.allocated = chosen.evaluate(limits, kernel)
        if kernel.cluster is not None and prod(kernel.cluster) > limits.most_blocks_per_cluster:
            self.active_blocks = 0
        self.active_warps = self.active_blocks * self.allocated.warps
        self.limits = limits
        self.kernel = kernel
        self.model = model

    @property
    def active_threads(self) -> int:
        """Resident threads per SM; the spreadsheet counts whole warps."""
        if self.model == "spreadsheet":
            return self.active_warps * self.limits.warp_size
        return self.active_blocks * self.kernel.threads

    @property
    def occupancy(self) -> float:
        """Resident warps divided by the maximum per SM, 0 to 1, as in NVIDIA's tools."""
        limits = self.limits
        return self.active_warps * limits.warp_size / limits.max_threads_per_multiprocessor

    @property
    def occupancy_by_threads(self) -> float:
        """Resident threads divided by the maximum per SM, 0 to 1.

        Lower than `occupancy` if a block does not fill its last warp. PyTorch's profiler reports it for large
        grids; for small grids, it counts only the grid's blocks per SM.
        """
        return self.active_blocks * self.kernel.threads / self.limits.max_threads_per_multiprocessor

    @property
    def limiters(self) -> tuple[Resource, ...]:
        """Limiting resources; empty if only the cluster is too large."""
        blocks, limits = self.active_blocks, self.block_limits
        if limits.count(blocks) == 1:  # the common case, several times as fast as a loop
            return (RESOURCES[limits.index(blocks)],)
        return tuple(name for name, limit in zip(RESOURCES, limits, strict=True) if limit == blocks)

    @property
    def shared_memory_pool(self) -> int:
        """Bytes of shared memory that the SM selects for this kernel."""
        pool = MODELS[self.model].shared_memory_pool
        return int(pool(self.limits, self.kernel, self.allocated.shared_memory))

    @property
    def resources(self) -> dict[Resource, Use]:
        """Amount of each resource per block and per SM, and the blocks that it allows."""
        limits, kernel = self.limits, self.kernel
        barriers = cuda.UNKNOWN_BARRIERS if kernel.barriers is None else kernel.barriers
        columns = round_up(kernel.tensor_memory or 0, TENSOR_MEMORY_UNIT)
        amounts = (
            (self.allocated.warps, limits.max_warps_per_multiprocessor),
            (1, limits.max_blocks_per_multiprocessor),
            (self.allocated.registers, limits.max_registers_per_multiprocessor),
            (self.allocated.shared_memory, self.shared_memory_pool),
            (barriers, limits.max_barriers_per_multiprocessor),
            (kernel.virtual_resources_at_start, limits.virtual_resources_per_multiprocessor),
            (columns, limits.tensor_memory_per_multiprocessor),
        )
        rows = zip(RESOURCES, amounts, self.block_limits, strict=True)
        return {name: Use(*amount, blocks) for name, amount, blocks in rows}

    @property
    def failure(self) -> LaunchFailure | None:
        """First limit that the kernel exceeds; None if it launches."""
        return next(self._failures(), None)

    def _failures(self) -> Iterator[LaunchFailure]:
        return failures(self.limits, self.kernel, self.model, self.block_limits, self.allocated)

    @property
    def compiles(self) -> bool:
        """False if ptxas rejects the static shared memory; NVIDIA's spreadsheet does not know this limit."""
        static = self.kernel.static_smem or 0
        return self.model != "cuda" or static <= max_static_smem(self.limits, self.kernel)

    @property
    def launchable(self) -> bool:
        """True if the kernel compiles and launches on this GPU."""
        return self.failure is None

    @property
    def reason(self) -> str | None:
        """Every exceeded limit, first of the compiler, with its error; None if the kernel launches."""
        exceeded = sorted(self._failures(), key=lambda each: each.limit != "static_smem")
        return " Also, ".join([*map(str, exceeded[:1]), *(each.text() for each in exceeded[1:])]) or None
