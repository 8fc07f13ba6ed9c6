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

# A build server may set it; tests say themselves where they want colour.
os.environ.pop("FORCE_COLOR", None)
os.environ.pop("OCCUPANCY_CC", None)  # nor is the developer's own chip theirs
# Tests start the program hundreds of times; else each start would compile all of its modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# What a shell starts in the background ignores Ctrl-C, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The engine takes microseconds; a deadline would only measure how busy the machine is.
settings.register_profile("occupancy", max_examples=2 * FULL // 5, deadline=None, print_blob=True)
# Each time the same: a change is not held up by what others left. Runs elsewhere are
# random and find that. What fails prints the line that repeats it.
settings.register_profile("ci", max_examples=FULL, deadline=None, print_blob=True, derandomize=True)
# Where the same code runs once more, as on another Python: the rules have been tried, the interpreter not.
settings.register_profile("few", max_examples=20, deadline=None, print_blob=True, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "occupancy")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A file alone runs in this process, sooner than others start; so do tests that share the one GPU."""
    is_for_gpu = "gpu" in config.option.markexpr and "not gpu" not in config.option.markexpr
    are_files = all(Path(argument.split("::")[0]).is_file() for argument in config.args)
    return 0 if is_for_gpu or (are_files and len(config.args) == 1) else None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep the search for garbage, a twentieth of the run, from what stays to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What tries something that a system does not have is not run there, and the end of the run says so."""
    for name, is_here in (("posix", os.name == "posix"), ("linux", sys.platform == "linux")):
        if item.get_closest_marker(name) and not is_here:
            pytest.skip(f"SKIPPED: it needs what only {name} systems have")


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every sample of `tests.samples`, decompressed."""
    return unpack(tmp_path_factory.mktemp("samples"))


@pytest.fixture(autouse=True)
def no_gpu_of_this_machine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests answer alike on every machine: only those marked ``gpu`` see its GPU."""
    if request.node.get_closest_marker("gpu"):
        yield
        return
    with without_packages():
        yield


@pytest.fixture
def h200(no_gpu_of_this_machine: None) -> Iterator[None]:
    """The machine has an H200, as far as its driver's recorded answers go."""
    with installed(recorded_tape()):
        yield


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two builds of tests/data/builds, ``before`` and ``after``: cubins, and what ptxas printed."""
    target = tmp_path_factory.mktemp("builds")
    for name in ("before", "after"):
        build = unpack(target / name, FOLDER.parent / "builds" / name)
        (build / "ptxas.log").rename(f"{build}.log")
    return target
