"""The reference contains every public name, option and field. CI builds the site itself."""

import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import occupancy
from occupancy.report.model import NOTES
from occupancy.report.schema import REPORTS

from .language import BAD_STARTS, MAX_WORDS, sentences
from .refresh_docs import FIGURES, module_at

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def generated() -> ModuleType:
    return module_at(DOCS / "generated.py")


def test_every_public_name_is_in_the_reference(generated: ModuleType) -> None:
    listed = re.findall(r":: occupancy\.(\w+)$", generated.api_page(), flags=re.MULTILINE)
    assert sorted(listed) == sorted(set(dir(occupancy)) - {"__version__"})


def test_every_json_has_its_fields_in_the_reference(generated: ModuleType) -> None:
    page = generated.json_page()
    for command in REPORTS:
        assert f"## occupancy {command}\n" in page
    assert "| `occupancy` | " in page
    assert not re.findall(r"\|  \|$", page, flags=re.MULTILINE), "a field without a meaning"
    starts = "Whether|How|Why|What|Which|Where|With|Of"
    assert not re.findall(rf"\| ((?:{starts}) .*) \|$", page, flags=re.MULTILINE)


def test_every_note_is_plain(generated: ModuleType) -> None:
    for note in NOTES.values():
        assert f"`{note.code}`" in generated.notes_page()
        assert not BAD_STARTS.match(note.text)
        assert len(note.text.split()) <= MAX_WORDS * len(sentences(note.text))


def test_figures_are_current(tmp_path: Path) -> None:
    figures = module_at(DOCS / "figures.py")
    figures.write_all(tmp_path)
    drawn = {path.stem: ElementTree.parse(path).getroot() for path in tmp_path.glob("*.svg")}
    texts = {name: " ".join(root.itertext()) for name, root in drawn.items()}
    answer = occupancy.compute(figures.CC, threads=figures.THREADS, regs=figures.REGISTERS)
    assert f"{answer.active_blocks} blocks of {answer.allocated.warps} warps" in texts["sub-partitions"]
    assert f"{answer.occupancy:.0%}" in texts["staircase"]
    for name, text in texts.items():
        # Not byte by byte: matplotlib's paths depend on its version.
        kept = " ".join(ElementTree.parse(FIGURES / f"{name}.svg").getroot().itertext())
        assert kept.split() == text.split(), "python -m tests.refresh_docs draws the figures"
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert set(re.findall(r"_static/([\w-]+)\.svg", pages)) == set(drawn)


def test_the_page_about_throughput_has_the_measured_numbers() -> None:
    rows = list(module_at(DOCS / "figures.py").read_measured())
    assert len(rows) == 163
    measured = {f"{float(row['rate']):{form}}" for row in rows for form in (",.0f", ",.1f", ".1f")}
    page = (DOCS / "concepts" / "when-it-matters.md").read_text(encoding="utf-8")
    rates = re.findall(r"([\d,.]*\d) (?:GB/s|TFLOP/s)", page)
    rates += re.findall(r"^\|.* \| ([\d,.]+) \|$", page, flags=re.MULTILINE)
    assert len(rates) >= 20
    assert set(rates) <= measured
