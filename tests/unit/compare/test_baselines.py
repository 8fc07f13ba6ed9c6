"""Baselines: what an update of some kernels accepts, and the text of the file."""

from __future__ import annotations

import pytest

from occupancy import KernelRecord
from occupancy.compare.baseline import accepted, baseline_from, baseline_text


def kernel(name: str, regs: int = 32, code: int | None = None) -> KernelRecord:
    return KernelRecord(source="a", format="cubin", name=name, arch="sm_90", regs=regs, code=code)


@pytest.mark.parametrize("wanted", ["old", "new"])
def test_an_update_takes_a_kernel_by_its_old_or_its_new_name(wanted: str) -> None:
    before = baseline_from([kernel("old", code=1), kernel("other")])
    build = [kernel("new", 40, 1), kernel("other", 64)]
    after = accepted(before, build, lambda record: record.name == wanted, everything=False)
    assert {each.name: each.regs for each in after.kernels} == {"new": 40, "other": 32}


def test_names_are_kept_as_they_are() -> None:
    assert "größe" in baseline_text(baseline_from([kernel("größe")]))
