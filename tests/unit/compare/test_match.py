"""Matching of kernels between builds."""

import pytest

from occupancy.compare.match import Matching, Pair, match
from tests.builds import kernel


def test_the_same_name_and_architecture() -> None:
    kept, gone, fresh = kernel("_Z4keptv"), kernel("_Z4gonev"), kernel("_Z5freshv")
    assert match([gone, kept], [kept, fresh]) == Matching((Pair(kept, kept, "name"),), (gone,), (fresh,))
    assert match([], []) == Matching((), (), ())
    unknown = [kernel(arch=None), kernel(arch=None, regs=16)]
    assert match(unknown[:1], unknown[1:]).pairs == (Pair(unknown[0], unknown[1], "name"),)


def test_architectures_are_apart_unless_they_are_ignored() -> None:
    old, new = kernel(arch="sm_80"), kernel(arch="sm_100")
    assert match([old], [new]).pairs == ()
    assert match([old], [new], ignore_arch=True).pairs == (Pair(old, new, "name"),)
    own = kernel(arch="sm_80", regs=16)
    assert match([old, kernel(arch="sm_70")], [new, own], ignore_arch=True).pairs == (Pair(old, own, "name"),)


def test_a_variant_of_an_architecture_is_the_second_choice() -> None:
    plain, variant = kernel(arch="sm_90"), kernel(arch="sm_90a", regs=16)
    assert match([plain], [variant]).pairs[0][:2] == (plain, variant)
    assert match([kernel(arch="compute_90")], [plain]).pairs == (), "PTX is not machine code"
    assert all(one == other for one, other, _ in match([plain, variant], [variant, plain]).pairs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        tuple(f"_ZN36_GLOBAL__N__{path}_4_a_cu_f763c0354anonEPf" for path in ("9e609c31", "bf52febb")),
        ("_ZN24CUB_300102_SM_800_900_NS3sumEPf", "_ZN21CUB_300200_SM_1000_NS3sumEPf"),
        ("_Z4blurPf", "_Z4blurPfi"),
        ("_Z4blurPKf", "void blur(const float *)"),
        ("_Z4gemmILi16EEvPf", "gemm<16>(float*, int)"),
    ],
)
def test_other_parameters_and_compiler_made_parts(old: str, new: str) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    one, other = kernel(old), kernel(new)
    assert match([one], [other]).pairs == (Pair(one, other, "stable_name"),)


def test_another_name_is_matched_by_its_code_alone() -> None:
    templates, spaces = ("_Z4gemmILi16EEvPf", "_Z4gemmILi32EEvPf"), ("_ZN3img4blurEPf", "_ZN5photo4blurEPf")
    for old, new in (templates, spaces, ("_Z3oldPf", "_Z3newPf")):
        one, other = kernel(old, code=7), kernel(new, code=7)
        assert match([one], [other]).pairs == (Pair(one, other, "code"),)
        found = match([one], [kernel(new, code=8)])
        assert (found.pairs, len(found.removed), len(found.added)) == ((), 1, 1)


def test_kernels_of_one_name_are_matched_by_their_values_then_by_their_file() -> None:
    old = [kernel(regs=24, source="a.o"), kernel(regs=40, source="b.o")]
    moved = [kernel(regs=40, source="c.o"), kernel(regs=24, source="d.o")]
    assert all(one.regs == other.regs for one, other, _ in match(old, moved).pairs)
    changed = [kernel(regs=41, source="b.o"), kernel(regs=25, source="a.o")]
    assert all(one.source == other.source for one, other, _ in match(old, changed).pairs)
    assert [each.regs for each in match(old, [*moved, kernel(regs=30)]).added] == [30]
    names = [f"__nv_static_25__5bc8dd37_4_{unit}_cu_f763c035__Z1kPf" for unit in "abc"]
    static = [kernel(name, regs=regs) for regs, name in enumerate(names, 24)]
    assert match(static, static[:2]).removed == (static[2],), "of another file"
    assert not match([*old, kernel(regs=24, source="e.o")], moved).removed, "an equal copy is still there"


def test_launches_are_matched_by_their_block_size() -> None:
    old = [kernel(regs=24, threads=threads) for threads in (128, 256)]
    found = match(old, [kernel(regs=32, threads=threads) for threads in (512, 256, 128)])
    assert all(one.threads == other.threads for one, other, _ in found.pairs)
    assert [each.threads for each in found.added] == [512]


def test_a_copy_that_changes_alone_is_compared_with_the_kernel() -> None:
    one, copy = kernel(regs=32, source="a.o"), kernel(regs=64, source="b.o")
    found = match([kernel(regs=32, source="a.o", also_in=("b.o",))], [one, copy])
    assert [(old.regs, new.regs) for old, new, _ in found.pairs] == [(32, 32), (32, 64)]
    assert not found.added
    assert match([one], [one, copy]).added == match([one, copy], [one]).removed == (copy,), "of another file"
    log = kernel(regs=64, source="build.log", code=1)
    assert not match([one], [one, log]).added, "a log does not name the files of an image"
    static = [kernel(f"__nv_static_25__9e609c31_4_{file}_cu_f763c035__Z1kv") for file in "ab"]
    assert not match([kernel()], static).added, "one line of a baseline"
