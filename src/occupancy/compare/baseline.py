"""A baseline: the kernels of one build in a file, to compare later builds with. Checked with pydantic.

The file is JSON with one kernel per line, in the order of the names, so that a change of a kernel is one
changed line. It holds nothing that depends on the machine or the hour: no absolute path, no time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from .. import __version__
from ..builds.kernel_names import stable_name
from ..builds.scanner import Scanner
from ..readers import KernelRecord
from ..readers.limits import sanitize
from ..readers.record import SpillsFrom
from ..values.dataclass import copier, dataclass
from ..values.spellings import INT_MAX
from .matching import with_counterparts
from .measures import compared

SCHEMA: Literal["occupancy-baseline"] = "occupancy-baseline"
SCHEMA_VERSION = 2
"""It grows when a name is added, goes or changes its meaning; all earlier versions stay readable but for 1,
which was never released."""

ASSUMED = ("option", "rules", "launch_bounds", "best", "compared")
"""Where a block size comes from that the source of a kernel does not state."""

Architecture = Annotated[str, Field(pattern=r"^sm_[0-9]{1,4}[a-z]?$")]
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
    arch: Architecture | None = None
    source: str
    """The file, as seen from the folder or the file that was scanned."""
    format: str
    linked: bool | None = None
    regs: Count | None = None
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
    spills_from: SpillsFrom | None = None
    max_threads: Threads | None = None
    required_threads: Threads | None = None
    register_cap: Count | None = None
    cluster_dim: tuple[Count, Count, Count] | None = None
    shared_memory_configuration: Count | None = None
    code: Annotated[int, Field(ge=0, le=0xFFFF_FFFF)] | None = None
    """A checksum of its machine code, by which a kernel is recognised that has got another name."""
    threads: Threads | None = None
    threads_from: str | None = None
    occupancy: Annotated[float, Field(ge=0, le=1)] | None = None
    """For whoever reads the file: an answer is always computed again, by the same rules for both builds."""
    active_blocks: Count | None = None
    limiters: tuple[str, ...] | None = None

    @property
    def knows_spills(self) -> bool:
        """Whether the compiler or the code said what it spills."""
        return self.spill_store_bytes is not None


_NAMES = tuple(field.name for field in fields(BaselineKernel))
_RECORDED = tuple(name for name in _NAMES if name in {field.name for field in fields(KernelRecord)})
_recorded = attrgetter(*_RECORDED)
_ANSWERED = ("threads", "threads_from", *(name for name in _NAMES if name not in _RECORDED))
"""What an answer says; all else is as the source states it."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
        return f"<Baseline of {self}>"

    def __str__(self) -> str:
        return f"{len(self.kernels):,} kernels, written by occupancy {self.tool_version}"


def baseline_of(
    records: Iterable[KernelRecord],
    threads: int | None = None,
    kept: Iterable[BaselineKernel] = (),
    scanner: Scanner | None = None,
) -> Baseline:
    """The baseline of a build: its kernels in the order of their names, equal ones once.

    Args:
        records: Its kernels as they were compiled, with sources that mean the same elsewhere.
        threads: Threads per block that were assumed where a source does not say them.
        kept: Kernels of an earlier baseline that stay as they are.
        scanner: What answers for those whose block size is stated, since one of ours is not to stand in a
            file of the user's; None: the kernels have no answers.
    """
    kernels = set(kept)
    for record in records:
        values: dict[str, Any] = dict(zip(_RECORDED, _recorded(record), strict=True))
        if scanner is not None and scanner.is_stated(record):
            row = scanner.row(record)
            values |= {name: getattr(row, name) for name in _ANSWERED}
        kernels.add(BaselineKernel(**values | {"name": stable_name(record.name)}))
    return Baseline(tool_version=__version__, threads=threads, kernels=tuple(sorted(kernels, key=_order)))


def records_of(baseline: Baseline) -> Iterator[KernelRecord]:
    """The kernels as the readers give them; a block size that was only assumed is not among what is known."""
    for kernel in baseline.kernels:
        record = _record(_NO_KERNEL, *_recorded(kernel))
        if kernel.threads_from in ASSUMED:
            record = replace(record, threads=None, threads_from=None)
        yield sanitize(record)


_NO_KERNEL = KernelRecord(source="", format="cubin", name="")
_record = copier(KernelRecord, *_RECORDED)


def _order(kernel: BaselineKernel) -> tuple[object, ...]:
    arch = kernel.arch or ""
    return kernel.name, len(arch), arch, kernel.source, to_json(known(kernel))


def known(kernel: BaselineKernel) -> dict[str, Any]:
    """What is known of a kernel, by name."""
    values = ((name, getattr(kernel, name)) for name in _NAMES)
    return {name: value for name, value in values if value not in (None, ())}


def to_json(value: object) -> str:
    """JSON as the file has it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Accepted:
    """What becomes of a baseline."""

    old: tuple[KernelRecord, ...]
    """Kernels that leave it: there are others in their place, or the build has them no more."""
    new: tuple[KernelRecord, ...]
    """Kernels of the build that come in."""
    kept: tuple[BaselineKernel, ...]
    """Kernels that stay as they are."""


def accept(
    baseline: Baseline,
    kernels: Sequence[KernelRecord],
    wanted: Callable[[Sequence[KernelRecord]], Iterable[KernelRecord]],
) -> Accepted:
    """Accept some kernels of a build.

    Both are matched as a check matches them, in full: so a kernel that has another name now, or another
    architecture's suffix, takes the place of what it was, by whichever of its names it is asked for.

    Args:
        baseline: What the build was compared with.
        kernels: All kernels of the build.
        wanted: Those of some kernels that are asked for.
    """
    before = tuple(records_of(baseline))
    asked = (each for side in (before, kernels) for each in wanted(side))
    old, new = with_counterparts(before, kernels, asked, compared)
    leaving = set(map(id, old))
    kept = (
        kernel for record, kernel in zip(before, baseline.kernels, strict=True) if id(record) not in leaving
    )
    return Accepted(old, new, tuple(kept))
