"""Files, folders and streams: detection of formats, and problems for sources without kernels."""

import gzip
import io
import os
import shutil
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy import KernelRecord, ReadError
from occupancy.readers import read, stream_kernels
from tests.samples import OF_FORMAT, kernels_of, sample


def kernels_in(source: Any) -> list[KernelRecord]:
    """Return the kernels of a file or a stream without its name."""
    return [replace(each, source="") for each in kernels_of(list(read(source)))]


@pytest.mark.parametrize("name", OF_FORMAT.values(), ids=list(OF_FORMAT))
def test_stream_gives_the_same_as_a_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(sample(name))
    assert kernels_in(tmp_path / "data.bin") == kernels_in(io.BytesIO(sample(name))) != []


def test_long_stream_goes_to_disk() -> None:
    stream = io.BytesIO(b"\0" * (20 << 20) + sample("samples.cubin") + b"\0" * (20 << 20))
    assert len(list(stream_kernels(stream))) == 3


def test_whole_folder(samples: Path) -> None:
    found = stream_kernels(samples)
    counts = Counter(record.format for record in found)
    assert found.problems == []
    assert counts == {
        "cubin": 14 * 7 + 16 * 7 + 3, "ptxas": 14 * 7 + 16 * 7 + 5, "fatbin": 5 + 9, "ncu-rep": 6,
        "nsight-csv": 12, "pytorch-trace": 7, "res-usage": 14, "triton": 3,
    }  # fmt: skip


@pytest.mark.posix
def test_folder_reads_each_file_once(samples: Path, tmp_path: Path) -> None:
    shutil.copy(samples / "samples.exe", tmp_path / "libk.so.1.2")
    (tmp_path / "libk.so.1").symlink_to("libk.so.1.2")
    (tmp_path / "libk.so").symlink_to("libk.so.1")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "README").write_text("no kernels here")
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for name, content in (("a.o", b""), ("b.o", bytes(1000)), ("c.cubin", b"\x7fEL")):
        (tmp_path / name).write_bytes(content)
    stream = stream_kernels(tmp_path)
    assert len(list(stream)) == 5
    assert ["is empty or incomplete" in str(each) for each in stream.problems] == [True] * 3


class TestNothingToRead:
    @pytest.mark.parametrize(("content", "says"), [
        (b"", "empty"), (b"__global__ void k();\n", "CUDA source"),
        (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "contains no kernels. Pass cubins"),
        ("Grüße aus Köln\n".encode("latin-1"), "contains no kernels. Pass cubins"),
        (b"Used 96 registers\n", "calc --cc CC --regs N"), (b"MZ" + bytes(1000), "without device code"),
        (b"\x7fELF\x02\x01\x01" + bytes(1000), "without device code"), (b'[{"a": 1}]', "JSON"),
        (gzip.compress(b"\x7fELF" + bytes(1000), mtime=0), "archive"), (b'{"a": 1}', "JSON"),
        (b"PK\x03\x04" + bytes(1000), "its list of files"), (b"[" * 100_000, "contains no kernels. Pass cubins"),
        (b'{"traceEvents": ' + b"[" * 100_000, "damaged|deep"), (b'{"traceEvents": 3}', "in place of"),
        (sample("samples.exe")[:50_000], "is truncated: 50,000 of at least 1,039,824 bytes"),
        (sample("samples.exe")[:50_000] + bytes(989_824), "section table is zero-filled"),
    ])  # fmt: skip
    def test_says_why(self, content: bytes, says: str, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(content)
        (problem,) = read(tmp_path / "file")
        assert getattr(problem, "source", "") == str(tmp_path / "file")
        assert "truncated" not in says or list(read(tmp_path)) == [problem], "also in a folder"
        with pytest.raises(ReadError, match=says):
            list(stream_kernels(tmp_path / "file"))

    @pytest.mark.parametrize(
        ("function", "name", "kernels"), [("scandir", "closed", 3), ("stat", "a.cubin", 0)]
    )
    def test_folder_or_file_without_permission(
        self, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, name: str,
        kernels: int,
    ) -> None:  # fmt: skip
        (tmp_path / "closed").mkdir()
        shutil.copy(samples / "samples.cubin", tmp_path / "a.cubin")
        allowed = getattr(os, function)

        def refuse(path: Any, **others: Any) -> Any:  # works even for root
            if os.path.basename(path) == name:
                raise PermissionError(13, "Permission denied", path)
            return allowed(path, **others)

        monkeypatch.setattr(f"os.{function}", refuse)
        *found, problem = read(tmp_path)
        assert len(found) == kernels
        assert str(problem) == f"{tmp_path / name} cannot be read: Permission denied"

    @pytest.mark.posix
    def test_pipe_beside_metadata_is_not_waited_for(self, tmp_path: Path) -> None:
        (tmp_path / "k.json").write_text('{"num_warps": 4, "shared": 0, "name": "k", "target": {"arch": 90}}')
        os.mkfifo(tmp_path / "k.cubin")
        _, problem = read(tmp_path)
        assert "k.cubin is not a file" in str(problem)

    @pytest.mark.parametrize(("kind", "says"), [(1, "PTX only"), (8, "link-time optimization only")])
    def test_library_without_machine_code(self, tmp_path: Path, kind: int, says: str) -> None:
        ptx_entry = bytearray(sample("samples.exe"))
        # Change the kind of every entry with machine code.
        position = ptx_entry.find(b"\x50\xed\x55\xba")
        while position >= 0:
            end = position + 16 + int.from_bytes(ptx_entry[position + 8 : position + 16], "little")
            entry = position + 16
            while entry < end:
                ptx_entry[entry] = kind
                size = int.from_bytes(ptx_entry[entry + 4 : entry + 8], "little")
                entry += size + int.from_bytes(ptx_entry[entry + 8 : entry + 16], "little")
            position = ptx_entry.find(b"\x50\xed\x55\xba", end)
        (tmp_path / "lib.so").write_bytes(ptx_entry)
        (problem,) = read(tmp_path / "lib.so")
        assert says in str(problem)


def test_an_object_without_kernels_is_a_good_file_unless_it_is_alone(samples: Path, tmp_path: Path) -> None:
    functions = tmp_path / "functions.o"
    functions.write_bytes(sample("samples.cubin").replace(b"\x12\x10", b"\x12\0"))  # and no kernels
    (problem,) = read(functions)
    assert "device code, but no kernels" in str(problem)
    found = occupancy.scan([functions, samples / "samples.cubin", functions])
    assert (len(found), found.problems) == (3, ())


def test_relocatable_copies_are_dropped_where_a_linked_one_exists() -> None:
    names = ("13.0_90_1", "13.0_90_0", "12.9_80_1")  # relocatable, linked, and another relocatable one
    library = b"".join(sample(f"cubins/{name}.cubin") for name in names)
    found = [(record.arch, record.linked) for record in stream_kernels(io.BytesIO(library))]
    assert found == [("sm_90", True)] * 16 + [("sm_80", False)] * 14


def test_what_is_packed_with_gzip_is_read(samples: Path, tmp_path: Path) -> None:
    for name in ("samples.cubin", "samples.fatbin", "samples.exe", "ncu.ncu-rep", "ptxas_v.txt"):
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress((samples / name).read_bytes()))
        assert kernels_in(packed) == kernels_in(samples / name) != []


def test_several_formats_in_one_log(samples: Path, tmp_path: Path) -> None:
    names = ["ptxas_v.txt", "res_usage.txt", "ncu_raw.csv", "ptxas_v.txt", "res_usage_fat.txt"]
    parts = [(samples / name).read_text() for name in names]
    (tmp_path / "log").write_text("\n[ 10%] Building CUDA object\n".join(parts))
    assert kernels_in(tmp_path / "log") == [each for name in names for each in kernels_in(samples / name)]


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
    with path.open("rb") as file:
        assert [*occupancy.scan(file)] == [*occupancy.scan(tmp_path)] == [*found], "also in a folder"
    assert len(occupancy.scan(f"{path}/kernels/ptxas_v.txt")) == 5, "the source of a kernel is a path"
    with pytest.raises(occupancy.ReadError, match=r"contains no kernels/ptx\.txt\. Did you mean kernels/pt"):
        occupancy.scan(f"{path}/kernels/ptx.txt")


def test_archives_without_kernels_and_damaged_ones(samples: Path, tmp_path: Path) -> None:
    with pytest.raises(occupancy.ReadError, match="contains no kernels"):
        occupancy.scan(archive(tmp_path))
    path = archive(tmp_path, samples / "samples.exe", samples / "samples.cubin", method=zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    place = content.index(b"\x7fELF")
    content[place + 5000 : place + 5010] = b"0123456789"
    path.write_bytes(content)
    (problem,) = occupancy.scan(path).problems
    assert "damaged" in problem.what
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        content = bytearray(archive(tmp_path, samples / "samples.cubin", method=method).read_bytes())
        content[1000:1010] = b"0123456789"
        path.write_bytes(content)
        assert "damaged" in str(next(read(path)))


def test_an_archive_that_explodes(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("zeros", bytes(100 << 20))
    with pytest.raises(occupancy.ReadError, match="expands beyond the limit"):
        occupancy.scan(path)
