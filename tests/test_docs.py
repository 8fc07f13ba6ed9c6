"""Documents: examples match their output, links are valid, and sentences are plain."""

import doctest
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

import occupancy
from occupancy.compare.rules import read_rules
from occupancy.engine import cuda
from occupancy.readers.limits import CEILINGS

from .cli_runner import COMMANDS, run
from .language import BAD_STARTS, MAX_WORDS, sentences
from .oracle.golden import read_rows
from .refresh_docs import DOCUMENTS, GENERATED, PICTURE, ROOT, blocks, refreshed, terminal_picture

PAGES = [*DOCUMENTS, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_print_what_the_document_shows(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    if "occupancy scan" in text:
        pytest.importorskip("demangle", reason="needs Python 3.11 to show names as the source has them")
    assert text == refreshed(document), "python -m tests.refresh_docs writes the present output"
    for _, shown in blocks(document, "console"):
        assert not re.search(r"^\$ .*\| *(head|tail|grep)\b", shown, flags=re.M), "results are shown whole"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_prints_what_the_document_shows(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    # The examples of a document share one namespace, as in a session.
    source = "\n".join(text for _, text in blocks(document, "pycon"))
    test = doctest.DocTestParser().get_doctest(source, {}, document.name, None, 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert report == []


def paragraphs(document: Path) -> Iterator[str]:
    """Yield the prose of a document: paragraphs, list items and table cells."""
    text = re.sub(r"^(`{3,}|~~~).*?^\1$", "\n", document.read_text(encoding="utf-8"), flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->|!\[.*?\]\(.*?\)|(?<=\])\([^)]*\)", "", text, flags=re.S)
    text = re.sub(r"^(#.*|---.*|:.*:.*)$", "\n", text, flags=re.M)
    text = re.sub(r"^\s*([-*:]|\d+\.)\s+", "\n\n", text, flags=re.M)
    text = re.sub(r"^\|(.*)\|$", lambda row: "\n\n" + row[1].replace("|", "\n\n"), text, flags=re.M)
    yield from (" ".join(part.split()) for part in text.split("\n\n") if part.strip())


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_sentences_are_plain(document: Path) -> None:
    """No sentence begins with an inverted clause, and at most 25 words per sentence on average."""
    inverted, long = [], []
    for paragraph in paragraphs(document):
        each = sentences(paragraph)
        inverted += [sentence for sentence in each if BAD_STARTS.match(sentence.lstrip('*_ "('))]
        if len(paragraph.split()) > MAX_WORDS * len(each):
            long.append(paragraph)
    assert inverted == []
    assert long == []


def test_help_is_plain() -> None:
    """Help begins with a subject or a verb, in sentences of at most 25 words."""
    texts = []
    for command in COMMANDS.values():
        texts += (command.help or "").split("\b")[0].split("\n\n")
        texts += [option.help or "" for option in command.params if isinstance(option, click.Option)]
    for text in texts:
        each = sentences(" ".join(text.split()))
        assert not [part for part in each if BAD_STARTS.match(part) or re.match("Or |Whether |How ", part)]
        assert len(text.split()) <= MAX_WORDS * max(1, len(each)), text


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target and Path(target).name not in GENERATED:
            assert (document.parent / target).exists(), target


def test_the_evidence_for_each_gpu_is_compared_in_the_tests() -> None:
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    lines = [line.strip("|").split("|") for line in text.splitlines() if re.match(r"\| \d+\.\d", line)]
    rows = [(cc, [cell.strip() for cell in cells]) for ccs, *cells in lines for cc in ccs.strip().split(", ")]
    ccs_of = [{cc for cc, cells in rows if cells[column]} for column in range(4)]
    every = occupancy.compute_capabilities()
    assert sorted(cc for cc, _ in rows) == sorted(map(str, every))
    assert ccs_of[0] == {str(cc) for cc in every if cuda.supports(occupancy.limits(cc))}
    assert ccs_of[1] == {row["cc"] for row in [*read_rows("spreadsheet_11_1"), *read_rows("spreadsheet_2_4")]}
    assert ccs_of[2] == {row["cc"] for row in read_rows("nsight_compute_2025_3")}
    assert ccs_of[3] == {"9.0"}


def test_the_rules_in_the_documents(tmp_path: Path) -> None:
    rules = tmp_path / "occupancy.toml"
    ((_, guide),) = blocks(ROOT / "docs" / "ci.md", "toml")
    reference = "".join(text for _, text in blocks(ROOT / "docs" / "reference" / "rules.md", "toml"))
    for text, count in ((reference, 3), (guide, 2)):
        rules.write_text(text, encoding="utf-8")
        assert len(read_rules(rules).rules) == count
    builds = ROOT / "tests" / "data" / "builds"
    assert occupancy.check(builds / "before", rules, update=True).passed
    checked = occupancy.check(builds / "after", rules)
    assert not checked.passed
    assert all(name in str(checked) for name in ("img::blur", "max_occupancy_drop", "no_new_spills"))


def test_security_has_the_ceilings_of_the_readers() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    table = [row.strip("|").split("|")[1:] for row in re.findall(r"^\|.*\d.*\|$", text, flags=re.M)]
    documented = {tuple(re.sub(r",? (and .*)?$", "", cell.strip()) for cell in row) for row in table}

    def written(amount: int) -> str:
        return f"{amount >> 20} MiB" if amount % (1 << 20) == 0 and amount < 1 << 28 else f"{amount:,}"

    for ceiling in CEILINGS.values():
        amounts = {written(ceiling.shared), f"{ceiling.shared:,}"}
        rates = {written(ceiling.per_mib), f"{ceiling.per_mib:,}"}
        assert any(row[0] in amounts and row[1] in rates for row in documented), ceiling
    assert len(documented) == len(CEILINGS)


@pytest.mark.parametrize("text", [text for document in DOCUMENTS for _, text in blocks(document, "yaml")])
def test_yaml_can_be_read(text: str) -> None:
    assert yaml.safe_load(text)


def test_the_package_docstring_is_true() -> None:
    assert doctest.testmod(occupancy).failed == 0
    assert doctest.testmod(occupancy).attempted > 0


def test_the_readme_is_short_and_its_picture_current() -> None:
    assert PICTURE.read_text(encoding="utf-8") == terminal_picture(), "python -m tests.refresh_docs draws it"
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110


def test_the_examples_in_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run them in a folder with the files that they name; device and verify need a GPU."""
    data = ROOT / "tests" / "data"
    for name in ("build", "build-sm80", "build-sm90", "ci"):
        shutil.copytree(data / "builds" / "before", tmp_path / name)
    shutil.copy(data / "builds" / "occupancy.toml", tmp_path / "ci")
    shutil.copy(data / "builds" / "baseline.json", tmp_path)
    shutil.copy(data / "kernels" / "samples.cubin", tmp_path / "libkernels.so")
    shutil.copy(data / "kernels" / "ncu.ncu-rep.gz", tmp_path / "report.ncu-rep")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    for name in [name for name in COMMANDS if name not in ("device", "verify")]:
        help_text = COMMANDS[name].help or ""
        examples = re.findall(r"^ *occupancy (.*)", help_text.partition("\b\n")[2], flags=re.M)
        assert examples
        for example in examples:
            done = run(*shlex.split(example.replace("0:227k:1k", "0:227k:32k")))  # takes seconds as it is
            assert done.exit_code in (0, 1), f"{example}\n{done.output}"
