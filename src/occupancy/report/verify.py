"""The answer to ``occupancy verify``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..verify import Check, Verification
from . import DOCUMENTED, SCHEMA_VERSION
from .device import DeviceEntry, device_entry


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """How the table and the engine compare with what a GPU's driver says."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    date: str
    """The day, as YYYY-MM-DD."""
    versions: dict[str, str]
    """What took part, and its version."""
    device: DeviceEntry
    kernels: int
    """Compiled kernels that the driver was asked about."""
    compared: int
    different: int
    documented: int
    """Of the compared, those where the driver is wrong in a way that is documented."""
    checks: tuple[Check, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: what the JSON holds."""
        return asdict(self)


def verify_report(verification: Verification) -> VerifyReport:
    """Everything that is shown of a verification."""
    return VerifyReport(
        schema_version=SCHEMA_VERSION,
        date=verification.date.isoformat(),
        versions=verification.versions,
        device=device_entry(verification.device),
        kernels=verification.kernels,
        compared=verification.compared,
        different=verification.different,
        documented=verification.documented,
        checks=verification.checks,
    )
