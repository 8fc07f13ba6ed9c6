"""The report of a scan in a real browser: its table, and from each kernel to the calculator and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli_runner import run
from tests.page.browser import SCREENS, Open, keep, until

HOSTILE = "</script><img src=x onerror=alert(1)><i>k</i>"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As people write it: of a build, compared with its baseline."""
    pytest.importorskip("demangle", reason="needs Python 3.11")
    folder = tmp_path_factory.mktemp("report")
    builds = Path(__file__).parent.parent / "data" / "builds"
    base, path = folder / "base.json", folder / "report.html"
    assert run("scan", str(builds / "before"), "--save-baseline", str(base)).exit_code == 0
    done = run("scan", str(builds / "after"), "--compare", str(base), "-o", str(path))
    assert done.exit_code == 0, done.output
    return path


def names(page: Any) -> list[str]:
    found: list[str] = page.locator("#kernels .list tbody th").all_inner_texts()
    return found


def column(page: Any, title: str) -> list[str]:
    titles = page.locator("#kernels .list thead th").all_inner_texts()
    at = next(number for number, text in enumerate(titles, 1) if text.strip() == title)
    found: list[str] = page.locator(f"#kernels .list tbody tr > :nth-child({at})").all_inner_texts()
    return found


def test_a_kernel_leads_to_the_calculator_and_back(opened: Open, report: Path) -> None:
    page = opened(file=report)
    assert not page.is_visible("#question")
    assert page.evaluate("location.hash") == ""
    page.click("#kernels a:has-text('img::warp_image') >> nth=0")
    until(page, "document.querySelector('.figure strong')?.textContent === '75%'")
    assert page.is_visible("#question")
    assert not page.is_visible("#kernels")
    assert page.inner_text("#kernel code") == "img::warp_image"
    asked = {name: page.input_value(f"#{name}") for name in ("gpu", "threads", "regs")}
    assert asked == {"gpu": "8.0", "threads": "256", "regs": "40"}
    page.fill("#regs", "32")
    until(page, "location.hash.includes('regs=32')")
    page.click("button:has-text('Hold as A')")
    page.click(".back")
    until(page, "document.body.classList.contains('listed')")
    page.wait_for_timeout(300)
    assert page.evaluate("location.hash") == "#kernels", "the calculator does not write into the address"
    page.click("#kernels a:has-text('img::warp_image') >> nth=0")
    until(page, "document.querySelector('#regs').value === '40'")
    row = page.locator("#compare tbody tr").filter(has_text="Registers / thread")
    assert row.locator("td").all_text_contents() == ["32", "40"], "A is still there"


def test_a_link_opens_the_calculator_and_the_browsers_way_back_the_list(opened: Open, report: Path) -> None:
    page = opened("#cc=9.0&threads=256&regs=40&kernel=mine", file=report)
    assert page.inner_text("#kernel code") == "mine"
    page.click(".back")
    assert page.is_visible("#kernels")
    page.click("#kernels a >> nth=1")
    until(page, "!document.body.classList.contains('listed')")
    page.go_back()
    until(page, "document.body.classList.contains('listed')")


def test_a_question_that_is_still_to_be_written_into_the_address_does_not_take_the_way_back(
    opened: Open, report: Path
) -> None:
    page = opened("#cc=9.0&threads=256&regs=40", file=report)
    page.evaluate(
        """() => {
          const due = [];
          window.setTimeout = (call) => due.push(call);
          [...document.querySelectorAll("button")].find((each) => each.textContent === "Hold as A").click();
          document.querySelector(".back").click();
          for (const call of due) call(); // the time for writing comes before the page has heard of the click
        }"""
    )
    until(page, "document.body.classList.contains('listed')")
    page.wait_for_timeout(300)
    assert page.evaluate("location.hash") == "#kernels"


def test_the_table_is_sorted(opened: Open, report: Path) -> None:
    page = opened(file=report)
    assert column(page, "Change")[:2] == ["worse", "worse"]
    page.click("#kernels th button:text-is('Regs')")
    registers = [int(text) for text in column(page, "Regs")]
    assert registers == sorted(registers, reverse=True)
    assert page.get_attribute("#kernels th:has(button:text-is('Regs'))", "aria-sort") == "descending"
    page.click("#kernels th button:text-is('Occ.')")
    shares = [float(text.rstrip("%")) for text in column(page, "Occ.")]
    assert shares == sorted(shares)
    page.click("#kernels th button:text-is('Kernel')")
    assert names(page) == sorted(names(page))
    page.click("#kernels th button:text-is('Kernel')")
    assert names(page)[0] == "img::warp_image"
    page.focus("#kernels th button:text-is('Regs')")
    page.keyboard.press("Enter")
    assert [int(text) for text in column(page, "Regs")] == registers, "with the keyboard, too"


def test_the_table_is_filtered(opened: Open, report: Path) -> None:
    page = opened(file=report)
    page.fill("#kernels input[type=search]", "IMG::*gram 64")
    assert set(names(page)) == {"img::histogram<64, true>"}
    assert page.inner_text("#kernels [role=status]") == "2 of 16 rows."
    page.fill("#kernels input[type=search]", "")
    page.select_option("#kernels label:has-text('Change') select", label="removed")
    assert set(names(page)) == {"img::emboss"}
    page.select_option("#kernels label:has-text('Arch') select", label="sm_90")
    assert names(page) == ["img::emboss"]
    page.select_option("#kernels label:has-text('Change') select", label="all")
    page.fill("#kernels input[type=number]", "50")
    assert names(page) == ["img::histogram<64, true>"]
    page.fill("#kernels input[type=search]", "no such kernel")
    assert names(page) == []


def test_the_filters_are_in_the_address(opened: Open, report: Path) -> None:
    page = opened(file=report)
    page.fill("#kernels input[type=search]", "img::*gram 64")
    page.select_option("#kernels label:has-text('Arch') select", label="sm_90")
    page.fill("#kernels input[type=number]", "80")
    link = "#kernels&search=img%3A%3A*gram+64&arch=sm_90&below=80"
    until(page, f"location.hash === '{link}'")
    again = opened(link, file=report)
    assert names(again) == names(page) == ["img::histogram<64, true>"]
    assert column(again, "Arch") == ["sm_90"]
    again.click("#kernels a")
    until(again, "!document.body.classList.contains('listed')")
    again.click(".back")
    until(again, "document.body.classList.contains('listed')")
    assert again.evaluate("location.hash") == link
    assert names(again) == ["img::histogram<64, true>"]
    again.evaluate("location.hash = '#kernels'")
    until(again, "document.querySelector('#kernels [role=status]').textContent === '16 rows.'")
    assert again.input_value("#kernels input[type=search]") == ""


def test_filters_that_are_still_to_be_written_into_the_address_are_there_on_the_way_back(
    opened: Open, report: Path
) -> None:
    page = opened(file=report)
    page.evaluate(
        """() => {
          window.setTimeout = () => 0; // the time for writing does not come
          const search = document.querySelector("#kernels input[type=search]");
          search.value = "scale";
          search.dispatchEvent(new Event("input"));
          document.querySelector("#kernels .list a").click();
        }"""
    )
    until(page, "!document.body.classList.contains('listed')")
    page.go_back()
    until(page, "document.body.classList.contains('listed')")
    assert page.evaluate("location.hash") == "#kernels&search=scale"
    assert set(names(page)) == {"img::scale"}


def test_what_a_link_has_that_is_no_filter_is_named(opened: Open, report: Path) -> None:
    page = opened("#kernels&arch=sm_55&foo=3&change=removed", file=report)
    said = "2 of 16 rows. The link has unknown parts: arch=sm_55 and foo=3."
    assert page.inner_text("#kernels [role=status]") == said
    page.select_option("#kernels label:has-text('Change') select", label="all")
    assert page.inner_text("#kernels [role=status]") == "16 rows."


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Kernels of which some architectures share a row."""
    registers = {("k", "sm_80"): 32, ("k", "sm_100"): 72, ("k", "sm_103"): 72, ("other", "sm_103"): 96}
    (tmp_path / "log").write_text(
        "".join(
            f"Compiling entry function '{name}' for '{arch}'\nptxas info : Used {each} registers\n"
            for (name, arch), each in registers.items()
        )
    )
    path = tmp_path / "report.html"
    assert run("scan", str(tmp_path / "log"), "--threads", "256", "-o", str(path)).exit_code == 0
    return path


def test_architectures_that_share_a_row_are_found_each(opened: Open, shared: Path) -> None:
    page = opened(file=shared)
    assert column(page, "Arch") == ["sm_103", "sm_100, 103", "sm_80"]
    assert page.inner_text("#kernels [role=status]").startswith("3 rows; architectures that do not differ")
    options = page.locator("#kernels label:has-text('Arch') option").all_inner_texts()
    assert options == ["all", "sm_80", "sm_100", "sm_103"]
    link = page.locator("#kernels a:text-is('k')")
    assert "cc=10.0&" in link.first.get_attribute("href")
    page.select_option("#kernels label:has-text('Arch') select", label="sm_103")
    assert column(page, "Arch") == ["sm_103", "sm_100, 103"]
    assert "cc=10.3&" in link.first.get_attribute("href"), "the answer is for what was chosen"
    page.select_option("#kernels label:has-text('Arch') select", label="sm_100")
    assert column(page, "Arch") == ["sm_100, 103"]
    page.select_option("#kernels label:has-text('Arch') select", label="all")
    page.fill("#kernels input[type=search]", "sm_103")
    assert names(page) == ["other", "k"]
    page.fill("#kernels input[type=search]", "")
    page.click("#kernels th button:text-is('Arch')")
    assert column(page, "Arch") == ["sm_80", "sm_100, 103", "sm_103"]


def test_what_spills_is_chosen_and_the_order_at_the_start_is_said(
    opened: Open, samples: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    assert run("scan", str(samples / "samples.exe"), "-o", str(path)).exit_code == 0
    page = opened(file=path)
    assert page.get_attribute("#kernels th:has(button:text-is('Occ.'))", "aria-sort") == "ascending"
    shares = [float(text.rstrip("%")) for text in column(page, "Occ.")]
    assert shares == sorted(shares)
    page.check("#kernels label:has-text('spilling only') input")
    spilling = run(
        "scan", str(samples / "samples.exe"), "--spilling", "--format", "jsonl"
    ).stdout.splitlines()
    assert len(names(page)) == len(spilling) < len(shares)
    assert all(column(page, "Spills"))
    page.uncheck("#kernels label:has-text('spilling only') input")
    assert len(names(page)) == len(shares)


@pytest.mark.thorough
def test_many_rows_are_shown_as_they_are_asked_for(opened: Open, tmp_path: Path) -> None:
    lines = (
        f"Compiling entry function 'k{number}' for 'sm_90'\nptxas info : Used {number % 200 + 8} registers\n"
        for number in range(3000)
    )
    (tmp_path / "log").write_text("".join(lines))
    path = tmp_path / "report.html"
    assert run("scan", str(tmp_path / "log"), "-o", str(path)).exit_code == 0
    page = opened(file=path)
    assert len(names(page)) == 250
    page.click("button:has-text('Show 1,000 more of 2,750')")
    assert len(names(page)) == 1250
    page.fill("#kernels input[type=search]", "k2999")
    assert names(page) == ["k2999"]
    assert not page.is_visible("button[data-key=more]")


NAME = (
    "_Z27ForEachPixelByFourInAnImageIf7AverageI5PixelIfLi4EE5BlendIffE17AssignToThePixelsIffEEEv6ImagesIfEi"
)


@pytest.mark.parametrize("width", [1280, 1100])
def test_the_table_fits_beside_long_names(opened: Open, tmp_path: Path, width: int) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    lines = (
        f"Compiling entry function '{NAME}' for 'sm_{arch}'\nFunction properties for {NAME}\n"
        "  1312 bytes stack frame, 1420 bytes spill stores, 1424 bytes spill loads\n"
        "ptxas info : Used 128 registers, 12288 bytes smem\n"
        for arch in (80, 86, 89, 90, 100)
    )
    (tmp_path / "log").write_text("".join(lines))
    path = tmp_path / "report.html"
    assert run("scan", str(tmp_path / "log"), "--threads", "256", "-o", str(path)).exit_code == 0
    page = opened(file=path, viewport={"width": width, "height": 900})
    assert column(page, "Next step")[0]
    box = "document.querySelector('[aria-label=Kernels]')"
    assert page.evaluate(f"{box}.scrollWidth - {box}.clientWidth") <= 0
    assert page.locator("#kernels .list tbody th").first.bounding_box()["width"] > 250
    basis, table = (page.locator(each).bounding_box() for each in ("#kernels details", "#kernels .list"))
    assert "no dynamic shared memory" in page.inner_text("#kernels details")
    assert basis["y"] + basis["height"] < table["y"], "what the numbers rest on stands above them"


def test_a_long_path_fits_a_phone(opened: Open, tmp_path: Path) -> None:
    source, path = tmp_path / ("a_long_name" * 15), tmp_path / "report.html"
    source.write_text("Compiling entry function 'k' for 'sm_90'\nptxas info : Used 8 registers\n")
    assert run("scan", str(source), "-o", str(path)).exit_code == 0
    page = opened(file=path, **SCREENS["phone"])
    assert source.name in page.inner_text("h1")
    assert str(source) in page.inner_text("header p")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_table_without_room_scrolls_in_sight(opened: Open, report: Path) -> None:
    page = opened(file=report, viewport={"width": 1000, "height": 500})
    box = page.locator("[aria-label=Kernels]")
    assert box.bounding_box()["height"] <= 500
    box.evaluate("each => (each.scrollTop = 200)")
    title = page.locator("#kernels .list thead th").first.bounding_box()
    assert abs(title["y"] - box.bounding_box()["y"]) < 2, "the titles of the columns stay"
    page.click("#kernels a:has-text('img::scale') >> nth=0")
    until(page, "!document.body.classList.contains('listed')")
    page.click(".back")
    until(page, "document.body.classList.contains('listed')")
    assert box.evaluate("each => each.scrollTop") > 100, "where one was is kept"


def test_a_name_is_never_markup(opened: Open, tmp_path: Path) -> None:
    log = f"Compiling entry function '{HOSTILE}' for 'sm_90'\nptxas info : Used 8 registers\n"
    (tmp_path / "log").write_text(log)
    path = tmp_path / "report.html"
    assert run("scan", str(tmp_path / "log"), "-o", str(path)).exit_code == 0
    page = opened(file=path)
    assert names(page) == [HOSTILE]
    page.click("#kernels a")
    until(page, "document.querySelector('#kernel code')")
    assert page.inner_text("#kernel code") == HOSTILE
    assert page.locator("img, #kernels i").count() == 0


@pytest.mark.parametrize(
    "screen",
    [pytest.param(each, marks=() if each == "phone" else pytest.mark.thorough) for each in SCREENS],
)
def test_it_is_accessible_and_fits(opened: Open, report: Path, screen: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(file=report, **SCREENS[screen])
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0
    keep(page, f"report-{screen}")
