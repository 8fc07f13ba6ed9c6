"""Charts as pictures, fit for a slide; with `fitting_ticks` the only home of matplotlib."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import InputError, MissingDependencyError
from . import words
from .axis_labels import MOST_TICKS, OF_PERCENTAGES, PERCENTAGES, add_title, add_title_of_all, room_for
from .charts import PICTURE_FILES, Axis, BarChart, Curves, HeatMap, Mark, Picture, RowChart, StepChart, ticks
from .heat_map import draw_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SLIDE_INCHES = (13.33, 7.5)
INCHES_OF_A_ROW = 0.22
"""Of a name beside its bar, below which names would touch."""
PIXELS_PER_INCH = 144
STYLE: dict[Any, Any] = {
    "font.size": 14,
    "figure.titlesize": 18,
    "figure.constrained_layout.w_pad": 0.15,
    "figure.constrained_layout.h_pad": 0.15,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}
# Without these the same picture would be another file each time.
SAME_EACH_TIME: dict[Any, Any] = {"svg.hashsalt": "occupancy"}
NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}

CURVE_COLOR = "#1f77b4"
NOW_MARK = {"marker": "o", "markersize": 12, "color": "#d62728"}
BETTER_MARK = {"marker": "^", "markersize": 13, "color": "#2ca02c"}
HEADROOM = 1.03
"""Of the vertical axis, so that full occupancy does not lie on its end."""

MARK_COLOR = "#d62728"
LETTERS_ACROSS = 118
"""Of a picture, in the legend above it; a piece of a curve and the gaps beside it are as wide as eleven."""

MOST_POINTS = 64
"""Of a curve, above which each value has no point of its own."""
MOST_TICKS_OF_STEPS = 6
MOST_WIDE_BARS = 12


def pictured(picture: Picture, path: str) -> bytes:
    """The content of a file with a picture.

    Args:
        picture: The picture.
        path: The file, whose name says which kind of picture it is to be.

    Raises:
        InputError: The name does not end in one of `PICTURE_FILES`.
        MissingDependencyError: matplotlib is not installed.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in PICTURE_FILES:
        raise InputError(
            f"{path!r} does not say which kind of picture", where="output", allowed=", ".join(PICTURE_FILES)
        )
    figure = draw(picture)
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context(SAME_EACH_TIME):
        figure.savefig(file, format=suffix[1:], dpi=PIXELS_PER_INCH, metadata=NO_DATE.get(suffix))
    return file.getvalue()


def draw(picture: Picture) -> Figure:
    """A picture, fit for a slide.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise _is_missing("-o") from error
    with rc_context(STYLE):
        figure = Figure(SLIDE_INCHES, layout="constrained")
        panels = figure.subplots(1, len(picture.charts), sharey=True, squeeze=False)[0]
        add_title_of_all(picture.title, panels)
        _draw(picture, panels)
    return figure


def plot(picture: Picture, ax: Axes | None = None) -> list[Axes]:
    """Draw a picture for a notebook or a program: where matplotlib shows figures, or into axes of its own.

    Args:
        picture: What to draw.
        ax: The axes to draw a single chart into; by default those of a new figure.

    Returns:
        The axes of each chart.

    Raises:
        InputError: One axes were given for several charts.
        MissingDependencyError: matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot, rc_context
    except ImportError as error:
        raise _is_missing("plot") from error
    if ax is not None:
        if len(picture.charts) > 1:
            raise InputError(
                f"one was given for {len(picture.charts)} charts", where="ax", hint="Leave it out."
            )
        add_title(picture.title, ax)
        _draw(picture, [ax])
        return [ax]
    width, height = SLIDE_INCHES
    rows = max((len(each.names) for each in picture.charts if isinstance(each, RowChart)), default=0)
    # Outside: the first figure of a notebook chooses where figures are shown, which the context would undo.
    figure = pyplot.figure(figsize=(width, max(height, INCHES_OF_A_ROW * rows)))
    with rc_context(STYLE):
        figure.set_layout_engine("constrained")
        panels = list(figure.subplots(1, len(picture.charts), sharey=True, squeeze=False)[0])
        add_title_of_all(picture.title, panels)
        _draw(picture, panels)
    return panels


def _is_missing(where: str) -> MissingDependencyError:
    return MissingDependencyError(
        "matplotlib is not installed", where=where, hint='Install it with: pip install "occupancy[plot]"'
    )


def _draw(picture: Picture, panels: Sequence[Axes]) -> None:
    """The charts side by side; those of steps share the axis of their heights."""
    charts = picture.charts
    for panel, chart in zip(panels, charts, strict=True):
        if isinstance(chart, StepChart):
            _draw_steps(chart, panel)
        elif isinstance(chart, HeatMap):
            draw_map(chart, panel)
        elif isinstance(chart, Curves):
            _draw_curves(chart, panel, is_alone=len(charts) == 1)
        elif isinstance(chart, RowChart):
            _draw_rows(chart, panel)
        else:
            _draw_bars(chart, panel)
    if isinstance(charts[0], Curves):
        for panel in panels[1:]:  # the first says it for all
            panel.set_ylabel("")
            if legend := panel.get_legend():
                legend.remove()
    if isinstance(charts[0], StepChart):
        panels[0].set_ylabel(charts[0].height)
        _add_percentages(charts[0], panels[-1])


def _draw_steps(chart: StepChart, panel: Axes) -> None:
    from .fitting_ticks import set_ticks

    edges = [*(step.first for step in chart.steps), chart.last + 1]
    heights = [step.height for step in chart.steps]
    panel.stairs(heights, edges, fill=True, color=CURVE_COLOR, alpha=0.2)
    panel.stairs(heights, edges, color=CURVE_COLOR, linewidth=2.5)
    panel.set_xlabel(chart.scale.title)
    panel.set_xlim(chart.first, chart.last + 1)
    panel.set_ylim(0, HEADROOM * chart.highest)
    panel.set_yticks(_quarters_of(chart.highest))
    panel.grid(axis="y", alpha=0.3)
    set_ticks(panel.xaxis, partial(ticks, chart.first, chart.last), MOST_TICKS_OF_STEPS, chart.scale.label)
    if chart.now is None:
        panel.plot([], [], " ", label=chart.nowhere)
    else:
        _mark(chart, panel, chart.now, NOW_MARK)
    for better in chart.better:
        _mark(chart, panel, better, BETTER_MARK)
    # Above the panel, where it can cover no step.
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, handlelength=1, borderaxespad=0.2)


def _mark(chart: StepChart, panel: Axes, mark: Mark, style: dict[str, Any]) -> None:
    """A point on the steps; what it is goes to the legend."""
    panel.plot(
        min(max(mark.value, chart.first), chart.last),
        mark.height,
        markeredgecolor="white",
        linestyle="",
        clip_on=False,
        zorder=3,
        label=mark.label,
        **style,
    )


def _add_percentages(chart: StepChart, panel: Axes) -> None:
    right = panel.secondary_yaxis("right")
    right.set_yticks(_quarters_of(chart.highest), [f"{percentage}%" for percentage in PERCENTAGES])
    right.set_ylabel("occupancy")


def _quarters_of(highest: int) -> list[float]:
    return [percentage * highest / 100 for percentage in PERCENTAGES]


def _draw_curves(chart: Curves, panel: Axes, *, is_alone: bool) -> None:
    """A curve of steps for each name; where two are the same, the dashes of one show the other.

    What lies between two values counts as the larger, because resources are rounded up to whole units.
    """
    from .fitting_ticks import set_ticks

    scale, values = chart.axis.scale, list(map(int, chart.axis.values))
    points = "o" if is_alone and len(values) <= MOST_POINTS else ""
    crossings = _crossings(chart.marks, values)
    for number, (name, shares) in enumerate(chart.lines):
        across, up = zip(*sorted(zip(values, (100 * share for share in shares), strict=True)), strict=True)
        color = CURVE_COLOR if len(chart.lines) == 1 else f"C{number % 10}"
        dashes = "-" if not number else (0, (4, 1 + number))
        at_marks = [
            f"{words.percent(shares[place])} at {scale.alone(values[place])}"
            for place in dict.fromkeys(crossings.values())
            if is_alone  # several panels have one legend, with names that are right for all
        ]
        panel.plot(
            across,
            up,
            marker=points,
            linestyle=dashes,
            color=color,
            drawstyle="steps-pre",
            linewidth=2.5,
            label=": ".join(filter(None, (name, ", ".join(at_marks)))) if name else "_",
        )
    _add_occupancy(chart.axis, panel)
    panel.grid(alpha=0.3)
    panel.margins(x=0.01)
    most = MOST_TICKS if is_alone else MOST_TICKS_OF_STEPS
    set_ticks(panel.xaxis, partial(ticks, min(values), max(values)), most, scale.label)
    for mark in chart.marks:
        panel.axvline(mark, color=MARK_COLOR, linestyle=":", linewidth=2)
        panel.annotate(
            scale.alone(mark), (mark, 1), xycoords=("data", "axes fraction"), color=MARK_COLOR,
            ha="center", va="bottom",
        )  # fmt: skip
    for mark, place in crossings.items():
        _point_at(mark, {name: shares[place] for name, shares in chart.lines}, panel)
    if any(name for name, _ in chart.lines):
        _add_names(panel, LETTERS_ACROSS if is_alone else 0, has_marks=bool(chart.marks))


def _crossings(marks: Sequence[int], values: Sequence[int]) -> dict[int, int]:
    """The places of the values nearest to the marks within them: there a curve is as high as at the mark."""
    return {
        mark: min((abs(value - mark), place) for place, value in enumerate(values))[1]
        for mark in marks
        if min(values) <= mark <= max(values)
    }


def _point_at(mark: int, shares: dict[str, float], panel: Axes) -> None:
    """Points where a line crosses curves; the number too where a curve is not in the legend."""
    for share in sorted(set(shares.values())):
        panel.plot(mark, 100 * share, "o", markersize=9, color=MARK_COLOR, markeredgecolor="white", zorder=3)
    if "" in shares:
        panel.annotate(
            words.percent(shares[""]), (mark, 100 * shares[""]), (9, 7), textcoords="offset points",
            color=MARK_COLOR,
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
        )  # fmt: skip


def _add_names(panel: Axes, letters: int, *, has_marks: bool) -> None:
    """The names of the curves above the panel, where they hide none; within it where its title is there."""
    how: dict[str, Any] = {"frameon": False, "handlelength": 3}
    if not panel.get_title():
        names = panel.get_legend_handles_labels()[1]
        how["ncols"] = max(1, min(len(names), letters // (11 + max(map(len, names)))))
        how |= {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 1.5 if has_marks else 0.2}
    panel.legend(**how)


def _draw_rows(chart: RowChart, panel: Axes) -> None:
    places = range(len(chart.names))
    bars = panel.barh(places, [100 * share for share in chart.shares], color=CURVE_COLOR)
    size = 10 if len(chart.names) > MOST_WIDE_BARS else None
    panel.bar_label(bars, [words.percent(share) for share in chart.shares], padding=3, fontsize=size)
    panel.set_yticks(places, chart.names, fontsize=size)
    panel.set_ylim(len(chart.names) - 0.4, -0.6)
    panel.set_xlabel("occupancy (%)")
    panel.set_xlim(0, 108)
    panel.set_xticks(PERCENTAGES)


def _draw_bars(chart: BarChart, panel: Axes) -> None:
    labels = [chart.axis.scale.label(value) for value in chart.axis.values]
    bars = panel.bar(range(len(labels)), [100 * share for share in chart.shares], color=CURVE_COLOR)
    is_narrow = len(labels) > room_for(MOST_WIDE_BARS, panel)
    numbers = [words.whole_percent(share) for share in chart.shares]
    panel.bar_label(bars, numbers, fontsize=10 if is_narrow else None)
    panel.set_xticks(range(len(labels)), labels, rotation=90 if is_narrow else 0)
    _add_occupancy(chart.axis, panel)


def _add_occupancy(axis: Axis, panel: Axes) -> None:
    from .fitting_ticks import set_ticks

    panel.set_xlabel(axis.scale.title)
    panel.set_ylabel("occupancy (%)")
    panel.set_ylim(0, 105)
    set_ticks(panel.yaxis, *OF_PERCENTAGES)
