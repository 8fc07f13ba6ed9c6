"""Modern kernels, assembled for every target of the installed ptxas.

Values in cubins are compared with NVIDIA's cuobjdump, and documented limits with errors of ptxas.
"""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from occupancy.advice.registers import LEAST, MOST, STEP
from occupancy.readers import KernelRecord, stream_kernels
from occupancy.tables import shipped
from tests.samples import by_name

from . import libraries, ptxas
from .conftest import CUOBJDUMP_NOTICE, NVCC_NOTICE

pytestmark = pytest.mark.thorough

SOURCES = Path(__file__).parents[1] / "data" / "modern"
PTX_VERSIONS = ("9.4", "9.0")
"""PTX versions of CUDA 13.5 and 13.0; the newest that the installed assembler supports is used."""

WITH_TENSOR_MEMORY = ("100", "103", "107", "110")
WITH_SETMAXNREG = ("90", *WITH_TENSOR_MEMORY, "120", "121")


@pytest.fixture
def assembler() -> str:
    tool = ptxas.find("ptxas")
    if tool is None:
        pytest.skip(NVCC_NOTICE)
    return tool


@pytest.fixture
def dump() -> str:
    fetched = libraries.FOLDER / libraries.CUOBJDUMP
    tool = str(fetched) if fetched.exists() else shutil.which("cuobjdump")
    if tool is None:
        pytest.skip(CUOBJDUMP_NOTICE)
    return tool


@cache
def targets(tool: str) -> frozenset[str]:
    """Return the targets of an assembler, such as ``100a``."""
    return frozenset(re.findall(r"'sm_(\d+[af]?)'", ptxas.output(tool, "--help")))


def attempt(tool: str, source: str, target: str, folder: Path, *options: str) -> str:
    """Return the errors of the assembler; without errors, the cubin is in the folder."""
    for version in PTX_VERSIONS:
        text = source.replace("@VERSION@", version).replace("@TARGET@", f"sm_{target}")
        (folder / "source.ptx").write_text(text)
        command = [tool, f"-arch=sm_{target}", *options, "source.ptx", "-o", "out.cubin"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        if "Unsupported .version" not in done.stderr:
            return done.stderr
    raise AssertionError(done.stderr)


def assembled(tool: str, name: str, target: str, folder: Path) -> dict[str, KernelRecord]:
    said = attempt(tool, (SOURCES / f"{name}.ptx").read_text(), target, folder)
    assert (folder / "out.cubin").exists(), said
    return by_name(folder / "out.cubin")


def variants(tool: str, numbers: tuple[str, ...]) -> list[str]:
    return [number + suffix for number in numbers for suffix in "af" if number + suffix in targets(tool)]


def dumped(tool: str, cubin: Path) -> dict[str, dict[str, str]]:
    """Return kernel -> attributes of its section, by NVIDIA's names."""
    text = ptxas.output(tool, "-elf", str(cubin))
    found: dict[str, dict[str, str]] = {}
    section, name = "", ""
    for line in text.splitlines():
        if line.startswith("."):
            section = line.removeprefix(".nv.info.") if line.startswith(".nv.info.") else ""
        elif section and "Attribute:" in line:
            name = line.split("Attribute:")[1].strip()
            found.setdefault(section, {})[name] = ""
        elif section and "Value:" in line:
            found[section][name] = line.split("Value:")[1].strip()
    return found


def test_virtual_resources_of_every_target(assembler: str, dump: str, tmp_path: Path) -> None:
    compared = 0
    for target in variants(assembler, WITH_TENSOR_MEMORY):
        found = assembled(assembler, "tensor_memory", target, tmp_path)
        listed = dumped(dump, tmp_path / "out.cubin")
        assert found.keys() == listed.keys()
        for name, record in found.items():
            assert record.arch == f"sm_{target}"
            assert record.virtual_resources == int(listed[name]["EIATTR_VRC_CTA_INIT_COUNT"], 16)
            assert record.virtual_resources == (0 if name == "plain" else 128)
            compared += 1
    assert compared >= 30


def test_setmaxnreg_of_every_target(assembler: str, dump: str, tmp_path: Path) -> None:
    compared = 0
    for target in variants(assembler, WITH_SETMAXNREG):
        found = assembled(assembler, "warp_specialised", target, tmp_path)
        listed = dumped(dump, tmp_path / "out.cubin")
        for name, record in found.items():
            assert bool(record.reallocates_registers) == ("EIATTR_REG_RECONFIG" in listed[name])
            assert bool(record.reallocates_registers) == (name in ("honoured", "by_maxnreg"))
            compared += 1
    assert compared >= 35


def test_spills_into_shared_memory(nvcc: Path, dump: str, tmp_path: Path) -> None:
    for arch in ("75", "80", "90", "100", "120"):
        command = [nvcc, f"-arch=sm_{arch}", "-cubin", "-o", "out.cubin", SOURCES / "smem_spilling.cu"]
        subprocess.run(list(map(str, command)), check=True, capture_output=True, cwd=tmp_path)
        listed = dumped(dump, tmp_path / "out.cubin")
        found = by_name(tmp_path / "out.cubin")
        assert found
        for name, record in found.items():
            said = listed[name].get("EIATTR_SHARED_SCRATCH", "size: 0")
            assert record.spill_smem == int(said.rpartition("size:")[2])


def test_where_setmaxnreg_is_dropped_ptxas_says_so(assembler: str, tmp_path: Path) -> None:
    source = (SOURCES / "warp_specialised.ptx").read_text()
    said = attempt(assembler, source, "90a", tmp_path)
    assert said.count("(C7508) Potential Performance Loss: 'setmaxnreg' ignored") == 2
    # A cap for the whole compilation has the same effect on the kernel without launch bounds.
    assert attempt(assembler, source, "90a", tmp_path, "--maxrregcount=168").count("C7508") == 1


HEADER = ".version @VERSION@\n.target @TARGET@\n.address_size 64\n"


@pytest.mark.parametrize("registers", [16, 20, 23, 24, 28, 32, 160, 168, 256, 257, 264])
def test_registers_that_setmaxnreg_can_name(assembler: str, tmp_path: Path, registers: int) -> None:
    source = (
        f"{HEADER}.visible .entry k()\n.maxntid 384, 1, 1\n.minnctapersm 1\n"
        f"{{ setmaxnreg.inc.sync.aligned.u32 {registers}; ret; }}\n"
    )
    said = attempt(assembler, source, "90a", tmp_path)
    assert ("error" not in said) == (registers in range(LEAST, MOST + 1, STEP)), said


def test_setmaxnreg_needs_a_suffix(assembler: str, tmp_path: Path) -> None:
    source = f"{HEADER}.visible .entry k() {{ setmaxnreg.dec.sync.aligned.u32 40; ret; }}\n"
    for target in ("80", "90", "100", "120"):
        assert "not supported on .target" in attempt(assembler, source, target, tmp_path)


def test_the_largest_static_shared_memory(assembler: str, tmp_path: Path) -> None:
    """Check that ptxas limits architecture-specific kernels to the opt-in maximum, on 10.7 too."""

    def source(size: int) -> str:
        return (
            f"{HEADER}.shared .align 4 .b8 a[{size}];\n.visible .entry k() {{ .reg .b32 %r; "
            "ld.shared.b32 %r, [a+64]; st.shared.b32 [a], %r; ret; }\n"
        )

    asked = 0
    for number in ("90", "100", "103", "107", "110", "120"):
        if f"{number}a" not in targets(assembler):
            continue
        most = shipped.limits(f"sm_{number}").max_shared_memory_per_block_optin
        assert "error" not in attempt(assembler, source(most), f"{number}a", tmp_path)
        refused = attempt(assembler, source(most + 1), f"{number}a", tmp_path)
        assert f"uses too much shared data ({most + 1:#x} bytes, {most:#x} max)" in refused
        asked += 1
    assert asked >= 4


@pytest.mark.parametrize(("body", "options", "why"), [
    ("extern __shared__ float s[]; s[threadIdx.x] = *out; __syncthreads(); *out = s[1];", [], "dynamic SMEM"),
    ("*out = 1;", ["-rdc=true"], "per-function compilation modes"),
])  # fmt: skip
def test_smem_spills_exclude(nvcc: Path, tmp_path: Path, body: str, options: list[str], why: str) -> None:
    pragma = 'asm volatile(".pragma \\"enable_smem_spilling\\";");'
    kernel = f"__global__ void __launch_bounds__(384, 1) k(float *out) {{ {pragma} {body} }}\n"
    (tmp_path / "k.cu").write_text(kernel)
    command = [str(nvcc), "-arch=sm_90a", "-cubin", *options, "k.cu"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode
    assert f"Pragma 'enable_smem_spilling' is not allowed for {why}" in done.stderr


def test_spilling_into_shared_memory_goes_with_setmaxnreg(nvcc: Path, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void __launch_bounds__(384, 1) k(const float *a, float *o, int n) {\n"
        'asm volatile(".pragma \\"enable_smem_spilling\\";");\n'
        'if (threadIdx.x < 128) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");\n'
        'else asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");\n'
        "float r[240], s = 0;\n#pragma unroll\n"
        "for (int i = 0; i < 240; ++i) r[i] = a[i * n + threadIdx.x];\n__syncthreads();\n#pragma unroll\n"
        "for (int i = 0; i < 240; ++i) s += r[i] * r[(i * 7 + 3) % 240];\no[threadIdx.x] = s;\n}\n"
    )
    command = [str(nvcc), "-arch=sm_90a", "-cubin", "-o", "k.cubin", "k.cu"]
    subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
    (record,) = stream_kernels(tmp_path / "k.cubin")
    assert record.reallocates_registers
    assert (record.regs, bool(record.spill_smem)) == (168, True)


def test_code_of_a_family_runs_on_its_later_members(assembler: str, tmp_path: Path) -> None:
    """Check that family PTX compiles only for the family's compute capabilities from its own on."""
    known = targets(assembler)
    source = f"{HEADER}.visible .entry k() {{ ret; }}\n"
    families = (("100", "103", "107"), ("110",), ("120", "121"))
    for family in families:
        attempt(assembler, source, f"{family[0]}f", tmp_path)
        ptx = tmp_path / "source.ptx"
        for number in ("90", "100", "103", "107", "110", "120", "121"):
            if f"{number}a" not in known:
                continue
            command = [assembler, f"-arch=sm_{number}a", str(ptx), "-o", str(tmp_path / "o.cubin")]
            done = subprocess.run(command, capture_output=True, check=False)
            assert (done.returncode == 0) == (number in family)
