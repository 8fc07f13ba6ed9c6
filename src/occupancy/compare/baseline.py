"""Builds to compare: files with kernels, or a baseline with one line for each kernel.

Lines are sorted by kernel name and do not depend on machine or time. A changed kernel changes one line.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import filterfalse
from pathlib import PurePath
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from ..builds.merge import MAX_FILES, merge
from ..builds.names import count_kernels, stable_name
from ..errors import BaselineError, ReadError, invalid
from ..readers import KernelRecord, KernelSource, ReadProblem
from ..readers.limits import ReadLimits, sanitize
from ..readers.reading import STANDARD_INPUT, STANDARD_INPUT_NAME, read_each
from ..tables.files import check_size, read_bytes, written_atomically
from ..values.numbers import count
from ..values.spellings import INT_MAX
from .match import match

SCHEMA = "occupancy-baseline"
SCHEMA_VERSION = 3
MAX_FILE_BYTES = 64 << 20

_REWRITE = "write it again with `occupancy.save_baseline(BUILD, FILE)` (`occupancy scan BUILD --save-baseline FILE`)."
_HINT = f"Restore it from version control, or {_REWRITE}"

Count = Annotated[int, Field(ge=0, le=INT_MAX)]
# The compiler prints negative numbers if it also spills to shared memory.
SpillBytes = Annotated[int, Field(ge=-INT_MAX, le=INT_MAX)]

FIELDS: Mapping[str, Any] = {
    "name": str, "arch": str, "source": str, "also_in": Annotated[tuple[str, ...], Field(strict=False)],
    "format": str, "linked": bool,
    "ptx": Annotated[tuple[Annotated[str, Field(pattern=r"^compute_\d{1,10}[af]?$")], ...], Field(strict=False)],
    "regs": Count, "static_smem": Count,
    "dynamic_smem": Count, "smem": Count, "spill_smem": Count, "barriers": Count, "virtual_resources": Count,
    "tensor_memory": Count, "reallocates_registers": bool, "stack_bytes": Count,
    "spill_store_bytes": SpillBytes, "spill_load_bytes": SpillBytes, "spills_from": str, "max_threads": Count,
    "required_threads": Count, "min_blocks": Count, "register_cap": Count,
    "cluster_dim": Annotated[tuple[Count, Count, Count], Field(strict=False)],  # JSON has no tuples
    "shared_memory_configuration": Count, "num_warps": Count, "code": Annotated[int, Field(ge=0, le=0xFFFF_FFFF)],
    "threads": Count, "threads_from": str,
}  # fmt: skip
"""Values of a kernel in a baseline, in their order; those that are unset are not written."""

_DEFAULTS = {"name": ..., "source": ..., "format": ..., "also_in": ()}
_LINE: Any = {name: (kind, _DEFAULTS.get(name)) for name, kind in FIELDS.items()}
KernelLine = create_model("KernelLine", __config__=ConfigDict(strict=True, extra="forbid"), **_LINE)
_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class BaselineFile(BaseModel):
    model_config = ConfigDict(strict=True)

    threads: Annotated[int, Field(ge=1, le=INT_MAX)] | None = None
    kernels: list[KernelLine]  # type: ignore[valid-type]


@dataclass(frozen=True)
class Build:
    """Compiled kernels of a build or a baseline, with the same paths on every machine."""

    kernels: tuple[KernelRecord, ...]
    threads: int | None = None
    """Threads per block that a baseline assumes for kernels whose files do not record them."""
    name: str = ""
    problems: tuple[ReadProblem, ...] = ()

    @property
    def size(self) -> str:
        """Number of kernels, whatever their architectures, and of architectures."""
        archs = {record.arch for record in self.kernels}
        return f"{count(count_kernels(self.kernels), 'kernel')}, {count(len(archs), 'architecture')}"

    def __repr__(self) -> str:
        return f"<Build of {self.size}>"


def read_build(paths: Sequence[str], common: ReadLimits | None = None) -> Build:
    """Read a build: a baseline, or files and folders with kernels; ``"-"`` is standard input."""
    sources: list[KernelSource] = [*paths]
    folders = list(filter(os.path.isdir, paths))
    if len(paths) == 1 and not folders:
        (path,) = paths
        if os.path.isfile(path):
            with suppress(OSError), open(path, "rb") as file:  # the readers report the reason
                if looks_like_baseline(file.read(4096)):
                    return read_baseline(path)
        elif path == STANDARD_INPUT or os.path.exists(path):
            stream = _in_memory(path)
            if looks_like_baseline(stream.getvalue()[:4096]):
                return parse_baseline(stream.getvalue(), stream.name)
            sources = [stream]
    records, problems, images = merge(read_each(sources, common))
    if not records:
        raise problems[0].error()
    # Files get paths relative to their folder, or base names: after merging, because these can be ambiguous.
    files = {file for record in records for file in (record.source, *record.also_in)}
    portable = {}
    for source in files:
        place = PurePath(source)
        folder = next(filter(place.is_relative_to, folders), place.parent)
        # File names can contain bytes that JSON cannot represent.
        portable[source] = place.relative_to(folder).as_posix().encode("utf-8", "replace").decode()
    kernels = []
    for record in records:
        if record.regs is not None and record.chosen is not False:  # no PTX, and no rejected candidate
            # Not the logs of an image, which contain no copy.
            is_whole = record.code is None or len(record.also_in) >= MAX_FILES
            others = tuple(portable[file] for file in record.also_in if is_whole or file in images)
            kernels.append(replace(record, source=portable[record.source], also_in=others))
    return Build(tuple(kernels), name=", ".join(paths), problems=problems)


def _in_memory(path: str) -> io.BytesIO:
    """Read standard input or a pipe, which can be read only once."""
    if path == STANDARD_INPUT:
        path = STANDARD_INPUT_NAME
        content = b"" if sys.stdin is None else sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        check_size(content, path, "a stream", MAX_FILE_BYTES, ReadError)
    else:
        content = read_bytes(path, "a stream", MAX_FILE_BYTES, ReadError)
    stream = io.BytesIO(content)
    stream.name = path
    return stream


def looks_like_baseline(start: bytes) -> bool:
    """Return True if a file starts like a baseline, even a damaged one."""
    return start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and f'"{SCHEMA}"'.encode() in start


def read_baseline(path: str) -> Build:
    return parse_baseline(read_bytes(path, "a baseline", MAX_FILE_BYTES, BaselineError), path)


def parse_baseline(content: bytes, name: str) -> Build:
    """Parse a baseline; raise `BaselineError` if it is damaged, or from a later version."""
    values = None
    try:
        values = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # includes invalid UTF-8
        if not content or looks_like_baseline(content[:4096]):
            place = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            raise BaselineError(f"is not valid JSON{place}", where=name, hint=_HINT) from error
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        hint = "Choose another with `baseline` (`--baseline FILE`)."
        raise BaselineError("is not a baseline", where=name, hint=hint)
    version = values.get("schema_version")
    if version != SCHEMA_VERSION:
        where, hint = f"{name}: schema_version", f"Update occupancy, or {_REWRITE}"
        raise BaselineError(invalid(version), where=where, allowed=f"{SCHEMA_VERSION}", hint=hint)
    try:
        file: Any = BaselineFile.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = "".join(f"[{key}]" if isinstance(key, int) else f".{key[:80]}" for key in first["loc"])
        problems = {"missing": "is missing", "extra_forbidden": "is unknown"}
        problem = problems.get(first["type"], invalid(first["input"]))
        raise BaselineError(problem, where=f"{name}: {path.removeprefix('.')}", hint=_HINT) from error
    return Build(tuple(sanitize(KernelRecord(**vars(line))) for line in file.kernels), file.threads, name)


def baseline_from(records: Iterable[KernelRecord], threads: int | None = None) -> Build:
    """Return a baseline of the kernels, sorted by name, without duplicates."""
    by_line: dict[str, KernelRecord] = {}
    for record in records:
        values = {name: getattr(record, name) for name in FIELDS}
        kept = KernelRecord(**{**values, "name": stable_name(record.name)})
        by_line.setdefault(_line(kept), kept)
    keys = ((each.name, each.arch or "", each.source, line) for line, each in by_line.items())
    ordered = sorted(keys, key=lambda key: (key[0], len(key[1]), *key[1:]))
    return Build(tuple(by_line[line] for *_, line in ordered), threads)


def _line(record: KernelRecord, names: Iterable[str] = FIELDS) -> str:
    values = ((name, getattr(record, name)) for name in names)
    return _json({name: value for name, value in values if value != _DEFAULTS.get(name)})


def line_of(record: KernelRecord, path: str) -> int | None:
    """Return the number of a kernel's line in a baseline; None in other files."""
    start = _line(record, ("name", "arch", "source")).rstrip("}")
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return next((number for number, line in enumerate(file, 1) if line.startswith(start)), None)
    return None


def baseline_text(baseline: Build) -> str:
    head = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "threads": baseline.threads}
    lines = [f"{_json(name)}: {_json(value)}," for name, value in head.items()]
    kernels = ",\n".join(map(_line, baseline.kernels))
    return "\n".join(("{", *lines, '"kernels": [', *([kernels] if kernels else []), "]", "}", ""))


def write_baseline(path: str, baseline: Build) -> None:
    try:
        with written_atomically(path) as stream:
            stream.write(baseline_text(baseline))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path, or an invalid encoding
        problem = getattr(error, "strerror", None) or f"cannot be written: {error}"
        raise BaselineError(problem, where=path or "''") from error


def accepted(baseline: Build, new: Sequence[KernelRecord], accepts: Callable[[KernelRecord], bool]) -> Build:
    """Return the baseline in which kernels, selected by their old or new name, replace their match."""
    matching = match(baseline.kernels, new)
    kept = [now if accepts(old) or accepts(now) else old for old, now, _ in matching.pairs]
    kept += filter(accepts, matching.added)
    kept += filterfalse(accepts, matching.removed)
    return baseline_from(kept, baseline.threads)
