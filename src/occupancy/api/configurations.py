"""What a configuration of a tuner, or a compiled kernel, says of a kernel, by its own names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypedDict

from ..errors import InputError
from ..values.kernel import Carveout
from ..values.spellings import parse_count, parse_size, parse_threads

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
# No more registers per thread than these, in Triton; how many fewer only the compiled kernel tells.
REGISTER_CAP = "maxnreg"


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

NAMES_OF_THREADS = (*(name for name in NAMES if NAMES[name] == "threads"), *WARPS, *DIMENSIONS)


def completed(given: Mapping[str, Any], config: object, warp_size: int) -> dict[str, Any]:
    """The arguments of `compute` that are given, and the others that a configuration says.

    Args:
        given: They go before what the configuration says; but no more registers count than its cap.
        config: A dictionary or an object; a compiled kernel of Triton, too.
        warp_size: Threads in a warp.

    Raises:
        InputError: It gives two different numbers, or one that is none.
    """
    readable = _readable(config)
    arguments = dict(given)
    for name, said in _said_by(readable, warp_size).items():
        if name not in arguments:
            arguments[name] = _only(name, said)
    cap = _getter(readable)(REGISTER_CAP)
    if cap is not None and arguments.get("regs") is not None:
        arguments["regs"] = min(parse_count(arguments["regs"], "regs"), _registers(cap))
    return arguments


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


def _registers(cap: Any) -> int:
    registers = parse_count(cap, REGISTER_CAP)
    if registers < 1:
        raise InputError(f"{registers} is out of range", where=REGISTER_CAP, allowed="1 and up")
    return registers


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
            hint=f"Give {argument}, a value or a function of the configuration.",
        )
    return last


def _comparable(argument: str, value: Any) -> object:
    return parse_threads(value)[0] if argument == "threads" else str(value)
