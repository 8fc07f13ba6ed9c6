"""Damaged and malicious files: a problem is reported, without tracebacks or unbounded time or memory."""

import gzip
import io
import json
import os
import re
import struct
import tracemalloc
from functools import cache
from pathlib import Path
from unittest.mock import Mock

import lz4.block
import pytest

from occupancy.readers import Item, limits, read
from occupancy.readers.content import open_content
from occupancy.readers.fatbin import read_device_code
from tests.hostile import MIB, container, entry, image, overlapping, section, varint, zstd
from tests.samples import OF_FORMAT, found_in, kernels_of, problems_of, sample
from tests.sampling import sampled

LZ4, ZSTD = 0x2000, 0x8000

CUBIN = sample("samples.cubin")
KERNELS = 3


def changed(data: bytes, place: int, value: int) -> bytes:
    """Return a file with a changed 8-byte number."""
    return data[:place] + value.to_bytes(8, "little") + data[place + 8 :]


def parts_of(content: bytes) -> list[Item]:
    """Return the kernels of a file with device code, and every problem."""
    with open_content(io.BytesIO(content), limits.ReadLimits()) as opened:
        return list(read_device_code(opened))


def cubin(sections: bytes, count: int = 1) -> bytes:
    """Return an image with a claimed number of sections."""
    head = image([], b"")
    return head[:60] + count.to_bytes(2, "little") + head[62:] + sections


class TestDamage:
    @pytest.mark.parametrize(("format", "name"), OF_FORMAT.items())
    @sampled("stride", sample=5, thorough=2, exhaustive=1)
    def test_truncated_at_every_64th_byte(self, format: str, name: str, stride: int) -> None:
        data = sample(name)
        whole = len(kernels_of(found_in(data)))
        step = 64 if len(data) < 200_000 else 320
        counts = []
        for size in range(0, len(data), step * stride):
            found = found_in(data[:size])
            assert found, "silence"
            counts.append(len(kernels_of(found)))
        # The last image of a container is damaged as long as a byte is missing.
        assert 0 < max(counts) <= whole
        assert counts[0] == 0
        if format != "cubin":  # tables are at the end
            assert sorted(counts) == counts, "more of a file has at least as many kernels"

    @pytest.mark.parametrize(("data", "kernels", "what"), [
        (container(entry(CUBIN) + entry(changed(CUBIN, 40, 1 << 60)) + entry(CUBIN)), 6, ""),
        # The image of the broken entry is found as a standalone cubin.
        (container(entry(CUBIN) + changed(entry(CUBIN), 8, 1 << 60)) + container(entry(CUBIN)), 9, ""),
        (bytes(100) + container(entry(CUBIN), size=1 << 60) + container(entry(CUBIN)), 6,
         "is truncated: 65,684 of at least 1,152,921,504,606,847,092 bytes. Copy or create it again"),
        (container(entry(CUBIN[:5000] + b"\n" + CUBIN[5000:-1])), 0, "has no symbols"),
        (container(b"")[:-4] + bytes(4), 0, ""),
        (b"\0" + container(b"")[:10], 0, ""),
        (bytes(8) + b"\x81\x3e\x50\xed\x55\xba\x75\x10" * 1000, 0, "without device code"),
        (container(entry(b"abc", flags=ZSTD, size=10, compressed=1 << 30)), 0,
         "its zstd data is invalid"),
        (cubin(section(0, 0, 5_000_000) + bytes(6400), 0), 0, "5,000,000 sections"),
        (cubin(section(0, 0, 200_000), 0), 0, "section table exceeds"),
        (cubin(section(0, 0, 100_000) + section(1, 0, 0) * 99_999, 0), 0, "no symbols"),
        (cubin(section(0, 0, 2) + section(0x70000000, 192, 4_800_000)
               + struct.pack("<BBHII", 4, 0x2F, 8, 1, 1) * 400_000, 2), 0, "bytes of attributes"),
    ])  # fmt: skip
    def test_a_part_that_lies_is_lost(self, data: bytes, kernels: int, what: str) -> None:
        found = found_in(data)
        assert len(kernels_of(found)) == kernels
        problem, *_ = problems_of(found)
        assert what in problem.what

    def test_nested_containers_are_not_unpacked(self) -> None:
        nested = container(entry(CUBIN))
        for _ in range(50):
            nested = container(entry(nested))
        (problem,) = found_in(nested)
        assert "not a cubin" in str(problem)


class TestCompression:
    @pytest.mark.parametrize("flags", [LZ4, ZSTD])
    def test_compressed_images(self, flags: int) -> None:
        packed = _pack(CUBIN, flags)
        padded = entry(packed + bytes(5), flags=flags, size=len(CUBIN), compressed=len(packed))
        found = found_in(container(padded))
        assert len(kernels_of(found)) == len(found) == KERNELS

    @pytest.mark.parametrize("flags", [LZ4, ZSTD])
    def test_declared_size_is_held_against_the_real_one(self, flags: int) -> None:
        for size in (len(CUBIN) + difference for difference in (-1, 1, 1000, -20_000)):
            found = found_in(container(entry(_pack(CUBIN, flags), flags=flags, size=size)))
            assert len(problems_of(found)) == len(found) == 1

    @pytest.mark.parametrize("flags", [LZ4, ZSTD])
    @pytest.mark.parametrize("declared", [0, 1000, 300 * MIB, 1 << 60])
    def test_bomb(self, flags: int, declared: int) -> None:
        data = container(entry(_packed_zeros(300 * MIB, flags), flags=flags, size=declared) + entry(CUBIN))
        tracemalloc.start()
        found = found_in(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(kernels_of(found)) == KERNELS
        assert len(problems_of(found)) == 1
        assert peak < 16 * MIB + len(data)

    def test_many_bombs_below_the_ceiling(self) -> None:
        size = 10 * MIB
        bomb = entry(_pack(bytes(size), ZSTD), flags=ZSTD, size=size)
        found = parts_of(container(bomb * 40 + entry(CUBIN)))
        # Most are not read.
        assert sum("decompressed file exceeds" in str(problem) for problem in problems_of(found)) > 25
        assert len(kernels_of(found)) == KERNELS

    def test_gzip_bomb_and_damage(self, tmp_path: Path) -> None:
        (problem,) = found_in(gzip.compress(os.urandom(10_000).hex().encode())[:-2000])
        assert str(problem) == "<stream> is truncated. Copy or create it again"
        (tmp_path / "bomb.gz").write_bytes(gzip.compress(b" " * (11 * MIB)) * 10)
        (problem,) = read(tmp_path / "bomb.gz")
        assert "decompressed file exceeds" in str(problem)


@cache
def _packed_zeros(size: int, flags: int) -> bytes:
    return _pack(bytes(size), flags)


def _pack(data: bytes, flags: int) -> bytes:
    packed: bytes = lz4.block.compress(data, store_size=False) if flags == LZ4 else zstd.compress(data)
    return packed


def test_sections_that_all_point_to_the_same_bytes() -> None:
    attributes = bytes(3_000_000)
    *found, problem = found_in(overlapping(attributes, [range(3_000_000)] * 1000))  # they are read once
    assert (len(kernels_of(found)), "register counts" in str(problem)) == (1000, True)
    # At different offsets, so that caching does not apply.
    found = parts_of(overlapping(attributes, [range(i, i + 1_000_000) for i in range(1000)]))
    assert 1 <= len(kernels_of(found)) < 100
    assert "tables overlap" in str(problems_of(found)[-1])


class TestRelocatableCopies:
    """Registers, stack and shared memory differ from those of the linked kernels."""

    LINKED, RELOCATABLE = sample("cubins/13.0_90_0.cubin"), sample("cubins/13.0_90_1.cubin")
    OTHER = sample("cubins/12.9_80_1.cubin")

    @pytest.fixture(autouse=True)
    def small_images(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("occupancy.readers.fatbin.MAX_IMAGE_BYTES", len(self.LINKED) - 1)

    def test_none_takes_the_place_of_an_image_that_is_too_large(self) -> None:
        large = entry(zstd.compress(self.LINKED), flags=ZSTD, size=len(self.LINKED))
        found = found_in(container(entry(self.RELOCATABLE) + large + entry(self.OTHER)))
        # The container's entries claim only sm_90, so kernels for sm_80 have only relocatable copies.
        assert {(each.arch, each.linked) for each in kernels_of(found)} == {("sm_80", False)}
        assert len(kernels_of(found)) == 14

    def test_a_damaged_relocatable_image_hides_no_other(self) -> None:
        damaged = changed(self.RELOCATABLE, 40, 1 << 60)
        found = found_in(container(entry(self.RELOCATABLE) + entry(damaged)))
        assert len(kernels_of(found)) == 16
        assert len(problems_of(found)) == 1
        linked = sample("cubins/13.0_80_0.cubin")
        count = len(kernels_of(found_in(linked)))
        assert len(kernels_of(found_in(linked + self.RELOCATABLE + damaged))) == 16 + count
        found = found_in(linked + self.RELOCATABLE + changed(self.LINKED, 40, 1 << 60))
        assert all(each.linked for each in kernels_of(found))
        program = b"\x7fELF\2\1\1" + bytes(9) + b"\3\0\x3e\0" + bytes(44)  # its linker drops unused kernels
        assert len(kernels_of(found_in(program + linked + self.RELOCATABLE))) == count

    def test_none_where_reading_ended_early(self, monkeypatch: pytest.MonkeyPatch) -> None:
        few = limits.CEILINGS["kernels"]._replace(shared=20, per_mib=0)
        monkeypatch.setitem(limits.CEILINGS, "kernels", few)
        found = found_in(container(entry(self.OTHER) + entry(self.LINKED)))
        assert {each.linked for each in kernels_of(found)} == {True}


@pytest.mark.parametrize("line", [
    "ptxas info : Used {} registers", "ptxas info : Compiling entry function '{}' for 'sm_{}'",
    "Resource usage:\n Function {}:\n  REG:{} STACK:{} SHARED:{} CONSTANT[0]:{}",
    ".version 1.0\n.entry {} .maxntid {}, {}, {} {{", '"ID","Block Size"\n"0","({}, {}, {})"',
])  # fmt: skip
def test_numbers_of_thousands_of_digits(line: str) -> None:
    for digits in ("9" * 5000, "-1", "١٢", "1e9"):
        assert found_in(line.replace("{}", digits).encode())


@pytest.mark.parametrize(
    "line",
    [
        "Compiling entry function 'x" * 40_000,
        "Function properties for " + " " * 1_000_000 + "x y",
        "Function properties for x" + (" " * 2000 + "x") * 400,
        "Function properties for x\n" + "nvlink " * 140_000 + "Used 1 registers",
    ],
    ids=["entries", "spaces", "words", "linkers"],
)
def test_long_lines_are_read(line: str) -> None:
    assert found_in(line.encode())  # used to take minutes to hours


@pytest.mark.parametrize("digits", [13, 400, 4290])
def test_numbers_of_json_that_nothing_can_hold(digits: int) -> None:
    trace = sample("pytorch_trace.json")
    metadata = b'{"num_warps": 4, "shared": 0, "cluster_dims": [2, 1, 1], "target": {"arch": 90}}'
    for text in (trace[: trace.index(b"}", trace.index(b"est. achieved"))] + b"}}]}", metadata):
        for found in re.finditer(rb"\b\d+\b", text):
            damaged = text[: found.start()] + b"9" * digits + text[found.end() :]
            for each in kernels_of(found_in(damaged)):
                json.dumps(each.to_dict(), allow_nan=False)


def test_blocks_of_a_report_that_claim_all_that_follow_as_their_results() -> None:
    heads = [b"\x08\x07", *(b"\x10" + varint(1000 - number) + b"\x28\0" for number in range(1000))]
    (problem,) = found_in(b"NVR\0" + b"".join(struct.pack("<I", len(head)) + head for head in heads))
    assert "a message exceeds its block" in str(problem)


def test_streams_that_fail_or_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("occupancy.readers.content.MAX_STREAM_BYTES", 40 * MIB)
    failing, endless = Mock(io.RawIOBase), Mock(io.RawIOBase)
    failing.read.side_effect, endless.read.side_effect = OSError(5, "Input/output error"), bytes
    for stream, says in ((failing, "Input/output error"), (endless, "Save it as a file")):
        (problem,) = read(stream)
        assert says in str(problem)
