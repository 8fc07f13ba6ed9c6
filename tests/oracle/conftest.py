"""The fixture with NVIDIA's header, and the notice where it could not be had."""

from __future__ import annotations

import os

import pytest

from tests.oracle import header as oracle

REQUIRED = "OCCUPANCY_REQUIRE_ORACLE"
NOTICE = f"no comparison with NVIDIA's header ({REQUIRED}=1 makes that a failure)"


@pytest.fixture(scope="session")
def header() -> oracle.Header:
    """NVIDIA's cuda_occupancy.h, compiled. Only a missing C++ compiler is forgiven, and not in CI."""
    try:
        return oracle.load()
    except oracle.NoCompilerError as error:
        if os.environ.get(REQUIRED) == "1":
            raise
        pytest.skip(f"{NOTICE}: {error}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it where it can not be overlooked, because a run without the header proves much less."""
    skipped = [
        report for report in terminalreporter.stats.get("skipped", ()) if NOTICE in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.section(
            "THE ENGINE WAS NOT COMPARED WITH NVIDIA'S HEADER", sep="!", red=True, bold=True
        )
        terminalreporter.line(f"{len(skipped)} tests skipped: {NOTICE}.")
