"""Of each kernel the code that a chip runs."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from occupancy import ComputeCapability
from occupancy.builds.running import RunsOn, running_code
from occupancy.readers import KernelRecord


def record(name: str, arch: str | None, regs: int | None = 32, launches: int | None = None) -> KernelRecord:
    return KernelRecord(source="f", format="fatbin", name=name, arch=arch, regs=regs, launches=launches)


def chosen(records: Iterable[KernelRecord], chip: str) -> tuple[list[KernelRecord], RunsOn | None]:
    """What is kept, and what is told of it."""
    told: list[RunsOn] = []
    kept = list(running_code(records, ComputeCapability.parse(chip), told.append))
    return kept, next(iter(told), None)


@pytest.mark.parametrize(
    ("archs", "chip", "kept"),
    [
        (("sm_80", "sm_86", "sm_90"), "8.9", {"sm_86"}),
        (("sm_80", "sm_90", "sm_90a"), "9.0", {"sm_90", "sm_90a"}),
        (("sm_100a", "sm_100f", "sm_90"), "10.3", {"sm_100f"}),
        (("sm_80", "sm_90"), "12.0", {"sm_80", "sm_90"}),
        (("sm_80", None), "8.0", {"sm_80", None}),
    ],
)
def test_the_highest_minor_version_of_what_runs(
    archs: tuple[str | None, ...], chip: str, kept: set[str | None]
) -> None:
    found, runs_on = chosen((record("k", arch) for arch in archs), chip)
    assert {each.arch for each in found} == kept
    left = len(archs) - len(kept)
    named = tuple(sorted(arch for arch in kept if arch))
    assert runs_on == (RunsOn(chip, named, left) if left else None)


def test_it_is_chosen_for_each_kernel_and_never_of_launches_or_ptx() -> None:
    old, ptx = record("old", "sm_80"), record("k", "sm_90", regs=None)
    launched, image = record("k", "sm_80", launches=3), record("k", "sm_90")
    found = [old, ptx, launched, image, record("k", "sm_80")]
    assert chosen(found, "9.0") == ([launched, old, image], RunsOn("9.0", ("sm_90",), 2))
    only_ptx = [record("p", "sm_90", regs=None), record("p", "sm_80")]
    assert chosen(only_ptx, "9.0") == (only_ptx, None)
