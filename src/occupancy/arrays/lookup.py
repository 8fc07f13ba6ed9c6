"""Check values and look them up in the tables, a chunk at a time that stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..values.kernel import INT_MAX
from .tables import REGISTER_COUNTS, CountTable, SharedMemoryTable, WarpTable
from .values import Integers, Quantity, unsigned

CHUNK = 1 << 18
"""Elements that are worked on at a time: enough to outweigh a dozen calls, few enough for the cache."""


@dataclass(frozen=True)
class Lookup:
    """Columns of a table, for values that broadcast to each other."""

    inputs: Sequence[Integers]
    dtypes: Sequence[np.dtype[Any]]
    """Of the columns."""
    find: Callable[..., Sequence[Integers]]
    """Takes a piece of each input, gives a piece of each column; `InputError`: a value out of range."""


def warp_lookup(table: WarpTable, names: Sequence[str], threads: Quantity, registers: Quantity) -> Lookup:
    """Columns of a `WarpTable`, for threads per block and registers per thread."""

    def find(some_threads: Integers, some_registers: Integers) -> Sequence[Integers]:
        some_threads, some_registers = unsigned(some_threads), unsigned(some_registers)
        index = some_threads - 1
        largest = np.maximum.reduce(index)
        if largest >= threads.high:
            raise threads.out_of_range()
        if np.maximum.reduce(some_registers) > registers.high:
            raise registers.out_of_range()
        _divide(index, table.warp_size)
        rows = table.rows
        if largest >= table.largest_block:
            rows = table.extended_rows
            index += some_threads > table.largest_block
            np.minimum(index, rows.last, out=index)
        index *= REGISTER_COUNTS
        index += some_registers
        return _take(rows.named(names), index)

    return Lookup((threads.values, registers.values), _types(table.rows.named(names)), find)


def shared_memory_lookup(table: SharedMemoryTable, sizes: Sequence[Quantity]) -> Lookup:
    """Blocks of a `SharedMemoryTable`, for sizes that add up."""

    def find(*some_sizes: Integers) -> Sequence[Integers]:
        terms = [unsigned(some) for some in some_sizes]
        largest = [int(np.maximum.reduce(term)) for term in terms]
        for size, most in zip(sizes, largest, strict=True):
            if most > size.high:
                raise size.out_of_range()
        if sum(largest) + table.offset > INT_MAX:
            terms = [np.minimum(term, table.last_size).astype(np.uint64) for term in terms]
        index = terms[0] + table.offset
        for term in terms[1:]:
            index += term
        _divide(index, table.unit)
        return _take([table.blocks], index)

    return Lookup([size.values for size in sizes], _types([table.blocks]), find)


def count_lookup(table: CountTable, counts: Quantity) -> Lookup:
    """Blocks of a `CountTable`, for counts per block."""
    counts = replace(counts, high=min(counts.high, table.most))

    def find(some_counts: Integers) -> Sequence[Integers]:
        index = unsigned(some_counts)
        is_multiple = counts.unit == 1 or not np.any(index % counts.unit)
        if np.maximum.reduce(index) > counts.high or (counts.low and not index.all()) or not is_multiple:
            raise counts.out_of_range()
        return _take([table.blocks], index)

    return Lookup([counts.values], _types([table.blocks]), find)


def found(columns: Sequence[Integers]) -> Lookup:
    """Columns that have been looked up already."""
    return Lookup(columns, _types(columns), lambda *pieces: pieces)


def look_up_first(lookup: Lookup, shape: tuple[int, ...]) -> Lookup:
    """The lookup, done already where its inputs are fewer than the answers, as in a grid."""
    own_shape = np.broadcast_shapes(*(each.shape for each in lookup.inputs))
    if own_shape == shape:
        return lookup
    columns = [np.empty(own_shape, dtype) for dtype in lookup.dtypes]
    for inputs, outputs in chunks(lookup.inputs, columns):
        for output, column in zip(outputs, lookup.find(*inputs), strict=True):
            output[...] = column
    return found(columns)


def chunks(
    inputs: Sequence[Integers], outputs: Sequence[Integers]
) -> Iterator[tuple[Sequence[Integers], Sequence[Integers]]]:
    """Pieces of the inputs, broadcast to each other, with the pieces of the outputs that they answer."""
    # NumPy's own types know of the flags of one operand only.
    directions: Any = [["readonly"] for _ in inputs] + [["writeonly"] for _ in outputs]
    with np.nditer(
        [*inputs, *outputs], ["external_loop", "buffered"], directions, buffersize=CHUNK
    ) as iterator:
        for pieces in iterator:
            yield pieces[: len(inputs)], pieces[len(inputs) :]


def _take(columns: Sequence[Integers], index: Integers) -> Sequence[Integers]:
    # What is beyond the end is as the last entry. NumPy looks up with no other integers than these.
    place = index.astype(np.intp)
    return [column.take(place, mode="clip") for column in columns]


def _types(columns: Sequence[Integers]) -> Sequence[np.dtype[Any]]:
    return [column.dtype for column in columns]


def _divide(values: Integers, unit: int) -> None:
    # In place. For a power of two, as all units of real chips are, a shift takes half the time.
    if unit & unit - 1:
        values //= unit
    else:
        values >>= unit.bit_length() - 1
