"""Screens on which the page is looked at, and what it takes to look."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Open = Callable[..., Any]
"""Opens the page, or another file, with a question, on a screen."""

SCREENS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1440, "height": 900}},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True},
    "narrow": {"viewport": {"width": 320, "height": 640}},
}


def until(page: Any, condition: str) -> None:
    """Wait for a condition; playwright's own way of waiting is against the page's policy."""
    for _ in range(250):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(condition)


def keep(page: Any, name: str) -> None:
    """Keep a picture where CI collects them."""
    folder = os.environ.get("OCCUPANCY_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def folder_of_screens(otherwise: Path) -> Path:
    return Path(os.environ.get("OCCUPANCY_SCREENSHOTS") or otherwise)
