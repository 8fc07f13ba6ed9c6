"""GPUs by name, limits of an SM, GPUs on which a kernel runs, and splits of a block's registers."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple, overload

from ..advice.registers import RegisterSplitFields, Warpgroups, split_registers
from ..engine import Model, check_model
from ..errors import InputError, shown
from ..report.budget import registers_report
from ..report.calc import fits_report
from ..report.limits import gpus_report, limits_report, sources_report
from ..report.model import Report
from ..tables import shipped
from ..tables.gpus import Gpu, all_gpus, find_gpu, find_gpus, find_one_or_several, gpus_matching
from ..tables.sources import Provenance, provenance
from ..values.fields import KernelInputs, Unpack
from ..values.kernel import Kernel
from ..values.limits import KINDS, ComputeCapability, Limits
from ..values.records import documented, readable
from ..values.spellings import parse_count, parse_optional, parse_size
from .occupancy import GpuLike, GpuList, KernelLike, Occupancy, kernel_of_inputs, occupancy_on
from .results import Printed, Results


@overload
def limits(gpu: GpuLike) -> Limits: ...  # type: ignore[overload-overlap]  # text and pairs are no list
@overload
def limits(gpu: GpuList) -> Results[Limits]: ...
def limits(gpu: GpuLike | GpuList) -> Limits | Results[Limits]:
    """Return the limits of one SM, or for a list of GPUs a sequence, which prints them side by side.

    Args:
        gpu: A GPU as in `compute`, or an architecture with one compute capability, such as ``"hopper"``, or a list.

    Raises:
        InputError: The name is unknown, or matches GPUs with different compute capabilities.
        UnknownComputeCapabilityError: The table does not contain the compute capability.
    """
    chosen = find_gpu(gpu) if isinstance(gpu, str) else find_one_or_several(gpu)
    if isinstance(chosen, list):
        return Results([found.limits for found in chosen], limits_report)
    return chosen.limits


def gpus(pattern: str = "") -> Results[Gpu]:
    """List GPUs by name, newest first.

    Args:
        pattern: Words of the name, die, market or memory size, a compute capability or an architecture, or
            several patterns separated by commas. By default, all GPUs.

    Raises:
        InputError: No GPU matches.
    """
    parts = [part.strip() for part in str(pattern).split(",") if part.strip()]
    named = [gpu for part in parts for gpu in gpus_matching(part)] if parts else all_gpus()
    matching = sorted(dict.fromkeys(named), key=lambda gpu: gpu.limits.compute_capability, reverse=True)
    return Results(matching, gpus_report)


def compute_capabilities() -> list[ComputeCapability]:
    """List the compute capabilities of the table in ascending order."""
    return list(shipped.known())


def sources(gpu: GpuLike | GpuList | None = None) -> Results[Provenance]:
    """List the sources of each limit, and the disagreements between sources.

    Args:
        gpu: A GPU or a list, with the errors of `limits`. By default, the whole table.
    """
    ccs = shipped.known() if gpu is None else [found.limits.compute_capability for found in find_gpus(gpu)]
    return Results((provenance(cc, field) for cc in dict.fromkeys(ccs) for field in KINDS), sources_report)


@documented
class Fit(NamedTuple):
    """Result of `fits` for one GPU."""

    gpu: Gpu
    kernel: Kernel
    runs: bool
    reason: str | None
    """Reason why the kernel does not run; None if it runs."""
    result: Occupancy | None
    """Occupancy; None if the GPU does not support an input, such as tensor memory."""
    opt_ins: tuple[str, ...]
    """C++ calls required before the launch."""

    @property
    def occupancy(self) -> float:
        """Resident warps divided by the maximum per SM, 0 to 1; 0 if the kernel does not run."""
        return self.result.occupancy if self.result is not None and self.runs else 0.0

    def __repr__(self) -> str:
        return f"<Fit on {self.gpu.label}: {self.reason or repr(self.result)}>"


def fits(
    gpu: GpuLike | GpuList | None = None, kernel: KernelLike = None, *, model: Model | None = None,
    **inputs: Unpack[KernelInputs],
) -> Results[Fit]:  # fmt: skip
    """Check on each GPU if a kernel compiles and launches, with ``runs``, ``reason`` and ``result``.

    Args:
        gpu, kernel, model: As in `compute`; by default every compute capability of the table.
        inputs: ``threads``, ``regs``, ``smem`` and the other keywords of `compute`.
    """
    gpus = find_gpus(shipped.known() if gpu is None else gpu)
    needed = kernel_of_inputs(kernel, inputs, fits)
    check_model(model)  # a mistake of the caller, and no reason of a GPU
    return Results((_fit(found, needed, model) for found in gpus), fits_report)


def _fit(gpu: Gpu, kernel: Kernel, model: Model | None) -> Fit:
    try:
        result = occupancy_on(gpu, kernel, model)
    except InputError as error:
        return Fit(gpu, kernel, runs=False, reason=error.problem, result=None, opt_ins=())
    return Fit(gpu, kernel, result.launchable, result.reason, result, result.opt_ins)


@readable
class RegisterSplit(Printed, RegisterSplitFields):
    """Registers of each warpgroup of a block, with the required registers at launch."""

    def report(self) -> Report:
        return registers_report(self)


def register_split(
    groups: str, *, gpu: GpuLike = "9.0", threads: int | str | None = None, regs: int | str | None = None,
    blocks: int | str | None = None, smem: int | str | None = None,
) -> RegisterSplit:  # fmt: skip
    """Check or compute a split of a block's registers between warpgroups with ``setmaxnreg``.

    >>> import occupancy
    >>> split = occupancy.register_split("1:40,2:?")
    >>> split.threads, split.groups[1].regs, split.launch_regs, split.suffices
    (384, 232, 168, True)

    Args:
        groups: Warpgroups with their registers, ``"1:40,2:232"``. ``?`` for one of them computes the maximum.
            Neighboring groups with the same registers are one group.
        gpu, smem: As in `compute`; 9.0 or newer.
        threads: Threads per block, a multiple of 128; by default all groups.
        regs: Registers per thread at launch, as compiled.
        blocks: Second launch bound; by default the largest with enough registers.

    Raises:
        InputError: The GPU does not support ``setmaxnreg``, the threads do not match the groups, or
            ``setmaxnreg`` does not accept a number of registers.
    """
    return RegisterSplit(*split_registers(
        find_gpu(gpu).limits, parse_optional(parse_count, threads, "threads"), _warpgroups(groups),
        launch_regs=parse_optional(parse_count, regs, "regs"),
        min_blocks=parse_optional(parse_count, blocks, "blocks"), smem=parse_optional(parse_size, smem, "smem"),
    ))  # fmt: skip


def _warpgroups(groups: str) -> list[Warpgroups]:
    warpgroups, hint = [], 'Write COUNT:REGS for each group, such as "1:40,2:232".'
    for part in str(groups).split(","):
        number, colon, regs = map(str.strip, part.partition(":"))
        if not colon:
            raise InputError(f"{shown(groups)} is invalid", where="groups", hint=hint)
        registers = None if regs == "?" else parse_count(regs, "groups", hint)
        warpgroups.append(Warpgroups(parse_count(number, "groups", hint), registers))
    alike = groupby(warpgroups, key=lambda group: group.regs)
    return [Warpgroups(sum(group.warpgroups for group in same), regs) for regs, same in alike]
