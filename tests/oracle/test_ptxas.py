"""The advice on launch bounds compared with NVIDIA's assembler."""

import itertools
import subprocess
from pathlib import Path

import pytest

from occupancy.advice.launch_bounds import launch_bounds, maxnreg_in_source
from occupancy.tables.gpus import find_gpu
from occupancy.values.kernel import Kernel
from tests.sampling import sampled

from . import ptxas
from .golden import Comparison, read_rows

NOTICE = "SKIPPED: no ptxas on this machine; only the recorded answers were compared"

SIZES = sorted({*range(1, 1025, 61), *range(64, 1025, 64)})
PAIRS = list(itertools.product(SIZES, (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 25, 32, 33)))


def ours(chip: str, threads: int, blocks: int) -> tuple[int, bool]:
    """Return the register cap, and True if ptxas ignores the number of blocks."""
    answer = launch_bounds(find_gpu(f"sm_{chip}"), Kernel(threads), blocks)
    assert answer.legal == (answer.warning is None)
    return answer.register_cap, not answer.legal


@sampled("stride", sample=7, thorough=1)
def test_recorded_register_caps(stride: int) -> None:
    """Compare with ptxas 11.8, 12.9 and 13.5, for 3.5 to 12.1."""
    comparison = Comparison()
    chips = set()
    for row in itertools.islice(read_rows(ptxas.GOLDEN), 0, None, stride):
        chip, threads, blocks = row["chip"], int(row["threads_per_block"]), int(row["min_blocks"])
        recorded = int(row["max_registers"]), bool(row["ignored"])
        comparison.check(row, recorded, ours(chip, threads, blocks))
        chips.add(chip)
    assert chips == set(ptxas.PTX_VERSIONS)
    comparison.conclude(compared=-(-8_696 // stride))


@sampled("stride", sample=7, thorough=1)
def test_the_register_caps_of_the_ptxas_here(stride: int) -> None:
    tool = ptxas.find("ptxas")
    if tool is None:
        pytest.skip(NOTICE)
    chips = ptxas.chips(tool)
    comparison, pairs = Comparison(), PAIRS[::stride]
    for chip in chips:
        for pair, cap in ptxas.assemble(tool, chip, pairs).items():
            comparison.check((chip, *pair), (cap.registers, bool(cap.ignored)), ours(chip, *pair))
    assert chips
    comparison.conclude(compared=len(chips) * len(pairs))


def test_what_nvcc_makes_of_the_lines_to_paste(tmp_path: Path) -> None:
    """Check that launch bounds reach ptxas as the tested directives, and the other attributes are equivalent."""
    nvcc = ptxas.find("nvcc")
    if nvcc is None:
        pytest.skip(NOTICE)
    answer = launch_bounds(find_gpu("8.0"), Kernel(256), 5)
    cap = answer.register_cap
    source, cubin = tmp_path / "kernels.cu", tmp_path / "kernels.cubin"
    source.write_text(
        f'extern "C" __global__ void {answer.launch_bounds} bounds(int *out) {{ *out = 1; }}\n'
        f'extern "C" __global__ void {maxnreg_in_source(cap)} maxnreg(int *out) {{ *out = 1; }}\n'
        'extern "C" __global__ void maxrregcount(int *out) { *out = 1; }\n'
    )
    command = [nvcc, "-arch=sm_80", "-cubin", f"-maxrregcount={cap}", str(source), "-o", str(cubin)]
    subprocess.run(command, check=True, capture_output=True)
    assert cap == 48
    assert ptxas.register_caps(cubin.read_bytes()) == {"bounds": 48, "maxnreg": 48, "maxrregcount": 48}
