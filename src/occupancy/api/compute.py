"""The functions of the library that answer: input in people's spellings, answers that can show themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import occupancy  # in annotations: a public name brings its module when somebody reads the types

from .. import engine
from ..tables.gpus import find_gpu
from ..values.fields import Caching, SharedMemoryMode
from ..values.resources import Output
from .arguments import (
    CarveoutLike,
    ComputeCapabilityLike,
    NoOthers,
    make_kernel,
    shows,
    unknown_argument,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..arrays import ArrayLike
else:
    ArrayLike = Any  # that of NumPy, which only a sweep needs


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


shows(sweep, "others", NoOthers)
