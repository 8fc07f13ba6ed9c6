"""Of each kernel the code that a chip runs."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import pytest

import occupancy
from occupancy import ComputeCapability
from occupancy.builds.running import RunsOn, running_code
from occupancy.readers import KernelRecord
from tests.hostile import container, entry
from tests.samples import sample


def record(name: str, arch: str | None, regs: int | None = 32, **more: Any) -> KernelRecord:
    facts = {"source": "f", "format": "fatbin", **more}
    return KernelRecord(name=name, arch=arch, regs=regs, **facts)


def fatbin(*images: bytes) -> bytes:
    return container(b"".join(map(entry, images)))


def chosen(records: Iterable[KernelRecord], chip: str) -> tuple[list[KernelRecord], RunsOn | None]:
    """What is kept, and what is said of it."""
    told: list[RunsOn] = []
    kept = list(running_code(records, ComputeCapability.parse(chip), told.append))
    (code,) = told
    return kept, code.unless_all


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


def test_each_file_has_a_choice_of_its_own() -> None:
    both = [record("k", arch, source="both.so") for arch in ("sm_80", "sm_86")]
    other = record("k", "sm_80", 40, source="other.so")
    assert chosen([*both, other], "8.9") == ([both[1], other], RunsOn("8.9", ("sm_80", "sm_86"), 1))
    logs = [record("k", "sm_80", source="a.log"), record("k", "sm_86", source="b.log")]
    assert chosen(logs, "8.9") == (logs, None)
    for_another = record("k", "sm_90", source="c.log")
    assert chosen([*logs, for_another], "8.9") == (logs, RunsOn("8.9", ("sm_80", "sm_86"), 1))


@pytest.mark.parametrize(
    ("elsewhere", "left"), [(("old.so",), 0), (("new.so",), 1), (("new.so", "old.so"), 0)]
)
def test_a_copy_is_left_out_where_each_file_with_it_has_newer_code(
    elsewhere: tuple[str, ...], left: int
) -> None:
    copy = record("k", "sm_80", source="a.so", also_in=elsewhere)
    newer = record("k", "sm_86", source="a.so", also_in=("new.so",))
    found, runs_on = chosen([copy, newer], "8.9")
    assert len(found) == 2 - left
    assert (runs_on is None) == (not left)


def test_each_fatbin_of_a_file_has_a_choice_of_its_own() -> None:
    both = [record("k", arch, modules=(("f", 1),)) for arch in ("sm_80", "sm_86")]
    alone = record("k", "sm_80", 40, modules=(("f", 0),))
    assert chosen([alone, *both], "8.9") == ([alone, both[1]], RunsOn("8.9", ("sm_80", "sm_86"), 1))
    copies = record("k", "sm_80", modules=(("f", 0), ("f", 1)))
    assert chosen([copies, both[1]], "8.9") == ([copies, both[1]], None)
    beside = record("k", "sm_80", 40)  # a cubin that stands alone
    assert chosen([beside, *both], "8.9") == ([both[1]], RunsOn("8.9", ("sm_86",), 2))


def test_of_a_library_of_two_source_files_each_runs_its_own_code() -> None:
    sm_80, sm_86 = (sample(f"cubins/{name}.cubin") for name in ("13.0_80_0", "13.5_86_0"))
    both = fatbin(sm_80, sm_86)
    for library, archs in ((both, {"sm_86"}), (fatbin(sm_80) + both, {"sm_80", "sm_86"})):
        found = occupancy.scan(io.BytesIO(library), cc="8.9", threads=64)
        assert {kernel.arch for kernel in found} == archs
        assert len({kernel.name for kernel in found}) * len(archs) == len(found)


def test_each_stream_has_a_choice_of_its_own_as_each_file() -> None:
    sm_80, sm_86 = (sample(f"cubins/{name}.cubin") for name in ("13.0_80_0", "13.5_86_0"))
    for first, second in ((fatbin(sm_80), fatbin(sm_80, sm_86)), (sm_80, sm_86)):
        found = occupancy.scan([io.BytesIO(first), io.BytesIO(second)], cc="8.9", threads=64)
        assert {(kernel.source, kernel.arch) for kernel in found} == {
            ("<stream>", "sm_80"),
            ("<stream> (2)", "sm_86"),
        }
