"""Leave out what cannot run, or not well, before a tuner compiles and times it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ..engine import Answer, Model, default_model, evaluate, rules
from ..errors import InputError, TooMuchError, words_of
from ..values.limits import Limits
from ..values.spellings import parse_count
from .arguments import ComputeCapabilityLike, Function, kernel_with, make_kernel, refuses_others, shows
from .chips import limits
from .configurations import NAMES_OF_THREADS, Needs, blocks_per_cluster, completed

if TYPE_CHECKING:
    from typing_extensions import Unpack

Config = TypeVar("Config")


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
    What it does not say counts as not given, and that is never a reason to leave it out. More than any kernel
    can have, such as 256 registers, is one. Registers count as ``maxnreg`` where that is less.

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
        InputError: A value that makes no sense, or a configuration that does not give its threads, or gives
            two different numbers; the message has its index. A need that is a value for all, and more than
            any kernel can have.
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
        InputError: A value that makes no sense, nothing that says the threads, or two different numbers; a
            need that is a value, and more than any kernel can have.
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
            InputError: It says what makes no sense, or not enough.
        """
        return all(self.accepts(answer, config, where) for answer in self.answers(config, where))

    def accepts(self, answer: Answer | None, config: object, where: str) -> bool:
        """Whether the answer for a configuration, on one chip, is enough.

        Args:
            answer: One of `answers`.
            config: See `is_met_by`.
            where: Likewise.

        Raises:
            InputError: Its cluster is not a whole number of blocks.
        """
        return (
            answer is not None
            and answer.launchable
            and answer.occupancy >= self.min_occupancy
            and answer.active_blocks >= self.min_blocks
            and self._has_cluster(answer, config, where)
        )

    def answers(self, config: object, where: str) -> Iterator[Answer | None]:
        """The answer for the configuration on each chip; None where that has less tensor memory, or where the
        configuration asks for more of something than any kernel can have.

        The arguments are those of `is_met_by`.

        Raises:
            InputError: It says what makes no sense, or not enough.
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
            if isinstance(error, TooMuchError) and not self._is_for_all(error.where):
                yield from (None for _ in self.chips)
                return
            named = error.where if config is None else f"{where}: {error.where}"
            raise error.elsewhere(named, InputError) from error

    def _is_for_all(self, name: str) -> bool:
        """Whether an argument is a value that was given for all configurations, and no function of each."""
        need = self.needs.get(name)
        return need is not None and not callable(need)

    def _arguments(self, config: object) -> dict[str, Any]:
        given = {
            name: _call(need, config, name) if callable(need) else need
            for name, need in self.needs.items()
            if need is not None
        }
        arguments = completed(given, config, self.chips[0][0].warp_size)
        if "threads" not in arguments and config is not None:
            raise InputError(
                "it does not say how many",
                where="threads",
                allowed=", ".join(NAMES_OF_THREADS),
                hint="Or give threads, a number or a function of the configuration.",
            )
        return arguments

    def _has_cluster(self, answer: Answer, config: object, where: str) -> bool:
        """Whether the chip has clusters as large as the configuration asks for."""
        try:
            size = blocks_per_cluster(config)
        except InputError as error:
            raise error.elsewhere(f"{where}: {error.where}", InputError) from error
        return size <= 1 or size <= answer.limits.most_blocks_per_cluster


def _call(function: Callable[[Any], Any], config: object, name: str) -> Any:
    try:
        return function(config)
    except Exception as error:
        problem = f"the function for it fails with {type(error).__name__}: {words_of(error)}"
        raise InputError(problem, where=name) from error
