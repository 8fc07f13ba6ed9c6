"""Binary compatibility: the compute capabilities on which code of an architecture runs."""

from __future__ import annotations

from functools import cache

from ..errors import InputError
from ..values.limits import ComputeCapability
from .shipped import renamed

TEGRA = frozenset(
    ComputeCapability(*each) for each in ((3, 2), (5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0))
)
"""Compute capabilities of Tegra SoCs, Thor under its two names. Their code runs on no other GPU, and they run
no code of others (CUDA programming guide, "Binary Compatibility")."""


@cache
def runs_on(arch: str | None, cc: ComputeCapability) -> bool:
    """Return whether a GPU runs machine code of an architecture.

    It runs code of its own compute capability, of a lower minor version with the same major one, and of its
    family (``f``), except a renamed one: 10.1 is 11.0 (release notes of CUDA 13.0). Code with ``a`` runs on
    its own compute capability alone. ptxas 13.5 makes code of PTX for sm_100f for 10.0, 10.3 and 10.7, for
    sm_103f for 10.3 and 10.7, and for sm_120f for 12.0 and 12.1 (compiled).
    """
    try:
        own = ComputeCapability.parse(arch or "")
    except InputError:  # a file can call an architecture anything
        return False
    if own == cc:
        return True
    variant = str(arch)[-1]
    alone = renamed().keys() if variant == "f" else TEGRA
    return variant != "a" and own.major == cc.major and own < cc and not {own, cc} & alone
