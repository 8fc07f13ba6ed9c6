"""Answers for arrays of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine import Model, default_model
from ..errors import InputError
from ..values.kernel import TENSOR_MEMORY_UNIT, Kernel
from ..values.limits import Limits
from ..values.resources import COUNTED, Limiter, Output
from ..values.rows import Rows
from .answered import Answered
from .lookup import Lookup, chunks, count_lookup, found, look_up_first, shared_memory_lookup, warp_lookup
from .tables import count_table, not_given, shared_memory_table, smallest_type, warp_table
from .values import SHARED_MEMORY_FIELDS, Integers, Quantity, read_quantity

if TYPE_CHECKING:
    from ..render.document import Document
    from .best import BestAnswers

OUTPUTS: tuple[Output, ...] = get_args(Output)
COLUMNS = {"active_warps": "warps", "limiters": "limiters"}
"""Output -> the column of a `WarpTable` that it needs beside the blocks."""


class Sweep:
    """Answers for arrays of kernels; names and meanings are those of `Occupancy`.

    The arrays have the shape that the inputs broadcast to; where a list of chips was asked for, a
    dimension for the chips comes first.
    """

    def __init__(self, answered: Answered) -> None:
        self._answered = answered
        self.limits = answered.limits
        self.inputs = dict(answered.inputs)
        """Argument -> the whole numbers that were asked about."""
        self.names = answered.names
        """What each of the chips is called."""

    @property
    def active_blocks(self) -> Integers:
        """Blocks that can be resident on one SM at once."""
        return self._answered.array("active_blocks")

    @property
    def active_warps(self) -> Integers:
        """Warps of those blocks."""
        return self._answered.array("active_warps")

    @property
    def limiters(self) -> Integers:
        """The bits (`Limiter`) of every resource that allows no more blocks than the answer."""
        return self._answered.array("limiters")

    @property
    def occupancy(self) -> NDArray[np.float32]:
        """Active warps by the most warps that an SM holds, 0 to 1, in single precision."""
        return self._answered.occupancy

    def best(self, n: int = 10, *, where: ArrayLike = True) -> BestAnswers:
        """The answers of each chip with the highest occupancy, as ``print()`` shows them, of what launches.

        They are different trade-offs: of the same threads and occupancy, what uses no more registers, shared
        memory and barriers than another is left out, because the other has more room for nothing. Of the
        same occupancy those with more registers come first, then more shared memory, then more barriers; then
        fewer threads per block, then the order of the arrays decides. Of 20 million answers this takes some
        seconds.

        Args:
            n: The most rows of each chip, 1 and up.
            where: Of which answers: an array of true and false of the sweep's shape, or one that broadcasts
                to it, such as ``regs >= 64``. The ``index`` stays that in the whole sweep.

        Returns:
            A tuple that prints as a table, with a dictionary for each answer, chip after chip: ``index``, its
            place in the arrays; ``cc``, after ``gpu`` where products were asked for; the inputs that were
            given; the arrays, with ``limiters`` as names; ``occupancy``.

        Raises:
            InputError: ``n`` is out of range, ``where`` is no such array, or ``active_warps`` was not asked
                for.
        """
        from .best import best_of

        return best_of(self._answered, n, where)

    def rows(self) -> Rows:
        """All answers as `best` has them, in the order of the arrays, each made when it is asked for. Without
        ``active_warps`` they have no ``occupancy``. Each million takes some seconds; `columns` is faster."""
        return self._answered.rows()

    def columns(self) -> dict[str, NDArray[Any]]:
        """All answers in the order of the arrays, an array of one dimension for each column of `rows` but
        ``index``: for ``pandas.DataFrame(grid.columns())``, and millions of them."""
        return self._answered.columns_at(np.arange(prod(self.shape)))

    def plot(self, ax: Any = None) -> Any:
        """Draw the occupancy: a curve for each chip over one input, or a heat map of one chip over two.

        Args:
            ax: matplotlib's ``Axes`` to draw into; by default those of a new figure.

        Returns:
            The ``Axes``.

        Raises:
            InputError: Nothing varies, or too much for a picture.
            MissingDependencyError: matplotlib is not installed.
        """
        from ..render.plot import plot
        from .shown import picture_of

        (axes,) = plot(picture_of(self._answered), ax)
        return axes

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the arrays."""
        return self._answered.shape

    def __repr__(self) -> str:
        return f"<Sweep of shape {self.shape} on {', '.join(self.names)}: {', '.join(self._answered.arrays)}>"

    def document(self) -> Document:
        """The chart or heat map that ``occupancy sweep`` prints; where there is none, the best answers."""
        from .shown import document_of

        return document_of(self._answered)

    def __str__(self) -> str:
        """The same as text."""
        from ..render.text import to_text

        return to_text(self.document(), reader="python")

    def _repr_html_(self) -> str:
        """The same as HTML, for a notebook, with the best answers below a heat map."""
        from ..render.html import html
        from .shown import document_of

        return html(document_of(self._answered, in_notebook=True))


def sweep_arrays(
    chips: Sequence[Limits],
    inputs: Mapping[str, ArrayLike],
    common: Kernel,
    model: Model | None = None,
    *,
    has_chip_axis: bool = False,
    outputs: Sequence[Output] = OUTPUTS,
    names: Sequence[str] = (),
) -> Sweep:
    """Answer for arrays of kernels on some chips.

    Args:
        chips: The SMs.
        inputs: Field of `Kernel` -> its values; ``threads`` at least.
        common: A kernel whose carveout, caching, opt-in and shared memory mode are those of all kernels.
        model: Whose answers to give; by default those of each chip's `default_model`.
        has_chip_axis: Whether the answers get a first dimension for the chips; needed for several.
        outputs: The arrays that are wanted.
        names: What each chip is called; by default its compute capability.

    Raises:
        InputError: Values that no kernel can have, arrays that do not go together, an option that a
            chip does not have, or an output that there is not.
    """
    if not outputs or not set(outputs) <= set(OUTPUTS):
        raise InputError(f"{outputs!r} are not outputs", where="outputs", allowed=", ".join(OUTPUTS))
    if not chips:
        raise InputError("there are none", where="cc")
    if "smem" in inputs and ("static_smem" in inputs or "dynamic_smem" in inputs):
        Kernel(1, smem=0, static_smem=0)  # raises the error that says why not
    quantities = {field: read_quantity(values, field) for field, values in inputs.items()}
    shape = _common_shape(list(quantities.values()))
    arrays = {name: np.empty((len(chips), *shape), _output_type(name, chips)) for name in outputs}
    for index, limits in enumerate(chips):
        out = {name: array[index, ...] for name, array in arrays.items()}
        _fill(limits, common, model or default_model(limits), quantities, out)
    if not has_chip_axis:
        arrays = {name: array[0, ...] for name, array in arrays.items()}
    inputs_read = {name: each.values for name, each in quantities.items()}
    called = tuple(names) or tuple(str(each.compute_capability) for each in chips)
    return Sweep(Answered(tuple(chips), called, has_chip_axis, inputs_read, arrays))


def _common_shape(quantities: Sequence[Quantity]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(each.values.shape for each in quantities))
    except ValueError:
        shapes = ", ".join(f"{each.name} {each.values.shape}" for each in quantities if each.values.ndim)
        raise InputError(
            f"do not broadcast to each other: {shapes}",
            where="shapes",
            hint="For all combinations give each array a dimension of its own, as numpy.ix_() does.",
        ) from None  # NumPy's own error says less, in twenty lines


def _output_type(name: Output, chips: Sequence[Limits]) -> np.dtype[Any]:
    if name == "active_blocks":
        return smallest_type(max(limits.max_blocks_per_multiprocessor for limits in chips))
    if name == "active_warps":
        return smallest_type(max(limits.max_warps_per_multiprocessor for limits in chips))
    return smallest_type(max(Limiter))


def _fill(
    limits: Limits,
    common: Kernel,
    model: Model,
    quantities: Mapping[str, Quantity],
    arrays: Mapping[Output, Integers],
) -> None:
    """Work out the arrays for one chip."""
    names = ["blocks", *(COLUMNS[output] for output in arrays if output in COLUMNS)]
    by_warps, caps = _lookups(limits, common, model, quantities, names)
    shape = next(iter(arrays.values())).shape
    by_warps = look_up_first(by_warps, shape)
    caps = {limiter: look_up_first(cap, shape) for limiter, cap in caps.items()}
    inputs = [*by_warps.inputs, *(each for cap in caps.values() for each in cap.inputs)]
    for pieces, outputs in chunks(inputs, list(arrays.values())):
        rest = iter(pieces)
        columns = dict(zip(names, by_warps.find(*islice(rest, len(by_warps.inputs))), strict=True))
        allowed = {limiter: cap.find(*islice(rest, len(cap.inputs)))[0] for limiter, cap in caps.items()}
        _combine(columns, allowed, dict(zip(arrays, outputs, strict=True)))


def _combine(
    columns: Mapping[str, Integers], allowed: Mapping[Limiter, Integers], out: Mapping[Output, Integers]
) -> None:
    """Put the answers of one piece together."""
    blocks = reduce(np.minimum, allowed.values(), columns["blocks"])
    if "active_blocks" in out:
        out["active_blocks"][...] = blocks
    if "active_warps" in out:
        np.multiply(columns["warps"], blocks, out=out["active_warps"], casting="unsafe")
    if "limiters" in out:
        limiters = columns["limiters"] * (columns["blocks"] == blocks)
        for limiter, cap in allowed.items():
            limiters |= (cap == blocks).view(np.uint8) * np.uint8(limiter)
        out["limiters"][...] = limiters


def _lookups(
    limits: Limits, common: Kernel, model: Model, quantities: Mapping[str, Quantity], names: Sequence[str]
) -> tuple[Lookup, dict[Limiter, Lookup]]:
    """What answers for warps, block slots and registers, and what for each other resource."""
    warps = warp_table(limits, model, common.caching)
    shared_memory = shared_memory_table(
        limits, model, common.carveout, common.opt_in, common.shared_memory_mode
    )
    sizes = [quantities[field] for field in SHARED_MEMORY_FIELDS if field in quantities]
    caps = {Limiter.SHARED_MEMORY: shared_memory_lookup(shared_memory, sizes or [_NONE])}
    # Columns bring virtual resources along, and a chip that has none refuses them.
    usual = Kernel(1, tensor_memory=TENSOR_MEMORY_UNIT if "tensor_memory" in quantities else None)
    for resource in COUNTED:
        if (allowed := not_given(limits, model, resource, usual)) is not None:
            caps[Limiter.of(resource)] = found([allowed])
        if resource in quantities:
            table = count_table(limits, model, resource)
            caps[Limiter.of(resource)] = count_lookup(table, quantities[resource])
    by_warps = warp_lookup(warps, names, quantities["threads"], quantities.get("regs", _NONE))
    return by_warps, caps


_NONE = read_quantity(0, "smem")
