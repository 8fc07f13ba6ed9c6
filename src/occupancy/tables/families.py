"""Where code that was compiled for one architecture runs: by version, by family, or there alone."""

from __future__ import annotations

from functools import cache

from ..errors import InputError
from ..values.limits import ComputeCapability
from .shipped import known, renamed

TEGRA = frozenset(
    ComputeCapability(*each) for each in ((3, 2), (5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0))
)
"""Compute capabilities of Tegra SoCs, Thor under its two names. Code of these runs on no other chip, and they
run none of others (CUDA programming guide, "Binary Compatibility")."""


@cache
def runs_on(arch: str | None, chip: ComputeCapability) -> bool:
    """Whether a chip runs machine code of an architecture, by its name: that of its own compute capability,
    of a lower minor number with the same major one, of a family it belongs to; with ``a`` its own alone."""
    try:
        own = ComputeCapability.parse(arch or "")
    except InputError:  # a file can call an architecture anything
        return False
    assert arch is not None
    if own == chip or arch.endswith(("a", "f")):
        return own == chip or chip in later_members(arch)
    return own.major == chip.major and own < chip and not {own, chip} & TEGRA


@cache
def later_members(arch: str | None) -> tuple[ComputeCapability, ...]:
    """The chips beside its own on which code of a family runs; none for any other code.

    They are the later ones of the same major number, but for one that was renamed: 10.1 is 11.0 (release
    notes of CUDA 13.0). ptxas 13.5 makes code of PTX for sm_100f for 10.0, 10.3 and 10.7, for sm_103f for
    10.3 and 10.7, and for sm_120f for 12.0 and 12.1 (compiled).
    """
    if arch is None or not arch.endswith("f"):
        return ()
    try:
        own = ComputeCapability.parse(arch)
    except InputError:  # a file can call an architecture anything
        return ()
    return tuple(
        cc for cc in known() if cc.major == own.major and cc > own and not {cc, own} & renamed().keys()
    )
