"""Rows of a scan: kernels with their occupancy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import occupancy  # for annotations: its public names load their modules on first use

from ..advice.launch_bounds import second_bounds
from ..advice.next_steps import NextStep, next_steps, using_less
from ..advice.waves import WavesFields, full_wave
from ..engine import limiting
from ..errors import InputError, OccupancyError
from ..readers import KernelRecord
from ..tables.gpus import Gpu, runs_on
from ..tables.shipped import limits
from ..values.fields import FIELDS, MAX_THREADS_PER_BLOCK
from ..values.kernel import Kernel, Launch
from ..values.limits import ComputeCapability
from ..values.records import documented
from ..values.resources import Resource
from ..values.spellings import in_range, parse_threads
from .names import short_name, template_name

ASSUMED_THREADS = 256
"""Assumed threads per block if both block size and launch bound are unknown."""

LOW = 0.5
"""Occupancy below which a kernel is counted as low. A convention: low occupancy can be right."""

FindingRule = Literal["does-not-launch", "spills", "low-occupancy"]

_needs = attrgetter(
    "format", "arch", "ptx", "regs", "static_smem", "spill_smem", "dynamic_smem", "smem", "barriers",
    "virtual_resources", "tensor_memory", "reallocates_registers", "max_threads", "required_threads", "num_warps",
    "threads", "block_dim", "cluster_dim", "shared_memory_configuration", "spill_store_bytes", "spill_load_bytes",
)  # fmt: skip
"""Values that determine the occupancy and next steps; kernels of a library share them with hundreds of others."""


def parse_block_size(value: object) -> int:
    """Parse threads per block, a number or a shape; raise `InputError` if it is out of range."""
    return in_range(parse_threads(value)[0], "threads", 1, MAX_THREADS_PER_BLOCK)


LAUNCH_SIZES = {"threads": parse_block_size, "dynamic_smem": FIELDS["dynamic_smem"].parse}
"""Values of a launch, which compiled kernels do not record, and their parsers."""


@dataclass(eq=False)
class _SharedResult:
    """Result of all kernels with the same resources, computed once; ``record`` is one of them."""

    record: KernelRecord
    threads: int
    threads_assumed: bool
    is_hypothetical: bool = False
    """True if the GPU is not the one that the kernel was compiled for."""
    launchable: bool | None = None
    reason: str | None = None
    result: occupancy.Occupancy | None = None

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """Values of each of the kernels, in the order of `ScannedKernel`."""
        known = attrgetter("gpu.cc", "occupancy", "active_blocks", "limiters")
        numbers = (None, None, None, ()) if self.result is None else known(self.result)
        if self.launchable is False and self.result is not None:
            # No resource limits a kernel without code.
            numbers = numbers[0], 0.0, 0, () if self.result.launchable else limiting(self.result)
        verdict = self.launchable, self.reason
        memory = self.record.shared_memory, spill_bytes(self.record)
        return self.threads, self.threads_assumed, self.result, *numbers, *verdict, *memory

    @cached_property
    def next_step(self) -> NextStep | None:
        if self.result is None or (self.launchable is False and self.reason != self.result.reason):
            return None
        # Triton compiles another kernel for another number of warps.
        find = next_steps if self.record.num_warps is None else using_less
        return next((step for step in find(self.result) if is_possible(step, self.record)), None)


if TYPE_CHECKING:  # at run time, `ScannedKernel` gets a property for each field of its record
    _Fields = KernelRecord
else:
    _Fields = object


class ScannedKernel(_Fields):
    """Kernel of one architecture, or launches of one configuration, with its occupancy.

    It also has every field of `KernelRecord`.
    """

    __slots__ = (
        "_shared", "_sms", "active_blocks", "cc", "launchable", "limiters", "occupancy", "reason", "record",
        "result", "smem", "spill_bytes", "threads", "threads_assumed", "time_share",
    )  # fmt: skip

    record: KernelRecord
    """Values that the file records."""
    threads: int | None
    """Threads per block; assumed if unknown: the launch bound, or 256."""
    threads_assumed: bool
    """True if the block size is assumed."""
    result: occupancy.Occupancy | None
    """Result of `compute`, with next steps and more; None if a required value is unknown."""
    cc: str | None
    """Compute capability for which the occupancy is computed."""
    occupancy: float | None
    """Resident warps divided by the maximum per SM, 0 to 1; None if a required value is unknown."""
    active_blocks: int | None
    """Resident blocks per SM."""
    launchable: bool | None
    """True if the kernel launches; None if a required value is unknown, or the GPU cannot load the code."""
    limiters: tuple[Resource, ...]
    """Limiting resources."""
    reason: str | None
    """Reason why the kernel does not launch, or why `launchable` or `occupancy` is None."""
    smem: int | None
    """Static and dynamic shared memory per block in bytes; None if both are unknown."""
    spill_bytes: int | None
    """Spills per thread plus spills to shared memory per block, in bytes; None if unknown."""
    time_share: float | None
    """Share of the time of all kernels, 0 to 1."""

    def __init__(self, record: KernelRecord, shared: _SharedResult, sms: int | None = None) -> None:
        self._shared = shared
        self._sms = sms
        self.record = record
        (
            self.threads, self.threads_assumed, self.result, self.cc, self.occupancy, self.active_blocks,
            self.limiters, self.launchable, self.reason, self.smem, self.spill_bytes,
        ) = shared.values  # fmt: skip
        self.time_share = None

    @property
    def next_step(self) -> NextStep | None:
        """The next higher occupancy with its changes; None for a launch of at most one wave."""
        return None if self.record.grid_dim and (self.waves or 2) <= 1 else self._shared.next_step

    @property
    def waves(self) -> float | None:
        """Number of waves of a launch; None if the number of SMs is unknown."""
        result, record = self.result, self.record
        sms = self._sms or (None if self._shared.is_hypothetical else record.multiprocessor_count)
        if sms is None or record.grid_dim is None or result is None or self.launchable is False:
            return None
        try:
            launch, wave = Launch(result.kernel, record.grid_dim), full_wave(result, sms)
            return WavesFields(launch, wave).waves if wave.blocks else None
        except InputError:  # an impossible grid
            return None

    @property
    def template(self) -> str:
        """Name without template arguments and parameters: ``ns::run``."""
        return template_name(self.record.name)

    @property
    def short_name(self) -> str:
        """Demangled name without parameters: ``ns::run<3>``."""
        return short_name(self.record.name)

    @property
    def finding(self) -> FindingRule | None:
        """Reason to look at the kernel; None for candidates that an autotuner rejected."""
        if self.record.chosen is False:
            return None
        if self.launchable is False:
            return "does-not-launch"
        if self.spill_bytes:
            return "spills"
        return "low-occupancy" if self.occupancy is not None and self.occupancy < LOW else None

    def kernel(self, threads: int | None = None) -> Kernel:
        """Return the resources that one block needs, by default of `threads`; errors are those of the record."""
        return self.record.kernel(self.threads if threads is None else threads)

    def to_dict(self) -> dict[str, Any]:
        """Return the values of the record and of the result, with the demangled name."""
        own = set(ScannedKernel.__slots__) - {"_shared", "_sms", "record", "result"}
        return self.record.to_dict() | {name: getattr(self, name) for name in sorted(own)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScannedKernel):
            return NotImplemented
        return (self.record, self.threads, self.result) == (other.record, other.threads, other.result)

    def __hash__(self) -> int:
        return hash((self.record.name, self.record.arch, self.threads))

    def __repr__(self) -> str:
        share = "unknown" if self.occupancy is None else f"{100 * self.occupancy:.4g}%"
        spills = f", spills {self.spill_bytes:,} bytes" if self.spill_bytes else ""
        about = f"occupancy {share} at {self.threads} threads{spills}"
        return f"<ScannedKernel {self.short_name} for {self.record.arch}: {about}>"


documented(ScannedKernel, KernelRecord)


for _name in dir(KernelRecord):
    if not _name.startswith("_") and not hasattr(ScannedKernel, _name):
        _about = getattr(KernelRecord, _name).__doc__ or f"Alias for field {_name} of the record."
        setattr(ScannedKernel, _name, property(attrgetter(f"record.{_name}"), doc=_about))


def spill_bytes(record: KernelRecord) -> int | None:
    """Return spill bytes per thread plus spills to shared memory per block; None if unknown."""
    spills, smem = record.spills, record.spill_smem or 0
    return smem or None if spills is None else spills.total + smem


def source_bounds(record: KernelRecord) -> tuple[Any, ...] | None:
    """Return both launch bounds, or the first with a range for the second; None for unknown blocks per SM.

    Images contain the register cap that the compiler computes from the second bound, not the bound.
    """
    threads, cc = record.required_threads or record.max_threads, record.compute_capability
    if threads is None:
        return None
    if record.min_blocks is not None or record.register_cap is None or cc is None:
        return threads, record.min_blocks
    with suppress(OccupancyError):  # a compute capability of a user's table
        if same := second_bounds(limits(cc), threads, record.register_cap):
            return threads, *((1,) if same[0] == 1 else dict.fromkeys((same[0], same[-1])))
    return threads, None


@dataclass(eq=False)
class Evaluator:
    """Occupancy of records, with block sizes and limits; equal resources are computed once."""

    gpu_of: Callable[[ComputeCapability], Gpu]
    compute: Callable[[Gpu, Kernel], occupancy.Occupancy]
    threads: int | None = None
    """Threads per block of kernels whose files do not record them and whose launch bounds allow them."""
    gpu: Gpu | None = None
    """GPU to compute for, instead of the one that each kernel was compiled for."""
    multiprocessor_count: int | None = None
    """SMs of the GPU, for waves; None: the number in the file."""
    selects_code: bool = False
    """True if kernels that have code for the GPU were selected with that code alone."""
    _results: dict[object, _SharedResult] = field(default_factory=dict, init=False)

    def row(self, record: KernelRecord, other: KernelRecord | None = None) -> ScannedKernel:
        """Return the record with its occupancy, at a block size that also suits another version of the kernel."""
        key = _needs(record), other and (other.threads, other.max_threads, other.arch, other.ptx)
        result = self._results.get(key) or self._results.setdefault(key, self._result(record, other))
        return ScannedKernel(record, result, self.multiprocessor_count)

    def rows(self, records: Iterable[KernelRecord], time: float = 0) -> list[ScannedKernel]:
        """Return the records with their occupancy and their shares of the total time in microseconds."""
        rows = list(map(self.row, records))
        for row in rows if time else ():
            if row.record.duration_us is not None:
                row.time_share = row.record.duration_us / time
        return rows

    def _result(self, record: KernelRecord, other: KernelRecord | None) -> _SharedResult:
        bounds = [version.max_threads for version in (record, other or record)]
        common = self.threads or (other and other.threads)
        if common and all(bound and common > bound for bound in bounds):
            common = None  # no version launches with it: the launch bound is the best guess
        known = record.threads or common
        threads = known or min(filter(None, bounds), default=ASSUMED_THREADS)
        shared = _SharedResult(record, threads, threads_assumed=known is None)
        try:
            own = record.compute_capability
            gpu = self.gpu or (own and self.gpu_of(own))
            if gpu is None:
                raise InputError("the architecture is unknown", hint="Set `gpu` (--gpu NAME).")
            shared.is_hypothetical = own not in (None, gpu.limits.compute_capability)
            if record.regs is None:
                problem = "PTX has no register count" if record.format == "ptx" else "unknown register count"
                raise InputError(problem)
            kernel = record.kernel(threads)
            sizes = () if shared.is_hypothetical else gpu.limits.shared_memory_configurations
            if kernel.carveout is not None and kernel.carveout.amount not in sizes:
                kernel = kernel.replace(carveout=None)
            shared.result = self.compute(gpu, kernel)
            shared.launchable, shared.reason = shared.result.launchable, shared.result.reason
            cc = gpu.limits.compute_capability
            if record.arch and not runs_on(record.arch, cc):
                launchable, reason = self._without_code(record, other or record, cc)
                if shared.launchable:
                    shared.launchable, shared.reason = launchable, reason
                elif launchable is False:
                    shared.reason = f"{shared.reason} Also, {reason}"
        except OccupancyError as error:
            shared.launchable, shared.reason = (False, error.problem) if shared.result else (None, str(error))
        return shared

    def _without_code(
        self, record: KernelRecord, other: KernelRecord, cc: ComputeCapability
    ) -> tuple[bool | None, str]:
        """Return a verdict on a kernel without code for the GPU, which another version may have."""
        targets = [each for each in record.ptx or () if runs_on(each, cc)]
        if self.selects_code and targets:
            return None, f"no code for {cc}, so the driver JIT-compiles {targets[-1]} PTX"
        if self.selects_code and (None not in (record.ptx, other.ptx) or runs_on(other.arch, cc)):
            code = "code" if record.ptx is None else "code or compatible PTX"
            return False, f"no {code} for {cc} (compile for {cc.sm})"
        return None, "the GPU cannot load this code"


def is_possible(step: NextStep, record: KernelRecord) -> bool:
    """Return False for a carveout, which a launch sets, fixed block sizes, and less of what spills."""
    fixed = {"regs": spill_bytes(record), "smem": record.spill_smem, "threads": record.required_threads}
    return not any(fixed.get(name, name == "carveout") for name in step.requires)
