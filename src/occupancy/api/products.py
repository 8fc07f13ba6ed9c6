"""The products that are known."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InputError
from ..report.gpus import gpus_report
from ..tables.gpus import products_of, without_products
from ..tables.products import GpuOrder, Product, in_order
from .answers import Answers
from .arguments import ComputeCapabilityLike
from .chips import chips


def gpus(
    pattern: str | int = "",
    *,
    cc: Iterable[ComputeCapabilityLike] | ComputeCapabilityLike = "",
    sort: GpuOrder = "cc",
) -> Answers[Product]:
    """The products that are known, with their compute capabilities and numbers of SMs.

    Args:
        pattern: Words of the name, the chip, the market or the memory; or a compute capability or an
            architecture; several with commas. Without any: all products.
        cc: Only those of these chips, each as in `compute`, or of an architecture; several as a
            list, or as one text with commas. Without any: of all.
        sort: ``"cc"``, ``"name"``, or ``"sms"`` or ``"memory"`` for the most of it first.

    Raises:
        InputError: There is no such product, or no such order.
    """
    parts = _parts(str(pattern)) or [""]
    found = dict.fromkeys(product for part in parts for product in products_of(part))
    several = _parts(cc) if isinstance(cc, str) else cc
    wanted = {chip.limits.compute_capability for chip in chips(several)} if several else set()
    kept = [product for product in found if not wanted or product.compute_capability in wanted]
    if not kept:
        if wanted.isdisjoint(product.compute_capability for product in products_of("")):
            raise without_products(wanted)
        either = " or ".join(map(str, sorted(wanted)))
        raise InputError(f"none of {pattern!r} is of compute capability {either}", where="cc")
    ordered = tuple(in_order(kept, sort))
    return Answers(ordered, gpus_report(ordered), "gpus")


def _parts(text: str) -> list[str]:
    return [stripped for part in text.split(",") if (stripped := part.strip())]
