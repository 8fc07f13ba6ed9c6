"""The answer to ``occupancy device``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from ..device import Device
from ..errors import OccupancyError
from ..values.limits import Limits
from . import DOCUMENTED, SCHEMA_VERSION
from .limits import FIELDS


@dataclass(frozen=True, slots=True)
class LiveLimit:
    """A limit of a GPU, and who tells it."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    value: Any
    source: Literal["driver", "table"]
    in_table: Any
    """The table's value; None where the table has no such chip."""


@dataclass(frozen=True, slots=True)
class DeviceEntry:
    """A GPU of this machine. None is what nobody told."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    index: int
    """CUDA's number, among those that CUDA_VISIBLE_DEVICES shows."""
    name: str
    cc: str
    architecture: str | None
    multiprocessors: int | None
    driver_version: str | None
    cuda_version: str | None
    """The newest CUDA that the driver can run."""
    mig: bool | None
    """Whether it is divided (multi-instance GPU)."""
    limits: dict[str, LiveLimit]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """The GPUs of this machine."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    devices: tuple[DeviceEntry, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: what the JSON holds."""
        return asdict(self)


def device_report(devices: tuple[Device, ...]) -> DeviceReport:
    """Everything that is shown of some GPUs."""
    return DeviceReport(SCHEMA_VERSION, tuple(device_entry(device) for device in devices))


def device_entry(device: Device) -> DeviceEntry:
    """Everything that is shown of a GPU."""
    row, notes = _row(device)
    version = device.cuda_version
    return DeviceEntry(
        index=device.index,
        name=device.name,
        cc=str(device.compute_capability),
        architecture=None if row is None else row.architecture,
        multiprocessors=device.multiprocessor_count,
        driver_version=device.driver_version,
        cuda_version=None if version is None else f"{version[0]}.{version[1]}",
        mig=device.mig,
        limits=_limits(device, row),
        notes=(*(f"{reason[0].upper()}{reason[1:]}." for reason in device.missing), *notes),
    )


def _row(device: Device) -> tuple[Limits | None, tuple[str, ...]]:
    try:
        row = device.row
    except OccupancyError as error:
        return None, (str(error),)
    try:
        _ = device.limits
    except OccupancyError as error:
        return row, (str(error),)
    return row, ()


def _limits(device: Device, row: Limits | None) -> dict[str, LiveLimit]:
    found: dict[str, LiveLimit] = {}
    for name in FIELDS:
        if name == "spreadsheet":
            continue  # no limit of the chip
        in_table = None if row is None else getattr(row, name)
        if name in device.told:
            found[name] = LiveLimit(device.told[name], "driver", in_table)
        elif row is not None:
            found[name] = LiveLimit(in_table, "table", in_table)
    return found
