"""JSON that is read one value at a time, for traces of gigabytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .content import Text
from .limits import MIB, Malformed

JSON_CHUNK_CHARACTERS = MIB
MAX_VALUE_CHARACTERS = 4 * MIB  # the longest value that is no list of events

_NO_SPACE = re.compile(r"[^ \t\r\n]")

FIRST_KEY = '"ph"'  # the first key of each event of Kineto and Chrome
_EVENT_START = re.compile(r"\}[ \t\r\n]*,[ \t\r\n]*(\{)[ \t\r\n]*\Z")
MOST_BETWEEN_EVENTS = 64  # characters from the end of an event to the first key of the next


class JsonStream:
    """A position in one JSON text.

    Every method raises `Malformed` where the text is not JSON, ends early, or has a value that is too
    long or nested too deeply.
    """

    def __init__(self, text: Text) -> None:
        self._text = text
        self._buffer = ""
        self._position = 0
        self._dropped = 0  # characters before the buffer
        self._none_before = -1  # A place in the text with no start of an event between here and there
        self._decode = json.JSONDecoder().raw_decode

    def members(self) -> Iterator[str]:
        """Yield the keys of the next object; the caller reads each value."""
        for _ in self._elements("{", "}"):
            key = self.value()
            if not isinstance(key, str):
                raise Malformed("the JSON has a key that is not text")
            self._take(":")
            yield key

    def events_with(self, wanted: re.Pattern[str]) -> Iterator[Any]:
        """Yield the events of the next list with a match, and some others.

        Most events of a trace are not about kernels. They are passed over without being decoded, so that
        damage within them is not seen; where events are not written as Kineto writes them, all are given.
        """
        match = -1  # where the next one is, from the beginning of the text
        for _ in self._elements("[", "]"):
            match = self._pass_over(wanted, match)
            yield self.value()

    def _elements(self, start: str, end: str) -> Iterator[None]:
        """Step to each element of the next list or object, which the caller reads."""
        self._take(start)
        if self.peek() == end:
            self._take(end)
            return
        yield
        while self._take("," + end) != end:
            yield

    def _pass_over(self, wanted: re.Pattern[str], match: int) -> int:
        """Step to the last event before the next match; return its place."""
        while True:
            if match < self._dropped + self._position:
                found = wanted.search(self._buffer, self._position)
                match = self._dropped + (found.start() if found else len(self._buffer))
            else:
                found = None
            end = match - self._dropped
            # Looked for once: a list of other things may have the key of an event all over.
            start = None if match == self._none_before else self._last_event_before(end)
            if start is None:
                self._none_before = match
                return match
            self._position = start
            if found or end < len(self._buffer) or not self._fill():
                return match
            match = -1

    def _last_event_before(self, end: int) -> int | None:
        """Return the last event before a place; None if it is the next one."""
        while (end := self._buffer.rfind(FIRST_KEY, self._position, end)) >= 0:
            earliest = max(self._position, end - MOST_BETWEEN_EVENTS)
            found = _EVENT_START.search(self._buffer, earliest, end)
            if found:
                return found.start(1)
        return None

    def value(self) -> Any:
        """Return the next value."""
        self.peek()
        self._text.limits.consume("pieces")
        while True:
            try:
                value, end = self._decode(self._buffer, self._position)
            except RecursionError as error:
                raise Malformed("the JSON is nested too deeply") from error
            except ValueError as error:  # wrong, or not all of it is in the buffer yet
                if not self._fill():
                    raise Malformed("the JSON is damaged, or ends early") from error
                continue
            # A number at the end of the buffer may have more digits.
            if end < len(self._buffer) or not self._fill():
                self._position = end
                return value

    def peek(self) -> str:
        """Return the next character that is no space."""
        while True:
            found = _NO_SPACE.search(self._buffer, self._position)
            if found:
                self._position = found.start()
                return found[0]
            self._position = len(self._buffer)
            if not self._fill():
                raise Malformed("the JSON ends early")

    def _take(self, allowed: str) -> str:
        character = self.peek()
        if character not in allowed:
            raise Malformed(f"the JSON has {character!r} where {' or '.join(allowed)} belongs")
        self._position += 1
        return character

    def _fill(self) -> bool:
        kept = self._buffer[self._position :]
        if len(kept) > MAX_VALUE_CHARACTERS:
            raise Malformed("the JSON has a value that is too long to be read")
        # As much again as there is, so that a long value is not decoded for each chunk of it.
        more = self._text.read(max(JSON_CHUNK_CHARACTERS, len(kept)))
        self._dropped += self._position
        self._buffer, self._position = kept + more, 0
        return bool(more)
