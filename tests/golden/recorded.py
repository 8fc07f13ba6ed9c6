"""Golden files: columns and rows for each function of `numbers`, as compressed JSON."""

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.samples import FOLDER, unpack, unpack_cmake

HERE = Path(__file__).parent

INPUTS: dict[str, tuple[str, ...]] = {
    "accepts": ("kernel",), "limits": ("cc",), "gpus": ("name",), "calc": ("cc", "model", "kernel"),
    "advice": ("cc", "model", "kernel"), "fits": ("kernel",),
    "budget": ("cc", "kernel", "occupancy", "blocks"), "bounds": ("cc", "kernel", "min_blocks"),
    "block_sizes": ("cc", "kernel", "sms"),
    "registers": ("cc", "groups", "threads", "regs", "min_blocks", "smem"),
    "waves": ("cc", "kernel", "sms", "grid", "cluster"), "sweep": ("cc", "values"), "records": ("path",),
    "scan": ("paths", "threads"), "diff": ("old", "new", "threads"),
    "check": ("old", "new", "threads", "rules"),
}  # fmt: skip
"""Input columns of each file."""


class Golden(NamedTuple):
    columns: list[str]
    rows: list[list[Any]]


def load(question: str) -> Golden:
    return Golden(**json.loads(gzip.decompress((HERE / f"{question}.json.gz").read_bytes())))


def save(question: str, golden: Golden) -> None:
    text = json.dumps(golden._asdict(), separators=(",", ":"))
    (HERE / f"{question}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def unpack_data(target: Path) -> Path:
    """Copy tests/data into a folder, decompressed."""
    for name in ("kernels", "modern", "stack", "lines", "inductor", "builds"):
        unpack(target / name, FOLDER.parent / name)
    unpack_cmake(target / "cmake")
    return target
