"""``occupancy page``, and ``calc --open``."""

import shlex
import webbrowser
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import parse_qsl, unquote

import click
import pytest

from tests.cli_runner import run

QUESTION = ("--cc", "9.0", "--threads", "256", "--regs", "40")


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mock:
    monkeypatch.setattr(click, "get_app_dir", lambda name: str(tmp_path / name))
    monkeypatch.setattr(webbrowser, "open", replaced := Mock(return_value=True))
    return replaced


def question_in(page: str) -> dict[str, str]:
    start = page.index('data-fragment="') + len('data-fragment="')
    return dict(parse_qsl(page[start : page.index('"', start)].replace("&amp;", "&")))


@pytest.mark.parametrize(("options", "expected"), [
    ("", {}),
    ("--cc sm_90a", {"cc": "9.0", "threads": "256"}),
    ("--cc 9.0 --threads 64 --sms 4 --cluster 2", {"cc": "9.0", "threads": "64", "sms": "4", "cluster": "2x1x1"}),
    ("--cc 8.6 --threads 64 --smem 8k", {"cc": "8.6", "threads": "64", "smem": "8192"}),
    ("--cc 7.0 --threads 64 --carveout 64k", {"cc": "7.0", "threads": "64", "carveout": "65536"}),
    ("--cc 10.0 --threads 64 --tmem 64", {"cc": "10.0", "threads": "64", "tensor-memory": "64"}),
    (
        "--gpu 'RTX 4090' --threads 16x16 --regs 40 --dynamic-smem 27k --carveout 50 --no-opt-in "
        "--barriers 2 --grid 1000",
        {
            "cc": "8.9", "threads": "16x16x1", "regs": "40", "dynamic-smem": "27648", "barriers": "2",
            "carveout": "50%", "opt-in": "no", "gpu": "GeForce RTX 4090", "sms": "128", "grid": "1000",
        },
    ),
])  # fmt: skip
def test_the_fragment_by_the_names_of_the_options(options: str, expected: dict[str, str]) -> None:
    page = run("page", "-o", "-", *shlex.split(options)).stdout
    assert page.startswith("<!doctype html>")
    assert "{{" not in page
    assert question_in(page) == expected


def test_it_opens(browser: Mock) -> None:
    assert run("page", *QUESTION).exit_code == 0
    (call,) = browser.call_args_list
    file, _, fragment = call.args[0].partition("#")
    assert fragment == "cc=9.0&threads=256&regs=40"
    page = Path(unquote(file.removeprefix("file://"))).read_text(encoding="utf-8")
    assert question_in(page) == {"cc": "9.0", "threads": "256", "regs": "40"}


def test_without_a_browser_it_prints_the_address(browser: Mock) -> None:
    browser.return_value = False
    done = run("page", *QUESTION)
    assert (done.exit_code, done.stderr[:26]) == (0, "No browser to open: file:/")
    assert done.stderr.endswith("add -o occupancy.html.\n")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("page --gpu H100 --regs 256", "--regs"),
        ("page --cc 9.0 --threads 256 --caching ca", "caching"),
        ("page -o /nowhere/page.html", "/nowhere/"),
    ],
)
def test_what_cannot_be_opened(command: str, said: str, browser: Mock) -> None:
    done = run(*shlex.split(command))
    assert done.exit_code == 2
    assert said in done.stderr
    browser.assert_not_called()
