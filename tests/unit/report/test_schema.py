from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import occupancy
from occupancy.api.sweep import sweep_grid
from occupancy.cli import COMMANDS
from occupancy.render.csv_json import to_json
from occupancy.report.meanings import OF_NAMES
from occupancy.report.schema import REPORTS, adapter, json_schema
from occupancy.tables.gpus import find_gpu
from tests.cli_runner import run

KERNEL = ("--cc", "9.0", "--threads", "256", "--regs", "40")

# Commands and their options; BEFORE and AFTER are the two builds of tests/data/builds.
EXAMPLES = (
    ("calc", *KERNEL, "--explain", "--grid", "4096", "--sms", "132"),
    ("calc", "--gpu", "H100,RTX 4090", "--threads", "192", "--regs", "72", "--smem", "40k", "--explain"),
    ("fits", "--threads", "256", "--smem", "96k"),
    ("fits", "--threads", "256", "--smem", "96k", "--occupancy", "50%"),
    ("fits", "--threads", "256", "--gpu", "RTX 4090,A100", "--model", "spreadsheet"),
    ("budget", *KERNEL, "--occupancy", "75%"),
    ("budget", *KERNEL),
    ("budget", "--gpu", "H100,RTX 4090", "--threads", "256", "--blocks", "4"),
    ("budget", "--gpu", "H100,RTX 4090", "--threads", "256"),
    ("bounds", "--threads", "256", "--min-blocks", "4"),
    ("bounds", *KERNEL, "--min-blocks", "4"),
    ("registers", "--threads", "384", "--groups", "1:40,2:232"),
    ("block-sizes", "--cc", "8.6", "--regs", "40", "--smem-per-thread", "32"),
    ("block-sizes", "--gpu", "H100,RTX 4090", "--regs", "40"),
    ("sweep", *KERNEL),
    ("scan", "BEFORE"),
    ("diff", "BEFORE", "AFTER"),
    ("check", "AFTER", "--rules", "rules.toml"),
    ("limits",),
    ("limits", "1.3", "3.5", "9.0", "--sources"),
    ("gpus", "h200"),
    ("device",),
    ("verify", "--quick"),
)


def test_every_command_that_prints_json_has_a_schema_and_an_example() -> None:
    assert set(REPORTS) == {name for name, *_ in EXAMPLES} == set(COMMANDS) - {"schema", "page", "init"}


@pytest.mark.parametrize("example", EXAMPLES, ids=" ".join)
def test_the_json_is_what_the_schema_says(
    example: tuple[str, ...], h200: None, builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.toml").write_text("[[rules]]\nmax_regs = 96\n")
    folders = {"BEFORE": str(builds / "before"), "AFTER": str(builds / "after")}
    name, *arguments = (folders.get(each, each) for each in example)
    done = run(name, *arguments, "--format", "json")
    assert (done.exit_code, done.stderr) == (1 if name == "check" else 0, "")
    printed = json.loads(done.stdout, object_hook=_without_demangled_names)
    read = adapter(name).validate_json(done.stdout)
    # What the schema lacks would be missing here, and what it has too much would be refused.
    assert adapter(name).dump_python(read, mode="json", by_alias=True) == printed


def _without_demangled_names(each: dict[str, Any]) -> dict[str, Any]:
    """They follow from the names, so that no field holds them; the schema has them."""
    return {name: value for name, value in each.items() if name != "demangled"}


@pytest.mark.parametrize("command", REPORTS)
def test_every_field_of_the_json_is_in_the_schema(command: str) -> None:
    schema = json_schema(command)
    definitions = schema.get("$defs", {})
    # A command with two kinds of answers has a schema for each.
    for each in [definitions[one["$ref"].rpartition("/")[2]] for one in schema.get("anyOf", ())] or [schema]:
        assert set(each["required"]) == set(each["properties"])
    assert json.loads(run("schema", command).stdout) == schema


@pytest.mark.parametrize("command", REPORTS)
def test_the_schema_says_what_each_field_means(command: str) -> None:
    schema = json_schema(command)
    for each in (schema, *schema.get("$defs", {}).values()):
        for name, field in each.get("properties", {}).items():
            meaning = field.get("description", "")
            assert meaning, (each["title"], name)
            kinds = {field.get("type"), *(kind.get("type") for kind in field.get("anyOf", ()))}
            if "integer" in kinds and re.search("smem|shared_memory", name):
                assert "byte" in meaning.lower(), (each["title"], name, meaning)


def test_of_a_class_its_own_docstring_counts_and_elsewhere_the_name() -> None:
    fields = json_schema("calc")["$defs"]["CalcReport"]["properties"]
    assert fields["occupancy"]["description"] == "Active warps by the most warps of an SM, 0 to 1."
    assert fields["active_blocks"]["description"] == OF_NAMES["active_blocks"]
    rows = json_schema("scan")["$defs"]["ScanRow"]["properties"]
    assert rows["regs"]["description"] == "Registers per thread."  # of the class that it is derived from


def test_no_meaning_is_said_of_a_field_that_there_is_not() -> None:
    schemas = [json_schema(command) for command in REPORTS]
    classes = {schema["title"]: schema for schema in schemas if "title" in schema}
    for schema in schemas:
        classes |= schema.get("$defs", {})
    fields = {(title, name) for title, each in classes.items() for name in each.get("properties", {})}
    named = {name for _, name in fields}
    for key in OF_NAMES:
        title, _, name = key.rpartition(".")
        assert (title, name) in fields if title else name in named, key


def test_no_schema() -> None:
    assert run("schema", "nothing").exit_code == 2


@given(
    cc=st.sampled_from([str(cc) for cc in occupancy.compute_capabilities()]),
    threads=st.integers(1, 1100),
    regs=st.none() | st.integers(0, 255),
    smem=st.none() | st.integers(0, 300_000),
    carveout=st.none() | st.integers(0, 100),
    explain=st.booleans(),
)
def test_an_answer_survives_the_round_trip_through_json(
    cc: str, threads: int, regs: int | None, smem: int | None, carveout: int | None, explain: bool
) -> None:
    result = occupancy.compute(cc, threads=threads, regs=regs, smem=smem, carveout=carveout)
    report = result.report(explain=explain)
    assert adapter("calc").validate_json(to_json(report.to_dict()), strict=True) == report


@pytest.mark.parametrize(
    "varying", [{"threads": "64,16x8"}, {"threads": "128", "carveout": "10,max"}, {"threads": "64"}]
)
def test_a_sweep_is_as_its_schema_says(varying: dict[str, str]) -> None:
    report = sweep_grid([find_gpu("9.0")], {**varying, "opt_in": False})
    text = to_json(report.to_dict())
    assert adapter("sweep").validate_json(text, strict=True) == report


def test_a_row_of_a_sweep_has_what_was_given_too() -> None:
    cell = json_schema("sweep")["$defs"]["Cell"]
    (row, *_) = sweep_grid([find_gpu("9.0")], {"threads": "64,128", "opt_in": False}).rows()
    assert {"cc", "threads", "opt_in"} == set(row) - set(cell["properties"])
    assert {each["type"] for each in cell["additionalProperties"]["anyOf"]} == {
        "string",
        "integer",
        "boolean",
    }
