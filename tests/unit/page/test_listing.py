"""The page with the kernels of a scan: whole, escaped, and closed to the outside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

import occupancy
from occupancy.cli import written
from occupancy.page import listing
from occupancy.report.scan import columns
from tests.cli_runner import run

HOSTILE = "</script><img src=x onerror=alert(1)>&\"'"


def page(*arguments: object) -> str:
    done = run("scan", *map(str, arguments), "--format", "html")
    assert done.exit_code == 0, done.output
    return done.stdout


def data(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="listing">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def test_all_kernels_are_in_it(samples: Path, tmp_path: Path) -> None:
    whole = data(page(samples))
    titles = [column["title"] for column in whole["columns"]]
    assert titles[:4] == ["Kernel", "Arch", "Occ.", "Limited by"]
    assert len(whole["rows"]) > 100
    rows = run("scan", str(samples / "samples.exe"), "--format", "jsonl").stdout.splitlines()
    shares = [row[2][0] for row in data(page(samples / "samples.exe"))["rows"]]
    assert shares == sorted(json.loads(row)["occupancy"] for row in rows)
    done = run("scan", str(samples / "samples.exe"), "-o", str(tmp_path / "report.html"))
    assert done.exit_code == 0
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("column", columns.ALL, ids=lambda column: column.title)
def test_numbers_are_sorted_as_numbers(column: columns.Column) -> None:
    number = listing._number(column)
    assert (number is None) is not column.is_number
    rows = [each for name in ("builds/after", "kernels") for each in occupancy.scan(f"tests/data/{name}")]
    values = {type(number(row)) for row in rows} if number else set()
    assert values <= {int, float, type(None)}


def test_it_loads_nothing_and_runs_its_own_script_alone(samples: Path) -> None:
    text = page(samples / "samples.exe")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    policy = html.unescape(policy)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name, kind in (("script", "script-src"), ("style", "style-src")):
        *_, inner = re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert not re.search(r"\ssrc\s*=\s*[\"']|url\((?!#)|@import|https?:(?!//www.w3.org)", text)
    assert "innerHTML" not in text


def test_names_are_text(tmp_path: Path) -> None:
    log = f"Compiling entry function '{HOSTILE}' for 'sm_90'\nptxas info : Used 8 registers\n"
    (tmp_path / "log").write_text(log)
    text = page(tmp_path / "log", tmp_path / "log")
    assert "<img" not in text
    assert text.count("</script>") == 3, "the data, the list and the script"
    assert data(text)["rows"][0][0].startswith("</script><img src=x onerror")


@pytest.mark.parametrize(
    ("options", "title", "is_down"),
    [
        ([], "Occ.", False),
        (["--sort", "regs"], "Regs", True),
        (["--sort", "regs", "--reverse"], "Regs", False),
        (["--spilling"], "Spills", True),
        (["--below", "99"], "Occ.", False),
    ],
)
def test_the_order_at_the_start_is_that_of_a_column(
    samples: Path, options: list[str], title: str, is_down: bool
) -> None:
    whole = data(page(samples / "samples.exe", *options))
    column = whole["columns"][whole["order"]["column"]]
    assert (column["title"], whole["order"]["is_down"]) == (title, is_down)


def test_an_order_that_no_column_has_is_not_said(samples: Path) -> None:
    assert data(page(samples / "samples.exe", "--sort", "worst"))["order"] is None


def test_architectures_that_do_not_differ_share_a_row_as_in_text(tmp_path: Path) -> None:
    registers = {"sm_80": 32, "sm_90": 72, "sm_100": 72, "sm_103": 72, "sm_120": 40}
    (tmp_path / "log").write_text(
        "".join(
            f"Compiling entry function 'k' for '{arch}'\nptxas info : Used {each} registers\n"
            for arch, each in registers.items()
        )
    )
    whole = data(page(tmp_path / "log", "--threads", "256"))
    archs = [row[1] for row in whole["rows"]]
    assert archs == [[["sm_90", "sm_100", "sm_103"], "sm_90 to sm_103"], "sm_80", "sm_120"]
    text = run("scan", str(tmp_path / "log"), "--threads", "256").stdout
    assert all(shown in text for shown in ("sm_90 to sm_103", "sm_80", "sm_120"))
    assert len(whole["questions"]) == 3
    first, *others = whole["questions"]
    assert [dict(parse_qsl(each))["cc"] for each in (*first, *others)] == [
        "9.0",
        "10.0",
        "10.3",
        "8.0",
        "12.0",
    ]


def test_its_readers_did_not_run_the_command(samples: Path) -> None:
    said = " ".join(data(page(samples / "samples.cubin"))["notes"])
    assert "occupancy scan --threads N answers for another size" in said
    assert "if you know it" not in said


def test_an_option_stands_there_with_its_command() -> None:
    whole = run("scan", "tests/data/modern", "--format", "html").stdout
    said = " ".join(data(whole)["notes"])
    assert re.findall(r"--[a-z]", said)
    assert not re.findall(r"(?<!occupancy scan )--[a-z-]+", said)
    assert "kernels: sm_100f is code of a family" in said  # a name keeps its letters


def test_a_page_of_very_many_kernels_says_how_it_gets_smaller(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "MANY", 1)
    path = str(tmp_path / "report.html")
    hint = "For a smaller page: --newest, --spilling or --below 50."
    assert hint in run("scan", str(samples / "samples.exe"), "-o", path).stderr
    assert hint not in run("scan", str(samples / "samples.exe"), "-o", path, "--spilling").stderr
    assert hint not in run("scan", str(samples / "samples.exe"), "-o", str(tmp_path / "a.csv")).stderr
    assert (
        hint.replace("--", "occupancy scan --", 1)
        in run("page", str(samples / "samples.exe"), "-o", path).stderr
    )


def test_page_writes_what_scan_writes_and_says_the_same_of_it(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    found = {}
    for command in ("page", "scan"):
        done = run(command, str(samples / "samples.exe"), "tests/data/builds/none.cubin", "-o", str(path))
        found[command] = done.exit_code, done.stderr, data(path.read_text())
    assert found["page"] == found["scan"]
    assert found["page"][0] == 1, "one file could not be read"
    assert "kernels." in found["page"][1]


def test_questions_are_those_of_the_kernels(samples: Path) -> None:
    path = str(samples / "samples.cubin")
    kernels = [json.loads(line) for line in run("scan", path, "--format", "jsonl").stdout.splitlines()]
    for kernel, question in zip(kernels, data(page(path))["questions"], strict=True):
        asked = dict(parse_qsl(question))
        assert asked["cc"] == kernel["cc"]
        assert int(asked["regs"]) == kernel["regs"]
        options = [part for name, value in asked.items() for part in (f"--{name}", value)]
        answer = json.loads(run("calc", *options, "--format", "json").stdout)
        assert answer["gpus"][0]["occupancy"] == kernel["occupancy"]


def test_a_launch_brings_its_grid_and_the_sms_of_the_gpu(samples: Path) -> None:
    questions = data(page(samples / "pytorch_trace.json", "--gpu", "H200"))["questions"]
    asked = [dict(parse_qsl(question)) for question in questions]
    assert {each["sms"] for each in asked} == {"132"}
    assert all(each["grid"] for each in asked)


def test_what_the_page_would_answer_otherwise_has_no_question(samples: Path, tmp_path: Path) -> None:
    table = tmp_path / "limits.yaml"
    table.write_text(
        "schema_version: 1\ncompute_capabilities:\n"
        "  '9.0': {like: '9.0', max_registers_per_multiprocessor: 32768}\n"
    )
    whole = data(page(samples / "samples.cubin", "--limits", table, "--threads", "256"))
    assert None in whole["questions"]


@pytest.fixture
def baseline(builds: Path, tmp_path: Path) -> str:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    path = str(tmp_path / "base.json")
    assert run("scan", str(builds / "before"), "--save-baseline", path).exit_code == 0
    return path


def changes(text: str) -> dict[str, tuple[str, str]]:
    whole = data(text)
    titles = [column["title"] for column in whole["columns"]]
    assert titles[3:5] == ["Change", "What changed"]
    return {
        f"{row[0]} {row[1]}": (row[3], row[4].replace("\N{NO-BREAK SPACE}", " ")) for row in whole["rows"]
    }


def test_a_build_is_the_same_as_itself(builds: Path, baseline: str) -> None:
    found = changes(page(builds / "before", "--compare", baseline))
    assert set(found.values()) == {("same", "")}


def test_changes_are_those_of_diff(builds: Path, baseline: str) -> None:
    text = page(builds / "after", "--compare", baseline)
    found = changes(text)
    report = json.loads(run("diff", baseline, str(builds / "after"), "--format", "json").stdout)
    verdicts = {f"{short(each['new'])} {each['new']['arch']}": each["verdict"] for each in report["kernels"]}
    for name in ("added", "removed"):
        verdicts |= {f"{short(each)} {each['arch']}": name for each in report[name]}
    assert {name: verdict for name, (verdict, _) in found.items() if verdict != "same"} == verdicts
    shown, worst = (f"100% \N{RIGHTWARDS ARROW} {share}" for share in ("50%", "12.5%"))
    assert found["img::blur sm_80"][1].startswith(f"occ. {shown}")
    assert found["img::blur sm_80"][1].endswith(f"worst at 64 threads ({worst})")
    assert "2 worse, 2 mixed and 8 the same; 2 added and 2 removed" in data(text)["lead"][1]
    assert next(iter(found)).startswith("img::blur"), "what changed comes first"


def test_the_code_that_the_chip_runs_is_said_of_what_is_listed(builds: Path) -> None:
    """And not of the build that it is compared with, of which it may run all."""
    old = str(builds / "before" / "filters.sm_90.cubin")
    text = page(builds / "after", "--gpu", "H100", "--compare", old)
    assert "Of each kernel only the code that 9.0 runs (sm_90)" in text


def short(kernel: Any) -> str:
    return str(kernel["demangled"]).removeprefix("void ").rpartition("(")[0]


def test_a_renamed_kernel_is_one_and_not_two(tmp_path: Path) -> None:
    for name, kernel, registers in (("old", "blur_v1", 40), ("new", "blur_v2", 72)):
        log = f"Compiling entry function '{kernel}' for 'sm_90'\nptxas info : Used {registers} registers\n"
        (tmp_path / name).write_text(log)
    (row,) = data(page(tmp_path / "new", "--compare", tmp_path / "old", "--threads", "256"))["rows"]
    assert row[3] == "worse"
    assert row[4].endswith("at 256 threads, was blur_v1")


def test_only_pages_compare(samples: Path) -> None:
    done = run("scan", str(samples / "samples.exe"), "--compare", "x.json")
    assert done.exit_code == 2
    assert "occupancy diff" in done.stderr
