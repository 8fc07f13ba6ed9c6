"""The reports of local GPUs, and of the verification against their driver."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import OccupancyError
from ..values.limits import KINDS
from ..values.numbers import count
from .limits import CC, limit_label
from .model import Column, Paragraph, Report, Section, Table, values_of
from .words import limit_text

if TYPE_CHECKING:
    from ..device import Device, Verification


class LiveLimit(NamedTuple):
    name: str
    value: Any
    source: str
    """The driver or the table, and the table's value if it differs."""


def _limits(device: Device) -> list[LiveLimit]:
    limits: dict[str, LiveLimit] = {}
    with suppress(OccupancyError):
        limits = {name: LiveLimit(name, getattr(device.row, name), "table") for name in KINDS}
    for name, value in device.reported.items():
        differs = name in limits and limits[name].value != value
        table = f"; the table has {limit_text(name, limits[name].value)}" if differs else ""
        limits[name] = LiveLimit(name, value, f"driver{table}")
    return list(limits.values())


def _problems(device: Device) -> list[str]:
    problems = [f"Driver version and MIG are unknown: {device.nvml_error}."] if device.nvml_error else []
    try:
        _ = device.limits
    except OccupancyError as error:
        problems.append(str(error))
    return problems


def _cuda_version(device: Device) -> str:
    return ".".join(map(str, device.cuda_version))


COLUMNS = (
    Column("index", about="CUDA device number", type="integer"),
    Column("name", about="Name of the GPU", type="string"),
    CC._replace(title=""),
    Column("multiprocessor_count", about="SMs of the GPU, or of the visible MIG instance", type="integer"),
    Column("driver_version", about="Version of the driver", type="string"),
    Column("cuda_version", value=_cuda_version, about="Newest CUDA version that the driver can run", type="string"),
    Column("mig", about="True if MIG divides the GPU", type="boolean"),
    Column("limits", about="Limits of an SM, each with its source: the driver or the table", type="object",
           value=lambda device: {each.name: values_of(each, "value", "source") for each in _limits(device)}),
    Column("problems", value=_problems, about="Missing packages, and contradictions between sources", type="array"),
)  # fmt: skip

_LIMIT_COLUMNS = (
    Column("label", "Limit", lambda limit: limit_label(limit.name), align="left"),
    Column("value", "Value", show=lambda limit: limit_text(limit.name, limit.value), wraps=True),
    Column("source", "From", align="left", wraps=True),
)


def device_lines(device: Device) -> tuple[str, str]:
    name = f"GPU {device.index}: {device.name}, compute capability {device.compute_capability}"
    driver = f"driver {device.driver_version or 'unknown'} (CUDA {_cuda_version(device)})"
    mig = "" if device.mig is None else f", MIG {'on' if device.mig else 'off'}"
    return name, f"{count(device.multiprocessor_count, 'SM')}, {driver}{mig}"


def device_report(devices: Sequence[Device]) -> Report:
    details: list[Section] = []
    for device in devices:
        if len(devices) > 1:
            details.append(Paragraph(device_lines(device)))
        details.append(Table("", _LIMIT_COLUMNS, _limits(device)))
        details += [Paragraph([problem]) for problem in _problems(device)]
    headline = device_lines(devices[0]) if len(devices) == 1 else (count(len(devices), "GPU"),)
    return Report("device", headline, COLUMNS, devices, "devices", details=details, has_table=False)


CHECK_COLUMNS = (
    Column("name", "Check", about="Name of the check", align="left", type="string"),
    Column("call", about="Driver function", type="string"),
    Column("compared", "Compared", about="Number of comparisons", type="integer"),
    Column("different", "Different", about="Number of differences", type="integer"),
    Column("documented", "Known bug", about="Results explained by a known driver bug", type="integer"),
    Column("differences", about="First differences", type="objects"),
)  # fmt: skip


def verify_report(verification: Verification) -> Report:
    device, known, date = verification.device, verification.documented, verification.date.isoformat()
    results = f"{verification.compared:,} results of the driver for {count(verification.kernels, 'kernel')}"
    bug = f", except {known:,} with a documented bug of the driver" if known else ""
    verdict = f"All {results} agree{bug}."
    if verification.different:
        verdict = f"{verification.different:,} of {results} differ. Please report it, with this whole text."
    versions = [f"{name} {text}".removeprefix("system ") for name, text in verification.versions.items()]
    details = [Paragraph([*device_lines(device), ", ".join([date, *versions])])]
    for check in (each for each in verification.checks if each.differences):
        lines = [f"{count(check.different, 'difference')}: {check.call}"]
        for each in check.differences:
            lines += [f"  {each.case}", f"    driver {each.driver}, computed {each.computed}"]
        details.append(Paragraph(lines))
    checks, inputs = verification.checks, {"date": date, "versions": verification.versions}
    inputs["device"] = {column.key: column.getter(device) for column in COLUMNS[:-2]}
    return Report("verify", [verdict], CHECK_COLUMNS, checks, "checks", inputs, details)
