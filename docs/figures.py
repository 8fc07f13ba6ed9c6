"""The figures of the documentation, drawn as SVG from the library's own answers.

Nothing in them is typed in by hand: the numbers come from `occupancy.limits`, `occupancy.compute` and
`occupancy.Occupancy.waves`. Colours follow the reader's light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

import occupancy

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #333 }
.small { font-size: 11px; fill: #666 }
.strong { font-weight: 600 }
.line { stroke: #999; fill: none }
.box { fill: none; stroke: #999 }
.used { fill: #1f77b4 } .rounded { fill: #9ecae1 } .free { fill: #eee }
.cliff { stroke: #1f77b4; stroke-width: 2.5; fill: none }
.mark { fill: #d62728 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .small { fill: #aaa } .free { fill: #333 } .rounded { fill: #3b6e91 }
}
"""

CC, THREADS, REGISTERS = "7.0", 128, 37
"""The kernel of the first example."""


def write_all(folder: Path) -> None:
    """Write every figure into a folder."""
    folder.mkdir(exist_ok=True)
    for name, draw in {
        "sub-partitions": sub_partitions,
        "rounding": rounding,
        "staircase": staircase,
        "waves": waves,
    }.items():
        (folder / f"{name}.svg").write_text(draw(), encoding="utf-8", newline="\n")


def sub_partitions() -> str:
    """An SM with its sub-partitions, each with the warps that its registers hold, and what is left over."""
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
    label = f"An SM of {limits.architecture}: a warp of {per_warp} registers lives in one sub-partition"
    return _svg(10 + parts * (width + gap), height + 115, label, shapes)


def rounding() -> str:
    """How the registers of a thread are rounded up to what a warp is given."""
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
            f"rounded up to a multiple of {unit}: {given:,} registers for each warp, "
            f"as with {given // limits.warp_size} registers per thread",
        ),
    ]
    shapes += [
        f'<line class="line" x1="{10 + step * scale:.1f}" x2="{10 + step * scale:.1f}" y1="76" y2="84"/>'
        for step in range(0, given + 1, unit)
    ]
    return _svg(650, 125, "Registers are given to a warp in whole units", shapes)


def staircase() -> str:
    """Occupancy over registers per thread: cliffs, not a slope."""
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
    return _svg(660, top + height + 55, "Occupancy over registers per thread falls in steps", shapes)


def waves() -> str:
    """A grid on a whole GPU: full waves and a tail."""
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
            f"{run.idle_share:.0%} of the GPU is idle in all",
            "strong",
        )
    )
    return _svg(640, 145, "The last wave leaves a part of the GPU idle", shapes)


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _svg(width: float, height: float, label: str, shapes: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(label)}"><title>{escape(label)}</title><style>{STYLE}</style>'
        + "".join(shapes)
        + "</svg>\n"
    )
