"""JSON Schema of what the commands print, made from the dataclasses that hold it."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from ..errors import InputError, shown
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
from .limits_schema import SourcesJson, limits_json
from .meanings import describe
from .on_all.block_sizes import BlockSizesOnAllReport
from .on_all.budget import BudgetOnAllReport
from .on_all.report import OnAllReport
from .registers import RegistersReport
from .scan.report import ScanReport
from .sweep import SweepReport
from .verify import VerifyReport

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
