"""Generators of malicious inputs; each once took minutes or gigabytes, or crashed the process."""

import gzip
import json
import struct
import sys
from collections.abc import Callable
from html.parser import HTMLParser

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

MIB = 1 << 20


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        """Text between tags and comments, without code."""
        self._is_code = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._is_code |= tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._is_code &= tag != "code"

    def handle_data(self, data: str) -> None:
        if not self._is_code:
            self.texts.append(data)


def log(
    name: str, registers: int = 32, *, arch: str = "sm_90", frame: tuple[int, int, int] | None = None,
    smem: int = 0,
) -> str:  # fmt: skip
    """Return the output of ptxas for a kernel; ``frame`` has the bytes of stack, spill stores and spill loads."""
    head = f"ptxas info    : Compiling entry function '{name}' for '{arch}'\n"
    if frame is not None:
        head += f"ptxas info    : Function properties for {name}\n"
        head += "    {} bytes stack frame, {} bytes spill stores, {} bytes spill loads\n".format(*frame)
    static = f", {smem} bytes smem" if smem else ""
    return f"{head}ptxas info    : Used {registers} registers, used 0 barriers{static}\n"


def section(kind: int, offset: int, size: int, *, link: int = 0, info: int = 0) -> bytes:
    return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, size, link, info, 0, 0)


def image(sections: list[bytes], body: bytes) -> bytes:
    """Return a cubin: header, body, and section headers."""
    head = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01\x41\x08", 2, 190, 1, 0, 0, 64 + len(body),
        0x6005A04, 64, 56, 0, 64, len(sections), 0,
    )  # fmt: skip
    return head + body + b"".join(sections)


def container(entries: bytes, size: int | None = None) -> bytes:
    """Return a fatbin with a claimed size."""
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries) if size is None else size) + entries


def entry(payload: bytes, *, flags: int = 0, size: int = 0, compressed: int | None = None) -> bytes:
    """Return an image in a fatbin, with the claims of its header."""
    compressed = (len(payload) if flags else 0) if compressed is None else compressed
    head = struct.pack(
        "<HHIQIIHHIIIQQQ", 2, 0x101, 64, len(payload), compressed, 0, 7, 1, 90, 0, 0, flags, 0, size
    )
    return head + payload


def compressed(data: bytes) -> bytes:
    return container(entry(zstd.compress(data), flags=0x8000, size=len(data)))


def nameless_kernels(count: int) -> bytes:
    """Return a fatbin of some kilobytes with many unnamed kernels."""
    symbols = struct.pack("<IBBHQQ", 0, 2, 0x10, 3, 0, 0) * count
    table = [section(0, 0, 0), section(3, 64, 1), section(2, 64, len(symbols), link=1)]
    return compressed(image([*table, section(1, 0, 0, info=8 << 24)], symbols))


def overlapping(attributes: bytes, places: list[range]) -> bytes:
    """Return a cubin with a kernel for each place in the attributes, which its section claims."""
    symbols = b"".join(struct.pack("<IBBHQQ", 0, 2, 0x10, 3 + i, 0, 0) for i in range(len(places)))
    table = [section(0, 0, 0), section(3, 64, 1), section(2, 64, len(symbols), link=1)]
    table += [section(1, 0, 0)] * len(places)
    start = 64 + len(symbols)
    table += [section(0x70000000, start + at.start, len(at), info=3 + i) for i, at in enumerate(places)]
    return image(table, symbols + attributes)


def shared_attributes(kernels: int) -> bytes:
    """Return a fatbin of some kilobytes whose kernels share 4 MiB of attributes."""
    records = struct.pack("<BBH", 3, 0x05, 0) * MIB
    return compressed(overlapping(records, [range(len(records) - 4 * i) for i in range(kernels)]))


def wide_page(columns: int, rows: int) -> bytes:
    """Return a page of Nsight Compute with a million columns and no data."""
    return b'"ID",""' + b"," * columns + b',"Metric Name"\n' + b"1\n" * rows


def launches(count: int) -> bytes:
    head = '"ID","Kernel Name","Block Size","Grid Size","CC","launch__registers_per_thread"\n'
    rows = (f'"{i}","k{i}","({i % 1024 + 1}, 1, 1)","(1, 1, 1)","9.0","{i % 200}"\n' for i in range(count))
    return (head + "".join(rows)).encode()


def baseline(kernels: str, **members: object) -> bytes:
    own = {"schema": "occupancy-baseline", "schema_version": 1, "tool_version": "0.1.0"}
    head = json.dumps(own | members)
    return f'{head[:-1]}, "kernels": [{kernels}]}}'.encode()


def different_kernels(count: int) -> bytes:
    """Return a log of kernels with different resources."""
    return "".join(log(f"k{i}", i % 200, smem=i) for i in range(count)).encode()


def substitutions(depth: int) -> str:
    """Return a mangled name that doubles with each substitution, from hundreds of characters to millions."""
    name, seen = "_Z1fSt4pairIiiE", 1
    for _ in range(depth):
        last = "S_" if seen == 0 else f"S{'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[seen - 1]}_"
        name += f"S_I{last}{last}E"
        seen += 1
    return name


def varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def report_of_fields(count: int) -> bytes:
    """Return a report of Nsight Compute with one result of empty fields."""
    result = b"\x00\x00" * count
    payload = struct.pack("<I", len(result)) + result
    block = b"\x10\x01\x28" + varint(len(payload))
    return b"NVR\0" + struct.pack("<I", 2) + b"\x08\x07" + struct.pack("<I", len(block)) + block + payload


def launch(name: str, blocks: int = 1) -> dict[str, object]:
    shape = {"device": 0, "block": [32, 1, 1], "grid": [blocks, 1, 1]}
    arguments = shape | {"registers per thread": 32, "shared memory": 0}
    return {"ph": "X", "cat": "kernel", "name": name, "dur": 1, "args": arguments}


def trace(*events: str | dict[str, object], arch: tuple[object, object] = (9, 0)) -> str:
    """Return a trace of launches, or of kernels with these names."""
    devices = [{"id": 0, "computeMajor": arch[0], "computeMinor": arch[1]}]
    every = [launch(each) if isinstance(each, str) else each for each in events]
    return json.dumps({"schemaVersion": 1, "deviceProperties": devices, "traceEvents": every})


def page(name: str, capability: str = "9.0") -> str:
    quoted = name.replace('"', '""')
    return (
        '"ID","Kernel Name","Block Size","Grid Size","CC","launch__registers_per_thread"\n'
        f'"0","{quoted}","(32, 1, 1)","(1, 1, 1)","{capability}","32"\n'
    )


def metadata(name: str) -> str:
    target = {"backend": "cuda", "arch": 90, "warp_size": 32}
    return json.dumps({"num_warps": 4, "shared": 0, "name": name, "target": target})


def listing(name: str) -> str:
    usage = "  REG:32 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:8 TEXTURE:0 SURFACE:0 SAMPLER:0"
    return f"Resource usage:\n Function {name}:\n{usage}\n"


def fusion(file: str, operations: str) -> bytes:
    """Return Inductor's comment before a kernel."""
    nodes = f"# Topologically Sorted Source Nodes: [], Original ATen: [{operations}]"
    return f"# kernel path: /tmp/{file}.py\n{nodes}\n".encode()


NAMED: dict[str, Callable[[str], str]] = {
    "ptxas": log, "res-usage": listing,
    "ptx": lambda name: f".version 8.0\n.target sm_90\n.visible .entry {name}(\n)\n{{\n}}\n",
    "nsight-csv": page, "pytorch-trace": trace, "triton": metadata,
}  # fmt: skip
"""Texts with one kernel of a name."""

FILES: dict[str, Callable[[], bytes]] = {
    "a name for stars": lambda: log("gemmf16" * 1200).encode(),
    "units in front of a name": lambda: log("__nv_static_25__9e609c31_4_a_cu_f763c035_" * 600 + "k").encode(),
    "a page of a million columns": lambda: wide_page(MIB, 1000),
    "the same, compressed": lambda: gzip.compress(wide_page(MIB, 4_000_000), 6),
    "lines": lambda: gzip.compress(b"\n" * (64 * MIB)),
    "a long line of digits": lambda: gzip.compress(
        log("k").encode() + (b"1" * MIB + b" bytes stack frame registers\n") * 60
    ),
    "numbers in place of events": lambda: gzip.compress(b'{"traceEvents": [' + b"0," * (30 * MIB) + b"0]}"),
    "lists within lists": lambda: gzip.compress(b'{"deviceProperties": [' + b"[]," * (20 * MIB) + b"0]}"),
    "keys of events": lambda: b'{"traceEvents": [' + b'"ph",' * 200_000 + b"0]}",
    "kernels without names": lambda: nameless_kernels(MIB),
    "shared attributes": lambda: shared_attributes(64),
    "launches": lambda: gzip.compress(launches(200_000), 6),
    "different kernels": lambda: "".join(log(f"k{i}", i % 200) for i in range(8_000)).encode(),
    "compressed different kernels": lambda: gzip.compress(different_kernels(40_000)),
    "fusions": lambda: gzip.compress(fusion("x" * 100, "") * 300_000),
    "operations": lambda: gzip.compress(fusion("x", "aten.add, " * 60) * 60_000),
    "kernels of PTX": lambda: b".target sm_90\n" + b".entry k{\n" * 100_000,
    "names that expand": lambda: "".join(log(substitutions(10) + str(i)) for i in range(4_000)).encode(),
    "a report of nothing": lambda: report_of_fields(500_000),
    "baseline of nothing": lambda: baseline(",".join(["{}"] * 500_000)),
    "baseline of other names": lambda: baseline("", **{f"a{i}": 0 for i in range(80_000)}),
    "baseline of small kernels": lambda: baseline(
        ",".join(['{"name":"k","source":"","format":"ptxas","registers":1,"arch":"sm_90"}'] * 14_000)
    ),
}
"""Inputs by description, each up to about 1 MB; generating all of them takes seconds."""
