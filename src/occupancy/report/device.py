"""The answer to ``occupancy device``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Literal

from ..device import Device
from ..errors import OccupancyError
from ..render import words
from ..render.document import Block, Bullets, Column, Document, Marked, Only, Paragraph, Table, Together
from ..values.asking import said_by
from ..values.dataclass import dataclass
from ..values.limits import Limits
from .base import Report
from .limits import FIELDS

COLUMNS = (
    Column("Limit", is_number=False),
    Column("Value", least=1, cuts=True),
    Column("From", is_number=False, least=1, cuts=True),
    Column("Table"),
)


@dataclass(frozen=True, slots=True)
class LiveLimit:
    """A limit of a GPU, and where it comes from."""

    value: Any
    source: Literal["driver", "table"]
    in_table: Any
    """The table's value; None where the table has no such chip."""

    @property
    def differs(self) -> bool:
        """Whether the table has another value."""
        return self.in_table is not None and bool(self.value != self.in_table)


@dataclass(frozen=True, slots=True)
class DeviceEntry:
    """A GPU of this machine. None where neither the driver nor NVML reports it."""

    index: int
    """CUDA's number, among those that CUDA_VISIBLE_DEVICES shows."""
    name: str
    cc: str
    architecture: str | None
    multiprocessor_count: int | None
    driver_version: str | None
    cuda_version: str | None
    """The newest CUDA that the driver can run."""
    mig: bool | None
    """Whether it is divided (multi-instance GPU)."""
    limits: dict[str, LiveLimit]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeviceReport(Report):
    """The GPUs of this machine."""

    devices: tuple[DeviceEntry, ...]

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each GPU."""
        return map(asdict, self.devices)

    def document(self) -> Document:
        """For each GPU what it is, then its limits and where they come from, then what is amiss."""
        return [block for device in self.devices for block in _blocks(device)]


def headline(device: DeviceEntry) -> Paragraph:
    """What the GPU is, in two lines of a terminal."""
    generation = f" ({device.architecture})" if device.architecture else ""
    name = Marked(f"GPU {device.index}: {device.name}", "strong")
    return Paragraph((name, f", compute capability {device.cc}{generation}\n{known_of(device)}"))


def known_of(device: DeviceEntry) -> str:
    """``132 SMs, driver 580.159.04 (CUDA 13.0), MIG off``: what is known of a GPU."""
    sms = device.multiprocessor_count
    count = "unknown number of SMs" if sms is None else words.count(sms, "SM")
    version = f"driver {device.driver_version or 'of unknown version'}"
    cuda = f" (CUDA {device.cuda_version})" if device.cuda_version else ""
    mig = "" if device.mig is None else f", MIG {'on' if device.mig else 'off'}"
    return f"{count}, {version}{cuda}{mig}"


def _blocks(device: DeviceEntry) -> Iterator[Block]:
    values = [(name, words.limit(name, limit.value), limit) for name, limit in device.limits.items()]
    differing = {number for number, (*_, limit) in enumerate(values) if limit.differs}
    screen = [
        (
            name,
            value,
            f"{limit.source}; the table has {words.limit(name, limit.in_table)}"
            if limit.differs
            else limit.source,
        )
        for name, value, limit in values
    ]
    yield Only("text", [headline(device), Table(COLUMNS[:3], screen, differing, splits=False)])
    head = (Marked(f"GPU {device.index}: {device.name}", "strong"), f", compute capability {device.cc}; ")
    page = [(name, value, limit.source, words.limit(name, limit.in_table)) for name, value, limit in values]
    yield Only("markdown", [Paragraph((*head, known_of(device))), Table(COLUMNS, page)])
    yield Together([Bullets([note], "faint") for note in device.notes])


def device_report(devices: tuple[Device, ...]) -> DeviceReport:
    """Everything that is shown of some GPUs."""
    return DeviceReport(tuple(device_entry(device) for device in devices))


def device_entry(device: Device) -> DeviceEntry:
    """Everything that is shown of a GPU."""
    row, notes = _row(device)
    version = device.cuda_version
    return DeviceEntry(
        index=device.index,
        name=device.name,
        cc=str(device.compute_capability),
        architecture=None if row is None else row.architecture,
        multiprocessor_count=device.multiprocessor_count,
        driver_version=device.driver_version,
        cuda_version=None if version is None else f"{version[0]}.{version[1]}",
        mig=device.mig,
        limits=_limits(device, row),
        notes=(*(words.capitalised(f"{reason}.") for reason in device.missing), *notes),
    )


def _row(device: Device) -> tuple[Limits | None, tuple[str, ...]]:
    try:
        row = device.row
    except OccupancyError as error:
        return None, (said_by(error),)
    try:
        _ = device.limits
    except OccupancyError as error:
        return row, (said_by(error),)
    return row, ()


def _limits(device: Device, row: Limits | None) -> dict[str, LiveLimit]:
    found: dict[str, LiveLimit] = {}
    for name in FIELDS:
        if name == "spreadsheet":
            continue  # no limit of the chip
        in_table = None if row is None else getattr(row, name)
        if name in device.reported:
            found[name] = LiveLimit(device.reported[name], "driver", in_table)
        elif row is not None:
            found[name] = LiveLimit(in_table, "table", in_table)
    return found
