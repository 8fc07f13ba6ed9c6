"""The page that scan writes: whole, escaped, and closed to the outside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli_runner import run

HOSTILE = "</script><img src=x onerror=alert(1)>&\"'"


def page(*arguments: object) -> str:
    done = run("scan", *map(str, arguments), "--format", "html")
    assert done.exit_code == 0, done.output
    return done.stdout


def data(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def test_all_kernels_are_in_it(samples: Path, tmp_path: Path) -> None:
    whole = data(page(samples))
    titles = [column["title"] for column in whole["columns"]]
    assert titles[:4] == ["Kernel", "Arch", "Occ.", "Limited by"]
    assert len(whole["rows"]) > 100
    rows = run("scan", str(samples / "samples.exe"), "--format", "jsonl").stdout.splitlines()
    shares = [row[2][0] for row in data(page(samples / "samples.exe"))["rows"]]
    assert shares == [json.loads(row)["occupancy"] for row in rows]
    done = run("scan", str(samples / "samples.exe"), "-o", str(tmp_path / "report.html"))
    assert done.exit_code == 0
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")


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
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?:", text.replace("http-equiv", ""))
    assert "innerHTML" not in text


def test_names_are_text(tmp_path: Path) -> None:
    log = f"Compiling entry function '{HOSTILE}' for 'sm_90'\nptxas info : Used 8 registers\n"
    (tmp_path / "log").write_text(log)
    text = page(tmp_path / "log", tmp_path / "log")
    assert "<img" not in text
    assert text.count("</script>") == 2, "the data and the script"
    assert data(text)["rows"][0][0].startswith("</script><img src=x onerror")


@pytest.mark.parametrize("compared", ["before", "after"])
def test_changes(builds: Path, tmp_path: Path, compared: str) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    path = str(tmp_path / "base.json")
    assert run("scan", str(builds / "before"), "--save-baseline", path).exit_code == 0
    whole = data(page(builds / compared, "--compare", path))
    assert whole["columns"][3]["title"] == "Change"
    changes = {f"{row[0]} {row[1]}": row[3][1] for row in whole["rows"]}
    if compared == "before":
        assert set(changes.values()) == {"the same"}
    else:
        assert "100%\N{NO-BREAK SPACE}\N{RIGHTWARDS ARROW} 50%" in changes["img::blur sm_80"]
        assert changes["img::sharpen sm_90"] == "not in it"


def test_only_pages_compare(samples: Path) -> None:
    done = run("scan", str(samples / "samples.exe"), "--compare", "x.json")
    assert done.exit_code == 2
    assert "occupancy diff" in done.stderr
