"""Lookup of arrays of inputs in tables that the engine fills: one for each GPU and resource."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial, reduce
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine import Model, rules
from ..engine.common import round_up
from ..errors import InputError
from ..values.fields import FIELDS, TENSOR_MEMORY_UNIT, Caching
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import COUNTED, Counted, Limiter, Output
from ..values.spellings import INT_MAX, parse_count, parse_size

Integers = NDArray[np.integer[Any]]

SHARED_MEMORY_FIELDS = ("smem", "static_smem", "dynamic_smem")
"""Inputs that add up to the shared memory of a block."""

MAX_ROWS = 1 << 14
"""Largest number of rows of a table; the shipped GPUs need up to 2,626."""

CHUNK = 1 << 18
"""Elements looked up at a time: enough to amortize a dozen calls, but small enough for the cache."""

_MISSING = ("nan", "None", "<NA>")
_REGISTER_COUNTS = FIELDS["regs"].high + 1


class Input(NamedTuple):
    """Values of one input, such as threads per block."""

    name: str
    values: NDArray[Any]
    low: int
    high: int
    unit: int = 1
    """Common divisor of valid values."""

    def above_low(self, values: Integers) -> Integers:
        """Return values as unsigned differences from the lowest; values below it wrap around."""
        signed = values if values.itemsize >= 4 else values.astype(np.int32)
        above = signed.view(f"u{signed.itemsize}")
        return above - self.low if self.low else above

    def check(self, above: Integers) -> None:
        """Raise an error if values are out of range, from their differences from the lowest."""
        if above.max() > self.high - self.low or (self.unit > 1 and np.any(above % self.unit)):
            is_out_of_range = (self.values < self.low) | (self.values > self.high)
            problem = "is out of range" if is_out_of_range.any() else f"is not a multiple of {self.unit}"
            raise self.error(is_out_of_range | (self.values % self.unit != 0), problem)

    def error(self, is_bad: NDArray[np.bool_], problem: str) -> InputError:
        first = int(np.argmax(is_bad))
        value = self.values.flat[first]
        allowed = FIELDS[self.name].allowed or f"{self.low:,} to {self.high:,}"
        hint = "Replace missing values, or drop their rows." if str(value) in _MISSING else ""
        return InputError(f"{value} {problem}", where=self.place(first), allowed=allowed, hint=hint)

    def place(self, index: int) -> str:
        if not self.values.ndim:
            return self.name
        place = tuple(map(int, np.unravel_index(index, self.values.shape)))
        return f"{self.name}, element {place if len(place) > 1 else place[0]}"


def read_input(values: ArrayLike, name: str) -> Input:
    """Return the values of a field of `Kernel`: integers, integral floats, or text as in `compute`."""
    field = FIELDS[name]
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        is_ragged = "inhomogeneous" in str(error)
        problem = "has rows of different lengths" if is_ragged else f"cannot be read as an array: {error}"
        raise InputError(problem, where=name) from error
    read = Input(name, array, round_up(field.low, field.multiple_of), field.high, field.multiple_of)
    if array.size == 0:
        raise InputError("is empty", where=name, hint="Pass at least one value.")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise read.error(np.ma.getmaskarray(values), "is masked")
    if array.dtype.kind == "f":
        if (is_bad := array != np.trunc(array)).any():  # includes NaN
            raise read.error(is_bad, "is not an integer")
    elif array.dtype.kind in "iu":
        return read
    else:
        parse = parse_size if name in SHARED_MEMORY_FIELDS else partial(parse_count, hint="Pass integers.")
        if (is_missing := np.isin(array.astype(str), _MISSING)).any():
            raise read.error(is_missing, "is not an integer")
        parsed = [parse(each, read.place(index)) for index, each in enumerate(array.ravel().tolist())]
        array = np.array(parsed, object).reshape(array.shape)
    if (is_bad := (array < read.low) | (array > read.high)).any():
        raise read.error(is_bad, "is out of range")
    return read._replace(values=array.astype(np.int64))


class Part(NamedTuple):
    """Piece of one axis of arrays that broadcast to each other."""

    axis: int  # counted from the last, -1
    piece: slice

    def of(self, values: Integers) -> Integers:
        values = np.atleast_1d(values)
        is_whole = values.ndim < -self.axis or values.shape[self.axis] == 1
        index: Any = (..., self.piece, *[slice(None)] * (-self.axis - 1))
        return values if is_whole else values[index]


def parts(inputs: Iterable[Input]) -> Iterator[Part]:
    """Divide the longest axis of the largest input into chunks."""
    shape = max((each.values.shape for each in inputs), key=prod) or (1,)
    axis = int(np.argmax(shape)) - len(shape)
    step = max(1, CHUNK * shape[axis] // prod(shape))
    return (Part(axis, slice(start, start + step)) for start in range(0, shape[axis], step))


class Columns(NamedTuple):
    """Results of one or several resources, for every entry of a table or for an array of inputs."""

    blocks: Integers
    """Blocks that the resources allow."""
    limiters: Integers
    """Bits of the limiting resources."""
    warps: Any = None
    """Warps of one block, 0 if no block is resident; only in the first result."""


class Lookup(NamedTuple):
    """Table of one or several resources, and the inputs that determine the entry."""

    table: Columns
    inputs: Sequence[Input]
    place: Callable[[Sequence[Integers]], Integers]
    """Function of the differences (`Input.above_low`) to the entry; beyond the end, the last one counts."""

    def columns(self, outputs: Collection[Output], part: Part) -> Columns:
        """Return the columns that the outputs need, for a part of the inputs."""
        distances = [each.above_low(part.of(each.values)) for each in self.inputs]
        where = self.place(distances).astype(np.intp, copy=False)
        for each, above in zip(self.inputs, distances, strict=True):
            each.check(above)  # last: read from memory, a sum is faster than a maximum
        blocks, limiters, warps = self.table
        if "limiters" in outputs and limiters.ndim:
            limiters = limiters.take(where, mode="clip")
        if "active_warps" in outputs and warps is not None:
            warps = warps.take(where, mode="clip")
        return Columns(blocks.take(where, mode="clip"), limiters, warps)


def lookups(limits: Limits, common: Kernel, model: Model, inputs: Mapping[str, Input]) -> list[Lookup]:
    """Return the table of each resource, first threads with registers; ``common`` has common options."""
    none = read_input(0, "smem")
    tables = [_threads_lookup(limits, model, common.caching, [inputs["threads"], inputs.get("regs", none)])]
    sizes = [inputs[field] for field in SHARED_MEMORY_FIELDS if field in inputs] or [none]
    tables.append(_lookup("shared_memory", _shared_memory_table(limits, model, common), sizes))
    # Tensor memory implies virtual resources.
    usual = Kernel(1, tensor_memory=TENSOR_MEMORY_UNIT if "tensor_memory" in inputs else None)
    for resource in COUNTED:
        if resource in inputs:
            low = inputs[resource].low
            counts = _count_table(limits, model, resource, low)
            tables.append(_lookup(resource, counts, [inputs[resource]._replace(high=low + counts.size - 1)]))
        else:
            allowed = getattr(rules(limits, model).evaluate(limits, usual)[1], resource)
            if allowed is not None and allowed <= limits.max_blocks_per_multiprocessor:
                tables.append(_lookup(resource, _as_blocks(limits, [allowed]), [none]))
    return tables


def _threads_lookup(limits: Limits, model: Model, caching: Caching | None, pair: Sequence[Input]) -> Lookup:
    warp, largest = limits.warp_size, limits.max_threads_per_block
    table = _threads_table(limits, model, caching)

    def place(distances: Sequence[Integers]) -> Integers:
        threads_but_one, registers = distances
        rows = threads_but_one // warp
        if threads_but_one.max() >= largest:
            rows += threads_but_one >= largest
            np.minimum(rows, table.blocks.size // _REGISTER_COUNTS - 1, out=rows)  # up to the last row
        rows *= _REGISTER_COUNTS
        return rows + registers

    return Lookup(table, pair, place)


def _lookup(resource: str, table: Integers, inputs: Sequence[Input]) -> Lookup:
    # At most two inputs are added, static and dynamic shared memory, so that the sum fits in 32 unsigned bits.
    columns = Columns(table, np.array(Limiter[resource.upper()], np.uint8))
    return Lookup(columns, inputs, partial(reduce, np.add))


def _as_blocks(limits: Limits, blocks: Sequence[int | None]) -> Integers:
    no_limit = limits.max_blocks_per_multiprocessor + 1  # above every result
    numbers = [no_limit if each is None else min(each, no_limit) for each in blocks]
    return np.array(numbers, np.min_scalar_type(no_limit))


@lru_cache(maxsize=64)
def _shared_memory_table(limits: Limits, model: Model, common: Kernel) -> Integers:
    """Return the blocks that shared memory allows, by bytes per block; the last entry is for larger sizes."""

    def evaluate(size: int) -> tuple[int | None, int]:
        _, by_resource, allocated = rules(limits, model).evaluate(limits, common.replace(smem=size))
        return by_resource.shared_memory, allocated.shared_memory

    unit = limits.shared_memory_allocation_unit
    # The first step is short if reserved shared memory takes part of its allocation unit.
    most, first = evaluate(0)
    length = bisect_right(range(unit + 1), first, key=lambda size: evaluate(size)[1])
    blocks = [most]
    while blocks[-1] != 0:
        _check_rows(len(blocks), limits, "max_shared_memory_per_multiprocessor")
        blocks.append(evaluate(length + (len(blocks) - 1) * unit)[0])
    return np.repeat(_as_blocks(limits, blocks), unit)[unit - length :]


@lru_cache(maxsize=64)
def _count_table(limits: Limits, model: Model, resource: Counted, low: int) -> Integers:
    """Return the blocks that a counted resource allows, by count per block, from the lowest count on."""
    evaluate, most = rules(limits, model).evaluate, FIELDS[resource].high
    if resource == "tensor_memory":
        evaluate(limits, Kernel(1, tensor_memory=TENSOR_MEMORY_UNIT))  # rejects GPUs without tensor memory
        most = limits.tensor_memory_per_multiprocessor or 0
    kernels: list[dict[str, Any]] = [{resource: count} for count in range(low, most + 1)]
    return _as_blocks(limits, [getattr(evaluate(limits, Kernel(1, **each))[1], resource) for each in kernels])


@lru_cache(maxsize=64)
def _threads_table(limits: Limits, model: Model, caching: Caching | None) -> Columns:
    """Return the results by warps, block slots and registers, in rows of `_REGISTER_COUNTS` entries.

    Row i is for blocks of i + 1 warps, up to the largest block. In the rows for larger blocks, row i is for i
    warps, and the last row is for all other blocks.
    """
    evaluate = rules(limits, model).evaluate
    alike: Sequence[int] = range(_REGISTER_COUNTS)
    if limits.register_allocation_granularity != "block":  # the same allocation has the same results
        evaluated = [evaluate(limits, Kernel(1, registers)) for registers in alike]
        keys = [(by_resource.registers, allocated.registers) for _, by_resource, allocated in evaluated]
        alike = [keys.index(key) for key in keys]
    distinct = sorted(set(alike))

    def entry(threads: int, registers: int) -> tuple[int, int, int]:
        _, by_resource, allocated = evaluate(limits, Kernel(threads, registers, caching=caching))
        allowed = by_resource[:3]  # warps, blocks, registers: the first three bits of `Limiter`
        blocks = min(each for each in allowed if each is not None)
        bits = sum(1 << place for place, each in enumerate(allowed) if each == blocks)
        return blocks, bits, allocated.warps if blocks else 0

    size, largest = limits.warp_size, limits.max_threads_per_block
    ends = [*range(size, largest, size), largest]
    rows = [[entry(threads, registers) for registers in distinct] for threads in ends]
    last = [entry(INT_MAX, registers) for registers in distinct]
    while rows[-1] != last:
        _check_rows(len(rows), limits, "max_registers_per_multiprocessor")
        threads = len(rows) * size
        columns = zip(distinct, rows[-1], last, strict=True)
        rows.append([end if before == end else entry(threads, regs) for regs, before, end in columns])
    blocks, limiters, warps = np.array(rows)[:, np.searchsorted(distinct, alike)].reshape(-1, 3).T
    block_type = np.min_scalar_type(limits.max_blocks_per_multiprocessor + 1)
    warp_type = np.min_scalar_type(limits.max_warps_per_multiprocessor)
    return Columns(blocks.astype(block_type), limiters.astype(np.uint8), warps.astype(warp_type))


def _check_rows(rows: int, limits: Limits, name: str) -> None:
    if rows > MAX_ROWS:
        problem = f"{name} of {getattr(limits, name)} is too large for a sweep"
        where, hint = f"limits of {limits.compute_capability}", "Call compute() for one kernel at a time."
        raise InputError(problem, where=where, hint=hint)
