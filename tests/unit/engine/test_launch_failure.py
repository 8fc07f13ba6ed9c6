import csv
from itertools import product
from pathlib import Path

import pytest

from occupancy.engine import Result
from occupancy.engine.launch_failure import MAKE_DYNAMIC, OPT_IN
from occupancy.errors import InputError
from occupancy.tables import shipped
from occupancy.values.kernel import Kernel, Launch

SAID = Path(__file__).parents[2] / "data" / "device" / "launch_errors.csv"

# Launches without opt-in that exceed one limit of 9.0 each: registers, grid, block, dynamic shared memory.
LAUNCHES = {
    "legal": (8, (1, 1, 1), (32, 1, 1), 0), "1025 threads": (8, (1, 1, 1), (1025, 1, 1), 0),
    "32 x 33 threads": (8, (1, 1, 1), (32, 33, 1), 0), "65 threads along z": (8, (1, 1, 1), (1, 1, 65), 0),
    "1024 threads of 255 registers": (255, (1, 1, 1), (1024, 1, 1), 0),
    "49153 bytes without opt-in": (8, (1, 1, 1), (32, 1, 1), 49153),
    "300000 bytes": (8, (1, 1, 1), (32, 1, 1), 300_000),
    "65536 blocks along y": (8, (1, 65536, 1), (32, 1, 1), 0),
}  # fmt: skip


def said_by_runtimes() -> list[dict[str, str]]:
    with open(SAID, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@pytest.mark.parametrize("row", said_by_runtimes(), ids=lambda row: f"{row['runtime']}: {row['launch']}")
def test_the_reason_has_the_words_of_the_runtime(row: dict[str, str]) -> None:
    """Compare errors of the runtimes of CUDA 11.8 to 13.5 on an H200."""
    registers, grid, block, smem = LAUNCHES[row["launch"]]
    x, y, z = block
    kernel = Kernel(x * y * z, registers, 0, smem, block_dim=block, opt_in=False)
    if row["launch"] == "65536 blocks along y":
        with pytest.raises(InputError, match="grid: 65,536"):
            Launch(kernel, grid)
        return
    failure = Result(shipped.limits("9.0"), kernel).failure
    if row["launch"] == "legal":
        assert (failure, row["text"]) == (None, "no error")
        return
    assert failure is not None
    assert row["text"] == ((float(row["runtime"]) < 13 and failure.error_before_13) or failure.error)
    assert f'"{row["text"]}"' in str(failure) or str(failure).startswith(row["text"])


def test_every_launch_was_asked_of_every_runtime() -> None:
    asked = {(row["runtime"], row["launch"]) for row in said_by_runtimes()}
    assert asked == set(product(("11.8", "12.1", "12.4", "12.9", "13.0", "13.5"), LAUNCHES))


def test_more_of_a_counted_resource_than_the_sm_has() -> None:
    few_barriers = shipped.limits("9.0").replace(max_barriers_per_multiprocessor=8)
    for limits, kernel, *expected in (
        (few_barriers, Kernel(64, barriers=16), "max_barriers_per_multiprocessor", 16, 8),
        (shipped.limits("10.0"), Kernel(64, virtual_resources=255), "virtual_resources_per_multiprocessor", 255, 128),
    ):  # fmt: skip
        result = Result(limits, kernel)
        assert result.active_blocks == 0
        assert [*(result.failure or ())][:3] == expected
        assert str(result.failure).endswith(f", but an SM has at most {expected[2]}.")


def test_the_subjects_of_limits() -> None:
    for cc, kernel, words in (
        ("3.0", Kernel(32, 64), "64 registers per thread, but a thread can have at most 63."),
        ("9.0", Kernel(512, max_threads=256), 'for at most 256. The runtime reports "invalid argument".'),
        ("9.0", Kernel("2x2x128", max_threads=8), "128 threads along z, but a block can have at most 64 al"),
        ("9.0", Kernel(1024, 128, 0, 245_760), 'at most 232,448. The runtime reports "invalid argument".'),
        ("9.0", Kernel(2048, 96, 61_440, 0), "--opt-in`). Also, 2,048 threads in one block, but a block"),
        ("5.2", Kernel(2048, 96, 61_440, 0), "Also, 2,048 threads with 96 registers each need 196,608 reg"),
        ("9.0", Kernel(512, max_threads=256, smem=65_536, opt_in=False), "49,152. To allow more, call cu"),
        ("9.0", Kernel(1025), '"invalid argument" ("invalid configuration argument" before CUDA 13).'),
    ):
        assert words in str(Result(shipped.limits(cc), kernel).reason)


def test_what_is_too_large_without_opt_in_says_how_to_get_it() -> None:
    for static, dynamic, hint in ((0, 60_000, OPT_IN), (49_152, 1, OPT_IN), (49_153, 0, MAKE_DYNAMIC)):
        failure = Result(shipped.limits("9.0"), Kernel(32, 32, static, dynamic, opt_in=False)).failure
        assert ((failure and failure.hint) or "").startswith(hint)


def test_a_carveout_and_modes_of_the_spreadsheet() -> None:
    failure = Result(shipped.limits("8.6"), Kernel(32, smem="20k", carveout="8k"), "spreadsheet").failure
    assert "but the carveout leaves at most 8,192" in str(failure)
    for model in ("cuda", "spreadsheet"):
        with pytest.raises(InputError, match="no oversized shared memory"):
            Result(shipped.limits("8.6"), Kernel(32, shared_memory_mode="oversized"), model)
    assert Result(shipped.limits("2.1"), Kernel(32)).model == "spreadsheet"
    assert Result(shipped.limits("3.0"), Kernel(32)).model == "cuda"
