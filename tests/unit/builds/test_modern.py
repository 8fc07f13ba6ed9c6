"""What scan, diff and the advice make of tensor memory, setmaxnreg, and spills into shared memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
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
    plain = occupancy.next_steps("9.0", threads=384, regs=168)
    assert plain[0].requires == {"regs": 80}


def test_a_scanned_kernel_says_what_it_rests_on(unpacked: Path) -> None:
    kernel = scanned("smem_spilling_90")["unbounded"]
    answer = occupancy.compute("9.0", kernel, threads=128)
    text = " ".join(str(answer).split())
    assert "launch bounds of fewer threads shrink the 39.375 KiB that registers spill to" in text
    shown = run("scan", str(unpacked / "smem_spilling_90.cubin"), columns=200).stdout
    assert re.search(r"own_too\n +32 +19 KiB +8 bytes +~ 4 / 4 B +18 KiB ", shown)
    assert "4 spilling, 3 of them to shared memory." in shown
    said = " ".join(shown.split())
    assert "At these block sizes it costs no occupancy; with fewer threads, at worst: unbounded 100%" in said
    assert "unbounded 100% -> 15.6% at 64 threads" in said
    assert 'Tighter launch bounds shrink it; code without .pragma "enable_smem_spilling" has none.' in said
    assert "no spills to shared" not in said, "where they cost nothing"
    shown = run("scan", str(unpacked / "warp_specialised_90a.cubin"), columns=200).stdout
    assert "168 split" in shown


def test_what_spills_into_shared_memory_cost(unpacked: Path) -> None:
    """32 registers allow 64 warps; 39.375 KiB and the system's 5 blocks of 228 KiB, of 2 warps 10 of 64."""
    image = unpacked / "smem_spilling_90.cubin"
    rows = {row.demangled: row for row in occupancy.scan(image, threads=64)}
    cost = rows["unbounded"].spill_cost
    assert cost is not None
    assert (rows["unbounded"].occupancy, cost.without) == (10 / 64, 1.0)
    assert (cost.worst_threads, cost.worst, cost.worst_without) == (64, 10 / 64, 1.0)
    assert rows["local"].spill_cost is None
    text = " ".join(run("scan", str(image), "--threads", "64", columns=200).stdout.split())
    assert "4 spilling, 3 of them to shared memory." in text
    assert (
        "At these block sizes it lowers the occupancy of all of them; at worst: unbounded 100% -> 15.6%"
        in text
    )
    assert "shared 5 100%: no spills to shared, or 23.4%: threads 64 -> 96" in text
    assert text.count("no spills to shared") == 3
    assert re.search(
        r"unbounded 32 39.375 KiB 56 bytes ~ 104 / 104 B 39.375 KiB 64 given 15.6% 100% shared", text
    )
    meaning = "Without: the occupancy without what spills to shared memory, where it is more."
    assert meaning in text
    asked = run("scan", str(image), "--columns", "spill_cost", columns=200).stdout
    assert meaning in asked
    assert "Spills: " not in asked, "a column that is not shown"
    assert meaning not in run("scan", str(image), columns=200).stdout, "where nothing loses by it"
    (step,) = {row.next_step and tuple(row.next_step.requires) for row in rows.values()} - {None}
    assert step == ("threads",), "no fewer bytes, which hold what the registers lack"
    line = next(csv.DictReader(io.StringIO(run("scan", str(image), "-t", "64", "--format", "csv").stdout)))
    assert line["spill_cost"].startswith("without: 1.0; worst at 64 threads: 0.")


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
