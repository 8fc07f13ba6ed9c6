"""What stands at the head of the page of a scan."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from occupancy import __version__
from occupancy.errors import InputError
from occupancy.page.heading import BUILT_AT, CALCULATOR, heading_of_scan
from tests.cli_runner import run

SAMPLE = "tests/data/kernels/samples.cubin"


@pytest.fixture(autouse=True)
def _built_at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUILT_AT, "1772366400")


def head(*arguments: str) -> tuple[str, str]:
    """The title, which is the first heading too, and what stands beside it."""
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    (title,) = re.findall("<title>(.*?)</title>", done.stdout)
    ((heading, about),) = re.findall("<h1>(.*?)</h1>\n<p>(.*?)</p>", done.stdout)
    assert heading == title
    return html.unescape(title), html.unescape(about)


def test_it_says_what_was_scanned_and_how() -> None:
    options = (
        "--threads",
        "256",
        "--threads",
        "*add*=64x2",
        "--arch",
        "sm_90",
        "--spilling",
        "--below",
        "50%",
    )
    title, about = head("scan", SAMPLE, "--format", "html", *options)
    assert title == "Kernels of samples.cubin: occupancy"
    assert about == (
        f"Scanned: {SAMPLE}, with --threads 256 --threads '*add*=64x2' --arch sm_90 --below 50% --spilling; "
        f"by occupancy {__version__}, 2026-03-01 12:00 UTC."
    )


def test_of_a_build_that_is_compared_it_says_with_what(builds: Path) -> None:
    before, after = str(builds / "before"), str(builds / "after")
    title, about = head("scan", after + "/", "--compare", before, "--format", "html")
    assert title == "Kernels of after, compared with before: occupancy"
    assert f"Scanned: {after}/, with --compare {before}; by" in about


def test_page_says_it_too_and_the_calculator_what_it_is() -> None:
    assert head("page", SAMPLE, "-o", "-")[0] == "Kernels of samples.cubin: occupancy"
    assert head("page", "-o", "-") == (CALCULATOR.title, CALCULATOR.about)


@pytest.mark.parametrize(
    ("sources", "title"),
    [
        (["-"], "Kernels of standard input: occupancy"),
        (["a.so", "b/c.so"], "Kernels of a.so and c.so: occupancy"),
        (["/"], "Kernels of /: occupancy"),
        ([f"{number}.o" for number in range(300)], "Kernels of 300 files: occupancy"),
        (["a\x1b[31m.so"], r"Kernels of a\x1b[31m.so: occupancy"),
    ],
)
def test_its_title(sources: list[str], title: str) -> None:
    heading = heading_of_scan(sources, "1.0")
    assert heading.title == title
    assert len(heading.about) < 150


def test_of_many_files_it_names_the_first() -> None:
    about = heading_of_scan([f"{number}.o" for number in range(300)], "1.0").about
    assert "6.o, 7.o and 292 more; by occupancy 1.0" in about


@pytest.mark.parametrize("text", ["now", "1e9", "9" * 30])
def test_a_time_that_is_none(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUILT_AT, text)
    with pytest.raises(InputError, match=f"{BUILT_AT}: is no time"):
        heading_of_scan(["a"], "1.0")


def test_without_a_time_that_is_set_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BUILT_AT)
    assert re.search(r", \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$", heading_of_scan(["a"], "1.0").about)
