"""Errors of compilers in logs, which explain why kernels are missing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import cut
from ..values.untrusted import printable

_WORDS = ("error", "fatal")  # words of which every such line has one

# k.cu(12): error: ..., k.cu:12:3: fatal error: ..., k.cu(12): error #20-D: ..., k.cu(12): error C2065: ...
_PLACED = re.compile(
    r"(?:\(\d{1,9}(?:,\d{1,9})?\)|:\d{1,9}) ?: (?:(?:fatal|catastrophic|internal) )?error[ #\w-]{0,12}:"
)
# nvcc fatal   : ..., ptxas error   : ..., ptxas a.ptx, line 12; error   : ..., nvlink error   : ...,
# cc1plus: fatal error: ..., At end of source: error: ..., At end of source: error #20-D: ...
_TOOL = re.compile(
    r"\s{0,9}(?:(?:nvcc|ptxas|nvlink|fatbinary|cicc|cudafe\+\+|cc1plus|At end of source)(?!\w)"
    r"(?:[^;]{1,300};)?[: ]{1,9}(?:fatal|error|fatal error)(?: #[\w-]{1,12})?\s{0,9}:)"
)
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_MOST_MATCHED = 1000  # characters of a line that are matched
MOST_QUOTED = 160


@dataclass(slots=True)
class CompilerErrors:
    """The errors of one log."""

    first: str = ""  # the first of them, printable
    line: int = 0  # its number
    count: int = 0

    def inspect(self, text: str, first: int) -> None:
        """Count the errors in some whole lines."""
        # Most texts have none, and are passed at the speed of memory.
        if not any(word in text for word in _WORDS):
            return
        for number, line in enumerate(text.split("\n"), first):
            if not any(word in line for word in _WORDS):
                continue
            plain = _ESCAPES.sub("", line[:_MOST_MATCHED])
            if is_error(plain):
                self.count += 1
                if self.count == 1:
                    self.first, self.line = cut(printable(plain.strip()), MOST_QUOTED), number

    def __str__(self) -> str:
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        return f"the compiler failed, so that kernels may be missing: {self.first}{more}"


def is_error(line: str) -> bool:
    """Return whether a line is an error of a compiler or the linker."""
    return bool(_TOOL.match(line) or _PLACED.search(line))
