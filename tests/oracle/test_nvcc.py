"""Kernels compiled with the installed nvcc, compared with the reports of compiler and linker."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

from occupancy.readers import stream_kernels
from tests.samples import FOLDER, by_name
from tests.sampling import sampled

SOURCE = FOLDER / "cubins" / "kernels.cu"
STACK = FOLDER.parent / "stack" / "stack.cu"

CALLER = """
__device__ float helper(float *, int);
__global__ void outer(float *p, int n) {
    __shared__ float s[100];
    s[n] = p[0];
    __syncthreads();
    p[1] = helper(s, n);
}
__global__ void plain(float *p) { p[0] = 1; }
"""

CALLEE = """
__device__ float helper(float *p, int n) {
    __shared__ float t[50];
    float v[30], s = 0;
    for (int i = 0; i < n; i++) {
        v[p[i] > 0 ? i : n - i] = p[i] * t[i];
        __syncthreads();
    }
    for (int i = 0; i < n; i++) s += v[i] * v[n - i];
    return s;
}
"""

TEMPLATE = """
template <int N> __global__ void tile(float *p) {
    __shared__ char bytes[N];
    __shared__ double sums[5];
    sums[threadIdx.x] = bytes[threadIdx.x] = p[0];
    __syncthreads();
    p[1] = bytes[1] + sums[2];
}
template __global__ void tile<3>(float *);
"""

THOROUGH = pytest.mark.thorough
WITH_RDC = pytest.mark.parametrize(
    "options", [[], pytest.param(["-rdc=true"], marks=THOROUGH)], ids=["whole", "rdc"]
)
QUICK = ("75", pytest.param("90", marks=THOROUGH), pytest.param("120", marks=THOROUGH))
ALL = ("75", "80", "86", "87", "89", "90", "90a", "100", "100a", "103", "110", "120", "121", "121a")


@cache
def supported(nvcc: Path) -> frozenset[str]:
    listed = subprocess.run([nvcc, "--list-gpu-code"], check=True, capture_output=True, text=True).stdout
    return frozenset(line.removeprefix("sm_") for line in listed.split())


def run(*command: object, folder: Path) -> bytes:
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, cwd=folder).stderr


def compile_and_compare(nvcc: Path, folder: Path, arch: str, options: list[str]) -> None:
    log = run(
        nvcc, "-std=c++17", "-DMAXNREG", "-cubin", f"-arch=sm_{arch}", "-Xptxas=-v", *options,
        "-o", "kernels.cubin", SOURCE, folder=folder,
    )  # fmt: skip
    image, printed = by_name(folder / "kernels.cubin"), by_name(log)
    assert len(image) >= 14
    assert image.keys() == printed.keys()
    for name, record in image.items():
        for field in ("arch", "regs", "static_smem", "barriers", "stack_bytes", "spills"):
            assert getattr(record, field) == getattr(printed[name], field), name


@sampled("caps", sample=[24], thorough=[24, 32, 64])
@WITH_RDC
@pytest.mark.parametrize("arch", QUICK)
def test_counted_spills(nvcc: Path, tmp_path: Path, arch: str, options: list[str], caps: list[int]) -> None:
    """Compile to PTX once, because only the assembler limits registers."""
    run(nvcc, "-ptx", f"-arch=sm_{arch}", *options, "-o", "stack.ptx", STACK, folder=tmp_path)
    assemble = (nvcc, "-cubin", f"-arch=sm_{arch}", "-Xptxas=-v", *options, "stack.ptx", "-o", "stack.cubin")
    for registers in caps:
        log = run(*assemble, f"-maxrregcount={registers}", folder=tmp_path)
        image, printed = by_name(tmp_path / "stack.cubin"), by_name(log)
        spills = [{name: record.spills for name, record in found.items()} for found in (image, printed)]
        assert spills[0] == spills[1]
        assert "code" not in {record.spills_from for record in printed.values()}


@WITH_RDC
@pytest.mark.parametrize("arch", QUICK)
def test_cubin_equals_the_log(nvcc: Path, tmp_path: Path, arch: str, options: list[str]) -> None:
    compile_and_compare(nvcc, tmp_path, arch, options)


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [[], ["-rdc=true"], ["-G"], ["-O1"]], ids=["whole", "rdc", "debug", "O1"])
@pytest.mark.parametrize("arch", ALL)
def test_cubin_equals_the_log_everywhere(nvcc: Path, tmp_path: Path, arch: str, options: list[str]) -> None:
    if arch.rstrip("a") not in supported(nvcc):
        pytest.skip(f"this nvcc does not know sm_{arch}")
    compile_and_compare(nvcc, tmp_path, arch, options)


@THOROUGH
@pytest.mark.parametrize("arch", ["80", "90"])
def test_linked_kernels_have_what_their_callees_need(nvcc: Path, tmp_path: Path, arch: str) -> None:
    (tmp_path / "caller.cu").write_text(CALLER)
    (tmp_path / "callee.cu").write_text(CALLEE)
    run(nvcc, "-rdc=true", f"-arch=sm_{arch}", "-c", "caller.cu", "callee.cu", folder=tmp_path)
    log = run(
        nvcc, f"-arch=sm_{arch}", "-dlink", "-cubin", "-Xnvlink", "-v", "caller.o", "callee.o",
        "-o", "linked.cubin", folder=tmp_path,
    )  # fmt: skip
    linked, printed = by_name(tmp_path / "linked.cubin"), by_name(log)
    assert linked.keys() == printed.keys() == {"_Z5outerPfi", "_Z5plainPf"}
    for name, record in linked.items():
        said = printed[name]
        assert record.linked
        for field in ("regs", "barriers", "stack_bytes"):
            assert getattr(record, field) == getattr(said, field), name
    outer, plain = linked["_Z5outerPfi"], linked["_Z5plainPf"]
    assert (outer.static_smem, plain.static_smem) == (600, 0)
    # The linker's text includes the reserved shared memory of sm_90, with a note.
    assert printed["_Z5outerPfi"].static_smem == (1624 if arch == "90" else 600)

    relocatable = by_name(tmp_path / "caller.o")["_Z5outerPfi"]
    assert not relocatable.linked
    assert relocatable.static_smem == 400
    assert (relocatable.regs or 0) < (outer.regs or 0)


def test_the_stack_of_a_recursive_kernel_is_unknown(nvcc: Path, tmp_path: Path) -> None:
    recursion = "__device__ __noinline__ int f(int n) { return n ? f(n - 1) * n : 1; }\n"
    (tmp_path / "k.cu").write_text(f"{recursion}__global__ void k(int *p) {{ *p = f(*p); }}\n")
    run(nvcc, "-G", "-cubin", "-arch=sm_90", "k.cu", folder=tmp_path)
    (record,) = by_name(tmp_path / "k.cubin").values()
    assert (record.stack_bytes, record.regs is not None) == (None, True)


def test_shared_variables_of_templates_before_and_after_linking(nvcc: Path, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(TEMPLATE)
    run(nvcc, "-rdc=true", "-arch=sm_90", "-c", "k.cu", folder=tmp_path)
    run(nvcc, "-arch=sm_90", "-dlink", "-cubin", "k.o", "-o", "linked.cubin", folder=tmp_path)
    (part,), (whole,) = (by_name(tmp_path / name).values() for name in ("k.o", "linked.cubin"))
    assert (part.linked, part.static_smem, whole.linked, whole.static_smem) == (False, 43, True, 43)


@pytest.mark.parametrize(
    "mode",
    [*(pytest.param(mode, marks=pytest.mark.exhaustive) for mode in ("none", "speed", "size")), "default"],
)
def test_every_compression(nvcc: Path, tmp_path: Path, mode: str) -> None:
    (tmp_path / "k.cu").write_text(CALLER.replace("helper(s, n)", "s[0]"))
    codes = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in ("80", "90")]
    run(nvcc, *codes, "-rdc=true", f"--compress-mode={mode}", "-c", "k.cu", folder=tmp_path)
    found = stream_kernels(tmp_path / "k.o")
    assert {(record.name, record.arch, record.static_smem) for record in found} == {
        ("_Z5outerPfi", "sm_80", 400), ("_Z5outerPfi", "sm_90", 400), ("_Z5plainPf", "sm_80", 0),
        ("_Z5plainPf", "sm_90", 0),
    }  # fmt: skip
    assert found.problems == []
