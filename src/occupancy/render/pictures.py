"""Pictures of occupancy, the only home of matplotlib: step plots and heat maps, fit for a slide."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from math import ceil, log2
from typing import TYPE_CHECKING, Any

from ..errors import InputError, importing
from ..report.pictures import HeatMap, Picture, Plot, StepPlot, axis_title, axis_value
from ..report.words import is_size, value_text
from ..values.numbers import percent, whole_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE_FILES = (".svg", ".png", ".pdf")
SLIDE_INCHES = (13.33, 7.5)
STYLE: dict[Any, Any] = {
    "font.size": 14, "axes.titlesize": 18, "figure.titlesize": 18,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "svg.hashsalt": "occupancy",  # else the same picture is a different file each time
}  # fmt: skip
NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
MARK_COLOR = "#d62728"
LABEL_BOX = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
MAX_TICKS = 8
INCHES_PER_LABEL = 0.18
MAX_CELLS_WITH_TEXT = 400


def picture_bytes(picture: Picture, path: str) -> bytes:
    """Return a picture as the content of a file with one of the endings of `PICTURE_FILES`."""
    if (suffix := os.path.splitext(path)[1].lower()) not in PICTURE_FILES:
        problem = f"{path!r} is not the name of a picture"
        raise InputError(problem, where="output", allowed=", ".join(PICTURE_FILES))
    with importing("matplotlib", "-o"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    file = io.BytesIO()
    with rc_context(STYLE):
        figure = Figure(SLIDE_INCHES, layout="constrained")
        _draw(picture, figure)
        figure.savefig(file, format=suffix[1:], dpi=144, metadata=NO_DATE.get(suffix))
    return file.getvalue()


def plot(picture: Picture, ax: Axes | None = None) -> list[Axes]:
    """Draw a picture for a notebook or a program, and return the axes of each plot."""
    with importing("matplotlib", "plot"):
        from matplotlib import pyplot, rc_context
    if ax is not None:
        figure: Any = ax.figure
        with suppress(AttributeError, RuntimeError):  # part of a figure, or one with a color bar
            figure.set_layout_engine(figure.get_layout_engine() or "constrained")
        _draw_plot(picture.plots[0], ax)
        return [ax]
    # Outside the context, which would undo a notebook's choice of backend.
    figure = pyplot.figure(figsize=SLIDE_INCHES, layout="constrained")
    with rc_context(STYLE):
        return _draw(picture, figure)


def _draw(picture: Picture, figure: Any) -> list[Axes]:
    panels = list(figure.subplots(1, len(picture.plots), sharey=len(picture.plots) > 1, squeeze=False)[0])
    figure.suptitle(picture.title, wrap=True)
    for each, panel in zip(picture.plots, panels, strict=True):
        _draw_plot(each, panel)
    for panel in panels[1:]:
        panel.set_ylabel("")
    return panels


def _draw_plot(content: Plot, panel: Axes) -> None:
    draw: Any = _draw_steps if isinstance(content, StepPlot) else _draw_map
    draw(content, panel)


def _draw_steps(content: StepPlot, panel: Axes) -> None:
    from matplotlib.ticker import MultipleLocator, PercentFormatter

    unit = 1024 if is_size(content.input) else 1
    across = [value / unit for value in content.values]
    for number, (name, shares) in enumerate(content.curves.items()):
        dashes = (0, (4, 1 + number)) if number else "-"  # where two curves are the same, both show
        panel.plot(across, shares, drawstyle="steps-pre", linewidth=2.5, linestyle=dashes, label=name)
    for mark in content.marks:
        _draw_mark(content, mark, mark / unit, panel)
    # Every unit of an SM is a power of two; labels of three plots side by side have less room.
    ticks = MAX_TICKS if panel.get_window_extent().width > panel.figure.bbox.width / 2 else MAX_TICKS // 2
    low, high = panel.get_xlim()
    panel.xaxis.set_major_locator(MultipleLocator(1 << max(0, ceil(log2((high - low) / ticks) - 0.1))))
    panel.yaxis.set_major_locator(MultipleLocator(0.25))
    panel.yaxis.set_major_formatter(PercentFormatter(1))
    panel.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    panel.set_xlabel(axis_title(content.input))
    panel.set_ylabel("Occupancy")
    panel.set_ylim(0, 1.05)
    panel.margins(x=0.01)
    panel.grid(alpha=0.3)
    if any(content.curves):
        panel.legend(frameon=False)


def _draw_mark(content: StepPlot, mark: int, place: float, panel: Axes) -> None:
    panel.axvline(place, color=MARK_COLOR, linestyle=":", linewidth=2)
    style: dict[str, Any] = {"color": MARK_COLOR, "textcoords": "offset points"}
    top: Any = {"xycoords": ("data", "axes fraction"), "ha": "center"}
    panel.annotate(value_text(content.input, mark), (place, 1), (0, 3), **top, **style)
    at = next((index for index, value in enumerate(content.values) if value >= mark), None)
    if at is not None:
        for share in sorted({shares[at] for shares in content.curves.values()}):
            panel.plot(place, share, "o", markersize=9, color=MARK_COLOR, markeredgecolor="white", zorder=3)
            panel.annotate(percent(share), (place, share), (8, 6), **style, bbox=LABEL_BOX)


def _draw_map(content: HeatMap, panel: Axes) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import PercentFormatter

    down, across = content.inputs
    colors = colormaps["viridis"].with_extremes(under="0.85")  # gray: no launch
    image = panel.imshow(content.shares, vmin=1e-9, vmax=1, cmap=colors, interpolation="nearest")
    panel.set_aspect("auto")
    room = min(panel.get_window_extent().size) / panel.figure.dpi / INCHES_PER_LABEL
    for axis, name, values in ((panel.yaxis, down, content.rows), (panel.xaxis, across, content.columns)):
        places = range(len(values))[:: ceil(len(values) / room)]
        axis.set_ticks(places, [axis_value(name, values[place]) for place in places])
        axis.set_label_text(axis_title(name))
    panel.tick_params(axis="x", rotation=90 if len(content.columns) > MAX_TICKS else 0)
    panel.tick_params(labelsize=10)
    if len(content.rows) * len(content.columns) <= MAX_CELLS_WITH_TEXT:
        for row, shares in enumerate(content.shares):
            for column, share in enumerate(shares):
                color = "white" if 0 < share <= 0.6 else "black"
                text = whole_percent(share)
                panel.text(column, row, text, ha="center", va="center", fontsize=10, color=color)
    highest = max(map(max, content.shares))
    for row, shares in enumerate(content.shares if content.marks_best else ()):
        for column in [place for place, share in enumerate(shares) if share == highest]:
            corner = (column - 0.5, row - 0.5)
            panel.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=MARK_COLOR, linewidth=2))
    label = "Occupancy" if min(map(min, content.shares)) else "Occupancy (gray: does not launch)"
    panel.figure.colorbar(image, ax=panel, format=PercentFormatter(1), label=label)
