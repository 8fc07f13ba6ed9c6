"""Malicious files take bounded time and memory, tested in a subprocess with generous limits."""

import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import hostile, lies
from tests.limited import held, limited

pytestmark = pytest.mark.linux


@pytest.mark.thorough  # each takes seconds; the default run has smaller files of the same kinds
@pytest.mark.parametrize("name", hostile.FILES)
def test_an_input_of_the_attack(name: str, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(hostile.FILES[name]())
    # A comparison reads the file like a scan, and matches its kernels.
    is_compared = any(word in name for word in ("kernels", "name", "baseline", "launches", "attributes"))
    held(limited("diff", path, path, "--format", "json") if is_compared else limited("scan", path))


@pytest.mark.thorough
def test_a_folder_of_files_that_expand_shares_one_allowance(tmp_path: Path) -> None:
    lines = hostile.FILES["lines"]()
    for number in range(20):
        (tmp_path / f"{number}.log.gz").write_bytes(lines)
    ended = limited("scan", tmp_path)
    held(ended)
    assert ended.code == 2
    assert ended.error.count("too many lines, values or table entries") >= 19


@pytest.mark.parametrize("pattern", ["gemm*f16*f32", "*gemm*f16*f32*", "*" * 50 + "gemm*f16*x"])
def test_a_pattern_and_a_name_that_misleads_it(tmp_path: Path, pattern: str) -> None:
    """Check the search without backtracking: a plain regular expression took 44 seconds."""
    (tmp_path / "log").write_bytes(hostile.FILES["a name for stars"]())
    (tmp_path / "rules.toml").write_text(f'[[rules]]\nkernels = "{pattern}"\nmax_regs = 255\n')
    scan, check = ("scan", "log", "--name", pattern), ("check", "log", "--rules", "rules.toml")
    for arguments, said in ((scan, "in its name"), (check, "rule 1")):
        ended = limited(*arguments, folder=tmp_path)
        held(ended)
        assert (ended.code, said in ended.error) == (2, True)


@pytest.mark.parametrize("name", ["units in front of a name", "a name for stars"])
def test_long_names_in_every_command_of_a_build(tmp_path: Path, name: str) -> None:
    log, rules, baseline = (tmp_path / each for each in ("log", "rules.toml", "baseline.json"))
    log.write_bytes(hostile.FILES[name]())
    rules.write_text("[[rules]]\nmax_regs = 255\nmax_regs_growth = 0\n")
    scan, check = ("scan", log, "--save-baseline"), ("check", log, "--rules", rules, "--baseline")
    for arguments in ((*scan, baseline), (*check, baseline), ("diff", baseline, log)):
        ended = limited(*arguments)
        held(ended)
        assert ended.code == 0, ended.error


@pytest.mark.parametrize("format", hostile.NAMED)
def test_names_have_a_length_in_every_format(tmp_path: Path, format: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(hostile.NAMED[format]("a" * 900_000).encode())
    ended = limited("scan", path, "--format", "jsonl")
    held(ended)
    for row in map(json.loads, ended.out.splitlines()):
        assert len(row["name"]) <= 1 << 16
    assert ended.out or ended.code == 2
    assert len(ended.error) < 3000


@pytest.mark.parametrize("name", lies.BUILDERS)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1 << 32))
def test_a_file_whose_parts_lie(name: str, seed: int) -> None:
    lies.build_and_read(name, random.Random(seed))


def test_folders_thousands_deep(samples: Path, tmp_path: Path) -> None:
    here, depth = os.getcwd(), 1200
    try:
        os.chdir(tmp_path)
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("k.cubin").write_bytes((samples / "samples.cubin").read_bytes())
        ended = limited("scan", ".", folder=tmp_path)
        # Remove the folders here: shutil.rmtree, which pytest uses, fails on so many levels.
        os.remove("k.cubin")
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")
    finally:
        os.chdir(here)
    held(ended)
    assert b"3 kernels" in ended.out


@pytest.mark.parametrize("value", [":".join(["1"] * 300) + ".5", "0x" + "f" * 5000, "1" + ":59" * 20_000])
def test_numbers_of_a_table_that_nothing_can_hold(tmp_path: Path, value: str) -> None:
    values = {
        "warp_size": value, "reserved_shared_memory_per_block": value,
        "shared_memory_configurations": f"[{value}, 0]", "max_block_dim": f"[1, {value}, 1]",
    }  # fmt: skip
    for name, written in values.items():
        table = f'schema_version: 1\ncompute_capabilities:\n  "10.0": {{like: "10.0", {name}: {written}}}\n'
        (tmp_path / "table.yaml").write_text(table)
        ended = limited("calc", "--cc", "10.0", "--threads", "32", "--limits", tmp_path / "table.yaml")
        held(ended)
        assert ended.code == 2
        assert len(ended.error) < 3000


def test_files_without_end(tmp_path: Path) -> None:
    ended = limited("scan", "/dev/zero")
    held(ended)
    assert ended.code == 2
    assert "/dev/zero is a device, which never ends" in ended.error
    with (tmp_path / "log").open("wb") as file:  # and a sparse text file
        file.write(hostile.log("k").encode())
        file.truncate(10 * 10**9)
    held(limited("scan", tmp_path / "log", cpu_seconds=30))
