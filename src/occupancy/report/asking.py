"""How people who read of a scan ask for what it does not show, in the words of the place where they read."""

from __future__ import annotations

from typing import NamedTuple


class Asking(NamedTuple):
    """What to type for more; each begins or is a part of a sentence."""

    all_archs: str
    by_stack: str
    """For kernels with a stack in the order of it."""
    threads: str
    """For another block size than the one that was assumed."""
    usual_size: str
    """For the answers with blocks of so many threads, which stand where ``{}`` does."""
    json: str
    """For all that is known of each kernel."""
    other_files: str
    """For all files that hold the same kernel."""
    reported: str
    """For the occupancy that a profiler reports."""
    columns: str
    """For columns that there is no room for."""
    budget: str
    """For the registers that each occupancy allows, with a chip and a block size where ``{}`` stands."""


COMMAND = Asking(
    all_archs="--arch all shows all",
    by_stack="--sort stack",
    threads="--threads N if you know it",
    usual_size="--threads {} shows which",
    json="--format json",
    other_files="also_in of --format json",
    reported="--columns occupancy,reported shows both",
    columns="--columns arch,regs,... chooses; --format csv has all.",
    budget="occupancy budget --cc {} --threads {}",
)
"""On the screen of the command."""

FUNCTION = Asking(
    all_archs='archs=["all"] shows all',
    by_stack='sort="stack"',
    threads="threads=N if you know it",
    usual_size="threads={} shows which",
    json="to_dict()",
    other_files="also_in",
    reported="reported_occupancy has it",
    columns="to_dict() has them.",
    budget='occupancy.budget("{}", threads={})',
)
"""In a notebook, which has no options of a command."""

PAGE = Asking(
    all_archs="occupancy scan --arch all has all",
    by_stack="sort by Stack in a scan without --spilling",
    threads="occupancy scan --threads N answers for another size",
    usual_size="occupancy scan --threads {} shows which",
    json="occupancy scan --format json",
    other_files="occupancy scan --format json",
    reported="the column Reported has it",
    columns="",
    budget="occupancy budget --cc {} --threads {}",
)
"""On the page, which is read by others than who ran the command."""
