"""SARIF, beside its schema (tests/data/sarif)."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli_runner import run

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(gzip.decompress((DATA / "sarif" / "sarif-2.1.0.json.gz").read_bytes()))
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "build").mkdir()
    cubin = gzip.decompress((DATA / "lines" / "alone.cubin.gz").read_bytes())
    (tmp_path / "build" / "alone.cubin").write_bytes(cubin)
    (tmp_path / "rules.toml").write_text("[[rules]]\nmax_regs = 8\nmax_barriers = 0\n")
    return tmp_path


def check(build: Path, output_format: str = "sarif") -> Any:
    done = run("check", str(build / "build"), "--rules", str(build / "rules.toml"), "--format", output_format)
    return json.loads(done.stdout) if output_format == "sarif" else done


def test_it_is_valid(build: Path, validator: Any) -> None:
    log = check(build)
    validator.validate(log)
    (the_run,) = log["runs"]
    assert [rule["id"] for rule in the_run["tool"]["driver"]["rules"]] == ["max_regs", "max_barriers"]
    for result in the_run["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["region"]["startLine"] in (4, 7)
        assert location["physicalLocation"]["artifactLocation"]["uri"].endswith("/kernels.cu")
        assert the_run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    prints = [result["partialFingerprints"]["kernelAndRule/v1"] for result in the_run["results"]]
    assert len(set(prints)) == len(prints) == 3


def test_nothing_found(build: Path, validator: Any) -> None:
    (build / "rules.toml").write_text("[[rules]]\nmax_regs = 255\n")
    log = check(build)
    validator.validate(log)
    assert log["runs"][0]["results"] == []


def test_the_schema_refuses_what_is_wrong(build: Path, validator: Any) -> None:
    log = check(build)
    del log["runs"][0]["results"][0]["message"]
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(log)


def test_paths_are_relative_to_where_it_runs(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The sources were compiled in a folder of the temporary files.
    uri = check(build)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    monkeypatch.setattr(os, "getcwd", lambda: os.path.dirname(uri.removeprefix("file://")))
    location = check(build)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "kernels.cu", "uriBaseId": "%SRCROOT%"}


def test_annotations_name_file_and_line(build: Path) -> None:
    lines = check(build, "github").stdout.splitlines()
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == 2
    assert all("kernels.cu,line=" in line for line in errors)
    assert "kernels.cu:4" in check(build, "text").stdout


def test_without_lines_it_is_the_file_of_the_build(build: Path, samples: Path, validator: Any) -> None:
    (build / "build" / "alone.cubin").write_bytes((samples / "samples.cubin").read_bytes())
    log = check(build)
    validator.validate(log)
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"].endswith("alone.cubin")
    assert "region" not in location


LOG = """ptxas info    : Compiling entry function '{name}' for 'sm_90'
ptxas info    : Function properties for {name}
    0 bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads
ptxas info    : Used {regs} registers, used 1 barriers, {smem} bytes smem
"""


def test_a_scan(tmp_path: Path, validator: Any) -> None:
    kernels = {
        "spilling": {"stores": 8, "loads": 12, "regs": 168, "smem": 0},
        "huge": {"stores": 0, "loads": 0, "regs": 168, "smem": 300000},
        "low": {"stores": 0, "loads": 0, "regs": 168, "smem": 0},
        "fine": {"stores": 0, "loads": 0, "regs": 32, "smem": 0},
    }
    lines = (LOG.format(name=name, **needs) for name, needs in kernels.items())
    (tmp_path / "build.log").write_text("".join(lines))
    path = tmp_path / "scan.sarif"
    done = run("scan", str(tmp_path / "build.log"), "--threads", "256", "--format", "sarif", "-o", str(path))
    assert done.exit_code == 0, done.output
    log = json.loads(path.read_text())
    validator.validate(log)
    found = {each["ruleId"]: (each["level"], each["message"]["text"]) for each in log["runs"][0]["results"]}
    assert found["spills"] == ("warning", "spilling (sm_90): spills 20 bytes of registers.")
    assert found["low_occupancy"] == (
        "note", "low (sm_90): 12.5% occupancy at 256 threads, limited by registers."
    )  # fmt: skip
    level, text = found["does_not_launch"]
    assert level == "warning"
    assert text.startswith("huge (sm_90): does not launch at 256 threads: ")
    assert len(log["runs"][0]["results"]) == 3
    again = run("scan", str(tmp_path / "build.log"), "--format", "sarif", "-o", str(path))
    assert again.exit_code == 0, "it is replaced"


def test_a_comparison(builds: Path, validator: Any) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    done = run("diff", str(builds / "before"), str(builds / "after"), "--format", "sarif")
    log = json.loads(done.stdout)
    validator.validate(log)
    results = log["runs"][0]["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [
        *[("worse", "warning")] * 2, *[("mixed", "note")] * 2, *[("removed", "note")] * 2,
    ]  # fmt: skip
    assert results[0]["message"]["text"] == (
        "img::blur (sm_80): worse: occ. 100% -> 50%, limited by warps -> shared, shared 4 -> 36 KiB, "
        "at 256 threads, worst at 64 threads (100% -> 12.5%)."
    )
    assert results[-1]["message"]["text"] == "img::emboss (sm_90): Only the old build has it."


def test_a_comparison_names_file_and_line(build: Path) -> None:
    new = str(build / "build")
    text = run("diff", new, new, "--all", columns=200).stdout
    assert "kernels.cu:4" in text
    assert "kernels.cu:7" in text
    row = next(csv.DictReader(run("diff", new, new, "--all", "--format", "csv").stdout.splitlines()))
    assert (Path(row["file"]).name, int(row["line"])) == ("kernels.cu", 4)
    report = json.loads(run("diff", new, new, "--all", "--format", "json").stdout)
    assert {each["new"]["line"] for each in report["kernels"]} == {4, 7}
