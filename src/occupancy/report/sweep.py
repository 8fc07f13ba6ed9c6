"""Reports and pictures of varied inputs; without any, of the charts of NVIDIA's spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import Any, NamedTuple

from ..advice.search import VariedResource
from ..engine import Result
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.fields import FIELDS
from ..values.numbers import percent
from ..values.resources import COUNTED
from ..values.spellings import in_range
from . import pictures
from .calc import RESULT_COLUMNS
from .model import LABELS, Block, Column, Paragraph, Report, Table, Value, chosen, value_text
from .pictures import Picture, StepPlot, best_marks, tick, title_of
from .words import gpu_name, kernel_text, result_text

MAX_AXES = 2
"""Inputs that a screen or a picture shows."""
MAX_COLUMNS, MAX_ROWS = 12, 60
"""Size of a table over two inputs."""
BEST = 10
"""Rows of each GPU if more inputs vary than a table shows."""
BAR_WIDTH = 16


class Point(NamedTuple):
    """The result of one combination."""

    gpu: Gpu
    inputs: Mapping[str, Value]
    result: Result


class Grid(NamedTuple):
    """GPUs, the values of each input, and the result of every combination."""

    gpus: Sequence[Gpu]
    inputs: Mapping[str, Sequence[Value]]
    points: Iterable[Point]
    """The GPUs change slowest, the last input fastest; an iterator is read once."""

    @property
    def varied(self) -> list[str]:
        """Inputs with several values, the GPU first."""
        several = [name for name, values in self.inputs.items() if len(values) > 1]
        return [*(["gpu"] if len(self.gpus) > 1 else []), *several]

    @property
    def fixed(self) -> dict[str, Value]:
        """Inputs with one value, and the only GPU."""
        only = {"gpu" if self.gpus[0].name else "cc": gpu_name(self.gpus[0])} if len(self.gpus) == 1 else {}
        return {**only, **{name: values[0] for name, values in self.inputs.items() if len(values) == 1}}

    def values(self, name: str) -> Sequence[Value]:
        return [gpu_name(gpu) for gpu in self.gpus] if name == "gpu" else self.inputs[name]

    def lines(self) -> list[list[Point]]:
        """Return the points in a line for each value of all inputs but the last that varies."""
        points, length = list(self.points), len(self.values(self.varied[-1]))
        return [points[start : start + length] for start in range(0, len(points), length)]


def _input_column(name: str) -> Column:
    field = FIELDS[name]
    return Column(name, "", lambda point: point.inputs.get(name), about=field.about, type=field.json_type)


COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    *(_input_column(name) for name, field in FIELDS.items() if field.options),
    *chosen(RESULT_COLUMNS, "model", "launchable", "occupancy", "active_blocks", "active_warps", "limiters"),
)


class Step(NamedTuple):
    """Neighboring values of one input with the same result."""

    first: Any
    last: Any
    result: Result
    is_current: bool = False


SHOWN = chosen(RESULT_COLUMNS, "occupancy", "active_blocks", "limiters")
BAR = Column("bar", "", lambda row: "█" * round(row.result.occupancy * BAR_WIDTH), align="left")
NOW = Column("is_current", "", lambda step: "<- this kernel" if step.is_current else "", align="left")


def _steps_table(title: str, values: Column, steps: Sequence[Step]) -> Table:
    occupancy, *others = SHOWN
    return Table(title, [values, occupancy, BAR, *others, NOW], steps)


def sweep_report(grid: Grid, *, has_screen: bool = True) -> Report:
    """Return the report of every combination; without a screen, which shows few, they are read only once."""
    details: list[Block] = []
    if has_screen:
        points = tuple(grid.points) if len(grid.varied) <= MAX_AXES else grid.points
        grid = grid._replace(points=points)
        if len(grid.varied) > MAX_AXES:
            details += _best_tables(grid)
        else:
            details.append(_matrix(grid) if len(grid.varied) == MAX_AXES else _runs(grid))
    given = {name: values[0] if len(values) == 1 else list(values) for name, values in grid.inputs.items()}
    headline = pictures.title(grid.varied, grid.fixed).split("\n")
    return Report("sweep", headline, COLUMNS, grid.points, "results", given, {}, details, shows_rows=False)


def _runs(grid: Grid) -> Table:
    """Return a row for each run of neighboring numbers with the same result, or for each name."""
    (name,), points = grid.varied, list(grid.points)
    results = [point.result for point in points]
    keys = [
        (each.block_limits.smallest(), each.active_warps, each.limiters, each.launchable) for each in results
    ]
    values, steps = grid.values(name), []
    for run in _alike(values, keys):
        first, last = run[0], run[-1]
        steps.append(Step(values[first], values[last], results[last]))
    title = title_of(name, short=True)
    text = Column("values", title, lambda step: _span(name, step.first, step.last), align="left")
    return _steps_table("", text, steps)


def _span(name: str, first: Value, last: Value) -> str:
    """Return one value, or the first and the last of several, without the unit that the title has."""
    return " to ".join(dict.fromkeys([tick(name, first), tick(name, last)]))


def _matrix(grid: Grid) -> Table:
    """Return a table over two inputs, with neighbors of the same results in one row or column."""
    down, across = grid.varied
    shares = [[point.result.occupancy for point in line] for line in grid.lines()]
    columns = _alike(grid.values(across), list(zip(*shares, strict=True)))
    rows = _alike(grid.values(down), [tuple(line) for line in shares])
    kept = columns[:: ceil(len(columns) / MAX_COLUMNS)]
    shown = rows[:: ceil(len(rows) / MAX_ROWS)]

    def column(run: range) -> Column:
        title = tick(across, grid.values(across)[run[-1]])
        cells = [f"{int(100 * line[run[-1]] + 0.5)}%" if line[run[-1]] else "-" for line in shares]
        return Column("", title, lambda row: cells[row[-1]])

    values = grid.values(down)
    first = Column(down, "", lambda run: _span(down, values[run[0]], values[run[-1]]))
    to_right = title_of(across)
    title = f"{title_of(down)} down, {to_right[0].lower()}{to_right[1:]} across, each up to"
    hidden = len(rows) * len(columns) - len(shown) * len(kept)
    lines = ["- The kernel does not launch."] if any(0 in line for line in shares) else []
    lines += [f"{hidden:,} cells are hidden. To list them, pass --format csv."] if hidden else []
    return Table(title, [first, *map(column, kept)], shown, lines)


def _alike(values: Sequence[Value], keys: Sequence[object]) -> list[range]:
    """Return the places of neighboring numbers with the same key; names stay apart."""
    are_numbers = all(isinstance(value, int) for value in values)
    runs = groupby(range(len(values)), lambda place: keys[place] if are_numbers else place)
    places = [list(run) for _, run in runs]
    return [range(each[0], each[-1] + 1) for each in places]


def _best_tables(grid: Grid) -> Iterator[Block]:
    columns = [*(_best_column(name) for name in grid.varied if name != "gpu"), *SHOWN]
    for gpu, points in groupby(grid.points, lambda point: point.gpu):
        found = best(points, BEST)
        title = f"Best on {gpu_name(gpu)}"
        yield Table(title, columns, found) if found else Paragraph([f"None launches on {gpu_name(gpu)}."])
    yield Paragraph(["--format csv also lists combinations that use fewer resources for the same occupancy."])


def _best_column(name: str) -> Column:
    title = title_of(name, short=True)
    return Column(name, title, lambda point: tick(name, point.inputs[name]))


def best(points: Iterable[Point], most: int) -> list[Point]:
    """Return the points with the highest occupancy that are different trade-offs.

    At the same threads and occupancy, a point that uses no more of each resource than another is skipped. They
    are sorted by occupancy, more registers, more shared memory, more of `COUNTED`, then fewer threads.
    """
    fronts: dict[tuple[float, int], dict[tuple[int, ...], Point]] = {}
    for point in points:
        if not point.result.launchable:
            continue
        kernel = point.result.kernel
        counted = (getattr(kernel, name) or 0 for name in COUNTED)
        use = (kernel.regs or 0, kernel.shared_memory, *counted)
        front = fronts.setdefault((-point.result.occupancy, kernel.threads), {})
        if not any(_covers(other, use) for other in front):
            for other in [each for each in front if _covers(use, each)]:
                del front[other]
            front[use] = point
    found = [(key, use, point) for key, front in fronts.items() for use, point in front.items()]
    found.sort(key=lambda each: (each[0][0], [-amount for amount in each[1]], each[0][1]))
    return [point for *_, point in found[:most]]


def _covers(uses: Sequence[int], others: Sequence[int]) -> bool:
    return all(use >= other for use, other in zip(uses, others, strict=True))


def sweep_picture(
    grid: Grid, title: str | None = None, marks: Sequence[int] = (), *, marks_best: bool = False
) -> Picture:
    """Return a step plot over numbers with a curve for each GPU, a heat map over two inputs, or bars."""
    if len(grid.varied) > MAX_AXES:
        problem = (
            f"{len(grid.varied)} inputs vary ({', '.join(grid.varied)}), but a picture shows at most two"
        )
        raise InputError(problem, hint="Fix some of them, or write every combination to a .csv file.")
    *down, across = grid.varied
    values = grid.values(across)
    numbers = [value for value in values if isinstance(value, int)]
    rows = [[point.result.occupancy for point in line] for line in grid.lines()]
    if len(numbers) == len(values) and down in ([], ["gpu"]):
        for mark in marks:
            in_range(mark, "marks", min(numbers), max(numbers))
        places = [*marks, *(best_marks(numbers, rows) if marks_best else ())]
        names = [gpu_name(gpu) for gpu in grid.gpus] if down else [""]
        plot: pictures.Plot = StepPlot(across, numbers, dict(zip(names, rows, strict=True)), places)
    elif marks:
        hint = "Vary one input over numbers, such as --regs 16:255, on one GPU or more."
        raise InputError("there is no curve on which to mark a value", where="marks", hint=hint)
    else:
        if down:
            plot = pictures.HeatMap((down[0], across), grid.values(down[0]), values, rows, marks_best)
        else:
            plot = pictures.Bars([value_text(across, value) for value in values], rows[0], marks_best)
    return Picture(pictures.title(grid.varied, grid.fixed, title), (plot,))


# The three curves of a kernel


def curves(result: Any) -> dict[str, list[Step]]:
    """Return the steps over threads, registers and shared memory, while all else stays."""
    kernel = result.kernel
    shared_memory = kernel.shared_memory if kernel.has_shared_memory else None
    steps = {
        "threads": list(_steps(1, _over_threads(result), kernel.threads)),
        "regs": list(_steps(1, VariedResource(result, "regs").results(1), kernel.regs)),
        "smem": list(_steps(0, VariedResource(result, "smem").results(0), shared_memory)),
    }
    *others, last = steps["smem"]
    if others and not last.result.active_blocks and not last.is_current:
        steps["smem"] = others  # sizes that are too large for any block
    return steps


def _over_threads(result: Result) -> Iterator[tuple[int, Result]]:
    """Yield the result for each number of warps, with the most threads that they hold."""
    limits, most = result.limits, result.limits.max_threads_per_block
    for threads in [*range(limits.warp_size, most, limits.warp_size), most]:
        yield threads, Result(limits, result.kernel.replace(threads=threads), result.model)


def _steps(first: int, results: Iterator[tuple[int, Result]], now: int | None) -> Iterator[Step]:
    def key(each: tuple[int, Result]) -> object:
        return each[1].active_blocks, each[1].active_warps, each[1].limiters

    for _, group in groupby(results, key):
        last, found = list(group)[-1]
        yield Step(first, last, found, now is not None and first <= now <= last)
        first = last + 1


def curves_report(result: Any) -> Report:
    steps = curves(result)
    results = [step.result for each in steps.values() for step in each]
    rows = [Point(result.gpu, each.kernel.to_dict(), each) for each in results]
    headline = result_text(result), kernel_text(result.kernel, result.gpu)
    details, inputs = [_curve_table(*each) for each in steps.items()], result.kernel.to_dict()
    return Report("sweep", headline, COLUMNS, rows, "results", inputs, {}, details, shows_rows=False)


def _curve_table(name: str, steps: Sequence[Step]) -> Table:
    last = Column("last", f"{title_of(name, short=True)} up to", lambda step: tick(name, step.last))
    return _steps_table(f"Occupancy by {LABELS[name]}", last, steps)


def curves_picture(results: Sequence[Any], title: str | None = None) -> Picture:
    """Return three plots with a curve for each GPU and the kernel's own values marked."""
    kernel = results[0].kernel
    subject = "Occupancy by block size, registers and shared memory"
    names = [f"{gpu_name(result.gpu)}: {percent(result.occupancy)}" for result in results]
    if len(results) == 1:
        subject, names = f"{result_text(results[0])}, on {gpu_name(results[0].gpu)}", [""]
    found = [curves(result) for result in results]
    smem = kernel.shared_memory if kernel.has_shared_memory else None
    plots = []
    for name, now in (("threads", kernel.threads), ("regs", kernel.regs), ("smem", smem)):
        per_gpu = [each[name] for each in found]
        values = sorted({end for steps in per_gpu for step in steps for end in (step.first, step.last)})
        shares = [[_occupancy_at(steps, value) for value in values] for steps in per_gpu]
        lines = dict(zip(names, shares, strict=True))
        plots.append(StepPlot(name, values, lines, [] if now is None else [now]))
    return Picture(f"{title or subject}\n{kernel_text(kernel)}", plots)


def _occupancy_at(steps: Sequence[Step], value: int) -> float:
    """Return the occupancy at a value; 0 beyond the GPU's limits."""
    return next((step.result.occupancy for step in steps if step.first <= value <= step.last), 0.0)
