"""Generated malicious inputs: all work is linear in the file size and charged to the limits."""

import gzip
import io
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from occupancy.readers import Item, read
from occupancy.readers.limits import CEILINGS, MIB, ReadLimits
from occupancy.readers.reading import read_each
from tests import hostile
from tests.samples import found_in, kernels_of


@pytest.fixture(autouse=True)
def lower_ceilings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce all limits, so that the attacks take a fraction of the time."""
    for kind in ("pieces", "demangling", "names"):
        ceiling = CEILINGS[kind]
        monkeypatch.setitem(CEILINGS, kind, ceiling._replace(shared=ceiling.shared // 16))


def symbol(name: int, *, section: int = 1, other: int = 0x10) -> bytes:
    return struct.pack("<IBBHQQ", name, 0x12, other, section, 0, 0)


def elf(*parts: tuple[bytes, int, bytes, int, int]) -> bytes:
    """Return a cubin of sections with name, type, bytes, link and info."""
    names, body, table = b"\0", b"", [hostile.section(0, 0, 0)]
    for name, kind, data, link, info in (*parts, (b".shstrtab", 3, b"", 0, 0)):
        place = len(names)
        names += name + b"\0"
        if name == b".shstrtab":
            data = names
        header = bytearray(hostile.section(kind, 64 + len(body), len(data), link=link, info=info))
        header[:4] = place.to_bytes(4, "little")
        table.append(bytes(header))
        body += data
    image = bytearray(hostile.image(table, body))
    image[62:64] = (len(table) - 1).to_bytes(2, "little")
    return bytes(image)


def with_lines(table: bytes, relocations: bytes) -> bytes:
    """Return a compressed fatbin with one kernel and a line table."""
    return hostile.compressed(
        elf(
            (b".text.k", 1, b"\1" * 16, 0, 8 << 24), (b".strtab", 3, b"\0k\0", 0, 0),
            (b".symtab", 2, symbol(0, section=0, other=0) + symbol(1), 2, 0),
            (b".debug_line", 1, table, 0, 0), (b".rela.debug_line", 4, relocations, 0, 4),
        )
    )  # fmt: skip


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return the consumed amounts by kind."""
    total = dict.fromkeys(CEILINGS, 0)
    consume = ReadLimits.consume

    def counted(self: ReadLimits, kind: str, amount: int = 1) -> None:
        consume(self, kind, amount)
        total[kind] += amount

    monkeypatch.setattr(ReadLimits, "consume", counted)
    return total


def calls(action: Callable[[], object], *names: str) -> int:
    """Return the number of calls of functions with these names."""
    count = 0

    def profile(frame: Any, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_name in names

    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def allowed(kind: str, size: int) -> int:
    ceiling = CEILINGS[kind]
    return ceiling.shared + ceiling.per_mib * max(size, 4096) // MIB


class TestLineTables:
    RELOCATION = struct.pack("<QQq", 3, (1 << 32) | 2, 0)

    def test_units_that_overlap(self) -> None:
        size = 0x010101 + 20
        head = struct.pack("<IHI", size - 4, 2, 0x7F7F7F7F) + b"\1" * 5
        unit = head + (b"ab\0" * (size // 3 + 1))[: size - len(head)]
        data = with_lines(unit * 24 + bytes(16), self.RELOCATION)
        assert calls(lambda: found_in(data), "_string") <= allowed("pieces", len(data))

    def test_sections_of_relocations_without_end(self) -> None:
        relocations = [(b".rela.debug_line", 4, b"", 0, 2)] * 1000
        data = elf((b".text.k", 1, b"\1" * 16, 0, 8 << 24), (b".debug_line", 1, b"", 0, 0), *relocations)
        assert calls(lambda: found_in(data), "_first_place", "symbols") <= 10

    def test_relocations_that_give_no_row(self, spent: dict[str, int]) -> None:
        after = bytes([1, 1]) + struct.pack("<bBB", 0, 1, 13) + bytes(11) + b"\xff\0\0"
        body = struct.pack("<HI", 2, len(after)) + after
        start = 4 + len(body)
        body += (b"\x0c" + bytes(255)) * 3000
        table = struct.pack("<I", len(body)) + body + bytes(32)
        data = with_lines(table, struct.pack("<QQq", start + 3, (1 << 32) | 2, 0) * 400)
        assert calls(lambda: found_in(data), "leb128") <= 400 * 260
        assert spent["pieces"] >= 400 * 16
        assert len(kernels_of(found_in(data))) == 1


def test_names_of_packs_within_packs() -> None:
    name = "_Z6k{:05}IJ" + "i" * 200 + "EEv" + "Dp1aIT_E" * 80
    found = found_in("".join(hostile.log(name.format(number)) for number in range(200)))
    assert 1 < len(kernels_of(found)) < 10
    assert "too long mangled names" in str(found[-1])


@pytest.mark.linux
def test_a_file_that_is_one_hole(tmp_path: Path) -> None:
    path, found = tmp_path / "hole", list[Item]()
    path.touch()
    os.truncate(path, 1 << 40)
    assert calls(lambda: found.extend(read(path)), "window") <= 1
    (problem,) = found
    assert "without device code" in str(problem)


class TestImagesBesideMetadata:
    @pytest.mark.posix
    def test_links_to_one_image_share_its_allowance(self, tmp_path: Path, spent: dict[str, int]) -> None:
        image = elf(
            (b".text.k", 1, b"\1" * 16, 0, 8 << 24), (b".strtab", 3, b"\0k\0", 0, 0),
            (b".symtab", 2, symbol(0, section=0, other=0) + symbol(1) * 20_000, 2, 0),
        )  # fmt: skip
        (problem,) = found_in(image.replace(b"\1" * 16, bytes(16)))
        assert "code of a kernel is zero-filled" in str(problem)
        (tmp_path / "image").write_bytes(image)
        folder = tmp_path / "cache"
        folder.mkdir()
        for number in range(20):
            (folder / f"{number}.json").write_text(hostile.metadata("zz"))
            (folder / f"{number}.cubin").symlink_to("../image")
        list(read(folder))
        assert spent["pieces"] <= allowed("pieces", len(image)) + 20 * allowed("pieces", 0) / 100
        assert spent["kernels"] <= 2 * allowed("kernels", len(image)) + 20 * 4096 // 32

    def test_all_kernels_of_an_image_are_found(self, samples: Path, tmp_path: Path) -> None:
        names = [each.name for each in kernels_of(list(read(samples / "samples.cubin")))]
        (tmp_path / "x.cubin").write_bytes((samples / "samples.cubin").read_bytes())
        (tmp_path / "x.json").write_text(hostile.metadata(names[1]))
        found = {(each.name, each.format) for each in kernels_of(list(read(tmp_path)))}
        assert found == set(zip(names, ("cubin", "triton", "cubin"), strict=True))


def test_paths_that_are_none_and_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("a\0b", "\ud800", "a\0b.cubin", "\ud800.cubin"):
        (problem,) = read(path)
        assert "cannot be read" in str(problem)
    monkeypatch.setattr(sys, "stdin", None)
    (problem,) = read("-")
    assert str(problem) == "standard input is closed"


def test_what_a_packed_binary_costs_is_paid_by_the_packed_size(spent: dict[str, int]) -> None:
    data = gzip.compress(hostile.image([hostile.section(0, 0, 0)], b"") * 20_000)
    list(read_each([io.BytesIO(data)]))
    for kind in ("pieces", "tables"):
        assert spent[kind] <= allowed(kind, len(data)) + 4 * spent["expanded"] * (kind == "tables")


def test_a_trace_dense_with_launches_makes_each_record_once() -> None:
    data = hostile.trace(*(f"k{number % 7}" for number in range(2000)))
    assert calls(lambda: found_in(data), "__init__", "replace", "_replace") < 2100
    assert len(kernels_of(found_in(data))) == 2000
