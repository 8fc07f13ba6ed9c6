"""Leave out what cannot run, or not well, before a tuner compiles and times it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from ..engine import Answer, Model, default_model, evaluate, rules
from ..errors import InputError, words_of
from ..values.kernel import Carveout
from ..values.limits import Limits
from ..values.spellings import parse_count, parse_size, parse_threads
from .arguments import ComputeCapabilityLike, Function, kernel_with, make_kernel, refuses_others, shows
from .chips import limits

if TYPE_CHECKING:
    from typing_extensions import Unpack

Config = TypeVar("Config")
Need = int | str | Sequence[int] | Carveout | Callable[[Any], Any] | None

# What configurations call an argument of `compute` besides: in Triton, in Nsight Compute.
OTHER_NAMES = {
    "threads": ("num_threads", "threads_per_block", "block_size", "block_dim"),
    "regs": ("registers", "n_regs", "num_regs", "registers_per_thread"),
    "smem": ("shared", "shared_mem_per_block"),
    "barriers": ("num_block_barriers",),
    "tensor_memory": ("tmem_size",),
}
PARTS = ("static_smem", "dynamic_smem")
"""Of ``smem``, which may stand beside them where it is their sum."""
# Blocks per cluster, which `compute` does not take: Triton's word, and CUDA's.
CLUSTER_SIZES = ("num_ctas", "cluster_size")
# Other ways to say how many threads: the warps of Triton and CUTLASS, the dimensions of Kernel Tuner.
WARPS = ("num_warps", "warp_count")
DIMENSIONS = ("block_size_x", "block_size_y", "block_size_z")


# Written out, with the names of `KernelArguments`, because type checkers know no other way; a test compares.
class Needs(TypedDict, total=False):
    """Arguments of `compute`: a value, or a function from a configuration to the value."""

    threads: Need
    regs: Need
    static_smem: Need
    dynamic_smem: Need
    smem: Need
    barriers: Need
    carveout: Need
    caching: Need
    opt_in: Need
    virtual_resources: Need
    tensor_memory: Need
    shared_memory_mode: Need


NAMES = {
    name: argument
    for argument in Needs.__annotations__
    for name in (argument, *OTHER_NAMES.get(argument, ()))
}
"""What a configuration can call an argument -> the argument."""


def takes_needs(function: Function) -> Function:
    """Have a function show by name the arguments that it takes as ``**needs``."""
    return refuses_others(shows(function, "needs", Needs))


@takes_needs
def prune(
    cc: ComputeCapabilityLike | list[Any],
    configs: Iterable[Config],
    *,
    min_occupancy: float = 0.0,
    min_blocks: int = 1,
    model: Model | None = None,
    **needs: Unpack[Needs],
) -> Iterator[Config]:
    """The configurations that launch with enough occupancy and blocks, in their order, one at a time.

    What a block needs is read from each configuration, a dictionary or an object, under the names of
    `compute`'s arguments or those of Triton (``num_warps``, ``num_ctas``, ``shared``, ``tmem_size``; its
    compiled kernels too), Kernel Tuner (``block_size_x``, ...), CUTLASS (``warp_count``) and Nsight Compute.
    What it does not say counts as not given, and that is never a reason to leave it out.

    Args:
        cc: The chip, or a list of chips on all of which a configuration has to fit.
        configs: The configurations; any iterable.
        min_occupancy: The least occupancy, 0 to 1; with 0 everything stays that launches.
        min_blocks: The fewest blocks resident on one SM, 1 and up; it holds beside min_occupancy.
        model: As for `compute`.
        needs: Arguments of `compute`, instead of what the configurations say: a value for all of them,
            or a function such as ``smem=lambda config: config.num_stages * 16384``.

    Returns:
        An iterator over the configurations themselves.

    Raises:
        InputError: A value that no kernel can have, or a configuration that does not give its threads,
            or gives two different numbers; the message has its index.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
    """
    condition = Condition.of(cc, min_occupancy, min_blocks, model, needs)
    return (
        config
        for index, config in enumerate(configs)
        if condition.is_met_by(config, f"configuration {index}")
    )


@takes_needs
def is_launchable(
    cc: ComputeCapabilityLike | list[Any],
    config: object = None,
    *,
    min_occupancy: float = 0.0,
    min_blocks: int = 1,
    model: Model | None = None,
    **needs: Unpack[Needs],
) -> bool:
    """Whether a kernel, or one configuration of it, launches with enough occupancy and blocks.

    Why it does not, and all else, is in the answer of `compute`, which takes the same arguments:
    ``compute("A100", threads=1024, regs=72).reason``.

    Args:
        cc: As in `prune`.
        config: A configuration as in `prune`; None where the arguments say what a block needs.
        min_occupancy: As in `prune`.
        min_blocks: As in `prune`.
        model: As in `compute`.
        needs: Arguments of `compute`, instead of what the configuration says: values, or functions of it.

    Raises:
        InputError: A value that no kernel can have, nothing that says the threads, or two different numbers.
        UnknownComputeCapabilityError: A compute capability that the table does not hold.
    """
    return Condition.of(cc, min_occupancy, min_blocks, model, needs).is_met_by(config, "configuration")


@dataclass(frozen=True)
class Condition:
    """What is asked of a configuration."""

    chips: tuple[tuple[Limits, Model], ...]
    min_occupancy: float
    min_blocks: int
    needs: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        cc: ComputeCapabilityLike | list[Any],
        min_occupancy: float,
        min_blocks: int,
        model: Model | None,
        needs: Mapping[str, Any],
    ) -> Condition:
        """Make a condition of the arguments of `prune`.

        Raises:
            InputError: One of them is wrong.
        """
        chips = [limits(each) for each in (cc if isinstance(cc, list) else [cc])]
        if not chips:
            raise InputError("there are none", where="chips")
        for chip in chips:
            rules(chip, model or default_model(chip))
        if not isinstance(min_occupancy, (int, float)) or not 0 <= min_occupancy <= 1:
            raise InputError(f"{min_occupancy!r} is out of range", where="min_occupancy", allowed="0 to 1")
        fewest = parse_count(min_blocks, "min_blocks")
        if fewest < 1:
            raise InputError(f"{fewest} is out of range", where="min_blocks", allowed="1 and up")
        asked = tuple((chip, model or default_model(chip)) for chip in chips)
        return cls(asked, min_occupancy, fewest, needs)

    def is_met_by(self, config: object, where: str) -> bool:
        """Whether the configuration fits on every chip.

        Args:
            config: A dictionary or an object; None where what is needed says everything.
            where: What to call it in an error.

        Raises:
            InputError: It says what no kernel can have, or not enough.
        """
        return all(self.accepts(answer, config) for answer in self.answers(config, where))

    def accepts(self, answer: Answer | None, config: object) -> bool:
        """Whether the answer for a configuration, on one chip, is enough.

        Raises:
            InputError: Its cluster is not a whole number of blocks.
        """
        return (
            answer is not None
            and answer.launchable
            and answer.occupancy >= self.min_occupancy
            and answer.active_blocks >= self.min_blocks
            and self._has_cluster(answer, config)
        )

    def answers(self, config: object, where: str) -> Iterator[Answer | None]:
        """The answer for the configuration on each chip; None where that has less tensor memory.

        The arguments are those of `is_met_by`.

        Raises:
            InputError: It says what no kernel can have, or not enough.
        """
        try:
            arguments = self._arguments(config)
            kernel = kernel_with(None, arguments) if config is None else make_kernel(**arguments)
            for chip, model in self.chips:
                has_tensor_memory = (kernel.tensor_memory or 0) <= (
                    chip.tensor_memory_per_multiprocessor or 0
                )
                yield evaluate(chip, kernel, model) if has_tensor_memory else None
        except InputError as error:
            named = error.where if config is None else f"{where}: {error.where}"
            raise error.elsewhere(named, InputError) from error

    def _arguments(self, config: object) -> dict[str, Any]:
        arguments = {
            name: _call(need, config, name) if callable(need) else need
            for name, need in self.needs.items()
            if need is not None
        }
        for name, said in _said_by(_readable(config), self.chips[0][0].warp_size).items():
            if name not in arguments:
                arguments[name] = _only(name, said)
        if "threads" not in arguments and config is not None:
            raise InputError(
                "it does not say how many",
                where="threads",
                allowed=", ".join(
                    [*(each for each in NAMES if NAMES[each] == "threads"), *WARPS, *DIMENSIONS]
                ),
                cure="Or give threads, a number or a function of the configuration.",
            )
        return arguments

    def _has_cluster(self, answer: Answer, config: object) -> bool:
        """Whether the chip has clusters as large as the configuration asks for."""
        size = blocks_per_cluster(config)
        return size <= 1 or size <= answer.limits.most_blocks_per_cluster


def blocks_per_cluster(config: object) -> int:
    """Blocks per cluster of a configuration; 1 where it says nothing of clusters.

    Raises:
        InputError: Not a whole number.
    """
    get = _getter(getattr(config, "metadata", None) if _is_compiled(config) else config)
    return next((parse_count(size, name) for name in CLUSTER_SIZES if (size := get(name)) is not None), 1)


def _is_compiled(config: object) -> bool:
    """Whether this is a compiled kernel of Triton."""
    return hasattr(config, "asm") and hasattr(config, "metadata")


def _readable(config: object) -> object:
    if _is_compiled(config):
        from ..readers import kernel_of

        return kernel_of(config).kernel()
    return config


def _call(function: Callable[[Any], Any], config: object, name: str) -> Any:
    try:
        return function(config)
    except Exception as error:
        problem = f"the function for it fails with {type(error).__name__}: {words_of(error)}"
        raise InputError(problem, where=name) from error


def _said_by(config: object, warp_size: int) -> dict[str, dict[str, Any]]:
    """Argument of `compute` -> name in the configuration -> what it says there."""
    get = _getter(config)
    said: dict[str, dict[str, Any]] = {}
    for name, argument in NAMES.items():
        value = get(name)
        if value is not None and (value or argument != "tensor_memory"):  # Triton's 0 is none
            said.setdefault(argument, {})[name] = value
    for name in WARPS:
        warps = get(name)
        if warps is not None:
            counts = warps if isinstance(warps, (list, tuple)) else [warps]
            threads = warp_size * prod(parse_count(each, "warps per block") for each in counts)
            said.setdefault("threads", {})[name] = threads
    sizes = [get(name) for name in DIMENSIONS]
    if sizes != [None, None, None]:
        shape = tuple(1 if size is None else size for size in sizes)
        said.setdefault("threads", {})["block_size_x, y, z"] = shape
    if "smem" in said and _is_total(said["smem"], get):
        del said["smem"]  # a scanned kernel has the total beside its parts
    return said


def _is_total(totals: Mapping[str, Any], get: Callable[[str], Any]) -> bool:
    """Whether a configuration also says the parts of its shared memory, and they come to the total."""
    parts = [parse_size(size, name) for name in PARTS if (size := get(name)) is not None]
    return bool(parts) and all(parse_size(size, name) == sum(parts) for name, size in totals.items())


def _getter(config: object) -> Callable[[str], Any]:
    return config.get if isinstance(config, Mapping) else lambda name: getattr(config, name, None)


def _only(argument: str, said: dict[str, Any]) -> Any:
    """The one value of all these names; the last of them is the one that may have the block's shape."""
    *others, last = said.values()
    if others and any(_comparable(argument, each) != _comparable(argument, last) for each in others):
        raise InputError(
            "it says different things: " + ", ".join(f"{name} {value}" for name, value in said.items()),
            where=argument,
            cure=f"Give {argument}, a value or a function of the configuration.",
        )
    return last


def _comparable(argument: str, value: Any) -> object:
    return parse_threads(value)[0] if argument == "threads" else str(value)
