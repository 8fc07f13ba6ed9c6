"""Time of the page's main thread for one key stroke; the goal is one frame of 16 ms.

Run ``python -m benchmarks.page`` in the checkout. It needs chromium and ``pip install '.[browser]'``. Key strokes
go to a field; the browser counts the processor time of its main thread for events, results, charts, tables, style
and layout. The window is high enough to show the whole page. On a busy machine, the minimum is the best estimate.
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

GOAL_MS = 16.0
STROKES = 60
WARM_UP = 40
"""Key strokes before the measurement, in which the browser compiles the code."""
SCREEN = {"width": 1440, "height": 3400}
FIELDS = ("regs", "dynamic-smem")
KEYS = ["ArrowUp"] * 9 + ["ArrowDown"] * 9

LINKS = {
    "9.0, shared memory": "cc=9.0&threads=256&regs=64&dynamic-smem=32k",
    "8.6, compared": "cc=8.6&threads=16x16&regs=72&static-smem=8k&grid=99&sms=84&a.cc=9.0&a.threads=64",
    "10.0, tensor memory": "cc=10.0&threads=128&regs=96&dynamic-smem=96k&tensor-memory=128",
    "7.0, spreadsheet": "cc=7.0&threads=128&regs=37&model=spreadsheet",
}

DRAWN = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
})"""


def strokes(page: Any) -> list[tuple[float, float]]:
    """Return the milliseconds of the main thread for each key stroke, and those in scripts."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> tuple[float, float]:
        found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * found["TaskDuration"], 1000 * found["ScriptDuration"]

    taken = []
    for field in FIELDS:
        page.focus(f"#{field}")
        for turn in range(WARM_UP + STROKES):
            before = spent()
            page.keyboard.press(KEYS[turn % len(KEYS)])
            page.evaluate(DRAWN)
            after = spent()
            if turn >= WARM_UP:
                taken.append((after[0] - before[0], after[1] - before[1]))
    return taken


def main() -> None:
    """Print the median, minimum and maximum for each link."""
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        if chromium is None:
            sys.exit("This needs chromium and pip install '.[browser]'.")
        path = Path(folder) / "page.html"
        path.write_text(build_page(__version__), encoding="utf-8")
        for name, link in LINKS.items():
            page = chromium.new_context(viewport=SCREEN).new_page()
            page.goto(f"{path.as_uri()}#{link}")
            taken = strokes(page)
            total = sorted(task for task, _ in taken)
            script = statistics.median(in_script for _, in_script in taken)
            print(
                f"{name:24} median {statistics.median(total):5.1f} ms (script {script:4.1f} ms), "
                f"minimum {total[0]:5.1f} ms, maximum {total[-1]:5.1f} ms; goal {GOAL_MS:.0f} ms"
            )


if __name__ == "__main__":
    main()
