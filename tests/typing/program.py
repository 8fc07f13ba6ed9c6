"""User code for type checkers: mypy --strict and pyright check it, and a test runs it.

The types of all results are asserted: an `Any` would fail `assert_type`.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import occupancy
from occupancy import cuda
from occupancy.compare.check import BrokenKernel


def answers() -> None:
    answer = occupancy.compute("9.0", threads=256, regs=40, smem="40k", carveout=50)
    assert_type(answer, occupancy.Occupancy)
    assert_type(answer.occupancy, float)
    assert_type(answer.active_blocks, int)
    assert_type(answer.active_warps, int)
    assert_type(answer.launchable, bool)
    assert_type(answer.block_limits.registers, int | None)
    assert_type(answer.allocated.registers, int)
    assert_type(answer.limits, occupancy.Limits)
    assert_type(answer.kernel, occupancy.Kernel)
    for limiter in answer.limiters:
        assert_type(len(limiter), int)
    for step in answer.next_steps():
        assert_type(answer.replace(**step.requires), occupancy.Occupancy)
    slack = answer.slack()
    assert_type(slack, occupancy.typing.Slack)
    assert_type(slack.regs, int | None)
    advice = answer.carveout()
    assert_type(advice, occupancy.typing.CarveoutAdvice)
    assert_type(advice.smallest, occupancy.typing.SharedMemorySize | None)
    budget = answer.budget(occupancy="25%")
    assert_type(budget, occupancy.typing.Budget[occupancy.typing.BudgetLevel])
    assert_type(budget.levels, tuple[occupancy.typing.BudgetLevel, ...])
    assert_type(answer.launch_bounds(blocks=4), occupancy.typing.LaunchBounds)
    for size in answer.block_sizes():
        assert_type(size, occupancy.typing.BlockSize)
    for explanation in answer.explain():
        assert_type(explanation, occupancy.typing.Explanation)
    assert_type(answer.failure, occupancy.typing.LaunchFailure | None)
    assert_type(answer.waves(4096, multiprocessor_count=132), occupancy.typing.Waves)
    assert_type(answer.to_dict(), dict[str, Any])
    assert_type(occupancy.Occupancy.from_dict(answer.to_dict()), occupancy.Occupancy)
    assert_type(answer.replace(regs=32), occupancy.Occupancy)
    assert_type(occupancy.compute(["A100", "H100"], threads=256), occupancy.Occupancies)
    assert_type(occupancy.compute("ampere", threads=256), occupancy.Occupancies)
    several = occupancy.compute(("A100", "H100"), threads=256)
    assert_type(several.budget(), occupancy.typing.Budgets)
    assert_type(several.budget(blocks=2).wanted, occupancy.typing.BudgetLevel)
    assert_type(str(answer), str)


def chips() -> None:
    for cc in ("9.0", "sm_90", 90, (9, 0), occupancy.limits("9.0")):
        assert_type(occupancy.compute(cc, threads=(16, 16)).occupancy, float)
    for each in occupancy.compute_capabilities():
        assert_type(each, occupancy.ComputeCapability)
    assert_type(occupancy.limits("9.0").replace(max_blocks_per_multiprocessor=64), occupancy.Limits)
    assert_type(occupancy.limits(["A100", "H100"]), occupancy.typing.Results[occupancy.Limits])
    assert_type(occupancy.compute(occupancy.gpu("H200"), threads=256), occupancy.Occupancy)
    assert_type(occupancy.gpus(), occupancy.typing.Results[occupancy.Gpu])
    assert_type(occupancy.sources("9.0")[0], occupancy.typing.Provenance)
    assert_type(occupancy.register_split("1:40,2:?"), occupancy.typing.RegisterSplit)


def questions() -> None:
    for fit in occupancy.fits(threads=256, smem="96k"):
        assert_type(fit, occupancy.typing.Fit)
    configs = [{"num_warps": 4, "BLOCK": 64}]
    kept = occupancy.prune("9.0", configs, regs=64, smem=lambda config: 1024 * config["BLOCK"])
    assert_type(list(kept), list[dict[str, int]])
    assert_type(cuda.max_active_clusters("9.0", threads=256, multiprocessor_count=132, cluster=4), int)


def arrays() -> None:
    found = occupancy.sweep("9.0", threads=np.arange(32, 1025, 32)[:, None], regs=np.arange(256))
    assert_type(found.best(3), list[dict[str, Any]])
    assert_type(found.shape, tuple[int, ...])
    blocks: npt.NDArray[np.generic] = found.active_blocks
    assert blocks.shape == (32, 256)


def builds(before: Path, after: Path) -> None:
    for record in occupancy.stream_kernels(before):
        assert_type(record, occupancy.KernelRecord)
    for kernel in occupancy.scan(before, threads=256):
        assert_type(kernel, occupancy.ScannedKernel)
        assert kernel.result is not None
        assert_type(kernel.result.occupancy, float)
        assert_type(kernel.name, str)
        assert_type(kernel.regs, int | None)
        assert_type(occupancy.compute("9.0", kernel, threads=256).occupancy, float)
    assert_type(occupancy.scan(before, threads=256), occupancy.Scan)
    assert_type(occupancy.stream_kernels(before), occupancy.typing.KernelStream)
    report = occupancy.diff(before, after, threshold=5)
    assert_type(report, occupancy.Diff)
    assert_type(report.summary, dict[str, int])
    for row in report.kernels:
        assert_type(row, occupancy.typing.DiffRow)
        assert_type(row.new, occupancy.ScannedKernel)


def rules(build: Path, file: Path) -> None:
    result = occupancy.check(build, [occupancy.Rule(max_regs=64), occupancy.Exemption(reason="known")])
    assert_type(result, occupancy.CheckResult)
    assert_type(occupancy.check(build, file).passed, bool)
    for broken in result.broken:
        assert_type(broken, BrokenKernel)
    for finding in result.findings():
        assert_type(finding, occupancy.Finding)


def this_machine() -> None:
    assert_type(occupancy.device.read_device(), occupancy.device.Device)
    assert_type(occupancy.device.verify(), occupancy.device.Verification)


def errors() -> str:
    try:
        occupancy.compute("9.0", threads=0)
    except occupancy.InputError as error:
        base: occupancy.OccupancyError = error
        return str(base)
    raise AssertionError
