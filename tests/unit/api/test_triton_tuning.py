import math
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

import occupancy
from occupancy import InputError


def configs() -> list[Any]:
    tiles = product((4, 8), (1, 2, 16, 32), (16, 64, 227, 228))
    return [SimpleNamespace(num_warps=n, num_ctas=ctas, shared=size << 10) for n, ctas, size in tiles]


def test_early_config_prune_is_prune_in_the_form_that_triton_calls() -> None:
    leave_out = occupancy.triton.early_config_prune("9.0", min_occupancy=0.1)
    asked = configs()
    kept = leave_out(asked, {"M": 4096}, N=4096)
    assert kept == list(occupancy.prune("9.0", asked, min_occupancy=0.1))
    assert 0 < len(kept) < len(asked)
    two = occupancy.triton.early_config_prune("9.0", min_blocks=2)(asked)
    assert two == [config for config in asked if config.shared <= 64 << 10 and config.num_ctas <= 16]


@pytest.mark.parametrize(("cc", "largest"), [("8.0", 1), ("9.0", 16), ("12.1", 8)])
def test_clusters_that_a_chip_does_not_have_are_left_out(cc: str, largest: int) -> None:
    small = [config for config in configs() if config.shared == 16 << 10]
    kept = occupancy.triton.early_config_prune(cc)(small)
    expected = [ctas for ctas in (1, 2, 16, 32) if ctas <= largest]
    assert sorted({config.num_ctas for config in kept}) == expected


def test_one_configuration_that_cannot_exist_does_not_stop_the_tuning() -> None:
    estimate = {4: 64, 8: 255, 16: 256}
    asked = [SimpleNamespace(num_warps=warps, maxnreg=None) for warps in estimate]
    leave_out = occupancy.triton.early_config_prune("9.0", regs=lambda config: estimate[config.num_warps])
    assert leave_out(asked) == asked[:2]
    assert leave_out(asked[2:]) == []  # of which Triton says that none is left
    rank = occupancy.triton.perf_model("9.0", regs=lambda at: estimate[at["num_warps"]])
    assert rank(num_warps=16) == math.inf
    assert rank(num_warps=16, maxnreg=128) == pytest.approx(4)


def test_the_rank_is_one_over_the_share_of_the_warp_slots_in_use() -> None:
    def blocks_of(at: Any) -> int:
        return int(at["N"] // at["BLOCK"])

    given = occupancy.triton.perf_model("9.0", grid=blocks_of, multiprocessor_count=132, regs=40)
    named = occupancy.triton.perf_model("H100 SXM", grid=blocks_of, regs=40)  # which has as many SMs
    for warps, blocks in ((8, 792), (8, 793), (8, 100), (4, 5000)):
        answer = occupancy.compute("9.0", threads=32 * warps, regs=40)
        busy = 1 - answer.waves(blocks, multiprocessor_count=132).idle_share
        for rank in (given, named):
            got = rank(N=128 * blocks, BLOCK=128, num_warps=warps)
            assert got == pytest.approx(1 / (answer.occupancy * busy))
    seen = {occupancy.triton.perf_model("H100 SXM", grid=32, smem=x << 10)(num_warps=4) for x in (1, 20, 100)}
    assert seen == {66}


def test_wrong_arguments_are_refused_before_the_tuner_runs() -> None:
    prune, rank = occupancy.triton.early_config_prune, occupancy.triton.perf_model
    stages = partial(occupancy.triton.max_stages, threads=128)
    wrong: list[tuple[Any, str, dict[str, Any], str]] = [
        (stages, "9.0", {"stage_smem": 0}, "stage_smem: 0 is out of range"),
        (stages, "9.0", {"stage_smem": 1024, "blocks": 40}, "blocks"),
        (rank, "9.0", {"grid": 10}, "multiprocessor_count is missing"), (rank, "H100", {"grid": 10}, "matches 8 GPUs"),
        (prune, "9.0", {"min_occupancy": -1}, "min_occupancy"), (prune, "9.0", {"dropped": 5}, "is not a function"),
        (prune, "9.0", {"min_blocks": 0}, "^min_blocks: 0 is out of range"),
        (rank, "9.0", {"min_blocks": 2}, r"min_blocks is not an argument of perf_model\(\)"),
        (stages, "9.0", {"stage_smem": 1024, "foo": 1}, "foo is not an argument of max_stages"),
        (prune, "9.0", {"foo": 1}, "Allowed: .*gpu, .*min_blocks, "),
    ]  # fmt: skip
    for function, gpu, arguments, message in wrong:
        with pytest.raises((InputError, TypeError), match=message):
            function(gpu, **arguments)
    with pytest.raises(InputError, match=r"^configuration 0: cluster: "):
        prune("9.0")([{"num_warps": 4, "num_ctas": "two"}])


def test_as_many_stages_as_fit_and_not_one_more() -> None:
    ccs = "8.0", "8.6", "9.0", "10.0", "12.0"
    for cc, blocks, stage, epilogue in product(ccs, (1, 2, 3, 4), (1, 1024, 16384, 24576), (0, 1000, 8192)):
        kernel: dict[str, Any] = {"threads": 128, "static_smem": epilogue}
        stages = occupancy.triton.max_stages(cc, stage_smem=stage, blocks=blocks, **kernel)
        resident = [
            occupancy.compute(cc, dynamic_smem=count * stage, **kernel).active_blocks
            for count in (stages, stages + 1)
        ]
        assert stages == 0 or resident[0] >= blocks
        assert resident[1] < blocks
