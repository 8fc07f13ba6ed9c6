"""Waves: a grid larger than the GPU runs in several waves, and the last wave can be nearly empty.

A wave is the number of blocks that are resident on the whole GPU at once. Shares of time assume that all blocks
take equally long, and that each block starts when a block of the previous wave ends.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from ..engine import Result
from ..engine.common import divide_up
from ..errors import InputError
from ..values.kernel import Launch
from ..values.numbers import count
from ..values.records import readable
from ..values.spellings import INT_MAX, in_range


@readable
class FullWave(NamedTuple):
    """Resident blocks of a whole GPU."""

    result: Result
    multiprocessor_count: int
    """Number of SMs."""
    blocks: int
    """Resident blocks of all SMs, in whole clusters: the grid of a persistent kernel."""
    slots: int
    """Resident blocks of all SMs without clusters."""
    clusters: int | None
    """Resident clusters of the whole GPU; None for a kernel without clusters."""
    is_upper_bound: bool
    """True if a real GPU may hold fewer clusters, because each must stay within one GPU processing cluster."""

    @property
    def reason(self) -> str | None:
        """Reason why no block is resident; None if some are."""
        clusters = f"no cluster of {self.result.kernel.cluster_size} fits on {count(self.multiprocessor_count, 'SM')}"
        return None if self.blocks else self.result.reason or clusters


class WavesFields(NamedTuple):
    launch: Launch
    full_wave: FullWave

    @property
    def waves(self) -> float:
        """Grid divided by a full wave (launch__waves_per_multiprocessor).

        A lower bound if ``is_upper_bound``. Infinite if no block is resident; the counts and shares are 0 then.
        """
        return self.launch.blocks / self.full_wave.blocks if self.full_wave.blocks else inf

    @property
    def full_waves(self) -> int:
        """Number of full waves."""
        return self.full_wave.blocks and self.launch.blocks // self.full_wave.blocks

    @property
    def partial_wave_blocks(self) -> int:
        """Blocks of a partial last wave; 0 if the last wave is full."""
        return self.full_wave.blocks and self.launch.blocks % self.full_wave.blocks

    @property
    def last_wave_fill(self) -> float:
        """Blocks of the last wave divided by a full wave, 0 to 1."""
        return (self.partial_wave_blocks or self.full_wave.blocks) / max(1, self.full_wave.blocks)

    @property
    def rounds(self) -> int:
        """Number of waves, including a partial one."""
        return self.full_wave.blocks and divide_up(self.launch.blocks, self.full_wave.blocks)

    @property
    def idle_share(self) -> float:
        """Share of empty block slots of the GPU over all waves, 0 to 1, with those that clusters leave empty."""
        slots = self.rounds * self.full_wave.slots
        return slots and (slots - self.launch.blocks) / slots

    @property
    def filling_grid_below(self) -> int | None:
        """Largest grid without a tail, up to this grid; None if there is none."""
        return self.full_waves * self.full_wave.blocks or None

    @property
    def filling_grid_above(self) -> int:
        """Smallest grid without a tail, from this grid on."""
        return self.rounds * self.full_wave.blocks


def full_wave(result: Result, multiprocessor_count: int, max_active_clusters: int | None = None) -> FullWave:
    """Return the resident blocks of a whole GPU, by default with an upper bound of the clusters."""
    in_range(multiprocessor_count, "multiprocessor_count")
    slots = result.active_blocks * multiprocessor_count if result.launchable else 0
    if (size := result.kernel.cluster_size) is None:
        if max_active_clusters is not None:
            problem, hint = "needs the size of a cluster", "Set `cluster` (`--cluster`) too."
            raise InputError(problem, where="max_active_clusters", hint=hint)
        return FullWave(result, multiprocessor_count, slots, slots, None, is_upper_bound=False)
    clusters = slots // size
    if max_active_clusters is not None:
        most = clusters if slots else INT_MAX
        clusters = min(clusters, in_range(max_active_clusters, "max_active_clusters", 0, most))
    is_bound = max_active_clusters is None and size > 1 and clusters > 0
    return FullWave(result, multiprocessor_count, clusters * size, slots, clusters, is_bound)
