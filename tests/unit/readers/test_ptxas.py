"""Compiler output in logs."""

import pytest

import occupancy
from occupancy.readers import KernelRecord
from tests import hostile
from tests.samples import found_in, kernels_of, problems_of

KERNEL = """\
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'
ptxas info    : Function properties for _Z1kPf
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 21 registers, used 1 barriers, 32 bytes cumulative stack size, 256 bytes smem
"""


def only_record(text: str | bytes) -> KernelRecord:
    (record,) = found_in(text)
    assert isinstance(record, KernelRecord), record
    return record


def facts(record: KernelRecord) -> tuple[object, ...]:
    return (
        record.name, record.arch, record.regs, record.static_smem, record.barriers, record.stack_bytes,
        record.spill_store_bytes, record.spill_load_bytes,
    )  # fmt: skip


THIS = ("_Z1kPf", "sm_80", 21, 256, 1, 32, 4, 12)


@pytest.mark.parametrize(
    "text",
    [
        KERNEL, KERNEL.replace("ptxas info    :", "ptxas-13 info    :"),
        KERNEL.replace("ptxas info    : ", "ptxas info\t: "), KERNEL.replace("\n", "\r\n"),
        KERNEL.replace("'", "’").replace("function ’", "function ‘"),
        "      " + KERNEL.replace("\n", "\n      "), KERNEL.replace("ptxas", "\x1b[1;36mptxas\x1b[0m"),
        KERNEL.replace("21", "\x1b[1m21\x1b[0m"),
        "[1/4] Building CUDA object CMakeFiles/k.dir/k.cu.o\n" + KERNEL + "[2/4] Linking CXX executable k\n",
        "2024-11-05T10:00:00.123Z " + KERNEL.replace("\n", "\n2024-11-05T10:00:00.123Z "),
        KERNEL.replace(" ", "\xa0"), KERNEL.replace("\n", " "), repr(KERNEL),
    ],
    ids=["plain", "versioned", "tab", "crlf", "forum", "pip", "color", "bold", "ninja", "ci", "web", "chat", "json"],
)  # fmt: skip
def test_in_every_dress(text: str) -> None:
    assert facts(only_record(text)) == THIS


def test_in_every_encoding() -> None:
    # PowerShell writes UTF-16; German compilers write umlauts in latin-1.
    for encoding in ("utf-8-sig", "utf-16", "latin-1"):
        assert facts(only_record(("Übersetzung beginnt\n" + KERNEL).encode(encoding))) == THIS


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        (KERNEL.replace(", used 1 barriers", ""), "barriers", None),
        (KERNEL.replace(", 256 bytes smem", ""), "static_smem", 0),
        (KERNEL.replace("_Z1kPf", "void ptxas<(int)3>(int)"), "name", "void ptxas<(int)3>(int)"),
        # Compilers for the first GPUs print reserved shared memory separately.
        (KERNEL.replace("256 bytes smem", "2064+16 bytes smem, 44 bytes cmem[1]"), "static_smem", 2080),
        (KERNEL.replace("cumulative stack size", "lmem").replace("sm_80", "sm_10"), "arch", "sm_10"),
    ],
)
def test_other_toolkits(text: str, field: str, value: object) -> None:
    assert getattr(only_record(text), field) == value


def test_the_stack_is_neither_a_device_functions_nor_that_of_a_warning() -> None:
    lines = KERNEL.splitlines(keepends=True)
    device = (
        "ptxas info    : Function properties for _Z3devf\n"
        "    96 bytes stack frame, 88 bytes spill stores, 88 bytes spill loads\n"
    )
    warning = (
        "ptxas warning : Registers are spilled to local memory in function '_Z1kPf', "
        "999 bytes spill stores, 999 bytes spill loads\n"
    )
    for position, other in ((0, device), (1, device), (3, device), (4, device), (1, warning)):
        assert facts(only_record("".join([*lines[:position], other, *lines[position:]]))) == THIS


def test_same_kernel_for_several_architectures() -> None:
    found = found_in(KERNEL + KERNEL.replace("sm_80", "sm_90a").replace("21 reg", "30 reg"))
    assert [(each.arch, each.regs) for each in kernels_of(found)] == [("sm_80", 21), ("sm_90a", 30)]


FIRST, *_, LAST = KERNEL.splitlines(keepends=True)


@pytest.mark.parametrize(("text", "kernels", "line", "what"), [
    (KERNEL + LAST * 1000, 1, 5, "1,000 kernels"),
    (FIRST.replace("_Z1kPf", "_Z5otherv") + KERNEL + LAST + KERNEL, 1, 1, "2 kernels"),
    (KERNEL + FIRST + KERNEL * 2, 1, 5, "3 kernels"),
    (FIRST, 0, 1, ""),
    (LAST + KERNEL, 1, 1, "1 kernel "),
    (KERNEL + FIRST + KERNEL.replace("_80'", ""), 1, 5, "2 kernels"),
    ("".join((KERNEL * 3).splitlines(keepends=True)[::-1]), 0, 1, "3 kernels"),  # newest line first
    (KERNEL + FIRST + "ptxas info    : Compile time = 2 ms\n" + LAST, 1, 5, "1 kernel "),
    *((KERNEL + KERNEL.replace(cut, f"{cut}\n"), 1, 5, "1 kernel ") for cut in (",", "used", "25", "cumulative")),
])  # fmt: skip
def test_incomplete_and_mixed_lines(text: str, kernels: int, line: int, what: str) -> None:
    found = found_in(text)
    (problem,) = problems_of(found)
    assert list(map(facts, kernels_of(found))) == [THIS] * kernels
    assert problem.line == line
    assert what in problem.what


def test_static_shared_memory_that_ptxas_refuses() -> None:
    compiles = {("sm_90", 49_152), ("sm_90a", 56_832)}
    for arch, size in (*compiles, ("sm_90", 56_832), ("sm_100f", 56_832)):
        found = only_record(hostile.log("k", arch=arch, smem=size))
        result = occupancy.compute("9.0", found.kernel(256))
        assert (result.kernel.static_smem, result.opt_ins) == (size, ())
        assert result.launchable == ((arch, size) in compiles)


def test_linkers_lines() -> None:
    text = (
        "nvlink info    : 8 bytes gmem\n"
        "nvlink info    : Function properties for '_Z2kxPf':\n"
        "nvlink info    : used 43 registers, used 1 barriers, 88 stack, 1624 bytes smem, "
        "360 bytes cmem[0], 0 bytes lmem\n"
        "nvlink info    : Function properties for '_Z2kyPf':\n"
        "nvlink info    : used 8 registers, 0 stack, 0 bytes smem, 360 bytes cmem[0], 0 bytes lmem\n"
    )
    first, second = kernels_of(found_in(text))
    assert facts(first) == ("_Z2kxPf", None, 43, 1624, 1, 88, None, None)
    assert first.linked is True
    assert "1,024 reserved bytes" in first.notes[0]
    assert facts(second) == ("_Z2kyPf", None, 8, 0, None, 0, None, None)
    assert second.notes == ()
    for arch, smem in (("sm_80", 1624), ("sm_90a", 600), ("sm_100f", 1624)):  # named if there are several
        first, second = kernels_of(found_in(text.replace("\n", f" (target: {arch})\n")))
        assert facts(first) == ("_Z2kxPf", arch, 43, smem, 1, 88, None, None)
        assert (facts(second)[1:4], first.notes) == ((arch, 8, 0), ())
