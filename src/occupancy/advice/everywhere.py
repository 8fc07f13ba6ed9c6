"""One kernel on many chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..engine import Model, Resource, evaluate
from ..errors import InputError
from ..kernel import Kernel
from ..sm_limits import ComputeCapability, Limits
from .pools import needs_opt_in


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a kernel runs on one chip, and how well."""

    compute_capability: ComputeCapability
    launchable: bool
    needs_opt_in: bool
    """Whether it must raise its limit of dynamic shared memory with cudaFuncSetAttribute to launch."""
    active_blocks: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]
    reason: str | None
    """The first limit that keeps it from launching; None where it launches."""


def fits_everywhere(chips: Sequence[Limits], kernel: Kernel, model: Model | None = None) -> tuple[Fit, ...]:
    """Whether the kernel runs on each of the chips, in their order.

    A chip that does not offer what was asked for (a carveout, a caching mode, the model) does not run
    the kernel in that way, with the reason.

    Raises:
        InputError: There are no chips.
    """
    if not chips:
        raise InputError("there are none", where="compute capabilities", allowed="one or more")
    return tuple(_fit(limits, kernel, model) for limits in chips)


def _fit(limits: Limits, kernel: Kernel, model: Model | None) -> Fit:
    try:
        answer = evaluate(limits, kernel, model)
    except InputError as error:
        return Fit(limits.compute_capability, False, False, 0, 0.0, (), str(error))
    return Fit(
        limits.compute_capability,
        answer.launchable,
        needs_opt_in(limits, kernel),
        answer.active_blocks,
        answer.occupancy,
        answer.limiters,
        answer.reason,
    )
