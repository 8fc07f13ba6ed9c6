"""One kernel on many chips."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import MODELS, Model, evaluate, rules
from ..errors import InputError
from ..render.words import held
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.listed import ToDict
from ..values.resources import Resource
from .opt_in import OptIn, opt_ins, refused_by_compiler
from .waves import check_cluster, is_unknown_cluster


@dataclass(frozen=True, slots=True)
class Fit(ToDict):
    """Whether a kernel runs on one chip, and how well."""

    cc: str
    launchable: bool | None
    """None where the model that was asked for does not know the chip, or no source its largest clusters."""
    opt_ins: tuple[OptIn, ...]
    """The calls that the launch needs before it."""
    refused_by_compiler: str | None
    """Why no compiler makes such a kernel; None where one does, and where it does not launch anyway."""
    active_blocks: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]
    limit: str | None
    """The limit of the chip that keeps it from launching, as in `Limits`; None where it launches."""
    allowed: int | None
    """The value of that limit; None also of clusters where the chip has none."""
    reason: str | None
    """The same as a sentence; or what was asked for that the chip does not offer."""
    runs_without_clusters: bool | None
    """Whether it compiles and launches without clusters, where the chip has none so large or that is not
    known; None elsewhere."""

    @property
    def can_run(self) -> bool:
        """Whether it compiles and launches."""
        return self.launchable is True and self.refused_by_compiler is None

    def __str__(self) -> str:
        """``9.0: 5 blocks, 62.5%``, or why it does not launch there, or does not compile."""
        why = self.reason or self.refused_by_compiler
        return f"{self.cc}: {why or held(self.active_blocks, self.occupancy)}"


CLUSTER_LIMITS = ("max_portable_cluster_size", "max_non_portable_cluster_size")
"""What keeps a kernel from launching on a chip without such clusters: it has none, or smaller ones."""


@dataclass(frozen=True, slots=True)
class NoSuchClusters:
    """Why a kernel does not launch in clusters of some size on a chip, or why that is not known."""

    limit: str
    """The field of `Limits` that has none, or less than was asked for."""
    allowed: int | None
    """Its value; None: the chip has no clusters."""
    reason: str
    """The same as a sentence."""
    is_known: bool
    """Whether it is known that the chip has none; else no source says it."""


def no_such_clusters(limits: Limits, cluster_size: int | None) -> NoSuchClusters | None:
    """Why a chip has no clusters of so many blocks, as far as is known; None where it has, or where none are
    asked for."""
    if cluster_size is None:
        return None
    try:
        check_cluster(limits, cluster_size)
    except InputError as error:
        limit = CLUSTER_LIMITS[limits.max_non_portable_cluster_size is not None]
        is_known = not is_unknown_cluster(limits, cluster_size)
        allowed = f" (allowed: {error.allowed})" if error.allowed and is_known else ""
        return NoSuchClusters(limit, getattr(limits, limit), f"{error.problem}{allowed}", is_known)
    return None


def fits(
    chips: Sequence[Limits], kernel: Kernel, model: Model | None = None, *, cluster_size: int | None = None
) -> tuple[Fit, ...]:
    """Whether the kernel runs on each of the chips, in their order.

    A chip that does not offer what was asked for (a carveout, a caching mode, clusters) does not run the
    kernel in that way, with the reason. Of a chip that the model does not know, nothing is known.

    Args:
        chips: The chips.
        kernel: The kernel.
        model: Whose rules; by default those of `evaluate`.
        cluster_size: Blocks per cluster, 1 and up; None for a launch without clusters.

    Raises:
        InputError: There are no chips.
    """
    if not chips:
        raise InputError("there are none", where="ccs")
    return tuple(_fit(limits, kernel, model, cluster_size) for limits in chips)


def _fit(limits: Limits, kernel: Kernel, model: Model | None, cluster_size: int | None) -> Fit:
    cc = str(limits.compute_capability)
    if model is not None:
        try:
            rules(limits, model)
        except InputError as error:
            if model not in MODELS:
                raise
            return _none(cc, error.problem, is_known=False)
    if (missing := no_such_clusters(limits, cluster_size)) is not None and missing.is_known:
        return _none(
            cc,
            missing.reason,
            missing.limit,
            missing.allowed,
            alone=_fit(limits, kernel, model, None).can_run,
        )
    try:
        answer = evaluate(limits, kernel, model)
    except InputError as error:
        return _none(cc, error.problem)
    failure = answer.failure
    if failure is None and missing is not None:
        runs = refused_by_compiler(answer) is None
        return _none(cc, missing.reason, missing.limit, missing.allowed, is_known=False, alone=runs)
    return Fit(
        cc,
        failure is None,
        opt_ins(answer, cluster_size if missing is None else None),
        refused_by_compiler(answer),
        answer.active_blocks,
        answer.occupancy,
        answer.limiters,
        None if failure is None else failure.limit,
        None if failure is None else failure.allowed,
        None if failure is None else str(failure),
        None,
    )


def _none(
    cc: str,
    reason: str,
    limit: str | None = None,
    allowed: int | None = None,
    *,
    is_known: bool = True,
    alone: bool | None = None,
) -> Fit:
    """The answer for a chip on which the kernel does not run, or of which that is not known."""
    return Fit(cc, False if is_known else None, (), None, 0, 0.0, (), limit, allowed, reason, alone)
