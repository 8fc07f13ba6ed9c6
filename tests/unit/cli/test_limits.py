from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from occupancy import compute_capabilities
from tests.cli_runner import run


def test_overview_has_every_compute_capability() -> None:
    lines = run("limits", "--all", columns=100).stdout.splitlines()
    assert [line.split()[0] for line in lines[3:]] == [str(cc) for cc in compute_capabilities()]
    assert max(map(len, lines)) <= 100


def test_overview_begins_with_what_todays_cuda_compiles_for_and_names_architectures() -> None:
    lines = run("limits", columns=80).stdout.splitlines()[3:]
    *lines, empty, scope = lines
    assert (empty, scope) == ("", "From 7.5 on; --all has the older ones, occupancy limits 9.0 every limit.")
    assert [line.split()[:2] for line in lines][:2] == [["7.5", "Turing"], ["8.0", "Ampere"]]
    assert [line.split()[0] for line in lines] == [str(cc) for cc in compute_capabilities() if cc >= (7, 5)]


def test_some_side_by_side_with_every_limit() -> None:
    text = run("limits", "sm_80", "9.0", "12.0", columns=120).stdout
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    assert rows["Limit"] == ["8.0", "9.0", "12.0"]
    assert rows["max_threads_per_multiprocessor"] == ["2,048", "2,048", "1,536"]


@pytest.mark.parametrize("columns", [30, 40, 80, 120])
@pytest.mark.parametrize("arguments", [(), ("3.7", "5.2", "8.0", "9.0", "12.0"), ("8.6", "--sources")])
def test_a_narrow_terminal_loses_no_number(arguments: tuple[str, ...], columns: int) -> None:
    text = run("limits", *arguments, columns=columns).stdout
    assert max(map(len, text.splitlines())) <= columns
    assert "\u2026" not in text
    words = set(text.split())
    everything = run("limits", *arguments, columns=400).stdout.split()
    assert {word for word in everything if re.fullmatch(r"[\d,]+\d", word)} <= words


def test_many_side_by_side_take_several_tables() -> None:
    text = run("limits", "3.7", "5.2", "6.0", "7.0", "8.0", columns=80).stdout
    headers = [line.split()[1:] for line in text.splitlines() if line.startswith("Limit")]
    assert headers == [["3.7", "5.2", "6.0"], ["7.0", "8.0"]]


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


def test_sources_name_who_says_each_value_and_who_disagrees() -> None:
    text = run("limits", "12.0", "--sources", columns=100).stdout
    assert "Disputed" in text
    printed = json.loads(run("limits", "12.0", "--sources", "--format", "json").stdout)
    blocks = printed["compute_capabilities"]["12.0"]["max_blocks_per_multiprocessor"]
    assert (blocks["value"], [other["value"] for other in blocks["disputes"][0]["others"]]) == (24, [32])
    assert set(blocks["sources"]) <= set(printed["sources"])
    rows = list(csv.DictReader(io.StringIO(run("limits", "--all", "--sources", "--format", "csv").stdout)))
    assert len(rows) == len(compute_capabilities()) * len(printed["compute_capabilities"]["12.0"])
    assert all(row["sources"] for row in rows)


def test_a_table_of_ones_own_has_no_sources(tmp_path: Path) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text('schema_version: 1\ncompute_capabilities: {"13.0": {like: "9.0", warp_size: 64}}\n')
    assert "13.0" in run("limits", "--limits", str(table)).stdout
    refused = run("limits", "--limits", str(table), "--sources")
    assert (refused.exit_code, refused.stdout) == (2, "")
