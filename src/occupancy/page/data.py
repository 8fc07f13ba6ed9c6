"""What the page knows besides the rules: the limits of every chip, the products, the ranges of the inputs."""

from __future__ import annotations

import dataclasses
from itertools import groupby, takewhile
from string import ascii_letters
from typing import Any

from ..tables.clusters import measurements
from ..tables.products import WELL_KNOWN, products
from ..tables.shipped import known, limits
from ..values.kernel import (
    CACHING_MODES,
    RANGES,
    SHARED_MEMORY_MODES,
    TENSOR_MEMORY_UNIT,
)
from ..values.limits import Limits

# The fields of the form: the option of the command line, the field of `Kernel`, how it is read; ``needs`` is
# the limit without which a chip does not offer it, and ``multiple`` that of which it must be one.
INPUTS: list[dict[str, Any]] = [
    {
        "name": "threads",
        "field": "threads",
        "label": "Threads per block",
        "kind": "shape",
        "hint": "or 16x16",
    },
    {"name": "regs", "field": "regs", "label": "Registers per thread", "kind": "count"},
    {
        "name": "static-smem",
        "field": "static_smem",
        "label": "Static shared memory",
        "kind": "size",
        "hint": "bytes or 40k",
    },
    {
        "name": "dynamic-smem",
        "field": "dynamic_smem",
        "label": "Dynamic shared memory",
        "kind": "size",
        "hint": "bytes or 40k",
    },
    {"name": "barriers", "field": "barriers", "label": "Barriers per block", "kind": "count"},
    {
        "name": "carveout",
        "field": "carveout",
        "label": "Carveout",
        "kind": "carveout",
        "hint": "50% or 64k",
    },
    {"name": "opt-in", "field": "opt_in", "label": "Opt-in above 48 KiB", "kind": "flag"},
    {
        "name": "caching",
        "field": "caching",
        "label": "Caching of loads",
        "kind": "choice",
        "options": CACHING_MODES,
        "needs": "partitioned_global_caching",
    },
    {
        "name": "virtual-resources",
        "field": "virtual_resources",
        "label": "Virtual resources",
        "kind": "count",
        "hint": "0: relinquished",
        "needs": "virtual_resources_per_multiprocessor",
    },
    {
        "name": "tensor-memory",
        "field": "tensor_memory",
        "label": "Tensor memory columns",
        "kind": "count",
        "multiple": TENSOR_MEMORY_UNIT,
        "needs": "tensor_memory_per_multiprocessor",
    },
    {
        "name": "shared-memory-mode",
        "field": "shared_memory_mode",
        "label": "Shared memory mode",
        "kind": "choice",
        "options": SHARED_MEMORY_MODES,
        "needs": "max_oversized_shared_memory_per_block",
    },
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
}


LENGTHS = ascii_letters


def page_data(version: str) -> dict[str, Any]:
    """All of it, as small as it can be read."""
    return {
        "version": version,
        "chips": _chips(),
        "inputs": INPUTS,
        "ranges": {field: [label, low, high] for field, label, low, high in RANGES},
        "measured": [
            [",".join(map(str, key)), each.gpu, each.clusters] for key, each in measurements().items()
        ],
        "known_by": WELL_KNOWN,
        "lengths": LENGTHS,
        "phrases": PHRASES,
        "products": _products(),
    }


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
    for each in products():
        line = _shortened(f"{each.name} {each.multiprocessor_count}")
        found.setdefault(str(each.compute_capability), []).append(line)
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
