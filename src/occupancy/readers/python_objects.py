"""Kernels of Python frameworks, recognized by their attributes.

The driver's ``max_threads_per_block`` is the smaller of the launch bound and the block size that the registers
allow. If the registers allow more threads, it is the launch bound.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from ..errors import InputError, OccupancyError, shown, type_name
from .limits import sanitize
from .reading import stream_kernels
from .record import KernelRecord, Shape
from .triton import metadata_record, whole_number

_WHERE = "kernel"
_KNOWN = (
    "a kernel of scan(), a compiled kernel of Triton, Inductor, Numba, CuPy, PyCUDA or the CuTe DSL, "
    "or a Kernel or ObjectCode of cuda.core"
)


def read_kernel(obj: object) -> KernelRecord:
    """Return the record of a framework's compiled kernel.

    Args:
        obj: A kernel of `scan`, a Triton ``CompiledKernel``, an Inductor launcher, a Numba dispatcher or one of its
            ``overloads``, a CuPy ``RawKernel``, a PyCUDA ``Function``, a cuda.core ``Kernel`` or
            ``ObjectCode``, or the result of ``cute.compile`` with a kept cubin. All but
            Triton's, ObjectCode and CuTe call the driver and need a GPU.

    Raises:
        InputError: Another object, a kernel that is not compiled yet, or an object with several kernels.
    """
    try:
        for recognizes, reader in _READERS:
            if recognizes(obj):
                return sanitize(reader(obj))
    except OccupancyError:
        raise
    except Exception as error:  # without a GPU, each framework raises its own errors
        raise InputError(f"{type_name(obj)} could not be read: {error}", where=_WHERE) from error
    raise InputError(f"{shown(obj)} is not a compiled kernel", where=_WHERE, allowed=_KNOWN)


def _record(obj: Any, regs: int | None, most: int | None = None, **values: Any) -> KernelRecord:
    registers_of_warp = -(-(regs or 1) // 8) * 8 * 32  # in units of 8 per thread
    by_registers = (1 << 16) // registers_of_warp // 4 * 4 * 32  # of 65,536, for multiples of 4 warps
    bound = most if most is not None and most < min(by_registers, 1024) else None
    own: dict[str, Any] = {"source": type_name(obj), "format": "python", "name": _name(obj), "linked": True}
    return KernelRecord(**own | values, regs=regs, max_threads=bound)


def _from_driver(obj: Any) -> KernelRecord:
    # CuPy and PyCUDA use the same attribute names; cuda.core has them one level down.
    version = _whole(obj, "binary_version")
    return _record(
        obj, arch=f"sm_{version}" if version else None, regs=_whole(obj, "num_regs"),
        static_smem=_whole(obj, "shared_size_bytes"), stack_bytes=_whole(obj, "local_size_bytes"),
        most=_whole(obj, "max_threads_per_block"),
    )  # fmt: skip


def _from_cuda_core(obj: Any) -> KernelRecord:
    attributes = obj.attributes
    x, y, z = (_whole(attributes, f"required_cluster_{side}") for side in ("width", "height", "depth"))
    cluster: Shape | None = (x, y, z) if x and y and z else None
    return replace(_from_driver(attributes), source=type_name(obj), name=_name(obj), cluster_dim=cluster)


def _from_numba(obj: Any) -> KernelRecord:
    # A dispatcher with one signature, or an overload.
    prefix = "" if hasattr(obj, "regs_per_thread") else "get_"
    names = ("regs_per_thread", "shared_mem_per_block", "local_mem_per_thread", "max_threads_per_block")
    regs, shared, local, most = (_only_signature(obj, f"{prefix}{name}") for name in names)
    return _record(obj, regs, most, static_smem=shared, stack_bytes=local)


def _only_signature(obj: Any, name: str) -> int | None:
    value = _value(obj, name)
    values = [*value.values()] if isinstance(value, Mapping) else [value]
    if len(values) == 1:
        return whole_number(values[0], name)
    what, hint = "not compiled yet", "Launch it once, or compile it."
    if values:
        what, hint = f"compiled for {len(values)} signatures", "Pass one of the values of its overloads."
    raise InputError(f"{_name(obj)} is {what}", where=_WHERE, hint=hint)


def _from_triton(obj: Any) -> KernelRecord:
    metadata = _as_dict(obj.metadata)
    metadata["target"] = _as_dict(metadata.get("target"))
    if (described := metadata_record(metadata, type_name(obj), "python")) is None:
        raise InputError(f"{_name(obj)} is not compiled for CUDA", where=_WHERE)
    described = replace(described, name=described.name or _name(obj))
    if (image := obj.asm.get("cubin")) is not None:
        return described.with_compiled(_only_kernel(image, type_name(obj), described.name))
    return replace(described, regs=_whole(obj, "n_regs"), stack_bytes=_spilled_bytes(obj))


def _from_inductor(obj: Any) -> KernelRecord:
    # A launcher, or a statically launched kernel.
    warps = _whole(getattr(obj, "config", obj), "num_warps")
    threads = warps * 32 if warps else None
    return _record(
        obj, regs=_whole(obj, "n_regs"), static_smem=0, dynamic_smem=_whole(obj, "shared"),
        threads=threads, threads_from="metadata" if threads else None,
        block_dim=(threads, 1, 1) if threads else None, stack_bytes=_spilled_bytes(obj),
    )  # fmt: skip


def _spilled_bytes(obj: Any) -> int | None:
    spills = _whole(obj, "n_spills")  # in registers
    return None if spills is None else 4 * spills


def _from_image(obj: Any) -> KernelRecord:
    image = obj.code if hasattr(obj, "code") else obj.__cubin__
    if not isinstance(image, (str, bytes, bytearray, memoryview)):
        hint = "Configure the framework to keep the cubin."
        raise InputError(f"{type_name(obj)} contains no device code", where=_WHERE, hint=hint)
    return _only_kernel(image.encode() if isinstance(image, str) else bytes(image), type_name(obj), "")


def _only_kernel(image: bytes, source: str, name: str) -> KernelRecord:
    kernels = list(stream_kernels(io.BytesIO(image)))
    named = [kernel for kernel in kernels if kernel.name == name] or kernels
    if len(named) > 1:
        hint = "Read them all with occupancy.scan(io.BytesIO(code))."
        raise InputError(f"{source} contains {len(named)} kernels", where=_WHERE, hint=hint)
    return replace(named[0], source=source, format="python")


_READERS: tuple[tuple[Callable[[Any], bool], Callable[[Any], KernelRecord]], ...] = (
    (lambda obj: isinstance(obj, KernelRecord), lambda obj: obj),
    # PyCUDA before the others: it queries the driver for every other attribute.
    (lambda obj: hasattr(obj, "num_regs") and hasattr(obj, "shared_size_bytes"), _from_driver),
    (lambda obj: hasattr(getattr(obj, "attributes", None), "num_regs"), _from_cuda_core),
    (lambda obj: hasattr(obj, "get_regs_per_thread") or hasattr(obj, "regs_per_thread"), _from_numba),
    (lambda obj: hasattr(obj, "metadata") and hasattr(obj, "asm"), _from_triton),
    (lambda obj: hasattr(obj, "n_regs"), _from_inductor),
    (lambda obj: hasattr(obj, "code_type") or hasattr(obj, "__cubin__"), _from_image),
    (lambda obj: isinstance(getattr(obj, "record", None), KernelRecord), attrgetter("record")),
)


def _value(obj: Any, name: str) -> Any:
    # A property in one version of a framework can be a method in another.
    value = getattr(obj, name, None)
    return value() if callable(value) else value


def _whole(obj: Any, name: str) -> int | None:
    value = whole_number(_value(obj, name), name)
    return None if value == -1 else value  # CuPy's value for an unknown attribute


def _as_dict(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "_asdict"):
        return dict(value._asdict())
    return {} if value is None else dict(vars(value))


def _name(obj: Any) -> str:
    names = (getattr(obj, name, None) for name in ("name", "__name__", "kernel_name", "entry_name"))
    return next((name for name in names if isinstance(name, str)), type(obj).__name__)
