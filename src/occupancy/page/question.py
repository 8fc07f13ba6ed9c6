"""Links to the page: the inputs of a result as the part of the address after the ``#``."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, urlencode

from ..engine import Result
from ..values.carveout import Carveout
from .data import LABELS


def question_of(answer: Result, launch: Mapping[str, str | None]) -> str:
    """Return the inputs of a result by the names of the options: ``cc=9.0&threads=256``."""
    kernel = answer.kernel
    pairs = {name.replace("_", "-"): _text(getattr(kernel, name)) for name in (*LABELS, "smem")}
    if kernel.block_dim is not None:
        pairs["threads"] = "x".join(map(str, kernel.block_dim))
    return link_to(answer.limits.compute_capability, {**pairs, **launch})


def link_to(cc: object, inputs: Mapping[str, str | None]) -> str:
    """Return the link to a GPU with some inputs."""
    return urlencode({"cc": str(cc)} | {name: text for name, text in inputs.items() if text is not None})


def command_of(question: str, files: Iterable[str] = ()) -> str:
    """Return the command that writes the page with some inputs: ``occupancy page --cc 9.0 --threads 256``."""
    pairs = dict(parse_qsl(question))
    if "gpu" in pairs:
        del pairs["cc"]
    words = ["occupancy", "page", *files]
    for name, text in pairs.items():
        flag = {"yes": f"--{name}", "no": f"--no-{name}"}.get(text)
        words += [flag] if flag else [f"--{name}", text]
    return shlex.join(words)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Carveout):
        return str(value) if value.unit == "percent" else str(value.amount)
    return None if value is None else str(value)
