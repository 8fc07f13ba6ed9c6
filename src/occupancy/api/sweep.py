"""One kernel with one or two of its inputs varied, as the command line asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, cast

from ..errors import InputError
from ..render.charts import Value
from ..report.curves import CurvesReport, curves_report
from ..report.sweep import SweepReport, Variable, sweep_report
from ..tables.chips import Chip
from ..values.limits import Limits
from ..values.ranges import parse_values
from ..values.spellings import is_automatic, parse_count, parse_size
from .answer import Occupancy
from .compute import compute

MOST_AXES = 2
MOST_ANSWERS = 1_000_000
"""What takes some seconds; `sweep` over arrays is for more."""

VARY: tuple[Variable, ...] = ("threads", "regs", "smem", "carveout")
"""The inputs that may be lists and ranges."""


# As a list of threads 128,256 can be nothing else; sizes are as large as 16,384.
_GROUPED_OR_LISTED = re.compile(r"(?:^|[,:\s])[1-9][0-9]{0,2},[1-9][0-9]{2}(?=[,:\s]|$)")


def curves_of(chip: Limits, kernel: Mapping[str, Any]) -> CurvesReport:
    """The three curves of a kernel.

    An automatic carveout counts as the largest, because it would follow the kernel along each curve.

    Args:
        chip: The SM.
        kernel: Arguments of `compute`.

    Raises:
        InputError: What `compute` refuses.
    """
    is_auto = is_automatic(kernel.get("carveout"))
    return curves_report(compute(chip, **{**kernel, "carveout": None} if is_auto else kernel))


def sweep_grid(chips: Sequence[Chip], kernel: Mapping[str, Any]) -> CurvesReport | SweepReport:
    """The answers for every combination, or the three curves if nothing varies.

    Args:
        chips: The chips, each called otherwise.
        kernel: Arguments of `compute`; threads, regs, smem and carveout as text may be lists and ranges
            as `parse_values` reads them.

    Raises:
        InputError: A range that is none, more than two variables, too many combinations, or what
            `compute` refuses.
    """
    named_chips = {chip.label: chip.limits for chip in chips}
    # Products are called by their names, and compute capabilities as they always are.
    variable = "gpu" if any(chip.name for chip in chips) else "cc"
    choices: dict[str, Sequence[Any]] = {variable: list(named_chips)}
    for name, value in kernel.items():
        choices[name] = _values(name, value) if name in VARY and value is not None else [value]
    variables = {cast(Variable, name): tuple(values) for name, values in choices.items() if len(values) > 1}
    _check_size(variables)

    def answers() -> Iterator[Occupancy]:
        for values in product(*choices.values()):
            arguments = dict(zip(choices, values, strict=True))
            yield compute(named_chips[arguments.pop(variable)], **arguments)

    if not variables:
        return curves_of(
            chips[0].limits, {name: values[0] for name, values in choices.items() if name in kernel}
        )
    fixed = {
        name: values[0] for name, values in choices.items() if len(values) == 1 and values[0] is not None
    }
    return sweep_report(variables, answers(), fixed)


def _values(name: Variable, text: str) -> Sequence[Value]:
    def count(number: str) -> int:
        return parse_count(number, name)

    def size(number: str) -> int:
        return parse_size(number, name)

    def count_or_word(number: str) -> Value:
        # 16x16, 64k, 50%, max, default and auto stay as they are; 1,024 does not.
        return count(number) if number.replace(",", "").isdecimal() else number

    if name == "smem" and (unclear := _GROUPED_OR_LISTED.search(text)):
        digits = unclear[0].strip(",: ")
        raise InputError(
            f"{digits!r} can be one size or two",
            where=name,
            allowed=f"{digits.replace(',', '')} for one, {digits.replace(',', ', ')} with a blank for two",
        )

    parse = {"threads": count_or_word, "regs": count, "smem": size, "carveout": count_or_word}[name]
    return parse_values(text, parse, size if name == "smem" else count, name)


def _check_size(variables: Mapping[Variable, Sequence[Value]]) -> None:
    if len(variables) > MOST_AXES:
        raise InputError(
            f"{len(variables)} inputs vary: {', '.join(variables)}",
            where="sweep",
            allowed="one or two",
            cure="Give the others one value each.",
        )
    answers = prod(map(len, variables.values()))
    if answers > MOST_ANSWERS:
        raise InputError(
            f"there are {answers:,} combinations",
            where="sweep",
            allowed=f"up to {MOST_ANSWERS:,}",
            cure="Take larger steps; in Python occupancy.sweep() answers for arrays.",
        )
