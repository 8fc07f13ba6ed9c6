"""Results for arrays of kernels, with the names of `Occupancy`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain, islice
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engine import Model, check_model, default_model
from ..errors import InputError, invalid
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import COUNTED, Limiter, Output
from ..values.spellings import in_range, parse_count
from .tables import SHARED_MEMORY_FIELDS, Columns, Integers, lookups, parts, read_input

OUTPUTS: tuple[Output, ...] = get_args(Output)
CHUNK = 1 << 16
"""Number of rows created at a time."""

Results = TypeVar("Results", bound="ArrayResults")


@dataclass(frozen=True, eq=False, repr=False)
class ArrayResults:
    """Results for arrays of kernels; the base of `occupancy.Sweep`."""

    limits: tuple[Limits, ...]
    names: tuple[str, ...]
    """Names of the GPUs."""
    inputs: Mapping[str, Integers]
    """Argument -> array of integers."""
    _arrays: Mapping[Output, Integers]
    _has_gpu_axis: bool

    @classmethod
    def compute(
        cls: type[Results], gpus: Sequence[Limits], inputs: Mapping[str, ArrayLike], common: Kernel,
        model: Model | None = None, *, has_gpu_axis: bool = False,
        outputs: Output | Sequence[Output] = OUTPUTS, names: Sequence[str] = (),
    ) -> Results:  # fmt: skip
        """Compute the results for arrays of kernels; the first dimension is the GPU if ``has_gpu_axis``.

        The inputs are fields of `Kernel`; carveout, caching, opt-in and shared memory mode come from ``common``.
        """
        check_model(model)
        chosen: Any = outputs if isinstance(outputs, (list, tuple)) and outputs else [outputs]
        if unknown := [name for name in chosen if name not in OUTPUTS]:
            allowed, hint = f"a list of {', '.join(OUTPUTS)}", "`occupancy` follows from active_warps."
            raise InputError(invalid(unknown[0]), where="outputs", allowed=allowed, hint=hint)
        if "smem" in inputs and ("static_smem" in inputs or "dynamic_smem" in inputs):
            Kernel(1, smem=0, static_smem=0)  # raises the error
        read = {field: read_input(values, field) for field, values in inputs.items()}
        values = {name: each.values for name, each in read.items()}
        try:
            shape = np.broadcast_shapes(*(each.shape for each in values.values()))
        except ValueError:
            raise _shapes_error(values, "For all combinations, use numpy.ix_().") from None
        most_blocks = max(limits.max_blocks_per_multiprocessor for limits in gpus)
        most_warps = max(limits.max_warps_per_multiprocessor for limits in gpus)
        largest = {"active_blocks": most_blocks, "active_warps": most_warps, "limiters": max(Limiter)}
        arrays = {name: np.empty((len(gpus), *shape), np.min_scalar_type(largest[name])) for name in chosen}
        for index, limits in enumerate(gpus):
            tables = lookups(limits, common, model or default_model(limits), read)
            for part in parts(read.values()):
                columns = [table.columns(chosen, part) for table in tables]
                _combine(columns, {name: part.of(array[index, ...]) for name, array in arrays.items()})
        if not has_gpu_axis:
            arrays = {name: array[0, ...] for name, array in arrays.items()}
        for array in arrays.values():
            array.setflags(write=False)
        names = tuple(names) or tuple(str(limits.compute_capability) for limits in gpus)
        return cls(tuple(gpus), names, values, arrays, has_gpu_axis)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Names of the computed arrays."""
        return tuple(self._arrays)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the arrays."""
        return next(iter(self._arrays.values())).shape

    @property
    def active_blocks(self) -> Integers:
        """Resident blocks per SM, as uint8: convert them before arithmetic, which would overflow."""
        return self._array("active_blocks")

    @property
    def active_warps(self) -> Integers:
        """Resident warps per SM, as uint8: convert them before arithmetic, which would overflow."""
        return self._array("active_warps")

    @property
    def limiters(self) -> Integers:
        """Bits (`Limiter`) of the limiting resources."""
        return self._array("limiters")

    @property
    def occupancy(self) -> NDArray[np.float64]:
        """Resident warps divided by the maximum per SM, 0 to 1."""
        warps: NDArray[Any] = self.active_warps
        most = np.array([limits.max_warps_per_multiprocessor for limits in self.limits])
        per_gpu = most.reshape(-1, *[1] * (warps.ndim - 1)) if self._has_gpu_axis else most[0]
        shares: NDArray[np.float64] = warps / np.asarray(per_gpu, np.float64)
        shares.setflags(write=False)
        return shares

    def _array(self, name: Output) -> Integers:
        if name not in self._arrays:
            raise InputError(f"{name} was not computed", where="sweep", hint="Add it to `outputs`.")
        return self._arrays[name]

    def best(self, n: int = 10, *, where: ArrayLike = True) -> list[dict[str, Any]]:
        """Return the `rows` with the highest occupancy for each GPU in turn.

        The rows are different trade-offs: a kernel is skipped if another with the same threads and occupancy
        has at least as many registers, shared memory and barriers. Ties in occupancy are sorted by more
        registers, more shared memory, more barriers, fewer threads, then the original order.

        Args:
            n: Maximum number of rows per GPU, 1 or more.
            where: Kernels to choose from: booleans that broadcast to the shape, such as ``regs >= 64``.

        Raises:
            InputError: ``n`` is out of range, ``where`` does not broadcast, or ``active_warps`` is not an output.
        """
        count = in_range(parse_count(n, "n"), "n")
        shares = self.occupancy.reshape(len(self.limits), -1)
        mask = np.asarray(where)
        with suppress(ValueError):
            mask = np.broadcast_to(mask, self.shape)
        if mask.dtype != bool or mask.shape != self.shape:
            allowed = f"bool of shape {self.shape}, or a shape that broadcasts to it"
            hint = "Pass a condition on arrays, such as regs >= 64. Join several with &."
            problem = f"{mask.dtype} of shape {mask.shape} is invalid"
            raise InputError(problem, where="where", allowed=allowed, hint=hint)
        several = {name: np.broadcast_to(each, self.shape) for name, each in self.varying().items()}
        rows: list[dict[str, Any]] = []
        for gpu, (occupied, wanted) in enumerate(zip(shares, mask.reshape(shares.shape), strict=True)):
            launched = np.flatnonzero((occupied > 0) & wanted)
            levels = _levels(several, launched + gpu * occupied.size, occupied[launched])
            rows += self._rows_at(np.fromiter(islice(chain.from_iterable(levels), count), np.int64))
        return rows

    def select(self, mask: ArrayLike, **arrays: ArrayLike) -> list[dict[str, Any]]:
        """Return the configurations with a true mask, as dictionaries of plain values.

        ``sweep.select(sweep.active_blocks >= 2, BLOCK_M=m, num_warps=warps)`` returns the configurations of a
        tuner.

        Args:
            mask: An array of booleans; for several GPUs, such as ``(sweep.active_blocks >= 2).all(axis=0)``.
            arrays: Name -> values, which broadcast with the mask; by default the sweep's own inputs.

        Raises:
            InputError: The mask is not an array of booleans, or a shape does not broadcast.
        """
        wanted = np.asarray(mask)
        if wanted.dtype != bool:
            raise InputError(f"{wanted.dtype} is invalid", where="mask", allowed="an array of booleans")
        named = {name: np.asarray(values) for name, values in (arrays or self.inputs).items()}
        try:
            np.broadcast(wanted, *self.inputs.values())  # refuses most masks of other sweeps
            chosen, *columns = np.broadcast_arrays(wanted, *named.values())
        except ValueError:
            shapes = {"mask": wanted, "sweep": np.broadcast_to(False, self.shape), **named}
            raise _shapes_error(shapes, "Give each parameter its own dimension.") from None
        lists = [values[chosen].tolist() for values in columns]
        return [dict(zip(named, values, strict=True)) for values in zip(*lists, strict=True)]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield every result as a dictionary of plain values, in the order of the arrays.

        Keys are ``index`` (position in the arrays), ``gpu`` if GPUs were given by name, ``cc``, the inputs,
        the outputs, and ``occupancy``. `columns` is faster for millions of results.
        """
        size = int(np.prod(self.shape))
        for start in range(0, size, CHUNK):
            yield from self._rows_at(np.arange(start, min(start + CHUNK, size)))

    def _rows_at(self, places: Integers) -> Iterator[dict[str, Any]]:
        columns = self._columns_at(places, _limiters_by_bits())
        index = np.unravel_index(places, self.shape) if self.shape else ()
        indices = zip(*(axis.tolist() for axis in index), strict=True) if index else [()] * places.size
        for line in zip(indices, *(column.tolist() for column in columns.values()), strict=True):
            yield dict(zip(("index", *columns), line, strict=True))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return `rows` as one array per column, without ``index``, for ``pandas.DataFrame``.

        ``limiters`` are text, such as ``"warps;registers"``, which polars and Parquet support too.
        """
        texts = np.array([";".join(resources) for resources in _limiters_by_bits()], object)
        return self._columns_at(np.arange(int(np.prod(self.shape))), texts)

    def _columns_at(self, places: Integers, limiters: NDArray[Any]) -> dict[str, NDArray[Any]]:
        shape = self.shape or (1,)
        index = np.unravel_index(places, shape)
        gpus = index[0] if self._has_gpu_axis else np.zeros(places.size, np.int64)
        columns: dict[str, NDArray[Any]] = {}
        if self.names != self.ccs:
            columns["gpu"] = np.array(self.names, object)[gpus]
        columns["cc"] = np.array(self.ccs, object)[gpus]
        for name, values in self.inputs.items():
            columns[name] = np.broadcast_to(values, shape)[index]
        for output, array in self._arrays.items():
            chosen = array.reshape(-1)[places]
            columns[output] = limiters[chosen] if output == "limiters" else chosen.astype(np.int64)
        if "active_warps" in self._arrays:
            most = np.array([limits.max_warps_per_multiprocessor for limits in self.limits])
            columns["occupancy"] = columns["active_warps"] / most[gpus]
        return columns

    @property
    def ccs(self) -> tuple[str, ...]:
        """Compute capability of each GPU."""
        return tuple(str(limits.compute_capability) for limits in self.limits)

    def varying(self) -> dict[str, Integers]:
        """Return the inputs with more than one value, by dimension."""
        several = [(name, values) for name, values in self.inputs.items() if values.size > 1]
        return dict(sorted(several, key=lambda each: int(np.argmax(each[1].shape)) - each[1].ndim))

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name} of shape {self.shape} on {', '.join(self.names)}: {', '.join(self.outputs)}>"


def _shapes_error(arrays: Mapping[str, NDArray[Any]], hint: str) -> InputError:
    shapes = ", ".join(f"{name} {values.shape}" for name, values in arrays.items() if values.ndim)
    return InputError(f"do not broadcast: {shapes}", where="arrays", hint=hint)


@cache
def _limiters_by_bits() -> NDArray[Any]:
    return np.array([Limiter(bits).resources for bits in range(2 * max(Limiter))], object)


def _combine(results: Sequence[Columns], out: Mapping[Output, Integers]) -> None:
    *small, largest = sorted((each.blocks for each in results), key=lambda blocks: blocks.size)
    blocks = out.get("active_blocks", np.empty_like(next(iter(out.values())), largest.dtype))
    np.minimum(reduce(np.minimum, small), largest, out=blocks)  # fills the full grid once
    if "active_warps" in out:
        np.multiply(results[0].warps, blocks, out=out["active_warps"], casting="unsafe")
    if "limiters" in out:
        limiters = out["limiters"]
        limiters[...] = 0
        for columns in results:
            limiters |= (columns.blocks == blocks).view(np.uint8) * columns.limiters


def _levels(inputs: Mapping[str, Integers], rows: Integers, share: NDArray[np.float64]) -> Iterator[Integers]:
    """Yield the flat indices of each level of occupancy, best first; all levels at once take gigabytes."""

    def at(name: str, places: Integers) -> Integers:
        return np.asarray(inputs[name].flat[places], np.int32)  # inputs of launchable kernels fit

    kinds = [("regs",), SHARED_MEMORY_FIELDS, *((name,) for name in COUNTED)]
    used = [names for kind in kinds if (names := inputs.keys() & kind)]
    while rows.size:
        is_highest = share == share.max()
        alike = rows[is_highest]
        rows, share = rows[~is_highest], share[~is_highest]
        threads = at("threads", alike) if "threads" in inputs else np.zeros(alike.size, np.int32)
        uses = [reduce(np.add, (at(name, alike) for name in names)) for names in used]
        left = _using_the_most(threads, uses)
        order = np.lexsort([left, threads[left], *(-use[left] for use in reversed(uses))])  # last key first
        yield alike[left[order]]


def _using_the_most(threads: Integers, uses: Sequence[Integers]) -> Integers:
    """Return the kernels that no other kernel with the same threads exceeds in every resource."""
    kept = []
    left = np.argsort(threads, kind="stable")
    while left.size:
        starts = np.flatnonzero(np.diff(threads[left], prepend=-1))
        sizes = np.diff(starts, append=left.size)
        amounts = [use[left] for use in uses]
        # The first kernel in descending order cannot be exceeded.
        is_most = np.ones(left.size, bool)
        for amount in amounts:
            candidates = np.where(is_most, amount, -1)
            is_most = candidates == np.repeat(np.maximum.reduceat(candidates, starts), sizes)
        places = np.flatnonzero(is_most)
        most = places[np.flatnonzero(np.diff(threads[left[places]], prepend=-1))]
        kept.append(left[most])
        has_more = np.zeros(left.size, bool)
        for amount in amounts:
            has_more |= amount > np.repeat(amount[most], sizes)
        left = left[has_more]
    return np.concatenate(kept)
