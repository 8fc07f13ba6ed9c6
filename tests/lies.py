"""Files of every format whose parts are there, but lie about lengths, counts and sharing.

Damage at random rarely gets past the first table of a binary format. What is built here is right in most
places and wrong in a few, so that every reader is reached, with numbers that its author did not think of.

    python -m tests.lies 200000

builds and reads so many, and prints what they came to.
"""

from __future__ import annotations

import gzip
import json
import random
import resource
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable

import lz4.block

from tests.fuzz_readers import check

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Random = random.Random
Builder = Callable[[random.Random], bytes]

NUMBERS = (0, 1, 2, 3, 7, 8, 31, 32, 255, 256, 1023, 4096, 65535, 65536, 1 << 20, (1 << 31) - 1, 1 << 31,
           (1 << 32) - 1, 1 << 32, 1 << 60, (1 << 64) - 1)  # fmt: skip
NAMES = ("k", "_Z1kv", "_Z1kIiEvPfT_", "", "a" * 300, "\x1b]0;x\x07", "::error::x", "=1+1", "_ZN",
         "_Z1fSt4pairIS_S_E", "__nv_static_25__9e609c31_4_a_cu_f763c035__Z4statPf", "`|<img>", "\ud800",
         "é" * 40, "a\nb", "*?[")  # fmt: skip
LIE = 0.08


def number(rng: Random, honest: int, bits: int = 64) -> int:
    """A number as it should be, or another one."""
    if rng.random() > LIE:
        return honest & ((1 << bits) - 1)
    off = rng.choice((honest + 1, honest - 1, honest * 2, honest // 2, rng.choice(NUMBERS)))
    return off & ((1 << bits) - 1)


def attributes(rng: Random) -> bytes:
    """Records of .nv.info."""
    parts = []
    for _ in range(rng.randrange(12)):
        form = rng.choice((1, 2, 3, 4, 4, 4, rng.randrange(256)))
        kind = rng.choice(
            (0x05, 0x10, 0x11, 0x12, 0x1B, 0x2F, 0x3D, 0x3F, 0x4A, 0x4C, 0x54, rng.randrange(256))
        )
        payload = b"".join(
            struct.pack("<I", number(rng, rng.randrange(1, 64), 32)) for _ in range(rng.choice((0, 1, 2, 3)))
        )
        if form == 4:
            parts.append(struct.pack("<BBH", form, kind, number(rng, len(payload), 16)) + payload)
        else:
            parts.append(struct.pack("<BBH", form, kind, rng.randrange(1 << 16)))
    return b"".join(parts)


def cubin(rng: Random) -> bytes:
    """An image: header, bodies of sections, section headers; sections can share a body."""
    names = bytearray(b"\0")
    bodies = bytearray()
    base = 64
    sections: list[tuple[int, ...]] = [(0,) * 10]

    def string(text: str) -> int:
        start = len(names)
        names.extend(text.encode("utf-8", "surrogatepass") + b"\0")
        return start

    def section(name: str, kind: int, body: bytes, flags: int = 0, link: int = 0, info: int = 0) -> None:
        shared = sections[-1][4:6] if rng.random() < LIE and len(sections) > 1 else None
        start, size = (base + len(bodies), len(body)) if shared is None else shared
        bodies.extend(body)
        row = (string(name), kind, flags, 0, start, size, link, info, 0, 0)
        sections.append(
            tuple(number(rng, each, 32 if i in (0, 1, 6, 7) else 64) for i, each in enumerate(row))
        )

    kernels = rng.randrange(1, 5)
    symbols = [struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)]
    for index in range(kernels):
        text = 1 + index
        symbols.append(
            struct.pack(
                "<IBBHQQ",
                number(rng, string(rng.choice(NAMES)), 32),
                2,
                number(rng, 0x10, 8),
                number(rng, text, 16),
                0,
                0,
            )
        )
        section(".text.k", 1, bytes(8), flags=rng.randrange(1 << 27), info=rng.randrange(256) << 24)
    for index in range(kernels):
        section(".nv.info.k", 0x70000000, attributes(rng), info=1 + index)
        if rng.random() < 0.5:
            section(".nv.shared.k", 8, b"", info=1 + index)
    section(".nv.info", 0x70000000, attributes(rng))
    if rng.random() < 0.3:
        section(".note.nv.tkinfo", 7, b"-arch sm_100f " * rng.randrange(4))
    section(".symtab", 2, b"".join(symbols), link=len(sections) + 1, info=1)
    section(".strtab", 3, bytes(names))
    at = base + len(bodies)
    count = len(sections)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\x7fELF\x02\x01\x01" + bytes([rng.choice((0x33, 0x41))]) + bytes([rng.choice((7, 8))]) + bytes(7),
        rng.choice((1, 2, number(rng, 2, 16))), 190, 1, 0, 0, number(rng, at),
        rng.choice((0x5A055A, 0x6005A04, rng.randrange(1 << 32))), 64, 56, 0, number(rng, 64, 16),
        number(rng, count, 16), number(rng, count - 1, 16),
    )  # fmt: skip
    return head + bytes(bodies) + b"".join(struct.pack("<IIQQQQIIQQ", *each) for each in sections)


def fatbin(rng: Random) -> bytes:
    """A container of images, compressed or not, one of which can be there many times."""
    entries = []
    image = cubin(rng)
    for _ in range(rng.randrange(1, 5)):
        image = image if rng.random() < 0.3 else cubin(rng)
        flags = rng.choice((0, 0x2000, 0x8000, rng.randrange(1 << 16)))
        payload = image
        if flags & 0x2000:
            payload = lz4.block.compress(image, store_size=False)
        elif flags & 0x8000:
            payload = zstd.compress(image)
        head = struct.pack(
            "<HHIQIIHHIIIQQQ",
            rng.choice((2, 2, 2, 1, 8)), 0x101, number(rng, 64, 32), number(rng, len(payload)),
            number(rng, len(payload) if flags else 0, 32), 0, 7, 1, rng.choice((80, 90)), 0, 0, flags, 0,
            number(rng, len(image)),
        )  # fmt: skip
        entries.append(head + payload)
    body = b"".join(entries)
    magic = struct.pack("<IHHQ", 0xBA55ED50, number(rng, 1, 16), number(rng, 16, 16), number(rng, len(body)))
    return bytes(rng.randrange(8)) + (magic + body) * rng.choice((1, 1, 2))


def count(rng: Random) -> str:
    """A number in a text."""
    return rng.choice(
        (
            str(rng.randrange(300)),
            str(rng.choice(NUMBERS)),
            "-1",
            "9" * rng.choice((13, 400, 5000)),
            "",
            "1.5",
        )
    )


def log(rng: Random) -> bytes:
    """What ptxas prints, with lines that are missing, doubled or of others."""
    lines = []
    for _ in range(rng.randrange(1, 6)):
        name, arch = rng.choice(NAMES), rng.choice(("sm_90", "sm_90a", "sm_" + count(rng)[:30], "sm_1x"))
        some = [count(rng) for _ in range(6)]
        block = [
            "ptxas info    : 0 bytes gmem",
            f"ptxas info    : Compiling entry function '{name}' for '{arch}'",
            f"ptxas info    : Function properties for {name}",
            "    {} bytes stack frame, {} bytes spill stores, {} bytes spill loads".format(*some),
            "ptxas info    : Used {3} registers, used {4} barriers, {5} bytes smem".format(*some),
        ]
        lines += [line for line in block for _ in range(rng.choice((1, 1, 1, 1, 0, 2)))]
    return "\n".join(lines).encode("utf-8", "replace")


def listing(rng: Random) -> bytes:
    """What cuobjdump prints, or PTX."""
    if rng.random() < 0.5:
        lines = ["Fatbin elf code:", f"arch = sm_{count(rng)[:20]}", "Resource usage:"]
        for _ in range(rng.randrange(4)):
            lines += [
                f" Function {rng.choice(NAMES)}:",
                f"  REG:{count(rng)} STACK:{count(rng)} SHARED:{count(rng)} LOCAL:0 CONSTANT[0]:8 ",
            ]
        return "\n".join(lines).encode("utf-8", "replace")
    lines = [".version 8.0", rng.choice((".target sm_90", f".target sm_{count(rng)[:20]}"))]
    for _ in range(rng.randrange(4)):
        shape = ", ".join(count(rng) for _ in range(rng.randrange(1, 4)))
        lines += [
            f".visible .entry k{rng.randrange(3)}(",
            f") .{rng.choice(('maxntid', 'reqntid'))} {shape}",
            "{",
            "}",
        ]
    return "\n".join(lines).encode()


def generated(rng: Random) -> bytes:
    """A module of Inductor: the files of its kernels, and what they fuse."""
    lines = []
    for _ in range(rng.randrange(1, 6)):
        operations = ", ".join(rng.choice(("aten.add", "aten.sum.dim_IntList", *NAMES)) for _ in range(3))
        block = [
            f"# kernel path: /tmp/{rng.choice(NAMES)}/{rng.choice(NAMES)}.py",
            f"# Topologically Sorted Source Nodes: [x], Original ATen: [{operations * number(rng, 1, 6)}]",
            "k = async_compile.triton('k', '''",
        ]
        lines += [line for line in block for _ in range(rng.choice((1, 1, 1, 1, 0, 2)))]
    return "\n".join(lines).encode("utf-8", "replace")


def page(rng: Random) -> bytes:
    """A page of Nsight Compute."""
    columns = ["ID", "Kernel Name", "Block Size", "Grid Size", "CC", "launch__registers_per_thread"]
    columns += rng.sample(
        ["Metric Name", "Metric Unit", "Metric Value", "launch__block_size", "x", ""], rng.randrange(5)
    )
    rows = [columns]
    for index in range(rng.randrange(6)):
        values = [
            str(index // rng.choice((1, 3))),
            rng.choice(NAMES),
            f"({count(rng)}, 1, 1)",
            "(1, 2, 3)",
            count(rng),
        ]
        rows.append((values + [count(rng) for _ in columns])[: number(rng, len(columns), 8)])
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows).encode("utf-8", "replace")


def json_value(rng: Random, honest: object) -> object:
    """A value as it should be, or of another type."""
    if rng.random() > LIE:
        return honest
    return rng.choice(
        (None, True, -1, 1.5, 1e300, 10**30, "x", [], {}, [[]], rng.choice(NAMES), rng.choice(NUMBERS))
    )


def trace(rng: Random) -> bytes:
    """A trace of PyTorch's profiler."""
    events: list[object] = []
    for _ in range(rng.randrange(6)):
        facts: dict[str, object] = {
            "device": 0, "registers per thread": 32, "shared memory": rng.randrange(1 << 17),
            "block": [json_value(rng, 32) for _ in range(number(rng, 3, 3))], "grid": [1, 1, 1],
            "est. achieved occupancy %": rng.randrange(101),
        }  # fmt: skip
        event: dict[str, object] = {
            "ph": "X",
            "cat": rng.choice(("kernel", "Kernel", "cpu_op")),
            "name": rng.choice(NAMES),
            "dur": 3,
        }
        event["args"] = {key: json_value(rng, value) for key, value in facts.items()}
        events.append({key: json_value(rng, value) for key, value in event.items()})
    devices = [{"id": 0, "computeMajor": json_value(rng, 9), "computeMinor": json_value(rng, 0)}]
    whole = {
        "schemaVersion": 1,
        "deviceProperties": json_value(rng, devices),
        "traceEvents": json_value(rng, events),
    }
    text = json.dumps(whole)
    return text[: number(rng, len(text), 20)].encode()


def metadata(rng: Random) -> bytes:
    """Triton's metadata."""
    whole = {
        "num_warps": 4,
        "shared": 49152,
        "name": rng.choice(NAMES),
        "maxnreg": None,
        "cluster_dims": [1, 1, 1],
        "target": {"backend": "cuda", "arch": json_value(rng, 90), "warp_size": json_value(rng, 32)},
        "tmem_size": 0,
    }
    return json.dumps({key: json_value(rng, value) for key, value in whole.items()}).encode()


def varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def field(rng: Random, key: int, value: bytes | int) -> bytes:
    """A field of a message."""
    if isinstance(value, int):
        return varint(key << 3) + varint(number(rng, value))
    return varint(key << 3 | 2) + varint(number(rng, len(value), 32)) + value


def report(rng: Random) -> bytes:
    """A report of Nsight Compute."""

    def sized(message: bytes) -> bytes:
        return struct.pack("<I", number(rng, len(message), 32)) + message

    sources, results = [sized(field(rng, 4, cubin(rng)))], []
    for _ in range(rng.randrange(1, 4)):
        shape = b"".join(field(rng, axis, rng.randrange(1, 64)) for axis in (1, 2, 3))
        metric = field(rng, 1, rng.randrange(3)) + field(rng, 2, field(rng, 4, rng.randrange(64)))
        name = rng.choice(NAMES).encode("utf-8", "replace")
        results.append(
            sized(
                field(rng, 5, name) + field(rng, 10, shape) + field(rng, 11, shape) + field(rng, 13, metric)
            )
        )
    payload = b"".join(sources + results)
    strings = b"".join(
        field(rng, 1, each) for each in (b"launch__registers_per_thread", b"launch__block_size")
    )
    head = field(rng, 1, len(sources)) + field(rng, 2, len(results)) + field(rng, 4, strings)
    return b"NVR\0" + sized(field(rng, 1, 7)) + sized(head + field(rng, 5, len(payload))) + payload


def baseline(rng: Random) -> bytes:
    """A baseline."""
    kernels = []
    for _ in range(rng.randrange(4)):
        kernel = {
            "name": rng.choice(NAMES),
            "arch": "sm_90",
            "source": "a.cubin",
            "format": "cubin",
            "registers": 32,
        }
        kernels.append({key: json_value(rng, value) for key, value in kernel.items()})
    whole = {"schema": "occupancy-baseline", "schema_version": 1, "tool_version": "0.1.0", "kernels": kernels}
    text = json.dumps({key: json_value(rng, value) for key, value in whole.items()})
    return text[: number(rng, len(text), 20)].encode(rng.choice(("utf-8", "utf-8", "utf-16", "utf-8-sig")))


BUILDERS: tuple[Builder, ...] = (
    cubin, fatbin, log, listing, page, generated, trace, metadata, report, baseline,
)  # fmt: skip


def read_baseline(data: bytes) -> None:
    """It is a baseline, or an error says why not."""
    from occupancy.compare.baseline_file import looks_like_baseline, parse_baseline
    from occupancy.errors import BaselineError

    looks_like_baseline(data)
    try:
        parse_baseline(data, "base.json")
    except BaselineError as error:
        message = str(error)
    else:
        return
    assert len(message) < 1000


def hold(build: Builder, rng: Random) -> int:
    """Build a file and read it; return its size."""
    data = build(rng)
    if rng.random() < 0.1:
        data = gzip.compress(data, 1)
    if build is baseline:
        read_baseline(data)
    check(data)
    return len(data)


def main() -> None:
    """Read as many as the command line says, one seed for each, so that a failure can be repeated."""
    start, sizes = time.process_time(), Counter[str]()
    slowest = 0.0
    for seed in range(int(sys.argv[1])):
        build = BUILDERS[seed % len(BUILDERS)]
        before = time.process_time()
        try:
            sizes[build.__name__] += hold(build, Random(seed))
        except BaseException:
            print(f"seed {seed}, {build.__name__}")
            raise
        slowest = max(slowest, time.process_time() - before)
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{sys.argv[1]} files, {taken:.0f} s of processor time, slowest {slowest:.3f} s, {peak} MiB")
    print(", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in sizes.items()))


if __name__ == "__main__":
    main()
