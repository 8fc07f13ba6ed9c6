"""What a file says about one kernel, or about one launch of it; and what could not be read."""

from __future__ import annotations

from dataclasses import field, fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal

from ..errors import InputError, bounded
from ..values.dataclass import dataclass
from ..values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY, Carveout, Kernel, Launch
from ..values.limits import ComputeCapability
from ..values.resources import total_shared_memory
from .remark import Remark

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
    "launch", "metadata", "required", "option", "rules", "compared",
    "launch_bounds", "best", "usual", "deciding",
]  # fmt: skip
"""Whence a block size comes. The source itself states it: a recorded launch, the metadata of a compiler
that chooses it, or the kernel's own `.reqntid`. The user stated it: an option, or the file with the rules.
The build that it is compared with states it. Or it was chosen for an answer: the first launch bound, the
size with the highest occupancy, a usual one, or that which decides a comparison: of all that both builds can
launch with, the one with the greatest drop."""

SpillsFrom = Literal["compiler", "code"]
"""Whence the bytes of spills come: printed by the compiler, or counted in the machine code."""

SPILLS = ("spill_store_bytes", "spill_load_bytes", "spills_from")

COMPILED = (
    "regs", "static_smem", "spill_smem", "barriers", "virtual_resources", "reallocates_registers",
    "stack_bytes", *SPILLS, "max_threads", "required_threads", "min_blocks",
    "register_cap", "cluster_dim", "max_cluster_rank",
)  # fmt: skip
"""The fields of a record that the compiler decides."""

Shape = tuple[int, int, int]

Module = tuple[str, int]
"""A fatbin: its file, and its number in it, from 0."""


@lru_cache(maxsize=64)  # of ten thousand kernels, all have one of a few
def architecture_of(arch: str | None) -> ComputeCapability | None:
    """The compute capability of an architecture's name; None where it is none."""
    try:
        return ComputeCapability.parse(arch) if arch else None
    except InputError:
        return None


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
    modules: tuple[Module, ...] = field(default=(), compare=False, repr=False, metadata={"exclude": True})
    """The fatbins with a copy of its image; the driver chooses among the images of each. It says nothing of
    the kernel itself, and no output has it."""
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
    num_warps: int | None = None
    """Warps per block that a kernel of Triton was compiled with: with the next, what a tuner calls it by."""
    num_stages: int | None = None
    """Stages of its software pipeline."""
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
    """Bytes that a thread stores because registers do not suffice: as the compiler printed it, which can be
    below 0 where it also spills into shared memory; else as counted in the machine code, without that of
    callees. None where no log says it and the code does not tell, as before sm_70."""
    spill_load_bytes: int | None = None
    """Bytes that it loads again, likewise."""
    spills_from: SpillsFrom | None = None
    """Who says both: the compiler, in a log, or the machine code, in which they were counted."""

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
    profiled_on: str | None = None
    """The GPU that the launch ran on, by the name that the file gives it."""
    multiprocessor_count: int | None = None
    """SMs of the GPU that the launch ran on, where the file says it."""
    shared_memory_configuration: int | None = None
    """Shared memory that the SM was set to for this launch, in bytes."""
    duration_us: float | None = None
    """How long the launch ran, in microseconds."""
    reported_occupancy: float | None = None
    """The theoretical occupancy that the source itself claims, 0 to 1."""
    achieved_occupancy: float | None = None
    """The occupancy that a profiler measured, 0 to 1; of several launches the mean."""

    notes: tuple[str, ...] = ()
    """What someone who reads the numbers should know about them."""

    @property
    def shared_memory(self) -> int | None:
        """Shared memory per block in bytes, static and dynamic; None where the source states neither."""
        return total_shared_memory(self.static_smem, self.dynamic_smem, self.smem)

    @property
    def lacks_dynamic_smem(self) -> bool:
        """Whether no source states the dynamic shared memory, alone or in a total; it counts as none."""
        return self.dynamic_smem is None and self.smem in (None, self.static_smem)

    @property
    def spills(self) -> tuple[int, int] | None:
        """Bytes that a thread stores and loads because registers do not suffice, none below 0; None where
        neither is known."""
        stores, loads = self.spill_store_bytes, self.spill_load_bytes
        if stores is None and loads is None:
            return None
        return max(stores or 0, 0), max(loads or 0, 0)

    @property
    def spills_are_counted(self) -> bool:
        """Whether it spills by a count in its machine code, and no compiler stated it."""
        return self.spills_from == "code" and any(self.spills or ())

    @property
    def is_passed_over(self) -> bool:
        """Whether it is a candidate that an autotuner did not choose, which does not run."""
        return self.chosen is False

    @property
    def is_comparable(self) -> bool:
        """Whether it plays a part where builds are compared: it is compiled, and may be launched."""
        return self.regs is not None and not self.is_passed_over

    @property
    def is_traced(self) -> bool:
        """Whether it is a launch of a trace, with its time."""
        return self.format == "pytorch-trace" and self.duration_us is not None

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
        return architecture_of(self.arch)

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
                hint="Give the threads per block that the kernel is launched with.",
            )
        return Kernel(
            threads=known,
            regs=self.regs,
            static_smem=self.static_smem,
            dynamic_smem=self.dynamic_smem,
            smem=self.smem if self.static_smem is None and self.dynamic_smem is None else None,
            barriers=self.barriers,
            block_dim=self.block_dim,
            carveout=self.carveout,
            opt_in=None if self.num_warps is None else True,  # Triton makes the call as it loads a kernel
            virtual_resources=self._given_virtual_resources(),
            tensor_memory=self.tensor_memory or None,
            spill_smem=self.spill_smem or None,
            reallocates_registers=bool(self.reallocates_registers),
            triton_warps=self.num_warps,
        )

    def _given_virtual_resources(self) -> int | None:
        """None where all that it says is that the kernel allocates: so does its tensor memory.

        ptxas writes as many whether or not the kernel relinquishes its permit; as an argument beside tensor
        memory they would say that it does not.
        """
        allocates = self.virtual_resources == VIRTUAL_RESOURCES_OF_TENSOR_MEMORY
        return None if self.tensor_memory and allocates else self.virtual_resources

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
        image = {
            name: getattr(compiled, name)
            for name in ("arch", "modules", "code", "linked", "file", "line", *COMPILED)
        }
        if compiled.virtual_resources is None:
            image["virtual_resources"] = self.virtual_resources
        return replace(self, **image | {"cluster_dim": self.cluster_dim or compiled.cluster_dim})

    def values(self) -> dict[str, Any]:
        """What the source says, by the names of the fields."""
        return dict(zip(FIELD_NAMES, all_values(self), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The same with the demangled name, for machines."""
        return {**self.values(), "demangled": self.demangled}


FIELD_NAMES = tuple(each.name for each in fields(KernelRecord) if each.compare)
"""What a source says of a kernel."""
all_values = attrgetter(*FIELD_NAMES)
"""Its values, in this order."""


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A piece of a source that could not be read; what else the source holds still is."""

    source: str
    offset: int | None
    """Where in the source: a byte for binary formats; None where no place can be named."""
    what: str
    line: int | None = None
    """Where in a text."""
    is_harmless: bool = field(default=False, compare=False, repr=False, metadata={"exclude": True})
    """True if no kernels are missing: the source holds device code without kernels."""

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
