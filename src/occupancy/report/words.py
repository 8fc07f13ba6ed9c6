"""Words that reports share: resources, inputs, steps, kernels, GPUs and results as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any

from ..advice.next_steps import NextStep
from ..advice.slack import carveout
from ..engine import Result, max_static_smem
from ..tables.gpus import Gpu
from ..values.fields import FIELDS
from ..values.kernel import Kernel
from ..values.limits import SpreadsheetColumn
from ..values.numbers import count, join_and, percent, plain, size
from ..values.resources import QUANTITIES

Value = int | str
"""A value of an input: threads, registers, bytes, or text as it was given."""

LABELS = {name: field.label for name, field in FIELDS.items()} | {"gpu": "GPU", "cc": "compute capability"}
"""Input, or the GPU -> its label along an axis."""

FILTERS: Mapping[str, Callable[[Any], str]] = {
    "names": lambda names: " ".join(f"--name {each}" for each in names),
    "archs": lambda archs: f"--arch {','.join(archs)}", "newest": "--newest".format,
    "below": lambda share: f"--below {percent(share)}", "spilling": "--spilling".format,
    "limit": "--limit {}".format, "threshold": "--threshold {:g}".format, "ignore_arch": "--ignore-arch".format,
}  # fmt: skip
"""Input that chooses kernels of a build -> its option as text."""


def label(resource: str) -> str:
    return resource.replace("_", " ")


def labels(resources: Iterable[str]) -> str:
    return ", ".join(map(label, resources))


def limited_by(resources: Iterable[str]) -> str:
    return f"limited by {join_and([*map(label, resources)])}"


def is_size(name: str) -> bool:
    return name in FIELDS and FIELDS[name].kind == "size"


def value_text(name: str, value: Value) -> str:
    """Return a value of an input: ``64``, ``32.25 KiB``."""
    if isinstance(value, int):
        return size(value) if is_size(name) else f"{value:,}"
    return value


def amount_text(name: str, amount: Any) -> str:
    """Return a value of an input with its short unit: ``64 registers``, ``32.25 KiB``."""
    if name in ("smem", "carveout"):
        return f"carveout {size(amount)}" if name == "carveout" else size(amount)
    if name == "opt_in":
        return "opt-in"
    if name == "cluster":
        return f"clusters of {prod(amount)}" if prod(amount) > 1 else "no clusters"
    return count(amount, {"regs": "register", "tensor_memory": "column"}.get(name, name.removesuffix("s")))


def limit_text(name: str, value: Any) -> str:
    """Return a limit as people read it: ``96 KiB``, ``1024 x 1024 x 64``, ``-`` for None."""
    if isinstance(value, SpreadsheetColumn):
        return f"version {value.version}"
    if name == "shared_memory_configurations" and value is not None:
        return ", ".join(str(each // 1024) for each in value) + " KiB"
    if isinstance(value, tuple):
        return " x ".join(map(str, value))
    return size(value) if type(value) is int and "shared_memory" in name else plain(value)


def input_text(name: str, value: Value) -> str:
    """Return a value of an input with its label: ``64 registers per thread``, ``compute capability 9.0``."""
    text, meaning = value_text(name, value), LABELS[name]
    if name == "cluster":
        return amount_text(name, value)
    if isinstance(value, bool):
        return meaning if value else f"no {meaning}"
    if name == "gpu":
        return text
    if name == "max_threads":
        return f"compiled for at most {text} threads"
    if is_size(name) or name == "tensor_memory":
        return f"{text}{'' if is_size(name) else ' columns'} of {meaning}"
    if " per " not in meaning:
        return f"{meaning} {text}"
    return f"{text} {meaning.replace('s per', ' per') if text == '1' else meaning}"


def arrow(was: str, now: str) -> str:
    """Return two values, with a common unit once: ``4 -> 36 KiB``; equal ones once: ``96``."""
    if was == now:
        return now
    unit = now.rpartition(" ")[2]
    return f"{was.removesuffix(f' {unit}') if unit.isalpha() else was} -> {now}"


def step_text(result: Any, step: NextStep) -> str:
    """Return ``50%: 64 regs``."""
    changes = ", ".join(amount_text(*each) + _kind(result, *each) for each in step.requires.items())
    return f"{percent(step.occupancy)}: {changes.replace('registers', 'regs')}"


def _kind(result: Result, name: str, amount: Any) -> str:
    is_large = name == "smem" and amount > max_static_smem(result.limits, result.kernel)
    return " dynamic" if is_large and not result.compiles else ""


def step_changes(result: Result, step: NextStep) -> str:
    """Return all changes of a step: ``72 -> 40 registers, 40 -> 37 KiB``."""
    changes, kernel = [], result.kernel
    for name, after in step.requires.items():
        if name == "threads":
            changes.append(f"{_shape_text(kernel)} -> {after:,} threads")
        elif name == "cluster":
            larger, smaller = (amount_text(name, each) for each in (kernel.cluster, after))
            changes.append(f"{larger} -> {smaller.removeprefix('clusters of ')}")
        elif name == "opt_in":
            changes.append("opt in to more than 48 KiB")
        elif name == "smem" and after == kernel.shared_memory:
            changes.append(f"{size(kernel.static_smem or 0)} static -> dynamic")
        elif name == "carveout":
            percents = {each.shared_memory: each.percent for each in carveout(result).configurations}
            amount = step.requires["carveout"]
            text = size(amount) if percents.get(amount) is None else f"{percents[amount]}% ({size(amount)})"
            changes.append(f"carveout {kernel.carveout} -> {text}")
        else:
            before = getattr(kernel, QUANTITIES[name].field) or 0  # type: ignore[index]
            texts = (amount_text(name, each) for each in (before, after))
            changes.append(arrow(*texts) + _kind(result, name, after))
    return ", ".join(changes)


def _shape_text(kernel: Kernel) -> str:
    return " x ".join(f"{length:,}" for length in kernel.block_dim or (kernel.threads,))


def kernel_text(kernel: Kernel, *gpus: Gpu) -> str:
    """Return the GPUs and inputs: ``H100 and B200: 256 threads per block, 72 registers per thread``."""
    inputs = ", ".join([input_text("threads", _shape_text(kernel)), *uses_of(kernel)])
    where = gpu_text(*gpus) if gpus else ""
    return f"{where[0].upper()}{where[1:]}: {inputs}" if where else inputs


def uses_of(kernel: Kernel) -> list[str]:
    """Return the inputs but the block size."""
    names = [name for name, field in FIELDS.items() if field.kind != "flag"]
    given = ((name, getattr(kernel, name)) for name in names if name not in ("threads", "block_dim"))
    uses = [input_text(name, value) for name, value in given if value is not None]
    return [*uses, "no shared memory opt-in"] if kernel.opt_in is False else uses


def computed_for(inputs: Mapping[str, Any]) -> str:
    """Return ``, computed for H100`` if a GPU was chosen for a build."""
    gpu = inputs.get("gpu", inputs.get("cc"))
    return f", computed for {gpu.removeprefix('GeForce ')}" if gpu else ""


def gpu_name(gpu: Gpu) -> str:
    """Return ``RTX 4090`` without GeForce, or the compute capability."""
    return gpu.label.removeprefix("GeForce ")


def given_name(gpu: Gpu) -> str | None:
    """Return the name of a GPU, or ``custom 9.0`` for other limits; None for a compute capability."""
    return gpu.name or (gpu.label if gpu.limits.changes else None)


def gpu_text(gpu: Gpu, *others: Gpu) -> str:
    """Return ``H100 SXM5, compute capability 9.0 (Hopper)``, or the names of several GPUs."""
    if others:
        return join_and([*map(gpu_name, (gpu, *others))])
    about = f"compute capability {gpu.cc} ({gpu.limits.architecture})"
    return f"{gpu_name(gpu)}, {about}" if given_name(gpu) else about


def result_text(result: Result) -> str:
    """Return the first line: ``37.5% occupancy, limited by registers``, or the reason not to launch."""
    if not result.launchable:
        return f"Does not {'launch' if result.compiles else 'compile'}: {result.reason}"
    by = " (NVIDIA's spreadsheet)" if result.model == "spreadsheet" else ""
    return f"{percent(result.occupancy)} occupancy{by}, {limited_by(result.limiters)}"
