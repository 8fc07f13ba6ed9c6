"""Traces of PyTorch's profiler (Kineto).

Launches include registers, shared memory, block and grid, and the file includes the GPU's compute capability.
The profiler's own occupancy is ignored: it assumes no opt-in, so it is 0 for every kernel with more than
48 KiB of shared memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import prod
from typing import Any

from .content import CHUNK_CHARACTERS, Text
from .limits import MAX_NUMBER, MIB, Malformed, Truncated, Unreadable
from .nsight import MAX_GPU_NAME
from .record import Item, KernelRecord, ReadProblem, Shape

KERNEL = re.compile(r'"cat"\s*:\s*"kernel"', re.IGNORECASE)  # old traces write Kernel

MARKERS = (b'"traceEvents"', b'"deviceProperties"', b'"registers per thread"', b'"ph"')
"""Keys, at least one of which is near the start of a trace."""

_Devices = dict[object, dict[str, Any]]  # fields of records by device number


def read_pytorch_trace(text: Text, source: str) -> Iterator[Item]:
    """Yield the launches of a trace, in the order of the file."""
    stream = JsonStream(text)
    devices: _Devices = {}
    if stream.peek() == "[":  # the format allows a bare list of events
        yield from _launches(stream, devices, source)
        return
    for key in stream.members():
        if key == "traceEvents":
            yield from _launches(stream, devices, source)
        elif key == "deviceProperties":  # precedes the events that refer to it
            devices = _devices(stream.value())
        else:
            stream.value()


def _devices(described: Any) -> _Devices:
    try:
        return {each["id"]: {
            "arch": f"sm_{each['computeMajor']}{each['computeMinor']}",
            "multiprocessor_count": None if each.get("numSms") is None else _whole(each["numSms"]),
            "profiled_on": str(each.get("name") or "")[:MAX_GPU_NAME] or None,
        } for each in described}  # fmt: skip
    except (AttributeError, KeyError, TypeError) as error:
        raise Malformed("its deviceProperties have an unknown format") from error


def _launches(stream: JsonStream, devices: _Devices, source: str) -> Iterator[Item]:
    for event in stream.events_with(KERNEL):
        if not isinstance(event, dict) or str(event.get("cat")).lower() != "kernel":
            continue
        try:
            yield _launch(event, devices, source)
        except (KeyError, TypeError, ValueError):
            what = f"the launch of {str(event.get('name'))[:80]} has no valid registers, shared memory, block or grid"
            yield ReadProblem(source, what)


def _launch(event: dict[str, Any], devices: _Devices, source: str) -> KernelRecord:
    facts = event["args"]
    block = _shape(facts["block"])
    return KernelRecord(
        source=source, format="pytorch-trace", name=str(event["name"]),
        **devices.get(facts.get("device"), {}),
        regs=_whole(facts["registers per thread"]), smem=_whole(facts["shared memory"]), threads=prod(block),
        threads_from="launch", block_dim=block, launches=1, grid_dim=_shape(facts["grid"]),
        duration_us=_real(event.get("dur")),
    )  # fmt: skip


def _shape(value: Any) -> Shape:
    x, y, z = value
    return _whole(x), _whole(y), _whole(z)


def _real(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= MAX_NUMBER:
        raise ValueError(f"{str(value)[:40]!r} is not a valid number")
    return float(value)


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > MAX_NUMBER:
        raise TypeError(f"{str(value)[:40]!r} is not a valid integer")
    return value


# JSON read one value at a time, for traces of gigabytes.

MAX_VALUE_CHARACTERS = 4 * MIB  # limit for values other than the list of events

_NO_SPACE = re.compile(r"[^ \t\r\n]")

FIRST_KEY = '"ph"'  # the first key of each event of Kineto and Chrome
_EVENT_START = re.compile(r"\}[ \t\r\n]*,[ \t\r\n]*(\{)[ \t\r\n]*\Z")
MAX_BETWEEN_EVENTS = 64  # characters from the end of an event to the first key of the next


class JsonStream:
    """Incremental JSON parser; invalid JSON raises `Malformed`."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._buffer = ""
        self._position = 0
        self._dropped = 0  # characters before the buffer
        self._none_before = -1  # no event starts between the current position and this one
        self._decode = json.JSONDecoder().raw_decode

    def members(self) -> Iterator[str]:
        """Yield the keys of the next object; the caller must read each value."""
        for _ in self._elements("{", "}"):
            key = self.value()
            self._take(":")
            yield key

    def events_with(self, wanted: re.Pattern[str]) -> Iterator[Any]:
        """Yield the matching events of the next list, and some others; most are skipped undecoded."""
        match = -1  # position of the next match in the text
        for _ in self._elements("[", "]"):
            match = self._skip_events(wanted, match)
            yield self.value()

    def _elements(self, start: str, end: str) -> Iterator[None]:
        """Step to each element of the next list or object; the caller must read it."""
        self._take(start)
        if self.peek() == end:
            self._take(end)
            return
        yield
        while self._take("," + end) != end:
            yield

    def _skip_events(self, wanted: re.Pattern[str], match: int) -> int:
        """Step to the last event before the next match; return the position of the match."""
        while True:
            if match < self._dropped + self._position:
                found = wanted.search(self._buffer, self._position)
                match = self._dropped + (found.start() if found else len(self._buffer))
            end = match - self._dropped
            # Search once only: the key of an event can be frequent in other lists.
            start = None if match == self._none_before else self._last_event_before(end)
            if start is None:
                self._none_before = match
                return match
            self._position = start
            if end < len(self._buffer) or not self._fill():
                return match
            match = -1

    def _last_event_before(self, end: int) -> int | None:
        while (end := self._buffer.rfind(FIRST_KEY, self._position, end)) >= 0:
            if event := _EVENT_START.search(self._buffer, max(self._position, end - MAX_BETWEEN_EVENTS), end):
                return event.start(1)
        return None

    def value(self) -> Any:
        self.peek()
        self._text.limits.consume("pieces")
        while True:
            try:
                value, end = self._decode(self._buffer, self._position)
            except RecursionError as error:
                raise Malformed("its JSON is nested too deeply") from error
            except ValueError as error:  # invalid, or not completely in the buffer yet
                if not self._fill():
                    ends_early = not self._buffer.rstrip().endswith(("]", "}"))
                    raise Truncated if ends_early else Malformed("its JSON is invalid") from error
                continue
            # A number at the end of the buffer may have more digits.
            if end < len(self._buffer) or not self._fill():
                self._position = end
                return value

    def peek(self) -> str:
        while True:
            if character := _NO_SPACE.search(self._buffer, self._position):
                self._position = character.start()
                return character[0]
            self._position = len(self._buffer)
            if not self._fill():
                raise Truncated

    def _take(self, allowed: str) -> str:
        if (character := self.peek()) not in allowed:
            raise Malformed(f"its JSON has {character!r} in place of {' or '.join(allowed)}")
        self._position += 1
        return character

    def _fill(self) -> bool:
        kept = self._buffer[self._position :]
        if len(kept) > MAX_VALUE_CHARACTERS:
            raise Unreadable("has a JSON value above the size limit")
        # Double the buffer, so that a long value is not decoded again for each chunk.
        more = self._text.read(max(CHUNK_CHARACTERS, len(kept)))
        self._dropped += self._position
        self._buffer, self._position = kept + more, 0
        return bool(more)
