"""Cubins and fatbins compared with the compiler's output."""

import io
from pathlib import Path

import pytest

from occupancy.readers import stream_kernels
from occupancy.values.limits import ComputeCapability
from tests import hostile
from tests.samples import FOLDER, REDUCE, SPILLY, VEC_ADD, by_name, sample, unpacked

DATA = FOLDER.parent
CUBINS = {
    str(log.relative_to(DATA)).removesuffix(".ptxas.txt"): log
    for log in sorted(DATA.rglob("*.ptxas.txt"))
    if log.with_name(log.name.replace(".ptxas.txt", ".cubin.gz")).exists()
}
"""Cubins with the output of ptxas beside them."""


@pytest.mark.parametrize("name", CUBINS)
def test_a_cubin_equals_what_ptxas_printed(name: str) -> None:
    image = by_name(unpacked(f"{name}.cubin"))
    printed = by_name(CUBINS[name].read_bytes())
    assert image.keys() == printed.keys() != set()
    for kernel, record in image.items():
        said = printed[kernel]
        assert (record.regs, record.static_smem, record.stack_bytes) == (
            said.regs, said.static_smem, said.stack_bytes,
        ), kernel  # fmt: skip
        assert said.barriers in (None, record.barriers), kernel  # printed from 12.6 on
        assert record.spills == said.spills, kernel
        assert (record.spills_from, said.spills_from) == ("code", "compiler")
        assert (record.arch or "").rstrip("f") == (said.arch or "").rstrip("f")


def test_each_fatbin_has_a_number_in_its_file(samples: Path) -> None:
    one, cubin = (samples / "samples.fatbin").read_bytes(), (samples / "samples.cubin").read_bytes()
    found = list(stream_kernels(io.BytesIO(one + cubin + one)))
    assert [[number for _, number in record.modules] for record in found] == [[0]] * 9 + [[]] * 3 + [[1]] * 9


def test_registers_of_toolkits_before_10_1_are_in_the_section_header() -> None:
    data = sample("cubins/11.8_80_0.cubin")
    without = data.replace(b"\x04\x2f\x08\x00", b"\x04\xfe\x08\x00")  # the attribute REGCOUNT
    assert data != without
    regs = [{name: record.regs for name, record in by_name(each).items()} for each in (data, without)]
    assert regs[0] == regs[1]


def test_images_of_more_sections_than_the_header_can_count() -> None:
    data = bytearray(sample("samples.cubin"))
    table = int.from_bytes(data[40:48], "little")
    count, names = data[60:62], data[62:64]
    data[60:62], data[62:64] = b"\0\0", b"\xff\xff"
    data[table + 32 : table + 34] = count  # the first section's size
    data[table + 40 : table + 42] = names  # and its link
    assert by_name(data).keys() == {SPILLY, REDUCE, VEC_ADD}


def test_static_shared_memory_in_a_section_with_bits() -> None:
    """Read ``.nv.shared.NAME`` with type SHT_PROGBITS, as in cuBLASLt."""
    data = bytearray(sample("cubins/12.9_80_1.cubin"))
    expected = by_name(data)
    table, count = int.from_bytes(data[40:48], "little"), int.from_bytes(data[60:62], "little")
    kinds = [slice(place + 4, place + 8) for place in range(table, table + 64 * count, 64)]
    without_bits = [kind for kind in kinds if data[kind] == (0x7000000A).to_bytes(4, "little")]
    assert without_bits
    for kind in without_bits:
        data[kind] = (1).to_bytes(4, "little")
    assert expected["_Z6smem2kPf"].static_smem == 2048
    assert by_name(data) == expected


MODERN = DATA / "modern"
"""Tensor memory, registers exchanged between warpgroups, spills to shared memory."""


@pytest.mark.parametrize("arch", ["90a", "100a", "120a"])
def test_logs_say_that_some_of_the_kernels_have_lost_it(arch: str) -> None:
    found = by_name((MODERN / f"warp_specialised_{arch}.ptxas.txt").read_bytes())
    assert len(found) == 5
    for record in found.values():
        assert record.reallocates_registers is None
        (note,) = record.notes
        assert note.startswith("ptxas ignored setmaxnreg (C7508) in 2 kernels of a compilation")


def test_the_next_compilation_of_a_log_is_another_one() -> None:
    ignored = (MODERN / "warp_specialised_90a.ptxas.txt").read_text()
    clean = (MODERN / "smem_spilling_90.ptxas.txt").read_text()
    found = by_name((ignored + clean + ignored.replace("function '", "function 'x_")).encode())
    assert [bool(record.notes) for record in found.values()] == [True] * 5 + [False] * 4 + [True] * 5
    assert "in 2 kernels" in found["x_plain"].notes[0]


def test_negative_spill_counts_are_read() -> None:
    record = by_name(hostile.log("_Z1kPf", frame=(0, -8, 12)).encode())["_Z1kPf"]
    assert (record.spill_store_bytes, record.spill_load_bytes, record.stack_bytes) == (-8, 12, 0)


class TestFamilies:
    def test_it_is_answered_for_the_plain_architecture(self) -> None:
        record = by_name(unpacked("modern/tensor_memory_100f.cubin"))["alloc_1cta"]
        assert record.compute_capability == ComputeCapability(10, 0)
        assert record.kernel(128).virtual_resources == 128

    def test_a_note_that_is_damaged_says_nothing(self) -> None:
        whole = unpacked("modern/tensor_memory_100f.cubin")
        for note, broken in ((b"-arch sm_100f", b"-arch sm_999f"), (b"-arch sm", b"-xrch sm")):
            assert {record.arch for record in by_name(whole.replace(note, broken)).values()} == {"sm_100"}
