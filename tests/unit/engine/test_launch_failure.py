from __future__ import annotations

import csv
from pathlib import Path

import pytest

from occupancy.engine import evaluate
from occupancy.errors import InputError
from occupancy.tables import shipped
from occupancy.values.kernel import Kernel, Launch
from tests.gpu.launch_errors import LAUNCHES

SAID = Path(__file__).parents[2] / "data" / "device" / "launch_errors.csv"


def said_by_runtimes() -> list[dict[str, str]]:
    with open(SAID, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@pytest.mark.parametrize("row", said_by_runtimes(), ids=lambda row: f"{row['runtime']}: {row['launch']}")
def test_the_reason_has_the_words_of_the_runtime(row: dict[str, str]) -> None:
    """What the runtimes of CUDA 11.8 to 13.5 said on an H200."""
    name, grid, block, smem = LAUNCHES[row["launch"]]
    x, y, z = block
    registers = 255 if name == "with_255_registers" else 8
    kernel = Kernel(x * y * z, registers, 0, smem, block_dim=block, opt_in=False)
    if row["launch"] == "65536 blocks along y":
        with pytest.raises(InputError, match="65,536 blocks along y"):
            Launch(kernel, grid)
        return
    failure = evaluate(shipped.limits("9.0"), kernel).failure
    if row["launch"] == "legal":
        assert (failure, row["text"]) == (None, "no error")
        return
    assert failure is not None
    is_older = float(row["runtime"]) < 13
    expected = (is_older and failure.error_before_13) or failure.error
    assert row["text"] == expected
    assert f'"{row["text"]}"' in str(failure) or str(failure).startswith(row["text"])


def test_every_launch_was_asked_of_every_runtime() -> None:
    rows = said_by_runtimes()
    runtimes = {row["runtime"] for row in rows}
    assert runtimes == {"11.8", "12.1", "12.4", "12.9", "13.0", "13.5"}
    assert {(row["runtime"], row["launch"]) for row in rows} == {
        (r, each) for r in runtimes for each in LAUNCHES
    }
