"""`compute` and its results: values, several GPUs, immutability, conversion to plain values and back."""

import copy
import itertools
import json
import pickle
import re
from typing import Any

import pytest

import occupancy
from occupancy.api.tuning import Needs
from occupancy.values.fields import FIELDS, KernelInputs


def test_one_gpu_and_several() -> None:
    one = occupancy.compute("A100", threads=256, regs=72)
    several = occupancy.compute(["A100", "H100"], threads=256, regs=72)
    assert isinstance(several, occupancy.Occupancies)
    assert several[0] == one
    ampere = occupancy.compute("ampere", threads=32)
    assert [each.cc for each in ampere] == ["8.0", "8.6", "8.7", "8.8"]
    assert ampere == occupancy.compute(("Ampere",), threads=32)
    assert [each.cc for each in occupancy.compute("hopper", threads=32)] == ["9.0"]


RESULT = occupancy.compute("H100 SXM", threads=256, regs=72, smem="40k")
SEVERAL = occupancy.compute(["H100 SXM", "A100"], threads=256, regs=72, smem="40k")
HOPPERS = occupancy.compute(["H100 SXM", "H200"], threads=256, regs=72, smem="40k")


PRINTED = {
    "37.5% occupancy": (RESULT, RESULT.next_steps(), RESULT.slack(), RESULT.carveout(), RESULT.explain()),
    "Up to 80 registers per thread": (RESULT.budget(occupancy="37.5%"),),
    "__launch_bounds__(256, 4)": (RESULT.launch_bounds(blocks=4), SEVERAL.launch_bounds(blocks=4)),
    "Block sizes on H100 SXM5": (RESULT.block_sizes(), SEVERAL.block_sizes()),
    "1,057 blocks in 1.001 waves of 1,056": (occupancy.compute("H100 SXM", threads=256).waves(1057),),
    "256 threads per block, 72 registers": (SEVERAL,),
    "H100 SXM5 and A100: 256 threads": (SEVERAL.budget(), SEVERAL.next_steps()),
    "256 threads per block, 64 registers": (SEVERAL.replace(regs=64),),
    "One full wave on each GPU": (SEVERAL.waves(),),
    "Grid of 396 blocks": (HOPPERS.waves(),),
    "Largest possible wave": (occupancy.compute(["H200", "B200"], threads=256, cluster=4).waves(),),
    "Grid of 396 blocks in clusters of 4": (HOPPERS.replace(cluster=4).waves(396),),
    "396 blocks in at least one wave of up to 396 blocks": (HOPPERS[0].replace(cluster=4).waves(396),),
    "100 blocks in one wave": (occupancy.compute(["9.0"], threads=64).waves(100, multiprocessor_count=132),),
    "Launches on 1 of 1 compute capability": (occupancy.fits("9.0", RESULT),),
    "Runs: the warpgroups use 64,512": (occupancy.register_split("1:40,2:?"),),
    "1 GPU": (occupancy.gpus("h100 cnx"),),
    "Sources of the limits": (occupancy.sources("9.0"),),
    "Limits of an SM: 9.0, 8.0": (occupancy.limits(["H100", "A100"]),),
}


@pytest.mark.parametrize("headline", PRINTED)
def test_every_result_prints_and_has_flat_rows_and_is_copied_and_hashed(headline: str) -> None:
    for result in PRINTED[headline]:
        assert str(result).startswith(headline)
        assert headline.split()[0] in result._repr_html_()
        assert json.dumps(result.to_dict())
        assert not any(isinstance(value, dict) for row in result.rows() for value in row.values())
        others = [copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))]
        for other in [*others, result._replace()] if hasattr(result, "_replace") else others:
            assert (type(other), other, str(other)) == (type(result), result, str(result))
            assert hash(other) == hash(result)


def test_results_for_builds_are_hashable_and_parts_of_steps_immutable() -> None:
    before, after = (f"tests/data/builds/{each}" for each in ("before", "after"))
    checked, changes = occupancy.check(after, occupancy.Rule(max_regs=1)), occupancy.diff(before, after)
    assert hash((checked, changes, changes.kernels, occupancy.scan(after), RESULT.report(), RESULT.limits))
    with pytest.raises(TypeError, match="immutable"):
        RESULT.next_steps()[0].requires["regs"] = 1


def test_results_are_immutable_and_can_be_copied_and_the_gpu_is_part_of_equality() -> None:
    named, bare = (occupancy.compute(gpu, threads=256) for gpu in ("H100 SXM", "9.0"))
    assert len({named, bare, occupancy.compute("H100 SXM", threads=256)}) == 2
    result = occupancy.compute("H100 SXM", threads="16x16", regs=40, carveout="50%")
    attributes = (result, "active_blocks"), (result, "gpu"), (result, "anything"), (result.kernel, "regs")
    for owner, name in attributes:
        with pytest.raises(AttributeError):
            setattr(owner, name, 1)
    assert result.replace(threads=64).kernel.block_dim is None


@pytest.mark.parametrize("gpu", ["H100 SXM", "9.0", "1.3"])
def test_plain_values_and_back(gpu: str) -> None:
    result = occupancy.compute(gpu, threads=(16, 8), regs=40, smem="4k", carveout=None)
    values = json.loads(json.dumps(result.to_dict()))
    assert occupancy.Occupancy.from_dict(values) == occupancy.compute(gpu, **values["inputs"]) == result
    assert (values["active_blocks"], values["occupancy"]) == (result.active_blocks, result.occupancy)
    others: list[tuple[Any, str]] = [
        ({**values, "inputs": {**values["inputs"], "regs": 41}}, "^values do not match .*resources"),
        ({**values, "occupancy": 0.9}, "^values do not match the inputs or limits of .*: occupancy"),
        ({**values, "schema_version": 0}, "^schema_version: 0 is"), ({"gpus": [values]}, "^values are not from"),
        ({**values, "gpu": "my GPU"}, "^values: .*my GPU.*limits with pickle"),
        (occupancy.compute(result.limits.replace(max_threads_per_block=96), threads=32).to_dict(), "custom .*pickle"),
    ]  # fmt: skip
    for wrong, message in others:
        with pytest.raises(occupancy.InputError, match=message):
            occupancy.Occupancy.from_dict(wrong)


def test_steps_keep_the_static_part_of_shared_memory() -> None:
    result = occupancy.compute("9.0", threads=256, regs=40, static_smem="8k", dynamic_smem="100k")
    for step in result.next_steps():
        reached = result.replace(**step.requires)
        assert (reached.occupancy, reached.kernel.static_smem) == (step.occupancy, 8192)
    assert result.replace(smem="4k").kernel.smem == 4096
    assert occupancy.compute("9.0", threads=32, static_smem=64).replace(smem=96).kernel.dynamic_smem == 32


def test_every_named_gpu_comes_back_from_plain_values() -> None:
    for gpu in occupancy.gpus():
        values = occupancy.compute(gpu, threads=256, regs=40).to_dict()
        assert occupancy.Occupancy.from_dict(values).to_dict() == values


def test_a_kernel_is_checked_however_it_is_made() -> None:
    kernel = occupancy.Kernel(threads="16x16", smem="40k", carveout=50, opt_in="False")
    assert (kernel.threads, kernel.block_dim, kernel.smem) == (256, (16, 16, 1), 40960)
    assert (kernel.carveout, kernel.opt_in) == (occupancy.Carveout(50, "percent"), False)
    assert occupancy.compute("9.0", kernel).active_blocks == 3
    wrong: list[dict[str, Any]] = [
        {"caching": "zz"}, {"opt_in": "yes"}, {"regs": -1}, {"smem": 1, "static_smem": 0},
        {"block_dim": (16, 16, 2)}, {"threads": "16x8", "block_dim": (8, 16, 1)},
    ]  # fmt: skip
    for each in wrong:
        with pytest.raises(occupancy.InputError):
            occupancy.Kernel(**{"threads": 128, **each})
    functions: list[Any] = [occupancy.compute, occupancy.fits, occupancy.sweep]
    for model, function in itertools.product(("zz", 3, {}, ["zz"]), functions):
        with pytest.raises(occupancy.InputError, match=r"^model: .* is unknown") as caught:
            function("9.0", threads=32, model=model)
        assert caught.value.choices == ("cuda", "spreadsheet")
    assert set(KernelInputs.__annotations__) == {name for name, field in FIELDS.items() if field.options}
    assert Needs.__annotations__.keys() == KernelInputs.__annotations__.keys()


def test_clusters_of_several_gpus() -> None:
    waves = HOPPERS.replace(cluster=2).waves(max_active_clusters=[60, 61])
    assert [each.full_wave.clusters for each in waves] == [60, 61]
    for given, shape in {"17": (16, 1, 1), "12x2": (12, 1, 1), "3x7": (3, 5, 1), "4x4x4": (4, 4, 1)}.items():
        assert HOPPERS[0].replace(cluster=given).next_steps()[0].requires["cluster"] == shape
    (fit,) = occupancy.fits("8.6", threads=1024, regs=96, cluster=2)
    assert (fit.runs, fit.occupancy, fit.opt_ins) == (False, 0, ())
    assert re.match("1,024 threads with 96 reg.* Also, 2 blocks in one cluster, but", fit.reason or "")
    assert "66.7%" not in str(occupancy.fits("8.6", threads=1024, regs=32, cluster=2))
    assert str(occupancy.fits(["RTX 5090", "RTX 5080"], threads=32, cluster=16)).count("not documented") == 1
    for size, failing in {1: [], 2: ["8.6"], 16: ["8.6"], 17: ["9.0", "8.6"]}.items():
        found = occupancy.compute(["9.0", "12.0", "8.6"], threads=1024, cluster=size)
        assert [each.cc for each in found if not each.launchable] == failing
        assert ("cluster on 12.0 is not documented" in str(found)) == (size > 8)
        assert [each.opt_ins != () for each in found] == [size == 16, size > 8, False]
    assert 'reports "a kernel launch error has occurred due to cluster misconf' in str(found[0].reason)
    assert [(r.active_blocks, r.occupancy, r.limiters) for r in (found[0], found[2])] == [(0, 0, ())] * 2
    text = str(found[0].replace(threads=32, regs=96, carveout=0))
    assert "17 -> 16, carveout 0% -> 16 KiB" in " ".join(text.split())


def test_parts_of_results_print_and_have_rows() -> None:
    several = occupancy.compute(["H100", "A100"], threads=256, regs=72, carveout=50)
    assert {"threads": 256, "regs": 64}.items() <= several[0].next_steps().rows()[0].items()
    assert str(several[1:].budget()) == str(several[1].budget())
    assert str(several[1].limits) == str(occupancy.limits(["8.0"]))
    assert several[:1].rows() == several[0].rows() == several.rows()[:1]
    assert {"regs": 72, "carveout": "50%", "gpu": "H100"}.items() <= several[0].rows()[0].items()
    assert several[:1].budget().rows()[0]["active_blocks"] == 8
    on_all = occupancy.compute(["H100", "A100"], threads=256).budget(occupancy=0.5)
    assert on_all.wanted == (4, 0.5, 64, 40960, False)
    assert {"regs": 64, "smem": 40960, "needs_opt_in": False}.items() <= on_all.rows()[0].items()
    assert several.block_sizes()[1:].rows() == several[1].block_sizes().rows()
    steps = several[0].next_steps()
    assert several.next_steps()[:1].rows() == steps.rows()
    assert [len(part.rows()) for part in (steps[1:3], steps[:0], several[2:])] == [2, 0, 0]
    assert str(several[2:]) == str(steps[:0]) == "No results"


@pytest.mark.parametrize(
    ("cc", "options", "compiles"),
    [("8.0", {}, False), ("9.0", {}, False), ("9.0", {"opt_in": False}, False), ("9.0", {"opt_in": True}, True),
     ("8.0", {"model": "spreadsheet"}, True), ("9.0", {"opt_in": True, "static_smem": "240k"}, False)],
)  # fmt: skip
def test_static_shared_memory_that_the_compiler_rejects(cc: str, options: Any, compiles: bool) -> None:
    result = occupancy.compute(cc, threads=256, **{"static_smem": "60k", **options})
    (fit,) = occupancy.fits([cc], result, model=result.model, opt_in=result.kernel.opt_in)
    sizes, bounds = result.block_sizes(), result.launch_bounds()
    runs = [fit.runs, sizes[0].active_blocks > 0, bounds.active_blocks > 0, result.failure is None]
    assert {*runs, result.compiles, result.launchable, result.slack().smem is not None} == {compiles}
    assert compiles or (result.failure or ())[:5][::4] == ("static_smem", "")
    for step in result.next_steps():
        reached = result.replace(**step.requires)
        assert (reached.launchable, reached.active_blocks) == (True, step.active_blocks)
    several = str(occupancy.compute([cc, "9.0"], result))
    assert compiles or "static_smem" in options or " KiB dynamic" in several
    text = " ".join(f"{result} {sizes}".split())
    counts = text.count("Does not compile"), text.count("compiler accepts")
    assert counts == ((0, 0) if compiles else (1, 2))


def test_functions_of_the_runtime_have_no_model() -> None:
    with pytest.raises(TypeError, match=r"^model is not an argument(?!.*Did you mean model)"):
        occupancy.cuda.max_active_blocks_per_multiprocessor("8.0", threads=256, model="cuda")  # type: ignore[call-arg]


def test_messages_name_the_argument_to_change() -> None:
    result = occupancy.compute("H100", threads=256)
    for call, message in (
        (lambda: occupancy.compute("A100,H100", threads=256), "^gpu: .* Pass a list, or choose"),
        (lambda: result.waves(9), "^gpu: .* Set `multiprocessor_count`, or choose"),
        (lambda: result.waves(-1), "^grid: -1 is out of range"),
        (lambda: HOPPERS.waves(max_active_clusters=1.5), "not a list with a num"),  # type: ignore[arg-type]
        (lambda: occupancy.compute("9.0", threads=64, tensor_memory=100), "^tensor_memory: .*no tensor"),
        (lambda: occupancy.compute("8.0", threads=range(200)), "^threads: .*range.* pass a list to"),  # type: ignore[call-overload]
        (lambda: result.replace(gpu="A100"), r'For another GPU, call occupancy.compute\("A100", result\)'),  # type: ignore[call-arg]
        (lambda: occupancy.Carveout(20, "foo"), "^carveout: 20 foo is out of range. Allowed: a whole"),  # type: ignore[arg-type]
    ):
        with pytest.raises((occupancy.InputError, TypeError), match=message):
            call()
