"""Sentences that say what to type, as the command, Python and the page say them."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy import InputError, UnknownComputeCapabilityError
from occupancy.cli import COMMANDS
from occupancy.values.asking import Asking, reworded, said_by, worded
from occupancy.values.listed import table_of
from tests.cli_runner import run

BUILDS = Path("tests/data/builds")
MORE = Asking("--all", "with_same=True")
NAMES = "|".join(COMMANDS)
OF_A_COMMAND = re.compile(
    rf"(?<![\w-])--[a-z]|\boccupancy (?:{NAMES})\b|\b(?:{NAMES}) (?:finds|says|shows|has|lists|checks)\b"
)


@pytest.mark.parametrize("copied", [MORE, copy.deepcopy(MORE), pickle.loads(pickle.dumps(MORE))])
def test_each_reader_is_told_in_its_words(copied: Asking) -> None:
    said = Asking.of("f--all: ", copied, " shows it.")
    assert worded(said, "command") == worded(said, "page") == "f--all: --all shows it."
    assert worded(said, "python") == "f--all: with_same=True shows it."
    assert worded("f--all", "python") == "f--all"


def test_a_change_is_made_to_all_that_is_said() -> None:
    said = reworded(Asking("a", "b", "c"), str.upper)
    assert [worded(said, reader) for reader in ("command", "python", "page")] == ["A", "B", "C"]
    assert reworded("a", str.upper) == "A"


def test_parts_that_are_added_keep_all_that_they_say() -> None:
    for said in (MORE + " shows it.", "f: " + MORE, MORE + MORE):
        assert worded(said, "python") == said.replace("--all", "with_same=True") != said


def test_data_has_the_words_of_the_command() -> None:
    assert (json.dumps(MORE), MORE) == ('"--all"', "--all")
    assert type(worded(MORE, "command")) is str


def loses_words(text: str, *_: object) -> str:
    raise AssertionError(f"f-strings keep the command's words alone: {text!r}")


def test_no_answer_of_python_names_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Asking, "__format__", loses_words)
    before, after = (str(BUILDS / each / "ptxas.log") for each in ("before", "after"))
    baseline, rules = tmp_path / "b.json", tmp_path / "rules.toml"
    occupancy.save_baseline(before, baseline)
    rules.write_text('[[rules]]\nkernels = ["*"]\nmax_occupancy_drop = 1\n', encoding="utf-8")
    chips = ["A100", "H100 SXM", "B200"]
    answers: list[Any] = [
        occupancy.compute("9.0", threads=384, regs=168),
        occupancy.compute("9.0", threads=128, dynamic_smem="96k"),
        occupancy.compute("9.0", threads=96, regs=120, smem="60k"),
        occupancy.compute("10.0", threads=256, tensor_memory=128),
        occupancy.compute("10.0", threads=384, regs=168, tensor_memory=128),
        occupancy.compute("3.0", threads=96, regs=36, model="spreadsheet"),
        occupancy.compute_on_all(["12.0", "H100 SXM"], threads=128, dynamic_smem="96k", cluster=4),
        occupancy.compute_on_all(["9.0", "10.0"], threads=384, regs=168),
        occupancy.compute_on_all(chips, threads=96, regs=120, smem="60k", grid=1000),
        occupancy.budget("9.0", threads=256),
        occupancy.budget_on_all(chips, threads=256),
        occupancy.compute("9.0", threads=256).block_sizes(),
        occupancy.fits(threads=256),
        occupancy.fits(ccs=["A100", "H100 SXM"], threads=256, cluster=4),
        occupancy.diff(before, after),
        occupancy.check(before, rules=rules, baseline=baseline),
        occupancy.check(after, rules=rules, baseline=baseline),
        occupancy.scan(after),
        occupancy.scan(after, only_spilling=True),
        occupancy.scan("tests/data/inductor/cache"),
        occupancy.scan("tests/data/kernels", limit=5),
        occupancy.scan("tests/data/modern"),
        *occupancy.scan("tests/data/modern", limit=20),
        occupancy.limits("9.0"),
        *occupancy.gpus("9.0"),
        occupancy.compute("H100 SXM", threads=256, regs=40).waves(5000, cluster=4),
        occupancy.registers("1:40,2:?"),
    ]
    for answer in answers:
        for shown in (str(answer), answer._repr_html_()):
            assert not OF_A_COMMAND.search(shown), shown
    assert "Your own GPU tells: cudaOcc" in answers[6]._repr_html_()
    assert "update=True, name=&quot;PART&quot;, or all with update=True." in answers[16]._repr_html_()


A_FUNCTION: Any = len
OF_THE_COMMAND = re.compile(r"(?<![\w-])--[a-z]|\boccupancy [a-z]+\b|command line")


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda: occupancy.compute("9.9", threads=64), "in a file: occupancy.read_limits()."),
        (lambda: occupancy.compute("9.0", threads=[64, 128]), "For several values: occupancy.sweep()."),
        (
            lambda: occupancy.compute("9.0", threads=64, smem=A_FUNCTION),
            "a function of the threads, as dynamic_smem",
        ),
        (lambda: occupancy.compute_on_all(["9.0"], threads=64, grid=9), "Name a product, such as H100-SXM."),
        (lambda: occupancy.compute_on_all(["H100"], threads=64, grid=9), "Choose one of them:"),
    ],
)
def test_errors_of_python_are_in_its_words_and_those_of_commands_in_theirs(
    ask: Callable[[], object], hint: str
) -> None:
    with pytest.raises((InputError, UnknownComputeCapabilityError)) as caught:
        ask()
    error = caught.value
    for copied in (error, pickle.loads(pickle.dumps(error)), error.elsewhere("here", InputError)):
        assert hint in str(copied)
        assert not OF_THE_COMMAND.search(str(copied))
        assert worded(copied.hint, "command") in "\n".join(copied.lines())
    assert said_by(error) == "\n".join(error.lines())
    assert worded(said_by(error), "python") == str(error)


def test_a_command_is_told_its_options() -> None:
    assert "in a file: --limits FILE.\n" in run("calc", "--cc", "9.9", "-t", "64").stderr
    missing = run("calc", "--cc", "9.0", "-t", "64", "--grid", "9", columns=200).stderr
    assert "Name a product, such as H100-SXM; --sms or --device will do, too." in missing


def test_what_a_kernel_of_a_scan_says_of_itself_names_no_option() -> None:
    row = next(
        each for each in occupancy.scan("tests/data/modern") if any(map(OF_A_COMMAND.search, each.notes))
    )
    assert "cc= answers for those" in str(row)
    assert not OF_A_COMMAND.search(table_of(row))
