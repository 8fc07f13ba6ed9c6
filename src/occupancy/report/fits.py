"""The report of the GPUs on which a kernel runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..values.numbers import count, percent
from .calc import kernel_text, label
from .model import Block, Column, Facts, Paragraph, Report


def _occupancy(fit: Any) -> str:
    return percent(fit.occupancy) if fit.runs else "does not run"


COLUMNS = (
    Column("gpu", "GPU", lambda fit: fit.gpu.name, lambda fit: fit.gpu.label, "Name of the GPU, if one was given",
           "left", type="string"),
    Column("cc", "", lambda fit: fit.gpu.cc, about="Compute capability", type="string"),
    Column("architecture", "Architecture", lambda fit: fit.gpu.limits.architecture, None, "Its architecture", "left",
           optional=1, type="string"),
    Column("runs", "", lambda fit: fit.runs, about="True if the kernel compiles and launches", type="boolean"),
    Column("occupancy", "Occupancy", lambda fit: fit.occupancy, _occupancy,
           "Active warps by the most warps of an SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", lambda fit: fit.result.active_blocks if fit.runs else 0, None,
           "Resident blocks per SM", type="integer"),
    Column("limiters", "Limited by", lambda fit: list(fit.result.limiters) if fit.runs else [],
           lambda fit: ", ".join(map(label, fit.result.limiters)) if fit.runs else "", "Limiting resources", "left",
           wraps=True, type="array"),
    Column("opt_ins", "", lambda fit: list(fit.opt_ins), about="Calls that a launch needs before it", type="array"),
    Column("reason", "", lambda fit: fit.reason, about="Reason for which it does not run", type="string"),
)  # fmt: skip


def fits_report(fits: Sequence[Any], inputs: Mapping[str, Any]) -> Report:
    """Return the report of a `Fit` for each GPU.

    Args:
        fits: The GPUs with the kernel.
        inputs: What was given of the kernel, for a report without rows.
    """
    running = [fit for fit in fits if fit.runs]
    kernel = fits[0].kernel if fits else None
    headline = f"Runs on {len(running)} of {count(len(fits), 'GPU')}" if fits else "Runs on none of the GPUs"
    reasons: dict[str, list[str]] = {}
    for fit in fits:
        if fit.reason is not None:
            reasons.setdefault(fit.reason, []).append(fit.gpu.label)
    opt_ins: dict[str, list[str]] = {}
    for fit in running:
        for call in fit.opt_ins:
            opt_ins.setdefault(call, []).append(fit.gpu.label)
    details: list[Block] = []
    if reasons:
        details.append(Paragraph([f"{', '.join(gpus)}: {reason}" for reason, gpus in reasons.items()]))
    if opt_ins:
        details.append(Facts([("Opt-in", f"{call} ({', '.join(gpus)})") for call, gpus in opt_ins.items()]))
    return Report(
        name="fits",
        headline=(headline, kernel_text(kernel)) if kernel is not None else (headline,),
        columns=COLUMNS,
        rows=list(fits),
        rows_key="gpus",
        inputs=kernel.to_dict() if kernel is not None else {k: v for k, v in inputs.items() if v is not None},
        details=details,
    )
