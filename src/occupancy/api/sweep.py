"""One kernel with some of its inputs varied, as the command line asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, cast

from ..engine import Model, default_model
from ..errors import InputError, MissingDependencyError
from ..render.charts import Picture, Value
from ..render.document import Document
from ..report.curves import CurvesReport, curves_report, side_by_side
from ..report.sweep import INPUTS, MOST_AXES, Cell, SweepReport, Variable
from ..tables.gpus import Gpu
from ..values.kernel import UNITS, Kernel
from ..values.limits import Limits
from ..values.ranges import COUNTS, SIZES, VARY, parse_values
from ..values.spellings import is_automatic, parse_count, parse_size
from .arguments import KernelArguments, kernel_with, make_kernel, without_automatic
from .compute import compute

MOST_ONE_BY_ONE = 1_000_000
"""Combinations that take some seconds, where they cannot be answered as arrays."""
MOST_ANSWERS = 20_000_000
"""Combinations for which a usual machine has the memory."""
FEWEST_FOR_ARRAYS = 5_000
"""Combinations that take as long as NumPy takes to load."""

SETTINGS = ("caching", "opt_in", "shared_memory_mode")


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


def sweep_document(chips: Sequence[Gpu], kernel: Mapping[str, Any]) -> Document:
    """The same as people read it: where more varies than a chart shows, the ten best answers of each chip.

    Args:
        chips: As in `sweep_grid`.
        kernel: Likewise.

    Raises:
        InputError: Likewise; or too much varies, and arrays do not know what is asked.
    """
    choices = _choices(kernel)
    varied = sum(len(values) > 1 for values in (chips, *choices.values()))
    if varied > MOST_AXES and len(choices.get("carveout", ())) < 2 and _are_for_arrays(chips, choices):
        try:
            from ..arrays.grid import grid_sweep
        except MissingDependencyError:  # what follows says so
            return sweep_grid(chips, kernel).document()
        _check_size(prod(map(len, choices.values())) * len(chips), MOST_ANSWERS)
        axes, common, model = _for_arrays(choices)
        numbers = {name: values for name, values in axes.items() if name in COUNTS}
        limits, labels = [chip.limits for chip in chips], [chip.label for chip in chips]
        return grid_sweep(limits, labels, numbers, common[0], model).document()
    return sweep_grid(chips, kernel).document()


def sweep_picture(
    chips: Sequence[Gpu], kernel: Mapping[str, Any], title: str | None = None, marks: Sequence[int] = ()
) -> Picture:
    """The same as a picture; where nothing varies but the chip, the three curves with one for each chip.

    Args:
        chips: As in `sweep_grid`.
        kernel: Likewise.
        title: What stands above it.
        marks: Values of the input that varies, at which lines are drawn.

    Raises:
        InputError: Likewise; too much varies, or there is no curve to mark a value on.
    """
    report = _grid(chips, _with_marked(_choices(kernel), marks))
    if isinstance(report, SweepReport) and report.compares_chips_alone and not marks:
        given = {name: value for name, value in report.fixed.items() if name not in ("gpu", "cc")}
        return side_by_side([curves_of(chip, given) for chip in chips], title)
    return report.picture(title, marks)


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
    """The answer for each combination; the chips change slowest, the last choice fastest."""
    answers = prod(map(len, choices.values())) * len(chips)
    if answers > FEWEST_FOR_ARRAYS and (cells := _cells_of_arrays(chips, choices, answers)):
        return cells
    _check_size(answers, MOST_ONE_BY_ONE)

    def one_by_one() -> Iterator[Cell]:
        for limits, *values in product(chips, *choices.values()):
            answer = compute(limits, **dict(zip(choices, values, strict=True)))
            yield Cell(
                answer.active_blocks,
                answer.active_warps,
                answer.occupancy,
                answer.limiters,
                answer.launchable,
            )

    return tuple(one_by_one())


def _cells_of_arrays(
    chips: Sequence[Limits], choices: Mapping[str, Sequence[Any]], answers: int
) -> tuple[Cell, ...] | None:
    """The same at the speed of arrays; None without NumPy, or where arrays do not know what is asked."""
    if not _are_for_arrays(chips, choices):
        return None
    try:
        from ..arrays.grid import grid_answers
    except MissingDependencyError:
        return None
    _check_size(answers, MOST_ANSWERS)
    axes, common, model = _for_arrays(choices)
    distinct, places = grid_answers(chips, axes, common, model)
    cells = [Cell(*each, launchable=each.active_blocks > 0) for each in distinct]
    return tuple(map(cells.__getitem__, places))


def _are_for_arrays(chips: Sequence[Limits | Gpu], choices: Mapping[str, Sequence[Any]]) -> bool:
    """Whether arrays know what is asked."""
    of_chips = [each.limits if isinstance(each, Gpu) else each for each in chips]
    (model,) = choices.get("model", (None,))
    return (
        all((model or default_model(limits)) == "cuda" for limits in of_chips)
        and not any(isinstance(value, str) for name in COUNTS for value in choices.get(name, ()))
        and not any(map(is_automatic, choices.get("carveout", ())))
        and set(choices) <= {*VARY, *SETTINGS, "model"}
    )


def _for_arrays(
    choices: Mapping[str, Sequence[Any]],
) -> tuple[dict[str, Sequence[Any]], list[Kernel], Model | None]:
    """What varies, a kernel with the other settings for each carveout, and the model.

    Raises:
        InputError: A value that no kernel can have.
    """
    axes = {name: values for name, values in choices.items() if name in VARY}
    settings = {name: values[0] for name, values in choices.items() if name in SETTINGS}
    first = {name: values[0] for name, values in axes.items()}
    for name, values in axes.items():
        for value in values:
            kernel_with(None, {**first, name: value})  # raises what is wrong with it
    carveouts = axes.get("carveout", (None,))
    (model,) = choices.get("model", (None,))
    return axes, [make_kernel(1, carveout=carveout, **settings) for carveout in carveouts], model


def _check_size(answers: int, most: int) -> None:
    if answers > most:
        raise InputError(
            f"there are {answers:,} combinations",
            where="sweep",
            allowed=f"up to {most:,}",
            hint="Take larger steps; in Python occupancy.sweep() answers for arrays.",
        )


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
    return parse_values(text, parse, size if is_size else count, name, UNITS.get(name, 1))
