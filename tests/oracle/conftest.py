"""Fixtures with NVIDIA's tools, and notices about missing tools."""

import os
import shutil
from pathlib import Path

import pytest

from tests.oracle import header as oracle
from tests.oracle import libraries

REQUIRED = "OCCUPANCY_REQUIRE_ORACLE"
HEADER_NOTICE = f"no comparison with NVIDIA's header ({REQUIRED}=1 makes that a failure)"
CUOBJDUMP_NOTICE = "no comparison with cuobjdump (python -m tests.oracle.libraries fetches what it takes)"
NVCC_NOTICE = "no comparison with the compiler (nvcc is neither on the PATH nor in /usr/local/cuda/bin)"

# Notices at the end of the run, because a run without the tool proves much less.
BANNERS = {
    HEADER_NOTICE: "THE ENGINE WAS NOT COMPARED WITH NVIDIA'S HEADER",
    CUOBJDUMP_NOTICE: "THE READERS WERE NOT COMPARED WITH CUOBJDUMP",
    NVCC_NOTICE: "THE READERS WERE NOT COMPARED WITH THE COMPILER",
}


@pytest.fixture(scope="session")
def header() -> oracle.Header:
    """Return NVIDIA's cuda_occupancy.h, compiled; skip without a C++ compiler, except in CI."""
    try:
        return oracle.load()
    except oracle.NoCompilerError as error:
        if os.environ.get(REQUIRED) == "1":
            raise
        pytest.skip(f"{HEADER_NOTICE}: {error}")


@pytest.fixture(scope="session")
def cuobjdump() -> Path:
    """Return NVIDIA's cuobjdump, with the libraries beside it."""
    tool = libraries.FOLDER / libraries.CUOBJDUMP
    if not all(path.exists() for path in (tool, *(libraries.FOLDER / name for name in libraries.LIBRARIES))):
        pytest.skip(CUOBJDUMP_NOTICE)
    return tool


@pytest.fixture(scope="session")
def nvcc() -> Path:
    found = shutil.which("nvcc", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/cuda/bin")))
    if found is None:
        pytest.skip(NVCC_NOTICE)
    return Path(found)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    for notice, banner in BANNERS.items():
        count = sum(notice in report for report in reports)
        if count:
            terminalreporter.section(banner, sep="!", red=True, bold=True)
            terminalreporter.line(f"{count} tests skipped: {notice}.")
