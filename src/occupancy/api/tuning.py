"""Prune autotuner configurations that cannot launch or have low occupancy, before they are compiled."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple, TypedDict, TypeVar

from ..engine import Model, Result, check_model
from ..errors import InputError, TooLargeError
from ..report.words import limited_by
from ..tables.gpus import find_gpus
from ..values.fields import FIELDS, Carveout, KernelInputs, Unpack, reject_unknown
from ..values.kernel import Kernel
from ..values.numbers import count, percent
from ..values.spellings import in_range, parse_count, parse_share, parse_size, parse_threads
from .occupancy import GpuLike, GpuList, kernel_of_inputs

Config = TypeVar("Config")

_WARPS = ("num_warps", "warp_count")
_DIMENSIONS = ("block_size_x", "block_size_y", "block_size_z")
_REGISTER_CAPS = ("maxnreg", "maxrregcount")
_ARGUMENT_OF: dict[str, str] = {
    name: argument
    for argument in KernelInputs.__annotations__
    for name in (argument, *FIELDS[argument].aliases)
    if name not in _REGISTER_CAPS
}
_NAMES = (*_ARGUMENT_OF, *_WARPS, *_DIMENSIONS, *_REGISTER_CAPS, "asm", "metadata")
"""Every name that is read from a configuration; the last two are those of a kernel compiled by Triton."""
_MAX_KNOWN = 1 << 14
_COUNTS: dict[str, Any] = {"threads": lambda size: parse_threads(size)[0], "cluster": FIELDS["cluster"].parse}
"""Argument that can be a number or a shape -> its parser, to compare two values."""

Need = int | str | tuple[int, ...] | Carveout | Callable[[Any], Any] | None


class Needs(TypedDict, total=False):
    """Keywords of `prune`: arguments of `compute`, or functions of a configuration."""

    threads: Need
    regs: Need
    smem: Need
    static_smem: Need
    dynamic_smem: Need
    barriers: Need
    max_threads: Need
    carveout: Need
    opt_in: Need
    tensor_memory: Need
    virtual_resources: Need
    caching: Need
    shared_memory_mode: Need
    cluster: Need


def prune(
    gpu: GpuLike | GpuList, configs: Iterable[Config], *, min_occupancy: float | str = 0.0,
    min_blocks: int = 1, model: Model | None = None, dropped: Callable[[Config, str], object] | None = None,
    **needs: Unpack[Needs],
) -> Iterator[Config]:  # fmt: skip
    """Yield the configurations that launch with enough occupancy and blocks, in their order.

    A configuration is a dictionary or an object with the names of `compute`'s arguments, Triton (``num_warps``,
    ``num_ctas``, ``shared``, ``tmem_size``), Kernel Tuner (``block_size_x``, ...), CUTLASS (``warp_count``) or
    Nsight Compute, or a kernel that Triton compiled. A missing value never drops a configuration. A value above
    the maximum of every GPU, such as 256 registers, drops it. ``maxnreg`` is an upper limit for registers.

    Args:
        gpu: A GPU, or a list of GPUs on all of which a configuration must fit.
        configs: Any iterable of configurations.
        min_occupancy: Minimum occupancy: 0.75, 75 or ``"75%"``.
        min_blocks: Minimum resident blocks per SM, 1 or more. A configuration must reach both minima.
        model: As in `compute`.
        dropped: Function that gets each dropped configuration and the reason, such as ``print``.
        needs: Arguments of `compute` that replace values of the configurations: one value for all of them,
            or a function such as ``smem=lambda config: config.num_stages * 16384``.

    Raises:
        InputError: As in `compute`, or for missing or contradictory threads. The message contains the index.
    """
    return Criteria(prune, gpu, needs, min_occupancy, min_blocks, model, dropped).kept(configs)


def is_launchable(
    gpu: GpuLike | GpuList, config: object, *, min_occupancy: float | str = 0.0, min_blocks: int = 1,
    model: Model | None = None, dropped: Callable[[Any, str], object] | None = None, **needs: Unpack[Needs],
) -> bool:  # fmt: skip
    """Return True if `prune` keeps a configuration, with the same arguments and errors."""
    return Criteria(is_launchable, gpu, needs, min_occupancy, min_blocks, model, dropped).keeps(config)


class Verdict(NamedTuple):
    """Results of a configuration, up to the first GPU on which it fails."""

    results: Sequence[Result]
    reason: str | None = None
    """Reason to drop the configuration; None if it fits on all GPUs."""


class Criteria:
    """The conditions on a configuration, from the arguments of a function."""

    def __init__(
        self, function: Callable[..., Any], gpu: GpuLike | GpuList, needs: Mapping[str, Any],
        min_occupancy: float | str = 0.0, min_blocks: int = 1, model: Model | None = None,
        dropped: Callable[[Any, str], object] | None = None,
    ) -> None:  # fmt: skip
        reject_unknown(needs, function, KernelInputs.__annotations__)
        check_model(model)
        if not (dropped is None or callable(dropped)):
            raise InputError("is not a function", where="dropped", hint="Pass one such as print.")
        self._gpus, self._model, self._dropped = find_gpus(gpu), model, dropped
        self._labels = [each.label for each in self._gpus]  # hundreds of reasons begin with them
        self._min_occupancy = parse_share(min_occupancy, "min_occupancy")
        self._min_blocks = in_range(parse_count(min_blocks, "min_blocks"), "min_blocks")
        needs = {name: need for name, need in needs.items() if need is not None}
        self._functions = {name: need for name, need in needs.items() if callable(need)}
        self._values = {name: need for name, need in needs.items() if not callable(need)}
        Kernel(**{"threads": 1, **self._values})  # rejects values that no kernel can have
        # Results by the values that are read, because many configurations of a tuner have the same.
        self._known: dict[object, Verdict] = {}

    def kept(self, configs: Iterable[Config]) -> Iterator[Config]:
        if isinstance(configs, Mapping) or hasattr(configs, "columns") or not isinstance(configs, Iterable):
            hint = 'Pass [{...}, ...], such as frame.to_dict("records") of pandas, or sweep.rows().'
            raise InputError("is not a list of configurations", where="configs", hint=hint)
        for index, config in enumerate(configs):
            if self.keeps(config, index):
                yield config

    def keeps(self, config: Any, index: int | str = "") -> bool:
        """Return True if a configuration fits; pass another one to the function for dropped ones."""
        reason = self.verdict(config, index).reason
        if reason is not None and self._dropped is not None:
            self._dropped(config, reason)
        return reason is None

    def verdict(self, config: object, index: int | str = "") -> Verdict:
        """Return the results on the GPUs; the index is for errors."""
        try:
            return self._verdict(config)
        except TooLargeError as error:
            return Verdict((), f"{self._labels[0]}: {error}")  # none has more
        except InputError as error:
            where = f"{f'configuration {index}'.rstrip()}: {error.where}"
            raise error.with_location(where, InputError) from None

    def _verdict(self, config: Any) -> Verdict:
        given = dict(self._values)
        for name, function in self._functions.items():
            try:
                given[name] = function(config)
            except Exception as error:
                problem = f"the function fails with {type(error).__name__}: {error}"
                raise InputError(problem, where=name) from error
        if type(config) is not dict:
            return self._compute(config, given)
        names = _read_names(tuple(config))
        read = [config[name] for name in names], given
        try:
            key: object = names, marshal.dumps(read, 2)  # True is not 1
        except ValueError:  # objects of other libraries; slower
            key = names, repr(read)
        verdict = self._known.get(key)
        if verdict is None:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            verdict = self._known[key] = self._compute(config, given)
        return verdict

    def _compute(self, config: Any, given: dict[str, Any]) -> Verdict:
        values = config if isinstance(config, Mapping) else _attributes(config)
        if values is not config and "asm" in values and "metadata" in values:  # compiled by Triton
            kernel = kernel_of_inputs(config, given)
        else:
            known, given = _without_missing(values), _without_missing(given)
            kernel = Kernel(**_inputs(known, self._gpus[0].limits.warp_size, given))
        results = list[Result]()
        for gpu, label in zip(self._gpus, self._labels, strict=True):
            try:
                result = Result(gpu.limits, kernel, self._model)
                reason = self._reason(result)
            except InputError as error:
                if error.where != "tensor_memory":
                    raise
                reason = error.problem
            if reason:
                return Verdict(results, f"{label}: {reason}")
            results.append(result)
        return Verdict(results)

    def _reason(self, result: Result) -> str | None:
        if not result.launchable:
            return result.reason
        has_too_few = result.active_blocks < self._min_blocks
        if has_too_few or result.occupancy < self._min_occupancy:
            least = count(self._min_blocks, "block") if has_too_few else percent(self._min_occupancy)
            blocks = f"{percent(result.occupancy)}, {count(result.active_blocks, 'block')}"
            return f"{blocks}, {limited_by(result.limiters)}, but needs {least}"
        return None


@lru_cache(maxsize=64)
def _read_names(names: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(name for name in _NAMES if name in names)


def _attributes(config: object) -> Mapping[str, Any]:
    return {name: getattr(config, name) for name in _NAMES if hasattr(config, name)}


def _without_missing(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is not read, and the missing values of a pandas frame."""
    read = ((name, values[name]) for name in _read_names(tuple(values)))
    return {name: each for name, each in read if type(each) is int or str(each) not in ("nan", "<NA>", "NaT")}


def _inputs(values: Mapping[str, Any], warp_size: int, given: Mapping[str, Any]) -> dict[str, Any]:
    named = [(name, values[name]) for name in values if name in _ARGUMENT_OF]
    for name in _WARPS:
        if (warps := values.get(name)) is not None:
            counts = warps if isinstance(warps, (list, tuple)) else [warps]
            named.append((name, warp_size * prod(parse_count(factor, name) for factor in counts)))
    shape = tuple(map(values.get, _DIMENSIONS))
    if any(shape):
        named.append(("block_size_x, y, z", tuple(size or 1 for size in shape)))
    inputs, sources = dict(given), dict[str, str]()
    for name, value in named:
        argument = _ARGUMENT_OF.get(name, "threads")
        # Triton's 0 columns of tensor memory are none, and its clusters of one block are no clusters.
        is_none = not value if argument == "tensor_memory" else argument == "cluster" and value == 1
        if value is None or argument in given or is_none:
            continue
        number: Any = _COUNTS.get(argument, str)
        if argument in sources and number(inputs[argument]) != number(value):
            problem = f"has two values: {sources[argument]} is {inputs[argument]}, and {name} is {value}"
            hint = f"Pass {argument}, a value or a function of the configuration."
            raise InputError(problem, where=argument, hint=hint)
        inputs[argument], sources[argument] = value, name
    for name in _REGISTER_CAPS:
        if (cap := values.get(name)) is not None and inputs.get("regs") is not None:
            inputs["regs"] = min(parse_count(inputs["regs"], "regs"), in_range(parse_count(cap, name), name))
    if "smem" in sources:
        parts = [parse_size(inputs[name], name) for name in ("static_smem", "dynamic_smem") if name in inputs]
        if parts and sum(parts) == parse_size(inputs["smem"], "smem"):
            del inputs["smem"]  # a scanned kernel has the total and its parts
    if "threads" not in inputs:
        hint = "Add threads, num_warps or block_size_x to each configuration, or pass `threads` for all."
        raise InputError("is missing", where="threads", hint=hint)
    return inputs
