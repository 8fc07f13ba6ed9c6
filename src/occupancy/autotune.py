"""Leave out what cannot run, or not well, before a tuner compiles and times it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

from .api import ComputeCapabilityLike, limits, make_kernel
from .engine import Model, default_model, evaluate, rules
from .errors import InputError
from .inputs import parse_count, parse_threads
from .kernel import Kernel
from .sm_limits import Limits

Config = TypeVar("Config")

# Argument of `compute` -> what configurations call it: we, Triton, Nsight Compute, the driver.
NAMES = {
    "threads": ("threads", "num_threads", "threads_per_block", "block_size", "block_dim"),
    "regs": ("regs", "n_regs", "num_regs", "registers_per_thread"),
    "static_smem": ("static_smem",),
    "dynamic_smem": ("dynamic_smem",),
    "smem": ("smem", "shared", "shared_mem_per_block"),
    "barriers": ("barriers", "num_block_barriers"),
    "carveout": ("carveout",),
    "caching": ("caching",),
    "opt_in": ("opt_in",),
}
# Other ways to say how many threads: the warps of Triton and CUTLASS, the dimensions of Kernel Tuner.
WARPS = ("num_warps", "warp_count")
DIMENSIONS = ("block_size_x", "block_size_y", "block_size_z")


def prune(
    configs: Iterable[Config],
    *,
    cc: ComputeCapabilityLike | list[Any],
    min_occupancy: float = 0.0,
    model: Model | None = None,
    **needs: Any,
) -> Iterator[Config]:
    """The configurations that launch and reach an occupancy, in their order, one at a time.

    What a block needs is read from each configuration, a dictionary or an object. It is known by the
    names of `compute`'s arguments and by those that it has in Triton (``num_warps``, ``n_regs``,
    ``shared``, also in a compiled kernel's ``metadata``), Kernel Tuner (``block_size_x``, ...), CUTLASS
    (``warp_count``) and Nsight Compute. What is not said counts as not given, which is never a reason
    to leave a configuration out.

    Args:
        configs: The configurations; any iterable.
        cc: The chip, or a list of chips on all of which a configuration has to fit.
        min_occupancy: The least occupancy, 0 to 1; with 0 everything stays that launches.
        model: As for `compute`.
        needs: Arguments of `compute`, instead of what the configurations say of them: a value for all
            of them, or a function from the configuration to the value, as in
            ``smem=lambda config: config.num_stages * 16384``.

    Returns:
        An iterator over the configurations themselves.

    Raises:
        InputError: A value that no kernel can have, or a configuration that does not tell its threads,
            or two different numbers of something; the message has its index.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
    """
    condition = Condition.of(cc, min_occupancy, model, needs)
    return (
        config
        for index, config in enumerate(configs)
        if condition.is_met_by(config, f"configuration {index}")
    )


def fits(
    config: object,
    *,
    cc: ComputeCapabilityLike | list[Any],
    min_occupancy: float = 0.0,
    model: Model | None = None,
    **needs: Any,
) -> bool:
    """Whether a configuration launches and reaches an occupancy.

    The arguments, and the errors, are those of `prune`.
    """
    return Condition.of(cc, min_occupancy, model, needs).is_met_by(config, "configuration")


@dataclass(frozen=True)
class Condition:
    """What is asked of a configuration."""

    chips: tuple[tuple[Limits, Model], ...]
    min_occupancy: float
    needs: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        cc: ComputeCapabilityLike | list[Any],
        min_occupancy: float,
        model: Model | None,
        needs: Mapping[str, Any],
    ) -> Condition:
        """Make a condition of the arguments of `prune`.

        Raises:
            InputError: One of them is wrong.
        """
        chips = [limits(each) for each in (cc if isinstance(cc, list) else [cc])]
        if not chips:
            raise InputError("there are none", where="chips", allowed="one compute capability or more")
        if not isinstance(min_occupancy, (int, float)) or not 0 <= min_occupancy <= 1:
            raise InputError(f"{min_occupancy!r} is out of range", where="min_occupancy", allowed="0 to 1")
        unknown = sorted(needs.keys() - NAMES.keys())
        if unknown:
            raise InputError(f"there is no argument {unknown[0]!r}", where="prune", allowed=", ".join(NAMES))
        for chip in chips:
            rules(chip, model or default_model(chip))
        return cls(tuple((chip, model or default_model(chip)) for chip in chips), min_occupancy, needs)

    def is_met_by(self, config: object, where: str) -> bool:
        """Whether the configuration fits on every chip.

        Args:
            config: A dictionary or an object.
            where: What to call it in an error.

        Raises:
            InputError: It says something that no kernel can have, or not enough.
        """
        try:
            kernel = make_kernel(**self._arguments(config))
            return all(self._is_enough(chip, model, kernel) for chip, model in self.chips)
        except InputError as error:
            raise InputError(
                error.problem, where=f"{where}: {error.where}", allowed=error.allowed, cure=error.cure
            ) from error

    def _is_enough(self, chip: Limits, model: Model, kernel: Kernel) -> bool:
        answer = evaluate(chip, kernel, model)
        return answer.launchable and answer.occupancy >= self.min_occupancy

    def _arguments(self, config: object) -> dict[str, Any]:
        warp_size = self.chips[0][0].warp_size
        arguments = {}
        for name in NAMES:
            if name not in self.needs:
                arguments[name] = _read(config, name, warp_size)
            elif callable(self.needs[name]):
                arguments[name] = _call(self.needs[name], config, name)
            else:
                arguments[name] = self.needs[name]
        return {name: value for name, value in arguments.items() if value is not None}


def _call(function: Callable[[Any], Any], config: object, name: str) -> Any:
    try:
        return function(config)
    except Exception as error:
        problem = f"the function for it fails with {type(error).__name__}: {error}"
        raise InputError(problem, where=name) from error


def _read(config: object, name: str, warp_size: int) -> Any:
    """What a configuration says of one argument of `compute`; None: nothing."""
    found = {}
    for place in (config, _value(config, "metadata")):
        found.update({alias: _value(place, alias) for alias in NAMES[name]})
        if name == "threads":
            found |= {alias: _threads_of_warps(_value(place, alias), warp_size) for alias in WARPS}
            found |= {", ".join(DIMENSIONS): _shape(place)}
    found = {alias: value for alias, value in found.items() if value is not None}
    if len({_comparable(name, value) for value in found.values()}) > 1:
        said = ", ".join(f"{alias} {value!r}" for alias, value in found.items())
        raise InputError(
            f"it says different things: {said}",
            where=name,
            cure=f"Give {name}, a value or a function of the configuration.",
        )
    if name == "threads" and not found:
        raise InputError(
            "it does not say how many",
            where=name,
            allowed=", ".join((*NAMES[name], *WARPS, *DIMENSIONS)),
            cure="Or give threads, a value or a function of the configuration.",
        )
    return next(iter(found.values()), None)


def _value(place: object, name: str) -> Any:
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)


def _threads_of_warps(warps: Any, warp_size: int) -> int | None:
    if warps is None:
        return None
    counts = warps if isinstance(warps, (list, tuple)) else [warps]
    return warp_size * prod(parse_count(count, "warps per block") for count in counts)


def _shape(place: object) -> tuple[Any, ...] | None:
    sizes = [_value(place, name) for name in DIMENSIONS]
    return None if sizes == [None] * 3 else tuple(1 if size is None else size for size in sizes)


def _comparable(name: str, value: Any) -> Any:
    return parse_threads(value)[0] if name == "threads" else str(value)
