"""Recorded results of NVIDIA's tools, and the number of comparisons."""

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

from occupancy.values.fields import Carveout
from occupancy.values.kernel import Kernel

FOLDER = Path(__file__).parents[1] / "data" / "golden"

H200 = "9.0"
"""Compute capability of the GPU."""

SHOWN_DIFFERENCES = 5


def read_rows(name: str) -> Iterator[dict[str, str]]:
    """Return the rows of a CSV file, as column name -> text."""
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt", newline="") as file:
        yield from csv.DictReader(file)


class Comparison:
    """Differences, and the number of comparisons, so that an empty comparison cannot pass."""

    def __init__(self) -> None:
        self.compared = 0
        self.skipped = 0
        self.differences: list[str] = []

    def check(self, question: object, expected: object, answer: object) -> None:
        self.compared += 1
        if expected != answer:
            self.differences.append(f"{question}\n    expected {expected}\n    got      {answer}")

    def conclude(self, *, compared: int, skipped: int = 0) -> None:
        """Fail unless all rows except the expected skips were compared without differences."""
        first = "\n".join(self.differences[:SHOWN_DIFFERENCES])
        assert not self.differences, f"{len(self.differences)} of {self.compared} differ; the first:\n{first}"
        counted, expected = (self.compared, self.skipped), (compared, skipped)
        assert counted == expected, f"compared and left out: {counted}, not {expected}"


def read_kernel(row: dict[str, str]) -> Kernel:
    """Return the kernel of a row about the H200; a negative carveout means the default."""
    percent = int(row.get("carveout_percent", -1))
    return Kernel(
        int(row.get("threads_per_block", 1)), int(row["registers_per_thread"]),
        int(row.get("static_smem", 0)), int(row.get("dynamic_smem", 0)),
        barriers=int(row["barriers"]) if "barriers" in row else None,
        carveout=None if percent < 0 else Carveout(percent, "percent"),
    )  # fmt: skip
