"""Files that mean harm: bounded time and memory, in a process of its own whose limits only a hang meets."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import hostile, lies
from tests.limited import held, limited


@pytest.mark.parametrize("name", hostile.FILES)
def test_an_input_of_the_attack(name: str, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(hostile.FILES[name])
    held(limited("diff", path, path, "--format", "json"))
    held(limited("scan", path))


def test_a_folder_of_files_that_expand_shares_one_allowance(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.log.gz").write_bytes(hostile.FILES["lines"])
    ended = limited("scan", tmp_path)
    held(ended)
    assert ended.code == 1
    assert ended.error.count("more lines, values or entries") >= 19


def test_rules_by_the_thousand(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(hostile.log(f"gemmf16{i}") for i in range(1000)))
    (tmp_path / "rules.toml").write_text(
        "".join(f'[[rules]]\nkernels = "*gemm*f1?*{i}"\nmax_regs = 255\n' for i in range(1000))
    )
    ended = limited("check", tmp_path / "log", "--rules", tmp_path / "rules.toml")
    held(ended)
    assert ended.code == 0


@pytest.mark.parametrize("build", lies.BUILDERS, ids=lambda build: build.__name__)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1 << 32))
def test_a_file_whose_parts_lie(build: lies.Builder, seed: int) -> None:
    lies.hold(build, random.Random(seed))


def test_output_that_is_not_taken_is_an_error_without_a_buffer_too(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("SKIPPED: this system has no /dev/full to write to")
    for output_format in ("json", "text"):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "occupancy", "limits", "--format", output_format],
                stdout=full, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip
        assert done.returncode == 2
        assert b"No space left" in done.stderr


def test_a_library_beside_the_image_of_the_same_name_is_read(samples: Path, tmp_path: Path) -> None:
    (tmp_path / "k.json").write_text('{"num_warps": 4, "shared": 0, "name": "k", "target": {"arch": 90}}')
    (tmp_path / "k.cubin").write_bytes((samples / "samples.cubin").read_bytes())
    alone = limited("scan", tmp_path, "--format", "jsonl").out.count(b"\n")
    (tmp_path / "k.so").write_bytes((samples / "samples.fatbin").read_bytes())
    assert limited("scan", tmp_path, "--format", "jsonl").out.count(b"\n") > alone


def test_folders_thousands_deep(samples: Path, tmp_path: Path) -> None:
    here, depth = os.getcwd(), 1200
    try:
        os.chdir(tmp_path)
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("k.cubin").write_bytes((samples / "samples.cubin").read_bytes())
        ended = limited("scan", ".", folder=tmp_path)
        # Here and now, because shutil.rmtree, with which pytest cleans up, fails on so many of them.
        os.remove("k.cubin")
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")
    finally:
        os.chdir(here)
    held(ended)
    assert b"3 kernels" in ended.out


@pytest.mark.parametrize("content", [b"[project]\nname = 'x'\n", b"int main() {}\n"])
def test_a_baseline_takes_the_place_of_nothing_else(samples: Path, tmp_path: Path, content: bytes) -> None:
    target = tmp_path / "file"
    target.write_bytes(content)
    ended = limited("scan", samples / "samples.cubin", "--save-baseline", target)
    assert ended.code == 2
    assert "is there already, and is no baseline" in ended.error
    assert target.read_bytes() == content


def test_counts_that_no_kernel_has_do_not_reach_a_baseline(tmp_path: Path) -> None:
    log = hostile.log("k").replace("0 barriers", "0 barriers, 999999999999 bytes smem")
    (tmp_path / "log").write_text(log)
    ended = limited("scan", tmp_path / "log")
    held(ended)
    assert ended.code == 1
    assert "999999999999, which no kernel has" in ended.error


def test_an_answer_does_not_take_the_place_of_what_is_read(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "k.cubin"
    path.write_bytes((samples / "samples.cubin").read_bytes())
    ended = limited("scan", path, "-o", path)
    assert ended.code == 2
    assert "is what is read" in ended.error
    assert path.read_bytes() == (samples / "samples.cubin").read_bytes()


@pytest.mark.parametrize("value", [":".join(["1"] * 300) + ".5", "0x" + "f" * 5000, "1" + ":59" * 20_000])
def test_numbers_of_a_table_that_nothing_can_hold(tmp_path: Path, value: str) -> None:
    table = f'schema_version: 1\ncompute_capabilities:\n  "10.0": {{like: "10.0", warp_size: {value}}}\n'
    (tmp_path / "table.yaml").write_text(table)
    ended = limited("calc", "--cc", "10.0", "--threads", "32", "--limits", tmp_path / "table.yaml")
    held(ended)
    assert ended.code == 2
    assert len(ended.error) < 2000
