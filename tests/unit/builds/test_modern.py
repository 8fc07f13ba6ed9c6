"""scan, diff and advice for tensor memory, setmaxnreg, and spills to shared memory."""

import io
import json
from pathlib import Path

import pytest

import occupancy
from tests import samples
from tests.cli_runner import as_json, run

FOLDER = Path(__file__).parents[2] / "data" / "modern"


def scanned(name: str) -> dict[str, occupancy.ScannedKernel]:
    content = io.BytesIO(samples.unpacked(f"modern/{name}.cubin"))
    return {kernel.name: kernel for kernel in occupancy.scan(content)}


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    return samples.unpack(tmp_path, FOLDER)


def test_a_kernel_that_allocates_tensor_memory_has_one_block() -> None:
    kernel = scanned("tensor_memory_100a")["alloc_1cta_relinquish"]
    assert (kernel.active_blocks, kernel.limiters) == (1, ("virtual_resources",))
    assert kernel.next_step is None  # the launch bound excludes blocks with more threads
    assert scanned("tensor_memory_100a")["plain"].occupancy == 1


def test_columns_of_tritons_kernels(tmp_path: Path) -> None:
    """Check columns: 576 per SM on 10.7, 512 before."""
    for arch, columns, blocks in ((100, 256, 2), (100, 288, 1), (107, 288, 2), (107, 192, 3)):
        metadata = {"name": "k", "num_warps": 4, "shared": 0, "tmem_size": columns,
                    "target": {"backend": "cuda", "arch": arch, "warp_size": 32}}  # fmt: skip
        (tmp_path / "k.json").write_text(json.dumps(metadata))
        (kernel,) = occupancy.scan(tmp_path / "k.json", gpu=str(arch))
        assert (kernel.tensor_memory, kernel.virtual_resources) == (columns, 128)
        answer = occupancy.compute(str(arch), kernel)
        assert (answer.active_blocks, answer.block_limits.tensor_memory) == (1, blocks)


def test_registers_that_warpgroups_divide_are_not_to_be_lowered() -> None:
    kernel = scanned("warp_specialised_90a")["honoured"]
    assert (kernel.regs, kernel.active_blocks, kernel.limiters) == (168, 1, ("registers",))
    assert kernel.next_step is None
    notes = occupancy.scan(FOLDER / "warp_specialised_90a.cubin.gz").report().notes
    assert any("setmaxnreg" in note.text for note in notes)


def test_spills_into_shared_memory(unpacked: Path) -> None:
    """Check limits: 32 registers allow 64 warps; 40.375 KiB of 228 KiB allow 5 blocks of 2 warps, 10 of 64."""
    image = unpacked / "smem_spilling_90.cubin"
    rows = {row.demangled: row for row in occupancy.scan(image, threads=64)}
    assert rows["unbounded"].occupancy == 10 / 64
    assert rows["unbounded"].spill_smem == 40320
    (step,) = {row.next_step and tuple(row.next_step.requires) for row in rows.values()} - {None}
    assert step == ("threads",), "no fewer bytes, which hold what the registers lack"
    assert "39.375 KiB" in run("scan", str(image), "--threads", "64", columns=200).stdout


def test_a_baseline_keeps_it(unpacked: Path, tmp_path: Path) -> None:
    for name in ("tensor_memory_100a", "warp_specialised_90a", "smem_spilling_90"):
        image, baseline = unpacked / f"{name}.cubin", tmp_path / f"{name}.json"
        assert run("scan", str(image), "--save-baseline", str(baseline)).exit_code == 0
        report = as_json("diff", baseline, image, "--with-same")
        assert report["summary"]["same"] == len(report["kernels"]) > 0
    kernels = json.loads((tmp_path / "warp_specialised_90a.json").read_text())["kernels"]
    kept = [kernel["name"] for kernel in kernels if "reallocates_registers" in kernel]
    assert kept == ["by_maxnreg", "honoured"]
