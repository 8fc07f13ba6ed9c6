"""A baseline: the kernels of one build in a file, to compare later builds with. Checked with pydantic.

The file is JSON with one kernel per line, in the order of the names, so that a change of a kernel is one
changed line. It holds nothing that depends on the machine or the hour: no absolute path, no time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, TypeAdapter, ValidationError

from .. import __version__
from ..errors import BaselineError, shown
from ..readers import KernelRecord
from ..values.kernel import INT_MAX
from .atomic_file import write_atomically
from .kernel_names import stable_name

SCHEMA: Literal["occupancy-baseline"] = "occupancy-baseline"
SCHEMA_VERSION = 1
"""It grows when a name is added, goes or changes its meaning; all earlier versions stay readable."""

MAX_FILE_BYTES = 256 << 20
"""Half a million kernels."""

ASSUMED = ("option", "launch_bounds", "best")
"""Where a block size comes from that the source of a kernel does not state."""

PEEK_BYTES = 1 << 12
_HOW_TO_MAKE_ONE = "occupancy scan BUILD -o baseline.json writes one."

Count = Annotated[int, Field(ge=0, le=INT_MAX)]
SpillCount = Annotated[int, Field(ge=-INT_MAX, le=INT_MAX)]
"""As the compiler prints it, which can be below 0."""
Threads = Annotated[int, Field(ge=1, le=INT_MAX)]

_STRICT: dict[str, Any] = {"extra": "forbid", "strict": True, "use_attribute_docstrings": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineKernel:
    """One kernel of one architecture, or one kind of launch of it. Sizes are in bytes.

    What is None is left out of the file: the source did not say it. The names are those of
    ``occupancy scan --format json``.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    name: str
    """Mangled, where the source has it so, and without what depends on the place of the build."""
    arch: str | None = None
    source: str
    """The file, as seen from the folder or the file that was scanned."""
    format: str
    linked: bool | None = None
    registers: Count | None = None
    static_smem: Count | None = None
    dynamic_smem: Count | None = None
    smem: Count | None = None
    spill_smem: Count | None = None
    barriers: Count | None = None
    virtual_resources: Count | None = None
    tensor_memory: Count | None = None
    reallocates_registers: bool | None = None
    stack_bytes: Count | None = None
    spill_store_bytes: SpillCount | None = None
    spill_load_bytes: SpillCount | None = None
    max_threads: Threads | None = None
    required_threads: Threads | None = None
    max_registers: Count | None = None
    cluster: tuple[Count, Count, Count] | None = None
    shared_memory_config: Count | None = None
    threads: Threads | None = None
    threads_from: str | None = None
    occupancy: Annotated[float, Field(ge=0, le=1)] | None = None
    """For whoever reads the file: an answer is always computed again, by the same rules for both builds."""
    active_blocks: Count | None = None
    limiters: tuple[str, ...] | None = None


_NAMES = tuple(field.name for field in fields(BaselineKernel))
_RECORDED = tuple(name for name in _NAMES if name in {field.name for field in fields(KernelRecord)})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Baseline:
    """The kernels of one build."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    schema: Literal["occupancy-baseline"] = SCHEMA
    schema_version: int = SCHEMA_VERSION
    tool_version: str
    """Version of occupancy that wrote the file."""
    threads: Threads | None = None
    """Threads per block that were assumed where a source does not say them."""
    kernels: tuple[BaselineKernel, ...]

    def __repr__(self) -> str:
        return f"<Baseline of {len(self.kernels):,} kernels, written by occupancy {self.tool_version}>"


@dataclass(frozen=True, slots=True)
class _Header:
    """What shows whether the rest can be read; a later version may hold anything else."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "ignore"}

    schema: Any = None
    schema_version: Any = None
    tool_version: Any = None


_HEADER = TypeAdapter(_Header)
_BASELINE = TypeAdapter(Baseline)


def baseline_of(rows: Iterable[Any], threads: int | None = None) -> Baseline:
    """The baseline of a build: its kernels in the order of their names, equal ones once.

    Args:
        rows: Rows of the report of ``occupancy scan``, with sources that mean the same elsewhere.
        threads: Threads per block that were assumed where a source does not say them.
    """
    kernels = {
        BaselineKernel(name=stable_name(row.name), **{name: getattr(row, name) for name in _NAMES[1:]})
        for row in rows
    }
    return Baseline(tool_version=__version__, threads=threads, kernels=tuple(sorted(kernels, key=_order)))


def records_of(baseline: Baseline) -> Iterator[KernelRecord]:
    """The kernels as the readers give them; a block size that was only assumed is not among what is known."""
    for kernel in baseline.kernels:
        values = {name: getattr(kernel, name) for name in _RECORDED}
        if kernel.threads_from in ASSUMED:
            values.update(threads=None, threads_from=None)
        yield KernelRecord(**values)


def to_text(baseline: Baseline) -> str:
    """The file: a line for each kernel."""
    head = {name: getattr(baseline, name) for name in ("schema", "schema_version", "tool_version", "threads")}
    lines = [f"{_json(name)}: {_json(value)}," for name, value in head.items()]
    kernels = ",\n".join(_json(_known(kernel)) for kernel in baseline.kernels)
    return "\n".join(("{", *lines, '"kernels": [', *([kernels] if kernels else []), "]", "}", ""))


def write_baseline(path: str | os.PathLike[str], baseline: Baseline) -> None:
    """Write a baseline; an interruption leaves the old file or the new one.

    Raises:
        BaselineError: It cannot be written; then the file is as it was.
    """
    try:
        write_atomically(os.fspath(path), to_text(baseline))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        problem = getattr(error, "strerror", None) or error
        raise BaselineError(f"cannot be written: {problem}", where=os.fspath(path)) from error


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Read a baseline of this or any earlier version.

    Raises:
        BaselineError: It cannot be read, is not a baseline, or is one of a later version.
    """
    file = os.fspath(path)
    try:
        with open(file, "rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or error
        raise BaselineError(f"cannot be read: {problem}", where=file) from error
    return parse_baseline(content, file)


def parse_baseline(content: bytes, name: str) -> Baseline:
    """A baseline of the content of its file.

    Raises:
        BaselineError: It is not a baseline, or one of a later version.
    """
    if len(content) > MAX_FILE_BYTES:
        raise BaselineError("is too large for a baseline", where=name, allowed="up to 256 MiB")
    try:
        _check_header(_HEADER.validate_json(content), name)
        return _BASELINE.validate_json(content)
    except ValidationError as error:
        raise _baseline_error(error, name) from error


def looks_like_baseline(content: bytes) -> bool:
    """Whether the content of a file is meant to be a baseline, be it damaged or in another layout."""
    name = _json(SCHEMA).encode()
    return content.lstrip()[:1] == b"{" and (name in content[:PEEK_BYTES] or name in content[-PEEK_BYTES:])


def _check_header(header: _Header, name: str) -> None:
    if header.schema != SCHEMA:
        raise BaselineError("is not a baseline", where=name, cure=_HOW_TO_MAKE_ONE)
    version = header.schema_version
    if type(version) is not int or version < 1:
        raise BaselineError(f"got {shown(version)}", where=f"{name}: schema_version", allowed="1 and up")
    if version > SCHEMA_VERSION:
        raise BaselineError(
            f"is a baseline of version {version}, written by occupancy {shown(header.tool_version)}",
            where=name,
            allowed=f"up to version {SCHEMA_VERSION}, which occupancy {__version__} reads",
            cure="Update occupancy, or make the baseline again with this version.",
        )


def _baseline_error(error: ValidationError, name: str) -> BaselineError:
    first, *others = error.errors(include_url=False)
    if first["type"] == "json_invalid":
        problem = first["msg"].removeprefix("Invalid JSON: ")
        return BaselineError(f"is not JSON: {problem}", where=name, cure=_HOW_TO_MAKE_ONE)
    if not first["loc"]:
        return BaselineError("is not a baseline", where=name, cure=_HOW_TO_MAKE_ONE)
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    if first["type"] == "missing":
        return BaselineError("is missing", where=f"{name}: {where[1:]}")
    if first["type"] == "unexpected_keyword_argument":
        return BaselineError("there is no such name", where=f"{name}: {where[1:]}")
    return BaselineError(
        f"got {shown(first['input'])}",
        where=f"{name}: {where[1:]}",
        allowed=first["msg"].removeprefix("Input should be ").lower(),
        cure=f"So are {len(others):,} more values." if others else "",
    )


def _order(kernel: BaselineKernel) -> tuple[object, ...]:
    arch = kernel.arch or ""
    return kernel.name, len(arch), arch, kernel.source, _json(_known(kernel))


def _known(kernel: BaselineKernel) -> dict[str, Any]:
    values = ((name, getattr(kernel, name)) for name in _NAMES)
    return {name: value for name, value in values if value not in (None, ())}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
