"""Of which kernels people are shown one of each name."""

from __future__ import annotations

from dataclasses import replace

from occupancy import KernelRecord
from occupancy.builds.excerpt import MOST, excerpt_of, in_numbers
from occupancy.builds.selection import Show

KERNEL = KernelRecord(source="a", format="cubin", name="k", arch="sm_90")


def kernels(*archs: str, names: int) -> list[KernelRecord]:
    return [replace(KERNEL, name=f"k{number}", arch=arch) for number in range(names) for arch in archs]


def is_by_name(records: list[KernelRecord], show: Show = "whole_kernels") -> bool:
    return excerpt_of(records, in_numbers(records), show).is_by_name


def test_names_that_come_again_for_other_architectures_are_one_each() -> None:
    many = kernels("sm_80", "sm_90", names=MOST)
    assert is_by_name(many)
    assert not is_by_name(many, "rows")
    assert not is_by_name(many[:MOST]), "all of them have room"
    assert not is_by_name(kernels("sm_90", names=2 * MOST))
    apart = [*kernels("sm_80", names=MOST), *[replace(KERNEL, name=f"q{n}") for n in range(MOST)]]
    assert not is_by_name(apart), "no name has two"
    assert not is_by_name([replace(each, launches=1) for each in many]), "launches differ in more"


def test_the_architecture_with_the_most_and_of_equals_the_newest() -> None:
    many = kernels("sm_80", "sm_90", "sm_100", names=MOST)
    assert excerpt_of(many, in_numbers(many), "whole_kernels").most == ("sm_100", MOST)
    some = many[:-1]
    assert excerpt_of(some, in_numbers(some), "whole_kernels").most == ("sm_90", MOST)
    assert excerpt_of(some, {"sm_80": 3, None: 9}, "whole_kernels").most == ("sm_80", 3)
    nothing: list[dict[str | None, int]] = [{"sm_90": 3}, {None: 3}, {}]
    for one in nothing:
        assert excerpt_of([], one, "whole_kernels").most is None
    archs = excerpt_of(many, in_numbers(many), "whole_kernels").archs_of
    assert archs["k0"] == {"sm_80", "sm_90", "sm_100"}
