"""What Triton's autotuner takes to leave configurations out, and to rank them, before any is compiled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..advice.waves import count_waves, full_wave
from ..engine import Model
from ..errors import InputError
from ..values.kernel import Launch
from ..values.spellings import parse_shape
from .arguments import ComputeCapabilityLike, ShapeLike
from .chips import chip_of, multiprocessors
from .configurations import Needs, blocks_per_cluster
from .tuning import Condition, prune, takes_needs

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_needs
def early_config_prune(
    cc: ComputeCapabilityLike | list[Any],
    *,
    min_occupancy: float = 0.0,
    min_blocks: int = 1,
    model: Model | None = None,
    **needs: Unpack[Needs],
) -> Callable[..., list[Any]]:
    """A function for ``prune_configs_by={"early_config_prune": ...}``: it leaves out what `prune` leaves out.

    Args:
        cc: As for `prune`.
        min_occupancy: The least occupancy, 0 to 1.
        min_blocks: The fewest blocks resident on one SM, 1 and up; it holds beside min_occupancy.
        model: As for `compute`.
        needs: As for `prune`; a function gets the ``triton.Config``.

    Returns:
        A function from configurations to those that stay, in their order.

    Raises:
        InputError: An argument is wrong.
    """
    Condition.of(cc, min_occupancy, min_blocks, model, needs)  # what is wrong is said here, not in the tuner

    def leave_out(configs: Sequence[Any], named_args: object = None, **others: Any) -> list[Any]:
        kept = prune(cc, configs, min_occupancy=min_occupancy, min_blocks=min_blocks, model=model, **needs)
        return list(kept)

    return leave_out


@takes_needs
def perf_model(
    cc: ComputeCapabilityLike,
    *,
    grid: ShapeLike | Callable[[dict[str, Any]], ShapeLike] | None = None,
    multiprocessor_count: int | None = None,
    model: Model | None = None,
    **needs: Unpack[Needs],
) -> Callable[..., float]:
    """A function for ``prune_configs_by={"perf_model": ..., "top_k": ...}``: it ranks by occupancy and waves.

    What it returns is no time: it is 1 divided by the share of the GPU's warp slots that are taken while the
    grid runs. Configurations that cannot fill the GPU come last, so that ``top_k`` leaves them out first.

    Args:
        cc: The chip; a product has SMs, too.
        grid: Blocks of the grid, or a function from the kernel's arguments and the configuration, by name,
            to them; without it, waves play no part.
        multiprocessor_count: SMs of the GPU, which go with the grid; not needed where ``cc`` names a product,
            such as ``"H100 SXM"``.
        model: As for `compute`.
        needs: As for `prune`; a function gets the kernel's arguments and the configuration, by name.

    Returns:
        A function of the kernel's arguments and the configuration, by name: 1 or more, the lower the better;
        infinite for what does not launch.

    Raises:
        InputError: An argument is wrong, a grid lacks the number of SMs, or that has no grid.
    """
    if grid is None and multiprocessor_count is not None:
        raise InputError("is missing", where="grid", hint="Give it, or leave multiprocessor_count out.")
    sms = None if grid is None else multiprocessors(chip_of(cc), multiprocessor_count)
    condition = Condition.of(cc, 0.0, 1, model, needs)

    def estimate(**arguments: Any) -> float:
        (answer,) = condition.answers(arguments, "configuration")
        if answer is None or not condition.accepts(answer, arguments, "configuration"):
            return math.inf
        if sms is None or grid is None:
            return 1 / answer.occupancy
        x, y, z = parse_shape(grid(arguments) if callable(grid) else grid, "grid")
        size = blocks_per_cluster(arguments)
        cluster = None if size == 1 else (size, 1, 1)
        # A grid of Triton counts clusters, each of num_ctas blocks.
        launch = Launch(answer.kernel, (x * size, y, z), cluster)
        wave = full_wave(answer, sms, cluster_size=launch.cluster_size)
        if not wave.blocks:
            return math.inf
        busy = 1 - count_waves(launch, wave).idle_share
        return 1 / (answer.occupancy * busy)

    return estimate
