"""Report of ``occupancy fits``: the GPUs on which a kernel runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..advice.budget import TOLERANCE
from ..values.numbers import count, percent
from .model import Column, Report, chosen
from .results import RESULT_COLUMNS, gpu_remarks
from .words import gpu_name, kernel_text, labels

FITS_COLUMNS = (
    chosen(RESULT_COLUMNS, "gpu")[0]._replace(
        show=lambda fit: gpu_name(fit.gpu) if fit.gpu.name else fit.gpu.limits.architecture),
    *chosen(RESULT_COLUMNS, "cc"),
    Column("runs", about="True if the kernel compiles and launches", type="boolean"),
    Column("occupancy", "Occupancy", show=lambda fit: percent(fit.occupancy) if fit.runs else "no launch",
           about="Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", lambda fit: fit.result.active_blocks if fit.runs else 0,
           about="Resident blocks per SM", type="integer"),
    Column("limiters", "Limited by", lambda fit: list(fit.result.limiters) if fit.runs else [], text=labels,
           about="Limiting resources", align="left", wraps=True, type="array"),
    Column("opt_ins", about="Calls required before the launch", type="array"),
    Column("reason", about="Reason why the kernel does not run", type="string"),
)  # fmt: skip


def fits_report(fits: Sequence[Any], least: float | None = None) -> Report:
    running = [fit for fit in fits if fit.runs]
    kernel, columns, noun = fits[0].kernel, FITS_COLUMNS, "GPU"
    if not any(fit.gpu.name for fit in fits):
        noun, columns = "compute capability", (columns[0]._replace(title="Architecture"), *columns[1:])
    runs = f"Launches on {len(running)} of {count(len(fits), noun)}"
    if least is not None:
        reached = [fit for fit in running if fit.occupancy >= least - TOLERANCE]
        fits = sorted(reached, key=lambda fit: -fit.occupancy)
        runs += f", {len(fits)} with at least {percent(least)}"
    headline, details = [runs, kernel_text(kernel)], gpu_remarks(fits, [fit.reason for fit in fits])
    return Report("fits", headline, columns, fits, "gpus", kernel.to_dict(), details)
