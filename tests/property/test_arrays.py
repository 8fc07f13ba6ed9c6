"""A sweep has the same results as the engine, element by element."""

import random

import numpy as np
import pytest

from occupancy import Limiter
from occupancy.arrays import ArrayResults
from occupancy.engine import MODELS, Model, Result
from occupancy.tables import shipped
from occupancy.values.fields import MAX_BARRIERS_PER_BLOCK, MAX_REGISTERS_PER_THREAD, Caching, Carveout
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits
from occupancy.values.spellings import INT_MAX
from tests.sampling import sampled

CHIPS_AND_MODELS = [
    pytest.param(limits, model, id=f"{limits.compute_capability}-{model}")
    for limits in map(shipped.limits, shipped.known())
    for model, rules in MODELS.items()
    if rules.supports(limits)
]

RANDOM = ("threads", "regs", "static_smem", "dynamic_smem", "barriers")
"""Fields in which `random_kernels` differ."""


def assert_equal_to_engine(
    limits: Limits, kernels: list[Kernel], model: Model, *fields: str, common: Kernel | None = None
) -> None:
    """Compare all outputs of a sweep over some fields with the engine's result for each kernel."""
    columns = {field: [getattr(kernel, field) for kernel in kernels] for field in fields}
    found = ArrayResults.compute([limits], columns, common or Kernel(1), model)
    answers = [Result(limits, kernel, model) for kernel in kernels]
    assert found.shape == (len(answers),)
    assert found.active_blocks.tolist() == [answer.active_blocks for answer in answers]
    assert found.active_warps.tolist() == [answer.active_warps for answer in answers]
    assert found.occupancy.tolist() == [answer.occupancy for answer in answers]
    for output in ("active_blocks", "active_warps"):  # a single output takes another path
        alone = ArrayResults.compute([limits], columns, common or Kernel(1), model, outputs=[output])
        assert np.array_equal(getattr(alone, output), getattr(found, output))
    named = [Limiter(bits).resources for bits in found.limiters.tolist()]
    assert named == [answer.limiters for answer in answers]


def all_options(limits: Limits, chance: random.Random) -> list[Kernel]:
    """Compare all shared memory configurations and some percentages, with random other options."""
    sizes = [Carveout(size, "bytes") for size in limits.shared_memory_configurations]
    percentages = [Carveout(percent, "percent") for percent in (0, 34, 50, 100)]
    cachings: list[Caching | None] = ["ca", "cg", None] if limits.partitioned_global_caching else [None]
    return [
        Kernel(1, carveout=each, caching=chance.choice(cachings), opt_in=chance.choice([None, True, False]))
        for each in [None, *sizes, *percentages]
    ]


def random_kernels(limits: Limits, common: Kernel, count: int, chance: random.Random) -> list[Kernel]:
    unit, most = limits.shared_memory_allocation_unit, limits.max_shared_memory_per_multiprocessor
    warps = limits.max_threads_per_block // limits.warp_size + 1

    def threads() -> int:
        return max(1, limits.warp_size * chance.randint(1, warps) + chance.choice([0, 0, -1, 1]))

    def size() -> int:
        share = most // chance.randint(1, 40) // unit * unit - limits.reserved_shared_memory_per_block
        return max(0, chance.choice([share, share + 1, share - 1, chance.randint(0, 2 * most), 0]))

    return [
        Kernel(
            threads(),
            chance.choice([0, limits.max_registers_per_thread, chance.randint(0, MAX_REGISTERS_PER_THREAD)]),
            static_smem=chance.choice([0, 0, size()]), dynamic_smem=size(),
            barriers=chance.randint(0, MAX_BARRIERS_PER_BLOCK), carveout=common.carveout,
            caching=common.caching, opt_in=common.opt_in,
        )
        for _ in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(("limits", "model"), CHIPS_AND_MODELS)
@sampled("stride", sample=8, thorough=1)
def test_random_kernels(limits: Limits, model: Model, stride: int) -> None:
    chance = random.Random(f"{limits.compute_capability} {model}")
    for common in all_options(limits, chance)[::stride]:
        kernels = random_kernels(limits, common, 100 // stride, chance)
        assert_equal_to_engine(limits, kernels, model, *RANDOM, common=common)


@pytest.mark.parametrize(("limits", "model"), CHIPS_AND_MODELS)
def test_blocks_that_are_too_large(limits: Limits, model: Model) -> None:
    """Compare blocks above the maximum size, which the spreadsheet does not reject; limiters still differ."""
    most = limits.max_threads_per_block
    edges = [most, most + 1, 2 * most, limits.max_threads_per_multiprocessor + 1, 8193, 131073, INT_MAX]
    sizes = [*edges, *range(most - 40, 4 * most, 61)]
    kernels = [Kernel(threads, regs) for threads in sizes for regs in (0, 1, 8, 9, 63, 64, 255)]
    assert_equal_to_engine(limits, kernels, model, "threads", "regs")


@pytest.mark.parametrize(
    ("limits", "model"),
    [case for case in CHIPS_AND_MODELS if case.values[0].tensor_memory_per_multiprocessor],  # type: ignore[union-attr]
)
@pytest.mark.parametrize("virtual_resources", [None, 0, 64, 128])
def test_tensor_memory(limits: Limits, model: Model, virtual_resources: int | None) -> None:
    """Compare tensor memory, which implies virtual resources unless the kernel relinquishes the permit."""
    chance = random.Random(str(limits.compute_capability))
    most = (limits.tensor_memory_per_multiprocessor or 0) // 32
    kernels = [
        each.replace(tensor_memory=32 * chance.randint(1, most), virtual_resources=virtual_resources)
        for each in random_kernels(limits, Kernel(1), 200, chance)
    ]
    given = ("virtual_resources",) if virtual_resources is not None else ()
    assert_equal_to_engine(limits, kernels, model, *RANDOM, "tensor_memory", *given)


@pytest.mark.parametrize("seed", range(12))
def test_imaginary_chips(seed: int) -> None:
    """Compare limits that are not powers of two, a partial warp in the largest block, more than 255 blocks."""
    chance = random.Random(seed)
    cc, model = chance.choice(CHIPS_AND_MODELS).values
    assert isinstance(cc, Limits)
    limits = cc.replace(
        max_threads_per_block=chance.randint(1, 600),
        max_threads_per_multiprocessor=cc.warp_size * chance.randint(1, 100),
        max_blocks_per_multiprocessor=chance.choice([1, 7, 254, 255, 300]),
        register_allocation_unit=chance.randint(1, 700),
        max_registers_per_multiprocessor=chance.randint(8192, 70000),
        shared_memory_allocation_unit=chance.randint(1, 999),
        max_shared_memory_per_multiprocessor=65536 + (reserved := chance.randint(0, 2000)),
        max_shared_memory_per_block_optin=65536, unified_l1_and_shared_memory=None,
        reserved_shared_memory_per_block=reserved,
    )  # fmt: skip
    common = Kernel(1, opt_in=chance.choice([True, False]))
    kernels = random_kernels(limits, common, 400, chance)
    assert_equal_to_engine(limits, kernels, model, *RANDOM, common=common)  # type: ignore[arg-type]
