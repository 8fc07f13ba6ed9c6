"""The block sizes that the file with the rules, or the user, states of some kernels, given to these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..builds.kernel_names import Names
from ..errors import InputError, RulesError
from ..readers import KernelRecord
from ..readers.names import demangle
from ..readers.record import ThreadsFrom
from .near_names import names_like
from .rules import Launches
from .rules_entry import idle


def stated_launches(
    kernels: Sequence[KernelRecord], launches: Sequence[Launches], said_by: ThreadsFrom = "rules"
) -> tuple[KernelRecord, ...]:
    """The kernels, with the block sizes that are stated of them: several sizes make several of one.

    What a file states itself stays. Of several entries about a kernel, the last one counts.
    """
    if not launches:
        return tuple(kernels)
    return tuple(sized for kernel in kernels for sized in _sized(kernel, launches, said_by))


def refuse_idle(kernels: Sequence[KernelRecord], launches: Sequence[Launches], build: str) -> None:
    """Raise an error for an entry that is about no kernel.

    Raises:
        RulesError: There is one; a block size that nobody uses would go unnoticed.
    """
    left = idle(launches, kernels)
    if left:
        raise RulesError(
            f"{left[0]} is for no kernel of {build}",
            allowed=names_like(left[0].kernels[0], (kernel.name for kernel in kernels)),
            cure="Write the name of one that there is, or remove the entry.",
        )


def refuse_absent(launches: Launches, kernels: Sequence[KernelRecord], build: str) -> None:
    """Raise an error where a size is given for a kernel that there is not.

    Raises:
        InputError: It is; the names of those that there are.
    """
    if not any(launches.is_for(Names(each.name, demangle), each.compute_capability) for each in kernels):
        raise InputError(
            f"no kernel of {build} is called {launches.about}",
            where="threads",
            allowed=names_like(launches.kernels[0], (each.name for each in kernels)),
        )


def _sized(
    kernel: KernelRecord, launches: Sequence[Launches], said_by: ThreadsFrom
) -> Iterator[KernelRecord]:
    names = Names(kernel.name, demangle)
    about = [each for each in launches if each.is_for(names, kernel.compute_capability)]
    memory = [each.dynamic_smem for each in about if each.dynamic_smem is not None]
    if memory and kernel.lacks_dynamic_smem:
        kernel = replace(kernel, dynamic_smem=memory[-1])
    sizes = [each.threads for each in about if each.threads]
    if not sizes or kernel.threads is not None:
        yield kernel
        return
    for threads in sizes[-1]:
        yield replace(kernel, threads=threads, threads_from=said_by)
