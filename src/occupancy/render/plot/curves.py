"""The three curves of a kernel, side by side."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...report.curves import Curve, CurvesReport
from .. import answers, scale, words

CURVE_COLOR = "#1f77b4"
KERNEL_MARK = {"marker": "o", "markersize": 12, "color": "#d62728"}
BETTER_MARK = {"marker": "^", "markersize": 13, "color": "#2ca02c"}
MOST_TICKS = 6
HEADROOM = 1.03
"""Of the vertical axis, so that full occupancy does not lie on its end."""


def draw(report: CurvesReport, figure: Figure) -> None:
    """Warps per SM over block size, registers and shared memory, with the kernel and what is near it."""
    figure.suptitle(heading(report))
    panels = figure.subplots(1, len(report.curves), sharey=True, squeeze=False)[0]
    for panel, curve in zip(panels, report.curves, strict=True):
        _draw_curve(report, curve, panel)
    panels[0].set_ylabel("warps per SM")
    _add_percentages(report, panels[-1])


def heading(report: CurvesReport) -> str:
    """The kernel's own answer."""
    blocks = words.count(report.active_blocks, "block")
    threads = words.count(report.inputs.threads, "thread")
    limiters = words.listing([words.name(limiter) for limiter in report.limiters])
    return (
        f"{words.percent(report.occupancy)} occupancy on compute capability {report.cc} "
        f"({report.architecture})\n{blocks} of {threads} per SM, limited by {limiters}"
    )


def _draw_curve(report: CurvesReport, curve: Curve, panel: Axes) -> None:
    edges = [*(step.first for step in curve.steps), curve.last + 1]
    warps = [step.active_warps for step in curve.steps]
    panel.stairs(warps, edges, fill=True, color=CURVE_COLOR, alpha=0.2)
    panel.stairs(warps, edges, color=CURVE_COLOR, linewidth=2.5)
    panel.set_xlabel(scale.title(curve.variable))
    panel.set_xlim(curve.first, curve.last + 1)
    panel.set_ylim(0, HEADROOM * report.max_warps)
    panel.set_yticks([quarters * report.max_warps / 4 for quarters in range(5)])
    panel.grid(axis="y", alpha=0.3)
    ticks = scale.ticks(curve.first, curve.last, MOST_TICKS)
    panel.set_xticks(ticks, [scale.label(curve.variable, tick) for tick in ticks])
    if curve.now is None:
        panel.plot([], [], " ", label="not given, counted as none")
    else:
        _mark(curve, panel, curve.now, report.active_warps, report.occupancy, KERNEL_MARK)
    for better in curve.better:
        _mark(curve, panel, better.value, better.active_warps, better.occupancy, BETTER_MARK)
    # Above the panel, where it can cover no step.
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, handlelength=1, borderaxespad=0.2)


def _mark(curve: Curve, panel: Axes, value: int, warps: int, occupancy: float, mark: dict[str, Any]) -> None:
    """A point on the curve; what it is goes to the legend."""
    panel.plot(
        min(max(value, curve.first), curve.last),
        warps,
        markeredgecolor="white",
        linestyle="",
        clip_on=False,
        zorder=3,
        label=f"{answers.amount(curve, value)}: {words.percent(occupancy)}",
        **mark,
    )


def _add_percentages(report: CurvesReport, panel: Axes) -> None:
    right = panel.secondary_yaxis("right")
    quarters = range(5)
    right.set_yticks(
        [each * report.max_warps / 4 for each in quarters], [f"{25 * each}%" for each in quarters]
    )
    right.set_ylabel("occupancy")
