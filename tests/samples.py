"""Real files of every supported format, in tests/data/kernels; large files are compressed.

``samples.cu`` was compiled for sm_90 to ``samples.exe``, and for three architectures to ``samples.fatbin``.
``cubins/TOOLKIT_ARCH_RDC.cubin`` are from ``kernels.cu``, with the output of the toolkit's ptxas beside each.
The recordings are from an H200.
"""

import gzip
import io
import shutil
import tarfile
from functools import cache
from pathlib import Path

from occupancy.readers import Item, KernelRecord, ReadProblem, read, stream_kernels

FOLDER = Path(__file__).parent / "data" / "kernels"


# Samples by format; the smallest of each format are for tests that read thousands of damaged copies.
OF_FORMAT = {
    "cubin": "samples.cubin", "fatbin": "samples.fatbin", "ptxas": "ptxas_v.txt",
    "res-usage": "res_usage_fat.txt", "nsight-csv": "ncu_raw.csv", "ncu-rep": "ncu.ncu-rep",
    "pytorch-trace": "pytorch_trace.json",
}  # fmt: skip

SGEMM_32, SGEMM_16 = "_Z11sgemm_tiledILi32EEvPKfS1_Pfi", "_Z11sgemm_tiledILi16EEvPKfS1_Pfi"
SPILLY, REDUCE, VEC_ADD = "_Z6spillyPfi", "_Z10reduce_dynPKfPfi", "_Z7vec_addPKfS0_Pfi"


@cache
def unpacked(name: str) -> bytes:
    return gzip.decompress((FOLDER.parent / f"{name}.gz").read_bytes())


def sample(name: str) -> bytes:
    path = FOLDER / name
    return path.read_bytes() if path.exists() else unpacked(f"kernels/{name}")


def found_in(content: bytes | str) -> list[Item]:
    """Return the results of the readers for a file with this content."""
    return list(read(io.BytesIO(content.encode() if isinstance(content, str) else content)))


def by_name(source: bytes | bytearray | Path) -> dict[str, KernelRecord]:
    stream = source if isinstance(source, Path) else io.BytesIO(source)
    return {record.name: record for record in stream_kernels(stream)}


def kernels_of(found: list[Item]) -> list[KernelRecord]:
    return [each for each in found if isinstance(each, KernelRecord)]


def problems_of(found: list[Item]) -> list[ReadProblem]:
    return [each for each in found if isinstance(each, ReadProblem)]


INDUCTOR = FOLDER.parent / "inductor"
"""A cache of TorchInductor and a trace of the same run, described in `make.py`."""


def unpack(target: Path, folder: Path = FOLDER) -> Path:
    """Copy all samples of a folder to another, decompressed."""
    shutil.copytree(folder, target, dirs_exist_ok=True)
    for path in target.rglob("*.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    return target


def unpack_cmake(target: Path) -> Path:
    """Unpack the two builds of ``tests/data/builds/cmake`` into a folder."""
    for path in (FOLDER.parent / "builds" / "cmake").glob("*.tar.xz"):
        with tarfile.open(path) as packed:
            packed.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12 has Python 3.11.2
            packed.extractall(target)
    return target
