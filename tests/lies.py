"""Samples of every format with a few wrong lengths, counts, types or names.

Random damage rarely gets past the first table of a binary format. Here only numbers in tables, values and names
change, so that every reader is reached. ``python -m tests.lies 200000`` reads 200,000 files.
"""

import gzip
import io
import json
import random
import re
import struct
import sys
from collections.abc import Callable, Iterator

import lz4.block

from occupancy.compare.baseline import looks_like_baseline, parse_baseline
from occupancy.errors import MAX_PART, BaselineError
from occupancy.readers import KernelRecord, ReadProblem, read
from tests import hostile
from tests.hostile import zstd
from tests.samples import sample, unpacked

Random = random.Random
Builder = Callable[[Random], bytes]

NUMBERS = (0, 1, 2, 3, 7, 8, 31, 32, 255, 256, 1023, 4096, 65535, 65536, 1 << 20, (1 << 31) - 1, 1 << 31,
           (1 << 32) - 1, 1 << 32, 1 << 60, (1 << 64) - 1)  # fmt: skip
NAMES = ("k", "_Z1kv", "_Z1kIiEvPfT_", "", "a" * 300, "\x1b]0;x\x07", "::error::x", "=1+1", "_ZN",
         "_Z1fSt4pairIS_S_E", "__nv_static_25__9e609c31_4_a_cu_f763c035__Z4statPf", "`|<img>", "\ud800",
         "é" * 40, "a\nb", "*?[")  # fmt: skip
WORDS = (*map(str, NUMBERS), "-1", "9" * 13, "9" * 400, "9" * 5000, "", "1.5", *NAMES)
VALUES: tuple[object, ...] = (None, True, -1, 1.5, 1e300, 10**30, "x", [], {}, [[]], *NAMES, *NUMBERS)
LIE = 0.08
FIELDS = {2: "<H", 4: "<I", 8: "<Q"}


def changed(rng: Random, data: bytes, tables: list[range]) -> bytes:
    """Return a file with a few changed numbers in its tables."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        width = rng.choice((2, 4, 4, 8))
        table = rng.choice(tables)
        start = table.start + rng.randrange(max(1, len(table) // width)) * width
        if start + width <= len(data):
            (honest,) = struct.unpack_from(FIELDS[width], data, start)
            lie = rng.choice((honest + 1, honest - 1, honest * 2, honest // 2, rng.choice(NUMBERS)))
            struct.pack_into(FIELDS[width], found, start, lie % (1 << 8 * width))
    return bytes(found)


CUBINS = (
    "lines/one.cubin", "lines/linked.cubin", "stack/13.0_90_rdc.cubin", "modern/tensor_memory_100a.cubin",
    "modern/warp_specialised_90a.cubin", "modern/triton/cluster_90/product.cubin",
)  # fmt: skip


def sections(image: bytes) -> Iterator[tuple[int, ...]]:
    (table,), (count,) = struct.unpack_from("<Q", image, 0x28), struct.unpack_from("<H", image, 0x3C)
    yield from struct.iter_unpack("<IIQQQQIIQQ", image[table : table + 64 * count])


def cubin(rng: Random) -> bytes:
    """Return a cubin with a few changed numbers in its header, section headers, symbols and attributes."""
    image = unpacked(rng.choice(CUBINS))
    (table,) = struct.unpack_from("<Q", image, 0x28)
    kinds = (2, 7, 0x70000000)
    bodies = [range(row[4], row[4] + row[5]) for row in sections(image) if row[1] in kinds and row[5]]
    return changed(rng, image, [range(64), range(table, len(image)), *bodies])


def fatbin(rng: Random) -> bytes:
    """Return a fatbin with one image several times, compressed or not."""
    entries, image = [], cubin(rng)
    for _ in range(rng.randrange(1, 4)):
        image = image if rng.random() < 0.3 else cubin(rng)
        flags = rng.choice((0, 0x2000, 0x8000, rng.randrange(1 << 16)))
        payload = image
        if flags & 0x2000:
            payload = lz4.block.compress(image, store_size=False)
        elif flags & 0x8000:
            payload = zstd.compress(image)
        entry = hostile.entry(payload, flags=flags, size=len(image))
        entries.append(changed(rng, entry, [range(64)]) if rng.random() < 4 * LIE else entry)
    whole = hostile.container(b"".join(entries))
    whole = changed(rng, whole, [range(16)]) if rng.random() < LIE else whole
    return bytes(rng.randrange(8)) + whole * rng.choice((1, 1, 2))


def text(content: bytes, words: str = r"(?<![\w.])\d+(?!\w)|\b_Z\w+|\bsm_\w+") -> Builder:
    """Return a builder of text with changed numbers and names, and missing or doubled lines."""
    lines = content.decode().splitlines()

    def build(rng: Random) -> bytes:
        def other(found: re.Match[str]) -> str:
            return rng.choice(WORDS) if rng.random() < LIE else found[0]

        chosen = [line for line in lines for _ in range(rng.choice((1,) * 8 + (0, 2)))]
        return re.sub(words, other, "\n".join(chosen)).encode("utf-8", "replace")

    return build


def json_of(content: bytes) -> Builder:
    """Return a builder of JSON with values of other types, or truncated."""
    whole = json.loads(content)

    def other(rng: Random, value: object) -> object:
        if rng.random() < LIE / 2:
            return rng.choice(VALUES)
        if isinstance(value, dict):
            return {key: other(rng, each) for key, each in value.items()}
        return [other(rng, each) for each in value] if isinstance(value, list) else value

    def build(rng: Random) -> bytes:
        printed = json.dumps(other(rng, whole))
        end = rng.randrange(len(printed)) if rng.random() < LIE else len(printed)
        return printed[:end].encode(rng.choice(("utf-8",) * 8 + ("utf-16", "utf-8-sig")))

    return build


def report(rng: Random) -> bytes:
    """Return a report of Nsight Compute with changed lengths."""

    def number(honest: int) -> int:
        lies = (honest + 1, max(honest - 1, 0), honest * 2, honest // 2, rng.choice(NUMBERS))
        return rng.choice(lies) if rng.random() < LIE else honest

    def field(key: int, value: bytes | int) -> bytes:
        if isinstance(value, int):
            return hostile.varint(key << 3) + hostile.varint(number(value))
        return hostile.varint(key << 3 | 2) + hostile.varint(number(len(value))) + value

    def sized(message: bytes) -> bytes:
        return struct.pack("<I", number(len(message)) % (1 << 32)) + message

    results = []
    for _ in range(rng.randrange(1, 4)):
        shape = b"".join(field(axis, rng.randrange(1, 64)) for axis in (1, 2, 3))
        metric = field(1, rng.randrange(3)) + field(2, field(4, rng.randrange(64)))
        name = rng.choice(NAMES).encode("utf-8", "replace")
        results.append(sized(field(5, name) + field(10, shape) + field(11, shape) + field(13, metric)))
    payload = sized(field(4, cubin(rng))) + b"".join(results)
    strings = b"".join(field(1, each) for each in (b"launch__registers_per_thread", b"launch__block_size"))
    head = field(1, 1) + field(2, len(results)) + field(4, strings)
    return b"NVR\0" + sized(field(1, 7)) + sized(head + field(5, len(payload))) + payload


PTX = b".version 8.0\n.target sm_90\n.visible .entry k(\n) .maxntid 128, 2, 1\n.reqntid 64\n{\n}\n"
KERNEL = {"name": "_Z1kv", "arch": "sm_90", "source": "a.cubin", "format": "cubin", "regs": 32}
FUSED = "inductor/cache/b4/cb4ue7bj6mzdvbignuyal37lactixrn4ujwx4pxh5ng2ciferkw4.py"

BUILDERS: dict[str, Builder] = {
    "cubin": cubin, "fatbin": fatbin, "report": report,
    "baseline": json_of(hostile.baseline(",".join([json.dumps(KERNEL)] * 3))),
    "ptxas": text(sample("ptxas_v.txt")), "res-usage": text(sample("res_usage_fat.txt")),
    "ptx": text(PTX * 3, r"\d+|\bsm_\w+|(?<=entry )\w+"),
    "nsight-csv": text(b"\n".join(sample("ncu_raw.csv").splitlines()[:4]), r"\d+|\b_Z\w+|launch__\w+"),
    "inductor": text(unpacked(FUSED), r"\d+|aten\.\w+|[\w/]+(?=\.py)"),
    "trace": json_of(sample("pytorch_trace.json")),
    "triton": json_of(sample("triton_cache/OV2L2MBFVRRRIDSLNWKZFNB43V26JEHCUNMPHMS6K2VUWTQ2V4QQ/add.json")),
}  # fmt: skip


def read_baseline(data: bytes) -> None:
    looks_like_baseline(data)
    try:
        parse_baseline(data, "base.json")
    except BaselineError as error:
        assert len(str(error)) < 1000  # noqa: PT017, the file can also be valid


def check(data: bytes) -> None:
    """Read arbitrary content, and use every result."""
    found = list(read(io.BytesIO(data)))
    assert found, "neither a kernel nor a problem"
    for each in found:
        if isinstance(each, KernelRecord):
            assert each.to_dict()["source"] == "<stream>"
            assert isinstance(each.demangled, str)
        elif isinstance(each, ReadProblem):
            assert 0 < len(each.what) <= MAX_PART


def build_and_read(name: str, rng: Random) -> None:
    data = BUILDERS[name](rng)
    if rng.random() < 0.1:
        data = gzip.compress(data, 1)
    if name == "baseline":
        read_baseline(data)
    check(data)


def main() -> None:
    """Read the number of files on the command line, one seed for each, to reproduce failures."""
    names = list(BUILDERS)
    for seed in range(int(sys.argv[1])):
        name = names[seed % len(names)]
        try:
            build_and_read(name, Random(seed))
        except BaseException:
            print(f"seed {seed}, {name}")
            raise


if __name__ == "__main__":
    main()
