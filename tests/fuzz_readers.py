"""Damaged copies of the samples, guided by coverage, where the package ``atheris`` is installed.

    python -m tests.fuzz_readers -runs=100000

Arguments are libFuzzer's. A finding is written to a file whose name is printed.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from tests.samples import OF_FORMAT, sample


def check(data: bytes) -> None:
    """Read what may be anything, and use all that comes out."""
    from occupancy.errors import MAX_PART
    from occupancy.readers import KernelRecord, ReadProblem, read  # late, so that atheris can watch it

    found = list(read(io.BytesIO(data)))
    assert found, "neither a kernel nor a problem"
    for each in found:
        if isinstance(each, KernelRecord):
            assert each.to_dict()["source"] == "<stream>"
            assert isinstance(each.demangled, str)
        elif isinstance(each, ReadProblem):
            assert 0 < len(each.what) <= MAX_PART


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["occupancy.readers"]):
        import occupancy.readers  # noqa: F401

    with tempfile.TemporaryDirectory() as corpus:
        for name in OF_FORMAT.values():
            # Long inputs are slow to mutate, and their start has every kind of record.
            (Path(corpus) / name).write_bytes(sample(name)[:100_000])
        atheris.Setup([*sys.argv, corpus], check)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
