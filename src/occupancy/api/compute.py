"""The functions of the library that answer: input in people's spellings, answers that can show themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import occupancy  # in annotations: a public name brings its module when somebody reads the types

from .. import engine
from ..errors import InputError
from ..tables.gpus import Gpu, find_gpu
from ..values.kernel import Caching, Carveout, Kernel, SharedMemoryMode
from ..values.resources import Output
from ..values.spellings import is_automatic
from .answer import Occupancy
from .arguments import (
    CarveoutLike,
    ComputeCapabilityLike,
    CountLike,
    KernelLike,
    NoOthers,
    SizeLike,
    ThreadsLike,
    kernel_with,
    make_kernel,
    shows,
    unknown_argument,
)
from .chips import limits

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..arrays import ArrayLike
else:
    ArrayLike = Any  # that of NumPy, which only a sweep needs


def compute(
    cc: ComputeCapabilityLike,
    kernel: KernelLike | None = None,
    *,
    threads: ThreadsLike | None = None,
    regs: CountLike | None = None,
    static_smem: SizeLike | None = None,
    dynamic_smem: SizeLike | None = None,
    smem: SizeLike | None = None,
    carveout: CarveoutLike = None,
    barriers: CountLike | None = None,
    caching: Caching | None = None,
    opt_in: bool | None = None,
    virtual_resources: CountLike | None = None,
    tensor_memory: CountLike | None = None,
    shared_memory_mode: SharedMemoryMode | None = None,
    model: engine.Model | None = None,
    **others: Unpack[NoOthers],
) -> Occupancy:
    """How many blocks of a kernel can be resident on one SM at once, and what stops one more.

    Args:
        cc: A compute capability in any spelling, the name of a product, whose SMs the answer then knows, or
            the `Limits` of an SM, real or imaginary.
        kernel: A `Kernel`, a kernel that `scan` found, or a compiled kernel of Triton, Inductor,
            CuPy, Numba, PyCUDA, the CuTe DSL or cuda.core. What is given beside it replaces what it says.
        {arguments}

    Returns:
        The answer. A kernel that cannot launch is one too: 0 blocks, with the reason.

    Raises:
        InputError: A value that no kernel can have, or that this chip does not offer.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
    """
    if others:
        raise unknown_argument(compute, others)
    chip: Gpu | None
    if type(cc) is str:
        chip = find_gpu(cc)
        sm = chip.limits
    else:
        chip, sm = cc if isinstance(cc, Gpu) else None, limits(cc)
    needed = None
    if (
        kernel is None
        and type(threads) is int
        and carveout is None
        and caching is None
        and opt_in is None
        and virtual_resources is None
        and tensor_memory is None
        and shared_memory_mode is None
    ):
        # Plain integers, which an autotuner gives by the million, need no parsing. Text among them, or what
        # no kernel can have, is dealt with below.
        try:
            needed = Kernel(threads, regs, static_smem, dynamic_smem, smem, barriers)  # type: ignore[arg-type]
        except InputError:
            needed = None
    if needed is None:
        needed = kernel_with(
            kernel,
            {
                "threads": threads,
                "regs": regs,
                "static_smem": static_smem,
                "dynamic_smem": dynamic_smem,
                "smem": smem,
                "carveout": carveout,
                "barriers": barriers,
                "caching": caching,
                "opt_in": opt_in,
                "virtual_resources": virtual_resources,
                "tensor_memory": tensor_memory,
                "shared_memory_mode": shared_memory_mode,
            },
        )
    found = Occupancy(sm, needed, model)
    if carveout is not None and is_automatic(carveout):
        smallest = found.carveout().smallest
        if smallest is not None:
            found = Occupancy(sm, replace(needed, carveout=Carveout(smallest.shared_memory, "bytes")), model)
    if chip is not None:
        found._chip = chip
    return found


def sweep(
    cc: ComputeCapabilityLike | list[Any],
    *,
    threads: ArrayLike,
    regs: ArrayLike | None = None,
    static_smem: ArrayLike | None = None,
    dynamic_smem: ArrayLike | None = None,
    smem: ArrayLike | None = None,
    barriers: ArrayLike | None = None,
    virtual_resources: ArrayLike | None = None,
    tensor_memory: ArrayLike | None = None,
    carveout: CarveoutLike = None,
    caching: Caching | None = None,
    opt_in: bool | None = None,
    shared_memory_mode: SharedMemoryMode | None = None,
    model: engine.Model | None = None,
    outputs: Sequence[Output] = ("active_blocks", "active_warps", "limiters"),
    **others: Unpack[NoOthers],
) -> occupancy.Sweep:
    """The answers of `compute` for arrays of kernels; needs NumPy.

    The arrays broadcast to each other. All combinations come from arrays that each have a dimension
    of their own, and cost next to nothing: ``threads=t[:, None], regs=r``, or ``numpy.ix_(t, r)``.
    Carveout, caching, opt-in, mode and model are one for all kernels.

    Args:
        cc: One chip, or a list of them, which gives the answers a first dimension for the chips.
        threads: Threads per block, 1 and up; every number is a value here, not a side of a block.
        {arguments}
        outputs: The arrays that are wanted; each takes a byte for each kernel.

    Returns:
        ``active_blocks``, ``active_warps``, and ``limiters`` as bits of `Limiter`.

    Raises:
        InputError: Values that are not whole numbers or out of range (it names the first), arrays
            that do not broadcast, or an option that a chip does not have.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
        MissingDependencyError: NumPy is not installed.
    """
    if others:
        raise unknown_argument(sweep, others)
    from ..arrays import sweep_arrays

    given = {
        "threads": threads,
        "regs": regs,
        "static_smem": static_smem,
        "dynamic_smem": dynamic_smem,
        "smem": smem,
        "barriers": barriers,
        "virtual_resources": virtual_resources,
        "tensor_memory": tensor_memory,
    }
    chips = [find_gpu(each) for each in (cc if isinstance(cc, list) else [cc])]
    return sweep_arrays(
        [chip.limits for chip in chips],
        {field: values for field, values in given.items() if values is not None},
        make_kernel(
            1, carveout=carveout, caching=caching, opt_in=opt_in, shared_memory_mode=shared_memory_mode
        ),
        model,
        has_gpu_axis=isinstance(cc, list),
        outputs=outputs,
        names=[chip.label for chip in chips],
    )


for _function in (compute, sweep):
    shows(_function, "others", NoOthers)
