"""Functions for Triton: ``prune_configs_by`` of its autotuner, and the stages of a pipeline."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .advice.waves import WavesFields, full_wave
from .api.occupancy import GpuLike, GpuList, KernelLike, compute, kernel_of_inputs, multiprocessors
from .api.tuning import Criteria, Needs
from .engine import Model
from .errors import InputError
from .tables.gpus import find_gpu
from .values.fields import KernelInputs, Unpack
from .values.kernel import Launch
from .values.spellings import in_range, parse_count, parse_shape, parse_size

__all__ = ["early_config_prune", "max_stages", "perf_model"]


def __dir__() -> list[str]:
    return __all__


def early_config_prune(
    gpu: GpuLike | GpuList, *, min_occupancy: float | str = 0.0, min_blocks: int = 1,
    model: Model | None = None, dropped: Callable[[Any, str], object] | None = None, **needs: Unpack[Needs],
) -> Callable[..., list[Any]]:  # fmt: skip
    """Return `prune` as a function for ``prune_configs_by={"early_config_prune": ...}``.

    Arguments and errors are as in `prune`. Functions in ``needs`` receive the ``triton.Config``.
    """
    criteria = Criteria(early_config_prune, gpu, needs, min_occupancy, min_blocks, model, dropped)
    return lambda configs, named_args=None, **others: list(criteria.kept(configs))


def perf_model(
    gpu: GpuLike, *,
    grid: int | str | Sequence[int] | Callable[[dict[str, Any]], int | str | Sequence[int]] | None = None,
    multiprocessor_count: int | None = None, model: Model | None = None, **needs: Unpack[Needs],
) -> Callable[..., float]:  # fmt: skip
    """Return a function for ``prune_configs_by={"perf_model": ..., "top_k": ...}``.

    It ranks by occupancy and waves. The result is not a run time: it is 1 divided by the share of the GPU's warp
    slots that are in use, averaged over all waves. Lower is better; infinity means that it cannot launch.

    Args:
        gpu, model: As in `prune`.
        needs: As in `prune`; functions receive a dictionary with the kernel's arguments and the configuration.
        grid: Blocks of the grid, or a function of the same dictionary. Without it, waves are ignored.
        multiprocessor_count: Number of SMs, required with ``grid`` unless ``gpu`` is a GPU such as
            ``"H100 SXM"``.
    """
    gpu = find_gpu(gpu)
    criteria = Criteria(perf_model, gpu, needs, model=model)
    sms = None if grid is None else multiprocessors(gpu, multiprocessor_count)

    def estimate(**arguments: Any) -> float:
        results, reason = criteria.verdict(arguments)
        if reason is not None:
            return math.inf
        (result,) = results
        if sms is None or grid is None:
            return 1 / result.occupancy
        x, y, z = parse_shape(grid(arguments) if callable(grid) else grid, "grid")
        # A grid of Triton counts clusters, each of num_ctas blocks.
        a, b, c = result.kernel.cluster or (1, 1, 1)
        launch = Launch(result.kernel, (x * a, y * b, z * c))
        wave = full_wave(result, sms)
        if not wave.blocks:
            return math.inf
        slots = result.limits.max_warps_per_multiprocessor * sms * WavesFields(launch, wave).rounds
        return slots / (launch.blocks * result.allocated.warps)

    return estimate


def max_stages(
    gpu: GpuLike, kernel: KernelLike = None, *, stage_smem: int | str, blocks: int | str = 1,
    **inputs: Unpack[KernelInputs],
) -> int:  # fmt: skip
    """Return the maximum number of pipeline stages that keeps a number of blocks resident per SM.

    CUDA reserves 1 KiB for each block and allocates whole units, so ``232448 // blocks`` bytes per block are
    too much. The kernel's own shared memory is subtracted first; that of a Triton kernel includes its stages,
    so set ``smem``.

    Args:
        gpu, kernel, inputs: As in `compute`, but one GPU.
        stage_smem: Shared memory per stage in bytes, 1 or more, or a text such as ``"32k"``.
        blocks: Resident blocks per SM, 1 or more.

    Returns:
        Number of stages; 0 if one stage does not fit. Blocks that do not fit without stages are an error.
    """
    stage = in_range(parse_size(stage_smem, "stage_smem"), "stage_smem")
    result = compute(find_gpu(gpu), kernel_of_inputs(kernel, inputs, max_stages))
    is_compiled = hasattr(kernel, "metadata") or getattr(kernel, "num_stages", None) is not None
    if is_compiled and inputs.get("smem") is None and inputs.get("dynamic_smem") is None:
        raise InputError("includes its stages", where="kernel", hint="Pass smem without the stages, often 0.")
    most = result.budget(blocks=parse_count(blocks, "blocks")).wanted.smem
    return max(0, most - result.kernel.shared_memory) // stage
