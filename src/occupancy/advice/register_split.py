"""How the warpgroups of a block divide its registers: the answer by itself, which that of calc may hold."""

from __future__ import annotations

from typing import Literal

from ..render.words import count
from ..values.dataclass import dataclass
from ..values.listed import ToDict
from ..values.resources import Resource


@dataclass(frozen=True, slots=True)
class Share:
    """What some of the warpgroups take."""

    warpgroups: int
    regs: int
    """Registers per thread after ``setmaxnreg``."""
    instruction: Literal["setmaxnreg.dec", "setmaxnreg.inc"] | None
    """How they come by them; None where they keep what the launch gave."""
    most: int | None
    """The most that each of these could take beside the others; None where not even the least is left."""


@dataclass(frozen=True, slots=True)
class RegisterSplit(ToDict):
    """How the warpgroups of a block divide its registers, and whether there are enough."""

    cc: str
    threads: int
    warpgroups: int
    groups: tuple[Share, ...]
    launch_regs: int
    """Registers per thread that the launch gives: those of the launch bounds, unless others were given."""
    needed_regs: int
    """The fewest that the launch must give for this split, in the steps in which the hardware gives them."""
    pool: int
    """Registers of the block."""
    taken: int
    """Registers of all warpgroups together after ``setmaxnreg``."""
    suffices: bool
    """Whether the pool is enough; if not, the kernel waits for ever."""
    min_blocks: int | None
    """The second launch bound that makes ptxas give as many; None where none does."""
    launch_bounds: str | None
    """What to write before the kernel's name, so that ptxas honours ``setmaxnreg``."""
    maxnreg: str
    """The same without promising a block size; not beside launch bounds."""
    smem: int | None
    needs_opt_in: bool
    active_blocks: int
    """Blocks that are resident on one SM: by the registers of the launch, not by any warpgroup's."""
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    launch_regs_if_fitting: int | None
    """Registers per thread that the launch gives with a second launch bound of ``active_blocks``, where more
    blocks are promised than fit; None where they fit, and where it would give no more."""
    limiters: tuple[Resource, ...]
    reason: str | None
    """Why the block does not launch; None where it does."""
    enough_at_launch: str | None
    """What gives ``needed_regs`` at the launch, where that gives too few: launch bounds, or ``__maxnreg__``.
    None where it gives enough, or no launch gives so many.
    """
    registers_per_multiprocessor: int
    """Registers of an SM, which the launch bounds divide."""

    @property
    def can_run(self) -> bool:
        """Whether the block launches, and does not wait for registers for ever."""
        return self.suffices and self.reason is None

    def __str__(self) -> str:
        """The registers at launch, how many are taken, and whether they suffice."""
        given = f"{self.launch_regs} registers per thread at launch"
        verdict = "they suffice" if self.suffices else f"{self.needed_regs} are needed"
        start = f"{count(self.threads, 'thread')} on {self.cc}: {given}"
        return f"{start}, {self.taken:,} of {self.pool:,} taken; {verdict}"
