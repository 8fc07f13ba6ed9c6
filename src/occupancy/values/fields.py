"""The table of a kernel's inputs.

Command-line options, keyword arguments, the checks of `Kernel`, the JSON Schema and the page's form use it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from ..errors import InputError, UnknownArgumentError, shown
from .spellings import FOR_SEVERAL, INT_MAX, did_you_mean, in_range, parse_count, parse_shape, parse_size

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = dict  # in Python 3.10; annotations are not evaluated

MAX_REGISTERS_PER_THREAD = 255
"""Largest number that the instruction set encodes. CUDA C++ Programming Guide, technical specifications."""

MAX_THREADS_PER_BLOCK = 1024
"""Limit of every GPU from 2.0. CUDA C++ Programming Guide, technical specifications."""
THREADS_ALLOWED = f"1 to {MAX_THREADS_PER_BLOCK:,}"

MAX_BARRIERS_PER_BLOCK = 16
"""Named barriers 0 to 15. PTX ISA, ``bar``."""

MAX_VIRTUAL_RESOURCES_PER_BLOCK = 255
"""Largest value of the one byte of a cubin's VRC_CTA_INIT_COUNT."""

CACHING_CCS = "5.2, 5.3, 6.1 and 6.2"
"""Compute capabilities with `Limits.partitioned_global_caching`."""

Caching = Literal["ca", "cg"]
SharedMemoryMode = Literal["oversized"]
"""CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY of cuda.h, for 10.7."""

_CARVEOUTS = "a whole percentage from 0% to 100%, a size such as 64k, or max"


class _CarveoutFields(NamedTuple):
    amount: int
    unit: Literal["percent", "bytes"]


class Carveout(_CarveoutFields):
    """Preferred size of the shared memory of an SM.

    Args:
        amount: Percentage of the SM's shared memory, 0 to 100, or a size in bytes.
        unit: ``"percent"`` as in cudaFuncAttributePreferredSharedMemoryCarveout, or ``"bytes"``.

    Raises:
        InputError: The amount is out of range.
    """

    __slots__ = ()

    def __new__(cls, amount: int, unit: Literal["percent", "bytes"]) -> Carveout:
        most = {"percent": 100, "bytes": INT_MAX}.get(str(unit))
        if most is None or type(amount) is not int or not 0 <= amount <= most:
            raise InputError(f"{shown(amount)} {unit} is out of range", where="carveout", allowed=_CARVEOUTS)
        return super().__new__(cls, amount, unit)

    def __str__(self) -> str:
        return f"{self.amount}%" if self.unit == "percent" else f"{self.amount / 1024:g} KiB"


def parse_carveout(value: object, where: str = "carveout") -> Carveout | None:
    """Parse a carveout; None is the largest shared memory.

    A number up to 100, with or without a percent sign, is a percentage. A larger number, or one with a unit, is
    a size in bytes. ``"max"`` is 100 percent.
    """
    if value is None or isinstance(value, Carveout):
        return value
    text = value.strip().lower() if isinstance(value, str) else ""
    text = "100%" if text == "max" else text
    try:
        amount = parse_size(text.removesuffix("%") or value, where)
        is_percent = text.endswith("%") or (amount <= 100 and (not text or text.isdigit()))
        return Carveout(amount, "percent" if is_percent else "bytes")
    except InputError:
        raise InputError(f"{shown(value)} is not a carveout", where=where, allowed=_CARVEOUTS) from None


Kind = Literal["count", "size", "flag", "choice", "shape", "carveout"]

_FLAGS: Mapping[str, object] = {"true": True, "1": True, "false": False, "0": False}


class Field(NamedTuple):
    """One input of a kernel."""

    name: str
    label: str
    """Name in a sentence or a table."""
    kind: Kind
    help: str
    """One line for the help of a command: meaning, examples after a colon, default in brackets."""
    low: int = 0
    high: int = INT_MAX
    multiple_of: int = 1
    choices: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """On the command line, the short one first; empty: no option."""
    metavar: str = "N"
    aliases: tuple[str, ...] = ()
    """Names in CUDA, Triton, Kernel Tuner, CUTLASS and Nsight Compute, which autotuners' configurations have."""
    allowed: str = ""
    """Accepted values in words, if not low to high."""
    hint: str = ""
    """Fix of a count that is not a number."""

    @property
    def about(self) -> str:
        """Meaning and unit, for the JSON Schema."""
        return re.split(r": |\.?  \[|\.$", self.help)[0]

    @property
    def json_type(self) -> str:
        types = {"flag": "boolean", "choice": "string", "carveout": "string", "shape": "array"}
        return types.get(self.kind, "integer")

    @property
    def can_vary(self) -> bool:
        """True if a sweep accepts lists and ranges of the input."""
        return self.kind in ("count", "size", "carveout") and bool(self.options)

    def parse(self, value: object) -> Any:
        """Parse any accepted spelling and check the range."""
        choices = (True, False) if self.kind == "flag" else self.choices
        if choices:
            try:
                return choices[choices.index(_FLAGS.get(str(value).lower(), value))]  # True for 1
            except ValueError:
                allowed = ", ".join(map(str, choices))
                raise InputError(f"{shown(value)} is unknown", where=self.name, allowed=allowed) from None
        if self.kind == "shape":
            return parse_shape(value, self.name)
        if self.kind == "carveout":
            return parse_carveout(value, self.name)
        if self.kind == "size":
            return in_range(parse_size(value, self.name, FOR_SEVERAL), self.name, self.low, self.high)
        number = parse_count(value, self.name, self.hint, FOR_SEVERAL)
        return in_range(number, self.name, self.low, self.high, self.allowed)


TENSOR_MEMORY_UNIT = 32
"""Columns come in multiples of it. PTX ISA, ``tcgen05.alloc``."""

FIELDS: Mapping[str, Field] = {
    field.name: field
    for field in (
        Field(
            "threads", "threads per block", "count", "Threads per block: 256 or 16x16.",
            low=1, options=("-t", "--threads"), metavar="N|XxYxZ", allowed=THREADS_ALLOWED,
            hint="Write a number such as 256.",
            aliases=("block_dim", "block_size", "num_threads", "nthreads", "threads_per_block", "tpb"),
        ),
        Field(
            "regs", "registers per thread", "count", "Registers per thread.",
            high=MAX_REGISTERS_PER_THREAD, options=("-r", "--regs"), hint="Write a number such as 64.", aliases=(
                "reg", "registers", "regs_per_thread", "registers_per_thread", "n_regs", "num_regs", "maxrregcount",
            ),
        ),
        Field(
            "smem", "shared memory per block", "size", "Total shared memory per block, in bytes: 40960, 40k, 3*16k+16.",
            options=("-s", "--smem"), metavar="SIZE",
            aliases=("shared", "shared_memory", "shared_mem", "shared_mem_per_block", "shared_bytes", "shmem"),
        ),
        Field(
            "static_smem", "static shared memory per block", "size",
            "Static shared memory per block (__shared__), in bytes.", options=("--static-smem",), metavar="SIZE",
            aliases=("static_shared", "static_shared_memory", "static_shared_mem", "static_shmem"),
        ),
        Field(
            "dynamic_smem", "dynamic shared memory per block", "size",
            "Dynamic shared memory per block (at launch), in bytes.", options=("--dynamic-smem",), metavar="SIZE",
            aliases=("dynamic_shared", "dynamic_shared_memory", "dynamic_shared_mem", "dynamic_shmem"),
        ),
        Field(
            "barriers", "barriers per block", "count",
            "Named barriers per block (can limit blocks on cc 9.0+).  [default: 1]", hint="Write a number such as 2.",
            high=MAX_BARRIERS_PER_BLOCK, options=("--barriers",), aliases=("num_block_barriers", "num_barriers"),
        ),
        Field(
            "max_threads", "launch bound", "count",
            "First argument of __launch_bounds__.  [default: the block size]",
            low=1, options=("--max-threads",), aliases=("max_threads_per_block", "maxntid"),
            hint="Write a number such as 256.",
        ),
        Field(
            "cluster", "cluster", "shape", "Blocks per cluster (cc 9.0+): 2 or 2x2.", low=1, options=("--cluster",),
            metavar="N|XxYxZ", aliases=("num_ctas", "cluster_size", "cluster_dim", "cluster_dims"),
        ),
        Field(
            "carveout", "carveout", "carveout",
            "Preferred shared memory: 50%, 64k or max.  [default: max]",
            options=("--carveout",), metavar="PERCENT|SIZE",
        ),
        Field(
            "opt_in", "opt-in", "flag",
            "Assume the opt-in to more than 48 KiB of dynamic shared memory. An explicit --opt-in also accepts more "
            "than 48 KiB of static shared memory, as for sm_90a.  [default: dynamic only]",
            options=("--opt-in/--no-opt-in",),
        ),
        Field(
            "tensor_memory", "tensor memory per block", "count",
            "Tensor memory columns per block (cc 10.0 to 11.0).",
            low=1, multiple_of=TENSOR_MEMORY_UNIT, options=("--tensor-memory", "--tmem"),
            hint="Write a number such as 128.", metavar="COLUMNS", aliases=("tmem_size", "tmem_columns", "tmem"),
        ),
        Field(
            "virtual_resources", "virtual resources per block", "count",
            "Virtual resources per block (can limit blocks on cc 10.0+): 128 if the block allocates tensor memory, "
            "0 if it then executes tcgen05.relinquish_alloc_permit.",
            high=MAX_VIRTUAL_RESOURCES_PER_BLOCK, options=("--virtual-resources",), hint="Write a number such as 128.",
        ),
        Field(
            "caching", "caching mode", "choice",
            f"Cache global loads in L1 (ca) or only in L2 (cg), on cc {CACHING_CCS}.  [default: cg]",
            choices=("ca", "cg"), options=("--caching",), metavar="ca|cg",
        ),
        Field(
            "shared_memory_mode", "shared memory mode", "choice",
            "Shared memory beyond the opt-in limit (cc 10.7).",
            choices=("oversized",), options=("--shared-memory-mode",), metavar="oversized",
        ),
        Field("block_dim", "shape of the block", "shape", "Threads along x, y and z."),
        Field(
            "reallocates_registers", "setmaxnreg", "flag",
            "True if warpgroups exchange registers (setmaxnreg). No step then reduces registers.",
        ),
    )
}  # fmt: skip
"""Name of a keyword of `compute` -> its row, in the order of the help."""
LIKELY = {alias.replace("_", ""): field.name for field in FIELDS.values() for alias in field.aliases}
LIKELY |= {"block": "threads", "warps": "threads", "numwarps": "threads", "dynsmem": "dynamic_smem"}
"""Alias without underscores, or name of a similar input -> keyword, for hints."""


class KernelInputs(TypedDict, total=False):
    """Keyword arguments for a kernel, in the spellings of `FIELDS`; None is the same as not given."""

    threads: int | str | tuple[int, ...] | None
    regs: int | str | None
    smem: int | str | None
    static_smem: int | str | None
    dynamic_smem: int | str | None
    barriers: int | str | None
    max_threads: int | str | None
    carveout: int | str | Carveout | None
    opt_in: bool | str | None
    tensor_memory: int | str | None
    virtual_resources: int | str | None
    caching: Caching | None
    shared_memory_mode: SharedMemoryMode | None
    cluster: int | str | Sequence[int] | None


class KernelChanges(KernelInputs, total=False):
    """Keyword arguments of `Kernel.replace`."""

    block_dim: str | Sequence[int] | None
    reallocates_registers: bool | str | None


def reject_unknown(
    given: Iterable[str], function: Callable[..., object], known: Collection[str], otherwise: str = ""
) -> None:
    """Raise an error for a keyword that a function does not have, with the likeliest one."""
    for name in (each for each in given if each not in known):
        from inspect import signature  # only an error needs it

        own = {each.name for each in signature(function).parameters.values() if each.kind != each.VAR_KEYWORD}
        names = sorted({*own, *known} - {"self", "place"})
        others = {"gpu": "gpu", "cc": "gpu", "arch": "gpu", "launchbounds": "max_threads"}
        likely = {**LIKELY, **others}.get(name.replace("_", "").replace("-", "").lower())
        elsewhere = 'For another GPU, call occupancy.compute("A100", result).' if likely == "gpu" else ""
        near = did_you_mean(name, names)
        if hint := f"Did you mean {likely}?" if likely in names else elsewhere or otherwise:
            near = {"hint": hint, "choices": {likely: ""} if likely in names else {}}
        raise UnknownArgumentError(f"is not an argument of {function.__name__}()", where=name, **near)
