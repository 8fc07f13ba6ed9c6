"""Chips by whatever people call them: a compute capability, an architecture, or a product.

One parser for every command and function: ``9.0``, ``sm_90a``, ``compute_90``, ``hopper``, ``RTX 4090``,
``h100-sxm``. A name is answered for where all that it can stand for has one compute capability.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import occupancy  # in annotations: a public name brings its module when somebody reads the types

from ..errors import InputError, UnknownComputeCapabilityError, shown
from ..values.asking import Asking
from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability, Limits
from ..values.spellings import several_chips
from .shipped import renamed
from .table import Table

if TYPE_CHECKING:
    from .products import Product

MOST_CHOICES = 16
"""Candidates that an error lists."""
MAX_NAME = 40
"""Characters of a name that an error repeats in a command."""


Meant = Literal["cc", "product", "either"]
"""What a name is for first, a compute capability or a product; or either, where one place takes both."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A chip that was named: what its SM offers and, of a GPU, which it is."""

    limits: Limits
    name: str | None = None
    """Of the product, or of this machine's GPU; None for a compute capability."""
    multiprocessor_count: int | None = None
    """SMs; None where they are not known, or where the variants of the product differ."""
    known_from: str = ""
    """Where the number of SMs is from: as in `Product`, or ``"device"``."""
    device: int | None = None
    """The number of this machine's GPU."""
    variants: tuple[occupancy.Product, ...] = ()
    """The products that the name stands for, where their numbers of SMs differ."""

    @property
    def cc(self) -> str:
        """Its compute capability."""
        return str(self.limits.compute_capability)

    @property
    def label(self) -> str:
        """What it is called beside others: its name, else its compute capability."""
        return self.name or self.cc

    def __str__(self) -> str:
        """``H100 SXM5: compute capability 9.0 (Hopper), 132 SMs``."""
        about = f"compute capability {self.cc} ({self.limits.architecture})"
        if self.multiprocessor_count is not None:
            about += f", {self.multiprocessor_count} SMs"
        return f"{self.name}: {about}" if self.name else about


def find_gpu(name: object, table: Table | None = None, *, meant: Meant = "either") -> Gpu:
    """The one chip of a name; see `find_gpus`.

    Raises:
        InputError: It stands for several, or for none.
    """
    found = find_gpus(name, table, meant=meant)
    if len(found) > 1:
        raise InputError(
            f"{shown(name)} stands for {len(found)} compute capabilities",
            where="cc",
            hint="Take one of them:",
            choices=in_columns((chip.cc, chip.limits.architecture) for chip in found),
        )
    return found[0]


def find_gpus(name: object, table: Table | None = None, *, meant: Meant = "either") -> tuple[Gpu, ...]:
    """The chips of a name: one, or all compute capabilities of an architecture.

    Args:
        name: A compute capability in any spelling, `Limits`, the name of an architecture or of a product; or
            a chip that was found already.
        table: Where their limits are taken from; by default the shipped table.
        meant: A number such as ``980`` is a product where a product is meant. The name of an architecture of
            which one product alone is known is that product, unless a compute capability is meant.

    Raises:
        InputError: Nothing is called so, or products of different compute capability are.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
    """
    if isinstance(name, Gpu):
        return (name,)
    if isinstance(name, Limits):
        return (Gpu(name),)
    table = table or Table()
    if not isinstance(name, str):
        return (Gpu(table.limits(name)),)
    if meant == "product" and name.strip().isdecimal() and (chip := _of_product(name, table, guess=False)):
        return (chip,)
    try:
        cc = ComputeCapability.parse(name)
    except InputError:
        rows = table.of_architecture(name)
        if rows:
            alone = None if meant == "cc" else _the_only_product(rows)
            product = alone and _of_product(alone.name, table, guess=False)
            return (product,) if product else tuple(Gpu(row) for row in rows)
        if found := re.fullmatch(_RANGE, name.strip()):
            raise _range(name, found, table) from None
        if len(parts := [part.strip() for part in name.split(",")]) > 1 and all(parts):
            raise several_chips(name, parts) from None
        chip = _of_product(name, table, guess=True)
        if chip is None:
            raise _nothing(name) from None
        return (chip,)
    try:
        return (Gpu(table.limits(cc)),)
    except UnknownComputeCapabilityError as error:
        product = _of_product(name, table, guess=False) if name.strip().isdecimal() else None
        if product is not None:
            error.hint = Asking.of(f"For the {product.name}: {product.name!r}. ", error.hint)
        raise


_RANGE = r"(>=?|<=?)?\s*(\d{1,2}\.\d)\s*(\+|(?:-|\.\.|to)\s*(\d{1,2}\.\d))?"


def _range(name: str, found: re.Match[str], table: Table) -> InputError:
    """The error for a range of compute capabilities, with what it stands for to be copied."""
    sign, first, _, last = found.groups()
    bound = ComputeCapability.parse(first)
    meant = [
        str(cc)
        for cc in (row.compute_capability for row in table.rows())
        if (cc <= bound if "<" in (sign or "") else cc >= bound)
        and (last is None or cc <= ComputeCapability.parse(last))
        and (cc != bound or sign not in ("<", ">"))
    ]
    return InputError(
        f"{shown(name)} is a range, and each chip is named",
        where="cc",
        hint=f"Write {','.join(meant)}." if meant else "No compute capability of the table is in it.",
    )


def _of_product(name: str, table: Table, *, guess: bool) -> Gpu | None:
    """The product of a name; None where there is none. Parts of a name are enough where it may guess."""
    from .products import candidates, common_name

    found = candidates(name) if guess else candidates(name, in_full=True)
    if not found:
        return None
    ccs = {each.compute_capability for each in found}
    if len(ccs) > 1 and len(found) > MOST_CHOICES:
        raise InputError(
            f"{shown(name)} fits the names of {len(found)} GPUs",
            where="cc",
            hint=Asking.of(_products(name), " lists them.") if len(name) < MAX_NAME else "",
        )
    if len(ccs) > 1:
        raise InputError(
            f"{shown(name)} stands for {len(found)} GPUs of different compute capability",
            where="gpu",
            hint="Take one of them:",
            choices=choices_of(found),
        )
    called = found[0].name if len(found) == 1 else common_name(name, found)
    limits = table.limits(ccs.pop())
    counts = {each.multiprocessor_count for each in found}
    if len(counts) > 1:
        return Gpu(limits, called, variants=found)
    from .products import least_certain

    return Gpu(limits, called, counts.pop(), least_certain(found))


def _the_only_product(rows: Sequence[Limits]) -> Product | None:
    """The product of an architecture, by its rows, where no other is known; else None."""
    if len(rows) > 1:
        return None
    from .products import the_only_one

    return the_only_one(rows[0].compute_capability)


def products_of(pattern: str) -> tuple[Product, ...]:
    """The products of a compute capability or of an architecture, or those that a pattern fits; without a
    pattern all of them.

    Raises:
        InputError: There are none.
    """
    from .products import matching, products

    if not pattern.strip():
        return products()
    found = set() if _is_compute_capability(pattern) else set(matching(pattern))
    ccs: set[ComputeCapability] = set()
    with suppress(InputError, UnknownComputeCapabilityError):
        ccs = {row.compute_capability for row in Table().of_architecture(pattern)}
        if not found and not ccs:
            ccs = {find_gpu(pattern).limits.compute_capability}
        found |= {each for each in products() if each.compute_capability in ccs}
    if not found and ccs:
        raise without_products(ccs)
    if not found:
        raise _nothing(pattern)
    return tuple(each for each in products() if each in found)


def without_products(ccs: Iterable[ComputeCapability]) -> InputError:
    """The error where no product of these compute capabilities is known."""
    wanted = sorted(ccs)
    new_names = [part for cc in wanted if cc in renamed() for part in (" ", _under_new_name(cc))]
    return InputError(
        f"no product of compute capability {' or '.join(map(str, wanted))} is known",
        where="cc",
        hint=Asking.of(*new_names[1:])
        or Asking.of(Asking("`occupancy limits`", "`occupancy.limits()`"), " has what its SM offers."),
    )


def _under_new_name(cc: ComputeCapability) -> Asking:
    new = renamed()[cc]
    return Asking.of(f"{new.by} calls it {new.to}: ", _products(str(new.to)), ".")


def _products(pattern: str = "") -> Asking:
    """How to list the products that a pattern fits, or all."""
    return Asking(
        f"`occupancy gpus{pattern and f' {pattern}'}`", f"`occupancy.gpus({pattern and repr(pattern)})`"
    )


def _is_compute_capability(name: str) -> bool:
    """Whether it can be nothing else, as 9.0 and sm_90 are; 4090 and 90 can be parts of a name."""
    try:
        ComputeCapability.parse(name)
    except InputError:
        return False
    return not name.strip().isdecimal()


def choices_of(found: Sequence[Product]) -> list[str]:
    """Products one below the other, for an error, with what tells them apart."""
    rows = [
        (each.name, str(each.compute_capability), each.chip, f"SMs: {each.multiprocessor_count}")
        for each in found[:MOST_CHOICES]
    ]
    more = len(found) - MOST_CHOICES
    return [*in_columns(rows), *([f"and {more} more"] if more > 0 else [])]


def in_columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, the columns aligned."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _nothing(name: str) -> InputError:
    from .products import near

    found = near(name)
    return InputError(
        f"{shown(name)} is neither a compute capability nor the name of an architecture or a GPU",
        where="cc",
        hint="Did you mean:" if found else Asking.of(_products(), " lists the names of GPUs."),
        choices=choices_of(found),
    )
