from __future__ import annotations

import csv
import io
import json

from occupancy import compute_capabilities

from .test_calc import run


def test_overview_has_every_compute_capability() -> None:
    lines = run("limits").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [str(cc) for cc in compute_capabilities()]
    assert max(map(len, lines)) <= 80


def test_some_side_by_side_with_every_limit() -> None:
    text = run("limits", "sm_80", "9.0", "12.0", columns=120).stdout
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    assert rows["Limit"] == ["8.0", "9.0", "12.0"]
    assert rows["max_threads_per_multiprocessor"] == ["2,048", "2,048", "1,536"]


def test_json_csv_and_markdown_have_the_same_values() -> None:
    printed = json.loads(run("limits", "8.6", "--format", "json").stdout)
    assert printed["compute_capabilities"]["8.6"]["max_blocks_per_multiprocessor"] == 16
    (row,) = csv.DictReader(io.StringIO(run("limits", "8.6", "--format", "csv").stdout))
    assert row["max_blocks_per_multiprocessor"] == "16"
    assert "| max_blocks_per_multiprocessor | 16 |" in run("limits", "8.6", "--format", "markdown").stdout


def test_unknown_compute_capability() -> None:
    result = run("limits", "9.9")
    assert result.exit_code == 2
    assert "9.9 is not in the table" in result.stderr
