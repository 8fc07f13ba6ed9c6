"""What stands at the head of the page: what it is about."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..errors import InputError
from ..render import words
from ..values.dataclass import dataclass
from ..values.untrusted import printable

STANDARD_INPUT = "standard input"
BUILT_AT = "SOURCE_DATE_EPOCH"
"""The environment variable with the time of a build that can be repeated, in seconds since 1970."""

MOST_IN_TITLE = 3
"""Files that the title names; more are counted."""
MOST_PATHS = 8
"""That stand below it."""


@dataclass(frozen=True, slots=True)
class PageHeading:
    """The head of the page."""

    title: str
    about: str
    """The sentence beside it."""


CALCULATOR = PageHeading(
    "CUDA occupancy",
    "How many blocks of a kernel fit on a streaming multiprocessor (SM), and what stops one more.",
)


def heading_of_scan(
    sources: Sequence[str], version: str, options: str = "", compare: str | None = None
) -> PageHeading:
    """What was scanned, how, with which version, and when.

    Args:
        sources: The paths, as they were typed.
        version: Of this library.
        options: Those of the command that choose and answer, as they were typed.
        compare: What the changes are since.

    Raises:
        InputError: The environment says no time that is one.
    """
    names = [_name(each) for each in sources]
    of = words.listing(names) if len(names) <= MOST_IN_TITLE else words.count(len(names), "file")
    since = "" if compare is None else f", compared with {_name(compare)}"
    paths = ", ".join(map(_path, sources[:MOST_PATHS]))
    more = f" and {len(sources) - MOST_PATHS:,} more" if len(sources) > MOST_PATHS else ""
    asked = f", with {printable(options)}" if options else ""
    about = f"Scanned: {paths}{more}{asked}; by occupancy {version}, {_now()}."
    return PageHeading(f"Kernels of {of}{since}: occupancy", about)


def _path(source: str) -> str:
    return STANDARD_INPUT if source == "-" else printable(source)


def _name(source: str) -> str:
    """The last part of the path."""
    return _path(source if source == "-" else os.path.basename(os.path.abspath(source)) or source)


def _now() -> str:
    """``2026-03-01 09:30 UTC``."""
    from datetime import datetime, timezone

    text = os.environ.get(BUILT_AT)
    if not text:
        now = datetime.now(timezone.utc)
    else:
        try:
            now = datetime.fromtimestamp(int(text), timezone.utc)
        except (ValueError, OverflowError, OSError):
            raise InputError(
                "is no time",
                where=BUILT_AT,
                allowed="seconds since 1970",
                hint="Unset it for the time of now.",
            ) from None
    return now.strftime("%Y-%m-%d %H:%M UTC")
