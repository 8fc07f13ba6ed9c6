"""One kernel with some of its inputs varied, as the command line asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, cast

from ..errors import InputError
from ..render.pictures import Picture, Value
from ..report.curves import CurvesReport, curves_picture, curves_report
from ..report.sweep import INPUTS, Cell, SweepReport, Variable
from ..tables.gpus import Gpu
from ..values.fields import FIELDS
from ..values.limits import Limits
from ..values.ranges import SIZES, VARY, parse_values
from ..values.spellings import parse_count, parse_size
from .arguments import KernelArguments, without_automatic
from .occupancy import compute

MAX_COMBINATIONS = 1_000_000
"""Combinations of a sweep, which take some seconds."""

# As a list of threads 128,256 can be nothing else; sizes are as large as 16,384.
_GROUPED_OR_LISTED = re.compile(r"(?:^|[,:\s])[1-9][0-9]{0,2},[1-9][0-9]{2}(?=[,:\s]|$)")


def curves_of(chip: Gpu, kernel: Mapping[str, Any]) -> CurvesReport:
    """The three curves of a kernel.

    An automatic carveout counts as the largest, because it would follow the kernel along each curve.

    Args:
        chip: The chip.
        kernel: Arguments of `compute`.

    Raises:
        InputError: What `compute` refuses.
    """
    return curves_report(compute(chip, **without_automatic(cast(KernelArguments, kernel))), chip.name)


def sweep_grid(chips: Sequence[Gpu], kernel: Mapping[str, Any]) -> CurvesReport | SweepReport:
    """The answers for every combination, or the three curves if nothing varies.

    Args:
        chips: The chips, each called otherwise.
        kernel: Arguments of `compute`; those of `VARY` as text may be lists and ranges as `parse_values`
            reads them.

    Raises:
        InputError: A range that is none, too many combinations, or what `compute` refuses.
    """
    return _grid(chips, _choices(kernel))


def _grid(chips: Sequence[Gpu], choices: Mapping[str, Sequence[Any]]) -> CurvesReport | SweepReport:
    # Products are called by their names, and compute capabilities as they always are.
    whole = {"gpu" if any(chip.name for chip in chips) else "cc": [chip.label for chip in chips], **choices}
    variables = {cast(Variable, name): tuple(values) for name, values in whole.items() if len(values) > 1}
    if not variables:
        (chip,) = chips
        return curves_of(chip, {name: each for name, (each,) in choices.items()})
    fixed = {name: values[0] for name, values in whole.items() if len(values) == 1}
    cells = _cells([chip.limits for chip in chips], choices)
    return SweepReport(fixed, variables, tuple(chip.cc for chip in chips), cells)


def sweep_picture(
    chips: Sequence[Gpu], kernel: Mapping[str, Any], title: str | None = None, marks: Sequence[str] = ()
) -> Picture:
    """Return the same as a picture; if nothing varies but the GPU, the three curves with one for each GPU.

    Args:
        chips: As in `sweep_grid`.
        kernel: Likewise.
        title: The title.
        marks: Values of the input that varies, lists such as ``64,128`` of them, or ``best``.

    Raises:
        InputError: Likewise; too much varies, or there is no curve to mark a value on.
    """
    texts = [each for mark in marks for each in mark.split(",")]
    best = "best" in texts
    values = [parse_size(each, "marks") for each in texts if each != "best"]
    report = _grid(chips, _with_marked(_choices(kernel), values))
    if isinstance(report, SweepReport) and not (report.compares_chips_alone and not texts):
        return report.picture(title, values, best=best)
    if texts:
        raise InputError(
            "these curves mark the kernel's own values",
            where="marks",
            hint="Leave it out, or vary one input, such as --regs 16:255.",
        )
    if isinstance(report, CurvesReport):
        return curves_picture([report], title)
    given = {name: value for name, value in report.fixed.items() if name not in ("gpu", "cc")}
    return curves_picture([curves_of(chip, given) for chip in chips], title)


def _with_marked(choices: Mapping[str, Sequence[Any]], marks: Sequence[int]) -> Mapping[str, Sequence[Any]]:
    """The values with those to be marked among them, where a step passes over one."""
    varied = [name for name, values in choices.items() if len(values) > 1]
    if not marks or len(varied) != 1:
        return choices
    values = choices[varied[0]]
    if not all(isinstance(value, int) for value in values):
        return choices
    within = {mark for mark in marks if min(values) <= mark <= max(values)}
    return {**choices, varied[0]: sorted({*values, *within})}


def _cells(chips: Sequence[Limits], choices: Mapping[str, Sequence[Any]]) -> tuple[Cell, ...]:
    """Return the result of each combination; the GPUs change slowest, the last choice fastest."""
    combinations = prod(map(len, choices.values())) * len(chips)
    if combinations > MAX_COMBINATIONS:
        raise InputError(
            f"there are {combinations:,} combinations",
            where="sweep",
            allowed=f"up to {MAX_COMBINATIONS:,}",
            hint="Take larger steps; occupancy.sweep() in Python has no such limit.",
        )

    def cells() -> Iterator[Cell]:
        for limits, *values in product(chips, *choices.values()):
            found = compute(limits, **dict(zip(choices, values, strict=True)))
            yield Cell(
                found.active_blocks, found.active_warps, found.occupancy, found.limiters, found.launchable
            )

    return tuple(cells())


def _choices(kernel: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """The values of each input that was given."""
    given = {name: kernel[name] for name in INPUTS if kernel.get(name) is not None}
    return {name: _values(name, value) if name in VARY else [value] for name, value in given.items()}


def _values(name: str, text: str) -> Sequence[Value]:
    def count(number: str) -> int:
        return parse_count(number, name)

    def size(number: str) -> int:
        return parse_size(number, name)

    def count_or_word(number: str) -> Value:
        # 16x16, 64k, 50%, max, default and auto stay as they are; 1,024 does not.
        return count(number) if number.replace(",", "").isdecimal() else number

    is_size = name in SIZES
    if is_size and (unclear := _GROUPED_OR_LISTED.search(text)):
        digits = unclear[0].strip(",: ")
        raise InputError(
            f"{digits!r} can be one size or two",
            where=name,
            allowed=f"{digits.replace(',', '')} for one, {digits.replace(',', ', ')} with a blank for two",
        )

    parse = size if is_size else count_or_word if name in ("threads", "carveout") else count
    return parse_values(text, parse, size if is_size else count, name, FIELDS[name].multiple_of)
