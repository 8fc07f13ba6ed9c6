"""`compute` and its result: the occupancy of a kernel on one GPU or on several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NoReturn, overload

from ..advice.block_sizes import BlockSize, SharedMemoryFunction, block_sizes
from ..advice.budget import BudgetLevel, budgets
from ..advice.launch_bounds import launch_bounds
from ..advice.launch_requirements import opt_ins
from ..advice.next_steps import NextStep, next_steps
from ..advice.slack import carveout, slack
from ..advice.waves import full_wave
from ..engine import Model, Result
from ..engine.common import blocks_by_tensor_memory
from ..errors import InputError, OccupancyError, invalid
from ..report.budget import bounds_report, budget_report
from ..report.calc import COLUMNS, calc_report, explain_report, steps_report, waves_report
from ..report.explain import Explanation, explain
from ..report.model import SCHEMA_VERSION, Report, json_value
from ..report.results import RESULT_COLUMNS, ResultRow
from ..report.words import limited_by
from ..tables.gpus import Architecture, Gpu, HasGpu, ambiguous, find_gpu, find_one_or_several
from ..values.fields import TENSOR_MEMORY_UNIT, Carveout, KernelChanges, KernelInputs, Unpack, reject_unknown
from ..values.kernel import Kernel, Launch
from ..values.limits import ComputeCapability, Limits
from ..values.numbers import count, percent
from ..values.records import documented
from ..values.spellings import parse_count, parse_optional, parse_shape, parse_share, parse_threads
from .results import Budget, Budgets, CarveoutAdvice, LaunchBounds, Printed, Results, Slack, Waves

Shape = int | str | Sequence[int]
GpuLike = str | int | tuple[int, int] | ComputeCapability | Limits | Gpu | HasGpu
"""A GPU: its name, a compute capability in any spelling, the limits of an SM, or a `Device`."""
GpuList = Iterable[GpuLike]
"""Several GPUs. Text and a pair of integers are one GPU."""
KernelLike = object
"""A `Kernel`, an `Occupancy`, a scanned kernel, or a compiled kernel of a framework: see `read_kernel`."""
_KERNEL_HINTS: dict[type, str] = {
    int: "Pass threads per block by name: threads=256.",
    str: "To read a file, call scan() and pass one of its kernels.",
    dict: "Pass values, such as threads=32 * config.num_warps, or call is_launchable() or prune().",
}
_OWN_LIMITS = "Store results of your own limits with pickle."
_DERIVED = ("cc", "launchable", "occupancy", "active_blocks", "active_warps", "limiters", "resources")
_new_kernel = Kernel.__new__  # without the detour of type.__call__


@documented
class Occupancy(Printed, Result):
    """The occupancy of a kernel on one GPU; immutable and hashable.

    Two results are equal if their GPUs, kernels and models are equal. ``print`` shows what the command line prints.
    """

    __slots__ = ()

    gpu: Gpu
    """GPU, with its name, limits and number of SMs, if known."""

    def __new__(cls, *_: object, **__: object) -> Occupancy:
        raise TypeError("Occupancy cannot be called: compute() returns one")

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError("Occupancy is immutable; compute() and replace() make one")

    __delattr__ = __setattr__

    def __repr__(self) -> str:
        blocks = f"{count(self.active_blocks, 'block')} of {self.kernel.threads} threads"
        why = f"does not launch: {self.reason}" if self.reason else limited_by(self.limiters)
        gpu = f"{self.gpu.label}{' with changed limits' if self.gpu.name and self.limits.changes else ''}"
        return f"<Occupancy {percent(self.occupancy)} on {gpu}: {blocks}, {why}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Occupancy) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.gpu, self.kernel, self.model  # the rest is derived

    @property
    def cc(self) -> str:
        """The compute capability, such as ``"9.0"``."""
        return self.gpu.cc

    def replace(self, **inputs: Unpack[KernelInputs]) -> Occupancy:
        """Return the result for other inputs on this GPU; a new total `smem` keeps static parts that fit."""
        kernel, static = self.kernel.replace(**inputs), self.kernel.static_smem
        if static and self.compiles and kernel.smem is not None and kernel.smem >= static:
            kernel = kernel.replace(static_smem=static, dynamic_smem=kernel.smem - static, smem=None)
        return occupancy_on(self.gpu, kernel, self.model)

    __replace__ = replace

    def next_steps(self) -> Results[NextStep]:
        """Return the changes for each higher occupancy, lowest first, and then up to two other block sizes."""
        return Results(next_steps(self), steps_report, self)

    def slack(self) -> Slack:
        """Return the largest values that keep every block resident, and the unused resources of the SM."""
        return Slack(*slack(self))

    def carveout(self) -> CarveoutAdvice:
        """Return the shared memory configurations of the SM, with the resident blocks of each."""
        return CarveoutAdvice(*carveout(self))

    @overload
    def budget(self, *, occupancy: float | str, blocks: None = None) -> Budget[BudgetLevel]: ...
    @overload
    def budget(self, *, blocks: int | str, occupancy: None = None) -> Budget[BudgetLevel]: ...
    @overload
    def budget(self, *, occupancy: float | str | None = None, blocks: int | str | None = None) -> Budget: ...
    def budget(self, *, occupancy: float | str | None = None, blocks: int | str | None = None) -> Budget:
        """Return the most registers and shared memory that reach a target.

        A target must be within reach of the kernel's own registers and shared memory. To plan beyond them, remove
        them first: ``result.replace(regs=None, smem=None).budget(occupancy=0.75)``.

        Args:
            occupancy: Target occupancy: ``0.75``, ``75`` or ``"75%"``.
            blocks: Target blocks per SM instead. Without a target, the result contains every level of the block
                size, including levels that the kernel's own values do not allow.

        Raises:
            InputError: Both targets were given, or the kernel's own values do not allow the target.
        """
        return Occupancies([self]).budget(occupancy=occupancy, blocks=blocks)[0]

    def launch_bounds(self, *, blocks: int | str | None = None) -> LaunchBounds:
        """Return the register cap of ``__launch_bounds__(threads, blocks)``, and the occupancy with it.

        Raises:
            InputError: A number is out of range, or ptxas does not support the GPU.
        """
        count = parse_optional(parse_count, blocks, "blocks")
        return LaunchBounds(*launch_bounds(self.gpu, self.kernel, count, self.model))

    def block_sizes(self, *, smem_of_threads: SharedMemoryFunction | None = None) -> Results[BlockSize]:
        """Return every multiple of the warp size as a block size with its occupancy, best first.

        The block size of this result is ignored. ``smem_of_threads`` returns the dynamic shared memory for a size.

        Raises:
            InputError: The function returns no size, or the kernel has only a total of shared memory.
        """
        from ..report.block_sizes import block_sizes_report

        sizes = block_sizes(self.limits, self.kernel, smem_of_threads, self.model)
        return Results(sizes, block_sizes_report, self)

    def waves(
        self, grid: Shape | None = None, *, multiprocessor_count: int | str | None = None,
        max_active_clusters: int | str | None = None,
    ) -> Waves:  # fmt: skip
        """Return the waves in which a grid runs on the whole GPU.

        Args:
            grid: Number of blocks, or the grid's shape; by default one full wave, as for a persistent kernel.
            multiprocessor_count: Number of SMs; by default that of the GPU.
            max_active_clusters: Resident clusters that the driver reports; by default an upper bound.

        Raises:
            InputError: A number is out of range or missing.
        """
        blocks = parse_optional(parse_shape, grid, "grid")
        most = parse_optional(parse_count, max_active_clusters, "max_active_clusters")
        launch = Launch(self.kernel, blocks or self.kernel.cluster or (1, 1, 1))
        wave = full_wave(self, multiprocessors(self.gpu, multiprocessor_count), most)
        if blocks is None:
            x, y, z = launch.grid_dim
            launch = Launch(self.kernel, (x * max(1, wave.blocks // launch.blocks), y, z))
        return Waves(launch, wave)

    @property
    def opt_ins(self) -> tuple[str, ...]:
        """C++ calls required before the launch."""
        return opt_ins(self)

    def explain(self) -> Results[Explanation]:
        """Return the arithmetic of each resource, step by step."""
        return Results(explain(self), explain_report, self)

    def plot(self) -> list[Any]:
        """Draw occupancy by block size, registers and shared memory, and return matplotlib's ``Axes``."""
        from ..render.pictures import plot
        from ..report.sweep import curves_picture

        return plot(curves_picture([self]))

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat dictionary of the inputs and the result, as for ``pandas.DataFrame``."""
        from ..render.data import flat_rows

        return flat_rows(Report("calc", (), COLUMNS, [ResultRow(self)], inputs=self.kernel.to_dict()))

    def report(self) -> Report:
        return calc_report([ResultRow(self)])

    def to_dict(self) -> dict[str, Any]:
        """Return inputs and result as plain values, with the names of ``calc --format json``."""
        row = ResultRow(self)
        values = {column.key: column.getter(row) for column in RESULT_COLUMNS}
        changed = {"changed_limits": json_value(changes)} if (changes := self.limits.changes) else {}
        return {"schema_version": SCHEMA_VERSION, "inputs": self.kernel.to_dict(), **changed, **values}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Occupancy:
        """Return the result for the inputs in a dictionary from `to_dict`.

        Raises:
            InputError: As in `compute`, or the result does not follow from the inputs and the GPU's limits.
        """
        try:
            version, gpu, model = values["schema_version"], values["gpu"] or values["cc"], values["model"]
            kernel = Kernel(**values["inputs"])
        except (LookupError, TypeError):
            hint = "For several results, store [each.to_dict() for each in results]."
            raise InputError("are not from Occupancy.to_dict()", where="values", hint=hint) from None
        if version != SCHEMA_VERSION:
            raise InputError(invalid(version), where="schema_version", allowed=str(SCHEMA_VERSION))
        try:
            gpu = find_gpu(gpu)
        except OccupancyError as error:
            raise InputError(error.problem, where="values", hint=_OWN_LIMITS) from error
        result = occupancy_on(gpu, kernel, model)
        made = result.to_dict()
        changed = [name for name in _DERIVED if values.get(name, made[name]) != made[name]]
        if changed := ["changed_limits"] if values.get("changed_limits") else changed:
            hint = f"For other inputs, call replace(). {_OWN_LIMITS}"
            problem = f"do not match the inputs or limits of {result.gpu.label}: {', '.join(changed)}"
            raise InputError(problem, where="values", hint=hint)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return occupancy_on, self._key()


class Occupancies(Results[Occupancy]):
    """Results on several GPUs, as one table. Methods return the results of `Occupancy`'s on each GPU."""

    def replace(self, **inputs: Unpack[KernelInputs]) -> Occupancies:
        """Return the results for other inputs of the kernel, on the same GPUs."""
        return Occupancies(result.replace(**inputs) for result in self)

    def next_steps(self) -> Results[Results[NextStep]]:
        """Return the next steps on each GPU."""
        return Results((result.next_steps() for result in self), steps_report)

    @overload
    def budget(self, *, occupancy: float | str, blocks: None = None) -> Budgets[BudgetLevel]: ...
    @overload
    def budget(self, *, blocks: int | str, occupancy: None = None) -> Budgets[BudgetLevel]: ...
    @overload
    def budget(self, *, occupancy: float | str | None = None, blocks: int | str | None = None) -> Budgets: ...
    def budget(self, *, occupancy: float | str | None = None, blocks: int | str | None = None) -> Budgets:
        """Return the budget on each GPU; ``print`` shows the limits that hold on all of them."""
        share = parse_optional(parse_share, occupancy, "occupancy")
        number = parse_optional(parse_count, blocks, "blocks")
        cases = ((result.gpu, result.kernel, result.model, number) for result in self)
        return Budgets((Budget(*each) for each in budgets(cases, share)), budget_report)

    def launch_bounds(self, *, blocks: int | str | None = None) -> Results[LaunchBounds]:
        """Return the launch bounds on each GPU."""
        return Results((result.launch_bounds(blocks=blocks) for result in self), bounds_report)

    def block_sizes(
        self, *, smem_of_threads: SharedMemoryFunction | None = None
    ) -> Results[Results[BlockSize]]:
        """Return the block sizes on each GPU; ``print`` sorts them by the lowest occupancy."""
        from ..report.block_sizes import block_sizes_report

        sizes = [result.block_sizes(smem_of_threads=smem_of_threads) for result in self]
        return Results(sizes, block_sizes_report)

    def waves(
        self, grid: Shape | None = None, *, multiprocessor_count: int | str | None = None,
        max_active_clusters: Sequence[int | str | None] | None = None,
    ) -> Results[Waves]:  # fmt: skip
        """Return the waves of a grid, by default one full wave, on each GPU.

        ``max_active_clusters`` is a list with a number for each GPU.
        """
        most = [None] * len(self) if max_active_clusters is None else max_active_clusters
        if not isinstance(most, (list, tuple)) or len(most) != len(self):
            raise InputError("is not a list with a number for each GPU", where="max_active_clusters")
        sms: Any = {"multiprocessor_count": multiprocessor_count}
        results = zip(self, most, strict=True)
        return Results((each.waves(grid, max_active_clusters=n, **sms) for each, n in results), waves_report)

    def report(self) -> Report:
        return calc_report(list(map(ResultRow, self))) if self else super().report()


@overload
def compute(  # type: ignore[overload-overlap]  # other text is one GPU
    gpu: Architecture, kernel: KernelLike = None, *, model: Model | None = None, **inputs: Unpack[KernelInputs]
) -> Occupancies: ...  # fmt: skip
@overload
def compute(  # type: ignore[overload-overlap]  # text and pairs are no list
    gpu: GpuLike, kernel: KernelLike = None, *, model: Model | None = None, **inputs: Unpack[KernelInputs]
) -> Occupancy: ...
@overload
def compute(
    gpu: GpuList, kernel: KernelLike = None, *, model: Model | None = None, **inputs: Unpack[KernelInputs]
) -> Occupancies: ...
def compute(
    gpu: GpuLike | GpuList, kernel: KernelLike = None, *, model: Model | None = None,
    threads: int | str | tuple[int, ...] | None = None, regs: int | str | None = None,
    static_smem: int | str | None = None, dynamic_smem: int | str | None = None, smem: int | str | None = None,
    barriers: int | str | None = None, max_threads: int | str | None = None,
    carveout: int | str | Carveout | None = None, caching: Literal["ca", "cg"] | None = None,
    opt_in: bool | str | None = None, virtual_resources: int | str | None = None,
    tensor_memory: int | str | None = None, shared_memory_mode: Literal["oversized"] | None = None,
    cluster: Shape | None = None, **unknown: NoReturn,
) -> Occupancy | Occupancies:  # fmt: skip
    """Compute the resident blocks of a kernel per SM, the occupancy and its limiters.

    >>> import occupancy
    >>> occupancy.compute("H100", threads=256, regs=72, smem="40k").occupancy
    0.375

    Args:
        gpu: A compute capability in any spelling (``"9.0"``, ``"sm_90"``, 90, (9, 0)), the name of a GPU
            (``"RTX 4090"``), the `Limits` of an SM, or a list of these. An architecture stands for
            its compute capabilities: ``"ampere"``.
        kernel: A `Kernel`, a result of `scan`, or a compiled kernel of a framework.
        model: ``"cuda"`` for NVIDIA's cuda_occupancy.h and the CUDA runtime, the default on sm_30 and newer;
            ``"spreadsheet"`` for NVIDIA's CUDA_Occupancy_Calculator.xls, 1.0 to 8.6.
        threads: Threads per block, such as ``256`` or ``"16x16"``.
        regs: Registers per thread. This and the other keywords are those of `Kernel`, and replace the values of
            ``kernel``; None keeps them.

    Returns:
        The result, or for a list or an architecture a sequence with one for each GPU. For a kernel that cannot
        launch, ``launchable`` is False and ``reason`` explains why.

    Raises:
        InputError: A value is invalid for every kernel, or the GPU does not support it.
        UnknownComputeCapabilityError: The table does not contain the compute capability.
    """
    chosen = _gpus_called(gpu) if isinstance(gpu, str) else find_one_or_several(gpu)
    if kernel is None and tensor_memory is None and not unknown:
        # In the order of its fields: to pass the keywords on by name takes a tenth of the whole.
        needed = _new_kernel(
            Kernel, threads, regs, static_smem, dynamic_smem, smem, barriers, max_threads, None, carveout,
            caching, opt_in, virtual_resources, tensor_memory, shared_memory_mode, False, cluster,
        )  # fmt: skip
    else:
        given = locals()
        inputs = {name: given[name] for name in KernelInputs.__annotations__}
        gpus = chosen if isinstance(chosen, list) else [chosen]
        needed = kernel_of_inputs(kernel, inputs | unknown, gpus=gpus)
    if isinstance(chosen, list):
        return Occupancies(occupancy_on(found, needed, model) for found in chosen)
    return occupancy_on(chosen, needed, model)


_gpus_called = lru_cache(maxsize=256)(find_one_or_several)


def occupancy_on(gpu: Gpu, kernel: Kernel, model: Model | None = None) -> Occupancy:
    # A mutable result first: to set the guarded attributes one by one takes a third longer.
    result: Any = Result(gpu.limits, kernel, model)
    result.gpu = gpu
    result.__class__ = Occupancy
    return result  # type: ignore[no-any-return]


def kernel_of_inputs(
    kernel: KernelLike, inputs: Mapping[str, Any], function: Callable[..., Any] = compute, *,
    gpus: Iterable[Gpu] = (),
) -> Kernel:  # fmt: skip
    """Return the kernel that an object, keyword arguments of a function, or both describe."""
    fields = KernelInputs if inputs.get("threads") is None else KernelChanges  # of to_dict()
    if unknown := [name for name in inputs if name not in fields.__annotations__]:
        advice = (Occupancy.waves, Occupancy.budget, Occupancy.launch_bounds) if function is compute else ()
        having = [f"{method.__name__}()" for method in advice if unknown[0] in method.__annotations__]
        hint = f"It is an argument of the result's {' and '.join(having)}." if having else ""
        reject_unknown(unknown, function, KernelInputs.__annotations__, hint)
    given = {name: value for name, value in inputs.items() if value is not None}
    if isinstance(kernel, Occupancy):
        kernel = kernel.kernel
    if not (kernel is None or isinstance(kernel, Kernel)):
        from ..builds.rows import ScannedKernel
        from ..readers import read_kernel

        try:
            record = read_kernel(kernel)
        except InputError as error:
            if error.allowed:  # another object
                is_configuration = hasattr(kernel, "num_warps") or isinstance(kernel, Mapping)
                error.hint = _KERNEL_HINTS.get(dict if is_configuration else type(kernel), "")
                error.allowed = f"a Kernel, {error.allowed}"
            raise
        threads = given.get("threads", kernel.threads if isinstance(kernel, ScannedKernel) else None)
        kernel = record.kernel(None if threads is None else parse_threads(threads)[0])
    made = Kernel(**given) if kernel is None else kernel.replace(**given)
    columns = made.tensor_memory or 0
    for gpu in gpus if columns else ():
        blocks_by_tensor_memory(gpu.limits, columns)  # rejects a GPU without enough
    if "tensor_memory" in given and columns % TENSOR_MEMORY_UNIT:
        hint = "Pass the sum of the allocations of tcgen05.alloc: 32, 64, 128, 256 or 512 columns each."
        problem = f"{columns:,} is not a multiple of {TENSOR_MEMORY_UNIT}"
        raise InputError(problem, where="tensor_memory", hint=hint)
    return made


def multiprocessors(gpu: Gpu, given: int | str | None) -> int:
    """Return the given number of SMs, or the number of the GPU."""
    if given is not None:
        return parse_count(given, "multiprocessor_count", "Write a number such as 132.")
    if gpu.multiprocessor_count is not None:
        return gpu.multiprocessor_count
    if gpu.variants:
        problem = f"matches {len(gpu.variants)} GPUs with different numbers of SMs"
        hint = "Set `multiprocessor_count` (`--sms N`), or choose one of these names:"
        raise ambiguous(gpu.name, problem, gpu.variants, hint)
    listing = f'`occupancy.gpus("{gpu.cc}")` (`occupancy gpus {gpu.cc}`)'
    hint = f"Waves and clusters require it. Name a GPU, or pass its SM count. To list GPUs: {listing}."
    raise InputError("is missing", where="multiprocessor_count", hint=hint)
