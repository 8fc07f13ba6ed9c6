"""Compute capabilities, and the limits of a streaming multiprocessor (SM)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, get_args

import occupancy  # to print: its public names load their modules on first use

from ..errors import InputError, OccupancyError, TableError, invalid, shown
from .fields import MAX_REGISTERS_PER_THREAD
from .numbers import grouped, listed
from .records import documented
from .spellings import INT_MAX, did_you_mean, parse_count, parse_size

# sm_90a, compute_120, 90a-real, cc 9.0, 9.0+PTX; of three digits two are the major number.
_SPELLING = re.compile(
    r"(?:sm_?|compute_?|cc\s*)?(?:(\d{1,2})\.(\d{1,2})|(\d{1,2})(\d))[af]?(?:\+ptx|-real|-virtual)?",
    re.IGNORECASE | re.ASCII,
)
MAX_BLOCK_SIZES = 1 << 13
"""Most block sizes of whole warps, as some lists have a row for each; real SMs have 32."""

Granularity = Literal["warp", "block"]
SpreadsheetVersion = Literal["2.4", "11.1"]


@documented
class ComputeCapability(NamedTuple):
    """Compute capability, ordered by generation. ``str()`` returns ``"9.0"``."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @property
    def sm(self) -> str:
        """Name of the architecture for the compiler, such as ``"sm_90"``."""
        return f"sm_{self.major}{self.minor}"

    @classmethod
    def parse(cls, value: object) -> ComputeCapability:
        """Parse a compute capability in any spelling.

        Args:
            value: A string (``"9.0"``, ``"90"``, ``"sm_90a"``, ``"compute_90"``, ``"9.0+PTX"``), an
                integer of two or three digits (``90``, ``120``) or a pair (``(9, 0)``). The suffixes
                ``a`` and ``f`` do not change the occupancy and are dropped.

        Raises:
            InputError: Any other value. Floats are rejected, because 12.10 equals 12.1.
        """
        problem = "is not a compute capability"
        match plain_value(value):
            case ComputeCapability() as known:
                return known
            case str(text):
                if parts := _SPELLING.fullmatch(text.strip()):
                    return cls(int(parts[1] or parts[3]), int(parts[2] or parts[4]))
            case float():
                problem = "is a float, which cannot distinguish 12.10 from 12.1"
            case bool() | [bool(), _] | [_, bool()]:
                pass
            case int(number) if 20 <= number <= 999:  # 12 could be 12.0
                return cls(*divmod(number, 10))
            case [int(major), int(minor)] if 0 < major < 100 and 0 <= minor < 100:
                return cls(major, minor)
        allowed = 'text such as "9.0" or "sm_90a", or an integer such as 90'
        raise InputError(f"{shown(value)} {problem}", where="gpu", allowed=allowed)


@documented
class SpreadsheetColumn(NamedTuple):
    """Differences of NVIDIA's spreadsheet from the limits of a compute capability; None: no difference."""

    version: SpreadsheetVersion
    max_registers_per_block: int | None = None
    max_registers_per_block_ca: int | None = None
    """Registers per block with global loads cached in L1."""
    warp_allocation_granularity_ca: int | None = None
    """Warp granularity with global loads cached in L1."""
    max_shared_memory_per_block: int | None = None
    reserved_shared_memory_per_block: int = 0
    doubled_register_units: tuple[int, ...] = ()
    """Registers per thread with a register allocation unit twice as large."""


@documented
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits:
    """Limits of one SM of a compute capability; ``print`` lists them.

    Shared memory is in bytes, registers are 32-bit registers. The names follow the CUDA driver's device attributes
    (``CU_DEVICE_ATTRIBUTE_...``). The values and their sources are in ``data/gpu_limits.yaml``.

    Raises:
        TableError: A value is out of range or contradicts another one.
    """

    compute_capability: ComputeCapability
    architecture: str
    """Generation, such as ``"Hopper"``."""
    warp_size: int
    max_threads_per_multiprocessor: int
    max_blocks_per_multiprocessor: int
    max_registers_per_multiprocessor: int
    max_registers_per_block: int
    max_registers_per_thread: int
    max_shared_memory_per_multiprocessor: int
    max_shared_memory_per_block: int
    """Bytes per block without opt-in."""
    max_shared_memory_per_block_optin: int
    """Bytes per block with opt-in, without ``reserved_shared_memory_per_block``."""
    max_oversized_shared_memory_per_block: int | None = None
    """Bytes per block in the oversized mode (`SharedMemoryMode`); None: no such mode."""
    reserved_shared_memory_per_block: int
    """Bytes of shared memory that CUDA reserves for each resident block."""
    shared_memory_configurations: tuple[int, ...]
    """Shared memory configurations of the SM in bytes, ascending."""
    unified_l1_and_shared_memory: int | None
    """Bytes that L1 cache and shared memory share; None: separate, or unknown."""
    max_threads_per_block: int
    max_block_dim: tuple[int, int, int]
    max_portable_cluster_size: int | None
    """Blocks per cluster on every GPU of this compute capability; None: no clusters."""
    max_non_portable_cluster_size: int | None
    """Blocks per cluster of a kernel that allows non-portable sizes; None: no clusters, or unknown."""
    max_barriers_per_block: int
    max_barriers_per_multiprocessor: int | None
    """Named barriers, a limit on compute capability 9.0 and newer; None: no limit, or unknown."""
    virtual_resources_per_multiprocessor: int | None = None
    """Sum of ``virtual_resources`` of the resident blocks; None: no limit."""
    tensor_memory_per_multiprocessor: int | None = None
    """Columns of tensor memory, of 128 lanes of 32 bits each; None: no tensor memory."""
    register_allocation_unit: int
    register_allocation_granularity: Granularity
    """Owner of a register allocation: each warp, or (1.x) the whole block."""
    shared_memory_allocation_unit: int
    warp_allocation_granularity: int
    sub_partitions: int
    """Parts of the SM with their own warp scheduler and register file."""
    launch_check_sub_partitions: int | None = None
    """Sub-partitions in the launch check of 6.0; None: no such check."""
    partitioned_global_caching: bool = False
    """Support of global loads cached in L1, which confine a block to one half of the SM."""
    fp32_lanes_per_multiprocessor: int | None = None
    """FP32 lanes, which do not affect occupancy; None: unknown."""
    spreadsheet: SpreadsheetColumn | None = None
    """Column of NVIDIA's spreadsheet; None: no column."""

    def __post_init__(self) -> None:
        _check_values(self)
        if self.spreadsheet:
            _check_values(self.spreadsheet, "spreadsheet.")

        sm_limit, block_limit = "max_shared_memory_per_multiprocessor", "max_shared_memory_per_block_optin"
        total, opt_in = self.max_shared_memory_per_multiprocessor, self.max_shared_memory_per_block_optin
        most, sizes = total - self.reserved_shared_memory_per_block, self.shared_memory_configurations
        ascend = list(sizes) == sorted(set(sizes)) and sizes[-1:] == (total,)
        unified, oversized = self.unified_l1_and_shared_memory, self.max_oversized_shared_memory_per_block
        warp, longest = self.warp_size, MAX_BLOCK_SIZES * self.warp_size
        for is_valid, name, other, allowed in (
            (most > 0, "reserved_shared_memory_per_block", sm_limit, f"less than {total}"),
            (ascend, "shared_memory_configurations", sm_limit, f"ascending sizes, the last one {total}"),
            (not unified or total <= unified, sm_limit, "unified_l1_and_shared_memory", f"up to {unified}"),
            (self.max_threads_per_multiprocessor % warp == 0, "max_threads_per_multiprocessor", "warp_size",
             f"a multiple of {warp}"),
            (self.max_threads_per_block <= longest, "max_threads_per_block", "warp_size", f"up to {longest}"),
            (self.max_shared_memory_per_block <= opt_in, "max_shared_memory_per_block", block_limit, f"up to {opt_in}"),
            (opt_in <= most, block_limit, sm_limit, f"up to {most}, without the reservation"),
            (oversized is None or opt_in <= oversized <= most, "max_oversized_shared_memory_per_block", block_limit,
             f"{opt_in} to {most}"),
        ):  # fmt: skip
            if not is_valid:
                problem = f"{grouped(shown(getattr(self, name)))} contradicts {other}"
                raise TableError(problem, where=name, allowed=grouped(allowed))

    def __repr__(self) -> str:
        changes = listed([f"{name}={value}" for name, value in self.changes.items()], 3)
        return f"<Limits {self.compute_capability}{changes and f' with {changes}'}>"

    def __str__(self) -> str:
        return str(occupancy.limits([self]))

    def _repr_html_(self) -> str:
        return occupancy.limits([self])._repr_html_()

    @property
    def changes(self) -> dict[str, Any]:
        """Limits that differ from the table, with their values; none for a compute capability of your own."""
        known = self
        with suppress(OccupancyError):
            known = occupancy.gpu(str(self.compute_capability)).limits
        names = () if known is self else KINDS  # thousands of results ask
        return {name: value for name in names if (value := getattr(self, name)) != getattr(known, name)}

    @property
    def max_warps_per_multiprocessor(self) -> int:
        """Maximum number of resident warps."""
        return self.max_threads_per_multiprocessor // self.warp_size

    @property
    def most_blocks_per_cluster(self) -> int:
        """Largest cluster size; 1 without clusters, and the largest integer if it is not documented."""
        return 1 if self.max_portable_cluster_size is None else self.max_non_portable_cluster_size or INT_MAX

    def replace(self, **changes: Any) -> Limits:
        """Return the same SM with some limits changed; sizes can be text, such as ``"200k"``.

        A change of ``max_shared_memory_per_multiprocessor`` alone also changes the shared memory
        configurations: larger ones are removed, and the new size is the largest. If there is no opt-in to
        more shared memory, ``max_shared_memory_per_block`` changes both maxima.

        Raises:
            TableError: The field does not exist, or its value is invalid.
            InputError: The value is not a compute capability.
        """
        check_names(changes, (*KINDS, "compute_capability"))
        values = {name: plain_value(value, KINDS.get(name, "")) for name, value in changes.items()}
        if "compute_capability" in values:
            values["compute_capability"] = ComputeCapability.parse(values["compute_capability"])
        size = values.get("max_shared_memory_per_multiprocessor")
        if type(size) is int and "shared_memory_configurations" not in values:
            smaller = (known for known in self.shared_memory_configurations if known < size)
            values["shared_memory_configurations"] = (*smaller, size)
        has_opt_in = self.max_shared_memory_per_block != self.max_shared_memory_per_block_optin
        if "max_shared_memory_per_block" in values and not has_opt_in:
            values.setdefault("max_shared_memory_per_block_optin", values["max_shared_memory_per_block"])
        return replace(self, **values)


def check_names(given: Iterable[object], names: Collection[str], where: str = "") -> None:
    """Reject an unknown name with the nearest names, or the limit from which the number of warps follows."""
    limit = "max_threads_per_multiprocessor"
    listing = "To list the names, run `print(occupancy.sources())` (`occupancy limits 9.0 --sources`)."
    for name in (str(each)[:80] for each in given if each not in names):
        likely = {"cc": "compute_capability"}.get(name, name)
        near = did_you_mean(likely, names, listing if limit in names else "")
        if "warps" in name or name.endswith("warp"):
            near = {"hint": f"Set {limit}, from which the warps per SM follow.", "choices": {limit: ""}}
        raise TableError("is unknown", where=where + name, **near)


def plain_value(value: Any, kind: str = "") -> Any:
    """Return lists as tuples, and integers of other libraries, text or floats as integers."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):  # named tuples stay
        return tuple(plain_value(item, kind) for item in value)
    if "int" in kind:
        for parse in (parse_size, parse_count):
            with suppress(InputError):
                return parse(value, "")
    if not isinstance(value, bool):
        with suppress(TypeError):
            return operator.index(value)
    return value


def _check_values(record: Limits | SpreadsheetColumn, where: str = "") -> None:
    for name, written in type(record).__annotations__.items():
        value = getattr(record, name)
        # `typing` wraps the text of a named tuple's types in ForwardRef.
        kind, _, optional = str(getattr(written, "__forward_arg__", written)).partition(" | ")
        is_valid, allowed = KIND_CHECKS[kind]
        if value is None and optional:
            continue
        if not is_valid(value):
            allowed += ", or None" if optional else ""
            problem = "a value is required" if value is None else invalid(value)
            raise TableError(problem, where=where + name, allowed=allowed)
        least = 0 if name in MAY_BE_ZERO else 1
        most = MAX_REGISTERS_PER_THREAD if name == "max_registers_per_thread" else INT_MAX
        for number in value if kind.startswith("tuple") else [value]:
            if type(number) is int and not least <= number <= most:
                problem = f"{shown(number)} is out of range"
                raise TableError(problem, where=where + name, allowed=f"{least} to {most:,}")


def _are_whole(value: object) -> bool:
    return isinstance(value, tuple) and all(type(number) is int for number in value)


# Type of a field, as written above without None -> check of a value, and its description.
KIND_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "ComputeCapability": (lambda value: isinstance(value, ComputeCapability), "a ComputeCapability"),
    "str": (lambda value: isinstance(value, str), "text"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "int": (lambda value: type(value) is int, "a whole number"),  # excludes True
    "tuple[int, ...]": (_are_whole, "whole numbers"),
    "tuple[int, int, int]": (lambda value: _are_whole(value) and len(value) == 3, "three whole numbers"),
    "SpreadsheetVersion": (lambda value: value in get_args(SpreadsheetVersion), '"2.4" or "11.1"'),
    "Granularity": (lambda value: value in get_args(Granularity), '"warp" or "block"'),
    "SpreadsheetColumn": (lambda value: isinstance(value, SpreadsheetColumn), "names and values"),
}
MAY_BE_ZERO = ("reserved_shared_memory_per_block", "shared_memory_configurations")
"""Numbers that are at least 0; all others are at least 1."""

KINDS: dict[str, str] = {field.name: str(field.type).removesuffix(" | None") for field in fields(Limits)[1:]}
"""Name of a limit -> its type without None, in the order of the table, without the compute capability."""
