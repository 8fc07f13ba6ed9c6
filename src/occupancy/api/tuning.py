"""Prune autotuner configurations that cannot launch or have low occupancy, before they are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import prod
from typing import Any, TypeVar

from ..engine import Model, Result, rules
from ..errors import InputError, TooMuchError, foreign_message
from ..tables.gpus import find_gpus
from ..values.fields import KernelInputs, unknown_input
from ..values.kernel import Kernel
from ..values.spellings import in_range, parse_count, parse_share, parse_size, parse_threads
from .occupancy import GpuLike, kernel_of_inputs

Config = TypeVar("Config")

# Triton, Nsight Compute, Kernel Tuner, CUTLASS.
TUNER_NAMES = {
    "threads": ("num_threads", "threads_per_block", "block_size", "block_dim"),
    "regs": ("registers", "n_regs", "num_regs", "registers_per_thread"),
    "smem": ("shared", "shared_mem_per_block"),
    "barriers": ("num_block_barriers",),
    "tensor_memory": ("tmem_size",),
}
_WARPS = ("num_warps", "warp_count")
_DIMENSIONS = ("block_size_x", "block_size_y", "block_size_z")
_SHAPE = "block_size_x, y, z"
_REGISTER_CAP = "maxnreg"
_CLUSTER_SIZES = ("num_ctas", "cluster_size")
ARGUMENT_OF: dict[str, str] = {
    name: argument
    for argument in KernelInputs.__annotations__
    for name in (argument, *TUNER_NAMES.get(argument, ()))
}
_NAMES = (*ARGUMENT_OF, *_WARPS, *_DIMENSIONS, _REGISTER_CAP, *_CLUSTER_SIZES)
"""Every name that is read from a configuration."""
_NAMES_OF_THREADS = ("threads", *TUNER_NAMES["threads"], *_WARPS, *_DIMENSIONS)


def prune(
    gpu: GpuLike | list[Any],
    configs: Iterable[Config],
    *,
    min_occupancy: float | str = 0.0,
    min_blocks: int = 1,
    model: Model | None = None,
    **needs: Any,
) -> Iterator[Config]:
    """Yield the configurations that launch with enough occupancy and blocks, in their order.

    The needs of a block are read from each configuration, a dictionary or an object, under the names of
    `compute`'s arguments or those of Triton (``num_warps``, ``num_ctas``, ``shared``, ``tmem_size``; its
    compiled kernels too), Kernel Tuner (``block_size_x``, ...), CUTLASS (``warp_count``) and Nsight Compute.
    A need that is not given never prunes a configuration; one above what any kernel can have, such as 256
    registers, does. Registers count as ``maxnreg`` if that is less.

    Args:
        gpu: The GPU, or a list of GPUs on all of which a configuration has to fit.
        configs: The configurations; any iterable.
        min_occupancy: The least occupancy: 0.75, 75 or ``"75%"``; with 0 every configuration that launches.
        min_blocks: The fewest blocks resident on one SM, 1 and up; required besides min_occupancy.
        model: As for `compute`.
        needs: Arguments of `compute` in place of those of the configurations: a value for all of them,
            or a function such as ``smem=lambda config: config.num_stages * 16384``.

    Returns:
        An iterator over the configurations themselves.

    Raises:
        InputError: An invalid value; a configuration without threads, or with two different numbers of them
            (the message has its index); or a value for all that no kernel can have.
        UnknownComputeCapabilityError: A compute capability that the table does not have.
    """
    criteria = Criteria("prune", gpu, needs, min_occupancy=min_occupancy, min_blocks=min_blocks, model=model)
    return criteria.kept(configs)


def is_launchable(
    gpu: GpuLike | list[Any],
    config: object = None,
    *,
    min_occupancy: float | str = 0.0,
    min_blocks: int = 1,
    model: Model | None = None,
    **needs: Any,
) -> bool:
    """Return whether a kernel, or one configuration of it, launches with enough occupancy and blocks.

    `compute`, which takes the same arguments, gives the reason:
    ``compute("A100", threads=1024, regs=72).reason``.

    Args:
        gpu, min_occupancy, min_blocks, model: As in `prune`.
        config: A configuration as in `prune`; None if the arguments give all needs.
        needs: Arguments of `compute` in place of those of the configuration: values, or functions of it.

    Raises:
        InputError: An invalid value, no threads, or two different numbers of them.
        UnknownComputeCapabilityError: A compute capability that the table does not have.
    """
    criteria = Criteria(
        "is_launchable", gpu, needs, min_occupancy=min_occupancy, min_blocks=min_blocks, model=model
    )
    return bool(criteria.results(config))


MAX_KNOWN = 1 << 14


class Criteria:
    """The conditions on a configuration, from the arguments of a function."""

    def __init__(
        self,
        function: str,
        gpu: GpuLike | list[Any],
        needs: Mapping[str, Any],
        *,
        min_occupancy: float | str = 0.0,
        min_blocks: int = 1,
        model: Model | None = None,
        own: tuple[str, ...] = ("min_occupancy", "min_blocks", "model"),
    ) -> None:
        for name in needs:
            if name not in KernelInputs.__annotations__:
                raise unknown_input(name, function, own)
        self._limits = [each.limits for each in find_gpus(gpu)]
        self._model: Model | None = model
        if model is not None:
            for limits in self._limits:
                rules(limits, model)  # rejects a model that does not support the GPU
        self._min_occupancy = parse_share(min_occupancy, "min_occupancy")
        self._min_blocks = in_range(parse_count(min_blocks, "min_blocks"), "min_blocks")
        self._needs = {name: need for name, need in needs.items() if need is not None}
        self._functions = [name for name, need in self._needs.items() if callable(need)]
        Kernel(**{"threads": 1, **{name: self._needs[name] for name in self._needs.keys() - self._functions}})
        # Results by the relevant values of a configuration, because many configurations have the same.
        self._known: dict[object, list[Result]] = {}

    def kept(self, configs: Iterable[Config]) -> Iterator[Config]:
        """Yield the configurations that meet the criteria."""
        if isinstance(configs, Mapping):
            raise InputError("is one configuration", where="configs", hint="Give a list of them.")
        return (config for index, config in enumerate(configs) if self.results(config, index))

    def results(self, config: object, index: int | None = None) -> list[Result]:
        """Return the result on each GPU; empty if the configuration fails the criteria on one of them.

        The configuration is None if the needs give everything. Its index is for errors.
        """
        try:
            given = self._given(config)
            if type(config) is not dict:
                return self._compute(config, given)
            names = _known_keys(tuple(config))
            key = names, repr(([config[name] for name in names], given))
            found = self._known.get(key)
            if found is None:
                if len(self._known) >= MAX_KNOWN:
                    self._known.clear()
                found = self._known[key] = self._compute(config, given)
            return found
        except TooMuchError:
            return []
        except InputError as error:
            number = "" if index is None else f" {index}"
            where = error.where if config is None else f"configuration{number}: {error.where}"
            raise error.with_location(where, InputError) from error

    def _compute(self, config: object, given: dict[str, Any]) -> list[Result]:
        kernel, cluster = self._kernel(config, given)
        results = []
        for limits in self._limits:
            result = Result(limits, kernel, self._model)
            if (
                result.active_blocks < self._min_blocks
                or result.occupancy < self._min_occupancy
                or not result.launchable
                or cluster > max(1, limits.most_blocks_per_cluster)
            ):
                return []
            results.append(result)
        return results

    def _given(self, config: object) -> dict[str, Any]:
        """Return the needs, with their functions called for the configuration."""
        given = dict(self._needs)
        for name in self._functions:
            try:
                given[name] = given[name](config)
            except Exception as error:
                problem = f"the function fails with {type(error).__name__}: {foreign_message(error)}"
                raise InputError(problem, where=name) from error
        return given

    def _kernel(self, config: object, given: dict[str, Any]) -> tuple[Kernel, int]:
        """Return the kernel of a configuration, and its blocks per cluster."""
        if config is None:
            kernel, cluster = kernel_of_inputs(None, given), 1
        elif hasattr(config, "asm") and hasattr(config, "metadata"):  # compiled by Triton
            kernel, cluster = kernel_of_inputs(config, given), blocks_per_cluster(config.metadata)
        else:
            found, cluster = _read(config, self._limits[0].warp_size, given)
            kernel = Kernel(**found)
        for limits in self._limits:
            most = limits.tensor_memory_per_multiprocessor or 0
            if (kernel.tensor_memory or 0) > most:
                allowed = f"up to {most}"
                raise TooMuchError(f"{kernel.tensor_memory} columns", where="tensor_memory", allowed=allowed)
        return kernel, cluster


def blocks_per_cluster(config: object) -> int:
    """Return the blocks per cluster of a configuration; 1 if it does not give them."""
    return _read(config, 1, {"threads": 1})[1]


@lru_cache(maxsize=256)
def _known_keys(keys: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(name for name in _NAMES if name in keys)


def _read(config: Any, warp_size: int, given: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the arguments of `compute`, given or read from a configuration, and its blocks per cluster."""
    found = dict(given)
    sources: dict[str, str] = {}
    cap, cluster = None, 1
    is_mapping = isinstance(config, Mapping)
    get: Callable[[str], Any] = config.get if is_mapping else lambda name: getattr(config, name, None)
    for name in _known_keys(tuple(config)) if is_mapping else _NAMES:
        value = get(name)
        if value is None:
            continue
        if name in _CLUSTER_SIZES:
            cluster = parse_count(value, name)
            continue
        if name == _REGISTER_CAP:
            cap = value
            continue
        argument = ARGUMENT_OF.get(name, "threads")
        if name in _WARPS:
            value = warp_size * (value if type(value) is int else _warps(value))
        elif name in _DIMENSIONS:
            if sources.get("threads") == _SHAPE:
                continue
            name, value = _SHAPE, tuple(get(each) or 1 for each in _DIMENSIONS)
        if argument in given or (not value and argument == "tensor_memory"):  # Triton's 0 is none
            continue
        if argument in sources and not _are_equal(argument, found[argument], value):
            raise InputError(
                f"has two values: {sources[argument]} is {found[argument]}, and {name} is {value}",
                where=argument,
                hint=f"Give {argument}, a value or a function of the configuration.",
            )
        found[argument], sources[argument] = value, name
    if cap is not None and found.get("regs") is not None:
        most = in_range(parse_count(cap, _REGISTER_CAP), _REGISTER_CAP)
        found["regs"] = min(parse_count(found["regs"], "regs"), most)
    if "smem" in sources:
        parts = [parse_size(found[name], name) for name in ("static_smem", "dynamic_smem") if name in found]
        if parts and sum(parts) == parse_size(found["smem"], "smem"):
            del found["smem"]  # a scanned kernel has the total beside its parts
    if "threads" not in found:
        raise InputError(
            "is missing",
            where="threads",
            allowed=", ".join(_NAMES_OF_THREADS),
            hint="Or give `threads`, a number or a function of the configuration.",
        )
    return found, cluster


def _warps(value: Any) -> int:
    counts = value if isinstance(value, (list, tuple)) else [value]
    return prod(parse_count(each, "warps per block") for each in counts)


def _are_equal(argument: str, first: object, second: object) -> bool:
    if argument == "threads":
        return parse_threads(first)[0] == parse_threads(second)[0]
    return str(first) == str(second)
