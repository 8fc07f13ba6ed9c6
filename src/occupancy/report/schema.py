"""JSON Schema of what the commands print, made from the dataclasses that hold it."""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from functools import cache
from typing import Annotated, Any, get_type_hints

from pydantic import Field, TypeAdapter

from ..errors import InputError, shown
from ..tables.sources import Source
from ..values.dataclass import dataclass
from ..values.limits import Limits, SpreadsheetColumn
from .base import Report
from .block_sizes import BlockSizesReport
from .bounds import BoundsReport
from .budget import BudgetReport
from .calc.report import CalcReport
from .compare.check import CheckReport
from .compare.diff import DiffReport
from .curves import CurvesReport
from .device import DeviceReport
from .fits import FitsReport
from .gpus import GpusReport
from .meanings import describe, docstrings
from .on_all.block_sizes import BlockSizesOnAllReport
from .on_all.budget import BudgetOnAllReport
from .on_all.report import OnAllReport
from .registers import RegistersReport
from .scan.report import ScanReport
from .sweep import SweepReport
from .verify import VerifyReport

# The rows of `occupancy limits` are made of `Limits`, so that no field is declared a second time. A source
# stands by its code, and once in full: so these are not what `tables.sources` has under the same names.

Value = bool | int | str | tuple[int, ...] | SpreadsheetColumn | None


def limits_json() -> type:
    """The JSON of ``occupancy limits``: the rows by compute capability."""
    return make_dataclass(
        "LimitsJson",
        [("compute_capabilities", dict[str, _row()])],  # type: ignore[misc]
        bases=(Report,),
    )


def _row() -> type:
    hints = get_type_hints(Limits)
    described = docstrings(Limits)
    columns: list[tuple[str, Any]] = [
        (field.name, Annotated[hints[field.name], Field(description=described.get(field.name))])
        for field in fields(Limits)
        if field.name != "compute_capability"
    ]
    warps = Limits.max_warps_per_multiprocessor.__doc__
    columns.append(("max_warps_per_multiprocessor", Annotated[int, Field(description=warps)]))
    return make_dataclass("Row", columns)


@dataclass(frozen=True, slots=True)
class OtherValue:
    """What some sources say instead."""

    value: Value
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """A disagreement about a value."""

    others: tuple[OtherValue, ...]
    why: str
    """Why the table's value was judged right."""


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """A value of the table, and where it comes from."""

    value: Value
    sources: tuple[str, ...]
    """The codes of the sources that give the value; for null, of those that were asked."""
    note: str | None
    disputes: tuple[Dispute, ...]


@dataclass(frozen=True, slots=True)
class SourcesJson(Report):
    """The JSON of ``occupancy limits --sources``."""

    compute_capabilities: dict[str, dict[str, SourcedValue]]
    """Compute capability -> limit -> where its value comes from."""
    sources: dict[str, Source]
    """The sources that are cited, by their codes."""


# Command -> the dataclass whose fields are its JSON; two where it gives two kinds of answers.
REPORTS: dict[str, Any] = {
    "calc": CalcReport | OnAllReport,
    "fits": FitsReport,
    "budget": BudgetReport | BudgetOnAllReport,
    "bounds": BoundsReport,
    "registers": RegistersReport,
    "block-sizes": BlockSizesReport | BlockSizesOnAllReport,
    "sweep": SweepReport | CurvesReport,
    "scan": ScanReport,
    "diff": DiffReport,
    "check": CheckReport,
    "limits": limits_json() | SourcesJson,
    "gpus": GpusReport,
    "device": DeviceReport,
    "verify": VerifyReport,
}


def json_schema(command: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what ``occupancy COMMAND --format json`` prints.

    Raises:
        InputError: No such command, or its JSON has no schema.
    """
    if command not in REPORTS:
        raise InputError(
            f"there is no schema for {shown(command)}", where="schema", allowed=", ".join(REPORTS)
        )
    schema = describe(adapter(command).json_schema(mode="serialization"), REPORTS[command])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


@cache
def adapter(command: str) -> TypeAdapter[Any]:
    """What reads and checks the JSON of a command; made once, which takes some milliseconds.

    Raises:
        KeyError: The command is not in `REPORTS`.
    """
    return TypeAdapter(REPORTS[command])
