"""One kernel on many chips."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import MODELS, Model, evaluate, rules
from ..errors import InputError
from ..render.words import held
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import Resource
from .carveout import needs_opt_in


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a kernel runs on one chip, and how well."""

    cc: str
    launchable: bool | None
    """None where the model that was asked for does not know the chip."""
    needs_opt_in: bool
    """Whether it must raise its limit of dynamic shared memory with cudaFuncSetAttribute to launch."""
    active_blocks: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]
    limit: str | None
    """The limit of the chip that keeps it from launching, as in `Limits`; None where it launches."""
    allowed: int | None
    """The value of that limit."""
    reason: str | None
    """The same as a sentence; or what was asked for that the chip does not offer."""

    def __str__(self) -> str:
        """``9.0: 5 blocks, 62.5%``, or why it does not launch there."""
        return f"{self.cc}: {self.reason or held(self.active_blocks, self.occupancy)}"


def fits(chips: Sequence[Limits], kernel: Kernel, model: Model | None = None) -> tuple[Fit, ...]:
    """Whether the kernel runs on each of the chips, in their order.

    A chip that does not offer what was asked for (a carveout, a caching mode) does not run the kernel in that
    way, with the reason. Of a chip that the model does not know, nothing is known.

    Raises:
        InputError: There are no chips.
    """
    if not chips:
        raise InputError("there are none", where="ccs")
    return tuple(_fit(limits, kernel, model) for limits in chips)


def _fit(limits: Limits, kernel: Kernel, model: Model | None) -> Fit:
    cc = str(limits.compute_capability)
    if model is not None:
        try:
            rules(limits, model)
        except InputError as error:
            if model not in MODELS:
                raise
            return Fit(cc, None, False, 0, 0.0, (), None, None, error.problem)
    try:
        answer = evaluate(limits, kernel, model)
    except InputError as error:
        return Fit(cc, False, False, 0, 0.0, (), None, None, error.problem)
    failure = answer.failure
    return Fit(
        cc,
        failure is None,
        needs_opt_in(limits, kernel),
        answer.active_blocks,
        answer.occupancy,
        answer.limiters,
        None if failure is None else failure.limit,
        None if failure is None else failure.allowed,
        None if failure is None else str(failure),
    )
