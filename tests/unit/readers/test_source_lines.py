"""Line tables, compared with readelf."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from occupancy.readers import read
from occupancy.readers.source_lines import _signed, _Unit
from tests.samples import kernels_of, unpacked

EXPECTED = {
    "alone": {"second": ("kernels.cu", 7), "first": ("kernels.cu", 4)},
    "one": {"second": ("kernels.cu", 7), "first": ("kernels.cu", 4)},
    "linked": {"second": ("kernels.cu", 7), "first": ("kernels.cu", 4), "third": ("more.cu", 3)},
}


@pytest.fixture(params=EXPECTED)
def cubin(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"{request.param}.cubin"
    path.write_bytes(unpacked(f"lines/{request.param}.cubin"))
    return path


def test_file_and_line(cubin: Path) -> None:
    records = kernels_of(list(read(cubin)))
    found = {record.name: (Path(record.file or "").name, record.line) for record in records}
    places = EXPECTED[cubin.stem]
    assert {each: place for name, place in found.items() for each in places if each in name} == places
    assert len(found) == len(places)


@pytest.mark.skipif(shutil.which("readelf") is None, reason="SKIPPED: no readelf to compare with")
def test_as_readelf_has_it(cubin: Path) -> None:
    command = ["readelf", "--debug-dump=decodedline", str(cubin)]
    dump = subprocess.run(command, capture_output=True, text=True).stdout
    rows = re.findall(r"^(\S+)\s+(\d+|-)\s+(0x[0-9a-f]+|0)\b", dump, re.MULTILINE)
    first = [(rows[n][0], int(rows[n][1])) for n in range(len(rows)) if n == 0 or rows[n - 1][1] == "-"]
    ours = [(Path(record.file or "").name, record.line) for record in kernels_of(list(read(cubin)))]
    assert set(ours) <= set(first)
    assert len(first) - len(ours) in (0, 1), "but for the device function that is not inlined"


def test_paths_of_a_table() -> None:
    files = [("a.cu", 1), ("/abs/b.cu", 1), ("C:\\c.cu", 1), ("d.cu", 0), ("e.cu", 2), ("f.cu", 3)]
    unit = _Unit(0, 0, 0, 1, 1, b"", ["/src/", "more"], files)
    paths = [None, "/src/a.cu", "/abs/b.cu", "C:\\c.cu", "d.cu", "more/e.cu", "f.cu", None]
    assert [unit.path(number) for number in range(8)] == paths


def test_signed_numbers_of_the_dwarf_standard() -> None:
    examples = {"02": 2, "7e": -2, "ff00": 127, "817f": -127, "8001": 128, "807f": -128, "ff7e": -129}
    for data, value in examples.items():
        assert _signed(bytes.fromhex(data), 0) == (value, len(data) // 2)
