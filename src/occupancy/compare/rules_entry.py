"""What every table in a file of rules has: the kernels that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..builds.kernel_names import Names
from ..readers import KernelRecord
from ..readers.names import demangle
from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that a file of rules says of some kernels."""

    number: int
    """Its place in the file, from 1."""
    kernels: tuple[str, ...]
    """Patterns of names, any of which may match; ``*`` stands for any text, ``?`` for one character."""
    archs: tuple[ComputeCapability, ...]
    """Empty for all."""

    @property
    def about(self) -> str:
        """The kernels that it is about: ``sgemm* on sm_90``."""
        archs = ", ".join(arch.sm for arch in self.archs)
        return f"{', '.join(self.kernels)}{' on ' if archs else ''}{archs}"

    def is_for(self, names: Names, arch: ComputeCapability | None) -> bool:
        """Whether it is about a kernel; variants such as ``sm_90a`` count as the plain architecture."""
        return (not self.archs or arch in self.archs) and any(map(names.match, self.kernels))


E = TypeVar("E", bound=Entry)


def idle(entries: Sequence[E], kernels: Iterable[KernelRecord]) -> list[E]:
    """Those of some entries that are about none of some kernels."""
    left = list(entries)
    for kernel in kernels:
        if not left:
            break
        names = Names(kernel.name, demangle)
        left = [each for each in left if not each.is_for(names, kernel.compute_capability)]
    return left
