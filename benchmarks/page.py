"""How long the page takes for all that one key stroke changes: at most a frame of 16 ms.

Run it from the root of the checkout: ``python -m benchmarks.page``. It takes chromium and
``pip install '.[browser]'``. Real key strokes go to a field of the page. Counted is the processor time of the
browser's main thread for each, as the browser counts it: the events, the answers, all charts and tables,
style, layout, and painting as far as it is done there. The window is so high that all of the page is in
sight, so that nothing is left out for not being seen. On a machine that does much else, whose processors
share their caches, the least is nearest to what the page takes.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.page.browser import browser

from occupancy import __version__
from occupancy.page.build import build_page

GOAL = 16.0
"""Milliseconds."""
STROKES = 60
"""In each field."""
WARM_UP = 40
"""Strokes after which the browser has compiled what runs often."""

SCREEN = {"width": 1440, "height": 3400}

FIELDS = ("regs", "dynamic-smem")
"""One is an axis of the page's map, which then stays as it is; of the other all is drawn again."""

KEYS = ["ArrowUp"] * 9 + ["ArrowDown"] * 9

QUESTIONS = {
    "9.0, shared memory": "cc=9.0&threads=256&regs=64&dynamic-smem=32k",
    "8.6, two questions": "cc=8.6&threads=16x16&regs=72&static-smem=8k&grid=99&sms=84&a.cc=9.0&a.threads=64",
    "10.0, tensor memory": "cc=10.0&threads=128&regs=96&dynamic-smem=96k&tensor-memory=128",
    "7.0, by the spreadsheet": "cc=7.0&threads=128&regs=37&model=spreadsheet",
}

DRAWN = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
})"""


def strokes(page: Any, count: int = STROKES) -> list[tuple[float, float]]:
    """Milliseconds of the main thread for each stroke; and of them, those of the page's own code."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> tuple[float, float]:
        found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * found["TaskDuration"], 1000 * found["ScriptDuration"]

    taken = []
    for field in FIELDS:
        page.focus(f"#{field}")
        for turn in range(WARM_UP + count):
            before = spent()
            page.keyboard.press(KEYS[turn % len(KEYS)])
            page.evaluate(DRAWN)
            after = spent()
            if turn >= WARM_UP:
                taken.append((after[0] - before[0], after[1] - before[1]))
    return taken


def main() -> None:
    """Print the median and the worst of each question."""
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        if chromium is None:
            sys.exit("This takes chromium and pip install '.[browser]'.")
        path = Path(folder) / "page.html"
        path.write_text(build_page(__version__), encoding="utf-8")
        for name, question in QUESTIONS.items():
            page = chromium.new_context(viewport=SCREEN).new_page()
            page.goto(f"{path.as_uri()}#{question}")
            taken = strokes(page)
            whole = sorted(all_of_it for all_of_it, _ in taken)
            script = statistics.median(own for _, own in taken)
            print(
                f"{name:24} median {statistics.median(whole):5.1f} ms (script {script:4.1f} ms), "
                f"least {whole[0]:5.1f} ms, worst {whole[-1]:5.1f} ms; "
                f"goal {GOAL:.0f} ms"
            )


if __name__ == "__main__":
    main()
