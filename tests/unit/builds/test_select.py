"""Filters and order of scanned kernels."""

from dataclasses import replace
from typing import Any

import pytest

from occupancy import ComputeCapability, InputError
from occupancy.builds.rows import spill_bytes
from occupancy.builds.select import ORDERS, Selection, age, loadable_code, newest
from occupancy.readers import KernelRecord
from tests.builds import EVALUATOR


def record(name: str, arch: str | None, regs: int | None = 32, **more: Any) -> KernelRecord:
    return KernelRecord(name=name, arch=arch, regs=regs, **{"source": "f", "format": "fatbin", **more})


def kept(records: list[KernelRecord], gpu: str) -> list[KernelRecord]:
    return list(loadable_code(records, ComputeCapability.parse(gpu)))


@pytest.mark.parametrize(("archs", "gpu", "expected"), [
    (("sm_80", "sm_86", "sm_90"), "8.9", {"sm_86"}), (("sm_80", None), "8.0", {"sm_80", None}),
    (("sm_80", "sm_90", "sm_90a"), "9.0", {"sm_90", "sm_90a"}),
    (("sm_100a", "sm_100f", "sm_90"), "10.3", {"sm_100f"}),
    (("sm_86", "sm_90"), "8.0", {"sm_86"}), (("sm_70", "sm_75", "sm_86"), "8.0", {"sm_75"}),
    (("sm_80", "sm_90"), "12.0", {"sm_90"}),
])  # fmt: skip
def test_a_gpu_runs_the_newest(archs: tuple[str | None, ...], gpu: str, expected: set[str | None]) -> None:
    assert {each.arch for each in kept([record("k", arch) for arch in archs], gpu)} == expected


def test_code_is_chosen_for_each_kernel_and_never_of_launches_or_ptx() -> None:
    old, ptx = record("old", "sm_80"), record("k", "sm_90", regs=None)
    launched, image = record("k", "sm_80", launches=3), record("k", "sm_90")
    assert kept([old, ptx, launched, image, record("k", "sm_80")], "9.0") == [old, launched, image]
    only_ptx = [record("p", "sm_90", regs=None), record("p", "sm_80")]
    assert kept(only_ptx, "9.0") == only_ptx


def test_each_file_and_each_fatbin_has_a_choice_of_its_own() -> None:
    both = [record("k", arch, source="both.so") for arch in ("sm_80", "sm_86")]
    other = record("k", "sm_80", 40, source="other.so")
    assert kept([*both, other], "8.9") == [both[1], other]
    logs = [record("k", "sm_80", source="a.log"), record("k", "sm_86", source="b.log")]
    assert kept([*logs, record("k", "sm_90", source="c.log")], "8.9") == logs
    one_file = [record("k", arch, modules=(("f", 1),)) for arch in ("sm_80", "sm_86")]
    alone = record("k", "sm_80", 40, modules=(("f", 0),))
    assert kept([alone, *one_file], "8.9") == [alone, one_file[1]]
    copies = record("k", "sm_80", modules=(("f", 0), ("f", 1)))
    assert kept([copies, one_file[1]], "8.9") == [copies, one_file[1]]
    assert kept([record("k", "sm_80", 40), *one_file], "8.9") == [one_file[1]]


def test_a_copy_gives_way_where_each_file_with_it_has_newer_code() -> None:
    newer = record("k", "sm_86", source="a.so", also_in=("new.so",))
    for elsewhere, left in ((("old.so",), 0), (("new.so",), 1), (("new.so", "old.so"), 0)):
        assert len(kept([record("k", "sm_80", source="a.so", also_in=elsewhere), newer], "8.9")) == 2 - left


KERNELS = [record("blur", "sm_80"), record("blur", "sm_90"), record("sobel", "sm_90", 255)]


def test_unknown_names_and_architectures_name_others() -> None:
    assert [each.name for each in Selection(names=("LUR",)).records(KERNELS)] == ["blur", "blur"]
    with pytest.raises(InputError, match=r"no kernel has 'blurr' in its name\. Did you mean blur\?"):
        Selection(names=("blurr", "sobel")).records(KERNELS)
    of_9_0, of_8_6 = (Selection(archs=(frozenset([ComputeCapability(*cc)]),)) for cc in ((9, 0), (8, 6)))
    assert len(of_9_0.records(KERNELS)) == 2
    with pytest.raises(InputError, match=r"for sm_86\. Architectures: sm_80, sm_90\.") as caught:
        of_8_6.records(KERNELS)
    assert caught.value.where == "arch"


def test_rows_are_sorted_filtered_and_limited() -> None:
    spilling = record("spills", "sm_90", spill_store_bytes=8, spill_load_bytes=8)
    rows = replace(EVALUATOR, threads=256).rows([*KERNELS, spilling])
    by_occupancy = [row.name for row in Selection().ordered(rows)]
    assert by_occupancy == ["sobel", "spills", "blur", "blur"], "of equal ones first those that spill"
    assert [row.name for row in Selection(limit=2).ordered(rows)] == ["sobel", "spills"]
    assert [row.name for row in Selection(below=0.5).filtered(rows)] == ["sobel"]
    assert [row.name for row in Selection(only_spilling=True).filtered(rows)] == ["spills"]
    assert [row.regs for row in Selection(sort="regs", limit=1).ordered(rows)] == [255]
    assert [row.name for row in Selection(sort="spills", limit=1).ordered(rows)] == ["spills"]
    with pytest.raises(InputError, match="the files have no launch times"):
        Selection(sort="time").ordered(rows)


def test_each_order_has_the_most_first_and_the_unknown_last() -> None:
    spills = {"spill_store_bytes": 0, "spill_load_bytes": 4}
    records = [
        record("a", "sm_90", 8, stack_bytes=16, duration_us=2.0),
        record("b", "sm_90", 64, spill_store_bytes=4, spill_load_bytes=4),
        record("c", "sm_90", 128, stack_bytes=0, duration_us=5.0, **spills),
    ]
    rows = replace(EVALUATOR, threads=256).rows(records)
    orders = {order: "".join(row.name for row in Selection(sort=order).ordered(rows)) for order in ORDERS}
    assert orders == {"occupancy": "cba", "regs": "cba", "spills": "bca", "stack": "acb", "time": "cab"}


class TestRows:
    @pytest.mark.parametrize(
        ("of_all", "sizes"),
        [(None, [(128, True), (512, True), (256, True)]), (512, [(128, True), (512, False), (512, False)])],
    )
    def test_assumed_sizes(self, of_all: int | None, sizes: list[tuple[int, bool]]) -> None:
        records = [record("a", "sm_90", max_threads=bound) for bound in (128, 512, None)]
        records.append(record("a", "sm_90", threads=64))
        rows = replace(EVALUATOR, threads=of_all).rows(records)
        assert [(row.threads, row.threads_assumed) for row in rows] == [*sizes, (64, False)]

    def test_spills_into_shared_memory_count_with_the_others(self) -> None:
        assert spill_bytes(record("a", "sm_90", spill_store_bytes=8, spill_load_bytes=4, spill_smem=16)) == 28
        assert spill_bytes(record("a", "sm_90", spill_smem=16)) == 16
        assert spill_bytes(record("a", "sm_90")) is None

    def test_what_does_not_launch_or_not_even_compile(self) -> None:
        (row,) = EVALUATOR.rows([record("a", "sm_90", threads=512, max_threads=256)])
        assert (row.launchable, row.occupancy, row.finding) == (False, 0, "does-not-launch")
        assert "512 threads in one block, but the kernel was compiled for at most 256." in str(row.reason)
        found = [record("a", "sm_90", format=kind, static_smem=56832) for kind in ("ptxas", "cubin")]
        rows = replace(EVALUATOR, threads=128).rows(found)
        assert [each.launchable for each in rows] == [False, True]
        assert repr(row) == "<ScannedKernel a for sm_90: occupancy 0% at 512 threads>"


def test_architectures_from_the_oldest_to_the_newest() -> None:
    found = [record("k", "sm_80"), record("k", "sm_90"), record("j", "sm_80"), record("j", None)]
    assert [(each.name, each.arch) for each in newest(found)] == [("k", "sm_90"), ("j", "sm_80")]
    archs = ["sm_120f", "sm_90a", None, "sm_100", "compute_75", "sm_90"]
    assert sorted(archs, key=age) == [None, "compute_75", "sm_90", "sm_90a", "sm_100", "sm_120f"]
