"""One word for one thing, in options, JSON, CSV, rules, baselines and Python: docs/names.md has the words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

import occupancy
from occupancy.api.arguments import MEANINGS
from occupancy.compare.baseline import BaselineKernel
from occupancy.compare.rules import CRITERIA
from occupancy.readers import KernelRecord
from occupancy.report.inputs import Inputs
from occupancy.report.schema import REPORTS, json_schema
from occupancy.values.kernel import Kernel
from occupancy.values.resources import Changeable

PAGE = Path(__file__).parents[3] / "docs" / "names.md"

RENAMED = {
    "max_registers", "max_register_growth", "max_shared_memory", "max_shared_memory_growth",
    "shared_memory_config", "multiprocessors", "max_warps", "block", "grid", "cluster",
    "launch_registers", "needed_registers",
}  # fmt: skip
"""Names that were two words for one thing."""


def names_in(schema: Any) -> Iterator[tuple[str, Any]]:
    """Every name of a JSON, with its own schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for each in schema.values():
            yield from names_in(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from names_in(each)


@pytest.mark.parametrize("command", REPORTS)
def test_no_json_has_a_second_word(command: str) -> None:
    found = dict(names_in(json_schema(command)))
    assert not RENAMED & set(found)
    # Of a kernel, what it uses: a number. A resource of an SM has numbers below it, or is of the table.
    assert found.get("registers", {}).get("type") != "integer"
    if command not in ("calc", "limits", "device", "verify"):
        assert "shared_memory" not in found


def test_no_argument_has_a_second_word() -> None:
    for name in set(dir(occupancy)) - {"__version__"}:
        public = getattr(occupancy, name)
        if inspect.isfunction(public):
            assert not (RENAMED - {"grid", "cluster"}) & set(inspect.signature(public).parameters), name


def test_rules_and_baselines_have_the_words_of_the_json() -> None:
    assert not RENAMED & set(CRITERIA)
    assert not (RENAMED | {"registers", "shared_memory"}) & {each.name for each in fields(BaselineKernel)}
    assert {"max_regs", "max_smem", "max_regs_growth", "max_smem_growth"} <= set(CRITERIA)


def test_arguments_are_fields_of_a_kernel() -> None:
    of_a_kernel = {each.name for each in fields(Kernel)}
    assert set(MEANINGS) - {"model"} <= of_a_kernel | {"tensor_memory"}
    assert {each.name for each in fields(Inputs)} <= of_a_kernel
    assert {"threads", "regs", "static_smem", "dynamic_smem", "smem", "barriers", "block_dim"} <= {
        each.name for each in fields(KernelRecord)
    }


def test_what_a_next_step_requires_can_be_computed_as_it_is() -> None:
    given: dict[str, Any] = {"threads": 256, "regs": 72, "smem": "40k"}
    for step in occupancy.next_steps("9.0", **given):
        assert set(step.requires) <= set(get_args(Changeable)) <= set(MEANINGS)
        changed: dict[str, Any] = given | {**step.requires}
        answer = occupancy.compute("9.0", **changed)
        assert answer.active_blocks == step.active_blocks


def test_the_page_names_only_what_there_is() -> None:
    words, renames = PAGE.read_text(encoding="utf-8").split("## Renamed")
    known = {name for command in REPORTS for name, _ in names_in(json_schema(command))}
    known |= set(MEANINGS) | {each.name for each in fields(Kernel)} | set(CRITERIA) | {"LeftOver"}
    known |= {
        "grid_dim",
        "cluster_dim",
        "compute_capability",
        "warps",
        "blocks",
        "registers",
        "shared_memory",
    }
    table = [line.split("|")[1] for line in words.splitlines() if line.startswith("| `")]
    assert {name for cell in table for name in re.findall(r"`(\w+)`", cell)} <= known
    for line in renames.splitlines():
        if line.startswith("| `"):
            _, before, now, *_ = line.split("|")
            new = {name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", now)}
            assert new <= known, new - known
            assert before != now
