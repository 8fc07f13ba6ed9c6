"""Sweeps: arrays of kernels, and one kernel with some inputs varied for the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

import occupancy  # for the annotation occupancy.Sweep: evaluating it imports NumPy

from ..engine import Model
from ..errors import InputError, shown
from ..report.pictures import Picture
from ..report.sweep import Combinations, Point, curves_picture, sweep_picture
from ..report.words import Value
from ..tables.gpus import Gpu, find_one_or_several
from ..values.fields import FIELDS, Caching, Carveout, Field, SharedMemoryMode, reject_unknown
from ..values.kernel import Kernel
from ..values.resources import Output
from ..values.spellings import parse_count, parse_size, parse_values
from .occupancy import GpuLike, GpuList, compute

if TYPE_CHECKING:
    from ..arrays import ArrayLike
else:
    ArrayLike = Any  # NumPy's, which only a sweep needs

MAX_COMBINATIONS = 1_000_000
"""Combinations of a sweep, which take some seconds."""

# In a list of threads, 128,256 can be nothing else; sizes are as large as 16,384.
_GROUPED_OR_LISTED = re.compile(r"(?:^|(?<=[,:\s]))[1-9]\d{0,2}(?:,\d{3})+(?=[,:\s]|$)")


def sweep(
    gpu: GpuLike | GpuList, *, threads: ArrayLike | None = None, regs: ArrayLike | None = None,
    static_smem: ArrayLike | None = None, dynamic_smem: ArrayLike | None = None,
    smem: ArrayLike | None = None, barriers: ArrayLike | None = None,
    virtual_resources: ArrayLike | None = None, tensor_memory: ArrayLike | None = None,
    carveout: int | str | Carveout | None = None, caching: Caching | None = None, opt_in: bool | None = None,
    shared_memory_mode: SharedMemoryMode | None = None, model: Model | None = None,
    outputs: Output | Sequence[Output] = ("active_blocks", "active_warps", "limiters"), **others: NoReturn,
) -> occupancy.Sweep:  # fmt: skip
    """Compute the occupancy of arrays of kernels, with NumPy.

    Arrays broadcast as in NumPy. For all combinations, give each array its own dimension:
    ``threads=t[:, None], regs=r``, or ``numpy.ix_(t, r)``. Units and limits are as in `compute`.
    The result's methods are ``best``, ``select``, ``rows``, ``columns`` and ``plot``.

    Args:
        gpu: A GPU. A list of GPUs, or an architecture, adds a first dimension to the results.
        threads: Threads per block. A sequence is an array of block sizes, not a shape.
        carveout, caching, opt_in, shared_memory_mode, model: One value for all kernels, as in `compute`.
        outputs: Names of the arrays to compute, each with one byte per kernel; by default all.

    Raises:
        InputError: As in `compute`, for the first invalid value, or the arrays do not broadcast.
        MissingDependencyError: NumPy is not installed.
    """
    reject_unknown(others, sweep, ())
    from .arrays import Sweep

    chosen = find_one_or_several(gpu)
    gpus = chosen if isinstance(chosen, list) else [chosen]
    if threads is None:
        raise InputError("is missing", where="threads", hint="Pass a number, a list or a range.")
    base = Kernel(1, carveout=carveout, caching=caching, opt_in=opt_in, shared_memory_mode=shared_memory_mode)
    arrays = {
        "threads": threads, "regs": regs, "static_smem": static_smem, "dynamic_smem": dynamic_smem, "smem": smem,
        "barriers": barriers, "virtual_resources": virtual_resources, "tensor_memory": tensor_memory,
    }  # fmt: skip
    given = {name: array for name, array in arrays.items() if array is not None}
    limits, names = [found.limits for found in gpus], [found.label for found in gpus]
    has_gpu_axis = isinstance(chosen, list)
    return Sweep.compute(limits, given, base, model, has_gpu_axis=has_gpu_axis, outputs=outputs, names=names)


def grid_picture(
    gpus: Sequence[Gpu], inputs: Mapping[str, Any], model: Model | None = None, *, title: str | None = None,
    marks: Sequence[str] = (),
) -> Picture:  # fmt: skip
    """Return the same as a picture; if nothing but the GPU varies, the three curves with one for each GPU."""
    texts = ",".join(marks).split(",") if marks else []
    if unknown := [mark for mark in texts if mark != "best" and not mark.strip()[:1].isdecimal()]:
        problem = f"{shown(unknown[0])} is neither a number nor best"
        raise InputError(problem, where="marks", hint="Write 64,128 or best.")
    values = [parse_size(mark, "marks") for mark in texts if mark != "best"]
    swept = combinations(gpus, inputs, model, values)
    if set(swept.varied) - {"gpu"}:
        return sweep_picture(swept, title, values, marks_best="best" in texts)
    if texts:
        hint = "Remove --mark, or vary one input, such as --regs 16:255."
        raise InputError("these curves mark the kernel's own values", where="marks", hint=hint)
    own: dict[str, Any] = {name: value for name, (value,) in swept.inputs.items()}
    return curves_picture([compute(gpu, model=model, **own) for gpu in gpus], title)


def combinations(
    gpus: Sequence[Gpu], inputs: Mapping[str, Any], model: Model | None = None, marks: Sequence[int] = ()
) -> Combinations:
    """Return every combination of the values of some inputs, with the marks within a range."""
    values = {name: _values(FIELDS[name], text) for name, text in inputs.items() if text is not None}
    several = [name for name, choices in values.items() if len(choices) > 1]
    if marks and len(several) == 1 and all(isinstance(value, int) for value in values[several[0]]):
        numbers = [value for value in values[several[0]] if isinstance(value, int)]
        within = {mark for mark in marks if min(numbers) <= mark <= max(numbers)}
        values[several[0]] = sorted({*numbers, *within})
    number = prod(map(len, values.values())) * len(gpus)
    if number > MAX_COMBINATIONS:
        problem, allowed = f"{number:,} combinations are too many", f"up to {MAX_COMBINATIONS:,}"
        hint = "Use larger steps, or occupancy.sweep() in Python, which has no such limit."
        raise InputError(problem, allowed=allowed, hint=hint)

    def points() -> Iterator[Point]:
        for gpu in gpus:
            for chosen in product(*values.values()):
                given: dict[str, Any] = dict(zip(values, chosen, strict=True))
                yield Point(gpu, given, compute(gpu, model=model, **given))

    return Combinations(gpus, values, points())


def _values(field: Field, given: Any) -> Sequence[Value]:
    if not field.can_vary or not isinstance(given, str):
        return [field.parse(given)]
    name = field.name
    if field.kind == "size" and (unclear := _GROUPED_OR_LISTED.search(given)):
        hint = f"Write {unclear[0].replace(',', '')}, or {unclear[0].replace(',', ', ')} with spaces."
        raise InputError(f"{unclear[0]!r} can be one size or several", where=name, hint=hint)

    def number(text: str) -> int:
        return parse_size(text, name) if field.kind == "size" else parse_count(text, name, field.hint)

    def parse(text: str) -> Value:
        # 16x16, 64k, 50%, max and default stay as they are; 1,024 does not.
        is_word = name in ("threads", "carveout") and not text.replace(",", "").isdecimal()
        return text if is_word else number(text)

    return parse_values(given, parse, number, name, field.multiple_of)
