"""The figures of the documentation, as SVG.

The numbers come from the library and from the measurements in ``_static/h200_throughput.csv``; none is typed
in. Lines and text have the color of the text around them: the site puts each figure into its page.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

import occupancy

STYLE = """
.figure { color: #333 }
@media (prefers-color-scheme: dark) { .figure { color: #ddd } }
.figure text { font: 13px system-ui, sans-serif; fill: currentColor }
.figure .small { font-size: 11px; opacity: .75 }
.figure .strong { font-weight: 600 }
.figure .line { stroke: #999; fill: none }
.figure .used { fill: #1f77b4 }
.figure .rounded { fill: #1f77b4; opacity: .45 }
.figure .free { fill: #999; opacity: .2 }
.figure .cliff { stroke: #1f77b4; stroke-width: 2.5; fill: none }
.figure .mark { fill: #d62728 }
"""

MEASURED = Path(__file__).parent / "_static" / "h200_throughput.csv"
TEXT_COLOR = "#010203"
"""A color that matplotlib writes, replaced by that of the surrounding text."""

CC, THREADS, REGISTERS = "7.0", 128, 37
"""The kernel of the first example."""

Points = list[tuple[float, float]]


def write_all(folder: Path) -> None:
    """Write every figure into a folder."""
    folder.mkdir(exist_ok=True)
    for name, draw in {
        "sub-partitions": sub_partitions,
        "rounding": rounding,
        "staircase": staircase,
        "waves": waves,
        "throughput-copy": throughput_of_copies,
        "throughput-gather": throughput_of_random_reads,
        "throughput-fma": throughput_of_arithmetic,
        "throughput-registers": throughput_by_registers,
    }.items():
        (folder / f"{name}.svg").write_text(draw(), encoding="utf-8", newline="\n")


def sub_partitions() -> str:
    """Draw the sub-partitions of an SM with the warps that their registers hold."""
    limits = occupancy.limits(CC)
    answer = occupancy.compute(CC, threads=THREADS, regs=REGISTERS)
    parts = limits.sub_partitions
    per_part = limits.max_registers_per_multiprocessor // parts
    per_warp = answer.allocated.registers // answer.allocated.warps
    fitting = per_part // per_warp
    width, height, gap = 160, 250, 16
    shapes = []
    for part in range(parts):
        x = 10 + part * (width + gap)
        shapes += [
            _text(x, 22, f"Sub-partition {part + 1}", "strong"),
            _text(x, 40, f"{per_part:,} registers", "small"),
            f'<rect class="free" x="{x}" y="50" width="{width}" height="{height}"/>',
        ]
        tall = height * per_warp / per_part
        shapes += [
            f'<rect class="used" x="{x + 1}" y="{50 + warp * tall + 1:.1f}" width="{width - 2}" '
            f'height="{tall - 2:.1f}"/>'
            for warp in range(fitting)
        ]
        left = per_part - fitting * per_warp
        shapes.append(_text(x, 50 + height + 18, f"{fitting} warps, {left:,} registers left", "small"))
    total = parts * fitting
    shapes.append(
        _text(
            10,
            height + 100,
            f"{parts} x {fitting} = {total} warps of {limits.max_warps_per_multiprocessor}: "
            f"{total // answer.allocated.warps} blocks of {answer.allocated.warps} warps",
            "strong",
        )
    )
    label = f"An SM of {limits.architecture}: the {per_warp} registers of a warp come from one sub-partition"
    return _svg(10 + parts * (width + gap), height + 115, label, shapes)


def rounding() -> str:
    """Draw the registers of a warp, rounded up to the allocation unit."""
    limits = occupancy.limits(CC)
    unit = limits.register_allocation_unit
    needed = REGISTERS * limits.warp_size
    given = -(-needed // unit) * unit
    scale = 620 / given
    shapes = [
        f'<rect class="rounded" x="10" y="40" width="{given * scale:.1f}" height="36"/>',
        f'<rect class="used" x="10" y="40" width="{needed * scale:.1f}" height="36"/>',
        _text(10, 28, f"{REGISTERS} registers x {limits.warp_size} threads = {needed:,}", "strong"),
        _text(
            10,
            112,
            f"rounded up to a multiple of {unit}: {given:,} registers per warp, "
            f"the same as with {given // limits.warp_size} registers per thread",
        ),
    ]
    shapes += [
        f'<line class="line" x1="{10 + step * scale:.1f}" x2="{10 + step * scale:.1f}" y1="76" y2="84"/>'
        for step in range(0, given + 1, unit)
    ]
    return _svg(650, 125, "A warp gets registers in whole allocation units", shapes)


def staircase() -> str:
    """Draw occupancy by registers per thread."""
    points = [(regs, occupancy.compute(CC, threads=THREADS, regs=regs).occupancy) for regs in range(16, 129)]
    left, top, width, height = 55, 20, 580, 200
    first, last = points[0][0], points[-1][0]

    def x_of(regs: int) -> float:
        return left + (regs - first) / (last + 1 - first) * width

    def y_of(share: float) -> float:
        return top + (1 - share) * height

    path, before = "", None
    for regs, share in points:
        path += f"{'M' if before is None else 'L'}{x_of(regs):.1f} {y_of(share):.1f}"
        path += f"L{x_of(regs + 1):.1f} {y_of(share):.1f}"
        before = share
    shapes = [f'<path class="cliff" d="{path}"/>']
    for quarter in range(5):
        y = y_of(quarter / 4)
        shapes.append(f'<line class="line" x1="{left - 5}" x2="{left}" y1="{y:.1f}" y2="{y:.1f}"/>')
        shapes.append(_text(8, y + 4, f"{25 * quarter}%", "small"))
    for regs in range(first, last + 1, 16):
        shapes.append(_text(x_of(regs) - 6, top + height + 22, str(regs), "small"))
    now = dict(points)[REGISTERS]
    shapes += [
        f'<circle class="mark" cx="{x_of(REGISTERS):.1f}" cy="{y_of(now):.1f}" r="6"/>',
        _text(x_of(REGISTERS) + 12, y_of(now) - 8, f"{REGISTERS} registers: {now:.0%}", "strong"),
        _text(left, top + height + 44, f"Registers per thread; blocks of {THREADS} threads on {CC}"),
    ]
    return _svg(660, top + height + 55, "Occupancy by registers per thread drops in steps", shapes)


def waves() -> str:
    """Draw the waves of a grid on a whole GPU."""
    answer = occupancy.compute("9.0", threads=256, regs=40)
    grid, multiprocessors = 2000, 132
    run = answer.waves(grid, multiprocessor_count=multiprocessors)
    per_wave = run.full_wave.blocks
    shapes = []
    left, width, height = 10, 200, 60
    for number in range(run.full_waves + 1):
        blocks = min(per_wave, grid - number * per_wave)
        x = left + number * (width + 6)
        shapes += [
            f'<rect class="free" x="{x}" y="40" width="{width}" height="{height}"/>',
            f'<rect class="used" x="{x}" y="{40 + height * (1 - blocks / per_wave):.1f}" width="{width}" '
            f'height="{height * blocks / per_wave:.1f}"/>',
            _text(x, 30, f"wave {number + 1}: {blocks:,} of {per_wave:,} blocks", "small"),
        ]
    shapes.append(
        _text(
            left,
            130,
            f"{grid:,} blocks on {multiprocessors} SMs of an H100: {run.waves:.2f} waves; "
            f"{run.idle_share:.0%} of the GPU is idle overall",
            "strong",
        )
    )
    return _svg(640, 145, "The last wave leaves part of the GPU idle", shapes)


def throughput_of_copies() -> str:
    """Draw the measured throughput of copies by occupancy."""
    return _throughput("copy", "GB/s", "Throughput of a copy by occupancy, measured on an H200")


def throughput_of_random_reads() -> str:
    """Draw the measured throughput of random reads by occupancy."""
    title = "Random 4-byte reads of 2 GB by occupancy, measured on an H200"
    return _throughput("gather", "billion reads per second", title)


def throughput_of_arithmetic() -> str:
    """Draw the measured throughput of fused multiply-adds by occupancy."""
    title = "Fused multiply-adds by occupancy and independent chains, measured on an H200"
    return _throughput("fma", "TFLOP/s", title)


def throughput_by_registers() -> str:
    """Draw kernels that are fastest at low occupancy: matrix products, and one that spills."""
    rows = list(read_measured())
    products = [row for row in rows if row["kernel"] == "matmul"]
    capped = [row for row in rows if row["kernel"] == "64 live values"]
    title = "Two kernels that are slower at higher occupancy, measured on an H200"
    lines = {
        "matrix product, TFLOP/s": _points(products),
        "64 live values, GB/s": _points(capped),
    }
    return _chart("registers", title, lines, list(lines))


def read_measured() -> Iterable[dict[str, str]]:
    """Read the rows that benchmarks/throughput.cu printed on an H200."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _throughput(kernel: str, unit: str, title: str) -> str:
    rows = [row for row in read_measured() if row["kernel"] == kernel]
    variants = dict.fromkeys(row["variant"] for row in rows)
    lines = {name: _points(row for row in rows if row["variant"] == name) for name in variants}
    return _chart(kernel, title, lines, [unit])


def _points(rows: Iterable[dict[str, str]]) -> Points:
    return [(100 * float(row["occupancy"]), float(row["rate"])) for row in rows]


def _chart(name: str, title: str, lines: dict[str, Points], axes: list[str]) -> str:
    """Draw lines into one chart, or each into a chart of its own if there are several axes."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter, StrMethodFormatter

    colors = {f"{part}.{kind}": TEXT_COLOR for part in ("xtick", "ytick") for kind in ("color", "labelcolor")}
    settings = {"svg.fonttype": "none", "svg.hashsalt": name, "font.size": 9, "text.color": TEXT_COLOR}
    settings |= {"axes.edgecolor": TEXT_COLOR, "axes.labelcolor": TEXT_COLOR} | colors
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(6.6, 3.2), layout="constrained")
        for plot, unit in zip(figure.subplots(1, len(axes), squeeze=False)[0], axes, strict=True):
            for label, points in lines.items():
                if len(axes) == 1 or label == unit:
                    plot.plot(*zip(*points, strict=True), marker=".", label=label)
            plot.set(xlabel="occupancy", ylabel=unit, xlim=(0, 103), ylim=(0, 1.08 * plot.dataLim.ymax))
            plot.xaxis.set_major_formatter(PercentFormatter())
            plot.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            plot.grid(alpha=0.25)
            plot.spines[["top", "right"]].set_visible(False)
        if len(axes) == 1:
            figure.legend(loc="outside right upper", frameon=False)
        file = io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    drawing = file.getvalue()
    drawing = drawing[drawing.index("<svg ") :].replace(TEXT_COLOR, "currentColor")
    drawing = re.sub(r' (width|height)="[\d.]+pt"|<metadata>.*?</metadata>', "", drawing, flags=re.DOTALL)
    label = f'class="figure" role="img" aria-label="{escape(title)}"'
    return drawing.replace("<svg ", f"<svg {label} ", 1).replace(
        ">\n", f"><title>{escape(title)}</title><style>{STYLE}</style>\n", 1
    )


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _svg(width: float, height: float, label: str, shapes: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" aria-label="{escape(label)}"><title>{escape(label)}</title><style>{STYLE}</style>'
        + "".join(shapes)
        + "</svg>\n"
    )
