"""Check values and look them up in the tables, a chunk at a time that stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from ..kernel import INT_MAX
from .tables import REGISTER_COUNTS, BarrierTable, SharedMemoryTable, WarpTable
from .values import Integers, Quantity, unsigned

CHUNK = 1 << 16
"""Elements that are worked on at a time: enough to outweigh a dozen calls, few enough for the cache."""


class Lookup(Protocol):
    """What one table says about the values of some quantities."""

    inputs: Sequence[Integers]
    dtypes: Sequence[np.dtype[Any]]
    """Of the columns that `find` gives."""

    def find(self, *pieces: Integers) -> tuple[Integers, ...]:
        """Columns of the table for a piece of each of the inputs, blocks first.

        Raises:
            InputError: A value that no kernel can have.
        """


class WarpLookup:
    """Columns of a `WarpTable` for threads per block and registers per thread."""

    def __init__(
        self, table: WarpTable, threads: Quantity, registers: Quantity, columns: Sequence[str]
    ) -> None:
        self.table = table
        self.threads = threads
        self.registers = registers
        self.columns = columns
        self.inputs = (threads.values, registers.values)
        self.dtypes = tuple(getattr(table.rows, column).dtype for column in columns)

    def find(self, *pieces: Integers) -> tuple[Integers, ...]:
        """The columns for a piece of the threads and one of the registers."""
        threads, registers = (unsigned(piece) for piece in pieces)
        index = threads - 1
        largest = np.maximum.reduce(index)
        if largest >= self.threads.high:
            raise self.threads.out_of_range()
        if np.maximum.reduce(registers) > self.registers.high:
            raise self.registers.out_of_range()
        _divide(index, self.table.warp_size)
        rows = self.table.rows
        if largest >= self.table.largest_block:
            rows = self.table.extended_rows
            index += threads > self.table.largest_block
            np.minimum(index, rows.last, out=index)
        index *= REGISTER_COUNTS
        index += registers
        index = index.astype(np.intp)
        return tuple(getattr(rows, column).take(index, mode="clip") for column in self.columns)


class SharedMemoryLookup:
    """Blocks that a `SharedMemoryTable` allows, for sizes that add up."""

    def __init__(self, table: SharedMemoryTable, sizes: Sequence[Quantity]) -> None:
        self.table = table
        self.sizes = sizes
        self.inputs = tuple(each.values for each in sizes)
        self.dtypes = (table.blocks.dtype,)

    def find(self, *pieces: Integers) -> tuple[Integers, ...]:
        """What is allowed for a piece of each of the sizes."""
        total = self.table.offset
        sizes = [unsigned(piece) for piece in pieces]
        for size, piece in zip(self.sizes, sizes, strict=True):
            largest = int(np.maximum.reduce(piece))
            if largest > size.high:
                raise size.out_of_range()
            total += largest
        if total > INT_MAX:
            sizes = [np.minimum(piece, self.table.last_size) for piece in sizes]
        index = sizes[0] + self.table.offset
        for piece in sizes[1:]:
            index += piece
        _divide(index, self.table.unit)
        return (self.table.blocks.take(index.astype(np.intp), mode="clip"),)


class BarrierLookup:
    """Blocks that a `BarrierTable` allows, for barriers per block."""

    def __init__(self, table: BarrierTable, barriers: Quantity) -> None:
        self.table = table
        self.barriers = barriers
        self.inputs = (barriers.values,)
        self.dtypes = (table.blocks.dtype,)

    def find(self, *pieces: Integers) -> tuple[Integers, ...]:
        """What is allowed for a piece of the barriers."""
        barriers = unsigned(pieces[0])
        if np.maximum.reduce(barriers) > self.barriers.high:
            raise self.barriers.out_of_range()
        return (self.table.blocks.take(barriers.astype(np.intp), mode="clip"),)


class Found:
    """What has been looked up already."""

    def __init__(self, *columns: Integers) -> None:
        self.inputs = columns
        self.dtypes = tuple(column.dtype for column in columns)

    def find(self, *pieces: Integers) -> tuple[Integers, ...]:
        """The pieces themselves."""
        return pieces


def look_up_first(lookup: Lookup, shape: tuple[int, ...]) -> Lookup:
    """The lookup, done already where its inputs are fewer than the answers, as in a grid."""
    own_shape = np.broadcast_shapes(*(each.shape for each in lookup.inputs))
    if own_shape == shape:
        return lookup
    columns = [np.empty(own_shape, dtype) for dtype in lookup.dtypes]
    for inputs, outputs in chunks(lookup.inputs, columns):
        for output, found in zip(outputs, lookup.find(*inputs), strict=True):
            output[...] = found
    return Found(*columns)


def chunks(
    inputs: Sequence[Integers], outputs: Sequence[Integers]
) -> Iterator[tuple[Sequence[Integers], Sequence[Integers]]]:
    """Pieces of the inputs, broadcast to each other, with the pieces of the outputs that they answer."""
    with np.nditer(
        [*inputs, *outputs],
        flags=["external_loop", "buffered"],
        op_flags=[["readonly"]] * len(inputs) + [["writeonly"]] * len(outputs),
        buffersize=CHUNK,
    ) as iterator:
        for pieces in iterator:
            yield pieces[: len(inputs)], pieces[len(inputs) :]


def _divide(values: Integers, unit: int) -> None:
    # In place. For a power of two, as all units of real chips are, a shift takes half the time.
    if unit & unit - 1:
        values //= unit
    else:
        values >>= unit.bit_length() - 1
