"""A cache of TorchInductor: fused operations, and the autotuner's choice of candidates."""

import gzip
import os
import re
from operator import attrgetter
from pathlib import Path

import pytest

import occupancy
from tests.cli_runner import run
from tests.samples import INDUCTOR, unpack

# Folder in Triton's cache -> registers (cuobjdump -res-usage), shared memory and threads (Triton's metadata),
# occupancy, and true if a .best_config contains the folder.
ADD, SUM, SUM_2, GELU = (
    "triton_per_fused_add_native_layer_norm_view_4", "triton_red_fused_sum_1", "triton_per_fused_sum_2",
    "triton_poi_fused_gelu_view_2",
)  # fmt: skip
GOLDEN = {
    (ADD, "2GPU"): (107, 4096, 128, 0.25, True), (ADD, "U7H3"): (31, 16, 128, 1.0, False),
    (SUM, "ABGF"): (32, 1024, 128, 1.0, True), (SUM, "6RBY"): (20, 512, 512, 1.0, False),
    (SUM, "ACOU"): (32, 1024, 256, 1.0, False), (SUM, "BWOV"): (30, 4096, 512, 1.0, False),
    (SUM, "PUIE"): (16, 32, 128, 1.0, False), (SUM_2, "OC4Y"): (18, 512, 128, 1.0, True),
    (SUM_2, "A73C"): (10, 0, 64, 1.0, False), (SUM_2, "EGDD"): (17, 64, 64, 1.0, False),
    (SUM_2, "PFGE"): (23, 4096, 256, 1.0, False), (GELU, "SA5E"): (32, 0, 128, 1.0, True),
    (GELU, "I3HP"): (18, 0, 256, 1.0, False),
}  # fmt: skip
FUSES = {
    ADD: ("aten.view", "aten.add", "aten.native_layer_norm"), SUM: ("aten.sum",), SUM_2: ("aten.sum",),
    GELU: ("aten.view", "aten.gelu"),
}  # fmt: skip
FILE_OF_SUM = "cbfw4vemxpy4vlr5rp7bs2oezmmyz4fxxh4aiy5wremw2wazoitj.py"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return unpack(tmp_path / "torchinductor", INDUCTOR / "cache")


def a_choice(cache: Path) -> Path:
    """Return the file with the autotuner's choice for SUM."""
    (path,) = (cache / "bf").glob("*.best_config")
    return path


class TestWhatIsFound:
    def test_every_candidate_with_what_was_chosen(self, cache: Path) -> None:
        found = occupancy.scan(cache)
        assert found.problems == ()
        facts = attrgetter("regs", "dynamic_smem", "threads", "occupancy", "chosen")
        assert {(each.name, Path(each.source).parent.name[:4]): facts(each) for each in found} == GOLDEN

    def test_what_was_chosen_is_what_ran(self, cache: Path) -> None:
        trace, found = occupancy.scan(INDUCTOR / "trace.json.gz"), occupancy.scan(cache)
        ran = {(each.name, each.regs, each.smem, each.threads) for each in trace if each.name in FUSES}
        chosen = {(each.name, each.regs, each.dynamic_smem, each.threads) for each in found if each.chosen}
        assert ran == chosen
        assert len(ran) == 4

    def test_launches_are_of_the_chosen_candidates(self, cache: Path) -> None:
        found = occupancy.scan([cache, INDUCTOR / "trace.json.gz"])
        launched = [each for each in found if each.launches and each.name in FUSES]
        assert {each.chosen for each in launched} == {True}
        assert {each.fuses for each in launched} == set(FUSES.values())
        assert not any(each.chosen and not each.launches for each in found)
        alone = {each.name: each.occupancy for each in occupancy.scan(INDUCTOR / "trace.json.gz")}
        assert {each.name: each.occupancy for each in launched} == {name: alone[name] for name in FUSES}

    def test_copies_in_a_bundle_are_no_candidates(self, cache: Path) -> None:
        bundle = cache / "fxgraph" / "k7" / "bundle"
        bundle.parent.mkdir(parents=True)
        images = sorted(cache.glob("triton/*/*.cubin"))
        bundle.write_bytes(b"\x80\x05" + b"".join(b"\0" * 8 + image.read_bytes() for image in images))
        found = occupancy.scan(cache)
        assert len(found) == len(GOLDEN)
        assert {each.also_in for each in found} == {(str(bundle),)}
        assert sum(bool(each.chosen) for each in found) == 4

    def test_kernels_of_one_name_and_other_files_are_other_kernels(self, cache: Path) -> None:
        a_choice(cache).unlink()
        by_name = {each.name: each.chosen for each in occupancy.scan(cache) if not each.chosen}
        assert by_name == {ADD: False, SUM: None, SUM_2: False, GELU: False}

    def test_a_cache_of_windows(self, cache: Path) -> None:
        (module,) = (cache / "ys").glob("*.py")
        lines = module.read_text(encoding="utf-8").splitlines()
        lines = [line.replace("/", "\\") if "kernel path" in line else line for line in lines]
        module.write_text("\n".join(lines), encoding="utf-8")
        assert {each.fuses for each in occupancy.scan(cache) if each.name == GELU} == {FUSES[GELU]}


class TestHostile:
    @pytest.mark.parametrize("content", [
        b"{", b"\x00\x01\x02", b"[1, 2]", b'{"a": ' + b"9" * 10_000 + b"}",
        b'{"triton_cache_hash": "../../etc"}', b'{"triton_cache_hash": 5}',
        b'{"triton_cache_hash": "' + b"A" * 1000 + b'"}', b'{"triton_cache_hash": "\x1b[31m"}',
        b'{"XBLOCK": "' + b"x" * 200_000 + b'"}', gzip.compress(b" " * 3_000_000),
    ])  # fmt: skip
    def test_what_is_wrong_is_said_and_the_rest_is_read(self, cache: Path, content: bytes) -> None:
        a_choice(cache).write_bytes(content)
        found = occupancy.scan(cache)
        (problem,) = found.problems
        assert f"Warning: {problem}" in str(found)
        assert problem.source == str(a_choice(cache))
        assert re.search("is damaged: .* is not the name of a folder", problem.what)
        assert len(found) == len(GOLDEN)
        assert {each.chosen for each in found if each.name == SUM} == {None}
        answer = run("scan", str(cache))
        assert (answer.exit_code, "Traceback" in answer.stdout + answer.stderr) == (1, False)

    @pytest.mark.posix
    def test_links_lead_nowhere_else(self, cache: Path, tmp_path: Path) -> None:
        for number, target in enumerate(("/dev/zero", "nowhere", str(cache), "loop.best_config")):
            (cache / "bf" / f"{number}.best_config").symlink_to(target)
        (cache / "bf" / "loop.best_config").symlink_to("loop.best_config")
        os.mkfifo(cache / "bf" / "pipe.best_config")
        assert occupancy.scan(cache).problems == ()

    def test_an_older_choice_does_not_say_which_and_alone_it_holds_no_kernel(self, cache: Path) -> None:
        a_choice(cache).write_text('{"XBLOCK": 1, "num_warps": 4, "configs_hash": "a"}')
        found = occupancy.scan(cache)
        assert found.problems == ()
        assert {each.chosen for each in found if each.name == SUM} == {None}
        with pytest.raises(occupancy.ReadError, match="autotuner's choice"):
            occupancy.scan(a_choice(cache))
        with pytest.raises(occupancy.ReadError, match="contains no kernels"):
            occupancy.scan(cache / "bf")

    def test_sources_that_go_on_for_ever(self, cache: Path) -> None:
        (module,) = (cache / "ys").glob("*.py")
        with module.open("a") as file:
            for number in range(200):
                operations = ", ".join(f"aten.{number}_{each}\x1b" for each in range(1000))
                file.write(f"# kernel path: /a/{FILE_OF_SUM}\n# Original ATen: [{operations}]\n")
            file.write(f"# kernel path: /a/{FILE_OF_SUM}\n" + "Original ATen: [" * 60_000 + "\n")
            file.write("# kernel path: " + "/" * 900_000 + "a" * 300 + "\n# Original ATen: [a]\n")
        found = occupancy.scan(cache)
        assert all(len(each.fuses) <= 64 for each in found)
        assert "\x1b" not in "".join(operation for each in found for operation in each.fuses)


def test_builds_are_compared_and_checked_without_rejected_candidates(cache: Path, tmp_path: Path) -> None:
    rules = [occupancy.Rule(min_occupancy=1, max_regs=31)]
    kernels = occupancy.check(cache, rules).kernels
    assert len(kernels) == sum(was_chosen for *_, was_chosen in GOLDEN.values()) == 4
    assert len(occupancy.save_baseline(cache, tmp_path / "baseline.json").kernels) == 4
    report = occupancy.diff(tmp_path / "baseline.json", cache, with_same=True)
    assert [len(each) for each in (report.kernels, report.added, report.removed)] == [4, 0, 0]
    for choice in cache.rglob("*.best_config"):
        choice.unlink()
    assert len(occupancy.check(cache, rules).kernels) == len(GOLDEN)
