from __future__ import annotations

import json

import numpy as np
import pytest

import occupancy
from occupancy import InputError, UnknownComputeCapabilityError


def test_every_public_name_is_there_and_listed() -> None:
    for name in occupancy.__all__:
        assert getattr(occupancy, name) is not None
    assert set(occupancy.__all__) <= set(dir(occupancy))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = occupancy.no_such_name


def test_the_example_of_the_readme() -> None:
    result = occupancy.compute("7.0", threads=128, regs=37)
    assert (result.active_blocks, result.active_warps, result.active_threads) == (12, 48, 1536)
    assert result.limiters == ("registers",)
    assert result.block_limits.registers == 12
    assert result.block_limits == (16, 32, 12, None, None, None, None)
    assert result.allocated == (4, 5120, 0)
    assert result.launchable
    assert result.reason is None


def test_all_arguments_together() -> None:
    result = occupancy.compute(
        "9.0",
        threads=(16, 16),
        regs=40,
        static_smem=8192,
        dynamic_smem=98304,
        carveout=100,
        barriers=2,
        opt_in=True,
    )
    assert result.kernel.block_dim == (16, 16, 1)
    assert (result.active_blocks, result.limiters) == (2, ("shared_memory",))


def test_text_and_numbers_mean_the_same() -> None:
    as_text = occupancy.compute("sm_90a", threads="256", regs="40", smem="8k", barriers="2")
    assert as_text == occupancy.compute((9, 0), threads=256, regs=40, smem=8192, barriers=2)


def test_the_two_percentages_differ_where_a_warp_is_not_full() -> None:
    result = occupancy.compute("9.0", threads=33)
    assert result.occupancy == 1.0
    assert result.active_threads == 32 * 33
    assert result.occupancy_by_threads == 32 * 33 / 2048


def test_the_spreadsheet_counts_threads_in_whole_warps() -> None:
    assert occupancy.compute("8.6", threads=33, model="spreadsheet").active_threads == 16 * 64


def test_caching_in_l1_confines_a_block_to_half_an_sm() -> None:
    assert occupancy.compute("5.2", threads=128, regs=85, caching="cg").active_blocks == 5
    assert occupancy.compute("5.2", threads=128, regs=85, caching="ca").active_blocks == 4


@pytest.mark.parametrize(
    ("kernel", "limit", "needed", "allowed"),
    [
        ({"threads": 1025}, "max_threads_per_block", 1025, 1024),
        ({"threads": (1, 1, 65)}, "max_block_dim[2]", 65, 64),
        ({"threads": 1024, "regs": 255}, "max_registers_per_block", 262144, 65536),
        ({"threads": 32, "smem": 232449}, "max_shared_memory_per_block_optin", 232449, 232448),
        ({"threads": 32, "smem": 49153, "opt_in": False}, "max_shared_memory_per_block", 49153, 49152),
    ],
)
def test_a_kernel_that_cannot_launch_is_an_answer(
    kernel: dict[str, int], limit: str, needed: int, allowed: int
) -> None:
    result = occupancy.compute("9.0", **kernel)  # type: ignore[arg-type]
    assert (result.active_blocks, result.occupancy, result.launchable) == (0, 0.0, False)
    failure = result.failure
    assert failure is not None
    assert (failure.limit, failure.needed, failure.allowed) == (limit, needed, allowed)
    reason = str(result.reason)
    assert f"but a block may have at most {allowed:,}. " in reason
    assert "_" not in reason
    assert not reason.startswith("too many")
    # What CUDA calls cudaErrorLaunchOutOfResources is said of registers alone.
    assert ("too many resources requested for launch" in reason) == ("registers" in limit)


@pytest.mark.parametrize(
    ("cc", "kernel", "limit"),
    [
        ("3.0", {"threads": 32, "regs": 64}, "max_registers_per_thread"),
        ("6.0", {"threads": 704, "regs": 96}, "max_registers_per_block"),
        ("2.0", {"threads": 1024, "regs": 63}, "max_registers_per_block"),
        ("1.0", {"threads": 512, "regs": 100}, "max_registers_per_block"),
        ("1.0", {"threads": 32, "smem": 16385}, "max_shared_memory_per_block"),
    ],
)
def test_the_first_limit_that_is_broken_on_old_chips(cc: str, kernel: dict[str, int], limit: str) -> None:
    failure = occupancy.compute(cc, **kernel).failure  # type: ignore[arg-type]
    assert failure is not None
    assert failure.limit == limit
    assert failure.needed > failure.allowed


@pytest.mark.parametrize(
    ("change", "kernel"),
    [
        ({"max_threads_per_multiprocessor": 512}, {"threads": 1024}),
        ({"max_registers_per_multiprocessor": 32768}, {"threads": 1024, "regs": 40}),
        ({"max_barriers_per_multiprocessor": 8}, {"threads": 32, "barriers": 9}),
    ],
)
def test_a_block_too_large_for_an_imaginary_sm_names_the_changed_limit(
    change: dict[str, int], kernel: dict[str, int]
) -> None:
    failure = occupancy.compute(occupancy.limits("9.0").replace(**change), **kernel).failure  # type: ignore[arg-type]
    assert failure is not None
    assert [failure.limit] == list(change)
    assert failure.needed > failure.allowed == change[failure.limit]


@pytest.mark.parametrize(
    ("cc", "kernel", "broken"),
    [
        (
            "8.0",
            {"threads": 32, "smem": "164k"},
            "take 168,960 in one block, but by the spreadsheet a block may have at most 167,936.",
        ),
        ("2.0", {"threads": 32, "smem": "40k", "carveout": "16k"}, "but the carveout leaves at most 16,384."),
        (
            "5.2",
            {"threads": 1024, "regs": 62, "caching": "ca"},
            "by the spreadsheet a block may have at most 32,768.",
        ),
        (
            "3.2",
            {"threads": 394, "regs": 150},
            "take 77,824 registers in one block, but by the spreadsheet a block may have at most 65,536.",
        ),
    ],
)
def test_what_the_spreadsheet_refuses_is_told_by_its_own_limits(
    cc: str, kernel: dict[str, int], broken: str
) -> None:
    failure = occupancy.compute(cc, **kernel, model="spreadsheet").failure  # type: ignore[arg-type]
    assert failure is not None
    assert failure.needed > failure.allowed
    assert broken in str(failure)


def test_an_imaginary_sm_without_a_whole_share_of_registers_says_so() -> None:
    sm = occupancy.limits("8.0").replace(max_registers_per_multiprocessor=32768)
    failure = occupancy.compute(sm, threads=32, regs=32, model="spreadsheet").failure
    assert failure is not None
    assert (failure.limit, failure.needed, failure.allowed) == (
        "max_registers_per_multiprocessor",
        65536,
        32768,
    )


def test_opting_in_is_the_cure_that_the_reason_names() -> None:
    refused = occupancy.compute("9.0", threads=32, smem="64k", opt_in=False)
    assert "cudaFuncAttributeMaxDynamicSharedMemorySize" in str(refused.reason)
    assert occupancy.compute("9.0", threads=32, smem="64k", opt_in=True).launchable


def test_static_shared_memory_cannot_opt_in() -> None:
    refused = occupancy.compute("8.0", threads=32, static_smem="60k", opt_in=False)
    assert "cudaFuncSetAttribute" not in str(refused.reason)
    assert "Only dynamic shared memory can be more" in str(refused.reason)
    mixed = occupancy.compute("8.0", threads=32, static_smem="10k", dynamic_smem="40k", opt_in=False)
    assert "cudaFuncSetAttribute" in str(mixed.reason)


def test_shared_memory_that_is_too_much_once_rounded_up_says_so() -> None:
    sm = occupancy.limits("9.0").replace(max_shared_memory_per_block_optin=50_000)
    failure = occupancy.compute(sm, threads=32, smem=50_000).failure
    assert failure is not None
    assert (failure.needed, failure.allowed) == (50_048, 50_000)


def test_the_spreadsheet_does_not_check_the_block_size_but_the_answer_does() -> None:
    result = occupancy.compute("8.0", threads=1025, model="spreadsheet")
    assert result.active_blocks == 1
    assert not result.launchable


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"threads": 0}, "threads: 0 is out of range"),
        ({"threads": -1}, "threads: -1"),
        ({"threads": 10**30}, "threads: "),
        ({"threads": 1.5}, "threads: 1.5 is not a whole number"),
        ({"threads": 32, "regs": -1}, "regs: -1"),
        ({"threads": 32, "regs": 256}, "regs: 256 is out of range. Allowed: 0 to 255"),
        ({"threads": 32, "regs": 32.5}, "regs: 32.5"),
        ({"threads": 32, "smem": -1}, "smem: -1"),
        ({"threads": 32, "smem": "12Q"}, "smem: '12Q'"),
        ({"threads": 32, "static_smem": 2**31}, "static_smem: "),
        ({"threads": 32, "dynamic_smem": -5}, "dynamic_smem: "),
        ({"threads": 32, "smem": 1, "static_smem": 1}, "Give the total, or static and dynamic"),
        ({"threads": 32, "barriers": 17}, "barriers: 17 is out of range. Allowed: 0 to 16"),
        ({"threads": 32, "carveout": "48k"}, "no configuration of 49,152 bytes"),
        ({"threads": 32, "carveout": 101}, "no configuration of 101 bytes"),
        ({"threads": 32, "caching": "ca"}, "caching"),
        ({"threads": 32, "caching": "l1"}, "'l1' is not a caching mode"),
        ({"threads": 32, "opt_in": "yes"}, "'yes' is not a choice"),
        ({"threads": 32, "model": "spreadsheet"}, "does not know compute capability 9.0"),
        ({"threads": 32, "model": "excel"}, "no model 'excel'"),
    ],
)
def test_bad_input_says_what_is_wrong(arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        occupancy.compute("9.0", **arguments)  # type: ignore[arg-type]
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [[], {}, pytest.param(10**5000, id="5001 digits"), "x" * 5000, np.array([1, 2]), object(), b"9", ("a",)],
)
@pytest.mark.parametrize(
    "argument",
    [
        *("threads", "regs", "static_smem", "dynamic_smem", "smem"),
        *("carveout", "barriers", "caching", "opt_in", "model"),
    ],
)
def test_whatever_is_given_is_refused_in_one_short_line(argument: str, wrong: object) -> None:
    with pytest.raises(InputError) as caught:
        occupancy.compute("9.0", **{"threads": 32, argument: wrong})  # type: ignore[arg-type]
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value)


def test_the_booleans_of_numpy_are_booleans() -> None:
    result = occupancy.compute("9.0", threads=32, smem="64k", opt_in=np.bool_(False))  # type: ignore[arg-type]
    assert not result.launchable
    assert json.loads(json.dumps(result.to_dict()))["inputs"]["opt_in"] is False


@pytest.mark.parametrize("cc", ["13.0", "12.10", "4.0", "9.9", (99, 9)])
def test_an_unknown_compute_capability_names_the_nearest(cc: str) -> None:
    with pytest.raises(UnknownComputeCapabilityError, match=r"nearest are \d.*read_limits"):
        occupancy.compute(cc, threads=32)


def test_the_model_cuda_does_not_know_fermi() -> None:
    with pytest.raises(InputError, match="Allowed: spreadsheet"):
        occupancy.compute("2.0", threads=32, model="cuda")


def test_dictionary_is_json_and_the_same_after_a_round_trip() -> None:
    result = occupancy.compute("9.0", threads=(16, 16), regs=40, carveout="50%")
    as_dict = result.to_dict()
    assert json.loads(json.dumps(as_dict)) == json.loads(json.dumps(result.to_dict()))
    assert as_dict["inputs"]["carveout"] == "50%"
    assert as_dict["inputs"]["smem"] is None
    assert as_dict["explanation"] is None
    assert result.to_dict(explain=True)["explanation"]


def test_shows_itself_as_text_html_and_repr() -> None:
    result = occupancy.compute("7.0", threads=128, regs=37)
    assert str(result).startswith("75% occupancy")
    assert "\x1b" not in str(result)
    assert "<table>" in result._repr_html_()
    what_if = occupancy.limits("9.0").replace(architecture="<b>", max_blocks_per_multiprocessor=4)
    shown = occupancy.compute(what_if, threads=32)._repr_html_()
    assert "What if: max_blocks_per_multiprocessor = 4." in shown
    assert "<b>" not in shown
    assert repr(result) == "<Occupancy 75% on 7.0: 12 blocks of 128 threads, limited by registers>"


def test_limits_pass_through() -> None:
    row = occupancy.limits("8.6")
    assert occupancy.limits(row) is row
    assert occupancy.compute(row, threads=32) == occupancy.compute("8.6", threads=32)
