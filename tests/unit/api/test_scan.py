"""Kernels of files, through the library."""

import copy
import dataclasses
import io
import json
import pickle
import typing
from pathlib import Path

import pytest

import occupancy
from occupancy.tables.gpus import find_gpu
from tests import builds, hostile
from tests.cli_runner import run
from tests.samples import sample, unpacked


def test_an_answer_answers_its_own_questions(samples: Path) -> None:
    for kernel in occupancy.scan(samples, threads=256):
        answer = kernel.result
        assert (answer is None) == (kernel.occupancy is None)
        if answer is not None:
            for name in ("occupancy", "active_blocks", "limiters", "launchable"):
                assert getattr(answer, name) == getattr(kernel, name)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_kernels_and_all_of_them_can_be_copied_and_pickled(samples: Path, again: typing.Any) -> None:
    for path in (samples / "ncu_raw.csv", samples / "samples.fatbin"):
        found = occupancy.scan(path, gpu="H20")
        copied = again(found)
        assert (copied, hash(copied)) == (found, hash(found))
        assert (str(copied), copied.to_dict()) == (str(found), found.to_dict())
        assert again(found[0]) == found[0]
        assert again(found[0]).result == found[0].result is not None
    with (samples / "ptxas_v.txt").open("rb") as file:
        stream = occupancy.scan(file)
        assert again(stream)[0] == stream[0]


def test_what_cannot_be_read(tmp_path: Path, samples: Path) -> None:
    (tmp_path / "damaged").write_bytes(b"nothing")
    with pytest.raises(occupancy.ReadError):
        occupancy.scan(tmp_path / "damaged")
    found = occupancy.scan([tmp_path / "damaged", samples / "ptxas_v.txt"])
    assert [problem.source for problem in found.problems] == [str(tmp_path / "damaged")]
    assert "1 problem" in repr(found)


def test_wrong_arguments(samples: Path) -> None:
    assert len(occupancy.scan(samples, limit="2")) == 2  # type: ignore[arg-type]
    wrong: list[dict[str, typing.Any]] = [
        {"sort": "speed"}, {"limit": 0}, {"arch": "sm_9x"}, {"threads": "many"}, {"multiprocessor_count": 0},
        {"dynamic_smem": -1}, {"dynamic_smem": {"nothing": 0}},
    ]  # fmt: skip
    for each in wrong:
        with pytest.raises(occupancy.InputError):
            occupancy.scan(samples, **each)
    with pytest.raises(occupancy.InputError, match=r"io\.BytesIO"):
        occupancy.scan([])
    with pytest.raises(occupancy.InputError, match=r"io\.BytesIO"):
        occupancy.scan("ptxas info\n")


def test_a_product_says_how_many_sms_there_are(samples: Path) -> None:
    path = samples / "ncu_raw.csv"
    found = occupancy.scan(path, gpu="H20", sort="occupancy")
    said = run("scan", str(path), "--gpu", "H20", "--sort", "occupancy", "--format", "json").stdout
    assert json.loads(json.dumps(found.to_dict())) == json.loads(said)
    assert found.to_dict()["inputs"]["sms"] == 78
    same = occupancy.scan(path, gpu="9.0", sort="occupancy", multiprocessor_count=78)
    assert [each.waves for each in found] == [each.waves for each in same]
    assert occupancy.scan(path, gpu="H20", multiprocessor_count=20).to_dict()["inputs"]["sms"] == 20


def test_a_stream_of_kernels_never_silently_gives_nothing(samples: Path) -> None:
    of_a_file = occupancy.stream_kernels(samples / "ptxas_v.txt")
    assert list(of_a_file) == list(of_a_file) != []
    of_a_stream = occupancy.stream_kernels(io.BytesIO(sample("ptxas_v.txt")))
    assert list(of_a_stream)
    with pytest.raises(occupancy.ReadError, match="was already read"):
        list(of_a_stream)


def test_the_total_of_shared_memory_is_there(samples: Path) -> None:
    mm = occupancy.scan(samples / "triton_cache")[0]
    assert (mm.static_smem, mm.dynamic_smem, mm.smem) == (0, 98304, 98304)
    assert mm.result is not None
    assert mm.result.kernel.dynamic_smem == 98304
    assert list(occupancy.prune("9.0", [mm])) == [mm]
    (traced, *_) = occupancy.scan(samples / "pytorch_trace.json")
    assert traced.static_smem is None
    assert traced.smem is not None


def test_launch_bounds_of_a_kernel_count_wherever_it_is_computed(samples: Path) -> None:
    kernel = next(each for each in occupancy.scan(samples / "samples.cubin") if each.max_threads == 256)
    replaced = occupancy.compute("9.0", kernel).replace(threads=512)
    for result in (occupancy.compute("9.0", kernel, threads=512), replaced):
        assert (result.launchable, result.active_blocks) == (False, 0)
        assert "512 threads in one block, but the kernel was compiled for at most 256." in str(result.reason)
    assert not any(fit.runs for fit in occupancy.fits("9.0", kernel, threads=512))
    assert not occupancy.is_launchable("9.0", kernel, threads=512)
    sizes = occupancy.compute("9.0", kernel).block_sizes()
    assert max(size.threads for size in sizes if size.active_blocks) == 256


def test_code_that_another_gpu_cannot_run_or_load() -> None:
    image = "tests/data/kernels/cubins/13.0_90_0.cubin.gz"
    for gpu, launchable, share in (("A100", False, 0), ("B200", None, 1), ("H100", True, 1)):
        (kernel,) = occupancy.scan(image, gpu=gpu, name="clus2")  # in clusters of 2
        assert (kernel.launchable, kernel.occupancy) == (launchable, share), kernel.reason
        assert occupancy.fits(gpu, kernel)[0].runs == occupancy.is_launchable(gpu, kernel) == bool(share)
        assert ", clusters of 2" in str(occupancy.fits(gpu, kernel))
        assert (kernel.to_dict()["smem"], kernel.to_dict()["occupancy"]) == (kernel.smem, share)
    evaluator = dataclasses.replace(builds.EVALUATOR, gpu=find_gpu("A100"), selects_code=True)
    clustered = evaluator.row(builds.kernel(arch="sm_90", ptx=(), cluster_dim=(2, 1, 1)))
    assert "9.0 or newer. Also, no code or compatible PTX for 8.0" in str(clustered.reason)
    own = occupancy.limits("9.0").replace(max_registers_per_multiprocessor=1 << 17)
    check = occupancy.check(image, occupancy.Rule(min_occupancy=1), gpu=own, dynamic_smem="64k")
    several = occupancy.compute(["9.0", own], threads=1)
    for text in map(str, (check, occupancy.sweep(own, threads=1), several)):
        assert "that differ from the table" in " ".join(text.split())
        assert "custom 9.0" in text
    two = str(occupancy.scan([image, "tests/data/kernels/samples.exe.gz"], gpu="B200"))
    assert "B200: the GPU cannot load this code (" in two
    assert "B200: no code for 10.0, so the driver JIT-compiles compute_90 PTX (" in " ".join(two.split())
    assert "3 kernels break" in repr(
        occupancy.check("tests/data/kernels/triton_cache", occupancy.Rule(max_regs=20))
    )  # two are called mm
    logs = "".join(map(hostile.log, "abcdefgh", (255, 255, 255, 255, 255, 200, 150, 100)))
    found = str(occupancy.scan(io.BytesIO(logs.encode()), threads=1024))
    assert "a, b, c and 2 more do not launch: 1,024 threads with 255" in found
    assert "\n1 more reason: see `reason`" in found
    log = hostile.log("k").replace("sm_90", "sm_90a").replace("used 0 barriers", "56832 bytes smem").encode()
    assert [occupancy.scan(io.BytesIO(log), gpu=gpu)[0].launchable for gpu in ("9.0", "8.0")] == [True, False]


@pytest.mark.parametrize(("file", "gpu", "target"), [
    ("kernels/samples.exe", "B200", "compute_90"), ("kernels/samples.exe", "A100", ""),
    ("modern/linked.a", "H100", "compute_90a"), ("modern/linked.a", "10.3", "compute_100f"),
    ("modern/linked.a", "RTX 5090", "compute_80"), ("modern/linked.a", "7.5", ""),
])  # fmt: skip
def test_ptx_that_the_driver_compiles(file: str, gpu: str, target: str) -> None:
    """nvcc -rdc=true puts the PTX beside the relocatable code. An H200 ran such programs and refused others."""
    path, cc = f"tests/data/{file}.gz", occupancy.gpu(gpu).limits.compute_capability
    reason = f"no code or compatible PTX for {cc} (compile for {cc.sm})"
    reason = f"no code for {cc}, so the driver JIT-compiles {target} PTX" if target else reason
    verdict = None if target else False, reason
    found = occupancy.scan(path, gpu=gpu)
    assert {(each.launchable, each.reason) for each in found} == {verdict}
    assert {(each.occupancy == 0, each.limiters == ()) for each in found} == {(not target, not target)}
    assert reason in " ".join(str(found).split())
    assert {kernel.launchable for kernel in occupancy.scan(path, gpu=gpu, arch="all")} <= {None}


def test_ptx_of_copies_of_damaged_files_and_of_baselines(tmp_path: Path) -> None:
    data = unpacked("modern/linked.a")
    cut = data.rindex(b"\x50\xed\x55\xba")  # the objects' fatbin follows the linked one
    targets: typing.Any = ("compute_80", "compute_90a", "compute_100f")
    cubin = data[data.index(b"\x7fELF\x02\x01\x01\x41") : cut]  # outside of a fatbin, copies have no PTX
    for parts, ptx in (([data[:cut]], ()), ([data[:cut], cubin, data[cut:]], targets), ([cubin], None)):
        assert [each.ptx for each in occupancy.scan([*map(io.BytesIO, parts)])] == [ptx]
    program = sample("samples.exe")
    ptx = program.rindex(b"\x01\x00\x01\x01\x50")  # an entry of the kind PTX
    damaged = io.BytesIO(program[: ptx + 8] + b"\xff" * 7 + program[ptx + 15 :])
    assert {(each.ptx, each.launchable) for each in occupancy.scan(damaged, gpu="A100")} == {(None, None)}
    (archive := tmp_path / "linked.a").write_bytes(data)
    occupancy.save_baseline(archive, baseline := tmp_path / "b.json")
    without = tmp_path / "no.json"
    without.write_text(baseline.read_text().replace(f'"ptx": {json.dumps(targets)}', '"ptx": []'))
    assert occupancy.diff(baseline, archive, gpu="H100").summary["same"] == 1
    assert "100% -> no launch" in str(occupancy.diff(baseline, without, gpu="H100"))
    (unknown := tmp_path / "unknown.json").write_text(without.read_text().replace(' "ptx": [],', ""))
    assert occupancy.diff(unknown, without, gpu="H100").summary["same"] == 1
    baseline.write_text(baseline.read_text().replace("compute_80", "\\u001b"))
    with pytest.raises(occupancy.BaselineError, match=r"kernels\[0\].ptx"):
        occupancy.diff(baseline, archive)


def test_the_total_of_a_launch_is_not_added_to_the_static_part_of_its_image(tmp_path: Path) -> None:
    (tmp_path / "k.log").write_text(hostile.log("k").replace("0 barriers", "0 barriers, 2048 bytes smem"))
    trace = hostile.trace("k").replace('"shared memory": 0', '"shared memory": 4096')
    (tmp_path / "t.json").write_text(trace)
    (kernel,) = occupancy.scan(tmp_path)
    assert (kernel.static_smem, kernel.smem, kernel.also_in) == (None, 4096, (str(tmp_path / "k.log"),))
    assert kernel.result is not None


BUILD = "tests/data/builds/after"


def test_an_architecture_needs_code_for_one_of_its_compute_capabilities() -> None:
    assert {each.arch for each in occupancy.scan(BUILD, arch="ampere")} == {"sm_80"}
    with pytest.raises(occupancy.InputError, match=r"sm_70, sm_72\. Architectures: sm_80, sm_90"):
        occupancy.scan(BUILD, arch=["ampere", "volta"])
    for arch, found in (("Ampere", "sm_80"), ((), "sm_80, sm_90")):
        checked = occupancy.check(BUILD, occupancy.Rule(arch=arch, min_occupancy=0.9, max_spill_bytes=0))
        assert {(each.rule, each.arch) for each in checked.findings()} == {("min_occupancy", found)}
        assert {each.severity for each in checked.findings(with_passed=True)} >= {"error"}
    with pytest.raises(occupancy.InputError, match="is empty"):
        occupancy.check(BUILD, [occupancy.Exemption(kernels="*", reason="none")])
