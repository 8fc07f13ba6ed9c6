"""What `compute` returns: it takes kernels in every form, answers its own questions, and shows itself."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import occupancy
from occupancy import InputError, Kernel
from occupancy.render.words import listing
from occupancy.tables.gpus import find_gpu
from occupancy.values.listed import LEFT
from tests.cli_runner import run

KERNEL: dict[str, Any] = {"threads": 256, "regs": 40, "smem": "40k"}


@pytest.fixture
def answer() -> occupancy.Occupancy:
    return occupancy.compute("9.0", **KERNEL)


# compute(cc, kernel)


def test_a_kernel_as_it_is() -> None:
    kernel = Kernel(256, regs=40, smem=40960, block_dim=(16, 16, 1))
    assert occupancy.compute("9.0", kernel).kernel is kernel


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"regs": 64}, Kernel(256, 64, 8192, 1024, block_dim=(16, 16, 1))),
        # Other threads have another shape, or none; a total replaces its parts.
        ({"threads": 128}, Kernel(128, 40, 8192, 1024)),
        ({"threads": (32, 2)}, Kernel(64, 40, 8192, 1024, block_dim=(32, 2, 1))),
        ({"smem": "4k"}, Kernel(256, 40, smem=4096, block_dim=(16, 16, 1))),
        ({"dynamic_smem": 0}, Kernel(256, 40, 8192, 0, block_dim=(16, 16, 1))),
    ],
)
def test_what_is_given_beside_a_kernel_replaces_what_it_says(
    changed: dict[str, Any], expected: Kernel
) -> None:
    kernel = Kernel(256, 40, 8192, 1024, block_dim=(16, 16, 1))
    assert occupancy.compute("9.0", kernel, **changed).kernel == expected


def test_a_kernel_that_a_file_holds(samples: Path) -> None:
    record = occupancy.scan(samples / "ptxas_v.txt")[0]
    found = occupancy.compute("9.0", record, threads=128)
    assert (found.kernel.regs, found.kernel.threads) == (record.regs, 128)


def test_a_kernel_of_a_framework() -> None:
    compiled = SimpleNamespace(
        name="saxpy", num_regs=18, shared_size_bytes=2048, local_size_bytes=0, binary_version=90,
        max_threads_per_block=1024,
    )  # fmt: skip
    found = occupancy.compute("9.0", compiled, threads=(32, 8), dynamic_smem="1k")
    assert found.kernel == Kernel(256, 18, 2048, 1024, block_dim=(32, 8, 1))
    assert occupancy.next_steps("9.0", compiled, threads=256) == found.next_steps()


@pytest.mark.parametrize(
    ("kernel", "arguments", "complaint"),
    [
        (None, {"regs": 40}, "threads: is missing"),
        ("kernel", {"threads": 128}, "kernel"),
        (Kernel(128), {"threads": 0}, "threads: 0 is out of range"),
    ],
)
def test_what_is_no_kernel(kernel: object, arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        occupancy.compute("9.0", kernel, **arguments)


# Its own questions


@pytest.mark.parametrize("name", ["next_steps", "slack", "carveout", "block_sizes", "fits"])
def test_the_answer_and_the_function_say_the_same(answer: occupancy.Occupancy, name: str) -> None:
    arguments = {each: value for each, value in KERNEL.items() if name != "block_sizes" or each != "threads"}
    chip = () if name == "fits" else ("9.0",)
    assert getattr(answer, name)() == getattr(occupancy, name)(*chip, **arguments)


def test_questions_with_arguments(answer: occupancy.Occupancy) -> None:
    quarter = answer.budget(occupancy="25%").wanted
    assert quarter is not None
    assert quarter.active_blocks == 2
    assert answer.budget(blocks="2") == occupancy.budget("9.0", blocks=2, **KERNEL)
    assert answer.launch_bounds(min_blocks="4") == occupancy.launch_bounds("9.0", min_blocks=4, **KERNEL)
    assert [each.cc for each in answer.fits(["9.0", 80])] == ["9.0", "8.0"]
    assert answer.fits("9.0")[0].active_blocks == answer.active_blocks
    without = answer.block_sizes()
    assert without[0].active_blocks * without[0].threads <= 2048


def test_block_sizes_with_other_shared_memory() -> None:
    found = occupancy.compute("9.0", threads=128, regs=32, dynamic_smem=1024)
    halved = found.block_sizes(dynamic_smem="114k")
    assert {each.active_blocks for each in halved} == {1}
    assert found.block_sizes(dynamic_smem=lambda threads: threads * 32)[0].dynamic_smem is not None


def test_waves(answer: occupancy.Occupancy) -> None:
    waves = answer.waves((64, 64), multiprocessor_count=132)
    assert (waves.full_wave.blocks, waves.full_waves, waves.partial_wave_blocks) == (660, 6, 136)
    clusters = answer.waves(4096, multiprocessor_count=132, cluster=2, max_active_clusters=100)
    assert (clusters.full_wave.blocks, clusters.full_wave.is_upper_bound) == (200, False)


def test_an_answer_knows_the_product_that_was_named() -> None:
    h100 = occupancy.compute("H100 SXM", **KERNEL)
    assert h100.waves(1000).full_wave.multiprocessor_count == 132
    with pytest.raises(InputError, match="100 blocks of 256 threads cannot be resident on H100 SXM5"):
        h100.budget(blocks=100)
    with pytest.raises(InputError, match="2048 is more than a block may have on H100 SXM5"):
        occupancy.compute("H100 SXM", threads=2048).launch_bounds()
    assert h100.budget().gpu == h100.to_dict()["gpu"]["name"] == "H100 SXM5"
    assert (sizes := h100.block_sizes().report.to_dict())["gpu"] == "H100 SXM5"
    assert sizes["launch"] is not None
    for alike in (copy.copy(h100), pickle.loads(pickle.dumps(h100))):
        assert alike == h100
        assert alike.waves(1000) == h100.waves(1000)
    named = find_gpu("H100 SXM")
    for cc in (named, named.limits, "9.0", 90, (9, 0)):
        assert occupancy.compute(cc, **KERNEL) == h100
        assert occupancy.compute(cc, **KERNEL).budget().gpu == (named.name if cc is named else None)
    automatic = occupancy.compute("H100 SXM", **KERNEL, carveout="auto")
    assert automatic.waves(1000).full_wave.multiprocessor_count == 132
    assert occupancy.next_steps(named, **KERNEL) == h100.next_steps()
    assert occupancy.limits(named) == named.limits


def test_every_step(answer: occupancy.Occupancy) -> None:
    assert [each.resource for each in answer.explain()] == list(answer.uses)[:-2]  # it has no tensor memory
    assert answer.to_dict(explain=True)["explanation"]


# How it shows itself


def returned() -> list[object]:
    """Something of everything that a function about kernels and chips returns."""
    found = occupancy.compute("9.0", **KERNEL)
    waves = found.waves(4096, multiprocessor_count=132, cluster=2)
    return [
        found,
        found.report(),
        found.chip,
        found.next_steps(),
        found.next_steps()[0],
        found.slack(),
        found.carveout(),
        found.carveout().smallest,
        found.budget(blocks=2),
        found.budget(blocks=2).wanted,
        found.launch_bounds(min_blocks=4),
        found.block_sizes(),
        found.block_sizes()[0],
        found.fits(["9.0"]),
        found.fits(["9.0"])[0],
        waves,
        waves.full_wave,
        occupancy.max_potential_block_size("9.0", multiprocessor_count=132, regs=40),
        occupancy.max_active_clusters("9.0", multiprocessor_count=132, cluster_size=4, **KERNEL),
        occupancy.gpus("hopper"),
        occupancy.gpu("H200"),
        occupancy.sources("9.0"),
        occupancy.registers("1:40,2:?"),
        found.kernel,
        found.block_limits,
        found.allocated,
        found.uses["warps"],
        found.slack().left_over["registers"],
        found.explain()[0],
        found.limits.compute_capability,
        occupancy.Launch(found.kernel, (4096, 1, 1)),
        occupancy.compute("9.0", threads=2048).failure,
        occupancy.compute("9.0", threads=256, dynamic_smem="60k").opt_ins[0],
        occupancy.compute("9.0", threads=256, carveout="50%").kernel.carveout,
        (on_both := occupancy.compute_on_all(["8.0", "9.0"], **KERNEL)),
        on_both.chips[0],
        on_both.next_steps[0],
        occupancy.budget_on_all(["8.0", "9.0"], **KERNEL, blocks=2).chips[0],
        occupancy.Limiter.WARPS | occupancy.Limiter.SHARED_MEMORY,
    ]


RETURNED = returned()


@pytest.mark.parametrize("value", RETURNED, ids=lambda value: type(value).__name__)
def test_everything_that_is_returned_can_be_imported_and_prints_well(value: object) -> None:
    name = type(value).__name__
    assert getattr(occupancy, name) is type(value)
    assert not str(value).startswith((f"{name}(", "<", "("))
    page = value._repr_html_()  # type: ignore[attr-defined]
    assert page.startswith("<")
    assert f"{name}(" not in page


class ZMQInteractiveShell:
    """By this name of its shell's class rich knows a notebook."""


@pytest.mark.parametrize("value", RETURNED, ids=lambda value: type(value).__name__)
def test_in_a_notebook_the_text_is_the_same_and_nothing_else_is_shown(
    value: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = str(value)
    monkeypatch.setattr("builtins.get_ipython", ZMQInteractiveShell, raising=False)
    assert str(value) == elsewhere
    assert capsys.readouterr().out == ""


def test_a_size_that_grows_with_the_block_goes_to_what_asks_for_block_sizes() -> None:
    with pytest.raises(InputError, match=r"^smem: a function is not a size\. .*dynamic_smem of block_sizes"):
        occupancy.block_sizes("8.0", regs=40, smem=lambda threads: 64 * threads)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^threads: is missing\. .*block_sizes\(\) finds the best"):
        occupancy.compute("8.0", regs=40)


SENTENCES = {
    "NextStep": "6 blocks, 75%: shared memory 37 KiB",
    "Slack": "registers up to 48, shared memory up to 44.5 KiB, barriers up to 12",
    "Configuration": "228 KiB (86%): 5 blocks, 62.5%",
    "CarveoutAdvice": "228 KiB (86%): 5 blocks, 62.5%; of 6 sizes the smallest with as many blocks as now",
    "BudgetLevel": "2 blocks, 25%: up to 128 registers per thread and 113 KiB of shared memory per block",
    "LaunchBounds": "__launch_bounds__(256, 4) on 9.0: up to 64 registers per thread; "
    "5 blocks, 62.5%, with 40",
    "Fit": "9.0: 5 blocks, 62.5%",
    "Waves": "4,096 blocks in at least 6.206 waves of 660: 6 full, the last 20.6% full; "
    "one H200 was measured to hold all 660 blocks",
    "FullWave": "at most 660 blocks in 330 clusters of 2 on 132 SMs; "
    "one H200 was measured to hold all 660 blocks",
    "LaunchConfiguration": (
        "cudaOccupancyMaxPotentialBlockSize: 264 blocks of 768 threads fill the device, 75% occupancy"
    ),
    "RegisterSplit": "384 threads on 9.0: 168 registers per thread at launch, 64,512 of 64,512 taken; "
    "they suffice",
    "ClusterBound": "at most 165 clusters",
    "Carveout": "50%",
    "ComputeCapability": "9.0",
    "OptIn": "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440)",
    "Gpu": "compute capability 9.0 (Hopper)",
    "Limiter": "warps, shared_memory",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_small_answers_are_a_sentence(name: str) -> None:
    value = next(each for each in RETURNED if type(each).__name__ == name)
    assert str(value) == SENTENCES[name]
    assert value._repr_html_() == f"<p>{SENTENCES[name]}</p>"  # type: ignore[attr-defined]


def test_sentences_where_there_is_nothing() -> None:
    too_much = occupancy.compute("9.0", threads=1024, regs=255)
    assert str(too_much.slack()) == "no block is resident"
    assert str(too_much.carveout()) == "no size of the SM's shared memory holds a block"
    assert str(too_much.fits("9.0")[0]).startswith(
        "9.0: 1,024 threads of 255 registers take 262,144 registers"
    )
    none = occupancy.max_potential_block_size("9.0", multiprocessor_count=132, smem="300k")
    assert str(none) == "cudaOccupancyMaxPotentialBlockSize: no block of any size can be resident"
    ignored = occupancy.launch_bounds("9.0", threads=256, min_blocks=40)
    assert str(ignored).endswith("ptxas ignores minnctapersm: an SM has places for 32 blocks")


def test_representation(answer: occupancy.Occupancy) -> None:
    assert repr(answer) == "<Occupancy 62.5% on 9.0: 5 blocks of 256 threads, limited by shared_memory>"


# Several at once


def test_answers_are_a_tuple(answer: occupancy.Occupancy) -> None:
    steps = answer.next_steps()
    assert isinstance(steps, tuple)
    assert steps[1:3] == (steps[1], steps[2])
    assert str(steps[1:3]).splitlines()[:3] == [str(steps).splitlines()[line] for line in (0, 2, 3)]
    assert steps.to_dict()["next_steps"][0] == {
        "active_blocks": 6, "occupancy": 0.75, "requires": {"smem": 37888},
    }  # fmt: skip
    assert list(steps)[-1] == steps[-1]


def test_next_steps_say_how_their_registers_are_had_as_the_command_does() -> None:
    answer = occupancy.compute("9.0", threads=128, regs=72, smem="20k")
    steps = answer.next_steps()
    text, first = str(steps), "64 regs (may spill): __launch_bounds__(128, 8) or -maxrregcount=64"
    table, _, how = text.partition("\n\n")
    registers = [step.requires["regs"] for step in steps if "regs" in step.requires]
    assert len(table.splitlines()) == 1 + len(steps)
    assert how.startswith(first)
    assert all(f" for {each}" in " ".join(how.split()) for each in set(registers) - {64})
    assert f"<p>{first}; (128, " in steps._repr_html_()
    assert first in " ".join(str(answer).split())  # the same beside the steps of calc
    assert str(steps[:1]).splitlines()[-1] == first  # of those that are shown alone
    assert steps.to_dict()["fewer_registers"][0] == {
        "regs": 64, "launch_bounds": "__launch_bounds__(128, 8)", "maxnreg": "__maxnreg__(64)",
        "maxrregcount": "-maxrregcount=64",
    }  # fmt: skip
    other_sizes = occupancy.next_steps("9.0", threads=128, regs=72, smem="40k")[-1:]
    assert "block size" in str(other_sizes)
    assert "launch_bounds" not in str(other_sizes)


def test_next_steps_of_registers_that_warpgroups_may_divide() -> None:
    steps = occupancy.next_steps("9.0", threads=384, regs=168)
    *_, last = str(steps).splitlines()
    assert last == "If warpgroups use setmaxnreg, skip steps to fewer registers."
    assert "launch_bounds" not in str(steps)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"threads": 256}, "threads: every block size is tried. Leave it out, or ask compute"),
        ({"smem_per_thread": 64}, "smem_per_thread: .* dynamic_smem takes a function: lambda threads:"),
    ],
)
def test_what_is_said_of_one_block_size_is_refused_where_all_are_tried(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(occupancy.InputError, match=message):
        occupancy.block_sizes("8.0", regs=40, **given)
    with pytest.raises(occupancy.InputError, match=message):
        occupancy.max_potential_block_size("8.0", regs=40, multiprocessor_count=108, **given)


@pytest.mark.parametrize(
    ("function", "wrong", "said"),
    [
        ("compute", {"registers": 32}, "compute(): there is no argument 'registers'. Allowed: cc, kernel, "),
        ("compute", {"registers": 32}, "Did you mean regs?"),
        ("sweep", {"cluster": 4}, "sweep(): there is no argument 'cluster'. Allowed: cc, threads, regs, "),
        ("launch_bounds", {"blocks": 4}, "Did you mean min_blocks?"),
        ("budget", {"block": 4}, "budget(): there is no argument 'block'. Allowed: cc, kernel, occupancy, "),
        ("compute_on_all", {"cc": "9.0"}, "Did you mean ccs=['9.0']?"),
        ("is_launchable", {"shmem": 4}, "Did you mean smem?"),
        ("sweep", {"shared": 4}, "Did you mean smem?"),
        ("compute", {"dynamic_shared_memory": 4}, "Did you mean dynamic_smem?"),
        ("compute", {"num_block_barriers": 4}, "Did you mean barriers?"),
    ],
)
def test_an_argument_that_there_is_not_is_answered_with_those_that_there_are(
    function: str, wrong: dict[str, Any], said: str
) -> None:
    chip = () if "cc" in wrong else ("9.0",)
    with pytest.raises(InputError) as error:
        getattr(occupancy, function)(*chip, threads=256, **wrong)
    assert said in str(error.value)


def test_some_of_many_answers_print_as_the_table_with_these_alone() -> None:
    sizes = occupancy.block_sizes("8.0", regs=40)
    assert [len(str(some).splitlines()) for some in (sizes[:3], sizes[5:5])] == [15, 3]
    said = " ".join(str(sizes).split())
    assert (
        "limited by registers. With 32 registers blocks of 64, 128, 256, 512 and 1,024 threads have" in said
    )
    assert "100%:" not in str(occupancy.block_sizes("8.0", regs=32))
    for many in (occupancy.gpus("hopper"), occupancy.compute_capabilities(), sizes[0:4]):
        assert many[1:3].to_dict() != many.to_dict()
        assert len(many[1:3]) == 2


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_what_is_returned_can_be_copied_and_pickled(again: Any) -> None:
    for value in RETURNED:
        if type(value) is not occupancy.SourcesReport or again is not copy.copy:
            assert again(value) == value
            assert str(again(value)) == str(value)


def test_gpus_are_listed_newest_first() -> None:
    found = occupancy.gpus()
    assert occupancy.gpu("H200 SXM") in found
    ccs = [each.limits.compute_capability for each in found]
    assert ccs == sorted(ccs, reverse=True)
    assert len(found.to_dict()["gpus"]) == len(found) > 300
    assert {each.cc for each in occupancy.gpus("hopper,8.9")} == {"9.0", "8.9"}
    assert [each.label for each in occupancy.gpus("hopper", sort="sms")][-1] == "H20"


def test_sources() -> None:
    found = occupancy.sources(["9.0", 80])
    of_hopper = found.to_dict()["compute_capabilities"]["9.0"]["max_registers_per_multiprocessor"]
    assert of_hopper["value"] == 65536
    assert len(of_hopper["sources"]) >= 2
    assert set(found.to_dict()["compute_capabilities"]) == {"8.0", "9.0"}
    everything = occupancy.sources().to_dict()["compute_capabilities"]
    assert set(everything) == {str(each) for each in occupancy.compute_capabilities()}
    with pytest.raises(occupancy.UnknownComputeCapabilityError):
        occupancy.sources("9.9")


# The parameters


def test_compute_declares_the_arguments_of_all_questions() -> None:
    """It writes them out for speed; their one declaration is in `occupancy.api.arguments`."""
    from occupancy.api.arguments import MEANINGS, KernelArguments

    parameters = list(inspect.signature(occupancy.compute).parameters.values())[2:]
    assert {each.name: each.annotation.replace("engine.", "") for each in parameters} == {
        name: kind.__forward_arg__ for name, kind in KernelArguments.__annotations__.items()
    }
    assert all(each.default is None and each.kind is each.KEYWORD_ONLY for each in parameters)
    assert set(MEANINGS) == set(KernelArguments.__annotations__)


def test_the_array_form_takes_the_same_arguments() -> None:
    from occupancy.api.arguments import MEANINGS

    of_sweep = set(inspect.signature(occupancy.sweep).parameters)
    assert of_sweep - set(MEANINGS) == {"cc", "outputs"}
    assert set(MEANINGS) <= of_sweep
    text = inspect.getdoc(occupancy.sweep) or ""
    assert all(text.count(f"    {name}: ") == 1 for name in of_sweep)
    assert MEANINGS["regs"] in text
    assert MEANINGS["threads"] not in text, "an array of two numbers is no shape"


def test_tuners_and_the_command_line_take_the_same_arguments() -> None:
    from occupancy.api.arguments import KernelArguments
    from occupancy.api.tuning import ARGUMENT_OF, Needs
    from occupancy.cli.calc import command

    ours = set(KernelArguments.__annotations__)
    assert set(Needs.__annotations__) == set(ARGUMENT_OF.values()) == ours - {"model"}
    assert ours <= {each.name for each in command.params}


def test_the_chips_with_a_choice_of_caching_are_those_of_the_table() -> None:
    from occupancy.values.kernel import CACHING_CHIPS

    chips = [
        each for each in occupancy.compute_capabilities() if occupancy.limits(each).partitioned_global_caching
    ]
    assert listing([str(each) for each in chips]) == CACHING_CHIPS


def test_the_meanings_of_the_arguments_are_in_help() -> None:
    from occupancy.api.arguments import MEANINGS

    for function in (occupancy.compute, occupancy.next_steps):
        for name, meaning in MEANINGS.items():
            assert f"    {name}: {meaning}\n" in f"{inspect.getdoc(function)}\n"


def test_an_answer_for_a_product_calls_it_as_the_command_does() -> None:
    answer = occupancy.compute("rtx 3090", threads=256, regs=40)
    printed = run("calc", "--gpu", "RTX 3090", "--threads", "256", "--regs", "40", "--format", "json").stdout
    assert "on GeForce RTX 3090, compute capability 8.6 (Ampere)\n" in str(answer)
    assert json.loads(json.dumps(answer.to_dict())) == json.loads(printed)
    assert str(copy.copy(answer)) == str(answer)
    assert answer == occupancy.compute("8.6", threads=256, regs=40)  # the name is no part of the answer
    automatic = occupancy.compute("RTX 3090", threads=256, smem="9k", carveout="auto")
    assert "GeForce RTX 3090" in str(automatic)


def test_what_functions_return_has_its_json() -> None:
    launch = occupancy.max_potential_block_size("RTX 3090", regs=40)
    assert launch.to_dict() == {
        "min_grid_size": 164,
        "block_size": 768,
        "occupancy": 1.0,
        "call": "cudaOccupancyMaxPotentialBlockSize",
    }
    clusters = occupancy.max_active_clusters("H100 SXM", threads=256, regs=40, cluster_size=2)
    assert clusters.to_dict() == {"at_most": 396}
    answer = occupancy.compute("9.0", threads=256, regs=72)
    assert answer.block_sizes()[0].to_dict() == answer.block_sizes().to_dict()["block_sizes"][0]
    for part in (answer.slack(), answer.carveout(), answer.launch_bounds(), answer.next_steps()[0]):
        assert json.loads(json.dumps(part.to_dict())) == json.loads(json.dumps(dataclasses.asdict(part)))


def test_next_steps_have_rows_and_say_why_there_are_none() -> None:
    steps = occupancy.compute("7.0", threads=128, regs=37).next_steps()
    assert steps.rows()[0] == {
        "active_blocks": 16, "occupancy": 1.0, "regs": 32,
        "smem": None, "barriers": None, "tensor_memory": None, "threads": None,
    }  # fmt: skip
    assert len(steps.rows()) == len(steps)
    assert str(occupancy.compute("7.0", threads=128).next_steps()) == "The occupancy is 100% already."
    too_large = occupancy.compute("7.0", threads=2048).next_steps()
    assert too_large or str(too_large).startswith("Nothing is known")


def test_steps_and_chips_print_themselves() -> None:
    steps = occupancy.compute("7.0", threads=128, regs=37).explain()
    assert "Registers\n  37 registers" in str(steps)
    assert "<" in steps._repr_html_()
    assert "37 registers" in steps._repr_html_()
    assert steps.to_dict()["explanation"][0]["resource"] == "warps"
    assert steps.rows()[0]["resource"] == "warps"
    every = occupancy.compute_capabilities()
    assert "Volta" in str(every)
    assert "Volta" in every._repr_html_()
    of_volta = occupancy.limits("7.0")
    assert re.search(r"^max_registers_per_multiprocessor +65,536$", str(of_volta), re.MULTILINE)
    assert re.search(r"^compute_capability +7\.0$", str(of_volta), re.MULTILINE)
    named = of_volta.replace(architecture="<b>")
    assert f"<td{LEFT}>max_block_dim</td><td{LEFT}>1,024, 1,024, 64</td>" in named._repr_html_()  # type: ignore[attr-defined]
    assert "&lt;b&gt;" in named._repr_html_()  # type: ignore[attr-defined]
    assert "\x1b" not in str(of_volta.replace(architecture="\x1b[2J"))


def test_block_sizes_are_what_the_command_prints() -> None:
    growing = occupancy.block_sizes("RTX 3090", regs=50, dynamic_smem=lambda threads: 64 * threads)
    options = ("--gpu", "RTX 3090", "--regs", "50")
    assert str(growing) == run("block-sizes", *options, "--smem-per-thread", "64").stdout.rstrip("\n")
    assert {row["gpu"] for row in growing.rows()} == {"GeForce RTX 3090"}
    plain = run("block-sizes", *options).stdout.rstrip("\n")
    assert str(occupancy.block_sizes("RTX 3090", regs=50)) == plain
    assert str(occupancy.compute("RTX 3090", threads=64, regs=50).block_sizes()) == plain
    # What is more than 48 KiB does not launch without a call before it.
    needing = {each.threads for each in growing if each.needs_opt_in}
    assert needing == {threads for threads in range(32, 1025, 32) if 64 * threads > 48 << 10}
    assert "Opt-in" in str(growing)
    assert "Opt-in" not in plain
