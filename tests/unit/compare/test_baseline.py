from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy import BaselineError, ReadError
from occupancy.builds.atomic_file import alone
from occupancy.builds.kernel_names import stable_name
from occupancy.compare.baseline import SCHEMA_VERSION, Baseline, BaselineKernel, baseline_of
from occupancy.compare.baseline_file import (
    looks_like_baseline,
    parse_baseline,
    read_baseline,
    to_text,
    write_baseline,
)
from occupancy.compare.build import read_build
from occupancy.compare.matching import match
from occupancy.compare.measures import compared
from occupancy.readers import KernelRecord

KERNEL = BaselineKernel(name="_Z1kv", arch="sm_90", source="k.cubin", format="cubin", regs=32)
BASELINE = Baseline(tool_version="0.1.0", threads=256, kernels=(KERNEL,))


def changed(**changes: Any) -> bytes:
    """The text of a baseline with other names and values at the top, or (``kernel``) in its one line."""
    value = json.loads(to_text(BASELINE))
    value["kernels"][0] |= changes.pop("kernel", {})
    value |= changes
    return json.dumps({name: each for name, each in value.items() if each is not ...}).encode()


def test_the_file_is_what_the_documents_say() -> None:
    # Its names are a promise. Whoever changes them raises SCHEMA_VERSION and keeps reading the old ones.
    assert SCHEMA_VERSION == 2
    every = BaselineKernel(
        name="_Z1kv", arch="sm_90a", source="lib/k.cubin", format="ptxas", linked=True, regs=32,
        static_smem=0, dynamic_smem=1024, smem=None, barriers=1, stack_bytes=0, spill_store_bytes=4,
        spill_load_bytes=8, spills_from="compiler", max_threads=256, required_threads=256, register_cap=255,
        cluster_dim=(2, 1, 1),
        shared_memory_configuration=65536, code=0xFFFF_FFFF, threads=256, threads_from="required",
        occupancy=0.5, active_blocks=4, limiters=("warps", "registers"),
    )  # fmt: skip
    assert to_text(Baseline(tool_version="0.1.0", kernels=(every, KERNEL))) == (
        '{\n"schema": "occupancy-baseline",\n"schema_version": 2,\n"tool_version": "0.1.0",\n'
        '"threads": null,\n"kernels": [\n'
        '{"name": "_Z1kv", "arch": "sm_90a", "source": "lib/k.cubin", "format": "ptxas", "linked": true, '
        '"regs": 32, "static_smem": 0, "dynamic_smem": 1024, "barriers": 1, "stack_bytes": 0, '
        '"spill_store_bytes": 4, "spill_load_bytes": 8, "spills_from": "compiler", '
        '"max_threads": 256, "required_threads": 256, '
        '"register_cap": 255, "cluster_dim": [2, 1, 1], "shared_memory_configuration": 65536, '
        '"code": 4294967295, "threads": 256, "threads_from": "required", "occupancy": 0.5, '
        '"active_blocks": 4, "limiters": ["warps", "registers"]},\n'
        '{"name": "_Z1kv", "arch": "sm_90", "source": "k.cubin", "format": "cubin", "regs": 32}\n'
        "]\n}\n"
    )


def test_it_comes_back(tmp_path: Path) -> None:
    for baseline in (BASELINE, Baseline(tool_version="0.1.0", kernels=())):
        write_baseline(tmp_path / "base.json", baseline)
        assert read_baseline(tmp_path / "base.json") == baseline


def test_another_layout_is_the_same_baseline() -> None:
    for text in (changed(), json.dumps(json.loads(to_text(BASELINE)), indent=4, sort_keys=True).encode()):
        assert looks_like_baseline(text)
        assert parse_baseline(text, "base.json") == BASELINE


def test_a_baseline_of_a_build(builds: Path, tmp_path: Path) -> None:
    target = tmp_path / "base.json"
    baseline = occupancy.save_baseline(builds / "before", target)
    assert read_baseline(target) == baseline
    lines = target.read_text().splitlines()
    names = [json.loads(line.rstrip(","))["name"] for line in lines if line.startswith('{"name"')]
    assert names == sorted(names)
    assert len(names) == 14
    # Nothing of this machine: no folder, and not the hash that nvcc makes of one.
    assert str(builds) not in target.read_text()
    assert {kernel.source for kernel in baseline.kernels} == {"filters.sm_80.cubin", "filters.sm_90.cubin"}
    assert "_ZN3img21_GLOBAL__N_filters_cu5clearEPf" in names


def test_the_same_build_makes_the_same_file(builds: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    occupancy.save_baseline(builds / "before", one)
    files = sorted(map(str, (builds / "before").iterdir()), reverse=True)
    occupancy.save_baseline(files, other)
    assert one.read_bytes() == other.read_bytes()
    # Made of what was read back, it is the same again.
    occupancy.save_baseline(one, other)
    assert one.read_bytes() == other.read_bytes()


def test_a_kernel_that_was_renamed_is_known_by_its_code(tmp_path: Path) -> None:
    old, new = (
        KernelRecord(source="k.cubin", format="cubin", name=name, arch="sm_90", regs=32, code=7)
        for name in ("_Z4blurPf", "_Z6smoothPf")
    )
    write_baseline(tmp_path / "base.json", baseline_of([old]))
    read = read_build([str(tmp_path / "base.json")]).records
    for now, pairs in (new, [(old, new, "code")]), (replace(new, code=8), []), (replace(new, code=None), []):
        assert list(match(read, [now], compared).pairs) == pairs


def test_an_assumed_block_size_is_kept_as_an_assumption(builds: Path, tmp_path: Path) -> None:
    baseline = occupancy.save_baseline(builds / "before", tmp_path / "base.json", threads="16x16")
    assert baseline.threads == 256
    assert {kernel.threads_from for kernel in baseline.kernels} == {"option"}
    build = read_build([str(tmp_path / "base.json")])
    assert build.threads == 256
    assert {record.threads for record in build.records} == {None}


def test_a_stated_block_size_adds_no_fact(builds: Path, tmp_path: Path) -> None:
    """What an answer comes to is none: else nothing of the build would be as it was."""
    build = builds / "before"
    occupancy.save_baseline(build, tmp_path / "base.json", threads=256)
    read = read_build([str(tmp_path / "base.json")]).records
    facts = {(each.name, each.arch): compared(each) for each in read}
    assert facts == {
        (stable_name(each.name), each.arch): compared(each) for each in read_build([str(build)]).records
    }


def test_a_launch_keeps_its_block_size(samples: Path, tmp_path: Path) -> None:
    occupancy.save_baseline(samples / "ncu_raw.csv", tmp_path / "base.json")
    read = read_build([str(tmp_path / "base.json")]).records
    assert {(record.threads, record.threads_from) for record in read} == {(256, "launch"), (1024, "launch")}
    assert read_build([str(tmp_path / "base.json")]).threads is None


def test_equal_launches_are_one_line(samples: Path, tmp_path: Path) -> None:
    once = occupancy.save_baseline(samples / "ncu_raw.csv", tmp_path / "once.json")
    copy = tmp_path / "ncu_raw.csv"
    copy.write_bytes((samples / "ncu_raw.csv").read_bytes())
    twice = occupancy.save_baseline([samples / "ncu_raw.csv", copy], tmp_path / "twice.json")
    assert twice.kernels == once.kernels


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (to_text(BASELINE).encode()[:-20], "is not JSON.*\\(line 7\\)"),
        (b'{"schema": "occupancy-baseline"', "is not JSON"),
        (b"\xff\xfe{}", "is not a baseline"),
        (b'{"a": ' + b"[" * 100_000, "is not JSON: .* nested too deeply"),
        (to_text(BASELINE).encode() + b"{", "is not JSON: .* should end"),
        (b'{"schema": "\xe9"}', "is not JSON: .* not UTF-8"),
        (b"[" * 100_000, "is not a baseline"),
        (b"[]", "is not a baseline"),
        (b"{}", "is not a baseline"),
        (b"3", "is not a baseline"),
        (b'{"schema_version": 1, "kernels": []}', "is not a baseline"),
        (changed(schema="coverage"), "is not a baseline"),
        (changed(schema_version=3), "is a baseline of version 3.*up to version 2.*Update occupancy"),
        (changed(schema_version=3, kernels={"by": "name"}, tool_version=9), "is a baseline of version 3"),
        (changed(schema_version=10**30), "is a baseline of version 1"),
        (changed(schema_version="1"), "schema_version: got '1'"),
        (changed(schema_version=True), "schema_version: got True"),
        (changed(schema_version=0), "schema_version: got 0"),
        (changed(schema_version=1), r"schema_version: got 1\. Allowed: 2 and up\. occupancy\.save_base"),
        (changed(schema_version=...), "schema_version: got None"),
        (changed(kernels=...), "kernels: is missing"),
        (changed(kernels={}), "kernels: got {}"),
        (changed(author="me"), "author: there is no such name. Make the baseline again with this version"),
        (changed(threads="many"), "threads: got 'many'"),
        (changed(threads=0), "threads: got 0"),
        (changed(kernel={"regs": -1}), r"kernels\[0\].regs: got -1"),
        (changed(kernel={"regs": "32"}), r"kernels\[0\].regs: got '32'"),
        (changed(kernel={"regs": 10**400}), r"kernels\[0\].regs: got 1000000"),
        (changed(kernel={"regsters": 32}), r"kernels\[0\].regsters: there is no such name"),
        (changed(kernel={"name": None}), r"kernels\[0\].name: got None"),
        (changed(kernel={"occupancy": 1.5}), r"kernels\[0\].occupancy: got 1.5"),
        (changed(kernel={"cluster_dim": [1, 2]}), r"kernels\[0\].cluster_dim"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "base.json"
    path.write_bytes(content)
    with pytest.raises(BaselineError, match=message) as caught:
        read_baseline(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 500
    assert path.read_bytes() == content


def test_every_truncation_is_refused() -> None:
    text = to_text(BASELINE).encode()
    for length in range(len(text.rstrip())):
        with pytest.raises(BaselineError):
            parse_baseline(text[:length], "base.json")


@pytest.mark.parametrize("name", ["absent.json", "", "a\0b", "file/base.json"])
def test_paths_that_cannot_be_read_or_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BaselineError, match="cannot be read"):
        read_baseline(tmp_path / name)
    if name != "absent.json":
        with pytest.raises(BaselineError, match="cannot be written"):
            write_baseline(tmp_path / name, BASELINE)


def test_what_another_process_writes_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("occupancy.builds.atomic_file.PATIENCE", 0)
    with alone(str(tmp_path / "base.json")), pytest.raises(BaselineError) as caught:
        write_baseline(tmp_path / "base.json", BASELINE)
    assert caught.value.problem == "another process is writing it"
    assert caught.value.hint == "Try again when it is done."
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_no_text_can_be_written(builds: Path, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9.log")
    odd.write_bytes((builds / "before.log").read_bytes())
    occupancy.save_baseline(odd, tmp_path / "base.json")
    assert read_baseline(tmp_path / "base.json").kernels[0].source == "caf?.log"


def test_part_of_a_build_is_no_baseline(builds: Path, tmp_path: Path) -> None:
    cubin = (builds / "before" / "filters.sm_90.cubin").read_bytes()
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "good.cubin").write_bytes(cubin)
    (tmp_path / "build" / "torn.cubin").write_bytes(cubin[:5000])
    with pytest.raises(ReadError, match=r"torn.cubin"):
        occupancy.save_baseline(tmp_path / "build", tmp_path / "base.json")
    assert not (tmp_path / "base.json").exists()


def test_what_has_no_registers_is_no_baseline(tmp_path: Path) -> None:
    ptx = tmp_path / "k.ptx"
    ptx.write_text(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n")
    with pytest.raises(ReadError, match="no compiled kernel"):
        occupancy.save_baseline(ptx, tmp_path / "base.json")


def test_what_if_is_no_baseline(builds: Path, tmp_path: Path) -> None:
    with pytest.raises(occupancy.InputError, match="as they were compiled"):
        occupancy.save_baseline(builds / "before", tmp_path / "base.json", cc="8.6")
