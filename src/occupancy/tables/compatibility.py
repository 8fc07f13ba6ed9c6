"""Binary compatibility of machine code."""

from __future__ import annotations

from functools import cache

from ..errors import InputError
from ..values.limits import ComputeCapability

TEGRA = frozenset(map(ComputeCapability.parse, ("3.2", "5.3", "6.2", "7.2", "8.7", "10.1", "11.0")))
"""Compute capabilities of Tegra SoCs, including both of Thor. Their code and the code of other GPUs are not
compatible (CUDA Programming Guide, "Binary Compatibility")."""


@cache
def runs_on(arch: str | None, cc: ComputeCapability) -> bool:
    """Return True if a GPU runs machine code of an architecture.

    It runs code of its own compute capability, of lower minor versions with the same major version, and of its
    family (``f``). Code with ``a`` runs only on its own compute capability. Families were tested with ptxas 13.5:
    sm_100f compiles for 10.0, 10.3 and 10.7, sm_103f for 10.3 and 10.7, and sm_120f for 12.0 and 12.1.
    """
    try:
        own = ComputeCapability.parse(arch or "")
    except InputError:  # files can contain arbitrary architecture names
        return False
    is_family_member = own.major == cc.major and own < cc and not {own, cc} & TEGRA
    return own == cc or (is_family_member and not str(arch).endswith("a"))
