"""`compute` and its results: values, several GPUs, immutability, conversion to plain values and back."""

import copy
import json
import pickle
from typing import get_args

import pytest

import occupancy
from occupancy.values.fields import FIELDS, KernelInputs


def test_one_gpu_and_several() -> None:
    one = occupancy.compute("A100", threads=256, regs=72)
    several = occupancy.compute(["A100", "H100"], threads=256, regs=72)
    assert isinstance(several, occupancy.Occupancies)
    assert several[0] == one
    ampere = occupancy.compute("ampere", threads=32)
    assert [each.cc for each in ampere] == ["8.0", "8.6", "8.7", "8.8"]
    assert ampere == occupancy.compute(["Ampere"], threads=32)
    for name in get_args(occupancy.typing.Architecture):
        assert isinstance(occupancy.compute(name, threads=32), occupancy.Occupancies)
    known = {occupancy.limits(cc).architecture.split()[0] for cc in occupancy.compute_capabilities()}
    assert {name.title() for name in get_args(occupancy.typing.Architecture)} == known


def test_advice_prints_what_the_command_line_prints_and_is_copied_as_plain_values() -> None:
    result = occupancy.compute("H100 SXM", threads=256, regs=72)
    for advice, headline in (
        (result.next_steps(), "37.5% occupancy, limited by registers"),
        (result.budget(occupancy="37.5%"), "Up to 80 registers per thread"),
        (result.launch_bounds(blocks=4), "__launch_bounds__(256, 4): at most 64 registers per thread"),
        (result.block_sizes(), "Block sizes on H100 SXM5"),
        (result.waves(4096), "37.5% occupancy, limited by registers"),
        (occupancy.fits("9.0", result), "Runs on 1 of 1 compute capabilities"),
        (occupancy.register_split("1:40,2:?"), "Runs: the warpgroups use 64,512"),
    ):
        assert str(advice).startswith(headline)
        assert copy.deepcopy(advice) == pickle.loads(pickle.dumps(advice)) == advice


def test_results_are_immutable_and_can_be_copied_and_the_gpu_is_part_of_equality() -> None:
    named, bare = (occupancy.compute(gpu, threads=256) for gpu in ("H100 SXM", "9.0"))
    assert named != bare
    assert len({named, bare, occupancy.compute("H100 SXM", threads=256)}) == 2
    result = occupancy.compute("H100 SXM", threads="16x16", regs=40, carveout="50%")
    for name in ("active_blocks", "kernel", "gpu", "anything"):
        with pytest.raises(AttributeError):
            setattr(result, name, 1)
    with pytest.raises(AttributeError):
        result.kernel.regs = 3  # type: ignore[misc]
    assert copy.deepcopy(result) == pickle.loads(pickle.dumps(result)) == result
    assert result.replace(regs=32).kernel.regs == 32
    assert result.replace(threads=64).kernel.block_dim is None


@pytest.mark.parametrize("gpu", ["H100 SXM", "9.0", "1.3"])
def test_plain_values_and_back(gpu: str) -> None:
    result = occupancy.compute(gpu, threads=(16, 8), regs=40, smem="4k", carveout=None)
    values = json.loads(json.dumps(result.to_dict()))
    assert occupancy.Occupancy.from_dict(values) == result
    assert (values["active_blocks"], values["occupancy"]) == (result.active_blocks, result.occupancy)
    values["resources"]["warps"]["per_multiprocessor"] += 1
    with pytest.raises(occupancy.InputError, match="other limits"):
        occupancy.Occupancy.from_dict(values)


def test_every_named_gpu_comes_back_from_plain_values() -> None:
    for gpu in occupancy.gpus():
        values = occupancy.compute(gpu, threads=256, regs=40).to_dict()
        assert occupancy.Occupancy.from_dict(values).to_dict() == values


def test_a_kernel_is_checked_however_it_is_made() -> None:
    kernel = occupancy.Kernel(threads="16x16", smem="40k", carveout=50)
    assert (kernel.threads, kernel.block_dim, kernel.smem) == (256, (16, 16, 1), 40960)
    assert kernel.carveout == occupancy.Carveout(50, "percent")
    assert occupancy.compute("9.0", kernel).active_blocks == 3
    for wrong in ({"caching": "zz"}, {"opt_in": "yes"}, {"regs": -1}, {"smem": 1, "static_smem": 0}):
        with pytest.raises(occupancy.InputError):
            occupancy.Kernel(threads=128, **wrong)
    assert set(KernelInputs.__annotations__) == {name for name, field in FIELDS.items() if field.options}
