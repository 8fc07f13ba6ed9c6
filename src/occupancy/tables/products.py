"""Products: from the name of a GPU to its compute capability and its number of SMs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cache
from itertools import islice, takewhile
from typing import Any, Literal, TextIO, get_args

from ..errors import InputError, shown
from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability
from .shipped import data_path

FILE_NAME = "gpus.csv"

GpuOrder = Literal["cc", "name", "sms", "memory"]
"""Products by compute capability, by name, or with the most SMs or memory first."""
GPU_ORDERS: tuple[GpuOrder, ...] = get_args(GpuOrder)

MAX_LISTED = 12
"""Candidates that an error lists."""

MOST_NEAR = 8
MAX_NEAR = 40
"""Products that an error suggests, and characters of a name that it compares with theirs."""

# From the least certain source of an SM count to the most certain.
_CERTAINTY = ("inferred", "one list", "two lists", "hardware")

# What people and the driver add or leave out at will.
_NOISE = re.compile("nvidia|geforce|tesla|gpu|graphics|edition|with|design")
_FAMILIES = frozenset(["quadro", "rtx", "gtx", "gts", "gt"])
_WORD = re.compile(r"[a-z0-9]+")
_REVISION = re.compile(r" Rev\. \d+")


WELL_KNOWN = {
    "5.2": "980", "6.0": "P100", "6.1": "GTX 1080", "7.0": "V100", "7.2": "Xavier", "7.5": "T4",
    "8.0": "A100", "8.6": "3090", "8.7": "Orin", "8.9": "4090", "9.0": "H100", "10.0": "B200",
    "10.3": "B300", "10.7": "VR200", "11.0": "Thor", "12.0": "5090", "12.1": "GB10",
}  # fmt: skip
"""Compute capability -> the short name of a product that people know it by; `--gpu` takes each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A GPU by the name it is sold under, or what several variants of it have in common."""

    name: str
    compute_capability: ComputeCapability
    multiprocessor_count: int
    """SMs of one GPU; a card with two GPUs shows up as two devices."""
    known_from: str
    """Where the count comes from: ``"hardware"`` (a device reported it), ``"two lists"`` or ``"one list"``
    (of products), or ``"inferred"`` (from the chip that such a card has).
    """
    chip: str
    """NVIDIA's code of the chip, such as ``"AD102"``; several with commas."""
    market: str | None
    """datacenter, workstation, geforce, laptop, jetson, automotive or mining; None: variants differ."""
    memory_gb: float | None
    """Memory as sold, in GB; None: not known, or variants differ."""
    l2_cache_bytes: int | None
    """Only where a device reported it."""
    also_called: str = ""
    """A name under which the driver or the shops know it as well."""

    def __str__(self) -> str:
        """``H200 (GH100): compute capability 9.0, 132 SMs``."""
        about = f"compute capability {self.compute_capability}, {self.multiprocessor_count} SMs"
        return f"{self.name} ({self.chip}): {about}"


def gpu(name: str) -> Product:
    """The GPU of a name, in whatever spelling: ``"RTX 4090"``, ``"h100-sxm"``, ``"Tesla V100-SXM2-16GB"``.

    A full name comes before names that only contain it. Where several products remain, the answer
    is what they have in common, if that includes the compute capability and the number of SMs; it
    is never a guess.

    Raises:
        InputError: No product is called so, or products that differ are.
    """
    found = candidates(name) if isinstance(name, str) else ()
    if not found:
        raise _no_such(name)
    if len({(each.compute_capability, each.multiprocessor_count) for each in found}) > 1:
        raise InputError(
            f"{shown(name)} stands for {len(found)} products that differ",
            where="GPU",
            allowed=_listed(found),
            hint="Add the chip, the memory size or the market, such as laptop, to tell them apart.",
        )
    return found[0] if len(found) == 1 else _in_common(name, found)


def candidates(name: str, *, in_full: bool = False) -> tuple[Product, ...]:
    """The products that a name can stand for: those called so, else those whose names have all of its words.

    Args:
        name: In whatever spelling.
        in_full: Whether only those called so count.
    """
    called_so = _by_full_name(_key(name))
    return called_so if called_so or in_full else matching(name)


def products() -> tuple[Product, ...]:
    """Every product of the list, by compute capability."""
    return tuple(entry.product for entry in _entries())


def in_order(found: Iterable[Product], order: GpuOrder) -> list[Product]:
    """Products in an order; those that are equal in it stay as they are.

    Raises:
        InputError: No such order.
    """
    if order == "cc":
        return sorted(found, key=lambda each: each.compute_capability)
    if order == "name":
        return sorted(found, key=lambda each: each.name)
    if order == "sms":
        return sorted(found, key=lambda each: -each.multiprocessor_count)
    if order == "memory":
        return sorted(found, key=lambda each: -(each.memory_gb or 0))
    raise InputError(f"{shown(order)} is no order", where="sort", allowed=", ".join(GPU_ORDERS))


@cache
def the_only_one(cc: ComputeCapability) -> Product | None:
    """The product of a compute capability where no other is known; else None."""
    # Asked of each architecture that is named, while making all products of the list takes tens of ms.
    with _list() as file:
        of_cc = (row for row in csv.DictReader(file) if row["compute_capability"] == str(cc))
        found = list(islice(of_cc, 2))
    return _product(found[0]) if len(found) == 1 else None


def largest(cc: ComputeCapability) -> Product | None:
    """The product of a compute capability with the most SMs; None where none is known.

    Of several it is one that people know the compute capability by.
    """
    of_cc = [each for each in products() if each.compute_capability == cc]
    return with_most_sms(of_cc, WELL_KNOWN.get(str(cc), "")) if of_cc else None


def with_most_sms(found: Iterable[Product], known_by: str = "") -> Product:
    """Of some products that with the most SMs; of several one so called, and then the most certain."""

    def key(each: Product) -> tuple[int, bool, int]:
        return each.multiprocessor_count, known_by in each.name, _CERTAINTY.index(each.known_from)

    return max(found, key=key)


def matching(pattern: str) -> tuple[Product, ...]:
    """The products whose name, chip, market or memory has every word of the pattern."""
    words = _words(pattern) or _WORD.findall(pattern.lower())
    return (
        _with_all(words)
        or _with_all(["".join(words)])  # MX 450
        or _with_all([word for word in words if word != "quadro"])  # Quadro RTX A6000, out of habit
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    product: Product
    names: frozenset[str]
    """Its full name, with and without the chip and the revision, and its other name."""
    short_name: str
    """Its name without its family: 4090, A6000."""
    text: str
    """All that a pattern is sought in."""


@cache
def _entries() -> tuple[_Entry, ...]:
    with _list() as file:
        return tuple(_entry(_product(row)) for row in csv.DictReader(file))


def _list() -> TextIO:
    return open(data_path(FILE_NAME), encoding="utf-8", newline="")


def _product(row: dict[str, str]) -> Product:
    values: dict[str, Any] = dict(row)
    values["compute_capability"] = ComputeCapability.parse(row["compute_capability"])
    values["multiprocessor_count"] = int(row["multiprocessor_count"])
    values["memory_gb"] = float(row["memory_gb"]) if row["memory_gb"] else None
    values["l2_cache_bytes"] = int(row["l2_cache_bytes"]) if row["l2_cache_bytes"] else None
    return Product(**values)


def _entry(product: Product) -> _Entry:
    # The driver gives the same name to every revision of a product and to every chip that is in it.
    common = _REVISION.sub("", product.name)
    without_chip = common.removesuffix(product.chip)
    if any(letter.isdigit() for letter in without_chip):  # else the chip is the name: Quadro GP100
        common = without_chip
    memory = f"{product.memory_gb:g} GB" if product.memory_gb else ""
    described = f"{product.name} {product.also_called} {product.chip} {product.market} {memory}"
    return _Entry(
        product,
        frozenset(
            _key(each)
            for each in (product.name, f"{product.name} {product.chip}", common, product.also_called)
        ),
        "".join(word for word in _words(common) if word not in _FAMILIES),
        " ".join(_WORD.findall(described.lower())),
    )


def _by_full_name(key: str) -> tuple[Product, ...]:
    if not key:
        return ()
    named = tuple(entry.product for entry in _entries() if key in entry.names)
    return named or tuple(entry.product for entry in _entries() if key == entry.short_name)


def _words(text: str) -> list[str]:
    return _WORD.findall(_NOISE.sub(" ", text.lower()))


def _key(text: str) -> str:
    return "".join(_words(text))


def _with_all(words: list[str]) -> tuple[Product, ...]:
    expressions = [_expression(word) for word in words if word]
    if not expressions:
        return ()
    return tuple(
        entry.product for entry in _entries() if all(each.search(entry.text) for each in expressions)
    )


def _expression(word: str) -> re.Pattern[str]:
    # Letters and digits may be apart (RTX4090, 80GB) and a number may follow (SXM in SXM5), but A10
    # is not found in A10G, nor 6000 in A6000.
    parts = re.findall(r"[a-z]+|[0-9]+", word)
    return re.compile(rf"\b{' ?'.join(parts)}(?![a-z]){r'(?![0-9])' if parts[-1].isdigit() else ''}")


def _in_common(name: str, variants: tuple[Product, ...]) -> Product:
    values: dict[str, Any] = {}
    for field in fields(Product):
        different = {getattr(each, field.name) for each in variants}
        values[field.name] = different.pop() if len(different) == 1 else None
    values["name"] = common_name(name, variants)
    values["chip"] = ", ".join(sorted({each.chip for each in variants}))
    values["known_from"] = least_certain(variants)
    values["also_called"] = ""
    return Product(**values)


def common_name(name: str, variants: tuple[Product, ...]) -> str:
    """What the names of some products begin with, and what else of the name asked for is in all of them;
    else that name.
    """
    names = [each.name.split() for each in variants]
    beginning = len(_shared_beginning(names))
    words = [
        word
        for place, word in enumerate(names[0])
        if place < beginning or (word.lower() in name.lower() and all(word in other for other in names))
    ]
    return " ".join(words) or name.strip()


def least_certain(variants: tuple[Product, ...]) -> str:
    """Where the number of SMs that some products share is known from, at the least."""
    return min((each.known_from for each in variants), key=_CERTAINTY.index)


def most_certain(variants: Sequence[Product]) -> str:
    """The best source of it: one is enough to know the number."""
    return max((each.known_from for each in variants), key=_CERTAINTY.index)


def _shared_beginning(names: list[list[str]]) -> list[str]:
    same = takewhile(lambda words: len(set(words)) == 1, zip(*names, strict=False))
    return [words[0] for words in same]


def _listed(found: Iterable[Product]) -> str:
    shown = [
        f"{each.name} ({each.compute_capability}, {each.chip}, SMs: {each.multiprocessor_count})"
        for each in found
    ]
    more = len(shown) - MAX_LISTED
    return "; ".join(shown[:MAX_LISTED]) + (f"; and {more} more" if more > 0 else "")


def near(name: object) -> tuple[Product, ...]:
    """For an error: products whose names, or the beginnings of them, are spelt much like one that is none."""
    import difflib  # only an error needs it

    wanted = _key(str(name)[:MAX_NEAR])
    ranked: list[tuple[float, int, int, int, Product]] = []
    for entry in _entries():
        for key in {_key(entry.product.name), entry.short_name} if wanted else ():
            mistakes = _mistakes(wanted, key, len(wanted) / 3)
            if mistakes is not None:
                same = len(_shared_beginning([list(wanted), list(key)]))
                ranked.append((mistakes, -same, len(key), len(ranked), entry.product))
    found = dict.fromkeys(each[-1] for each in sorted(ranked, key=lambda each: each[:-1]))
    if not found:
        names = {_key(each.name): each for each in products()}
        found = dict.fromkeys(names[each] for each in difflib.get_close_matches(wanted, names, n=MOST_NEAR))
    return tuple(found)[:MOST_NEAR]


def _mistakes(wanted: str, name: str, most: float) -> float | None:
    """The mistakes that make a text of what a name begins with; None for more than ``most``.

    A letter too many, missing or wrong counts 1, two neighbours that changed places half of that.
    """
    before: list[float] = []
    row = [float(column) for column in range(len(name) + 1)]
    for number, letter in enumerate(wanted):
        before, last, row = row, before, [number + 1.0]
        for column, other in enumerate(name):
            cost = min(before[column] + (letter != other), before[column + 1] + 1, row[column] + 1)
            if number and column and letter == name[column - 1] and other == wanted[number - 1]:
                cost = min(cost, last[column - 1] + 0.5)
            row.append(cost)
        if min(row) > most and min(before) > most:
            return None  # a further letter takes no mistake back
    fewest = min(row)
    return fewest if fewest <= most else None


def _no_such(name: object) -> InputError:
    found = near(name)
    return InputError(
        f"no product is called {shown(name)}",
        where="GPU",
        allowed=_listed(found) if found else "",
        hint="Write it as RTX 4090 or A100 SXM4; `occupancy.gpus()` lists the names.",
    )
