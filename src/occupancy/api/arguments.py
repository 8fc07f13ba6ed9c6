"""Keyword arguments that `scan` shows by name in ``help()``, and the error for an unknown one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar, cast

from ..engine import Model
from ..errors import InputError, shown
from ..tables.gpus import Gpu
from ..values.carveout import Carveout
from ..values.fields import CACHING_CCS, Caching, SharedMemoryMode
from ..values.kernel import Kernel
from ..values.limits import ComputeCapability, Limits
from ..values.spellings import nearest_names

ComputeCapabilityLike = str | int | tuple[int, int] | ComputeCapability | Limits | Gpu
CountLike = int | str
ShapeLike = int | str | Sequence[int]
ThreadsLike = ShapeLike
SizeLike = int | str
CarveoutLike = int | str | Carveout | None
KernelLike = object
"""A `Kernel`, a `KernelRecord` that was scanned, or a compiled kernel of Triton, CuPy, Numba or cuda.core."""


class UseArguments(TypedDict, total=False):
    """What a kernel uses, but for what depends on the block size."""

    regs: CountLike | None
    static_smem: SizeLike | None
    carveout: CarveoutLike
    barriers: CountLike | None
    caching: Caching | None
    opt_in: bool | None
    virtual_resources: CountLike | None
    tensor_memory: CountLike | None
    shared_memory_mode: SharedMemoryMode | None
    max_threads: CountLike | None
    model: Model | None


class SharedMemoryArguments(UseArguments, total=False):
    """What a kernel uses."""

    dynamic_smem: SizeLike | None
    smem: SizeLike | None


class KernelArguments(SharedMemoryArguments, total=False):
    """What a block of a kernel consists of and uses."""

    threads: ThreadsLike | None


MEANINGS = {
    "threads": "Threads per block, 1 and up, or the block's shape, such as ``(16, 16)``.",
    "regs": "Registers per thread, 0 to 255, as the compiler reports them.",
    "static_smem": "Shared memory per block that the kernel declares, in bytes or as text with a unit "
    '(``"40k"``), without any reservation.',
    "dynamic_smem": "Shared memory per block that the launch asks for, in bytes or as text with a unit.",
    "smem": "Both together, likewise, where the split is not known; instead of the other two.",
    "carveout": "How much of the SM's memory is shared memory and not L1 cache: a percentage (a number up to "
    '100), one of the chip\'s sizes in bytes, None for the largest, or ``"auto"`` for the smallest with as '
    "many blocks as the largest.",
    "barriers": "Named barriers per block, 0 to 16; not given, it counts as 1.",
    "caching": f'On {CACHING_CCS} only: ``"ca"`` if global loads are cached in L1, else ``"cg"``, the '
    "default.",
    "opt_in": "Whether the kernel has raised its limit of dynamic shared memory with cudaFuncSetAttribute; "
    "not given, it counts as raised.",
    "virtual_resources": "Virtual resources per block, which limit from 10.0: 128 for a kernel that "
    "allocates tensor memory, as its cubin says; 0 for one that relinquishes its permit to allocate.",
    "tensor_memory": "Columns of tensor memory per block (10.0 to 11.0), a multiple of 32; "
    "implies 128 virtual resources.",
    "shared_memory_mode": '``"oversized"`` for a kernel that has set this mode, on 10.7.',
    "max_threads": "First launch bound: the largest block that the kernel was compiled for.",
    "model": '``"cuda"`` (the default from 3.0): as NVIDIA\'s cuda_occupancy.h and the CUDA runtime; '
    '``"spreadsheet"`` (1.0 to 8.6): as NVIDIA\'s CUDA_Occupancy_Calculator.xls.',
}
"""Argument -> what it means, in the order in which they are shown."""

Function = TypeVar("Function", bound=Callable[..., Any])


LISTS = ("archs", "ccs")
"""Arguments that take several of what others take one of."""


def explains_arguments(function: Function, meanings: Mapping[str, str] = MEANINGS) -> Function:
    """Put what arguments of a function mean where its docstring has ``{arguments}``, but for its own."""
    before, mark, after = (function.__doc__ or "").partition("{arguments}")
    if not mark:
        return function
    # From Python 3.13 on, the compiler takes the indent of the whole docstring away.
    indent = before[len(before.rstrip(" ")) :]
    own = {line.partition(":")[0] for line in f"{before}{after}".splitlines() if line.startswith(indent)}
    taken = (name for name in meanings if name in function.__annotations__ and indent + name not in own)
    lines = f"\n{indent}".join(f"{name}: {meanings[name]}" for name in taken)
    function.__doc__ = f"{before}{lines}{after}"
    return function


def refuses_others(function: Function) -> Function:
    """Have a function that shows its arguments say which there are to who names another."""
    names = frozenset(inspect.signature(function).parameters)

    @wraps(function)
    def asked(*given: Any, **named: Any) -> Any:
        if not names.issuperset(named):
            raise unknown_argument(function, named)
        return function(*given, **named)

    return cast(Function, asked)


def shows(
    function: Function,
    taken: str,
    table: type,
    meanings: Mapping[str, str] = MEANINGS,
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Function:
    """Have a function show by name the arguments that it takes as ``**taken``, those of a TypedDict."""
    function.__annotations__.pop(taken, None)
    # A TypedDict keeps its types as ForwardRef, which says in which module its text is to be understood.
    declared = {name: table.__annotations__[name] for name in meanings if name in table.__annotations__}
    function.__annotations__.update(declared)
    signature = inspect.signature(function)
    shown_ones = [each for each in signature.parameters.values() if each.name != taken]
    one = inspect.Parameter.KEYWORD_ONLY
    shown_ones += [
        inspect.Parameter(name, one, default=defaults.get(name), annotation=kind.__forward_arg__)
        for name, kind in declared.items()
    ]
    function.__signature__ = signature.replace(parameters=shown_ones)  # type: ignore[attr-defined]
    return explains_arguments(function, meanings)


def make_kernel(threads: ThreadsLike, **given: Any) -> Kernel:
    """Make a `Kernel` of the arguments of `compute`."""
    return Kernel(threads, **given)


def unknown_argument(function: Callable[..., Any], named: Mapping[str, object]) -> InputError:
    """The error for an argument that a function does not have, with those that it may stand for.

    Args:
        function: It shows its arguments.
        named: What it was called with, by name.
    """
    taken = list(inspect.signature(function).parameters)
    name, value = next((name, value) for name, value in named.items() if name not in taken)
    from ..values.other_names import our_names  # only an error needs it

    near = [each for each in our_names(name) if each in taken] or nearest_names(name, taken)
    if (several := f"{name}s") in LISTS and several in taken:
        near = [f"{several}=[{shown(value)}]"]
    return InputError(
        f"there is no argument {shown(name)}",
        where=f"{function.__name__}()",
        allowed=", ".join(taken),
        hint=f"Did you mean {' or '.join(near)}?" if near else "",
    )
