"""Zip archives and wheels."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import occupancy


def archive(folder: Path, *files: Path, method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "kernels-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", method) as packed:
        for file in files:
            packed.write(file, f"kernels/{file.name}")
        packed.writestr("kernels/__init__.py", "import this\n")
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wheel_is_read_as_its_files(samples: Path, tmp_path: Path, method: int) -> None:
    files = samples / "samples.exe", samples / "ptxas_v.txt"
    path = archive(tmp_path, *files, method=method)
    found = occupancy.scan(path)
    assert found.problems == ()
    assert sorted(each.name for each in found) == sorted(each.name for each in occupancy.scan(files))
    assert {each.source for each in found} <= {f"{path}/kernels/{file.name}" for file in files}


def test_archives_without_kernels_and_damaged_ones(samples: Path, tmp_path: Path) -> None:
    with pytest.raises(occupancy.ReadError, match="an archive without kernels"):
        occupancy.scan(archive(tmp_path))
    path = archive(tmp_path, samples / "samples.exe", samples / "samples.cubin", method=zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    place = content.index(b"\x7fELF")
    content[place + 5000 : place + 5010] = b"0123456789"
    path.write_bytes(content)
    (problem,) = occupancy.scan(path).problems
    assert "damaged" in problem.what


def test_an_archive_that_explodes(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("zeros", bytes(100 << 20))
    with pytest.raises(occupancy.ReadError, match="far more than libraries do"):
        occupancy.scan(path)
