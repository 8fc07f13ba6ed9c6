"""Work is linear in the size of the input, measured in executed lines of code, not in seconds.

Each input once caused quadratic work, by comparing pairs of kernels, folders, logs or launches.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import occupancy
from tests import hostile
from tests.hostile import launch, log, trace
from tests.sampling import sampled

SOURCE = str(Path(occupancy.__file__).parent)


def spilled(number: int) -> str:
    return log(f"k{number}", 33 + number % 200, frame=(8, 8 + number, 8), smem=2048 + number // 200 * 128)


def instance(template: str, number: int, arguments: int = 20) -> str:
    return f"_Z{len(template)}{template}ILi{number}E{'Li1E' * arguments}EvPf"


def template_launch(template: str, number: int) -> dict[str, object]:
    return launch(f"void {template}<{number}, x>(float*)", number + 1)


def elf_of(kernels: int) -> bytes:
    names = b"\0" + b"".join(b"k%d\0" % number for number in range(kernels))
    places = [found for found in range(len(names) - 1) if names[found : found + 1] == b"k"]
    symbols = bytes(24) + b"".join(
        place.to_bytes(4, "little") + bytes([0x12, 0x10, 3, 0]) + bytes(16) for place in places
    )
    start = 64 + len(names)
    sections = [
        hostile.section(0, 0, 0), hostile.section(3, 64, len(names)),
        hostile.section(2, start, len(symbols), link=1), hostile.section(1, 0, 0, info=8 << 24),
    ]  # fmt: skip
    return hostile.image(sections, names + symbols)


Files = dict[str, str | bytes]
INPUTS: dict[str, Callable[[int], Files]] = {
    "kernels of one name": lambda n: {"k.log": "".join(log("k", smem=i) for i in range(n))},
    "a kernel of one name in every folder": lambda n: {
        f"{i}/k.log": "".join(log(name, 32 + i % 200) for name in ("kernel", f"a{i}", f"b{i}"))
        for i in range(n)
    },
    "folders that differ beside many kernels": lambda n: {
        **{f"{i}/k.log": log("k", 32 + i % 100) for i in range(n)},
        "all.log": "".join(log(f"k{i}") for i in range(n)),
    },
    "a folder deep below": lambda n: {"/".join("a" * 50) + "/k.log": "".join(log(f"k{i}") for i in range(n))},
    "launches of instances": lambda n: {
        "k.log": "".join(log(instance("k", i)) for i in range(n)),
        "t.json": trace(*(template_launch("k", i) for i in range(n))),
    },
    "launches of instances of many templates": lambda n: {
        "k.log": "".join(log(instance(f"k{i % 9}", i, 2)) for i in range(n)),
        "t.json": trace(*(template_launch(f"k{i % 9}", i) for i in range(n))),
    },
    "instances of templates": lambda n: {"k.log": "".join(log(instance(f"k{i % 4}", i)) for i in range(n))},
    "files with one kernel, and its launches": lambda n: {
        **{f"{i}.log": log("k") for i in range(n)}, "t.json": trace(*(launch("k", i + 1) for i in range(n))),
    },
    "architectures": lambda n: {"k.log": "".join(log("k", arch=f"sm_{i}") for i in range(n))},
    "an image, and logs of another build": lambda n: {
        "k.cubin": elf_of(n), **{f"{i}.log": log("k0", 8) + log(f"z{i}") for i in range(n)},
    },
    "spills": lambda n: {"k.log": "".join(map(spilled, range(n)))},
    "combining characters": lambda n: {"k.log": log("a" + "\u0301" * 20 * n + "b" * 100)},
}  # fmt: skip
RULES = "threads = 96\n[[rules]]\nmax_regs = 8\n"
SHOWN = ("every folder", "launches of", "another build", "many kernels")
LEAST = {"spills": 128, **{name: 32 for name in INPUTS if any(each in name for each in SHOWN)}}
"""Minimum kernels of a measurement: with fewer, constant work (caches, shown rows) distorts the ratio."""
SPILLS = "min_occupancy = 100\nmax_spill_bytes = 0\nmax_stack_bytes = 0\n"


def written(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def lines_run(action: Callable[[], object]) -> int:
    """Return the number of lines of the program that a call executes."""
    count = 0

    def trace_line(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += 1
        return trace_line

    def trace_call(frame: FrameType, event: str, _: object) -> Any:
        return trace_line if frame.f_code.co_filename.startswith(SOURCE) else None

    before = sys.gettrace()
    sys.settrace(trace_call)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


def scanned(build: Path, _: Path) -> str:
    return str(occupancy.scan(build))


def compared(build: Path, other: Path) -> str:
    return str(occupancy.diff(build, other))


def checked(build: Path, other: Path) -> str:
    with suppress(occupancy.OccupancyError):  # unknown occupancy
        return str(occupancy.check(build, other.parent / "rules.toml"))
    return ""


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("action", [scanned, compared, checked])
@sampled("size", sample=16, thorough=64)  # in full, each is longer than a screen
def test_twice_the_input_takes_twice_the_work(
    tmp_path: Path, name: str, action: Callable[[Path, Path], str], size: int
) -> None:
    (tmp_path / "rules.toml").write_text(RULES + SPILLS * (name == "spills"))
    other = written(tmp_path / "other", {"k.log": log("q") + log(instance("k1", -1))})
    size = max(size, LEAST.get(name, 0))
    action(written(tmp_path / "0", INPUTS[name](size)), other)  # fill caches
    builds = [written(tmp_path / str(times), INPUTS[name](times * size)) for times in (1, 2, 4)]
    first, second, third = counts = [lines_run(partial(action, build, other)) for build in builds]
    assert third - second <= 2.3 * (second - first) + 500, counts


def test_an_honest_build_of_200_folders_is_compared_kernel_by_kernel(tmp_path: Path) -> None:
    files = INPUTS["a kernel of one name in every folder"](200)
    old = written(tmp_path / "old", files)
    new = written(tmp_path / "new", {**files, "7/k.log": log("kernel", 250) + log("a7", 39) + log("b7", 39)})
    assert [(each.old.regs, each.new.regs) for each in occupancy.diff(old, new).kernels] == [(39, 250)]
