import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.recorded import installed, recorded_tape, without_packages
from tests.samples import FOLDER, unpack
from tests.sampling import FULL

# Build servers can set it. Tests that need color set it themselves.
os.environ.pop("FORCE_COLOR", None)
os.environ.pop("OCCUPANCY_CC", None)  # the developer's default must not affect tests
# Tests start the program hundreds of times. Without bytecode, each start would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Background jobs of a shell ignore Ctrl-C, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The engine takes microseconds, so a deadline would only measure the load of the machine.
settings.register_profile("occupancy", max_examples=2 * FULL // 5, deadline=None, print_blob=True)
# CI uses fixed examples, so that a change does not fail because of older bugs. Other runs are random and find those.
# Failures print a line that reproduces them.
settings.register_profile("ci", max_examples=FULL, deadline=None, print_blob=True, derandomize=True)
# For runs of the same code on another Python, which test the interpreter rather than the rules.
settings.register_profile("few", max_examples=20, deadline=None, print_blob=True, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "occupancy")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run a single file, or tests that share one GPU, in this process."""
    is_for_gpu = "gpu" in config.option.markexpr and "not gpu" not in config.option.markexpr
    are_files = all(Path(argument.split("::")[0]).is_file() for argument in config.args)
    return 0 if is_for_gpu or (are_files and len(config.args) == 1) else None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exclude permanent objects from garbage collection, which would take a twentieth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests of features that the system lacks, with a notice at the end of the run."""
    for name, is_here in (("posix", os.name == "posix"), ("linux", sys.platform == "linux")):
        if item.get_closest_marker(name) and not is_here:
            pytest.skip(f"SKIPPED: it needs what only {name} systems have")


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with every sample of `tests.samples`, decompressed."""
    return unpack(tmp_path_factory.mktemp("samples"))


@pytest.fixture(autouse=True)
def no_gpu_of_this_machine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the GPU of this machine from tests without the marker ``gpu``."""
    if request.node.get_closest_marker("gpu"):
        yield
        return
    with without_packages():
        yield


@pytest.fixture
def h200(no_gpu_of_this_machine: None) -> Iterator[None]:
    """Replay the recorded driver of an H200."""
    with installed(recorded_tape()):
        yield


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds of tests/data/builds, ``before`` and ``after``: cubins and output of ptxas."""
    target = tmp_path_factory.mktemp("builds")
    for name in ("before", "after"):
        build = unpack(target / name, FOLDER.parent / "builds" / name)
        (build / "ptxas.log").rename(f"{build}.log")
    return target
