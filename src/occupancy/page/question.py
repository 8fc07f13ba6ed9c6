"""A question as the page's address has it: what stands behind the ``#`` of a link."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ..engine import Result
from ..values.kernel import Kernel
from .data import INPUTS


def question_of(answer: Result, launch: Mapping[str, str | None] | None = None) -> str:
    """The question of an answer, by the names of the command line's options: ``cc=9.0&threads=256``.

    Args:
        answer: For a chip of the shipped table; the page has no others.
        launch: What else the page takes: ``gpu``, ``sms``, ``grid`` and ``cluster``; None for what was not
            given.
    """
    limits, kernel = answer.limits, answer.kernel
    pairs = {"cc": str(limits.compute_capability)}
    pairs |= {each["name"]: text for each in INPUTS if (text := _text(kernel, each)) is not None}
    if kernel.smem is not None:
        pairs["smem"] = str(kernel.smem)
    return urlencode(pairs | _given(launch or {}))


def question_of_chip(cc: object, launch: Mapping[str, str | None]) -> str:
    """The address of the page with a chip alone."""
    return urlencode({"cc": str(cc)} | _given(launch))


def command_of(question: str, files: Iterable[str] = ()) -> str:
    """The command that makes the page with a question: ``occupancy page --cc 9.0 --threads 256``."""
    pairs = dict(parse_qsl(question))
    if "gpu" in pairs:
        del pairs["cc"]
    flags = [each["name"] for each in INPUTS if each["kind"] == "flag"]
    words = ["occupancy", "page", *files]
    for name, text in pairs.items():
        words += [f"--{name}" if text == "yes" else f"--no-{name}"] if name in flags else [f"--{name}", text]
    return shlex.join(words)


def _given(launch: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in launch.items() if text is not None}


def _text(kernel: Kernel, field: Mapping[str, Any]) -> str | None:
    value: Any = getattr(kernel, field["field"])
    if value is None:
        return None
    if field["kind"] == "shape" and kernel.block_dim is not None:
        return "x".join(map(str, kernel.block_dim))
    if field["kind"] == "carveout":
        return str(value) if value.unit == "percent" else str(value.amount)
    if field["kind"] == "flag":
        return "yes" if value else "no"
    return str(value)
