"""The block sizes that the file with the rules, or the user, states of some kernels, given to these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..errors import InputError
from ..readers import KernelRecord
from ..readers.record import ThreadsFrom
from .no_kernel import names_like
from .rules import Launches, about, idle

ByOtherName = Mapping[int, Sequence[Launches]]
"""The identity of a kernel that was renamed -> the entries that count for it by its name in another build."""


def stated_launches(
    kernels: Sequence[KernelRecord],
    by_user: Sequence[Launches],
    by_rules: Sequence[Launches] = (),
    by_other_name: ByOtherName | None = None,
) -> tuple[KernelRecord, ...]:
    """The kernels, with the block sizes that are stated of them: several sizes make several of one.

    What a file of the build states itself stays, then what the user does. Of several entries about a kernel,
    the last one counts.

    Args:
        kernels: The kernels.
        by_user: What the user states, of some kernels.
        by_rules: What a file of rules states.
        by_other_name: What the file states of kernels by the names that they have in the other build.
    """
    if not by_user and not by_rules:
        return tuple(kernels)
    more = by_other_name or {}
    return tuple(
        sized
        for kernel in kernels
        for given in _sized(kernel, about(kernel, by_user), "option")
        for sized in _sized(given, about(kernel, by_rules, also=more.get(id(kernel), ())), "rules")
    )


def refuse_absent(launches: Launches, kernels: Sequence[KernelRecord], build: str) -> None:
    """Raise an error where a size is given for a kernel that there is not.

    Raises:
        InputError: It is; the names of those that there are.
    """
    if idle([launches], kernels):
        raise InputError(
            f"no kernel of {build} is called {launches.about}",
            where="threads",
            allowed=names_like(launches.kernels[0], (each.name for each in kernels)),
        )


def _sized(
    kernel: KernelRecord, launches: Sequence[Launches], said_by: ThreadsFrom
) -> Iterator[KernelRecord]:
    memory = [each.dynamic_smem for each in launches if each.dynamic_smem is not None]
    if memory and kernel.lacks_dynamic_smem:
        kernel = replace(kernel, dynamic_smem=memory[-1])
    sizes = [each.threads for each in launches if each.threads]
    if not sizes or kernel.threads is not None:
        yield kernel
        return
    for threads in sizes[-1]:
        yield replace(kernel, threads=threads, threads_from=said_by)
