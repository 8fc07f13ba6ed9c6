"""The report of the GPUs on which a kernel runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..values.numbers import percent
from .calc import kernel_text, labels
from .model import Block, Column, Facts, Paragraph, Report

COLUMNS = (
    Column("gpu", "GPU", "gpu.name", lambda fit: fit.gpu.label, "Name of the GPU, if one was given", "left",
           type="string"),
    Column("cc", "", "gpu.cc", about="Compute capability", type="string"),
    Column("architecture", "Architecture", "gpu.limits.architecture", None, "Its architecture", "left", optional=1,
           type="string"),
    Column("runs", about="True if the kernel compiles and launches", type="boolean"),
    Column("occupancy", "Occupancy", show=lambda fit: percent(fit.occupancy) if fit.runs else "does not run",
           about="Active warps by the most warps of an SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", lambda fit: fit.result.active_blocks if fit.runs else 0, None,
           "Resident blocks per SM", type="integer"),
    Column("limiters", "Limited by", lambda fit: list(fit.result.limiters) if fit.runs else [],
           lambda fit: labels(fit.result.limiters) if fit.runs else "", "Limiting resources", "left", wraps=True,
           type="array"),
    Column("opt_ins", about="Calls that a launch needs before it", type="array"),
    Column("reason", about="Reason for which it does not run", type="string"),
)  # fmt: skip


def fits_report(fits: Sequence[Any], least: float | None = None) -> Report:
    """Return the report of a `Fit` for each GPU."""
    running = [fit for fit in fits if fit.runs]
    kernel = fits[0].kernel
    noun = "GPUs" if any(fit.gpu.name for fit in fits) else "compute capabilities"
    runs = f"Runs on {len(running)} of {len(fits)} {noun}"
    if least is not None:
        reached = [fit for fit in running if fit.occupancy >= least - 0.0005]
        fits = sorted(reached, key=lambda fit: -fit.occupancy)
        runs += f", {len(fits)} with at least {percent(least)}"
    reasons: dict[str, list[str]] = {}
    opt_ins: dict[str, list[str]] = {}
    for fit in fits:
        if fit.reason is not None:
            reasons.setdefault(fit.reason, []).append(fit.gpu.label)
        for call in fit.opt_ins if fit.runs else ():
            opt_ins.setdefault(call, []).append(fit.gpu.label)
    details: list[Block] = []
    if reasons:
        details.append(Paragraph([f"{', '.join(gpus)}: {reason}" for reason, gpus in reasons.items()]))
    if opt_ins:
        details.append(Facts([("Opt in", f"{call} ({', '.join(gpus)})") for call, gpus in opt_ins.items()]))
    headline = runs, kernel_text(kernel)
    return Report("fits", headline, COLUMNS, fits, "gpus", kernel.to_dict(), details=details)
