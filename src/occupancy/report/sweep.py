"""Reports and pictures of varied inputs; without any, of the charts of NVIDIA's spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from math import ceil
from operator import ge
from typing import Any, NamedTuple

from ..advice.search import VariedResource
from ..engine import Result
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.fields import FIELDS
from ..values.numbers import percent, whole_percent
from ..values.resources import COUNTED
from ..values.spellings import in_range
from .model import Column, Paragraph, Report, Section, Table, chosen
from .pictures import HeatMap, Picture, StepPlot, axis_title, axis_value, best_marks, picture_title
from .results import RESULT_COLUMNS, gpu_notes
from .words import LABELS, Value, gpu_name, gpu_text, is_size, kernel_text, result_text

MAX_AXES = 2
"""Inputs that a screen or a picture shows."""
MAX_COLUMNS, MAX_ROWS = 12, 60
"""Size of a table over two inputs."""
BEST = 10
"""Rows of each GPU if more inputs vary than a table shows."""
BAR_WIDTH = 16


class Point(NamedTuple):
    gpu: Gpu
    inputs: Mapping[str, Value]
    result: Result


class Combinations(NamedTuple):
    gpus: Sequence[Gpu]
    inputs: Mapping[str, Sequence[Value]]
    points: Iterable[Point]
    """The GPUs change slowest, the last input fastest; an iterator is read once."""

    @property
    def varied(self) -> list[str]:
        """Inputs with several values, the GPU first."""
        several = [name for name, values in self.inputs.items() if len(values) > 1]
        return ["gpu", *several] if len(self.gpus) > 1 else several

    @property
    def fixed(self) -> dict[str, Value]:
        """Inputs with one value, and the only GPU."""
        only = {"gpu": gpu_text(self.gpus[0])} if len(self.gpus) == 1 else {}
        return {**only, **{name: values[0] for name, values in self.inputs.items() if len(values) == 1}}

    def values(self, name: str) -> Sequence[Value]:
        return [gpu_name(gpu) for gpu in self.gpus] if name == "gpu" else self.inputs[name]

    def lines(self) -> list[list[Point]]:
        """Return the points in a line for each value of all inputs but the last that varies."""
        points, length = list(self.points), len(self.values(self.varied[-1]))
        return [points[start : start + length] for start in range(0, len(points), length)]


def _input_column(name: str) -> Column:
    field, title = FIELDS[name], axis_title(name, short=True)
    return Column(name, title, lambda point: point.inputs.get(name), partial(axis_value, name), about=field.about,
                  type=field.json_type)  # fmt: skip


COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    *(_input_column(name) for name, field in FIELDS.items() if field.options),
    *chosen(RESULT_COLUMNS, "model", "launchable", "reason", "occupancy", "active_blocks"),
    *chosen(RESULT_COLUMNS, "active_warps", "limiters"),
)


class Step(NamedTuple):
    """Neighboring values of one input with the same result."""

    first: Any
    last: Any
    result: Result
    is_current: bool = False


OCCUPANCY, *OTHERS = chosen(RESULT_COLUMNS, "occupancy", "active_blocks", "limiters")
BAR = Column("bar", value=lambda row: "█" * round(_reached(row.result) * BAR_WIDTH), align="left")
NOW = Column("is_current", value=lambda step: "<-" if step.is_current else "", align="left")


def _steps_table(title: str, values: Column, steps: Sequence[Step]) -> Table:
    marks = [NOW] * any(step.is_current for step in steps)
    return Table(title, [values, OCCUPANCY, BAR, *marks, *OTHERS], steps)


def _reached(result: Result) -> float:
    return result.occupancy if result.launchable else 0.0


def _step_key(result: Result) -> object:
    return result.compiles and (result.launchable, result.active_blocks, result.active_warps, result.limiters)


def sweep_report(swept: Combinations, *, has_screen: bool = True) -> Report:
    """Return the report of every combination, or of the kernel's three curves if nothing varies.

    Without a screen, which shows few combinations, they are read only once.
    """
    details, headline = list[Section](), list[str]()
    if swept.varied:
        headline = picture_title(swept.varied, swept.fixed).split("\n")
    else:
        ((gpu, _, result),) = swept.points
        steps = curves(result)
        results = [step.result for each in steps.values() for step in each]
        swept = swept._replace(points=[Point(gpu, each.kernel.to_dict(), each) for each in results])
        headline = [result_text(result), kernel_text(result.kernel, gpu)]
        for name, each in steps.items():
            last = Column("last", f"{axis_title(name, short=True)} up to", text=partial(axis_value, name))
            details.append(_steps_table(f"Occupancy by {LABELS[name]}", last, each))
    if has_screen and len(swept.varied) > MAX_AXES:
        details += _best_tables(swept)
    elif has_screen and swept.varied:
        swept = swept._replace(points=tuple(swept.points))
        details += _matrix(swept) if len(swept.varied) == MAX_AXES else [_runs(swept)]
    shown = swept.points if has_screen and len(swept.varied) <= MAX_AXES else ()
    notes = gpu_notes(swept.gpus, (point.result for point in shown))
    given = {name: values[0] if len(values) == 1 else list(values) for name, values in swept.inputs.items()}
    return Report("sweep", headline, COLUMNS, swept.points, "results", given, details, notes, has_table=False)


def _runs(swept: Combinations) -> Table:
    """Return a row for each run of neighboring numbers with the same result, or for each name."""
    (name,), results = swept.varied, [point.result for point in swept.points]
    values, title = swept.values(name), axis_title(name, short=True)
    runs = _alike(values, list(map(_step_key, results)))
    span = Column("values", title, lambda step: _span(name, step.first, step.last), align="left")
    return _steps_table("", span, [Step(values[run[0]], values[run[-1]], results[run[-1]]) for run in runs])


def _span(name: str, first: Value, last: Value) -> str:
    """Return one value, or the first and the last of several, without the unit that the title has."""
    return " to ".join(dict.fromkeys([axis_value(name, first), axis_value(name, last)]))


def _matrix(swept: Combinations) -> Iterator[Section]:
    """Yield a table over two inputs, with neighbors of the same results in one row or column."""
    shares = [tuple(_reached(point.result) for point in line) for line in swept.lines()]
    down, across = ((name, swept.values(name)) for name in swept.varied)
    rows, columns = _alike(down[1], shares), _alike(across[1], list(zip(*shares, strict=True)))
    if len(rows) <= MAX_COLUMNS < len(columns):
        down, across, rows, columns, shares = across, down, columns, rows, list(zip(*shares, strict=True))
    (name, values), (to_right, values_across) = down, across
    first = Column(name, align="left" if name == "gpu" else "right",
                   value=lambda run: _span(name, values[run[0]], values[run[-1]]))  # fmt: skip

    def column(run: range) -> Column:
        cells = [whole_percent(line[run[-1]]) for line in shares]
        return Column("", axis_value(to_right, values_across[run[-1]]), lambda row: cells[row[-1]])

    title = f"{axis_title(name)} down, {LABELS[to_right]}{' (KiB)' if is_size(to_right) else ''} across"
    shown, shown_rows = columns[:: ceil(len(columns) / MAX_COLUMNS)], rows[:: ceil(len(rows) / MAX_ROWS)]
    yield Table(title, [first, *map(column, shown)], shown_rows)
    sides = ((len(shown), len(columns), "columns"), (len(shown_rows), len(rows), "rows"))
    hidden = " and ".join(f"{few:,} of {every:,} {side}" for few, every, side in sides if few < every)
    lines = [f"Shown: {hidden}. To list every value, pass --format csv."] if hidden else []
    if len(columns) < len(values_across) and not hidden:
        lines.append("Equal neighboring columns are merged under their largest value.")
    if any(0 in line for line in shares):
        lines.append('"-" means that the kernel does not launch.')
    if lines:
        yield Paragraph(lines)


def _alike(values: Sequence[Value], keys: Sequence[object]) -> list[range]:
    """Return the places of neighboring numbers with the same key; names stay apart."""
    are_numbers = all(isinstance(value, int) for value in values)
    runs = groupby(range(len(values)), lambda place: keys[place] if are_numbers else place)
    return [range(places[0], places[-1] + 1) for places in (list(run) for _, run in runs)]


def _best_tables(swept: Combinations) -> Iterator[Section]:
    columns = [*(_input_column(name) for name in swept.varied if name != "gpu"), OCCUPANCY, *OTHERS]
    for gpu, points in groupby(swept.points, lambda point: point.gpu):
        rows, name = best(points, BEST), gpu_name(gpu)
        yield Table(f"Best on {name}", columns, rows) if rows else Paragraph([f"None runs on {name}."])
    yield Paragraph(["--format csv also lists combinations that use fewer resources for the same occupancy."])


def best(points: Iterable[Point], most: int) -> list[Point]:
    """Return the points with the highest occupancy that are different trade-offs, as `ArrayResults.best`."""
    fronts: dict[tuple[float, int], dict[tuple[int, ...], Point]] = {}
    for point in points:
        if not _reached(point.result):
            continue
        kernel = point.result.kernel
        use = (kernel.regs or 0, kernel.shared_memory, *(getattr(kernel, name) or 0 for name in COUNTED))
        front = fronts.setdefault((-point.result.occupancy, kernel.threads), {})
        if not any(all(map(ge, other, use)) for other in front):
            for other in [each for each in front if all(map(ge, use, each))]:
                del front[other]
            front[use] = point
    ranked = [(*key, use, point) for key, front in fronts.items() for use, point in front.items()]
    ranked.sort(key=lambda each: (each[0], [-amount for amount in each[2]], each[1]))
    return [point for *_, point in ranked[:most]]


def sweep_picture(
    swept: Combinations, title: str | None = None, marks: Sequence[int] = (), *, marks_best: bool = False
) -> Picture:
    """Return a step plot over numbers with a curve for each GPU, or a heat map."""
    if len(swept.varied) > MAX_AXES:
        names = ", ".join(swept.varied)
        problem = f"{len(swept.varied)} inputs vary ({names}), but a picture shows at most two"
        raise InputError(problem, hint="Fix some of them, or write every combination to a .csv file.")
    *down, across = swept.varied
    values = swept.values(across)
    numbers = [value for value in values if isinstance(value, int)]
    rows = [[_reached(point.result) for point in line] for line in swept.lines()]
    title = picture_title(swept.varied, swept.fixed, title)
    if len(numbers) == len(values) and down in ([], ["gpu"]):
        for mark in marks:
            in_range(mark, "marks", min(numbers), max(numbers))
        places = [*marks, *(best_marks(numbers, rows) if marks_best else ())]
        gpus = [gpu_name(gpu) for gpu in swept.gpus] if down else [""]
        return Picture(title, [StepPlot(across, numbers, dict(zip(gpus, rows, strict=True)), places)])
    if marks:
        hint = "Vary one input over numbers, such as --regs 16:255, on one GPU or more."
        raise InputError("there is no curve on which to mark a value", where="marks", hint=hint)
    first = down[0] if down else "gpu"
    return Picture(title, [HeatMap((first, across), swept.values(first), values, rows, marks_best)])


def curves(result: Result) -> dict[str, list[Step]]:
    """Return the steps over threads, registers and shared memory, while all else stays."""
    own, limits, most = _own_values(result), result.limits, result.limits.max_threads_per_block
    sizes = [*range(limits.warp_size, most, limits.warp_size), most]  # most threads of each number of warps
    by_size = ((size, Result(limits, result.kernel.replace(threads=size), result.model)) for size in sizes)
    steps = {
        "threads": list(_steps(1, by_size, own["threads"])),
        "regs": list(_steps(1, VariedResource(result, "regs").results(1), own["regs"])),
        "smem": list(_steps(0, VariedResource(result, "smem").results(0), own["smem"])),
    }
    *others, last = steps["smem"]
    if others and not last.result.active_blocks and not last.is_current:
        steps["smem"] = others  # sizes that are too large for any block
    return steps


def _own_values(result: Result) -> dict[str, int | None]:
    kernel = result.kernel
    shared_memory = kernel.shared_memory if kernel.has_shared_memory else None
    return {"threads": kernel.threads, "regs": kernel.regs, "smem": shared_memory}


def _steps(first: int, results: Iterator[tuple[int, Result]], own: int | None) -> Iterator[Step]:
    for _, run in groupby(results, lambda each: _step_key(each[1])):
        last, result = list(run)[-1]
        yield Step(first, last, result, own is not None and first <= own <= last)
        first = last + 1


def curves_picture(results: Sequence[Result], title: str | None = None) -> Picture:
    """Return three plots with a curve for each GPU and the kernel's own values marked."""
    subject = "Occupancy by block size, registers and shared memory"
    names = [f"{gpu_name(result.gpu)}: {percent(result.occupancy)}" for result in results]
    if len(results) == 1:
        subject, names = f"{result_text(results[0])}, on {gpu_name(results[0].gpu)}", [""]
    steps_of_gpus = list(map(curves, results))
    plots = []
    for name, own in _own_values(results[0]).items():
        per_gpu = [steps[name] for steps in steps_of_gpus]
        values = sorted({end for steps in per_gpu for step in steps for end in (step.first, step.last)})
        shares = [[_occupancy_at(steps, value) for value in values] for steps in per_gpu]
        lines = dict(zip(names, shares, strict=True))
        plots.append(StepPlot(name, values, lines, [] if own is None else [own]))
    return Picture(f"{title or subject}\n{kernel_text(results[0].kernel)}", plots)


def _occupancy_at(steps: Sequence[Step], value: int) -> float:
    return next((_reached(step.result) for step in steps if step.first <= value <= step.last), 0.0)
