"""The calculator in a real browser: results, layout and state."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.page.browser import SCREENS, Open, axe_violations, keep, until

HOPPER = "#gpu=9.0&threads=256&regs=72&dynamic-smem=40k"
PLACES = """byId("headline").getBoundingClientRect().y + [
  ...document.querySelectorAll("form, .field, .card, .curve > *, .row, tr, #verdict > *")]
  .map((each) => each.getBoundingClientRect())
  .map(({ x, y, width, height }) => [x, y, width, height]).join(";")"""


def figure(page: Any) -> str:
    return str(page.inner_text(".figure strong"))


def drawn(page: Any, expression: str) -> Any:
    """Return the value of an expression after the next redraw."""
    return page.evaluate(f"new Promise((done) => requestAnimationFrame(() => done({expression})))")


def given(page: Any, *names: str) -> list[str]:
    return [page.input_value(f"#{name}") for name in names]


def hash_of(page: Any) -> str:
    return str(page.evaluate("app.fragment()"))


def test_the_first_screen_has_everything(opened: Open) -> None:
    page = opened()
    assert figure(page) == "37.5%"
    assert page.inner_text(".why h2") == "Limited by registers"
    assert page.inner_text("#detail") == "One more block lacks 8,192\u00a0registers."
    steps = page.locator("#steps > button:visible").all_inner_texts()
    assert [each.split("\n")[0] for each in steps] == ["43.8%", "50%", "100%", "All 6"]
    assert steps[1] == "50%\nmay spill\n72 → 64 registers\n__launch_bounds__\u200b(256,\u00a04)"
    assert page.evaluate("document.getElementById('curves').getBoundingClientRect().bottom") < 900
    assert page.locator("#pinned .use .number").all_inner_texts() == ["37.5%", "33.3%", "37.5%"]
    assert page.evaluate("document.getElementById('gpus').getBoundingClientRect().bottom") < 900


@pytest.mark.parametrize("screen", SCREENS)
def test_it_fits(opened: Open, screen: str) -> None:
    page = opened(HOPPER, screen=screen)
    keep(page, f"page-{screen}")
    size = "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight]"
    over, height = page.evaluate(size)
    assert over <= 0
    page.evaluate("scrollTo(0, 1e6)")
    assert drawn(page, size)[1] == height


def test_the_phone_shows_the_result_without_scrolling(opened: Open) -> None:
    page = opened(HOPPER, screen="phone")
    for place in (".figure strong", ".why h2", "#steps > button:visible >> nth=0"):
        box = page.locator(place).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844
    small = page.evaluate(
        "[...document.querySelectorAll('.stepper, .box input')]"
        ".filter((each) => each.offsetHeight && each.offsetHeight < 44).length"
    )
    assert small == 0


@pytest.mark.parametrize(
    ("screen", "link"),
    [("light", HOPPER), ("tablet", HOPPER), ("phone", "#gpu=Thor&threads=64&regs=16&smem=9k")],
)
def test_dragging_a_curve_moves_nothing(opened: Open, screen: str, link: str) -> None:
    for number in range(3):
        page = opened(link, screen=screen)
        curve = page.locator(".curve svg").nth(number)
        curve.scroll_into_view_if_needed()
        box = curve.bounding_box()
        before = drawn(page, PLACES)
        figures = set()
        page.mouse.move(box["x"] + 50, box["y"] + 80)
        page.mouse.down()
        for part in range(6):
            page.mouse.move(box["x"] + 50 + (box["width"] - 60) * part / 5, box["y"] + 80)
            shown, places = drawn(page, f"[document.querySelector('.figure strong').textContent, {PLACES}]")
            figures.add(shown)
            assert places == before
        page.mouse.up()
        assert len(figures) > 2


def test_typing_moves_nothing(opened: Open) -> None:
    page = opened(f"{HOPPER}&barriers=1")
    before = page.evaluate(PLACES)
    for text in ("", "5", "2000", "abc", "1056", "32"):
        page.fill("#threads", text)
        page.fill("#barriers", text)
        assert drawn(page, PLACES) == before, text


def test_a_map_sets_two_inputs(opened: Open) -> None:
    page = opened(HOPPER)
    chart = page.locator(".map svg").first
    until(page, "document.querySelector('.cells .registers')")
    chart.click(position={"x": 150, "y": 120})
    assert "256" not in drawn(page, "[byId('threads').value, byId('regs').value]")
    chart.press("Home")
    assert drawn(page, f"byId('{chart.get_attribute('id')}').ariaValueText").startswith("32 threads, ")


def test_a_finger_that_scrolls_changes_nothing(opened: Open) -> None:
    page = opened(HOPPER, screen="phone")
    touch = page.context.new_cdp_session(page)

    def swipe(curve: Any, across: int, along: int) -> None:
        curve.evaluate("(each) => scrollTo(0, each.getBoundingClientRect().top + scrollY - 200)")
        box = curve.bounding_box()
        for part in range(9):
            x, y = box["x"] + 90 + across * part / 8, box["y"] + 100 + along * part / 8
            kind = "touchMove" if part else "touchStart"
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
            page.wait_for_timeout(16)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(100)

    for curve in page.locator(".curve svg").all():
        before = hash_of(page)
        swipe(curve, 0, -150)
        assert hash_of(page) == before
        swipe(curve, 120, 4)
        assert hash_of(page) != before


def test_a_change_that_rests_is_an_entry_of_the_history(opened: Open) -> None:
    page = opened(HOPPER)
    page.click("#regs")
    page.keyboard.type("70", delay=450)
    until(page, "location.hash.includes('regs=70&')")
    assert page.evaluate("app.depth") == 1, "pauses do not split the typing in a field"
    page.evaluate("app.undo(), app.undo()")
    until(page, "app.fields.regs === '72'")


def test_twenty_one_edits_are_undone_in_four_ways(opened: Open) -> None:
    page = opened(HOPPER)
    chance = random.Random("back")
    trail = [hash_of(page)]
    edits: list[Callable[[], Any]] = [
        lambda: page.fill("#threads", str(32 * chance.randint(1, 32))),
        lambda: page.fill("#regs", str(chance.randint(16, 255))),
        lambda: page.fill("#dynamic-smem", f"{chance.randint(0, 99)}k"),
        lambda: page.fill("#gpu", chance.choice(["A100", "sm_75", "hopper", "RTX 5090", "V100"])),
        lambda: page.click(
            f":nth-match(.three svg, {chance.randint(1, 6)})",
            position={"x": chance.randint(60, 250), "y": chance.randint(30, 120)},
        ),
        lambda: page.click(".stepper >> nth=3"),
    ]  # fmt: skip
    while len(trail) <= 21:
        chance.choice(edits)()
        drawn(page, "app.rest()")  # without the delay
        if hash_of(page) != trail[-1]:
            trail.append(hash_of(page))
    press = page.locator("#regs").press
    ways = [lambda: press("u"), page.go_back, lambda: press("Control+z"), lambda: page.click("#undo")]
    for number, expected in enumerate(trail[-2::-1]):
        ways[number % 4]()
        until(page, f"app.fragment() === {expected!r}")
    assert page.is_disabled("#undo")


@pytest.mark.parametrize(("link", "cc", "shown"), [
    ("cc=9.0&threads=256", "9.0", {"#gpu-facts": "9.0 · Hopper"}),
    ("cc=8.0&gpu=A100&sms=108&threads=64", "8.0", {"#gpu-facts": "8.0 · 108 SMs"}),
    ("gpu=B200&threads=256&tensor-memory=256", "10.0",
     {"#detail": "One more block lacks the tcgen05.alloc permit.",
      "#steps-title": "If the kernel relinquishes the permit, enter 0 virtual resources."}),
    ("cc=9.0&threads=256&dynamic-smem=60k&grid=1000", "9.0",
     {".why h2": "Limited by shared memory", "#detail": "One more block lacks 16\u00a0KiB of shared memory.",
      "#dynamic-smem-error": "Opt in: cudaFuncSetAttribute."}),
    ("cc=9.0&threads=1056", "9.0",
     {"strong": "✕ Does not launch", ".why h2": "1,056 threads exceed 1,024 per block"}),
    ("cc=9.0&threads=1024&regs=80", "9.0",
     {"strong": "✕ Does not launch", ".why h2": "81,920 registers exceed 65,536 per block"}),
    ("cc=3.0&threads=256&regs=72", "3.0",
     {"strong": "✕ Does not compile", ".why h2": "72 registers exceed 63 per thread"}),
    ("cc=9.0&threads=256&regs=72&spills=8", "9.0",
     {"#steps-title": "Spills: allow more registers.", "#steps": "43.8%\n256 → 224 threads\n4 blocks"}),
    ("cc=8.0&t=64&r=255&spills=8", "8.0", {"#steps-title": "Spills at 255 registers: fewer would spill more."}),
    ("cc=9.0&threads=64&static-smem=100k", "9.0",
     {"strong": "✕ Does not compile", ".why h2": "100 KiB of static shared memory exceed 48 KiB per block"}),
])  # fmt: skip
def test_links_open_with_their_result(opened: Open, link: str, cc: str, shown: dict[str, str]) -> None:
    page = opened(f"#{link}")
    assert page.evaluate("app.launch.limits.compute_capability") == cc
    assert {selector: page.inner_text(selector) for selector in shown} == shown
    assert page.locator(".bad").count() == ("strong" in shown), "only what does not run replaces the figure"


def test_an_unclear_gpu_greys_the_result(opened: Open) -> None:
    page = opened(HOPPER)
    page.fill("#gpu", "RTX")
    assert not drawn(page, "document.body.classList.contains('stale')"), "while it is typed"
    page.press("#gpu", "Enter")
    until(page, "document.body.classList.contains('stale') && byId('copy-command').disabled")
    assert "may be" in page.inner_text("#gpu-error")
    page.click(".why h2 button")
    assert page.evaluate("document.activeElement.id") == "gpu"
    page.click("#steps >> text=RTX 4090")
    until(page, "!document.body.classList.contains('stale')")
    assert page.inner_text("#gpu-facts") == "8.9 · 128 SMs"
    for name, facts in (("A100", "8.0 · 108 SMs"), ("h200", "9.0 · 132 SMs"), ("RTX 4090", "8.9 · 128 SMs")):
        page.click("#gpu")
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        assert drawn(page, "byId('gpu-facts').textContent") == facts, "each click begins with an empty box"
    page.keyboard.press("/")
    page.keyboard.type("blackwell")
    assert drawn(page, "byId('gpu-facts').textContent") == "8.9 · 128 SMs", "not of TITAN BLACK on the way"
    page.keyboard.press("/")
    page.keyboard.type("A100")
    assert drawn(page, "app.rest(true) ?? app.fields.gpu") == "A100", "a pause shows it without an entry"
    page.keyboard.press("Escape")
    assert drawn(page, "app.rest() ?? [app.fields.gpu, app.depth]") == ["GeForce RTX 4090", 5]


LOG = """ptxas info    : Compiling entry function '_ZN3img9histogramILi64EEEvPfi' for 'sm_90a'
ptxas info    : Function properties for _ZN3img9histogramILi64EEEvPfi
    1008 bytes stack frame, 1008 bytes spill stores, 1008 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers, 49152 bytes smem, 400 bytes cmem[0]
"""
OTHER = LOG.replace("168", "32").replace("used 16 barriers, 49152 bytes smem, ", "").replace("1008", "0")


def test_a_pasted_kernel_clears_what_it_does_not_state(opened: Open) -> None:
    page = opened(HOPPER)
    page.click("text=Paste")
    page.fill("#pasted", "hello")
    assert page.inner_text("#found").startswith("No kernel found.")
    page.fill("#pasted", LOG)
    assert page.inner_text("#kernel h2") == "img::histogram<64>"
    assert "Not recorded" in page.inner_text("#dynamic-smem-error")
    assert page.inner_text("#regs-error") == "Spill stores/loads: 1,008/1,008 B"
    assert given(page, "regs", "barriers", "static-smem", "dynamic-smem") == ["168", "16", "48 KiB", ""]
    page.press(".curve svg >> nth=2", "Home")
    assert drawn(page, "[app.fields['static-smem'], app.fields['dynamic-smem']]") == ["48 KiB", "0"]
    assert drawn(page, "app.set({ regs: 176 }) ?? app.fields.spills") == "", "they were of 168 registers"
    page.click("text=Paste")
    page.fill("#pasted", LOG.replace(" ", "\xa0") + repr(OTHER.replace("histogram", "otherkern")))
    assert page.locator("#found li .number").all_inner_texts() == ["12.5%", "100%"]
    page.click("#found button >> nth=1")
    assert given(page, "regs", "barriers", "static-smem") == ["32", "", "0"]
    assert not page.is_visible("#paste"), "the result is in sight"
    page.evaluate("(text) => app.paste(text)", OTHER * 500 + LOG)
    assert page.text_content("#found").startswith("500 of 501 kernels, lowest first. ")
    assert page.text_content("#found .number >> nth=0") == "12.5%"
    page.press("body", "Escape")
    before = page.evaluate(PLACES)
    page.click("#kernel button")
    assert (page.inner_text("#kernel"), page.evaluate(PLACES)) == ("Your kernel", before)
    page.evaluate("history.go(-2)")
    until(page, "app.fields.barriers === '16'")
    assert not page.is_visible("#barriers"), "only a link opens a fold"


def test_a_dropped_file_is_read(opened: Open) -> None:
    page = opened("#gpu=A100&threads=256")
    page.evaluate(
        """(text) => { const data = new DataTransfer(); data.items.add(new File([text], "build.log"));
        document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true })); }""",
        LOG,
    )
    until(page, "app.fields.regs === '168'")
    assert page.inner_text("#gpu-facts") == "9.0 · 114 to 132 SMs · switched from A100"


def test_a_step_is_applied_and_undone(opened: Open) -> None:
    page = opened(HOPPER)
    before = hash_of(page)
    page.click("text=All 6")
    page.click("#all-steps button:has-text('100%')")
    assert figure(page) == "100%"
    assert given(page, "regs", "dynamic-smem") == ["32", "27.5 KiB"]
    page.keyboard.press("u")
    until(page, f"app.fragment() === {before!r}")
    page.press("#steps button:has-text('100%')", "Enter")
    assert page.evaluate("document.activeElement.id") == "undo", "the cards have gone"


def test_gpus_are_pinned_and_chosen(opened: Open) -> None:
    page = opened(HOPPER)
    for name in ("L40S", "l40s", "4090"):
        page.fill("#pin", name)
        page.press("#pin", "Enter")
    assert page.locator("#pinned tr").count() == 4, "a GPU is pinned once"
    page.click("#pinned >> text=RTX 4090")
    assert page.inner_text("#gpu-facts") == "8.9 · 128 SMs"
    assert page.evaluate("app.depth") == 2, "a click is one entry of the history"
    assert "pins=A100%2CGeForce+RTX+4090%2CL40S%2C9.0" in hash_of(page), "the GPU before stays"
    assert page.locator(".curve >> nth=0 >> .pinned").count() == 2
    for name in ("B200", "V100", "T4"):
        page.fill("#pin", name)
        page.press("#pin", "Enter")
    assert page.inner_text("#pin-error") == "6 at most: unpin one first."
    assert page.inner_text("#key").split() == ["A100", "9.0", "B200", "V100"]
    page.click("[aria-label='Unpin A100']")
    assert "A100" not in page.inner_text("#pinned")


def test_a_and_now_are_compared(opened: Open) -> None:
    page = opened(HOPPER)
    page.click("#keep")
    page.fill("#regs", "32")
    until(page, "document.querySelector('.figure strong').textContent === '62.5% was 37.5% (A)'")
    assert page.locator(".curve .kept").count() == 3
    assert page.locator("#pinned tr >> nth=0 >> :scope > *").all_inner_texts() == [
        "A: 72 registers\n9.0: 3 blocks, registers", "37.5%", "✕",
    ]  # fmt: skip
    assert page.inner_text("#pinned .here small") == "9.0: 5 blocks, shared"
    page.click("#reset")
    assert (figure(page), page.input_value("#gpu")) == ("37.5%", "H100 SXM5")


def test_a_kernel_that_does_not_compile_is_resident_nowhere(opened: Open) -> None:
    page = opened("#gpu=9.0&threads=256&static-smem=60k")
    assert page.inner_text("#facts") == "0 resident blocks"
    assert page.locator("#pinned small:has-text('does not compile')").count() == 3
    assert page.locator(".curve .label").nth(0).text_content() == "256 threads: 0%"
    page.click("#steps >> text=60 KiB static")
    assert given(page, "dynamic-smem", "static-smem") == ["60 KiB", "0"]
    assert figure(page) == "37.5%"


def test_waves_are_shown_and_the_tail_removed(opened: Open) -> None:
    page = opened("#gpu=H100+SXM5&threads=256&regs=72&grid=4096&cluster=2")
    assert "396 blocks in up to 198 clusters of 2" in page.inner_text("#waves")
    assert page.inner_text("#waves").endswith("At least 10.34 waves.")
    page.fill("#cluster", "")
    assert "10.34 waves.\n\nLast wave 34.3% full" in drawn(page, "byId('waves').innerText")
    page.click("#waves button >> nth=0")
    assert drawn(page, "app.fields.grid") == "3960"
    page.fill("#cluster", "20")
    assert drawn(page, "byId('headline').textContent") == "Check “Blocks per cluster”"


def test_keys_and_steppers(opened: Open) -> None:
    page = opened(HOPPER)
    page.focus("#regs")
    page.keyboard.press("ArrowUp")
    assert drawn(page, "app.fields.regs") == "80"
    page.focus(".curve svg >> nth=1")
    page.keyboard.press("ArrowLeft")
    assert drawn(page, "app.fields.regs") == "72"
    for key, after in (("PageDown", "40"), ("PageUp", "72")):
        page.keyboard.press(key)
        assert drawn(page, "app.fields.regs") == after
    pressed = ("threads", "288", "256"), ("regs", "80", "72"), ("dynamic-smem", "41 KiB", "40 KiB")
    for name, more, less in pressed:
        for units, after in (("1", more), ("-1", less)):
            page.click(f".stepper[data-input={name}][data-units='{units}']")
            assert drawn(page, f"byId('{name}').value") == after


def test_markup_stays_text(opened: Open) -> None:
    name = "<img src=x onerror=alert(1)>"
    page = opened(f"{HOPPER}&kernel={name}&model=x&{name}=1")
    assert page.inner_text("#kernel h2") == name
    assert "unknown parts: model" in page.inner_text(".why h2")
    assert page.locator("img").count() == 0


# Dark colors only affect the contrast.
@pytest.mark.parametrize(("screen", "rules"), [("light", []), ("dark", ["color-contrast"]), ("phone", [])])
@pytest.mark.parametrize("link", [HOPPER, "#gpu=B200&threads=1056&tensor-memory=64&a.gpu=A100&a.threads=64"])
def test_it_is_accessible(opened: Open, screen: str, rules: list[str], link: str) -> None:
    page = opened(link, screen=screen)
    page.evaluate("document.querySelectorAll('details:not(.menu)').forEach((each) => (each.open = true))")
    assert axe_violations(page, *rules) == []
