"""Strategies for inputs of the engine: real and hypothetical SMs, and kernels.

Kernels are often at the edge of a limit. Many do not launch, which is a valid result too.
"""

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from occupancy.engine import MODELS, Model, Result
from occupancy.tables import shipped
from occupancy.values.fields import (
    MAX_BARRIERS_PER_BLOCK,
    MAX_REGISTERS_PER_THREAD,
    MAX_VIRTUAL_RESOURCES_PER_BLOCK,
    Carveout,
)
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits

MAX_THREADS = 1100
"""Maximum per block in examples, above the limits of all GPUs."""


class Question(NamedTuple):
    """SM, kernel, and a model that supports the SM."""

    limits: Limits
    kernel: Kernel
    model: Model

    def ask(self) -> Result:
        return Result(*self)


@st.composite
def limits(draw: st.DrawFn) -> Limits:
    real = shipped.limits(draw(st.sampled_from(shipped.known())))
    if draw(st.booleans()):
        return real
    most_threads = draw(st.integers(1, 2048))
    return real.replace(
        max_threads_per_multiprocessor=real.warp_size * draw(st.integers(1, 80)),
        max_blocks_per_multiprocessor=draw(st.integers(1, 64)),
        max_threads_per_block=most_threads,
        max_block_dim=(most_threads, most_threads, draw(st.integers(1, 64))),
    )


def models(limits: Limits) -> SearchStrategy[Model]:
    return st.sampled_from([name for name, rules in MODELS.items() if rules.supports(limits)])


def threads() -> SearchStrategy[int]:
    return st.integers(1, MAX_THREADS) | st.integers(1, MAX_THREADS // 32).map(lambda warps: 32 * warps)


def registers() -> SearchStrategy[int]:
    return st.integers(0, MAX_REGISTERS_PER_THREAD)


@st.composite
def shared_memory(draw: st.DrawFn, limits: Limits) -> int:
    """Draw bytes per block, often an equal share of the SM, or just above one."""
    if draw(st.booleans()):
        share = limits.max_shared_memory_per_multiprocessor // draw(st.integers(1, 40))
        unit = limits.shared_memory_allocation_unit
        size = share // unit * unit - limits.reserved_shared_memory_per_block
        return max(size + draw(st.integers(-1, 1)), 0)
    return draw(st.integers(0, limits.max_shared_memory_per_multiprocessor + 4096))


def barriers() -> SearchStrategy[int | None]:
    return st.none() | st.integers(0, MAX_BARRIERS_PER_BLOCK)


def carveouts(limits: Limits) -> SearchStrategy[Carveout | None]:
    sizes = st.sampled_from(limits.shared_memory_configurations)
    in_percent = st.integers(0, 100).map(lambda percent: Carveout(percent, "percent"))
    return st.none() | in_percent | sizes.map(lambda size: Carveout(size, "bytes"))


def tensor_memory(limits: Limits) -> SearchStrategy[int | None]:
    most = limits.tensor_memory_per_multiprocessor
    return st.none() if most is None else st.none() | st.integers(1, most)


@st.composite
def kernels(draw: st.DrawFn, limits: Limits) -> Kernel:
    size = draw(shared_memory(limits))
    static = draw(st.none() | st.integers(0, size))
    return Kernel(
        threads=draw(threads()), regs=draw(st.none() | registers()), static_smem=static,
        dynamic_smem=None if static is None else size - static, smem=size if static is None else None,
        barriers=draw(barriers()), carveout=draw(carveouts(limits)),
        caching=draw(st.sampled_from([None, "ca", "cg"])) if limits.partitioned_global_caching else None,
        opt_in=draw(st.booleans()),
        virtual_resources=draw(st.none() | st.integers(0, MAX_VIRTUAL_RESOURCES_PER_BLOCK) | st.just(0)),
        tensor_memory=draw(tensor_memory(limits)),
    )  # fmt: skip


@st.composite
def questions(draw: st.DrawFn) -> Question:
    chip = draw(limits())
    return Question(chip, draw(kernels(chip)), draw(models(chip)))
