"""Every example of the documents is run: what they show is what comes out."""

from __future__ import annotations

import contextlib
import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

import occupancy
from occupancy.compare.rules_file import read_rules

from .cli_runner import run
from .oracle.golden import read_rows
from .refresh_docs import DOCUMENTS, PICTURE, ROOT, blocks, refreshed, terminal_picture, with_lists

PAGES = [*DOCUMENTS, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"))]

CONSOLE_BLOCKS = [
    pytest.param(text, id=f"{document.name}:{line}")
    for document in DOCUMENTS
    for line, text in blocks(document, "console")
]


def test_there_are_examples() -> None:
    assert len(CONSOLE_BLOCKS) >= 3
    assert sum(len(blocks(document, "pycon")) for document in DOCUMENTS) >= 3


@pytest.mark.parametrize("text", CONSOLE_BLOCKS)
def test_commands_print_what_the_document_shows(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    if "::" in text or "occupancy scan" in text:
        pytest.importorskip("demangle", reason="needs Python 3.11 to show names as the source has them")
    assert text == refreshed(text), "python -m tests.refresh_docs writes what the commands print now"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_answers_what_the_document_shows(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    # One namespace for a document, as a reader would type it.
    source = "\n".join(text for _, text in blocks(document, "pycon"))
    test = doctest.DocTestParser().get_doctest(source, {}, document.name, None, 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert report == []


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def test_the_evidence_for_each_chip_is_what_the_tests_compare_with() -> None:
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if re.match(r"\| \d+\.\d", line)
    ]
    chips_of = {
        column: {cc for chips, *cells in rows if cells[column] for cc in chips.split(", ")}
        for column in range(4)
    }
    every = {str(cc) for cc in occupancy.compute_capabilities()}
    assert [cc for chips, *_ in rows for cc in chips.split(", ")].count("9.0") == 1
    assert {cc for chips, *_ in rows for cc in chips.split(", ")} == every
    assert chips_of[0] == {cc for cc in every if "cuda" in models_of(cc)}
    spreadsheets = [*read_rows("spreadsheet_11_1"), *read_rows("spreadsheet_2_4")]
    assert chips_of[1] == {row["cc"] for row in spreadsheets} <= every
    assert chips_of[2] == {row["cc"] for row in read_rows("nsight_compute_2025_3")}
    assert chips_of[3] == {"9.0"}


def models_of(cc: str) -> set[str]:
    """The models that answer for a chip."""
    found = set()
    for model in ("cuda", "spreadsheet"):
        with contextlib.suppress(occupancy.InputError):
            occupancy.compute(cc, threads=32, model=model)
            found.add(model)
    return found


def test_the_rules_of_the_page_about_ci(tmp_path: Path) -> None:
    page = ROOT / "docs" / "ci.md"
    first, *others = (text for _, text in blocks(page, "toml"))
    rules = tmp_path / "occupancy.toml"
    rules.write_text("".join([first, *others]), encoding="utf-8")
    assert len(read_rules(rules).rules) == 2
    rules.write_text(first, encoding="utf-8")
    builds = ROOT / "tests" / "data" / "builds"
    assert occupancy.check(builds / "before", rules, update=True).passed
    said = " ".join(str(occupancy.check(builds / "after", rules)).split())
    assert "max_occupancy_drop = 0 points (rule 1), sm_80: 100% -> 50% at 256 threads (bound), worst" in said
    assert "no_new_spills = true (rule 1), sm_80: is 840 bytes" in said


def test_the_commands_of_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = ROOT / "tests" / "data" / "kernels"
    for name, source in (
        ("old.log", "ptxas_v.txt"),
        ("build.log", "ptxas_v.txt"),
        ("kernels.o", "samples.cubin"),
    ):
        shutil.copy(kernels / source, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    lines = "".join(text for _, text in blocks(ROOT / "docs" / "tutorial.md", "sh")).splitlines()
    asked = [line for line in lines if line.startswith("occupancy ")]
    assert len(asked) >= 5
    for line in asked:
        _, *arguments = shlex.split(line, comments=True)
        done = run(*arguments)
        assert done.exit_code == 0, f"{line}: {done.output}"


@pytest.mark.parametrize("text", [text for document in DOCUMENTS for _, text in blocks(document, "yaml")])
def test_yaml_can_be_read(text: str) -> None:
    assert yaml.safe_load(text)


def test_the_package_docstring_is_true() -> None:
    assert doctest.testmod(occupancy).failed == 0
    assert doctest.testmod(occupancy).attempted > 0


def test_every_public_name_is_listed() -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert text == with_lists(text), "python -m tests.refresh_docs writes the lists"


def test_the_picture_of_the_readme_is_current() -> None:
    assert PICTURE.read_text(encoding="utf-8") == terminal_picture(), "python -m tests.refresh_docs draws it"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
