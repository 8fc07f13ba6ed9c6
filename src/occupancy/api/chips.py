"""The chips: from what people call one to what its SM offers, and what there are."""

from __future__ import annotations

from functools import lru_cache

import occupancy  # in annotations: a public name brings its module when somebody reads the types

from ..tables import shipped
from ..values.limits import ComputeCapability, Limits
from .arguments import ComputeCapabilityLike


def limits(cc: ComputeCapabilityLike) -> Limits:
    """What one SM of a compute capability offers.

    Args:
        cc: A string (``"9.0"``, ``"sm_90"``, ``"90a"``), an integer (``90``, ``120``) or a pair
            (``(9, 0)``), never a float. `Limits` are returned as they are.

    Raises:
        InputError: Not a compute capability.
        UnknownComputeCapabilityError: One that the table does not hold; it names the nearest.
    """
    if type(cc) is str:
        return _limits_of_name(cc)
    return cc if isinstance(cc, Limits) else shipped.limits(cc)


@lru_cache(maxsize=256)
def _limits_of_name(name: str) -> Limits:
    return shipped.limits(name)


def compute_capabilities() -> tuple[ComputeCapability, ...]:
    """Every compute capability of the table, ascending."""
    return shipped.known()


def products() -> occupancy.Answers[occupancy.Product]:
    """Every product that is known, by compute capability, with its number of SMs."""
    from ..report.gpus import gpus_report
    from ..tables.products import products
    from .answers import Answers

    found = products()
    return Answers(found, gpus_report(found))


def sources(*ccs: ComputeCapabilityLike) -> occupancy.SourcesReport:
    """Where each number of the table comes from, and where sources disagree.

    Args:
        ccs: Compute capabilities, each as in `compute`; none: all of the table.

    Raises:
        InputError: Not a compute capability.
        UnknownComputeCapabilityError: One that the table does not hold.
    """
    from ..report.limits import FIELDS, SourcesReport
    from ..tables.sources import provenance

    chips = [limits(cc).compute_capability for cc in ccs] or shipped.known()
    return SourcesReport(tuple(provenance(cc, field) for cc in chips for field in FIELDS))
