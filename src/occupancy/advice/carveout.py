"""The sizes that the SM's shared memory can be set to, and what each comes to for a kernel."""

from __future__ import annotations

from ..engine import Result, evaluate
from ..engine.common import shared_memory_configuration
from ..engine.cuda import FIRST_WITH_FLEXIBLE_CARVEOUT
from ..render.words import count, held, size
from ..values.carveout import Carveout
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.listed import ToDict


@dataclass(frozen=True, slots=True)
class Configuration:
    """One size of the SM's shared memory."""

    shared_memory: int
    """Bytes of shared memory on the SM."""
    l1: int | None
    """Bytes that remain for the L1 cache beside it; None where it is separate, or not known."""
    percent: int | None
    """The lowest cudaFuncAttributePreferredSharedMemoryCarveout that comes to it; None where none does."""
    active_blocks: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""

    def __str__(self) -> str:
        """``64 KiB (28%): 2 blocks, 25%``."""
        wish = "" if self.percent is None else f" ({self.percent}%)"
        return f"{size(self.shared_memory)}{wish}: {held(self.active_blocks, self.occupancy)}"


@dataclass(frozen=True, slots=True)
class CarveoutAdvice(ToDict):
    """How the memory that L1 cache and shared memory divide can be divided for a kernel."""

    smallest: Configuration | None
    """The smallest configuration with as many blocks as the kernel has now; None where it has none."""
    configurations: tuple[Configuration, ...]
    """Every configuration that holds a block of the kernel, ascending."""
    needs_opt_in: bool
    """Whether the kernel must raise its limit of dynamic shared memory with cudaFuncSetAttribute."""

    def __str__(self) -> str:
        """``100 KiB (44%): 4 blocks, 50%; of 6 sizes the smallest with as many blocks as now``."""
        if self.smallest is None:
            return "no size of the SM's shared memory holds a block"
        sizes = count(len(self.configurations), "size")
        return f"{self.smallest}; of {sizes} the smallest with as many blocks as now"


def carveout(now: Result) -> CarveoutAdvice:
    """What each configuration of the SM's shared memory gives, and the smallest that keeps the answer."""
    limits, kernel, found = now.limits, now.kernel, []
    for amount in limits.shared_memory_configurations:
        answer = evaluate(limits, kernel.replace(carveout=Carveout(amount, "bytes")), now.model)
        # A size that is too small for one block is only a wish; the SM takes a larger one.
        if answer.active_blocks and answer.shared_memory_pool == amount:
            l1 = limits.unified_l1_and_shared_memory
            found.append(
                Configuration(
                    amount,
                    None if l1 is None else l1 - amount,
                    _percent(limits, amount),
                    answer.active_blocks,
                    answer.occupancy,
                )
            )
    enough = (each for each in found if now.active_blocks and each.active_blocks >= now.active_blocks)
    return CarveoutAdvice(next(enough, None), tuple(found), needs_opt_in(limits, kernel))


def needs_opt_in(limits: Limits, kernel: Kernel) -> bool:
    """Whether the shared memory of the kernel takes that it has raised its limit of dynamic shared memory,
    whatever else may keep it from launching."""
    with_it, without = (evaluate(limits, kernel.replace(opt_in=each)).block_limits for each in (True, False))
    return with_it.shared_memory != 0 and without.shared_memory == 0


def _percent(limits: Limits, size: int) -> int | None:
    if limits.compute_capability < FIRST_WITH_FLEXIBLE_CARVEOUT:
        return None
    percentages = (each for each in range(101) if _configuration(limits, each) == size)
    return next(percentages, None)


def _configuration(limits: Limits, percent: int) -> int:
    return shared_memory_configuration(limits, Carveout(percent, "percent"))
