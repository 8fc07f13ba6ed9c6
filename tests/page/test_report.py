"""The reports of scan and diff in a real browser: table, and links to the calculator."""

import re
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

from occupancy.page.build import build_report
from occupancy.readers import ReadProblem
from occupancy.report.model import Column, Report, note
from tests.page.browser import Open, axe_violations, keep, until

HOSTILE = "</script><img src=x onerror=alert(1)><i>k</i>"


def kernel(name: str, arch: str = "sm_90", **values: Any) -> dict[str, Any]:
    occupancy, regs = values.get("occupancy", 1.0), values.get("regs", 32)
    step = "100%: 32 regs" if occupancy < 1 else ""
    return {
        "demangled": name, "arch": arch, "cc": f"{arch[3:-1]}.{arch[-1]}", "occupancy": occupancy, "regs": regs,
        "launchable": True, "limiters": ("registers" if regs > 32 else "warps",), "threads": 256, "smem": 0,
        "static_smem": 0, "next_step": step, "source": "lib.so", **values,
    }  # fmt: skip


SCAN = [
    kernel("ns::gemm", "sm_80", occupancy=0.25, regs=128, spill_store_bytes=8, spill_load_bytes=16,
           max_threads=256, min_blocks=2, next_step="50%: 64 regs"),
    kernel("ns::gemm", occupancy=0.5, regs=64, spill_store_bytes=8),
    kernel("ns::copy10", threads_assumed=True), kernel("ns::copy9", occupancy=0.45, regs=40, file="k.cu", line=7),
    kernel(HOSTILE),
]  # fmt: skip


def change(name: str, verdict: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any]:
    sides = {f"old_{key}": value for key, value in (old or {}).items()}
    sides |= {f"new_{key}": value for key, value in (new or {}).items()}
    causes = "launch bounds (256, 6)" if old and new else ""
    return {"demangled": name, "arch": "sm_90", "verdict": verdict, "causes": causes, **sides}


BEFORE = {"cc": "8.0", "occupancy": 1.0, "regs": 32, "smem": 4096, "threads": 256, "spill_store_bytes": 0}
AFTER = {"cc": "9.0", "occupancy": 0.5, "regs": 64, "smem": 36864, "threads": 256, "spill_store_bytes": 840}
DIFF = [
    change("ns::blur", "worse", BEFORE, AFTER), change("ns::sharpen", "better", AFTER, BEFORE),
    change("ns::gone", "removed", BEFORE, None), change("ns::fresh", "added", None, BEFORE),
    change("ns::copy", "same", BEFORE, BEFORE), {**change("ns::blur", "same", BEFORE, BEFORE), "arch": "sm_80"},
    {**change("ns::copy", "added", None, BEFORE), "arch": "sm_100"},
]  # fmt: skip


def written(rows: list[dict[str, Any]], path: Path) -> Path:
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = [Column(key, value=methodcaller("get", key), show=methodcaller("get", key, "")) for key in keys]
    damaged = [ReadProblem("a.o", "damaged")] * 3
    report = Report("scan", ["First."], columns, rows, notes=[note("assumed-threads")], problems=damaged)
    path.write_text(build_report("1.0", report, ["lib.so"]), encoding="utf-8")
    return path


@pytest.fixture(params=["scan"])
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return written({"scan": SCAN, "diff": DIFF}[request.param], tmp_path / "report.html")


both = pytest.mark.parametrize("report", ["scan", "diff"], indirect=True)
diff = pytest.mark.parametrize("report", ["diff"], indirect=True)


def names(page: Any) -> list[str]:
    found: list[str] = page.locator(".list tbody th > :first-child").all_inner_texts()
    return found


def test_a_name_is_a_row_with_its_architectures(opened: Open, report: Path) -> None:
    page = opened(file=report)
    assert names(page) == ["ns::gemm", "ns::copy10", "ns::copy9", HOSTILE]
    assert page.inner_text(".list tbody tr >> nth=0").replace("\u00a0", " ").split("\t") == [
        "ns::gemm", "25% to 50% \n80\n90\n", "registers", "256", "64 to 128", "8 to 24 B", "50% with 64 regs (sm_80)",
    ]  # fmt: skip
    assert page.inner_text(".list tbody tr >> nth=2").split("\t")[5] == "–", "unknown spills"
    assert page.locator("img").count() == 0
    assert "256*" in page.inner_text(".list tbody tr >> nth=1")
    assert page.get_attribute("th a[title*='k.cu']", "title") == "k.cu:7, lib.so"
    assert [page.is_visible(f"text={each}") for each in ("3 warnings", "a.o: damaged")] == [True, False]
    page.drag_and_drop(".list a >> nth=0", ".list a >> nth=0", target_position={"x": 1, "y": 6})
    assert page.evaluate("getSelection().isCollapsed || !app.isListed()") is False, "a name can be selected"


def test_filters_and_order_are_in_the_link(opened: Open, report: Path) -> None:
    page = opened(file=report)
    page.click("th:has-text('Regs') button")
    page.fill("input[type=search]", "n s::co py")
    assert names(page) == ["ns::copy9", "ns::copy10"]
    page.click("th:has-text('Kernel') button")
    assert names(page) == ["ns::copy9", "ns::copy10"], "numbers in names are numbers"
    assert page.evaluate("location.hash") == "#kernels&q=n+s%3A%3Aco+py&sort=name"
    page = opened(page.evaluate("location.hash"), file=report)
    assert names(page) == ["ns::copy9", "ns::copy10"]
    assert page.get_attribute("#clear", "href") == "#kernels&sort=name"
    page.click("#clear")
    page.click("button:has-text('2 below 50%')")
    page.click("button:has-text('1 with spills')")
    assert page.inner_text("#count") == "1 of 4 kernels, with spills and below 50%."
    assert page.inner_text(".list tbody td >> nth=0").split() == ["25%", "80"], "one kernel has both"
    page.click("#clear")
    page.click("#bins button >> nth=4")
    assert names(page) == ["ns::copy9"]
    page.click("#bins button >> nth=4")
    page.fill("input[type=search]", "gemm sm_90 ns :: copy")
    assert page.inner_text("#count") == "None of 4 kernels, gemm sm_90 ns :: copy."


def test_a_kernel_leads_to_the_calculator_and_back(opened: Open, report: Path) -> None:
    page = opened(file=report)
    page.click(".list a:has-text('ns::gemm')")
    until(page, "!document.body.classList.contains('listed')")
    asked = {name: page.input_value(f"#{name}") for name in ("gpu", "threads", "regs", "static-smem")}
    assert asked == {"gpu": "8.0", "threads": "256", "regs": "128", "static-smem": "0"}
    assert page.inner_text("#kernel") == "ns::gemm\n✕"
    assert page.inner_text("#threads-error") == "Launch bounds: 256, 2"
    assert (page.inner_text("h1"), page.title()) == ("ns::gemm", "ns::gemm: occupancy")
    page.fill("#regs", "32")
    page.wait_for_timeout(500)
    page.go_back()
    until(page, "document.querySelector('#regs').value === '128'")
    page.go_back()
    until(page, "document.body.classList.contains('listed')")
    assert page.title().startswith("Kernels of lib.so")
    page.click(f".list a:has-text({HOSTILE!r})")
    until(page, "!document.body.classList.contains('listed')")
    page.click(".back")
    until(page, "document.body.classList.contains('listed')")


def test_long_names_are_whole_in_the_list_and_in_the_calculator(opened: Open, tmp_path: Path) -> None:
    long = [f"k<{'Pixel<double, 4>, ' * 40}{at}>" for at in range(3)]
    copies = [kernel("copy", source=f"{each}.o") for each in "ab"]
    page = opened(file=written([*map(kernel, long), *copies], tmp_path / "report.html"))
    assert names(page) == [*long, "copy (a.o)", "copy (b.o)"]
    page.keyboard.press("/")
    page.keyboard.type("k<*1>")
    page.keyboard.press("Enter")
    until(page, "!document.body.classList.contains('listed')")
    assert page.inner_text("#kernel h2") == long[1]
    assert page.evaluate("byId('side').scrollWidth <= byId('side').clientWidth")


def test_print_repeats_the_head_and_counts(opened: Open, report: Path) -> None:
    page = opened(file=report)
    page.emulate_media(media="print")
    look = "getComputedStyle(document.querySelector('.list thead"
    assert page.evaluate(f"{look}')).position + {look} button')).display") == "staticcontents"
    shown = ("text=1 with spills", "text=3 warnings", "#q")
    assert [page.is_visible(each) for each in shown] == [True, True, False]
    page.emulate_media(media="screen")


@diff
def test_a_comparison_has_before_after_and_difference(opened: Open, report: Path) -> None:
    page = opened(file=report)
    cells = page.locator(".list tbody tr >> nth=0 >> td").all_inner_texts()
    assert [cell.replace("\u00a0", " ") for cell in cells] == [
        "worse \n80\n90", "100%", "50%", "−50 points", "256", "32 → 64\n+32", "4 KiB → 36 KiB\n+32 KiB",
        "0 → 840 B\n+840 B", "launch bounds (256, 6)",
    ]  # fmt: skip
    assert page.inner_text("#count") == "4 of 5 kernels changed. sm_100 added for 1 kernel."
    assert page.locator(".list small.worse").count() == page.locator(".list small.better").count() == 4
    chips = page.locator("#kinds .chip").all_inner_texts()
    assert ", ".join(chips) == "1 worse, 1 better, 1 added, 1 removed, 1 same", "a row counts once"
    assert page.inner_text(".list tr >> nth=1 >> .shown") == "90", "the architecture of the values"
    assert page.is_visible("text=Values are for the bold architecture")
    for verdict, shown in {"removed": ["ns::gone"], "same": ["ns::gone", "ns::copy"]}.items():
        page.click(f"button:has-text('1 {verdict}')")
        assert names(page) == shown
    assert page.inner_text("#count").startswith("2 of 5 kernels, removed or same.")
    page.click("#clear")
    page.click("th.change_occupancy button")
    assert names(page) == ["ns::blur", "ns::sharpen", "ns::gone", "ns::fresh"], "unchanged kernels are folded"
    page.click(".list a:has-text('ns::blur')")
    until(page, "!document.body.classList.contains('listed')")
    assert page.inner_text(".figure strong").split() == ["50%", "was", "100%", "(A)"], "the old build is A"
    assert page.evaluate("app.fields.gpu + app.kept.gpu") == "9.08.0"
    page.go_back()
    page.click(".list a:has-text('ns::gone')")
    until(page, "app.fields.kernel === 'ns::gone'")
    assert page.evaluate("app.kept") is None


@both
@pytest.mark.parametrize("screen", ["light", "dark", "laptop", "phone", "narrow"])
def test_it_is_accessible_and_fits(opened: Open, report: Path, screen: str) -> None:
    page = opened(file=report, screen=screen)
    keep(page, f"{report.stem}-{screen}")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.locator(".list tbody th >> nth=0").bounding_box()["width"] > 150
    assert axe_violations(page) == []


def test_all_of_many_kernels_are_counted_found_and_shown_in_steps(opened: Open, tmp_path: Path) -> None:
    rows = [kernel(f"k<{at}>", regs=at % 200 + 16) for at in range(30_000)]
    page = opened(file=written(rows, tmp_path / "report.html"))
    assert page.inner_text("#count") == "30,000 kernels, the first 250 are shown, sm_90."
    assert page.locator(".list tbody tr").count() == 250
    page.click("button:has-text('Show more')")
    page.click(".list tbody th a >> nth=900")
    page.go_back()
    until(page, "document.body.classList.contains('listed')")
    assert page.locator(".list tbody tr").count() == 1000, "the rows are as they were"
    page.click("th:has-text('Kernel') button")
    assert names(page)[:2] == ["k<0>", "k<1>"]
    page.fill("input[type=search]", "<29999>")
    assert names(page) == ["k<29999>"]


def test_it_loads_nothing_and_runs_its_own_script_alone(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    outside = r"\ssrc\s*=\s*[\"']|url\((?!#)|@import|https?:(?!//www.w3.org)"
    assert not re.search(outside, text.replace(HOSTILE, ""))


def test_its_heading() -> None:
    report = Report("scan", [], [], [], inputs={"names": ["a", "b*"], "below": 0.5})
    found = build_report("1.0", report, ["build/a.so", "b.so", "c", "d"], "old/")
    assert "<h1>Kernels of a.so, b.so, c and 1 more, compared with old</h1>" in found
    assert "<p>old/ → build/a.so, b.so, c, d --name a --name b* --below 50%; occupancy 1.0, 20" in found
