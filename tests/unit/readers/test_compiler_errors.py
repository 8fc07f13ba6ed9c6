"""Compiler errors in a log are reported."""

from pathlib import Path

import pytest

from occupancy.readers import read
from occupancy.readers.content import CompilerErrors
from tests.samples import found_in, kernels_of, problems_of, sample

# Output of nvcc 13.0, its host compilers, ptxas and nvlink.
FAILED = [
    'k.cu(12): error: identifier "foo" is undefined',
    'k.cu(3): catastrophic error: cannot open source file "x.h"',
    "i.cu:1:10: fatal error: nope.h: No such file or directory",
    "2026-11-22T10:00:00Z src/a.cu:7: error: expected ';'",
    r"C:\a b\k.cu(3): error C2065: 'foo': undeclared identifier",
    r"C:\k.cu(3,14): error : expected an expression", "nvcc fatal   : Unknown option '-foo'",
    "ptxas /tmp/a.ptx, line 12; error   : Unknown symbol 'x'",
    "cc1plus: fatal error: nope.cu: No such file or directory",
    'At end of source: error #67-D: expected a "}"', "nvlink error   : Undefined reference to 'f' in 'a.o'",
    "LINK : fatal error LNK1104: cannot open file 'cudart.lib'",
    "k.obj : error LNK2019: unresolved external symbol f", "<command-line>: error: macro names must be identifiers",
    "clang++: error: linker command failed with exit code 1", "/usr/bin/ld: a.o: undefined reference to `foo'",
    "sh: 1: nvcc: not found",
]  # fmt: skip
SUMMARIES = [
    "make[2]: *** [Makefile:76: k.o] Error 1", "ninja: build stopped: subcommand failed.", "scons: *** [a.o] Error 1",
    "error: command '/usr/local/cuda/bin/nvcc' failed with exit code 1",
    '1 error detected in the compilation of "a.cu".',
]  # fmt: skip
FINE = [
    "ptxas info    : Compiling entry function '_Z5errorPf' for 'sm_90'",
    "ptxas warning : Stack size for entry function 'fatal' cannot be statically determined",
    "k.cu(12): warning #177-D: variable error: was declared but never referenced",
    "[ 50%] Building CUDA object error.dir/fatal: error.cu.o", "make: [Makefile:76: clean] Error 1 (ignored)",
    'k.cu(12): note: in "error: foo"', "std::error: error",
    "CMake Warning at CMakeLists.txt:3: error: may occur", "gemm: error: 1e-06",
]  # fmt: skip


@pytest.mark.parametrize("line", [*FAILED, *SUMMARIES, *FINE])
def test_lines_that_are_errors(line: str) -> None:
    errors = CompilerErrors()
    errors.inspect(line, 1)
    assert errors.count == (line not in FINE)


@pytest.mark.parametrize("place", ["before", "after", "alone"])
def test_the_first_is_quoted_and_the_others_are_counted(place: str) -> None:
    log = b"" if place == "alone" else sample("ptxas_v.txt")
    colored = "\x1b[31mnvcc fatal   : \x1b[mx"
    lines = ["", *FAILED, *SUMMARIES, *FINE[1:], colored]
    errors = "\n".join(lines).encode()  # without a final newline
    found = found_in(errors + b"\n" + log if place == "before" else log + errors)
    (problem,) = problems_of(found)
    assert len(kernels_of(found)) == (0 if place == "alone" else 5)
    assert problem.line == 1 + (log.count(b"\n") if place == "after" else 0) + 1
    assert problem.what == (
        'the compiler reported an error, so kernels may be missing: k.cu(12): error: identifier "foo" is undefined '
        f"and {len(FAILED)} more"
    )


def test_a_line_that_begins_in_one_piece_and_ends_in_the_next_is_seen_once() -> None:
    for size in range(65_500, 65_540):
        (problem,) = problems_of(found_in(b"." * size + b"\nnvcc fatal   : x\n" + b"." * 70_000 + b"\n"))
        assert (problem.line, problem.what[-18:]) == (2, ": nvcc fatal   : x")


def test_of_a_folder_all_logs_count_but_no_documents_and_no_tests_of_compilers(tmp_path: Path) -> None:
    failed = f"\n{FAILED[0]}\n".encode()
    for name in ("notes.md", "config.log"):
        (tmp_path / name).write_bytes(failed)
    (tmp_path / "CMakeFiles").mkdir()
    (tmp_path / "CMakeFiles" / "CMakeError.log").write_bytes(sample("ptxas_v.txt") + failed)
    (tmp_path / "build.log").write_bytes(sample("ptxas_v.txt"))
    assert not problems_of(list(read(tmp_path)))
    for log in (failed, sample("ptxas_v.txt") + failed):
        (tmp_path / "build.log").write_bytes(log)
        (tmp_path / "kernels.log").write_bytes(sample("ptxas_v.txt"))
        (problem,) = problems_of(list(read(tmp_path)))
        assert problem.source == str(tmp_path / "build.log")
