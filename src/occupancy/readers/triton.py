"""Triton's cache, which Inductor uses too: for each kernel a JSON file of metadata beside the cubin.

Together they are complete: the cubin has the registers, and the metadata the block size and the
shared memory, all of which is asked for at launch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ..values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY
from .budget import MAX_NUMBER, MIB, Malformed
from .content import open_content
from .cubin import read_cubin
from .record import Format, Found, KernelRecord, ReadProblem, Shape

MAX_METADATA_BYTES = MIB
"""Metadata comes to a few KB."""

IMAGE_SUFFIX = ".cubin"


def parse_metadata(text: str) -> dict[str, Any] | None:
    """The metadata of a compiled kernel; None where the text is something else."""
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(metadata, dict) and {"num_warps", "shared"} <= metadata.keys():
        return metadata
    return None


def read_triton(metadata: dict[str, Any], source: str, image: Path | None) -> Iterator[Found]:
    """The kernel of a metadata file.

    Args:
        metadata: What `parse_metadata` gave.
        source: What the record names as its source.
        image: The cubin beside the file; None where there is nothing beside it, as in a stream.
    """
    try:
        described = describe(metadata, source)
    except Malformed as error:
        yield ReadProblem(source, None, error.what)
        return
    if described is None:  # for another maker's GPUs
        return
    if image is None:
        what = "there is no cubin beside a stream; give the folder that holds both"
    else:
        try:
            yield described.with_compiled(_only_kernel(image, described.name))
            return
        except Malformed as error:
            what = f"{image.name}: {error.what}"
    yield described
    yield ReadProblem(source, None, f"the registers of {described.name} are not known: {what}")


def describe(metadata: dict[str, Any], source: str, format: Format = "triton") -> KernelRecord | None:
    """What the metadata alone say; None for a kernel that is not for CUDA.

    Raises:
        Malformed: A value is not of its type.
    """
    target = metadata.get("target")
    target = target if isinstance(target, dict) else {}
    if target.get("backend", "cuda") != "cuda":
        return None
    arch = _whole(target, "arch")
    warps = _whole(metadata, "num_warps")
    threads = (warps or 1) * (_whole(target, "warp_size") or 32)
    tensor_memory = _whole(metadata, "tmem_size") or None
    return KernelRecord(
        source=source,
        format=format,
        name=str(metadata.get("name", "")),
        arch=f"sm_{arch}" if arch else None,
        static_smem=0,
        dynamic_smem=_whole(metadata, "shared"),
        register_cap=_whole(metadata, "maxnreg"),
        cluster_dim=_cluster(metadata),
        num_warps=warps,
        num_stages=_whole(metadata, "num_stages"),
        threads=threads,
        threads_from="metadata",
        block_dim=(threads, 1, 1),
        tensor_memory=tensor_memory,
        virtual_resources=VIRTUAL_RESOURCES_OF_TENSOR_MEMORY if tensor_memory else None,
    )


def _only_kernel(image: Path, name: str) -> KernelRecord:
    if image.exists() and not image.is_file():  # a pipe would be waited for
        raise Malformed("it is no file")
    with open_content(image) as content:
        kernels = read_cubin(content.part(), str(image), "cubin", content.budget)
        first = next(kernels, None)
        if first is None:
            raise Malformed("it holds no kernel")
        return next((kernel for kernel in chain([first], kernels) if kernel.name == name), first)


def _cluster(metadata: dict[str, Any]) -> Shape | None:
    dimensions = metadata.get("cluster_dims")  # up to Triton 3.5
    if isinstance(dimensions, (list, tuple)) and len(dimensions) == 3:
        x, y, z = (_checked(each, "cluster_dims") or 1 for each in dimensions)
    else:
        x, y, z = _whole(metadata, "num_ctas") or 1, 1, 1
    shape = (x, y, z)
    return None if shape == (1, 1, 1) else shape


def _whole(values: dict[str, Any], key: str) -> int | None:
    return _checked(values.get(key), key)


def _checked(value: Any, key: str) -> int | None:
    if value is None or (type(value) is int and abs(value) <= MAX_NUMBER):
        return value
    raise Malformed(f"{key} of the metadata is {str(value)[:40]!r}, not a whole number")
