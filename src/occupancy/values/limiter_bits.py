"""The limiting resources as one integer, for arrays of answers."""

from __future__ import annotations

from enum import IntFlag

from ..engine import RESOURCES, Resource


class Limiter(IntFlag):
    """One bit for each resource; all that tie are set, as in ``Occupancy.limiters``."""

    WARPS = 1
    BLOCKS = 2
    REGISTERS = 4
    SHARED_MEMORY = 8
    BARRIERS = 16

    @classmethod
    def of(cls, resource: Resource) -> Limiter:
        """The bit of a resource."""
        return cls[resource.upper()]

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The names of the resources whose bits are set, in the order of ``Occupancy.limiters``."""
        return tuple(resource for resource in RESOURCES if Limiter.of(resource) & self)
