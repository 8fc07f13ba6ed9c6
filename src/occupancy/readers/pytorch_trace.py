"""Traces of PyTorch's profiler (Kineto).

Every launch has its registers, shared memory, block and grid, and the file has the GPU's compute
capability. The occupancy that the profiler adds is 0 for every kernel with more than 48 KiB of shared
memory, because it computes as if no kernel had opted in to more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import Any

from .content import Text
from .json_stream import JsonStream
from .limits import MAX_NUMBER, Malformed
from .nsight import MAX_GPU_NAME
from .record import MOST_WITHOUT_OPT_IN, Found, KernelRecord, ReadProblem, Shape

EVENTS_KEY = "traceEvents"
DEVICES_KEY = "deviceProperties"

KERNEL = re.compile(r'"cat"\s*:\s*"kernel"', re.IGNORECASE)  # old traces write Kernel

MARKERS = (b'"traceEvents"', b'"deviceProperties"', b'"registers per thread"', b'"ph"')
"""Keys of which at least one is near the start of a trace."""

OPT_IN_NOTE = (
    "PyTorch's profiler says 0% for any kernel with more than 48 KiB of shared memory, "
    "because it computes as if none had opted in to more"
)

_Devices = dict[object, dict[str, Any]]  # fields of records by the numbers of devices


def read_pytorch_trace(text: Text, source: str) -> Iterator[Found]:
    """Yield the launches of a trace, in the order of the file."""
    stream = JsonStream(text)
    devices: _Devices = {}
    try:
        if stream.peek() == "[":  # the format allows a list of events without a head
            yield from _launches(stream, devices, source)
            return
        for key in stream.members():
            if key == EVENTS_KEY:
                yield from _launches(stream, devices, source)
            elif key == DEVICES_KEY:  # before the events, so that each launch finds its GPU
                devices = _devices(stream.value())
            else:
                stream.value()
    except Malformed as error:
        yield ReadProblem(source, None, str(error))


def _devices(described: Any) -> _Devices:
    try:
        return {
            each["id"]: {
                "arch": f"sm_{each['computeMajor']}{each['computeMinor']}",
                "multiprocessor_count": None if each.get("numSms") is None else _whole(each["numSms"]),
                "profiled_on": str(each.get("name") or "")[:MAX_GPU_NAME] or None,
            }
            for each in described
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise Malformed(f"the trace does not describe its GPUs as known traces do ({error})") from error


def _launches(stream: JsonStream, devices: _Devices, source: str) -> Iterator[Found]:
    for event in stream.events_with(KERNEL):
        if not isinstance(event, dict) or str(event.get("cat")).lower() != "kernel":
            continue
        try:
            yield _launch(event, devices, source)
        except (KeyError, TypeError, ValueError) as error:
            name = str(event.get("name"))[:80]
            yield ReadProblem(source, None, f"the launch of {name} is not as known traces have it ({error})")


def _launch(event: dict[str, Any], devices: _Devices, source: str) -> KernelRecord:
    facts = event["args"]
    block = _shape(facts["block"])
    shared_memory = _whole(facts["shared memory"])
    estimate = _real(facts.get("est. achieved occupancy %"))
    duration = _real(event.get("dur"))
    if duration is not None and duration < 0:
        raise ValueError(f"{_short(duration)} is no time")
    is_taken_as_not_opted_in = estimate == 0 and shared_memory > MOST_WITHOUT_OPT_IN
    return KernelRecord(
        source=source, format="pytorch-trace", name=str(event["name"]),
        **devices.get(facts.get("device"), {}),
        regs=_whole(facts["registers per thread"]), smem=shared_memory, threads=prod(block),
        threads_from="launch", block_dim=block, launches=1, grid_dim=_shape(facts["grid"]),
        duration_us=duration, reported_occupancy=None if estimate is None else estimate / 100,
        notes=(OPT_IN_NOTE,) if is_taken_as_not_opted_in else (),
    )  # fmt: skip


def _shape(value: Any) -> Shape:
    x, y, z = value
    return _whole(x), _whole(y), _whole(z)


def _real(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not abs(value) <= MAX_NUMBER:
        raise ValueError(f"{_short(value)} is not a number that a trace has")
    return float(value)


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > MAX_NUMBER:
        raise TypeError(f"{_short(value)} is not a whole number that a trace has")
    return value


def _short(value: Any) -> str:
    return repr(str(value)[:40])
