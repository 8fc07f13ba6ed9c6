"""The functions of the library: input in people's spellings, answers that can show themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .. import engine
from ..errors import InputError, UnknownComputeCapabilityError, shown
from ..tables import shipped
from ..values.kernel import CACHING_MODES, Caching, Carveout, Kernel, Launch
from ..values.limits import ComputeCapability, Limits
from ..values.spellings import (
    is_automatic,
    parse_carveout,
    parse_count,
    parse_flag,
    parse_shape,
    parse_size,
    parse_threads,
)

if TYPE_CHECKING:
    from ..advice.waves import Waves
    from ..arrays import ArrayLike, Output, Sweep
    from ..report.calc import CalcReport
    from ..report.gpu import WholeGpu

ComputeCapabilityLike = str | int | tuple[int, int] | ComputeCapability | Limits
ShapeLike = int | str | Sequence[int]
ThreadsLike = ShapeLike
SizeLike = int | str
CarveoutLike = int | str | Carveout | None


class Result(engine.Occupancy):
    """An answer that can show itself; see `Occupancy` for its numbers."""

    __slots__ = ()

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """The answer as plain dictionaries and numbers, the same as the command line's JSON.

        Args:
            explain: Whether to add every step of the arithmetic.
        """
        return self.report(explain=explain).to_dict()

    def __str__(self) -> str:
        """The text that ``occupancy calc`` prints, without colour."""
        return str(self.report())

    def _repr_html_(self) -> str:
        """The answer as an HTML table, for a notebook."""
        return self.report()._repr_html_()

    def __repr__(self) -> str:
        return (
            f"<Result {self.occupancy:.4g} on {self.limits.compute_capability}: {self.active_blocks} "
            f"blocks of {self.kernel.threads} threads, limited by {', '.join(self.limiters)}>"
        )

    def waves(
        self,
        grid: ShapeLike,
        *,
        multiprocessors: int,
        cluster: ShapeLike | None = None,
        max_active_clusters: int | None = None,
    ) -> Waves:
        """How a grid of the kernel runs on a whole GPU: in how many waves, and how full the last one is.

        Args:
            grid: Blocks, or the grid's shape, such as ``(128, 32)``.
            multiprocessors: SMs of the GPU.
            cluster: Blocks per cluster, or the cluster's shape; only from 9.0.
            max_active_clusters: The clusters that are resident at once, where a live device told it; else
                the blocks of a wave are an upper bound.

        Raises:
            InputError: A number out of range, a grid that its clusters do not divide, clusters on a
                chip that has none, or a kernel that does not launch.
        """
        from ..advice.waves import count_waves, full_wave

        cluster_dim = None if cluster is None else parse_shape(cluster, "cluster")
        launch = Launch(self.kernel, parse_shape(grid, "grid"), cluster_dim)
        wave = full_wave(
            self,
            multiprocessors,
            cluster_size=launch.cluster_size,
            max_active_clusters=max_active_clusters,
        )
        return count_waves(launch, wave)

    def report(self, *, explain: bool = False, whole: WholeGpu | None = None) -> CalcReport:
        """Everything that is shown of the answer, as plain values.

        Args:
            explain: Whether to add every step of the arithmetic.
            whole: The whole GPU, where it is known.
        """
        from ..report.calc import calc_report

        steps = None
        if explain:
            from ..report.explain import explain as steps_of

            steps = steps_of(self)
        return calc_report(self, table_limits=_table_row(self.limits), explanation=steps, whole=whole)


def limits(cc: ComputeCapabilityLike) -> Limits:
    """What one SM of a compute capability offers.

    Args:
        cc: A string (``"9.0"``, ``"sm_90"``, ``"90a"``), an integer (``90``, ``120``) or a pair
            (``(9, 0)``), never a float. `Limits` are returned as they are.

    Raises:
        InputError: Not a compute capability.
        UnknownComputeCapabilityError: One that the table does not hold; it names the nearest.
    """
    if type(cc) is str:
        return _limits_of_name(cc)
    return cc if isinstance(cc, Limits) else shipped.limits(cc)


@lru_cache(maxsize=256)
def _limits_of_name(name: str) -> Limits:
    return shipped.limits(name)


def compute_capabilities() -> tuple[ComputeCapability, ...]:
    """Every compute capability of the table, ascending."""
    return shipped.known()


def compute(
    cc: ComputeCapabilityLike,
    *,
    threads: ThreadsLike,
    regs: int | None = None,
    static_smem: SizeLike | None = None,
    dynamic_smem: SizeLike | None = None,
    smem: SizeLike | None = None,
    carveout: CarveoutLike = None,
    barriers: int | None = None,
    caching: Caching | None = None,
    opt_in: bool | None = None,
    model: engine.Model | None = None,
) -> Result:
    """How many blocks of a kernel can be resident on one SM at once, and what stops one more.

    Args:
        cc: Compute capability in any spelling, or the `Limits` of an SM, real or imaginary.
        threads: Threads per block, 1 and up, or the block's shape, such as ``(16, 16)``.
        regs: Registers per thread, 0 to 255, as the compiler reports them.
        static_smem: Shared memory per block that the kernel declares, in bytes or as text with a
            unit (``"40k"``), without any reservation.
        dynamic_smem: Shared memory per block that the launch asks for.
        smem: Both together, where the split is not known; instead of the other two.
        carveout: How much of the SM's memory is shared memory and not L1 cache: a percentage (a
            number up to 100), one of the chip's sizes in bytes, None for the largest, or ``"auto"`` for
            the smallest with as many blocks as the largest.
        barriers: Named barriers per block, 0 to 16; not given, it counts as 1.
        caching: On 5.2, 5.3, 6.1 and 6.2 only: ``"ca"`` if global loads are cached in L1, else
            ``"cg"``, the default.
        opt_in: Whether the kernel has raised its limit of dynamic shared memory with
            cudaFuncSetAttribute; not given, it counts as raised.
        model: ``"cuda"`` (the default from 3.0): as NVIDIA's cuda_occupancy.h and the CUDA runtime;
            ``"spreadsheet"`` (1.0 to 8.6): as NVIDIA's CUDA_Occupancy_Calculator.xls.

    Returns:
        The answer. A kernel that cannot launch is one too: 0 blocks, with the reason.

    Raises:
        InputError: A value that no kernel can have, or that this chip does not offer.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
    """
    sm = limits(cc)
    kernel = make_kernel(threads, regs, static_smem, dynamic_smem, smem, carveout, barriers, caching, opt_in)
    chosen = engine.default_model(sm) if model is None else model
    result = Result(sm, kernel, chosen, *engine.rules(sm, chosen).evaluate(sm, kernel))
    if is_automatic(carveout):
        return _with_smallest_configuration(result)
    return result


def _with_smallest_configuration(result: Result) -> Result:
    from ..advice.carveout import carveout

    smallest = carveout(result.limits, result.kernel, result.model).smallest
    if smallest is None:
        return result
    kernel = replace(result.kernel, carveout=Carveout(smallest.shared_memory, "bytes"))
    rules = engine.rules(result.limits, result.model)
    return Result(result.limits, kernel, result.model, *rules.evaluate(result.limits, kernel))


def sweep(
    cc: ComputeCapabilityLike | list[Any],
    *,
    threads: ArrayLike,
    regs: ArrayLike | None = None,
    static_smem: ArrayLike | None = None,
    dynamic_smem: ArrayLike | None = None,
    smem: ArrayLike | None = None,
    barriers: ArrayLike | None = None,
    carveout: CarveoutLike = None,
    caching: Caching | None = None,
    opt_in: bool | None = None,
    model: engine.Model | None = None,
    outputs: Sequence[Output] = ("active_blocks", "active_warps", "limiters"),
) -> Sweep:
    """The answers of `compute` for arrays of kernels, at memory speed; needs NumPy.

    The arrays broadcast to each other. All combinations come from arrays that each have a dimension
    of their own, and cost next to nothing: ``threads=t[:, None], regs=r``, or ``numpy.ix_(t, r)``.

    Args:
        cc: One chip, or a list of them, which gives the answers a first dimension for the chips.
        threads: Threads per block, 1 and up; every number is a value here, not a side of a block.
        regs: Registers per thread, 0 to 255.
        static_smem: Shared memory per block that the kernel declares, in bytes.
        dynamic_smem: Shared memory per block that the launch asks for, in bytes.
        smem: Both together, where the split is not known; instead of the other two.
        barriers: Named barriers per block, 0 to 16.
        carveout: As for `compute`, one for all kernels; so are ``caching``, ``opt_in`` and ``model``.
        outputs: The arrays that are wanted; each takes a byte for each kernel.

    Returns:
        ``active_blocks``, ``active_warps``, and ``limiters`` as bits of `Limiter`.

    Raises:
        InputError: Values that are not whole numbers or out of range (it names the first), arrays
            that do not broadcast, or an option that a chip does not have.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
        MissingDependencyError: NumPy is not installed.
    """
    from ..arrays import sweep_arrays

    given = {
        "threads": threads,
        "registers": regs,
        "static_smem": static_smem,
        "dynamic_smem": dynamic_smem,
        "smem": smem,
        "barriers": barriers,
    }
    return sweep_arrays(
        [limits(each) for each in (cc if isinstance(cc, list) else [cc])],
        {field: values for field, values in given.items() if values is not None},
        make_kernel(1, carveout=carveout, caching=caching, opt_in=opt_in),
        model,
        has_chip_axis=isinstance(cc, list),
        outputs=outputs,
    )


def make_kernel(
    threads: ThreadsLike,
    regs: int | None = None,
    static_smem: SizeLike | None = None,
    dynamic_smem: SizeLike | None = None,
    smem: SizeLike | None = None,
    carveout: CarveoutLike = None,
    barriers: int | None = None,
    caching: Caching | None = None,
    opt_in: bool | None = None,
) -> Kernel:
    """Make a `Kernel` of the arguments of `compute`.

    Raises:
        InputError: A value that no kernel can have.
    """
    # Plain integers, which an autotuner gives by the million, need no parsing.
    block_dim = None
    if type(threads) is not int:
        threads, block_dim = parse_threads(threads)
    if regs is not None and type(regs) is not int:
        regs = parse_count(regs, "registers per thread")
    if static_smem is not None and type(static_smem) is not int:
        static_smem = parse_size(static_smem, "static shared memory per block")
    if dynamic_smem is not None and type(dynamic_smem) is not int:
        dynamic_smem = parse_size(dynamic_smem, "dynamic shared memory per block")
    if smem is not None and type(smem) is not int:
        smem = parse_size(smem, "shared memory per block")
    if barriers is not None and type(barriers) is not int:
        barriers = parse_count(barriers, "barriers per block")
    if carveout is not None:
        carveout = parse_carveout(carveout)
    if caching is not None and not (isinstance(caching, str) and caching in CACHING_MODES):
        raise InputError(
            f"{shown(caching)} is not a caching mode", where="caching", allowed=" or ".join(CACHING_MODES)
        )
    if opt_in is not None and type(opt_in) is not bool:
        opt_in = parse_flag(opt_in, "opt-in")
    return Kernel(
        threads, regs, static_smem, dynamic_smem, smem, barriers, block_dim, carveout, caching, opt_in
    )


def _table_row(sm: Limits) -> Limits | None:
    try:
        return shipped.limits(sm.compute_capability)
    except UnknownComputeCapabilityError:
        return None
