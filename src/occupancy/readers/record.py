"""Results of the readers: kernel records, problems and remarks; demangled names.

The package `demangle` is pure Python, agrees with LLVM on 99% of the names of real kernels, and bounds its
time and memory. In compiled demanglers a damaged name can overflow the stack, which ends the process.
It needs Python 3.11; without it, names stay mangled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from math import prod
from typing import Any, Literal, NamedTuple

from ..errors import InputError, Place, ReadError, about, cut
from ..values.fields import Carveout
from ..values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY, Kernel
from ..values.limits import ComputeCapability
from ..values.records import documented, readable
from ..values.untrusted import printable

SourceFormat = Literal[
    "cubin", "fatbin", "ptx", "ptxas", "res-usage", "triton", "nsight-csv", "ncu-rep", "pytorch-trace",
    "python",
]  # fmt: skip

SPILLS = ("spill_store_bytes", "spill_load_bytes", "spills_from")

COMPILED = (
    "regs", "static_smem", "spill_smem", "barriers", "virtual_resources", "reallocates_registers",
    "stack_bytes", *SPILLS, "max_threads", "required_threads", "min_blocks",
    "register_cap", "cluster_dim",
)  # fmt: skip
"""Fields of a record that the compiler determines."""

MAX_WITHOUT_OPT_IN = 48 * 1024  # bytes of shared memory per block; also the limit of ptxas for static

# Maximum length of a demangled name: a short mangled name can expand to millions of characters.
MAX_RATIO, MAX_CHARACTERS = 8, 1 << 12

Shape = tuple[int, int, int]

STATIC = re.compile(r"__nv_static_(\d{1,4})_")
"""Start of a static kernel's name with -rdc=true: the length of the name of its compilation unit, which follows."""


@lru_cache(maxsize=64)
def architecture_of(arch: str | None) -> ComputeCapability | None:
    try:
        return ComputeCapability.parse(arch) if arch else None
    except InputError:
        return None


@lru_cache(maxsize=1 << 11)
def demangle(name: str) -> str:
    """Return the demangled C++ name, or the name itself."""
    if static := STATIC.match(name):
        name = name[static.end() + int(static[1]) + 1 :] or name
    if not name.startswith("_Z"):
        return name
    try:
        from demangle import demangle_strict as spell

        readable: str = spell(name, language="itanium")
    except Exception:  # Python 3.10 lacks the package, and the parser can raise any error for a damaged name
        return name
    return readable if len(readable) <= MAX_RATIO * len(name) + MAX_CHARACTERS else name


@readable
class Spills(NamedTuple):
    """Bytes of spill stores and loads per thread."""

    stores: int
    loads: int

    @property
    def total(self) -> int:
        """Stores and loads."""
        return self.stores + self.loads

    def __bool__(self) -> bool:
        return self.total > 0


NO_SPILLS = Spills(0, 0)


@readable
@dataclass(unsafe_hash=True, slots=True, kw_only=True)  # frozen ones take three times as long to create
class KernelRecord:
    """Kernel of one architecture, or one launch, with the values that its file records; None: unknown."""

    source: str
    """Path as given, or the name of the stream."""
    format: SourceFormat
    name: str
    """Mangled name, if the source contains it; cut at 64 KiB, with control characters escaped."""
    arch: str | None = None
    """Target of the compiler, such as ``"sm_90"`` or ``"sm_90a"``."""
    also_in: tuple[str, ...] = ()
    """Other files with a copy of the kernel, or from which some of these values come."""
    modules: tuple[tuple[str, int], ...] = field(default=(), compare=False, repr=False)
    """Fatbins with a copy of the image: file, and number in the file. The driver chooses among their images."""
    ptx: tuple[str, ...] | None = None
    """Targets of the PTX in the fatbin of the kernel, such as ``"compute_90"``; None if unknown."""
    code: int | None = None
    """CRC-32 of the machine code; None without an image."""
    file: str | None = None
    """Source file of the kernel, if it was compiled with ``-lineinfo``."""
    line: int | None = None
    """Line in the source file."""
    fuses: tuple[str, ...] = ()
    """ATen operations that Inductor fused, such as ``"aten.add"``, if the generated source is in the cache."""
    chosen: bool | None = None
    """True if an autotuner chose this candidate; None without an autotuner."""
    num_warps: int | None = None
    """Warps per block (Triton)."""
    num_stages: int | None = None
    """Pipeline stages (Triton)."""
    linked: bool | None = None
    """False for a kernel of a relocatable object, whose values do not include its callees."""

    regs: int | None = None
    """Registers per thread."""
    static_smem: int | None = None
    """Static shared memory per block in bytes, without the 1 KiB that CUDA reserves."""
    spill_smem: int | None = None
    """Part of ``static_smem`` that the compiler added for spills, in bytes."""
    dynamic_smem: int | None = None
    """Dynamic shared memory per block in bytes."""
    smem: int | None = None
    """Static and dynamic shared memory in bytes, if the source does not separate them."""
    barriers: int | None = None
    """Named barriers per block."""
    virtual_resources: int | None = None
    """Virtual resources per block: 128 for a kernel that allocates tensor memory, from 10.0."""
    tensor_memory: int | None = None
    """Columns of tensor memory per block."""
    reallocates_registers: bool | None = None
    """True if warpgroups exchange registers (``setmaxnreg``). ``regs`` is the number at launch."""

    stack_bytes: int | None = None
    """Stack per thread in bytes, with callees; without callees in a relocatable object."""
    frame_bytes: int | None = field(default=None, compare=False, repr=False)
    """Stack frame per thread in bytes (FRAME_SIZE), without direct callees."""
    spill_store_bytes: int | None = None
    """Bytes of spill stores per thread. Printed values are below 0 if the kernel also spills to shared memory.
    Counted values support sm_70 and newer, and do not include callees."""
    spill_load_bytes: int | None = None
    """Bytes of spill loads per thread."""
    spills_from: Literal["compiler", "code"] | None = None
    """Origin of both: printed by the compiler, or counted in the machine code."""

    max_threads: int | None = None
    """First launch bound: maximum threads per block."""
    required_threads: int | None = None
    """Exact number of threads per block (`.reqntid`)."""
    min_blocks: int | None = None
    """Second launch bound: minimum blocks per SM."""
    register_cap: int | None = None
    """Register cap that the kernel was compiled with, per thread."""
    cluster_dim: Shape | None = None
    """Blocks per cluster along x, y and z."""

    threads: int | None = None
    """Threads per block; None if the source does not contain them."""
    threads_from: Literal["launch", "metadata", "required", "option"] | None = None
    """Origin of ``threads``: a launch, the metadata of a compiler, ``.reqntid``, or the user."""
    block_dim: Shape | None = None
    """Threads of the block along x, y and z."""
    launches: int | None = None
    """Number of launches; None for a kernel."""
    grid_dim: Shape | None = None
    """Blocks along x, y and z, for a launch."""
    profiled_on: str | None = None
    """Name of the GPU of the launch."""
    multiprocessor_count: int | None = None
    """SMs of the GPU of the launch."""
    shared_memory_configuration: int | None = None
    """Shared memory configuration of the SM at launch, in bytes."""
    duration_us: float | None = None
    """Duration of the launch in microseconds."""
    achieved_occupancy: float | None = None
    """Occupancy measured by a profiler, 0 to 1; the mean of several launches."""

    notes: tuple[str, ...] = ()
    """Notes about the values."""

    @property
    def shared_memory(self) -> int | None:
        """Static and dynamic shared memory per block in bytes."""
        if self.smem is not None:
            return self.smem
        static, dynamic = self.static_smem, self.dynamic_smem
        return None if static is None and dynamic is None else (static or 0) + (dynamic or 0)

    @property
    def lacks_dynamic_smem(self) -> bool:
        """True if the dynamic shared memory is unknown."""
        return self.dynamic_smem is None and self.smem in (None, self.static_smem)

    @property
    def spills(self) -> Spills | None:
        """Bytes of spill stores and loads per thread; None if unknown, false if both are 0."""
        stores, loads = self.spill_store_bytes, self.spill_load_bytes
        return None if stores is None and loads is None else Spills(max(stores or 0, 0), max(loads or 0, 0))

    @property
    def demangled(self) -> str:
        """Demangled name, or the mangled name if it cannot be demangled."""
        return demangle(self.name)

    @property
    def compute_capability(self) -> ComputeCapability | None:
        """Compute capability of the architecture; None if unknown."""
        return architecture_of(self.arch)

    def kernel(self, threads: int | None = None) -> Kernel:
        """Return the resources that one block needs.

        Args:
            threads: Threads per block, if the file does not contain them.

        Raises:
            InputError: The block size is unknown, or the source has invalid values.
        """
        known = self.threads if self.threads is not None else threads
        if known is None:
            what = f"{self.source} does not contain the block size of {self.name}"
            raise InputError(what, where="threads", hint="Pass the threads per block of the launch.")
        configuration = self.shared_memory_configuration
        # ptxas writes the virtual resources of tensor memory even if the kernel relinquishes its permit.
        # Together with tensor memory they would mean that it keeps the permit.
        allocates = self.tensor_memory and self.virtual_resources == VIRTUAL_RESOURCES_OF_TENSOR_MEMORY
        # ptxas also prints a line for a kernel that it rejects; sm_90a allows more. Triton opts in on loading.
        compiles = self.format != "ptxas" or (self.arch or "").endswith("a")
        is_large = (self.static_smem or 0) > MAX_WITHOUT_OPT_IN
        opt_in = True if self.num_warps is not None or (is_large and compiles) else None
        return Kernel(
            threads=known, regs=self.regs, static_smem=self.static_smem, dynamic_smem=self.dynamic_smem,
            smem=self.smem if self.static_smem is None and self.dynamic_smem is None else None,
            barriers=self.barriers, block_dim=self.block_dim,
            carveout=None if configuration is None else Carveout(configuration, "bytes"),
            opt_in=opt_in, virtual_resources=None if allocates else self.virtual_resources,
            tensor_memory=self.tensor_memory or None, max_threads=self.required_threads or self.max_threads,
            reallocates_registers=bool(self.reallocates_registers), cluster=self.cluster_dim,
        )  # fmt: skip

    def with_compiled(self, compiled: KernelRecord) -> KernelRecord:
        """Return this launch with the values of the kernel's image."""
        names = ("arch", "modules", "code", "linked", "file", "line", *COMPILED)
        image = {name: getattr(compiled, name) for name in names}
        if compiled.virtual_resources is None:
            image["virtual_resources"] = self.virtual_resources
        return replace(self, **image | {"cluster_dim": self.cluster_dim or compiled.cluster_dim})

    def to_dict(self) -> dict[str, Any]:
        """Return the values with the demangled name."""
        return {name: getattr(self, name) for name in RECORD_FIELDS} | {"demangled": self.demangled}


RECORD_FIELDS = tuple(each.name for each in fields(KernelRecord) if each.compare)
"""Fields of a record in every output."""


def block_shapes(most: Shape | None, exact: Shape | None) -> dict[str, Any]:
    """Return the fields of a record with the block shapes of ``.maxntid`` and ``.reqntid``."""
    threads = prod(exact) if exact else None
    return {
        "max_threads": prod(most) if most else None, "required_threads": threads, "threads": threads,
        "threads_from": "required" if exact else None, "block_dim": exact,
    }  # fmt: skip


@documented
@dataclass(frozen=True, slots=True)
class ReadProblem:
    """Piece of a source that could not be read."""

    source: str
    what: str
    line: int | None = None
    """Line number in a text; None if unknown."""
    is_harmless: bool = field(default=False, compare=False, repr=False)
    """True if no kernels are missing: the source contains device code without kernels."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", cut(printable(cut(self.what))))

    @property
    def where(self) -> str:
        """Source, and the line of a text."""
        return str(Place(self.source, self.line))

    @property
    def warning(self) -> str:
        """Problem as a line that begins with Warning."""
        return f"Warning: {printable(str(self)).rstrip('.')}."

    def __str__(self) -> str:
        return about(self.where, self.what)

    def error(self) -> ReadError:
        return ReadError(self.what, where=Place(self.source, self.line))


class Fusion(NamedTuple):
    """Fused operations of the kernel in a generated file."""

    file: str  # base name of the generated file, because caches can be moved
    operations: tuple[str, ...]


class Choice(NamedTuple):
    """Candidate of a kernel chosen by an autotuner."""

    folder: str  # name of the candidate's folder


Remark = Fusion | Choice  # information in one file about kernels of other files

Item = KernelRecord | ReadProblem | Remark  # yielded by readers, in the order of the file


def agreed_ptx(records: Iterable[KernelRecord]) -> tuple[str, ...] | None:
    """Return the PTX targets of all copies of a kernel; None if they differ, or one has a damaged fatbin."""
    found = {record.ptx for record in records if record.ptx is not None or record.format == "fatbin"}
    return found.pop() if len(found) == 1 else None


def file_name(path: str) -> str:
    """Return the base name of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2]
