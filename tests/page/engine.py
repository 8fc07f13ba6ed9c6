"""The page's engine in V8, inside this process, and the library's results in the same format."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from py_mini_racer import MiniRacer

from occupancy.advice.launch_bounds import register_cap
from occupancy.advice.next_steps import next_steps
from occupancy.advice.slack import carveout, slack
from occupancy.engine import Result
from occupancy.errors import InputError
from occupancy.page.build import START, page_script
from occupancy.page.data import page_data
from occupancy.report.explain import explain
from occupancy.report.model import values_of
from occupancy.tables import shipped
from occupancy.values.fields import MAX_BARRIERS_PER_BLOCK, MAX_REGISTERS_PER_THREAD, Carveout
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits

ENTRANCES = (Path(__file__).parent / "entrances.js").read_text(encoding="utf-8")


def script() -> str:
    """Return the page's script with constant data and without drawing."""
    text = page_script().replace(
        'document.getElementById("data").textContent', json.dumps(json.dumps(page_data()))
    )
    return text.removesuffix(START) + ENTRANCES


class PageEngine:
    def __init__(self, text: str | None = None) -> None:
        self._context = MiniRacer()
        self._context.eval(script() if text is None else text)

    def call(self, entrance: str, questions: Sequence[Question]) -> Any:
        values = [[cc, kernel_values(kernel)] for cc, kernel in questions]
        return json.loads(self._context.call(entrance, json.dumps(values)))

    def results(self, questions: Sequence[Question]) -> list[Any]:
        """Return the result of each input, in the format of `own_result`."""
        return [_with_numbers(each) for each in self.call("resultsOf", questions)]

    def grid(self, cc: str, threads: Sequence[int], registers: Sequence[int], sizes: Sequence[int]) -> bytes:
        """Return blocks and limiter bits of every combination, one byte each, alternating."""
        values = {"threads": list(threads), "registers": list(registers), "sizes": list(sizes)}
        text = json.dumps({"cc": cc, **values})
        found: Any = self._context.eval(f"gridOf({json.dumps(text)})")
        return bytes(found)

    def value(self, expression: str) -> Any:
        return json.loads(str(self._context.eval(f"JSON.stringify({expression})")))


def kernel_values(kernel: Kernel) -> dict[str, Any]:
    carveout = kernel.carveout
    return {**kernel._asdict(), "carveout": None if carveout is None else carveout._asdict()}


class Question(NamedTuple):
    """GPU of the table, and a kernel."""

    cc: str
    kernel: Kernel


def own_result(question: Question) -> Any:
    """Return the library's result as JSON values; for an error, the rejected input."""
    cc, kernel = question
    try:
        result = Result(shipped.limits(cc), kernel)
    except InputError as error:
        return error.where
    steps = tuple(next_steps(result))
    registers = [(step.requires.get("regs"), step.active_blocks) for step in steps]
    caps = [None if regs is None else register_cap(result, regs, most) for regs, most in registers]
    along = (failure := result.failure) and failure.axis and f" along {failure.axis}"
    has_runtime = result.limits.compute_capability >= (3, 0)
    found = {
        "block_limits": result.block_limits._asdict(),
        "allocated": result.allocated._asdict(),
        "active_blocks": result.active_blocks,
        "active_warps": result.active_warps,
        "occupancy": result.occupancy,
        "limiters": result.limiters,
        "uses": {
            name: values_of(use, "per_block", "per_multiprocessor") for name, use in result.resources.items()
        },
        "failure": failure and {**values_of(failure, "limit", "needed", "allowed"), "along": along},
        "next_steps": [{**step._asdict(), "requires": dict(step.requires)} for step in steps],
        "caps": [cap and values_of(cap, "launch_bounds", "maxnreg") for cap in caps],
        "slack": values_of(slack(result), "regs", "smem", "barriers", "tensor_memory"),
        "needs_opt_in": carveout(result).needs_opt_in,
        "arithmetic": [[each.resource, each.steps] for each in explain(result)] if has_runtime else [],
    }
    return _with_numbers(json.loads(json.dumps(found)))


def _with_numbers(result: Any) -> Any:
    """Replace the sentences of the arithmetic by their numbers, because the wording can differ."""
    if isinstance(result, dict):
        texts = {name: "; ".join(lines).replace(",", "") for name, lines in result["arithmetic"]}
        cut = {name: re.sub(" the same for [0-9to ]+", "", text) for name, text in texts.items()}
        result["arithmetic"] = {name: re.findall(r"\d+", text) for name, text in cut.items()}
    return result


def random_questions(cc: str, count: int, seed: int) -> list[Question]:
    """Generate kernels with missing inputs, excessive inputs, and features that the GPU lacks."""
    chance = random.Random(f"{cc} {seed}")
    return [Question(cc, _random_kernel(chance, shipped.limits(cc))) for _ in range(count)]


def _random_kernel(chance: random.Random, limits: Limits) -> Kernel:
    def size() -> int | None:
        most = limits.max_shared_memory_per_multiprocessor
        unit = limits.shared_memory_allocation_unit
        edge = most // chance.randrange(1, 40) // unit * unit - limits.reserved_shared_memory_per_block
        above = max(0, edge + chance.randrange(3))
        return chance.choice([None, 0, chance.randrange(most + 4000), chance.randrange(3000), above])

    usual = chance.choice([64, 128, 256])
    threads = chance.choice([chance.randrange(1, 1100), 32 * chance.randrange(1, 33), usual])
    shape = None
    if chance.random() < 0.15:
        shape = (chance.choice([1, 8, 16, 70]), chance.choice([1, 4, 8]), chance.choice([1, 2, 65]))
        threads = shape[0] * shape[1] * shape[2]
    parts: dict[str, Any] = {"smem": size()}
    if chance.random() < 0.7:
        parts = {"static_smem": size(), "dynamic_smem": size()}
    carveout = None
    if chance.random() < 0.35:
        size_in_bytes = chance.choice([*limits.shared_memory_configurations, 1000])
        percent = Carveout(chance.randrange(101), "percent")
        carveout = chance.choice([percent, Carveout(size_in_bytes, "bytes")])
    modern: dict[str, Any] = {}
    if chance.random() < 0.3:
        most = limits.tensor_memory_per_multiprocessor
        modern = {
            "virtual_resources": chance.choice([None, 0, chance.randrange(256), 128]),
            "tensor_memory": chance.randrange(1, most + 9) if most and chance.random() < 0.5 else None,
            "shared_memory_mode": chance.choice([None, "oversized"])
            if limits.max_oversized_shared_memory_per_block or chance.random() < 0.02
            else None,
        }
    return Kernel(
        threads=threads,
        regs=chance.choice([None, 0, chance.randrange(MAX_REGISTERS_PER_THREAD + 1)]),
        barriers=chance.choice([None, chance.randrange(MAX_BARRIERS_PER_BLOCK + 1)]),
        block_dim=shape,
        carveout=carveout,
        caching=chance.choice([None, "ca", "cg"])
        if limits.partitioned_global_caching or chance.random() < 0.02
        else None,
        opt_in=chance.choice([None, True, False]),
        **parts,
        **modern,
    )
