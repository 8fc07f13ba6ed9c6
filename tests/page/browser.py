"""Screen sizes of the page's tests, and helpers for the browser."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Open = Callable[..., Any]
"""Function that opens the page, or another file, with inputs, at a screen size."""

SCREENS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1440, "height": 900}},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "laptop": {"viewport": {"width": 1280, "height": 720}},
    "tablet": {"viewport": {"width": 768, "height": 1024}},
    "wide": {"viewport": {"width": 2560, "height": 1300}},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True},
    "narrow": {"viewport": {"width": 320, "height": 640}},
}


# The headless shell draws no window, which takes two thirds of the time.
BROWSERS = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
)  # fmt: skip
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic"]


@contextmanager
def browser() -> Iterator[Any]:
    """Return Chromium or Chrome, driven by playwright; None if either is missing."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        path = None
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield found
        found.close()


def until(page: Any, condition: str) -> None:
    """Wait for a condition, at least 4 s; the page's policy forbids playwright's own wait."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(condition)


RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]


def axe_violations(page: Any, *rules: str) -> list[Any]:
    """Return the elements that violate rules of axe (default: all); axe is in the extra `browser`."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": list(rules or RULES), "resultTypes": ["violations"]}
    found = Axe().run(page, options=options).response["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"][:3]]) for each in found]


def keep(page: Any, name: str) -> None:
    """Save a screenshot for CI."""
    folder = os.environ.get("OCCUPANCY_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
