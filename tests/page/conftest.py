"""The page in a real browser, and a notice if there is none."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from occupancy.page.build import build_page
from tests.page.browser import SCREENS, Open, browser

REQUIRED = "OCCUPANCY_REQUIRE_BROWSER"
NOTICE = f"the page was not opened in a browser ({REQUIRED}=1 makes that a failure)"
BANNER = "THE PAGE WAS NOT OPENED IN A BROWSER"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Return Chromium, driven by playwright; fail without them in CI, otherwise skip."""
    with browser() as found:
        if found is None:
            if os.environ.get(REQUIRED) == "1":
                pytest.fail("needs chromium and pip install 'occupancy[browser]'")
            pytest.skip(NOTICE)
        yield found


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "occupancy.html"
    path.write_text(build_page("0.1.0"), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def screens() -> dict[str, tuple[Any, list[str]]]:
    """Return a tab for each screen size, with its messages and requests; opening one takes a second."""
    return {}


@pytest.fixture
def opened(chromium: Any, screens: dict[str, tuple[Any, list[str]]], page_file: Path) -> Iterator[Open]:
    """Return a function that opens the page with inputs; console messages and requests fail the test."""
    files = {page_file.as_uri()}

    def make(question: str = "", file: Path = page_file, screen: str = "light") -> Any:
        if screen not in screens:
            said: list[str] = []
            screens[screen] = page, said = chromium.new_context(**SCREENS[screen]).new_page(), said
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("request", lambda request: said.append(request.url))
        page, _ = screens[screen]
        page.goto("about:blank")  # a link to the same file would not load it again
        files.add(file.as_uri())
        page.goto(file.as_uri() + question)
        return page

    yield make
    unexpected = []
    # Chromium prints the second text if a test presses a key before the page is drawn.
    expected = ("data:", "Autofocus processing was blocked", *files)
    for _, said in screens.values():
        unexpected += [text for text in said if not text.startswith(expected)]
        said.clear()
    assert unexpected == []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    if any(NOTICE in report for report in reports):
        terminalreporter.section(BANNER, red=True, bold=True)
