"""Support of a kernel by each of some GPUs."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..advice.opt_in import compile_error, opt_ins
from ..advice.waves import check_cluster
from ..engine import Model
from ..errors import InputError
from ..tables import shipped
from ..tables.gpus import Gpu, find_gpus
from ..values.fields import KernelInputs
from ..values.kernel import Kernel
from ..values.spellings import parse_shape
from .occupancy import GpuLike, KernelLike, Occupancy, kernel_of_inputs, occupancy_on

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Fit(NamedTuple):
    """A kernel on one GPU: whether it compiles and launches there."""

    gpu: Gpu
    kernel: Kernel
    runs: bool
    reason: str | None
    """Reason why it does not run; None if it does."""
    result: Occupancy | None
    """None where the GPU lacks what was given, such as a caching mode or clusters."""
    opt_ins: tuple[str, ...]
    """Calls that the launch needs before it."""

    @property
    def occupancy(self) -> float:
        """Active warps by the most warps of an SM, 0 to 1; 0 where it does not run."""
        return self.result.occupancy if self.result is not None and self.runs else 0.0


def fits(
    gpus: GpuLike | list[Any] | None = None,
    kernel: KernelLike = None,
    *,
    cluster: int | str | None = None,
    model: Model | None = None,
    **inputs: Unpack[KernelInputs],
) -> tuple[Fit, ...]:
    """Return for each GPU whether a kernel compiles and launches there.

    Args:
        gpus: As in `compute`; by default every compute capability of the table.
        kernel, model, inputs: As in `compute`.
        cluster: Blocks per cluster, or its shape; from 9.0.

    Raises:
        InputError: A value that no kernel can have, or no GPU of a name.
        TypeError: A keyword that does not exist.
    """
    found = [Gpu(shipped.limits(cc)) for cc in shipped.known()] if gpus is None else find_gpus(gpus)
    needed = kernel_of_inputs(kernel, inputs, "fits")
    size = None if cluster is None else prod(parse_shape(cluster, "cluster"))
    return tuple(_fit(gpu, needed, model, size) for gpu in found)


def _fit(gpu: Gpu, kernel: Kernel, model: Model | None, cluster_size: int | None) -> Fit:
    try:
        if cluster_size is not None:
            check_cluster(gpu.limits, cluster_size)
        result = occupancy_on(gpu, kernel, model)
    except InputError as error:
        return Fit(gpu, kernel, False, error.problem, None, ())
    reason = result.reason or compile_error(result)
    calls = opt_ins(result, cluster_size)
    return Fit(gpu, kernel, reason is None, reason, result, calls)
