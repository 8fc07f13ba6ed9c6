"""The file of a baseline: read kernel by kernel, and written so that no good one is ever lost."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from .. import __version__
from ..builds.atomic_file import PEEK_BYTES, InUseError, alone, check_replaceable, write_atomically
from ..errors import MAX_SHOWN, BaselineError, shown
from ..readers.content import Text
from ..readers.json_stream import JsonStream
from ..readers.limits import Exhausted, Malformed, ReadLimits
from ..tables.files import check_size, read_bytes
from ..values.asking import Asking
from .baseline import SCHEMA, SCHEMA_VERSION, Baseline, BaselineKernel, known, to_json

T = TypeVar("T")

MAX_FILE_BYTES = 64 << 20
"""A hundred thousand kernels."""

HOW_TO_SAVE = Asking("occupancy scan BUILD --save-baseline FILE", "occupancy.save_baseline(BUILD, FILE)")
_HOW_TO_MAKE_ONE = Asking.of(HOW_TO_SAVE, " writes one.")


_BASELINE = TypeAdapter(Baseline)
_KERNEL = TypeAdapter(BaselineKernel)
_KERNELS = "kernels"


def to_text(baseline: Baseline) -> str:
    """The file: a line for each kernel."""
    head = {name: getattr(baseline, name) for name in ("schema", "schema_version", "tool_version", "threads")}
    lines = [f"{to_json(name)}: {to_json(value)}," for name, value in head.items()]
    kernels = ",\n".join(to_json(known(kernel)) for kernel in baseline.kernels)
    return "\n".join(("{", *lines, '"kernels": [', *([kernels] if kernels else []), "]", "}", ""))


def write_baseline(path: str | os.PathLike[str], baseline: Baseline) -> None:
    """Write a baseline; an interruption leaves the old file or the new one.

    Only a baseline or an empty file is replaced.

    Raises:
        BaselineError: It cannot be written, could not be read again, or would take the place of something
            else; then the file is as it was.
    """
    file = os.fspath(path)
    _write(file, baseline, lambda: None)


def update_baseline(path: str | os.PathLike[str], change: Callable[[Baseline], tuple[Baseline, T]]) -> T:
    """Write what becomes of a baseline, and of no other one: nothing that others write meanwhile is lost.

    Args:
        path: The file; where there is none yet, the baseline has no kernels.
        change: From the baseline to the new one, and what is to be said of that. It is asked again where
            another process has written the file before the new one was there.

    Raises:
        BaselineError: As `read_baseline` and `write_baseline`.
    """
    file = os.fspath(path)
    while True:
        content = _content(file)
        before = Baseline(tool_version=__version__, kernels=())
        new, said = change(before if content is None else parse_baseline(content, file))
        try:
            _write(file, new, partial(_refuse_another, file, content))
        except _OvertakenError:
            continue
        return said


class _OvertakenError(Exception):
    """Another process has written the file since it was read."""


def _refuse_another(file: str, content: bytes | None) -> None:
    if _content(file) != content:
        raise _OvertakenError


def _content(file: str) -> bytes | None:
    return read_bytes(file, "a baseline", MAX_FILE_BYTES, BaselineError) if os.path.exists(file) else None


def _write(file: str, baseline: Baseline, look_again: Callable[[], None]) -> None:
    """Write a baseline; right before that, when no other process can write it, look at the file again."""
    text = to_text(baseline)
    try:
        # Better than to find out at the next check, when the good one before it is gone.
        parse_baseline(text.encode(), file)
    except UnicodeEncodeError as error:
        raise BaselineError("would hold a name that is no text", where=file) from error
    except BaselineError as error:
        place = error.where.removeprefix(f"{file}: ")
        raise BaselineError(
            f"is not written: the build has what no baseline can have ({place} {error.problem})",
            where=file,
            allowed=error.allowed,
        ) from error
    try:
        check_replaceable(file, looks_like_baseline, "baseline", BaselineError)
        with alone(file):
            look_again()
            write_atomically(file, text)
    except InUseError as error:
        raise BaselineError(str(error), where=file, hint="Try again when it is done.") from error
    except BaselineError:  # a ValueError, too
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        problem = getattr(error, "strerror", None) or error
        raise BaselineError(f"cannot be written: {problem}", where=file) from error


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Read a baseline of this or any earlier version.

    Raises:
        BaselineError: It cannot be read, is not a baseline, or is one of a later version.
    """
    file = os.fspath(path)
    return parse_baseline(read_bytes(file, "a baseline", MAX_FILE_BYTES, BaselineError), file)


def parse_baseline(content: bytes, name: str) -> Baseline:
    """A baseline of the content of its file, which is read kernel by kernel, up to the first that is wrong.

    Raises:
        BaselineError: It is not a baseline, or one of a later version.
    """
    check_size(content, name, "a baseline", MAX_FILE_BYTES, BaselineError)
    with io.TextIOWrapper(io.BytesIO(content), _encoding(content)) as wrapper:
        limits = ReadLimits(len(content))
        stream = JsonStream(Text(wrapper, limits))
        try:
            if stream.peek() != "{":
                raise BaselineError("is not a baseline", where=name, hint=_HOW_TO_MAKE_ONE)
            head, kernels, wrong = _members(stream, limits, name)
            stream.end()
        except (Malformed, Exhausted, UnicodeDecodeError) as error:
            what = error.what if not isinstance(error, UnicodeDecodeError) else "its characters are not UTF-8"
            raise BaselineError(
                f"is not JSON: {what} (line {stream.line})", where=name, hint=_HOW_TO_MAKE_ONE
            ) from error
    # A later version may have anything else, so that its number counts before all other errors.
    _check_header(head, name)
    if wrong is not None:
        raise wrong
    try:
        rest = _BASELINE.validate_json(json.dumps({**head, _KERNELS: []} if kernels is not None else head))
    except ValidationError as error:
        raise _baseline_error(error, name) from error
    return replace(rest, kernels=tuple(kernels or ()))


def _members(
    stream: JsonStream, limits: ReadLimits, name: str
) -> tuple[dict[str, Any], list[BaselineKernel] | None, BaselineError | None]:
    """What stands beside the kernels, the kernels, and what is wrong first."""
    head: dict[str, Any] = {}
    kernels: list[BaselineKernel] | None = None
    wrong: BaselineError | None = None

    def kernel(text: str) -> BaselineKernel:
        if wrong is not None:
            raise ValueError
        read = _KERNEL.validate_json(text)
        limits.consume("kernels")
        return read

    for member in stream.members():
        if member == _KERNELS and stream.peek() == "[":
            kernels = []
            for found in stream.items(kernel):
                if wrong is None and isinstance(found, ValidationError):
                    wrong = _baseline_error(found, name, f".{_KERNELS}[{len(kernels)}]")
                elif wrong is None and isinstance(found, BaselineKernel):
                    kernels.append(found)
        else:
            value = stream.value()
            if member in _HEAD or len(head) <= len(_HEAD):  # one that there is not is enough to refuse it
                head[member] = value
    return head, kernels, wrong


_HEAD = frozenset(field.name for field in fields(Baseline))

_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"{\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
)
"""How a file begins that PowerShell has written anew."""


def _encoding(content: bytes) -> str:
    return next((name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), "utf-8")


def looks_like_baseline(content: bytes) -> bool:
    """Whether the content of a file is meant to be a baseline, be it damaged or in another layout."""
    name = to_json(SCHEMA).encode()
    start, end = (
        part.replace(b"\0", b"") for part in (content[: 2 * PEEK_BYTES], content[-2 * PEEK_BYTES :])
    )
    for mark, _ in _BYTE_ORDER_MARKS[:3]:
        start = start.removeprefix(mark)
    return start.lstrip()[:1] == b"{" and (name in start or name in end)


def _check_header(head: dict[str, Any], name: str) -> None:
    if head.get("schema") != SCHEMA:
        raise BaselineError("is not a baseline", where=name, hint=_HOW_TO_MAKE_ONE)
    version = head.get("schema_version")
    if type(version) is not int or version < SCHEMA_VERSION:
        raise BaselineError(
            f"got {shown(version)}",
            where=f"{name}: schema_version",
            allowed=f"{SCHEMA_VERSION} and up",
            hint=_HOW_TO_MAKE_ONE,
        )
    if version > SCHEMA_VERSION:
        raise BaselineError(
            f"is a baseline of version {version}, written by occupancy {shown(head.get('tool_version'))}",
            where=name,
            allowed=f"up to version {SCHEMA_VERSION}, which occupancy {__version__} reads",
            hint="Update occupancy, or make the baseline again with this version.",
        )


def _baseline_error(error: ValidationError, name: str, within: str = "") -> BaselineError:
    first, *others = error.errors(include_url=False)
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    where = (within + steps)[: 2 * MAX_SHOWN]
    if first["type"] == "missing":
        return BaselineError("is missing", where=f"{name}: {where[1:]}")
    if first["type"] == "unexpected_keyword_argument":
        return BaselineError(
            "there is no such name",
            where=f"{name}: {where[1:]}",
            hint=Asking.of("Make the baseline again with this version: ", HOW_TO_SAVE, "."),
        )
    return BaselineError(
        f"got {shown(first['input'])}",
        where=f"{name}: {where[1:]}",
        allowed=first["msg"].removeprefix("Input should be ").lower(),
        hint=f"So are {len(others):,} more values." if others else "",
    )
