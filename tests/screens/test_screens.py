"""Screens match the recordings, fit the width, and have the same rows in every format for one GPU and for ten."""

import json
import shlex

import jsonschema
import pytest

from occupancy.report.schema import REPORTS, json_schema
from tests.cli_runner import as_csv, as_json, run

from .errors import errors
from .record import HERE, SCREENS, WIDTHS, fields, screen


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_as_recorded(name: str) -> None:
    recorded = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert screen(SCREENS[name]) == recorded
    for width in WIDTHS:
        shown = recorded.partition(f"$ COLUMNS={width} ")[2].partition("\n$ ")[0]
        assert 1 < max(map(len, shown.splitlines()[1:])) <= width


def test_messages_are_as_recorded() -> None:
    assert "\n".join(errors()) == (HERE / "errors.txt").read_text(encoding="utf-8")


def test_fields_are_as_recorded() -> None:
    assert fields() == (HERE / "fields.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in SCREENS if not name.startswith("sweep")])
def test_every_format_has_the_same_rows_in_the_same_order(name: str) -> None:
    command = shlex.split(SCREENS[name])
    report = as_json(*command)
    schema = json_schema(report["report"])
    jsonschema.validate(report, schema)
    assert list(report) == list(schema["properties"])
    assert set(report["inputs"]) <= set(schema["properties"]["inputs"]["properties"])
    rows = report[REPORTS[command[0]][1]]
    assert [json.loads(line) for line in run(*command, "--format", "jsonl").stdout.splitlines()] == rows
    cells = as_csv(*command)
    for each, row in zip(cells, rows, strict=True):
        own = [key for key, value in row.items() if key in each or not isinstance(value, dict | None)]
        own = [key for key in own if key not in report["inputs"]]
        assert [key for key in each if key in own] == own
        assert not any("{" in cell for cell in each.values())
    keys = ("occupancy", "warpgroups", "change", "was", "multiprocessor_count", "warp_size")
    for key in filter(rows[0].__contains__, keys):
        assert [float(each[key]) if each[key] else None for each in cells] == [row[key] for row in rows]
    assert run(*command, "--format", "markdown").stdout.startswith("**")


@pytest.mark.parametrize(
    "options",
    ["calc -t 256 -r 40", "fits -t 256", "budget -t 256", "bounds -t 256 --blocks 2", "block-sizes -r 40"],
)
def test_one_gpu_and_ten_have_the_same_keys(options: str) -> None:
    command, ten = options.split(), "7.0,7.5,8.0,8.6,8.9,9.0,10.0,10.3,12.0,12.1"
    one, several = (as_json(*command, "--cc", cc) for cc in ("9.0", ten))
    rows = REPORTS[command[0]][1]
    assert [*one, *one[rows][0]] == [*several, *several[rows][0]]
    assert len({tuple(as_csv(*command, "--cc", cc)[0]) for cc in ("9.0", ten)}) == 1
