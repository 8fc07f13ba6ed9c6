"""Families of architectures: where code with the suffix ``f`` runs."""

from __future__ import annotations

from functools import cache

from ..errors import InputError
from ..values.limits import ComputeCapability
from .shipped import known

RENAMED = ComputeCapability(10, 1)
"""CUDA 13.0 calls it 11.0; it is of no family with the rest of 10.x (its release notes)."""


@cache
def later_members(arch: str | None) -> tuple[ComputeCapability, ...]:
    """The chips beside its own on which code of a family runs; none for any other code.

    They are the later ones of the same major number. ptxas 13.5 makes code of PTX for sm_100f for 10.0, 10.3
    and 10.7, for sm_103f for 10.3 and 10.7, and for sm_120f for 12.0 and 12.1 (compiled).
    """
    if arch is None or not arch.endswith("f"):
        return ()
    try:
        own = ComputeCapability.parse(arch)
    except InputError:  # a file can call an architecture anything
        return ()
    return tuple(cc for cc in known() if cc.major == own.major and cc > own and RENAMED not in (cc, own))
