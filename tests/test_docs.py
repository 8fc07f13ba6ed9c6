"""Every example of the documents is run: what they show is what comes out."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from .refresh_docs import DOCUMENTS, PICTURE, ROOT, blocks, refreshed, terminal_picture, with_public_names

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


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def test_the_package_docstring_is_true() -> None:
    import occupancy

    assert doctest.testmod(occupancy).failed == 0
    assert doctest.testmod(occupancy).attempted > 0


def test_every_public_name_is_listed() -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert text == with_public_names(text), "python -m tests.refresh_docs writes the lists"


def test_the_picture_of_the_readme_is_current() -> None:
    assert PICTURE.read_text(encoding="utf-8") == terminal_picture(), "python -m tests.refresh_docs draws it"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
