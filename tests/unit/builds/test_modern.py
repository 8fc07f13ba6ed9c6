"""What scan, diff and the advice make of tensor memory, setmaxnreg, and spills into shared memory."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from pathlib import Path

import pytest

import occupancy
from occupancy.tables.families import later_members
from tests.cli_runner import run

FOLDER = Path(__file__).parents[2] / "data" / "modern"


def scanned(name: str, **options: str) -> dict[str, occupancy.ScannedKernel]:
    content = gzip.decompress((FOLDER / f"{name}.cubin.gz").read_bytes())
    return {kernel.name: kernel for kernel in occupancy.scan(io.BytesIO(content), **options)}  # type: ignore[arg-type]


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    for path in FOLDER.glob("*.gz"):
        (tmp_path / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    return tmp_path


def test_a_kernel_that_allocates_tensor_memory_has_one_block() -> None:
    kernel = scanned("tensor_memory_100a")["alloc_1cta_relinquish"]
    assert (kernel.active_blocks, kernel.limiters) == (1, ("virtual_resources",))
    assert any("one block per SM by cuda_occupancy.h" in note and "inferred" in note for note in kernel.notes)
    assert kernel.answer is not None
    assert tuple(kernel.answer.next_steps()) == ()  # of blocks of more threads than its bound there are none
    assert scanned("tensor_memory_100a")["plain"].occupancy == 1


def test_families_are_answered_where_they_run() -> None:
    assert scanned("tensor_memory_100f")["plain"].cc == "10.0"
    assert scanned("tensor_memory_100f", cc="10.3")["alloc_1cta"].active_blocks == 1


@pytest.mark.parametrize(
    ("arch", "elsewhere"),
    [
        ("sm_100f", ["10.3", "10.7"]),
        ("sm_103f", ["10.7"]),
        ("sm_107f", []),
        ("sm_110f", []),
        ("sm_120f", ["12.1"]),
        ("sm_100a", []),
        ("sm_100", []),
        ("half", []),
        (None, []),
    ],
)
def test_where_code_of_a_family_runs(arch: str | None, elsewhere: list[str]) -> None:
    assert [str(cc) for cc in later_members(arch)] == elsewhere


def test_a_family_is_said() -> None:
    (note, *_) = scanned("tensor_memory_100f")["plain"].notes
    assert note == "sm_100f is code of a family, and runs on 10.3 and 10.7 too; --cc answers for those."


def test_columns_of_tritons_kernels(tmp_path: Path) -> None:
    """Of 576 on 10.7, of 512 before."""
    for arch, columns, blocks in ((100, 256, 2), (100, 288, 1), (107, 288, 2), (107, 192, 3)):
        metadata = {"name": "k", "num_warps": 4, "shared": 0, "tmem_size": columns,
                    "target": {"backend": "cuda", "arch": arch, "warp_size": 32}}  # fmt: skip
        (tmp_path / "k.json").write_text(json.dumps(metadata))
        (kernel,) = occupancy.scan(tmp_path / "k.json", cc=str(arch))
        assert (kernel.tensor_memory, kernel.virtual_resources) == (columns, 128)
        answer = occupancy.compute(str(arch), kernel)
        assert (answer.active_blocks, answer.block_limits.tensor_memory) == (1, blocks)


def test_registers_that_warpgroups_divide_are_not_to_be_lowered() -> None:
    kernel = scanned("warp_specialised_90a")["honoured"]
    assert (kernel.regs, kernel.active_blocks, kernel.limiters) == (168, 1, ("registers",))
    assert kernel.next_step is None
    assert any("setmaxnreg" in note for note in kernel.notes)
    plain = occupancy.compute("9.0", threads=384, regs=168).next_steps()
    assert plain[0].requires == {"regs": 80}


def test_files_that_hold_the_same_kernel_are_counted(unpacked: Path, tmp_path: Path) -> None:
    (folder := tmp_path / "all").mkdir()
    for name in ("a.cubin", "b.cubin", "c.cubin"):
        shutil.copy(unpacked / "smem_spilling_90.cubin", folder / name)
    text = run("scan", str(folder)).stdout
    assert " +2 " not in text, "where it is the same for all"
    assert "Each is in b.cubin and c.cubin too." in text
    shutil.copy(unpacked / "warp_specialised_90a.cubin", folder / "d.cubin")
    text = run("scan", str(folder), columns=160).stdout
    assert text.count("  a.cubin +2 ") == 4
    (other := tmp_path / "other").mkdir()
    for name in ("e.cubin", "f.cubin", "g.cubin"):
        shutil.copy(unpacked / "warp_specialised_90a.cubin", other / name)
    both = " ".join(
        run("scan", str(other), *(str(folder / f"{name}.cubin") for name in "abc")).stdout.split()
    )
    assert "Each is in 2 more files; also_in of --format json names them." in both
    assert "  d.cubin  " in text
    assert "To shared: shared memory of a block that registers are spilled to, in a.cubin." in text
    assert "+N: N more files hold the same kernel; also_in of --format json names them." in text


def test_a_baseline_keeps_it(unpacked: Path, tmp_path: Path) -> None:
    for name in ("tensor_memory_100a", "warp_specialised_90a", "smem_spilling_90"):
        image, baseline = unpacked / f"{name}.cubin", tmp_path / f"{name}.json"
        assert run("scan", str(image), "--save-baseline", str(baseline)).exit_code == 0
        report = json.loads(run("diff", str(baseline), str(image), "--all", "--format", "json").stdout)
        assert report["summary"]["same"] == len(report["kernels"]) > 0
        assert report["added"] == report["removed"] == []
    kernels = json.loads((tmp_path / "warp_specialised_90a.json").read_text())["kernels"]
    assert [kernel["name"] for kernel in kernels if "reallocates_registers" in kernel] == [
        "by_maxnreg",
        "honoured",
    ]


def test_a_check_is_not_stopped_by_negative_spills(tmp_path: Path) -> None:
    log = (FOLDER / "smem_spilling_90.ptxas.txt").read_text()
    log = log.replace(" 4 bytes spill stores", " -4 bytes spill stores")
    (tmp_path / "build.log").write_text(log)
    (tmp_path / "rules.toml").write_text("[[rules]]\nmax_spill_bytes = 1000\n")
    done = run("check", str(tmp_path / "build.log"), "--rules", str(tmp_path / "rules.toml"))
    assert done.exit_code == 0, done.output
