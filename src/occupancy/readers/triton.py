"""Caches of Triton and TorchInductor.

Triton's cache has JSON metadata beside the cubin of each kernel. The cubin has the registers, and the metadata
have the block size and the shared memory, all of it dynamic.

Inductor's cache has Python modules that call the kernels. A comment before each call contains the path of the
kernel's file and its operations. The autotuner's choice is JSON beside that file, with the name of a folder of
Triton's cache.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import shown
from ..values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY
from .content import Content, NumberedLines
from .limits import MAX_NUMBER, MIB, Malformed, ReadLimits, Unreadable
from .record import Choice, Fusion, Item, KernelRecord, ReadProblem, Shape, SourceFormat, file_name

MAX_METADATA_BYTES = MIB  # a few KB are usual

METADATA_SUFFIX, IMAGE_SUFFIX, GZIP_SUFFIX = ".json", ".cubin", ".gz"


def parse_metadata(content: Content) -> dict[str, Any] | None:
    """Parse the metadata of a kernel; None for other content."""
    if content.size > MAX_METADATA_BYTES:
        return None
    try:
        metadata = json.loads(content.text().read(MAX_METADATA_BYTES))
    except (ValueError, RecursionError) as error:
        if content.path is None or not content.path.with_suffix(IMAGE_SUFFIX).is_file():
            return None
        raise Malformed("its JSON is invalid, so block size and shared memory are unknown") from error
    return metadata if isinstance(metadata, dict) and {"num_warps", "shared"} <= metadata.keys() else None


def read_triton(
    metadata: dict[str, Any], content: Content, read_file: Callable[[Path, ReadLimits], Iterator[Item]]
) -> Iterator[Item]:
    """Yield the kernel of a metadata file, and any others in the cubin beside it, which has the registers."""
    described = metadata_record(metadata, content.name, "triton")
    if described is None:
        return
    if content.path is None:
        yield described
        raise Unreadable("is a stream without its cubin. Pass the folder that contains both files")
    image, limits = _image_beside(content.path, content.limits)
    is_file = image.is_file() or not image.exists()  # opening a pipe would block
    items = [*read_file(image, limits)] if is_file else [ReadProblem(str(image), "is not a file")]
    kernels = [item for item in items if isinstance(item, KernelRecord)]
    own = next((kernel for kernel in kernels if kernel.name == described.name), (*kernels, None)[0])
    yield described if own is None else described.with_compiled(own)
    yield from (item for item in items if item is not own)


def _image_beside(metadata: Path, limits: ReadLimits) -> tuple[Path, ReadLimits]:
    image = metadata.with_suffix(IMAGE_SUFFIX)
    packed = image.with_suffix(f"{IMAGE_SUFFIX}{GZIP_SUFFIX}")
    image = packed if packed.exists() and not image.exists() else image
    with suppress(OSError):  # an image adds its own limits once, whatever its number of links
        status = os.stat(image)
        identity = status.st_dev, status.st_ino
        if identity not in limits.shared.images:
            limits.shared.images.add(identity)
            return image, limits.shared
    return image, limits


def metadata_record(metadata: dict[str, Any], source: str, format: SourceFormat) -> KernelRecord | None:
    """Return the record of metadata; None if it is not for CUDA."""
    target = metadata.get("target")
    target = target if isinstance(target, dict) else {}
    if target.get("backend", "cuda") != "cuda":
        return None
    arch = _whole(target, "arch")
    warps = _whole(metadata, "num_warps")
    threads = (warps or 1) * (_whole(target, "warp_size") or 32)
    tensor_memory = _whole(metadata, "tmem_size") or None
    return KernelRecord(
        source=source, format=format, name=str(metadata.get("name", "")),
        arch=f"sm_{arch}" if arch else None, static_smem=0, dynamic_smem=_whole(metadata, "shared"),
        register_cap=_whole(metadata, "maxnreg"), cluster_dim=_cluster(metadata), num_warps=warps,
        num_stages=_whole(metadata, "num_stages"), threads=threads, threads_from="metadata",
        block_dim=(threads, 1, 1), tensor_memory=tensor_memory,
        virtual_resources=VIRTUAL_RESOURCES_OF_TENSOR_MEMORY if tensor_memory else None,
    )  # fmt: skip


def _cluster(metadata: dict[str, Any]) -> Shape | None:
    dimensions = metadata.get("cluster_dims")  # up to Triton 3.5
    if not isinstance(dimensions, (list, tuple)) or len(dimensions) != 3:
        dimensions = metadata.get("num_ctas"), 1, 1
    x, y, z = (whole_number(each, "the cluster of the metadata") or 1 for each in dimensions)
    return None if x == y == z == 1 else (x, y, z)


def _whole(values: dict[str, Any], key: str) -> int | None:
    return whole_number(values.get(key), f"{key} of the metadata")


def whole_number(value: Any, name: str) -> int | None:
    if value is None or (type(value) is int and abs(value) <= MAX_NUMBER):
        return value
    raise Malformed(f"{name} is {shown(value)}, not an integer")


CHOICE_SUFFIX = ".best_config"
MAX_CHOICE_CHARACTERS = 1 << 16  # some hundred are usual

INDUCTOR_MARK = "# kernel path: "
_OPERATIONS = "Original ATen: ["
_OPERATION = re.compile(r"[\w.:]{1,100}", re.ASCII)
MAX_OPERATIONS = 64  # per kernel
_FOLDER = re.compile(r"[\w-]{1,128}", re.ASCII)


def read_fusions(lines: NumberedLines, source: str) -> Iterator[Item]:
    """Yield the fused operations of kernels in a generated module. Arguments are those of `read_ptxas`."""
    file = ""
    for _, line in lines:
        if line.startswith(INDUCTOR_MARK):
            file = file_name(line[len(INDUCTOR_MARK) :].strip())
        elif file and (start := line.find(_OPERATIONS)) >= 0:
            operations = _OPERATION.findall(line[start + len(_OPERATIONS) :].partition("]")[0])
            if operations:
                yield Fusion(file, tuple(operations[:MAX_OPERATIONS]))
            file = ""


def read_choice(content: Content) -> Iterator[Item]:
    """Yield the choice of an autotuner, or a problem; nothing for files of old versions."""
    folder: Any = content.text().read(MAX_CHOICE_CHARACTERS)
    with suppress(ValueError, RecursionError, AttributeError):
        folder = json.loads(folder).get("triton_cache_hash")
    if isinstance(folder, str) and _FOLDER.fullmatch(folder):
        yield Choice(folder)
    elif folder is not None:
        raise Malformed(f"{shown(folder)} is not the name of a folder")
