from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy import KernelRecord
from occupancy.compare.matching import Matching, closest_namesakes, family, match


@dataclass(frozen=True)
class Kernel:
    """What `match` looks at, and one measure."""

    name: str
    registers: int = 8
    arch: str | None = "sm_90"
    source: str = "a.cubin"
    threads: int | None = None
    dynamic_smem: int | None = None
    code: int | None = None


def matched(old: list[Kernel], new: list[Kernel]) -> Matching[Kernel]:
    return match(old, new, lambda kernel: kernel.registers)


def test_the_same_name_and_architecture() -> None:
    old, new = Kernel("k", 8), Kernel("k", 16)
    assert matched([old], [new]) == Matching(((old, new, "name"),), (), ())


def test_added_and_removed_are_apart() -> None:
    kept, gone, fresh = Kernel("_Z4keptv"), Kernel("_Z4gonev"), Kernel("_Z5freshv")
    result = matched([gone, kept], [kept, fresh])
    assert result == Matching(((kept, kept, "name"),), (gone,), (fresh,))


def test_namesakes_can_share_the_one_that_is_most_alike() -> None:
    two = [Kernel("_Z1kPf", 8, source="a.cubin"), Kernel("_Z1kPf", 16, source="b.cubin")]
    more = [
        Kernel("_Z1kPf", 16, source="c.cubin"),
        Kernel("_Z1kPf", 9),
        Kernel("_Z1kPf", 7, source="d.cubin"),
    ]
    asked = [
        *more,
        Kernel("_Z1kPd"),
        Kernel("_Z1kPf", arch="sm_80"),
        Kernel("_Z1kPf", 16, "sm_90a", "d.cubin"),
    ]
    for others in (two, two[::-1]):
        found = dict(closest_namesakes(asked, others, lambda kernel: kernel.registers))
        assert found.pop(asked[-1]) in two
        assert found == {more[0]: two[1], more[1]: two[0], more[2]: two[0]}
    across = closest_namesakes(asked[-2:-1], two, lambda kernel: kernel.registers, ignore_arch=True)
    assert [one for one, _ in across] == asked[-2:-1]


def test_namesakes_in_another_spelling() -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    mangled, spelled = Kernel("_Z1kILi16EEvPKf"), Kernel("void k<(int)16>(const float *)")
    for one, other in ((mangled, spelled), (spelled, mangled)):
        assert closest_namesakes([one], [other], lambda kernel: kernel.registers) == [(one, other)]


def test_a_renamed_kernel_is_one_removed_and_one_added() -> None:
    result = matched([Kernel("_Z3oldPf")], [Kernel("_Z3newPf")])
    assert (result.pairs, len(result.removed), len(result.added)) == ((), 1, 1)


def test_the_order_plays_no_part() -> None:
    old = [Kernel(f"_Z1{letter}v", number) for number, letter in enumerate("abcdef")]
    result = matched(old, old[::-1])
    assert all(one == other for one, other, _ in result.pairs)
    assert len(result.pairs) == len(old)


def test_architectures_are_apart() -> None:
    old = [Kernel("k", 8, "sm_80"), Kernel("k", 16, "sm_90")]
    new = [Kernel("k", 16, "sm_80"), Kernel("k", 8, "sm_90")]
    assert {(one.arch, other.arch) for one, other, _ in matched(old, new).pairs} == {
        ("sm_80", "sm_80"),
        ("sm_90", "sm_90"),
    }
    assert matched([Kernel("k", arch="sm_80")], [Kernel("k", arch="sm_90")]).pairs == ()


def test_a_variant_of_an_architecture_is_the_second_choice() -> None:
    plain, variant = Kernel("k", 8, "sm_90"), Kernel("k", 16, "sm_90a")
    assert matched([plain], [variant]).pairs == ((plain, variant, "name"),)
    assert set(matched([plain, variant], [variant, plain]).pairs) == {
        (plain, plain, "name"),
        (variant, variant, "name"),
    }


@pytest.mark.parametrize(
    ("arch", "expected"), [("sm_90a", "sm_90"), ("sm_100f", "sm_100"), ("sm_75", "sm_75"), (None, "")]
)
def test_family(arch: str | None, expected: str) -> None:
    assert family(arch) == expected


def test_a_kernel_in_an_unnamed_namespace_survives_another_folder() -> None:
    old = Kernel("_ZN36_GLOBAL__N__9e609c31_4_a_cu_f763c0354anonEPf")
    new = Kernel("_ZN36_GLOBAL__N__bf52febb_4_a_cu_f763c0354anonEPf")
    assert matched([old], [new]).pairs == ((old, new, "stable_name"),)


def test_other_template_arguments_or_parameters() -> None:
    old, new = Kernel("_Z4gemmILi16EEvPf"), Kernel("_Z4gemmILi32EEvPfi")
    assert matched([old], [new]).pairs == ((old, new, "base_name"),)


def test_one_more_template_argument_and_more_instances() -> None:
    old = [Kernel(f"_Z4gemmILi{tile}EEvPf") for tile in (16, 32)]
    new = [Kernel(f"_Z4gemmILi{tile}ELb1EEvPf") for tile in (128, 16, 32, 64)]
    result = matched(old, new)
    assert {(one.name, other.name) for one, other, _ in result.pairs} == {
        ("_Z4gemmILi16EEvPf", "_Z4gemmILi16ELb1EEvPf"),
        ("_Z4gemmILi32EEvPf", "_Z4gemmILi32ELb1EEvPf"),
    }
    assert [kernel.name for kernel in result.added] == ["_Z4gemmILi128ELb1EEvPf", "_Z4gemmILi64ELb1EEvPf"]


def test_a_kernel_that_is_there_as_it_was_is_not_taken_for_a_changed_one() -> None:
    stays, goes, comes = (Kernel(f"_Z4gemmILi{tile}EEvPf") for tile in (16, 32, 64))
    assert set(matched([goes, stays], [stays, comes]).pairs) == {
        (stays, stays, "name"),
        (goes, comes, "base_name"),
    }


def test_duplicates_are_matched_by_their_file_then_by_their_measures() -> None:
    old = [Kernel("k", 24, source="a.o"), Kernel("k", 40, source="b.o")]
    new = [Kernel("k", 40, source="a.o"), Kernel("k", 24, source="b.o")]
    assert {(one.source, other.source) for one, other, _ in matched(old, new).pairs} == {
        ("a.o", "a.o"),
        ("b.o", "b.o"),
    }
    moved = [Kernel("k", 40, source="c.o"), Kernel("k", 24, source="d.o")]
    assert all(one.registers == other.registers for one, other, _ in matched(old, moved).pairs)


def test_of_duplicates_in_one_file_the_equal_ones_are_matched_first() -> None:
    old = [Kernel("k", registers) for registers in (24, 40)]
    new = [Kernel("k", registers) for registers in (24, 30, 40)]
    result = matched(old, new)
    assert all(one == other for one, other, _ in result.pairs)
    assert [kernel.registers for kernel in result.added] == [30]


def test_launches_are_matched_by_their_block_size() -> None:
    old = [Kernel("k", 24, threads=threads) for threads in (128, 256)]
    new = [Kernel("k", 32, threads=threads) for threads in (512, 256, 128)]
    result = matched(old, new)
    assert all(one.threads == other.threads for one, other, _ in result.pairs)
    assert [kernel.threads for kernel in result.added] == [512]


def test_architectures_that_are_not_known() -> None:
    old, new = Kernel("k", 8, None), Kernel("k", 16, None)
    assert matched([old], [new]).pairs == ((old, new, "name"),)


def test_nothing_to_match() -> None:
    assert matched([], []) == Matching((), (), ())


def test_kernels_that_differ_in_nothing_that_is_compared_are_told_apart_whatever_their_order() -> None:
    one, other = (
        KernelRecord(source="a.cubin", format="cubin", name="k", arch="sm_90", regs=32, max_threads=most)
        for most in (128, 256)
    )
    for old in ([one, other], [other, one]):
        matching = match(old, [other], lambda kernel: kernel.regs)
        assert [(before, after) for before, after, _ in matching.pairs] == [(other, other)]
        assert matching.removed == (one,)


@given(st.lists(st.text("ab", max_size=4), max_size=8), st.lists(st.text("ab", max_size=4), max_size=8))
def test_those_are_paired_first_whose_files_agree_the_longest(old: list[str], new: list[str]) -> None:
    left, right = (
        [Kernel("k", source=f"{file}.o") for file in old],
        [Kernel("k", source=file) for file in new],
    )
    result = matched(left, right)
    # The same, written down as it is said.
    expected = []
    waiting = [sorted(left, key=lambda each: each.source), sorted(right, key=lambda each: each.source)]
    for length in range(20, -1, -1):
        for start in sorted({each.source[:length] for each in waiting[0]}):
            ours, theirs = ([each for each in side if each.source[:length] == start] for side in waiting)
            for one, other in zip(ours, theirs, strict=False):
                expected.append((one.source, other.source))
                waiting[0].remove(one)
                waiting[1].remove(other)
    assert sorted((one.source, other.source) for one, other, _ in result.pairs) == sorted(expected)


@pytest.mark.thorough
def test_thousands_that_are_alike_take_no_longer_than_sorting_them() -> None:
    # Each agrees with its neighbour in another length: once a round through all of them for each length.
    left = [Kernel(f"_Z1kI{'f' * count}Ei") for count in range(3000)]
    right = [Kernel(f"_Z1kI{'f' * count}Ej") for count in range(3000)]
    assert len(matched(left, right).pairs) == 3000


@given(
    st.lists(st.integers(1, 999), unique=True, min_size=1, max_size=8),
    st.integers(0, 2),
    st.randoms(use_true_random=False),
)
def test_template_arguments_that_came_are_recognised_whatever_their_place(
    tiles: list[int], place: int, chance: random.Random
) -> None:
    def mangled(arguments: list[str]) -> str:
        return f"_ZN2ns4gemmI{''.join(arguments)}EEvPf"

    old = [Kernel(mangled([f"Li{tile}E", "f"])) for tile in tiles]
    new = []
    for tile in tiles:
        arguments = [f"Li{tile}E", "f"]
        arguments.insert(place, "Lb1E")
        new.append(Kernel(mangled(arguments)))
    result = matched(old, chance.sample(new, len(new)))
    assert {(one.name, other.name) for one, other, _ in result.pairs} == {
        (one.name, other.name) for one, other in zip(old, new, strict=True)
    }


@pytest.mark.parametrize(
    ("old", "new", "by"),
    [
        ("_Z4blurPKf", "void blur(const float *)", "signature"),
        ("blur(float const*)", "blur(const float *)", "signature"),
        ("_ZN3img4blurEPf", "_ZN5photo4blurEPf", "last_name"),
        ("_Z7blur_v1Pf", "_Z7blur_v2Pf", "numberless"),
        ("_ZN24CUB_300102_SM_800_900_NS3sumEPf", "_ZN21CUB_300200_SM_1000_NS3sumEPf", "stable_name"),
    ],
)
def test_renamed_kernels(old: str, new: str, by: str) -> None:
    if by == "signature":
        pytest.importorskip("demangle", reason="needs Python 3.11")
    ((_, _, matched_by),) = matched([Kernel(old)], [Kernel(new)]).pairs
    assert matched_by == by


def test_a_kernel_with_the_same_code_was_renamed() -> None:
    old, new = Kernel("_Z4blurPf", code=7), Kernel("_Z6smoothPf", code=7)
    assert matched([old], [new]).pairs == ((old, new, "code"),)
    assert matched([old], [Kernel("_Z6smoothPf", code=8)]).pairs == ()
    sized = Kernel("_Z6smoothPf", 9, threads=64, code=7)
    assert matched([old], [sized]).pairs == ((old, sized, "code"),), "as a size that is stated of one name"
    assert matched([old], [sized, new]) == Matching(((old, new, "code"),), (), (sized,))


def test_another_architecture_only_where_it_is_asked_for() -> None:
    old = [Kernel("k", arch="sm_80"), Kernel("k", arch="sm_90")]
    new = [Kernel("k", arch="sm_90"), Kernel("k", arch="sm_100")]
    result = match(old, new, lambda kernel: kernel.registers, ignore_arch=True)
    assert {(one.arch, other.arch) for one, other, _ in result.pairs} == {
        ("sm_90", "sm_90"),
        ("sm_80", "sm_100"),
    }
    assert len(matched(old, new).pairs) == 1
