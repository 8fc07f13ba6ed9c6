"""GPUs by compute capability, by architecture, or by name.

All commands and functions accept the same spellings: ``9.0``, ``sm_90a``, ``hopper``, ``RTX 4090``,
``h100-sxm``, a list of these, or comma-separated text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Literal, Protocol, TypeGuard

from ..errors import InputError, UnknownComputeCapabilityError, shown
from ..values.kernel import Kernel
from ..values.limits import ComputeCapability, Limits
from ..values.numbers import count
from ..values.records import documented
from . import shipped
from .products import MAX_NAME, Product, common_name, matching, products, similar, starting, with_full_name

CURRENT_FROM = ComputeCapability(7, 5)
"""Oldest compute capability that CUDA 13 compiles for."""
TEGRA = frozenset(map(ComputeCapability.parse, ("3.2", "5.3", "6.2", "7.2", "8.7", "10.1", "11.0")))
"""Compute capabilities of Tegra SoCs, including both of Thor. Their code and the code of other GPUs are not
compatible (CUDA Programming Guide, "Binary Compatibility")."""
MAX_CHOICES, MAX_SUGGESTIONS = 20, 8
"""Maximum number of candidates in an error, and of names that are only similar."""
_CHOOSE = "Choose one of these names:"

Architecture = Literal[
    "tesla", "fermi", "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell", "rubin",
    "Tesla", "Fermi", "Kepler", "Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell", "Rubin",
]  # fmt: skip
"""Name of an architecture, for all of its compute capabilities."""

WELL_KNOWN = {
    "5.2": "980", "6.0": "P100", "6.1": "GTX 1080", "7.0": "V100", "7.2": "Xavier", "7.5": "T4", "8.0": "A100",
    "8.6": "3090", "8.7": "Orin", "8.9": "4090", "9.0": "H100", "10.0": "B200", "10.3": "B300", "10.7": "VR200",
    "11.0": "Thor", "12.0": "5090", "12.1": "GB10",
}  # fmt: skip
"""Compute capability -> short name of the best-known GPU."""


@documented
@dataclass(frozen=True, slots=True, repr=False)
class Gpu:
    """A GPU, or a compute capability, with the limits of an SM and the number of SMs, if known."""

    limits: Limits
    name: str | None = None
    """Name of the GPU; None for a compute capability."""
    multiprocessor_count: int | None = None
    """Number of SMs; None if it is unknown, or if the variants of the GPU differ."""
    device: int | None = None
    """Device number, for a local GPU."""
    variants: tuple[Gpu, ...] = ()
    """GPUs with this name, if their numbers of SMs differ."""
    die: str | None = None
    """Die, such as AD102, or several separated by commas."""
    market: str | None = None
    """datacenter, workstation, geforce, laptop, jetson, automotive or mining; None if variants differ."""
    memory_gb: float | None = None
    """Advertised memory in GB; None if unknown or if variants differ."""
    l2_cache_bytes: int | None = None
    """Size of the L2 cache in bytes; None if unknown."""

    @property
    def cc(self) -> str:
        """Compute capability, such as ``"9.0"``."""
        return str(self.limits.compute_capability)

    @property
    def label(self) -> str:
        """Name of the GPU, or the compute capability: ``custom 9.0`` with other limits."""
        return self.name or f"{'custom ' if self.limits.changes else ''}{self.cc}"

    def __str__(self) -> str:
        about = f"compute capability {self.cc} ({self.limits.architecture})"
        if self.multiprocessor_count is not None:
            about += f", {count(self.multiprocessor_count, 'SM')}"
        about += ", changed limits" if self.limits.changes else ""
        return f"{self.name}: {about}" if self.name else about

    def __repr__(self) -> str:
        return f"<Gpu {self}>"


class LimitsTable:
    """Limits by compute capability: those of a user's file (see `read_limits`), then the shipped ones."""

    def __init__(self, file: str | os.PathLike[str] | None = None) -> None:
        self.own: dict[str, Limits] = {}
        """Rows of the user's file, in file order."""
        if file is not None:
            from .custom import read_limits

            self.own = read_limits(file)

    def limits(self, cc: object) -> Limits:
        return self.own.get(str(ComputeCapability.parse(cc))) or shipped.limits(cc)

    def architecture(self, name: str) -> tuple[Limits, ...]:
        """Return the limits of every compute capability of an architecture such as ``"hopper"``."""
        wanted = " ".join(re.split(r"[\s_-]+", name.strip().lower()))
        if not wanted.replace(" ", "").isalpha():  # no name has a digit, and the search is slow
            return ()
        names = ((row, row.architecture.lower()) for row in self.rows())
        return tuple(row for row, name in names if wanted in (name, name.split()[0]))

    def rows(self, *, every: bool = True) -> tuple[Limits, ...]:
        """Return the shipped rows (all, or from 7.5 on) and those of the user's file, oldest first."""
        oldest = ComputeCapability(1, 0) if every else CURRENT_FROM
        rows = {str(cc): shipped.limits(cc) for cc in shipped.known() if cc >= oldest} | self.own
        return tuple(sorted(rows.values(), key=lambda row: row.compute_capability))


class HasGpu(Protocol):
    """An object with a GPU, such as a `Device`."""

    @property
    def gpu(self) -> Gpu: ...


def find_gpus(value: object, table: LimitsTable | None = None) -> list[Gpu]:
    """Find the GPUs of a name, a number, a pair, `Limits`, a `Gpu`, a `Device`, or of several of these."""
    gpus: list[Gpu] = []
    if isinstance(value, str):
        names = [name for name in re.split(r"[,;]|(?<=\.\d)\s+(?=\d+\.)", value) if name.strip()]
        gpus = [gpu for name in names for gpu in _find_name(name.strip(), table)]
    elif isinstance(value, Limits):
        gpus = [Gpu(value)]
    elif isinstance(gpu := getattr(value, "gpu", value), Gpu):  # a Device, or a Gpu
        gpus = [gpu]
    elif _is_list(value):
        items = list(value)
        gpus = [] if any(map(_is_list, items)) else [gpu for each in items for gpu in find_gpus(each, table)]
    elif isinstance(value, (float, tuple)) or hasattr(value, "__index__"):
        gpus = [Gpu((table or LimitsTable()).limits(value))]
    if not gpus:
        problem, allowed = f"{shown(value)} names no GPU", 'a name ("H100") or a compute capability ("9.0")'
        raise InputError("is missing" if value is None else problem, where="gpu", allowed=allowed)
    return gpus


def find_gpu(value: object, table: LimitsTable | None = None, hint: str = _CHOOSE) -> Gpu:
    """Find the only GPU that matches a value of `find_gpus`."""
    gpus = find_gpus(value, table)
    if len(gpus) > 1:
        kind = "GPUs" if gpus[0].name else "compute capabilities"
        raise ambiguous(value, f"names {len(gpus)} {kind}, but one is required", gpus, hint)
    return gpus[0]


def compute_capabilities_of(arch: object, table: LimitsTable | None = None) -> list[ComputeCapability]:
    """Return the compute capabilities of a number, or of the name of a GPU or an architecture."""
    with suppress(InputError):
        return [ComputeCapability.parse(arch)]
    try:
        return [gpu.limits.compute_capability for gpu in find_gpus(arch, table)]
    except InputError as error:
        raise error.with_location("arch", InputError) from None


def find_one_or_several(value: object) -> Gpu | list[Gpu]:
    """Find the GPU of a value, or the list of GPUs of a list or of an architecture."""
    are_several = LimitsTable().architecture(value) if isinstance(value, str) else _is_list(value)
    return find_gpus(value) if are_several else find_gpu(value, hint="Pass a list, or choose one of these:")


def gpu(name: str) -> Gpu:
    """Find the GPU of a name in any spelling: ``"RTX 4090"``, ``"h100-sxm"``, ``"9.0"``.

    If the name matches several GPUs, the result has their common values, and ``variants`` if their SMs differ.

    Raises:
        InputError: Unknown name, or GPUs with different compute capabilities, such as an architecture.
        UnknownComputeCapabilityError: The table does not contain the compute capability.
    """
    return find_gpu(name)


def ambiguous(value: object, problem: str, gpus: Sequence[Gpu], hint: str = _CHOOSE) -> InputError:
    name = shown(value)
    if len(gpus) > MAX_CHOICES:
        listing = f"`occupancy.gpus({name})` (`occupancy gpus {name} --all`)"
        hint = f"To list all {len(gpus)} candidates, run {listing}. The first {MAX_CHOICES}:"
    return InputError(f"{name} {problem}", where="gpu", hint=hint, choices=_choices(gpus))


def all_gpus() -> tuple[Gpu, ...]:
    return tuple(map(_gpu, products()))


def gpus_matching(pattern: str) -> tuple[Gpu, ...]:
    """Return the GPUs of a compute capability or an architecture, or with all words of a pattern."""
    is_name = len(pattern) <= MAX_NAME and not re.fullmatch(r"[\d\s]*\.[\d\s.]*", pattern)  # 9.0, 8.0 9.0
    named = set(matching(pattern) or starting(pattern)) if is_name else set()
    rows = LimitsTable().architecture(pattern)
    if not named and not rows:
        rows = tuple(gpu.limits for gpu in find_gpus(pattern))
    ccs = [str(cc) for cc in sorted({row.compute_capability for row in rows})]
    listed = [each for each in products() if each in named or each.row["compute_capability"] in ccs]
    if not listed:
        problem = f"no GPU of compute capability {' or '.join(ccs)} is known by name"
        raise InputError(problem, where="gpu", hint="Use the compute capability instead.")
    return tuple(map(_gpu, listed))


def _is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Return True for several GPUs, such as (90, 80), but not for one compute capability, such as (9, 0)."""
    if isinstance(value, tuple) and [type(number) for number in value] == [int, int]:
        return not isinstance(value, ComputeCapability) and min(value) >= 10  # 10 is 1.0
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Kernel, Mapping))


@lru_cache(maxsize=256)
def _find_name(name: str, table: LimitsTable | None) -> tuple[Gpu, ...]:
    table = table or LimitsTable()
    if len(name) > MAX_NAME:
        raise _no_such_gpu(name)
    if rows := table.architecture(name):
        return tuple(map(Gpu, rows))
    if same_major := [str(cc) for cc in shipped.known() if name == str(cc.major)]:  # 12 could be 1.2
        hint = f"Did you mean {' or '.join(same_major)}?"
        raise InputError(f"{shown(name)} is not a compute capability", where="gpu", hint=hint)
    try:
        return (Gpu(table.limits(name)),)
    except UnknownComputeCapabilityError:
        named = with_full_name(name) if name.isdecimal() else ()  # 980
        if not named:
            raise
    except InputError:
        named = with_full_name(name) or matching(name)
    return (_find_product(name, named, table),)


def _find_product(name: str, named: Sequence[Product], table: LimitsTable) -> Gpu:
    if not named:
        raise _no_such_gpu(name)
    gpus = tuple(_gpu(product, table) for product in named)
    if len({gpu.cc for gpu in gpus}) > 1:
        raise ambiguous(name, f"matches {len(gpus)} GPUs with different compute capabilities", gpus)
    if len(gpus) == 1:
        return gpus[0]
    same: dict[str, Any] = {}
    for field in ("multiprocessor_count", "market", "memory_gb", "l2_cache_bytes"):
        values = {getattr(gpu, field) for gpu in gpus}
        same[field] = values.pop() if len(values) == 1 else None
    same["variants"] = gpus if same["multiprocessor_count"] is None else ()
    same["die"] = ", ".join(sorted({product.row["die"] for product in named}))
    return Gpu(gpus[0].limits, common_name(name, [gpu.label for gpu in gpus]), **same)


def _gpu(product: Product, table: LimitsTable | None = None) -> Gpu:
    row = product.row
    limits = (table or LimitsTable()).limits(row["compute_capability"])
    known: dict[str, Any] = {"die": row["die"], "market": row["market"]}
    known["memory_gb"] = float(row["memory_gb"]) if row["memory_gb"] else None
    known["l2_cache_bytes"] = int(row["l2_cache_bytes"]) if row["l2_cache_bytes"] else None
    return Gpu(limits, row["name"], int(row["multiprocessor_count"]), **known)


def _no_such_gpu(name: str) -> InputError:
    if longer := starting(name[:MAX_NAME]):  # which remembers it
        return ambiguous(name, "matches no GPU exactly", list(map(_gpu, longer)))
    near = {} if re.fullmatch(r"[\d\s]*[.:=-][\d\s.:=-]*", name) else similar(name[:MAX_NAME])  # 8.0-9.0
    likely = list(dict.fromkeys(chain(*near.values())))[:MAX_SUGGESTIONS]
    hint = "For all GPUs, see `occupancy.gpus()` (`occupancy gpus --all`)."
    if near:
        hint = "Did you mean:" if likely else f"Did you mean {next(iter(near))}?"
    problem = f"{shown(name)} matches no NVIDIA GPU, architecture or compute capability"
    return InputError(problem, where="gpu", hint=hint, choices=_choices(list(map(_gpu, likely))))


def _choices(gpus: Sequence[Gpu]) -> dict[str, str]:
    """Return the names of the first GPUs, each with a line of differences between variants."""
    rows = []
    for gpu in gpus[:MAX_CHOICES]:
        sms = count(gpu.multiprocessor_count, "SM") if gpu.multiprocessor_count else ""
        rows.append((gpu.label, gpu.cc if gpu.name else gpu.limits.architecture, gpu.die or "", sms))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return {row[0]: "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows}


@cache
def runs_on(arch: str | None, cc: ComputeCapability) -> bool:
    """Return True if a GPU runs machine code for ``sm_90``, or PTX for ``compute_90``.

    It runs code of its own compute capability, of lower minor versions with the same major version, and of its
    family (``f``). Code with ``a`` runs only on its own compute capability. Families were tested with ptxas 13.5:
    sm_100f compiles for 10.0, 10.3 and 10.7, sm_103f for 10.3 and 10.7, and sm_120f for 12.0 and 12.1.
    PTX without suffix runs on every higher compute capability.
    """
    try:
        own = ComputeCapability.parse(arch or "")
    except InputError:  # files can contain arbitrary architecture names
        return False
    if str(arch).startswith("compute_") and str(arch)[-1].isdigit():
        return own <= cc
    is_family_member = own.major == cc.major and own < cc and not {own, cc} & TEGRA
    return own == cc or (is_family_member and not str(arch).endswith("a"))
