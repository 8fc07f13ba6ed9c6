"""Values of each input at which results can change on one SM, and kernels with these values."""

import itertools
import random
from collections.abc import Iterator, Sequence

from occupancy.values.fields import MAX_BARRIERS_PER_BLOCK, Caching, Carveout
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits

VIRTUAL_RESOURCES = (None, 0, 1, 7, 8, 9, 31, 32, 42, 43, 63, 64, 65, 127, 128, 129, 255)
"""Counts around the thresholds of the number of blocks."""
BARRIERS = (None, *range(MAX_BARRIERS_PER_BLOCK + 1))
OPT_IN = (True, False)

FIRST_WITH_PERCENTAGES = (7, 0)
"""First compute capability with a carveout in percent; older ones have cache preferences."""


def threads(limits: Limits) -> list[int]:
    """Return a block size for each number of warps, and two that are too large."""
    most = limits.max_threads_per_block
    return [*range(limits.warp_size, most + 1, limits.warp_size), most + 1, 4 * most]


def registers(limits: Limits) -> list[int]:
    """Return None, and the largest register count of each allocation level."""
    step = limits.register_allocation_unit // limits.warp_size
    return [*range(0, limits.max_registers_per_thread, step), limits.max_registers_per_thread]


def shared_memory(limits: Limits) -> list[int]:
    """Return requests around each allocation step, and above the maximum."""
    unit, reserved = limits.shared_memory_allocation_unit, limits.reserved_shared_memory_per_block
    steps = range(0, limits.max_shared_memory_per_multiprocessor + 2 * unit, unit)
    edges = {step - reserved + offset for step in steps for offset in (-1, 0, 1)}
    return [*sorted(size for size in edges if size >= 0), 2**30]


def shared_memory_steps(limits: Limits) -> list[int]:
    """Return one size for each allocation step, and one that is too large."""
    unit = limits.shared_memory_allocation_unit
    return list(range(0, limits.max_shared_memory_per_block_optin + 2 * unit, unit))


def shared_memory_by_blocks(limits: Limits) -> list[int]:
    """Return the sizes at which the number of blocks changes in the largest configuration."""
    unit, reserved = limits.shared_memory_allocation_unit, limits.reserved_shared_memory_per_block
    pool = limits.max_shared_memory_per_multiprocessor
    counts = range(1, limits.max_blocks_per_multiprocessor + 2)
    most = {pool // blocks // unit * unit - reserved for blocks in counts}
    limit = {limits.max_shared_memory_per_block, limits.max_shared_memory_per_block_optin}
    edges = {size + offset for size in most | limit for offset in (0, 1)}
    return sorted({0, *(size for size in edges if size > 0)})


def configurations(limits: Limits) -> list[Carveout | None]:
    return [None, *(Carveout(size, "bytes") for size in limits.shared_memory_configurations)]


def percentages(limits: Limits) -> list[Carveout]:
    """Return every percentage if the GPU supports them."""
    if limits.compute_capability < FIRST_WITH_PERCENTAGES:
        return []
    return [Carveout(percent, "percent") for percent in range(101)]


def cachings(limits: Limits) -> list[Caching | None]:
    """Return None, and both caching modes if the GPU supports them."""
    return [None, "cg", "ca"] if limits.partitioned_global_caching else [None]


def pairwise(limits: Limits, stride: int) -> Iterator[Kernel]:
    """Yield all pairs of values of any two inputs, or a stride of them, with random other inputs."""
    chance = random.Random(f"pairs {limits.compute_capability}")
    values: dict[str, Sequence[object]] = {
        "threads": threads(limits), "regs": registers(limits), "smem": shared_memory_by_blocks(limits),
        "carveout": [*configurations(limits), *percentages(limits)[::7]], "barriers": BARRIERS,
        "virtual_resources": VIRTUAL_RESOURCES, "caching": cachings(limits), "opt_in": OPT_IN,
    }  # fmt: skip
    pairs = (
        {first: one, second: other}
        for first, second in itertools.combinations(values, 2)
        for one, other in itertools.product(values[first], values[second])
    )
    for pair in itertools.islice(pairs, 0, None, stride):
        inputs = {name: chance.choice(every) for name, every in values.items()}
        yield Kernel(**{**inputs, **pair})  # type: ignore[arg-type]


def random_kernels(limits: Limits, count: int) -> Iterator[Kernel]:
    chance = random.Random(f"{limits.compute_capability}")
    carveouts = [*configurations(limits), *percentages(limits)]
    columns = limits.tensor_memory_per_multiprocessor
    for _ in range(count):
        static = chance.choice([0, chance.randint(0, 49152)])
        largest = max(limits.max_shared_memory_per_block_optin - static, 0) // chance.choice([1, 8, 64])
        yield Kernel(
            chance.randint(1, chance.choice([64, 256, 1024, 1100])),
            chance.randint(0, chance.choice([32, 64, 255])), static_smem=static,
            dynamic_smem=chance.randint(0, largest + 256), barriers=chance.choice(BARRIERS),
            virtual_resources=chance.choice((None, 0, chance.randint(1, 130))),
            tensor_memory=chance.choice((None, 32, 256, chance.randint(1, columns))) if columns else None,
            carveout=chance.choice(carveouts), caching=chance.choice(cachings(limits)),
            opt_in=chance.random() < 0.8,
        )  # fmt: skip
