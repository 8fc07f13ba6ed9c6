"""What a file says about one kernel, or about one launch of it; and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, Literal

from ..errors import MAX_SHOWN, InputError, bounded, shown
from ..values.dataclass import dataclass
from ..values.kernel import INT_MAX, Carveout, Kernel, Launch
from ..values.limits import ComputeCapability
from ..values.resources import total_shared_memory
from ..values.untrusted import printable
from .budget import MAX_NAME_BYTES, MAX_PROBLEMS, Budget, Exhausted, cost_of
from .remark import Fusion, Remark

Format = Literal[
    "cubin",
    "fatbin",
    "ptx",
    "ptxas",
    "res-usage",
    "triton",
    "nsight-csv",
    "ncu-rep",
    "pytorch-trace",
    "python",
]

ThreadsFrom = Literal[
    "launch", "metadata", "required", "option", "rules", "launch_bounds", "best", "compared"
]
"""Whence a block size comes. The source itself states it: a recorded launch, the metadata of a compiler
that chooses it, or the kernel's own `.reqntid`. The user stated it: an option, or the file with the rules.
Or it was chosen for an answer: the first launch bound, the size with the highest occupancy, or that of all
that two builds can launch with where they differ most."""

Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRecord:
    """One kernel of one architecture, or one launch. ``None`` means that the source does not say.

    Values are as the source has them; that a kernel could really have them is for `kernel` to say.
    """

    source: str
    """The path as it was given, or the name of the stream."""
    format: Format
    name: str
    """Mangled, where the source has it so; with escapes for what a terminal would obey, which no real name
    has, and up to 64 KiB of it."""
    arch: str | None = None
    """The compiler's name of the architecture, such as ``"sm_90"`` or ``"sm_90a"``."""
    also_in: tuple[str, ...] = ()
    """Other files with a copy of the kernel, or from which something that is said here comes."""
    code: int | None = None
    """A checksum (CRC-32) of its machine code, where there is an image: the same for copies."""
    is_static: bool | None = None
    """Whether only its own source file can see it: other files may have other kernels of the name."""
    file: str | None = None
    """The file of the source that the kernel is written in, where the compiler was asked for line tables
    (``-lineinfo``)."""
    line: int | None = None
    """The line at which its code begins."""
    fuses: tuple[str, ...] = ()
    """The operations that Inductor made it of, such as ``"aten.add"``, where its own source is beside it."""
    chosen: bool | None = None
    """Of the candidates that an autotuner compiled, whether it is the one that runs; None where no autotuner
    says anything of the kernel."""
    linked: bool | None = None
    """False for a relocatable object, whose numbers lack what its callees need."""

    regs: int | None = None
    """Registers per thread."""
    static_smem: int | None = None
    """Shared memory per block that the kernel declares, in bytes, without the system's reservation."""
    spill_smem: int | None = None
    """What of ``static_smem`` the compiler has added to spill registers to, in bytes."""
    dynamic_smem: int | None = None
    """Shared memory per block that the launch asks for, in bytes."""
    smem: int | None = None
    """Both together, in bytes, where the source does not separate them."""
    barriers: int | None = None
    """Named barriers per block."""
    virtual_resources: int | None = None
    """Virtual resources per block: 128 for a kernel that allocates tensor memory, from 10.0."""
    tensor_memory: int | None = None
    """Columns of tensor memory per block."""
    reallocates_registers: bool | None = None
    """True where warpgroups pass registers to one another (``setmaxnreg``), so that ``registers`` is what the
    launch gives to each, and not what any of them needs."""

    stack_bytes: int | None = None
    """Stack of one thread with all that it calls; the kernel's own frame where that is all that is known,
    as in a relocatable object."""
    spill_store_bytes: int | None = None
    """As the compiler prints it, which can be below 0 where it also spills into shared memory."""
    spill_load_bytes: int | None = None

    max_threads: int | None = None
    """The most threads per block that the kernel was compiled for: the first launch bound."""
    required_threads: int | None = None
    """Threads per block, where the kernel was compiled for exactly that (`.reqntid`)."""
    min_blocks: int | None = None
    """Blocks per SM that the compiler was asked to allow: the second launch bound."""
    register_cap: int | None = None
    """The cap on registers per thread that the kernel was compiled under."""
    cluster_dim: Shape | None = None
    """Blocks per cluster along x, y and z."""
    max_cluster_rank: int | None = None
    """The most blocks per cluster that the kernel was compiled for: the third launch bound."""

    threads: int | None = None
    """Threads per block, where the source states it."""
    threads_from: ThreadsFrom | None = None
    block_dim: Shape | None = None
    """The block's shape, whose product is ``threads``."""
    launches: int | None = None
    """How many launches this stands for; None where it is no launch."""
    grid_dim: Shape | None = None
    """Blocks along x, y and z, for a launch."""
    shared_memory_configuration: int | None = None
    """Shared memory that the SM was set to for this launch, in bytes."""
    duration_us: float | None = None
    """How long the launch ran, in microseconds."""
    reported_occupancy: float | None = None
    """The theoretical occupancy that the source itself claims, 0 to 1."""
    achieved_occupancy: float | None = None
    """The occupancy that a profiler measured, 0 to 1."""

    notes: tuple[str, ...] = ()
    """What someone who reads the numbers should know about them."""

    @property
    def shared_memory(self) -> int | None:
        """Shared memory per block in bytes, static and dynamic; None where the source states neither."""
        return total_shared_memory(self.static_smem, self.dynamic_smem, self.smem)

    @property
    def group(self) -> str:
        """The same for what is shown together: the name, and for candidates of an autotuner the file."""
        return self.name if self.chosen is None else f"{self.name} {self.file}"

    @property
    def demangled(self) -> str:
        """The name as people write it; the mangled one where it cannot be demangled."""
        from .names import demangle

        return demangle(self.name)

    @property
    def compute_capability(self) -> ComputeCapability | None:
        """The architecture as a compute capability; None where the source names none."""
        try:
            return ComputeCapability.parse(self.arch) if self.arch else None
        except InputError:
            return None

    @property
    def carveout(self) -> Carveout | None:
        """The shared memory configuration of a launch, in the form that `Kernel` takes."""
        size = self.shared_memory_configuration
        return None if size is None else Carveout(size, "bytes")

    def kernel(self, threads: int | None = None) -> Kernel:
        """What one block needs.

        Args:
            threads: Threads per block, where the source does not state them.

        Raises:
            InputError: The block size is not known, or the source states what no kernel can have.
        """
        known = self.threads if self.threads is not None else threads
        if known is None:
            raise InputError(
                f"{self.source} does not state the block size of {self.name}",
                where="threads",
                cure="Give the threads per block that the kernel is launched with.",
            )
        return Kernel(
            threads=known,
            regs=self.regs,
            static_smem=self.static_smem,
            dynamic_smem=self.dynamic_smem,
            smem=self.smem,
            barriers=self.barriers,
            block_dim=self.block_dim,
            carveout=self.carveout,
            virtual_resources=self.virtual_resources,
            tensor_memory=self.tensor_memory or None,
            spill_smem=self.spill_smem or None,
            reallocates_registers=bool(self.reallocates_registers),
        )

    def launch(self) -> Launch | None:
        """The kernel with its grid; None where the source is no launch.

        Raises:
            InputError: The source states what no kernel can have.
        """
        if self.grid_dim is None:
            return None
        return Launch(self.kernel(), self.grid_dim, self.cluster_dim)

    def with_compiled(self, compiled: KernelRecord) -> KernelRecord:
        """This launch, with what the image of its kernel states in place of what the launch says."""
        return replace(
            self,
            arch=compiled.arch,
            code=compiled.code,
            file=compiled.file,
            line=compiled.line,
            linked=compiled.linked,
            regs=compiled.regs,
            static_smem=compiled.static_smem,
            spill_smem=compiled.spill_smem,
            barriers=compiled.barriers,
            virtual_resources=(
                self.virtual_resources if compiled.virtual_resources is None else compiled.virtual_resources
            ),
            reallocates_registers=compiled.reallocates_registers,
            stack_bytes=compiled.stack_bytes,
            max_threads=compiled.max_threads,
            required_threads=compiled.required_threads,
            register_cap=compiled.register_cap,
            cluster_dim=self.cluster_dim or compiled.cluster_dim,
            max_cluster_rank=compiled.max_cluster_rank,
        )

    def to_dict(self) -> dict[str, Any]:
        """Every field by name, and the demangled name, for machines."""
        values = {name: getattr(self, name) for name in FIELD_NAMES}
        values["demangled"] = self.demangled
        return values


FIELD_NAMES = tuple(field.name for field in fields(KernelRecord))


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A piece of a source that could not be read; what else the source holds still is."""

    source: str
    offset: int | None
    """Where in the source: a byte for binary formats; None where no place can be named."""
    what: str
    line: int | None = None
    """Where in a text."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", bounded(self.what))

    @property
    def where(self) -> str:
        """The source and the place in it."""
        if self.line is not None:
            return f"{self.source}, line {self.line}"
        if self.offset is not None:
            return f"{self.source}, byte {self.offset:#x}"
        return self.source

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


Found = KernelRecord | ReadProblem | Remark
"""What a reader yields, in the order of the source."""


def within(budget: Budget, found: Iterator[Found], source: str) -> Iterator[Found]:
    """Pass on what a reader finds in a file, as far as its budget goes.

    It also ends where so much is damaged that the source is none of its kind. A problem says so.
    """
    problems = 0
    try:
        for each in found:
            if isinstance(each, ReadProblem):
                problems += 1
                budget.pay("problems")
                yield each
                if problems == MAX_PROBLEMS:
                    yield replace(each, what="too much is damaged; the rest is not read")
                    return
            elif isinstance(each, Remark):
                budget.pay("kernels")
                said = (each.file, *each.operations) if isinstance(each, Fusion) else (each.folder,)
                budget.pay("names", sum(map(cost_of, said)))
                yield each
            else:
                budget.pay("kernels" if each.launches is None else "launches")
                budget.pay("names", cost_of(each.name))
                each = sound(each)
                wrong = _wrong(each)
                if wrong is None:
                    yield each
                else:
                    problems += 1
                    budget.pay("problems")
                    yield ReadProblem(each.source, None, f"of {each.name[:MAX_SHOWN]}, {wrong}")
                    if problems == MAX_PROBLEMS:
                        raise Exhausted("too much is damaged; the rest is not read")
    except Exhausted as error:
        yield ReadProblem(source, None, error.what)


_NO_COUNTS = ("code", "spill_store_bytes", "spill_load_bytes")
"""Of these, one is a checksum, and the others can be below 0."""
_COUNTS = tuple(
    each.name for each in fields(KernelRecord) if each.type == "int | None" and each.name not in _NO_COUNTS
)


_counts = attrgetter(*_COUNTS)


def _wrong(record: KernelRecord) -> str | None:
    """What is wrong with the first count that neither a kernel nor a launch can have."""
    known = [value for value in _counts(record) if value]
    if not known or (min(known) >= 0 and max(known) <= INT_MAX):
        return None
    for name in _COUNTS:
        value = getattr(record, name)
        if value is not None and not 0 <= value <= INT_MAX:
            return f"{name} is {shown(value)}, which no kernel has"
    return None


_ARCHITECTURE = re.compile(r"sm_\d{1,4}[a-z]?", re.ASCII)


def sound(record: KernelRecord) -> KernelRecord:
    """The record with a name and an architecture that are what they seem.

    A name of a real kernel has no characters that a terminal would obey, and fits in a page.
    """
    name, arch = record.name, record.arch
    name = printable(name[:MAX_NAME_BYTES])[:MAX_NAME_BYTES]
    if arch is not None and not _ARCHITECTURE.fullmatch(arch):
        arch = None
    return record if (name, arch) == (record.name, record.arch) else replace(record, name=name, arch=arch)
