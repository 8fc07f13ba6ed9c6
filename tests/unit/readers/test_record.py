"""Records, and their conversion to kernels."""

import pytest

from occupancy import InputError, Kernel, KernelRecord


def record(**facts: object) -> KernelRecord:
    return KernelRecord(source="a.out", format="cubin", name="_Z1kILi3EEvPf", **facts)  # type: ignore[arg-type]


def test_kernel_takes_what_is_known() -> None:
    smem = {"static_smem": 2048, "dynamic_smem": 512}
    known = record(regs=40, barriers=2, threads=256, block_dim=(16, 16, 1), **smem)
    assert known.kernel() == Kernel(256, 40, 2048, 512, barriers=2, block_dim=(16, 16, 1))
    assert record(smem=512).kernel(128) == Kernel(128, smem=512)
    assert record(threads=256).kernel(threads=128).threads == 256, "a known block size is not overruled"
    with pytest.raises(InputError, match="block size"):
        record().kernel()


def test_a_launch_keeps_what_the_image_does_not_state() -> None:
    launch, image = record(threads=32, virtual_resources=128), record(regs=40)
    assert launch.with_compiled(image).virtual_resources == 128
    assert launch.with_compiled(record(virtual_resources=0)).virtual_resources == 0
    assert record(threads=32).with_compiled(record(virtual_resources=128)).virtual_resources == 128


def test_demangled_names() -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    assert record().demangled == "void k<3>(float*)"


@pytest.mark.parametrize(
    "name", ["", "cname", "_Z", "_Zfoo", "_Z" + "P" * 100_000, "_Z1f" + "1AI" * 20_000, "\ud800"]
)
def test_names_that_cannot_be_demangled_stay(name: str) -> None:
    assert KernelRecord(source="", format="cubin", name=name).demangled == name


def test_spills_are_false_where_there_are_none() -> None:
    spills = record(spill_store_bytes=0, spill_load_bytes=0).spills
    assert spills is not None
    assert (bool(spills), spills.total, record().spills) == (False, 0, None)
