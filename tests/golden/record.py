"""Record golden files again: ``python -m tests.golden.record QUESTION...``.

The inputs are kept: random kernels, often at the edge of a limit, and the samples. Record a file only if a source
shows that its numbers were wrong, or after adding a row with inputs.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from . import numbers
from .recorded import INPUTS, Golden, load, save, unpack_data


def record(question: str, data: Path, scratch: Path) -> None:
    columns, rows = load(question)
    inputs = [row[: len(INPUTS[question])] for row in rows]
    if question in numbers.PURE:
        results = [numbers.PURE[question](*row) for row in inputs]
    else:
        results = [numbers.from_files(question, row, data, scratch) for row in inputs]
    assert {(*INPUTS[question], *each) for each in results} == {tuple(columns)}
    whole = [[*row, *map(numbers.plain, each.values())] for row, each in zip(inputs, results, strict=True)]
    save(question, Golden(columns, whole))
    print(f"{question}: {sum(one != other for one, other in zip(rows, whole, strict=True))} rows differ")


def main(questions: list[str]) -> None:
    os.environ.pop("OCCUPANCY_CC", None)
    with TemporaryDirectory() as folder:
        data, scratch = unpack_data(Path(folder, "data")), Path(folder, "scratch")
        scratch.mkdir()
        for question in questions:
            record(question, data, scratch)


if __name__ == "__main__":
    main(sys.argv[1:])
