"""Results of `sweep` that can draw and print themselves."""

from __future__ import annotations

from itertools import islice
from math import prod
from typing import Any

from ..arrays import ArrayResults
from ..errors import InputError
from ..render.pictures import plot
from ..report import pictures
from ..report.model import Report, Table
from ..report.results import gpu_notes, keyed_column
from ..report.sweep import BEST
from ..tables.gpus import Gpu
from ..values.numbers import count
from .results import Printed


class Sweep(ArrayResults, Printed):  # type: ignore[misc]  # its rows() is an iterator
    """Results for arrays of kernels; names and meanings are those of `Occupancy`.

    The arrays have the shape that the inputs broadcast to; for a list of GPUs, the first dimension is
    the GPUs'. They are read-only. ``print`` shows the best kernels.
    """

    def plot(self, ax: Any = None) -> Any:
        """Draw the occupancy: a curve for each GPU over one input, or a heat map of one GPU over two.

        The result is ``ax``, or matplotlib's ``Axes`` of a new figure.

        Raises:
            InputError: Nothing varies, or too much for a picture.
        """
        several, gpus = self.varying(), len(self.names)
        axes = {name: [int(value) for value in values.flat] for name, values in several.items()}
        sizes = [len(values) for values in axes.values()]
        if len(sizes) == 1:
            lines = self.occupancy.reshape(gpus, -1).tolist()
            (name,) = axes
            curves = dict(zip(self.names if gpus > 1 else [""], lines, strict=True))
            content: pictures.Plot = pictures.StepPlot(name, axes[name], curves)
        elif len(sizes) == 2 and gpus == 1 and self.occupancy.size == sizes[0] * sizes[1]:
            (down, rows), (across, columns) = axes.items()
            content = pictures.HeatMap((down, across), rows, columns, self.occupancy.reshape(sizes).tolist())
        else:
            hint = "Vary one input on any number of GPUs, or two on one GPU, each along its own dimension."
            raise InputError(f"{len(sizes)} inputs vary on {count(gpus, 'GPU')}", where="plot", hint=hint)
        fixed = {name: int(values.flat[0]) for name, values in self.inputs.items() if values.size == 1}
        given = {"cc" if self.names == self.ccs else "gpu": self.names[0]} if gpus == 1 else {}
        title = pictures.picture_title([*several], {**given, **fixed})
        panel = plot(pictures.Picture(title, (content,)), ax)[0]
        if ax is not None and gpus == 1:
            panel.set_title(self.names[0])
        return panel

    def report(self) -> Report:
        """Return a report of all kernels, which prints the best, or without active warps the first."""
        has_warps = "active_warps" in self.outputs
        shown = self.best(BEST) if has_warps else list(islice(self.rows(), BEST))
        names = ["gpu", "cc", *self.varying(), "occupancy", "active_blocks", "limiters"]
        columns = {name: keyed_column(name) for name in (shown[0] if shown else next(self.rows(), {}))}
        details = [Table("", [columns[name] for name in names if name in columns], shown)] if shown else []
        shape = " x ".join(f"{length:,}" for length in self.shape)
        listed = f"The {'best' if has_warps else 'first'} of {shape} kernels"
        kernels = listed if prod(self.shape) > 1 else "1 kernel"
        failing = int((self.active_warps == 0).sum()) if has_warps else 0
        verdict = f": {failing:,} {'does' if failing == 1 else 'do'} not launch" if failing else ""
        headline = [f"{kernels} on {', '.join(self.names)}{verdict if shown else ': no kernel launches'}"]
        inputs = {name: values.tolist() for name, values in self.inputs.items()}
        keyed, rows = list(columns.values()), self.rows()
        notes = gpu_notes(map(Gpu, self.limits, self.names))
        return Report("sweep", headline, keyed, rows, "results", inputs, details, notes, has_table=False)
