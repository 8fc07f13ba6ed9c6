"""What was asked: the kernel as it was given, the same in every answer."""

from __future__ import annotations

from dataclasses import fields

from ..render import words
from ..values.asking import Asking
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.option_names import options_of
from ..values.resources import total_shared_memory

ONLY_IN_FILES = ("block_dim", "reallocates_registers")
"""What no option or argument of this name says: the shape of the threads does, their split, or a file."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was given; None for what was not. Sizes are in bytes."""

    threads: int
    block_dim: tuple[int, int, int] | None
    regs: int | None
    static_smem: int | None
    dynamic_smem: int | None
    smem: int | None
    carveout: str | int | None
    """A percentage such as ``"50%"``, or a size in bytes."""
    barriers: int | None
    caching: str | None
    opt_in: bool | None
    virtual_resources: int | None
    """Virtual resources per block."""
    tensor_memory: int | None
    """Columns per block."""
    shared_memory_mode: str | None
    max_threads: int | None
    """First launch bound: the largest block that the kernel was compiled for."""
    reallocates_registers: bool | None
    """True where warpgroups divide the registers among themselves (``setmaxnreg``)."""

    @property
    def shared_memory(self) -> int | None:
        """Shared memory per block in bytes; None where it was not given."""
        return total_shared_memory(self.static_smem, self.dynamic_smem, self.smem)


def inputs_of(kernel: Kernel) -> Inputs:
    """What was given of a kernel."""
    given = {each.name: getattr(kernel, each.name) for each in fields(Inputs)}
    if kernel.carveout is not None:
        in_percent = kernel.carveout.unit == "percent"
        given["carveout"] = str(kernel.carveout) if in_percent else kernel.carveout.amount
    return Inputs(**{**given, "reallocates_registers": kernel.reallocates_registers or None})


def name_of(resource: str, asked: Kernel | Inputs) -> str:
    """The name of a resource; virtual resources are the permit, in an answer about tensor memory."""
    name = words.name(resource)
    return f"{name} (permit)" if resource == "virtual_resources" and asked.tensor_memory else name


def blocks_in_words(inputs: Inputs) -> str:
    """``Blocks of 192 threads, 72 registers and 40 KiB of shared memory``, as far as they were given."""
    parts = [words.count(inputs.threads, "thread")]
    if inputs.regs is not None:
        parts.append(words.count(inputs.regs, "register"))
    if inputs.shared_memory is not None:
        parts.append(f"{words.size(inputs.shared_memory)} of shared memory")
    return f"Blocks of {words.listing(parts)}"


def typed(inputs: Inputs) -> Asking:
    """``--threads 256 --smem 20k``: what was given of a kernel, to be given again."""
    options, arguments = [], []
    for name in (each.name for each in fields(Inputs) if each.name not in ONLY_IN_FILES):
        value = getattr(inputs, name)
        if value is None:
            continue
        if name == "threads" and inputs.block_dim is not None:
            value = "x".join(map(str, inputs.block_dim))
        (option, *_) = options_of(name)
        if isinstance(value, bool):
            options.append(option if value else option.replace("--", "--no-", 1))
        else:
            is_in_kib = name.endswith("smem") and value and value % 1024 == 0
            options.append(f"{option} {f'{value // 1024}k' if is_in_kib else value}")
        arguments.append(f"{name}={value!r}")
    return Asking(" ".join(options), ", ".join(arguments))
