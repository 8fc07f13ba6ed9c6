"""Screens match the recordings, fit the width, and have the same rows in every format for one GPU and for ten."""

import csv
import io
import json
import shlex

import jsonschema
import pytest

from occupancy.report.schema import REPORTS, json_schema
from tests.cli_runner import run

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
    report = json.loads(run(*command, "--format", "json").stdout)
    jsonschema.validate(report, json_schema(command[0]))
    rows = report[REPORTS[command[0]][2]]
    lines = run(*command, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == rows
    cells = list(csv.DictReader(io.StringIO(run(*command, "--format", "csv").stdout)))
    assert [list(each) for each in cells] == [list(row) for row in rows]
    key = next(
        key
        for key in ("occupancy", "warpgroups", "change", "was", "multiprocessor_count", "warp_size")
        if key in rows[0]
    )
    assert [float(each[key]) if each[key] else None for each in cells] == [row[key] for row in rows]
    assert run(*command, "--format", "markdown").stdout.startswith("**")


ONE_AND_TEN = [
    "calc -t 256 -r 40", "fits -t 256", "budget -t 256", "bounds -t 256 --blocks 2", "block-sizes -r 40",
]  # fmt: skip


@pytest.mark.parametrize("command", ONE_AND_TEN)
def test_one_gpu_and_ten_have_the_same_keys(command: str) -> None:
    ten = "7.0,7.5,8.0,8.6,8.9,9.0,10.0,10.3,12.0,12.1"
    for output_format in ("json", "csv"):
        one, several = (
            run(*command.split(), "--cc", cc, "--format", output_format).stdout for cc in ("9.0", ten)
        )
        if output_format == "csv":
            assert one.splitlines()[0] == several.splitlines()[0]
            continue
        first, second = json.loads(one), json.loads(several)
        rows = REPORTS[command.split()[0]][2]
        assert list(first) == list(second)
        assert list(first[rows][0]) == list(second[rows][0])
