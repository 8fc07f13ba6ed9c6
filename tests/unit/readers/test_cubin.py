"""Cubins and containers against what the compiler printed, and against values that were checked by hand."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from occupancy.readers import KernelRecord, stream_kernels
from tests.samples import CUBINS, REDUCE, SAMPLES, SPILLY, VEC_ADD, sample

# Of kernels.cu, whatever the architecture: registers, static shared memory, barriers.
KERNELS = {
    "_Z6smem2kPf": (10, 2048, 1),
    "_Z4barNPf": (8, 0, 6),  # bar.sync 5: the highest barrier and one
    "_Z6barDynPfi": (8, 0, 16),  # bar.sync of a register's value: all of them
    "_Z7manyregPfi": (254, 0, 1),
    "_Z5mxr40Pfi": (40, 0, 1),
    "_Z7lb256_4Pf": (8, 0, 0),
    "_Z9lb128_2_4Pf": (8, 0, 0),
}

# Registers of `calls`, which calls a device function with shared memory; stack of `mxr40`, which spills.
CALLS = {"80": 21, "90": 22, "100": 18}  # CUDA 13.0
SPILLED = {"75": 304, "80": 312, "90": 416, "100": 416, "120": 416}


def numbers(record: KernelRecord) -> tuple[object, ...]:
    return (
        record.regs,
        record.static_smem,
        record.barriers,
        record.max_threads,
        record.register_cap,
        record.stack_bytes,
    )


def by_name(path: Path) -> dict[str, KernelRecord]:
    return {record.name: record for record in stream_kernels(path)}


class TestSamples:
    def test_executable(self, samples: Path) -> None:
        records = list(stream_kernels(samples / "samples.exe"))
        assert {record.name: numbers(record) for record in records} == SAMPLES
        assert len(records) == len(SAMPLES)
        assert {record.arch for record in records} == {"sm_90"}
        assert {record.format for record in records} == {"fatbin"}
        assert all(record.linked for record in records)

    def test_cubin_without_the_templates(self, samples: Path) -> None:
        found = {name: numbers(record) for name, record in by_name(samples / "samples.cubin").items()}
        assert found == {name: SAMPLES[name] for name in (SPILLY, REDUCE, VEC_ADD)}

    def test_fatbin_of_three_architectures(self, samples: Path) -> None:
        records = list(stream_kernels(samples / "samples.fatbin"))
        found = {(record.arch, record.name): (record.regs, record.stack_bytes) for record in records}
        assert found == {
            ("sm_80", SPILLY): (64, 448),
            ("sm_90", SPILLY): (64, 712),
            ("sm_120", SPILLY): (64, 712),
            ("sm_80", REDUCE): (10, 0),
            ("sm_90", REDUCE): (12, 0),
            ("sm_120", REDUCE): (14, 0),
            ("sm_80", VEC_ADD): (12, 0),
            ("sm_90", VEC_ADD): (12, 0),
            ("sm_120", VEC_ADD): (12, 0),
        }
        assert {record.static_smem for record in records} == {0}

    def test_each_fatbin_has_a_number_in_its_file(self, samples: Path) -> None:
        one, cubin = (samples / "samples.fatbin").read_bytes(), (samples / "samples.cubin").read_bytes()
        found = list(stream_kernels(io.BytesIO(one + cubin + one)))
        numbers = [[number for _, number in record.modules] for record in found]
        assert numbers == [[0]] * 9 + [[]] * 3 + [[1]] * 9


def test_registers_of_toolkits_before_10_1_are_in_the_section_header() -> None:
    data = sample("cubins/11.8_80_0.cubin")
    without = data.replace(b"\x04\x2f\x08\x00", b"\x04\xfe\x08\x00")  # the attribute REGCOUNT
    assert data != without
    expected = {record.name: record.regs for record in stream_kernels(io.BytesIO(data))}
    assert {record.name: record.regs for record in stream_kernels(io.BytesIO(without))} == expected


def test_images_of_more_sections_than_the_header_can_count() -> None:
    data = bytearray(sample("samples.cubin"))
    table = int.from_bytes(data[40:48], "little")
    count, names = data[60:62], data[62:64]
    data[60:62], data[62:64] = b"\0\0", b"\xff\xff"
    data[table + 32 : table + 34] = count  # the first section's size
    data[table + 40 : table + 42] = names  # and its link
    assert {record.name for record in stream_kernels(io.BytesIO(data))} == {SPILLY, REDUCE, VEC_ADD}


def test_static_shared_memory_in_a_section_with_bits() -> None:
    """cuBLASLt has kernels whose ``.nv.shared.NAME`` is SHT_PROGBITS."""
    data = bytearray(sample("cubins/12.9_80_1.cubin"))
    expected = {record.name: record.static_smem for record in stream_kernels(io.BytesIO(data))}
    table = int.from_bytes(data[40:48], "little")
    changed = 0
    for place in range(table, table + 64 * int.from_bytes(data[60:62], "little"), 64):
        if data[place + 4 : place + 8] == (0x7000000A).to_bytes(4, "little"):
            data[place + 4 : place + 8] = (1).to_bytes(4, "little")
            changed += 1
    assert changed
    assert expected["_Z6smem2kPf"] == 2048
    assert {record.name: record.static_smem for record in stream_kernels(io.BytesIO(data))} == expected


@pytest.mark.parametrize("name", CUBINS)
class TestEveryToolkit:
    def test_cubin_equals_what_ptxas_printed(self, samples: Path, name: str) -> None:
        image = by_name(samples / "cubins" / name)
        printed = by_name(samples / "cubins" / name.replace(".cubin", ".ptxas.txt"))
        assert len(image) >= 14
        assert image.keys() == printed.keys()
        for kernel, record in image.items():
            said = printed[kernel]
            assert record.regs == said.regs, kernel
            assert record.static_smem == said.static_smem, kernel
            assert record.stack_bytes == said.stack_bytes, kernel
            assert record.arch == said.arch, kernel
            assert said.barriers in (None, record.barriers), kernel  # not printed before 12.6

    def test_what_does_not_depend_on_the_toolkit(self, samples: Path, name: str) -> None:
        toolkit, arch, is_relocatable = name.removesuffix(".cubin").split("_")
        records = by_name(samples / "cubins" / name)
        for kernel, expected in KERNELS.items():
            record = records[kernel]
            assert (record.regs, record.static_smem, record.barriers) == expected, kernel
        assert {record.arch for record in records.values()} == {f"sm_{arch}"}
        assert {record.linked for record in records.values()} == {is_relocatable == "0"}
        if arch in SPILLED:
            assert records["_Z5mxr40Pfi"].stack_bytes == SPILLED[arch]
        assert records["_Z5mxr40Pfi"].register_cap == 40
        lb256_4, lb128_2_4 = records["_Z7lb256_4Pf"], records["_Z9lb128_2_4Pf"]
        assert (lb256_4.max_threads, lb256_4.register_cap) == (256, 64)
        has_clusters = int(arch.rstrip("a")) >= 90
        assert (lb128_2_4.max_threads, lb128_2_4.max_cluster_rank) == (128, 4 if has_clusters else None)
        if has_clusters:
            assert (records["_Z6clus16Pf"].cluster_dim, records["_Z6clus16Pf"].max_threads) == ((8, 2, 1), 64)
            assert (records["_Z5clus2Pf"].cluster_dim, records["_Z5clus2Pf"].static_smem) == ((2, 1, 1), 400)
        if is_relocatable == "0":
            calls = records["_Z5callsPfi"]
            assert (calls.static_smem, calls.barriers, calls.stack_bytes) == (256, 1, 32)
            if toolkit == "13.0":
                assert calls.regs == CALLS[arch]
