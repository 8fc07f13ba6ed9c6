"""The page as a visitor uses it: opened from the disk in a real browser."""

from __future__ import annotations

import shlex
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy.advice.portability import fits
from occupancy.cli.calc import command as calc
from occupancy.report.fits import limited_or_stopped_by
from occupancy.report.inputs import inputs_of
from occupancy.tables import shipped
from occupancy.values.kernel import Kernel
from tests.cli_runner import run
from tests.page.browser import SCREENS, Open, folder_of_screens, in_full, keep, until
from tests.refresh_docs import ROOT, module_at

PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z<b>scale</b>' for 'sm_86'
ptxas info    : Function properties for _Zscale
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 8192 bytes smem, 376 bytes cmem[0]
"""
LISTING = """Fatbin elf code:
arch = sm_90
Resource usage:
 Common:
  GLOBAL:0
 Function _Z6reducePf:
  REG:32 STACK:0 SHARED:5120 LOCAL:0 CONSTANT[0]:376 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z4scanPf:
  REG:48 STACK:0 SHARED:1024 LOCAL:0 CONSTANT[0]:376 TEXTURE:0 SURFACE:0 SAMPLER:0
"""
QUESTIONS = {
    "start": "",
    "compared": "#cc=8.6&threads=16x16&regs=72&static-smem=8k&sms=84&grid=1000&a.cc=9.0&a.threads=64",
    "does-not-launch": "#cc=9.0&threads=1024&regs=128&dynamic-smem=300k",
    "wrong": "#cc=5.2&threads=many&regs=300&caching=ca",
    "long-name": f"#cc=9.0&threads=64&a.cc=8.0&a.threads=64&kernel={'a_kernel_with_a_long_name_' * 6}",
    "tensor-memory": "#cc=10.0&threads=128&regs=96&dynamic-smem=96k&tensor-memory=128",
}


OF_COLUMNS = "#gpu=B200&threads=128&regs=72&dynamic-smem=40k&tensor-memory=256"
OF_COLUMNS_IN_CALC = ("--gpu", "B200", "-t", "128", "-r", "72", "--dynamic-smem", "40k", "--tmem", "256")


def figure(page: Any) -> str:
    text: str = page.locator(".figure").inner_text()
    return text


def test_a_question_is_typed_and_answered(opened: Open) -> None:
    page = opened()
    page.select_option("#cc", "7.0")
    page.fill("#threads", "128")
    page.fill("#dynamic-smem", "")
    page.fill("#regs", "37")
    until(page, "document.querySelector('.figure').textContent === '75%'")
    assert "48 of 64 warps, 12 blocks of 128 threads, 1,536 threads per SM" in page.inner_text("#verdict")
    assert "Limited by registers." in page.inner_text("#verdict")
    until(page, "document.querySelector('#status').textContent.startsWith('75% occupancy')")


def test_a_next_step_is_applied(opened: Open) -> None:
    page = opened("#cc=7.0&threads=128&regs=37")
    page.click("#steps button:has-text('100%')")
    assert figure(page) == "100%"
    assert page.input_value("#regs") == "32"
    assert "Applied." in page.inner_text("#status")


def test_back_leads_to_the_question_before_a_click(opened: Open) -> None:
    page = opened("#cc=7.0&threads=128&regs=40&kernel=a b's <kernel>&gpu=V100 SXM2")
    before = page.evaluate("history.length")
    page.fill("#regs", "37")
    page.click("#steps button:has-text('100%')")
    page.click("#chips button:text-is('9.0')")
    page.click("#chips button:text-is('9.0')")  # the question stays the same
    until(page, "location.hash.includes('cc=9.0') && location.hash.includes('regs=32')")
    assert page.evaluate("history.length") == before + 2
    page.go_back()
    until(page, "document.querySelector('#cc').value === '7.0'")
    assert (page.input_value("#regs"), figure(page)) == ("32", "100%")
    page.go_back()
    until(page, "document.querySelector('#regs').value === '37'")  # as it was typed, not as it was opened
    assert figure(page) == "75%"
    page.go_forward()
    until(page, "document.querySelector('.figure').textContent === '100%'")
    page.wait_for_timeout(200)  # the address is written again
    assert page.evaluate("history.length") == before + 2


def test_what_stays_the_same_is_not_made_again(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&regs=200")
    page.click("#steps summary")
    page.evaluate("window.kept = [...document.querySelectorAll('#resources td, #chips button, .curve text')]")
    page.fill("#regs", "201")
    page.fill("#regs", "168")
    until(page, "document.querySelector('#resources').textContent.includes('43,008')")
    assert page.is_visible("#steps details li")
    assert page.evaluate("kept.length > 60 && kept.filter((each) => !each.isConnected).length") == 0


def test_dragging_along_a_curve_changes_the_input(opened: Open) -> None:
    page = opened("#cc=7.0&threads=128&regs=37")
    curve = page.locator("svg[aria-label='Registers, curve']")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    page.mouse.move(box["x"] + 80, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 60, steps=5)
    page.mouse.up()
    until(page, "Number(document.querySelector('#regs').value) > 240")
    assert figure(page) in ("25%", "12.5%")


@pytest.mark.thorough
@pytest.mark.parametrize(("title", "field"), [("Block size", "threads"), ("Shared memory", "dynamic-smem")])
def test_each_curve_is_dragged(opened: Open, title: str, field: str) -> None:
    page = opened("#cc=8.6&threads=256&regs=72&dynamic-smem=20k")
    curve = page.locator(f"svg[aria-label='{title}, curve']")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    amount = f"app.question.kernel[{field.replace('-', '_')!r}]"
    found = [page.evaluate(amount)]
    for step in range(4):
        page.mouse.move(box["x"] + 80 + 50 * step, box["y"] + 60)
        until(page, f"!{found}.includes({amount})")
        found.append(page.evaluate(amount))
        assert field == "threads" or page.input_value(f"#{field}").endswith((" KiB", " bytes"))
        assert figure(page) in curve.get_attribute("aria-valuetext")
    page.mouse.up()
    assert not any(value % {"threads": 32, "dynamic-smem": 128}[field] for value in found[1:])


@pytest.mark.thorough
def test_the_map_shows_any_two_inputs(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&regs=40&dynamic-smem=20k&barriers=2")
    chosen = page.locator("svg.map")
    chosen.scroll_into_view_if_needed()
    box = chosen.bounding_box()
    for across, up in permutations(("threads", "regs", "smem", "barriers"), 2):
        page.select_option("#axis-0", across)
        page.select_option("#axis-1", up)
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.7 * box["height"])
        until(page, "/^[^:]*: [0-9.]+%, /.test(document.querySelector('#map .keys + .note').textContent)")
        pointed = page.inner_text("#map .keys + .note")
        assert "block size" not in pointed
        page.mouse.down()
        page.mouse.up()
        share = pointed.split(": ")[1].split(",")[0]
        until(page, f"document.querySelector('.figure').textContent === '{share}'")
        assert page.locator("svg.map text.end").count() >= 3
        assert page.locator("svg.map text:not(.end)").count() >= 3
        page.mouse.move(0, 0)


def test_the_map_takes_the_keyboard(opened: Open) -> None:
    page = opened("#cc=9.0&threads=250&regs=40")
    page.focus("svg.map")
    across = page.evaluate("app.map.values[0]")
    for key, field, expected in [
        ("ArrowRight", "threads", min(value for value in across if value > 250)),
        ("Home", "threads", across[0]),
        ("ArrowLeft", "threads", across[0]),
        ("End", "threads", across[-1]),
        ("ArrowUp", "regs", 48),
        ("PageDown", "regs", 16),
    ]:
        page.keyboard.press(key)
        until(page, f"app.question.kernel.{field} === {expected}")
    said = page.get_attribute("svg.map", "aria-valuetext")
    assert said == "1,024 threads, 16 registers: 100%, 2 blocks"
    assert page.inner_text("#map .keys + .note").startswith(said)
    assert page.evaluate("getComputedStyle(document.querySelector('.map .halo')).stroke !== 'none'")


def test_what_is_not_given_is_chosen_by_the_keyboard(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256")
    assert page.get_attribute("svg.map", "aria-valuetext").startswith("256 threads, registers not given: ")
    page.focus("svg.map")
    page.keyboard.press("ArrowUp")
    until(page, "app.question.kernel.regs === 8")


def test_a_size_says_its_unit_when_its_field_is_left(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&static-smem=1000&carveout=65536&a.dynamic-smem=0xa000&a.threads=256")
    assert page.input_value("#static-smem") == "1,000 bytes"
    assert page.input_value("#carveout") == "64 KiB"
    page.fill("#dynamic-smem", "40960")
    until(page, "app.question.kernel.dynamic_smem === 40960")
    assert page.input_value("#dynamic-smem") == "40960"  # one may not be done
    page.press("#dynamic-smem", "Tab")
    until(page, "document.querySelector('#dynamic-smem').value === '40 KiB'")
    until(page, "location.hash.includes('dynamic-smem=40KiB')")
    row = page.locator("#compare tbody tr").filter(has_text="Dynamic shared memory")
    assert row.inner_text().split("\t")[1:3] == ["40 KiB", "40 KiB"]


def test_the_bars_have_room_on_a_phone(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&regs=72", **SCREENS["phone"])
    for table in ("resources", "chips"):
        row = page.locator(f"#{table} tbody tr").first
        row.scroll_into_view_if_needed()
        bar = row.locator(".bar").bounding_box()
        assert bar["width"] > 0.9 * row.bounding_box()["width"]


def test_columns_limit_a_kernel_that_has_relinquished_its_permit(opened: Open) -> None:
    page = opened(OF_COLUMNS + "&virtual-resources=0")
    verdict = page.inner_text("#verdict")
    assert figure(page) == "12.5%"
    assert "Limited by tensor memory (inferred): so many blocks have their columns at once." in verdict
    assert "Whole GPU: 296 blocks" in verdict
    assert "counts 5 blocks as resident, 31.3%" in verdict
    resources = " ".join(page.inner_text("#resources").split())
    assert "Tensor memory 256 columns 512 2 100% limits" in resources
    page.click("#steps button >> nth=0")
    assert figure(page) == "25%"
    assert page.input_value("#tensor-memory") == "128"


def test_of_a_kernel_that_may_relinquish_its_permit_the_page_says_what_calc_says(opened: Open) -> None:
    page = opened(OF_COLUMNS)
    assert figure(page) == "6.3%"
    verdict = page.inner_text("#verdict")
    assert "Limited by virtual resources (permit): until a block relinquishes its permit" in verdict
    assert "2 blocks, 12.5%, limited by tensor memory, if the kernel" in verdict
    assert "Virtual resources (permit)" in page.inner_text("#resources")
    printed = " ".join(run("calc", *OF_COLUMNS_IN_CALC, columns=120).stdout.split())
    shown = page.inner_text("#steps").replace("\N{NO-BREAK SPACE}", " ").split("\n")
    _, lead, *steps = filter(None, shown)
    assert lead == "Relinquish the permit right after tcgen05.alloc (inferred), then:"
    assert f"Next steps {lead[0].lower()}{lead[1:-1]} 2 blocks, {steps[0]}: {steps[1]} 4 blocks" in printed
    assert steps[1] == "with no other change"
    relinquished = page.locator("#slack .note").last.inner_text()
    assert f"{relinquished[0].lower()}{relinquished[1:-1]} Carveout" in printed
    carveout = page.locator("#left .note").nth(1).inner_text()
    assert carveout.replace(":", "", 1).rstrip(".") in printed
    page.click("#verdict button:has-text('Markdown')")
    copied = page.evaluate("app.copied")
    assert f"- {lead[:-1].lower()}\n- 2 blocks, 12.5%: with no other change\n- 4 blocks, 25%:" in copied
    page.click("#steps button:has-text('128 columns')")
    assert figure(page) == "25%"
    assert (page.input_value("#virtual-resources"), page.input_value("#tensor-memory")) == ("0", "128")


def test_more_tensor_memory_than_there_is_is_said_at_its_field(opened: Open) -> None:
    page = opened("#cc=10.0&threads=256&tensor-memory=544")
    assert "has 512 columns" in page.inner_text("#tensor-memory-error")
    page.fill("#tensor-memory", "100")
    until(page, "document.querySelector('#tensor-memory-error').textContent === 'Not a multiple of 32.'")
    page.fill("#tensor-memory", "128")
    until(page, "document.querySelector('#tensor-memory-error').textContent === ''")


@pytest.mark.thorough
def test_the_keyboard_steps_by_allocation_units(opened: Open) -> None:
    page = opened("#cc=10.0&threads=100&regs=37&static-smem=1000&dynamic-smem=1000&tensor-memory=96")
    for field, key, expected in [
        ("#static-smem", "ArrowDown", "896 bytes"),
        ("#tensor-memory", "ArrowUp", "128"),
        ("#tensor-memory", "PageDown", "32"),
        ("#virtual-resources", "ArrowUp", "1"),
        ("#sms", "PageUp", "8"),
        ("#grid", "ArrowUp", "1"),
        ("#threads", "ArrowUp", "128"),
        ("#regs", "ArrowDown", "32"),
        ("#dynamic-smem", "ArrowUp", "1 KiB"),
        ("#carveout", "ArrowDown", "228 KiB"),
        ("#barriers", "ArrowUp", "1"),
    ]:
        page.focus(field)
        page.keyboard.press(key)
        until(page, f"document.querySelector('{field}').value === '{expected}'")
    page.focus("svg[aria-label='Block size, curve']")
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('#threads').value === '160'")


def test_a_log_is_pasted(opened: Open) -> None:
    page = opened("#cc=9.0&threads=128")
    page.click("#paste summary")
    page.fill("#pasted", PTXAS)
    until(page, "document.querySelector('#regs').value === '40'")
    assert page.input_value("#cc") == "8.6"
    assert page.input_value("#static-smem") == "8 KiB"
    assert page.locator("#found b").count() == 0  # a name is text
    assert "_Z<b>scale</b>" in page.inner_text("#found")
    page.fill("#pasted", LISTING)
    page.click("#found button:has-text('reduce')")
    until(page, "document.querySelector('#regs').value === '32'")
    assert (page.input_value("#cc"), page.input_value("#static-smem")) == ("9.0", "4 KiB")
    page.fill("#pasted", "nothing of interest <script>alert(1)</script>")
    assert "No kernel in it." in page.inner_text("#found")


@pytest.mark.thorough
def test_our_own_json_is_pasted(opened: Open) -> None:
    command = [
        "calc",
        "--gpu",
        "RTX 3090",
        "--threads",
        "16x16",
        "--regs",
        "40",
        "--smem",
        "9k",
        "--no-opt-in",
    ]
    command += ["--no-opt-in", "--grid", "99x3"]
    done = subprocess.run(
        [sys.executable, "-m", "occupancy", *command, "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    page = opened()
    page.click("#paste summary")
    page.fill("#pasted", done.stdout)
    until(page, "document.querySelector('#cc').value === '8.6'")
    names = ("threads", "regs", "dynamic-smem", "opt-in", "sms", "grid")
    found = [page.input_value(f"#{name}") for name in names]
    assert found == ["16x16x1", "40", "9 KiB", "no", "82", "99x3x1"]


@pytest.mark.thorough
def test_what_is_not_taken_over_of_a_pasted_question_is_said(opened: Open) -> None:
    command = ["calc", "--cc", "9.0", "--threads", "256", "--set", "max_blocks_per_multiprocessor=4"]
    done = subprocess.run(
        [sys.executable, "-m", "occupancy", *command, "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    page = opened()
    page.click("#paste summary")
    page.fill("#pasted", done.stdout)
    assert "Not taken over" in page.inner_text("#found")
    assert "max_blocks_per_multiprocessor = 4" in page.inner_text("#found")
    assert page.locator(".kernel").count() == 0  # a question has no name
    page.fill("#pasted", done.stdout.replace('"cc": "9.0"', '"cc": "19.0"').replace("= 4", ""))
    assert "The page has no chip 19.0." in page.inner_text("#found")


def test_a_question_about_several_chips_is_pasted(opened: Open) -> None:
    command = ["calc", "--gpu", "A100,RTX 4090", "--threads", "256", "--regs", "72", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "occupancy", *command], capture_output=True, text=True, check=True
    )
    page = opened()
    page.click("#paste summary")
    page.fill("#pasted", done.stdout)
    page.click("#found button:has-text('RTX 4090')")
    until(page, "document.querySelector('#cc').value === '8.9'")
    assert (page.input_value("#regs"), page.input_value("#sms")) == ("72", "128")


@pytest.mark.thorough
def test_a_scan_is_pasted(opened: Open) -> None:
    kernels = Path(__file__).parent.parent / "data" / "kernels"
    command = ["scan", str(kernels / "samples.cubin"), "--threads", "256", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "occupancy", *command], capture_output=True, text=True, check=True
    )
    page = opened()
    page.click("#paste summary")
    page.fill("#pasted", done.stdout)
    assert page.locator("#found li").count() == 3
    page.click("#found button:has-text('spilly')")
    until(page, "document.querySelector('#regs').value === '64'")
    assert figure(page) == "50%"


def test_the_link_brings_the_question_back(opened: Open) -> None:
    page = opened("#cc=8.6&threads=16x16&regs=72&barriers=2&carveout=50")
    page.click("button:has-text('Hold as A')")
    page.fill("#regs", "40")
    page.click("button:has-text('Link')")
    link = page.evaluate("app.copied")
    again = opened(link[link.index("#") :])
    assert again.input_value("#regs") == "40"
    assert again.input_value("#carveout") == "50"
    assert figure(again) == figure(page)
    row = again.locator("#compare tbody tr").filter(has_text="Registers per thread")
    assert row.inner_text().split() == ["Registers", "per", "thread", "72", "40", "≠", "differs"]


def test_the_address_follows_and_leads(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256")
    page.fill("#regs", "40")
    until(page, "location.hash.includes('regs=40')")
    page.evaluate("location.hash = '#cc=7.0&threads=64&regs=80'")
    until(page, "document.querySelector('#regs').value === '80'")
    assert page.input_value("#cc") == "7.0"


def test_a_link_may_have_every_name_of_an_option_and_the_page_names_what_it_does_not_know(
    opened: Open,
) -> None:
    page = opened("#arch=sm_100a&block=128&registers=72&smem=40k&tmem=256&no-opt-in&foo=3&a.cc=19.0&a.sm=8.0")
    asked = {
        name: page.input_value(f"#{name}") for name in ("cc", "threads", "regs", "tensor-memory", "opt-in")
    }
    assert asked == {"cc": "10.0", "threads": "128", "regs": "72", "tensor-memory": "256", "opt-in": "no"}
    said = "✕ The link has what the page does not know: foo and a.cc=19.0."
    assert page.inner_text("#wrong") == page.text_content("#brief") == said
    assert "8.0 Ampere" in page.inner_text("#compare")
    until(page, f"document.querySelector('#status').textContent.startsWith({said[2:]!r})")
    assert not page.evaluate("document.body.classList.contains('stale')"), "the answer is that of the fields"
    page.fill("#regs", "64")
    until(page, "document.querySelector('#wrong').textContent === ''")
    assert "limited by" in page.text_content("#brief")
    names = {
        name.lstrip("-")
        for option in calc.params
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("--")
    }
    link = "&".join(f"{name}={'cuda' if name == 'model' else '9.0'}" for name in sorted(names))
    nine = [page.evaluate("link => fromFragment(link).unknown", each) for each in link.split("&")]
    assert {name for (name,) in filter(None, nine)} == {
        "device", "limits", "set", "setmaxnreg", "groups",  # it has no field for them
        "explain", "charts", "open", "exit-code", "format", "help-all",  # and these ask nothing
    }  # fmt: skip


def test_the_last_answer_is_grey_while_the_fields_are_those_of_another_question(opened: Open) -> None:
    page = opened("#cc=8.6&threads=256&regs=40")
    looks = """() => ['.figure', '.amounts', '.limiter th', '#chips td', '.bar.marked'].map(
        (each) => getComputedStyle(document.querySelector(each))[each.includes('bar') ? 'fill' : 'color'])"""
    fresh = page.evaluate(looks)
    page.evaluate("location.hash = '#cc=9.0&threads=256&regs=300'")
    until(page, "document.body.classList.contains('stale')")
    assert "compute capability 8.6" in page.inner_text("#verdict")
    assert "Below, in grey, is the last answer." in page.inner_text("#wrong")
    grey = page.evaluate(looks)
    assert len(set(grey)) == 1
    assert not set(grey) & set(fresh)
    page.fill("#regs", "64")
    until(page, "!document.body.classList.contains('stale')")
    assert page.evaluate(looks) == fresh
    assert "compute capability 9.0" in page.inner_text("#verdict")


@pytest.mark.parametrize(
    "question",
    [
        "cc=9.0&threads=(16, 16)&regs=64&static-smem=1,024&carveout=auto&grid=99x2&cluster=2&gpu=H100 SXM",
        "cc=10.7&threads=128&shared-memory-mode=oversized&dynamic-smem=240k&tensor-memory=64&barriers=3",
        *(
            pytest.param(each, marks=pytest.mark.thorough)
            for each in (
                "cc=7.0&threads=128&regs=37",
                "cc=8.6&threads=16x16&regs=40&dynamic-smem=27.5k&carveout=50&opt-in=no",
                "cc=8.6&threads=0x80&regs=64&grid=99&cluster=2",
                "cc=3.5&threads=192&regs=33&model=spreadsheet&sms=15&grid=no",
            )
        ),
    ],
)
def test_what_is_copied_gives_the_same_answer(opened: Open, question: str) -> None:
    page = opened(f"#{question}")
    texts = {}
    for kind in ("Command", "Python", "Markdown"):
        page.click(f"#verdict button:has-text('{kind}')")
        texts[kind] = page.evaluate("app.copied")
    namespace: dict[str, Any] = {}
    exec(texts["Python"].replace("print(", "result = (", 1), namespace)
    result = namespace["result"]
    assert isinstance(result, occupancy.Occupancy)
    assert figure(page) in str(result)
    assert f", {result.active_blocks} block" in page.inner_text("#verdict")
    command = shlex.split(texts["Command"])
    assert command[:2] == ["occupancy", "calc"]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=True)
    where = "H100 SXM5, compute capability" if "gpu=" in question else "compute capability"
    assert done.stdout.splitlines()[0].startswith(f"{figure(page)} occupancy on {where}")
    assert f"**{figure(page)} occupancy**" in texts["Markdown"]


def test_the_arithmetic_is_that_of_explain(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&regs=72&dynamic-smem=40k")
    explained = str(occupancy.compute("9.0", threads=256, regs=72, dynamic_smem=40 << 10).explain())
    steps = page.locator("#arithmetic li").all_inner_texts()
    assert "40,960 bytes + 1,024 reserved = 41,984, rounded up to 128s: 41,984 per block" in steps
    assert all(step in explained for step in steps)


@pytest.mark.thorough
def test_every_chip_is_compared_and_chosen(opened: Open) -> None:
    page = opened("#cc=9.0&threads=128&regs=37")
    rows = page.locator("#chips tbody tr")
    assert rows.count() == len(occupancy.compute_capabilities())
    row = rows.filter(has_text="Volta").last
    assert row.inner_text().split() == ["7.0", "Volta", "(V100)", "75%", "12", "registers"]
    row.locator("button").click()
    until(page, "document.querySelector('#cc').value === '7.0'")


def test_what_stops_a_kernel_on_a_chip_is_said_in_words(opened: Open) -> None:
    page = opened("#cc=9.0&threads=512&regs=72&dynamic-smem=100k")
    chips = [shipped.limits(cc) for cc in reversed(shipped.known())]
    kernel = Kernel(512, regs=72, dynamic_smem=100 << 10)
    expected = [limited_or_stopped_by(chip, inputs_of(kernel)) for chip in fits(chips, kernel)]
    shown = page.locator("#chips tbody tr").all_inner_texts()
    assert [line.split("\t")[-1] for line in shown] == expected
    assert any("over 99 KiB shared memory" in line for line in shown)
    assert any("Hopper (H100)" in line for line in shown)


def test_a_product_is_found(opened: Open) -> None:
    page = opened("#cc=7.0&threads=256&regs=40")
    page.fill("#gpu", "rtx 4090")
    until(page, "document.querySelector('#cc').value === '8.9'")
    assert page.input_value("#sms") == "128"
    page.fill("#grid", "1000")
    until(page, "document.querySelector('#verdict').textContent.includes('1,000 blocks in')")
    page.fill("#gpu", "no such thing")
    said = "No product is called so. The answer is for 8.9."
    until(page, f"document.querySelector('#gpu-error').textContent === '{said}'")
    assert page.get_attribute("#gpu", "aria-invalid") == "true"
    assert page.is_visible("#gpu-error")


def test_what_is_wrong_is_said_at_its_field(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&regs=40")
    page.fill("#regs", "300")
    until(page, "document.querySelector('#regs').getAttribute('aria-invalid') === 'true'")
    assert page.inner_text(
        "#regs-error"
    ) == "✕ Allowed: 0 to 255." or "Allowed: 0 to 255." in page.inner_text("#regs-error")
    assert "last answer" in page.inner_text("#wrong")
    assert page.text_content("#brief") == "✕ A field needs another value."
    page.click("#verdict button:has-text('Command')")
    assert page.evaluate("app.copied") == "occupancy calc --cc 9.0 --threads 256 --regs 40"


def test_what_does_not_launch_says_how_it_would(opened: Open) -> None:
    page = opened(QUESTIONS["does-not-launch"])
    assert "Does not launch: 1,024 threads" in page.inner_text("#verdict")
    steps = page.inner_text("#steps").replace("\N{NO-BREAK SPACE}", " ").split("\n")
    assert steps[:3] == ["Next steps", "50%", "registers 128 → 64 and shared memory 300 KiB → 227 KiB"]


def test_a_launch_after_an_opt_in_is_none_without_it(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&dynamic-smem=100k")
    verdict = page.locator(".said p:has(strong)")
    assert verdict.inner_text().startswith("It launches after the opt-in below. Limited by")
    assert "cudaFuncAttributeMaxDynamicSharedMemorySize" in page.inner_text("#left")
    page.select_option("#opt-in", "yes")
    until(page, "document.querySelector('.said strong').textContent === 'It launches. '")
    page.fill("#static-smem", "60k")
    until(page, "document.querySelector('.said strong').textContent === 'Does not compile. '")
    assert "The compiler refuses more than 49,152 bytes" in page.inner_text("#verdict")


def test_next_steps_are_those_of_the_command_in_its_order_with_their_launch_bounds(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&regs=72&smem=40k")
    steps = page.locator("#steps ul").first.inner_text().replace("\N{NO-BREAK SPACE}", " ").split("\n")
    assert steps == [
        "50%", "registers 72 → 64", "4 blocks, may spill", "__launch_bounds__(256, 4)",
        "75%", "registers 72 → 40 and shared memory 40 KiB → 37 KiB",
        "6 blocks, may spill", "__launch_bounds__(256, 6)",
        "100%", "registers 72 → 32 and shared memory 40 KiB → 27.5 KiB",
        "8 blocks, may spill", "__launch_bounds__(256, 8)",
        "43.8%", "block size 256 → 224", "4 blocks",
    ]  # fmt: skip
    text = run("calc", "--cc", "9.0", "-t", "256", "-r", "72", "-s", "40k", columns=120).stdout
    lines = text.partition("Next steps")[2].splitlines()[:4]
    assert [line.split(":")[0].split()[-1] for line in lines] == [
        text for text in steps if text.endswith("%")
    ]
    page = opened("#cc=9.0&threads=384&regs=168")
    shown = page.inner_text("#steps")
    assert "If warpgroups use setmaxnreg, skip steps to fewer registers." in shown
    assert "launch_bounds" not in shown


@pytest.mark.thorough
def test_a_product_is_only_named_where_it_is_found(opened: Open) -> None:
    page = opened("#cc=9.0&threads=256&gpu=RTX")
    assert page.inner_text(".where") == "on compute capability 9.0 (Hopper)"
    page.fill("#gpu", "rtx 4090")
    until(
        page, "document.querySelector('.where').textContent.startsWith('on rtx 4090, compute capability 8.9')"
    )


def test_the_fragment_is_never_markup(opened: Open) -> None:
    page = opened(
        "#cc=%3Cb%3E&gpu=%3Cimg%20src=x%20onerror=alert(1)%3E&threads=%3Cscript%3E&a.threads=%3Ci%3E"
    )
    assert page.locator("img, i").count() == 0
    assert page.input_value("#threads") == "<script>"


def test_script_and_style_of_others_are_not_allowed(opened: Open) -> None:
    page = opened()
    policy = page.get_attribute("meta[http-equiv]", "content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.evaluate("!document.querySelector('script[src], link[rel=stylesheet], [style]')")


SAMPLE = {("compared", "dark"), ("wrong", "narrow")}
SHOWN = [
    pytest.param(each, name, marks=() if (each, name) in SAMPLE else pytest.mark.thorough)
    for each in QUESTIONS
    for name in SCREENS
    if each == "compared" or name not in ("tablet", "wide")
]


@pytest.mark.parametrize(("question", "screen"), SHOWN)
def test_it_is_accessible_and_fits(opened: Open, screen: str, question: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(QUESTIONS[question], **SCREENS[screen])
    in_full(page)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0
    keep(page, f"{question}-{screen}")


@pytest.mark.thorough
def test_it_prints(opened: Open, tmp_path: Path) -> None:
    page = opened(QUESTIONS["compared"])
    page.pdf(path=folder_of_screens(tmp_path) / "print.pdf", format="A4", print_background=True)
    page.emulate_media(media="print")
    assert not page.is_visible("#question")
    assert "occupancy calc --cc 8.6 --threads 16x16" in page.inner_text(".asked")


@pytest.mark.thorough
def test_all_that_a_key_stroke_changes_is_drawn_within_a_frame(opened: Open) -> None:
    """The fastest of many: what else the machine does at the same time is not the page's."""
    benchmark = module_at(ROOT / "benchmarks" / "page.py")
    page = opened("#cc=8.6&threads=16x16&regs=72&dynamic-smem=8k&a.threads=64", viewport=benchmark.SCREEN)
    assert min(whole for whole, _ in benchmark.strokes(page, count=20)) < benchmark.GOAL
