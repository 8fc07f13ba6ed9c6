"""What the page knows besides the rules: the limits of every chip, the products, the ranges of the inputs."""

from __future__ import annotations

import dataclasses
from itertools import groupby, takewhile
from string import ascii_letters
from typing import Any

from ..tables.clusters import measurements
from ..tables.gpus import WELL_KNOWN, all_gpus
from ..tables.shipped import known, limits
from ..values.kernel import CACHING_MODES, RANGES, SHARED_MEMORY_MODES, TENSOR_MEMORY_UNIT
from ..values.limits import Limits
from ..values.option_names import names_of


def _input(field: str, label: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": field.replace("_", "-"), "field": field, "label": label, "kind": kind, **more}


# The fields of the form, called as the command line's options: the field of `Kernel`, and how it is read;
# ``needs`` is the limit without which a chip does not offer it, ``multiple`` that of which it must be one.
INPUTS = [
    _input("threads", "Threads per block", "shape", hint="or 16x16"),
    _input("regs", "Registers per thread", "count"),
    _input("static_smem", "Static shared memory", "size", hint="bytes or 40k"),
    _input("dynamic_smem", "Dynamic shared memory", "size", hint="bytes or 40k"),
    _input("barriers", "Barriers per block", "count"),
    _input("carveout", "Carveout", "carveout", hint="50% or 64k"),
    _input("opt_in", "Opt-in above 48 KiB", "flag"),
    _input(
        "caching", "Caching of loads", "choice", options=CACHING_MODES, needs="partitioned_global_caching"
    ),
    _input(
        "virtual_resources",
        "Virtual resources",
        "count",
        hint="0: relinquished",
        needs="virtual_resources_per_multiprocessor",
    ),
    _input(
        "tensor_memory",
        "Tensor memory columns",
        "count",
        multiple=TENSOR_MEMORY_UNIT,
        needs="tensor_memory_per_multiprocessor",
    ),
    _input(
        "shared_memory_mode",
        "Shared memory mode",
        "choice",
        options=SHARED_MEMORY_MODES,
        needs="max_oversized_shared_memory_per_block",
    ),
]

# Signs in the names of products, and what they stand for: the list is half as long with them.
PHRASES = {
    "~": "GeForce ",
    "^": "Quadro ",
    "@": "TX ",
    "$": " Mobile",
    "%": "~GT ",
    "&": "~G@",
    "*": " Mac Edition",
    "!": "00 ",
    "?": "Tesla ",
    "=": "Ada Generation",
    "{": "~R@",
    "}": "Max-Q",
    "|": " OEM",
    "_": " GB",
    ";": "000",
    ":": "0 Ti",
    "<": "Blackwell",
    "#": " 1",
    "[": " 2",
    "]": " 3",
    ">": " 4",
}


LENGTHS = ascii_letters


def page_data(version: str) -> dict[str, Any]:
    """All of it, as small as it can be read."""
    return {
        "version": version,
        "chips": _chips(),
        "inputs": INPUTS,
        "aliases": _aliases(),
        "ranges": {field: [label, low, high] for field, label, low, high in RANGES},
        "measured": [
            [",".join(map(str, key)), each.gpu, each.clusters] for key, each in measurements().items()
        ],
        "known_by": WELL_KNOWN,
        "lengths": LENGTHS,
        "phrases": PHRASES,
        "products": _products(),
    }


def _aliases() -> dict[str, str]:
    """Other names of the command line's options -> the name that the page has."""
    fields = {"cc": "cc", **{each["field"]: each["name"] for each in INPUTS}}
    return {alias: name for field, name in fields.items() for alias in names_of(field) if alias != name}


def _chips() -> dict[str, list[tuple[int, Any]]]:
    """Limit -> its values, each with the number of neighbouring chips that have it."""
    chips = [limits(cc) for cc in known()]
    return {
        field.name: [
            (len(list(same)), _value(value))
            for value, same in groupby(getattr(chip, field.name) for chip in chips)
        ]
        for field in dataclasses.fields(Limits)
    }


def _value(value: Any) -> Any:
    """As JSON; of a column of the spreadsheet, only what it says."""
    if dataclasses.is_dataclass(value):
        columns = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: _value(each) for name, each in columns.items() if each not in (None, 0, ())}
    return list(value) if isinstance(value, tuple) else value


def _products() -> dict[str, str]:
    """Compute capability -> its products, one on a line: the name and the number of SMs.

    Of a line, the beginning that it has in common with the one before is only a letter for its length.
    """
    found: dict[str, list[str]] = {}
    for each in all_gpus():
        line = _shortened(f"{each.name} {each.multiprocessor_count}")
        found.setdefault(each.cc, []).append(line)
    return {
        cc: "\n".join(map(_without_beginning, ["", *sorted(lines)], sorted(lines)))
        for cc, lines in found.items()
    }


def _without_beginning(before: str, line: str) -> str:
    pairs = zip(before, line, strict=False)
    same = min(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)), len(LENGTHS) - 1)
    return LENGTHS[same] + line[same:]


def _shortened(text: str) -> str:
    for sign, phrase in PHRASES.items():
        if sign in text:
            raise ValueError(f"{sign} stands for {phrase!r} on the page, and a product's name has it")
        text = text.replace(phrase, sign)
    return text
