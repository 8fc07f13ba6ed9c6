"""Triton's cache and TorchInductor's.

Triton's has JSON metadata beside the cubin of each kernel. Together they are complete: the cubin has the
registers, and the metadata the block size and the shared memory, all of which is requested at launch.

Inductor's has modules that call the kernels: before each call the path of the kernel's own file, which the
line tables of the kernel name, and the operations that it was made of. The choice of the autotuner is JSON
beside that file, with the name of the folder of Triton's cache.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import shown
from ..values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY
from .content import Content, NumberedLines, open_content
from .fatbin import read_device_code
from .limits import MAX_NUMBER, MIB, Malformed, ReadLimits
from .record import Choice, Found, Fusion, KernelRecord, ReadProblem, Shape, SourceFormat, file_name

MAX_METADATA_BYTES = MIB  # metadata have a few KB

METADATA_SUFFIX, IMAGE_SUFFIX = ".json", ".cubin"


def parse_metadata(text: str) -> dict[str, Any] | None:
    """Parse the metadata of a kernel; None for other text."""
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(metadata, dict) and {"num_warps", "shared"} <= metadata.keys():
        return metadata
    return None


def read_triton(metadata: dict[str, Any], content: Content) -> Iterator[Found]:
    """Yield the kernel of a metadata file, and others that its cubin holds."""
    source = content.name
    try:
        described = metadata_record(metadata, source)
    except Malformed as error:
        yield ReadProblem(source, None, str(error))
        return
    if described is None:
        return
    if content.path is None:
        what = "there is no cubin beside a stream; give the folder that holds both"
    else:
        image = content.path.with_suffix(IMAGE_SUFFIX)
        try:
            yield from _with_image(described, image, content.limits)
            return
        except Malformed as error:
            what = f"{image.name}: {error}"
    yield described
    yield ReadProblem(source, None, f"the registers of {described.name} are not known: {what}")


def _with_image(described: KernelRecord, image: Path, limits: ReadLimits) -> Iterator[Found]:
    """Yield the kernel with the values of its image, and other kernels."""
    if image.exists() and not image.is_file():  # a pipe would be waited for
        raise Malformed("it is no file")
    with open_content(image, _image_limits(image, limits)) as content:
        found = list(read_device_code(content))
    kernels = [each for each in found if isinstance(each, KernelRecord)]
    damage = [each for each in found if isinstance(each, ReadProblem)]
    if not kernels:
        raise Malformed(damage[0].what if damage else "it holds no kernel")
    own = next((kernel for kernel in kernels if kernel.name == described.name), kernels[0])
    yield described.with_compiled(own)
    yield from (kernel for kernel in kernels if kernel is not own)
    yield from damage[:1]


def _image_limits(image: Path, limits: ReadLimits) -> ReadLimits:
    """Return the limits of an image: its own once, for any number of links."""
    with suppress(OSError):
        status = image.stat()
        identity = status.st_dev, status.st_ino
        if identity in limits.shared.images:
            return limits
        limits.shared.images.add(identity)
    return limits.shared


def metadata_record(
    metadata: dict[str, Any], source: str, format: SourceFormat = "triton"
) -> KernelRecord | None:
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


CHOICE_SUFFIX = ".best_config"
MAX_CHOICE_CHARACTERS = 1 << 16  # A choice has some hundred

INDUCTOR_MARK = "# kernel path: "
_OPERATIONS = "Original ATen: ["
_OPERATION = re.compile(r"[\w.:]{1,100}", re.ASCII)
MAX_OPERATIONS = 64  # operations of one kernel that are kept
MAX_LIST_CHARACTERS = 1 << 14
MAX_FILE_NAME_CHARACTERS = 255
_CHOSEN = "triton_cache_hash"
_FOLDER = re.compile(r"[\w-]{1,128}", re.ASCII)


def read_fusions(lines: NumberedLines, source: str) -> Iterator[Found]:
    """Yield the operations of the kernels that a generated module calls.

    Arguments are those of `read_ptxas`.
    """
    file = ""
    for _, line in lines:
        if line.startswith(INDUCTOR_MARK):
            file = file_name(line[len(INDUCTOR_MARK) :].strip())
        elif file and (start := line.find(_OPERATIONS)) >= 0:
            listed = line[start + len(_OPERATIONS) :][:MAX_LIST_CHARACTERS].partition("]")[0]
            operations = _OPERATION.findall(listed)[:MAX_OPERATIONS]
            if operations and len(file) <= MAX_FILE_NAME_CHARACTERS:
                yield Fusion(source, file, tuple(operations))
            file = ""


def read_choice(content: Content) -> Iterator[Found]:
    """Yield the choice of an autotuner, or a problem; nothing for older files."""
    with content.text() as text:
        written = text.read(MAX_CHOICE_CHARACTERS + 1)
    choice = None
    with suppress(ValueError, RecursionError):
        choice = json.loads(written)
    folder = choice.get(_CHOSEN) if isinstance(choice, dict) else None
    if isinstance(folder, str) and _FOLDER.fullmatch(folder):
        yield Choice(content.name, folder)
        return
    if len(written) > MAX_CHOICE_CHARACTERS:
        problem = f"it is longer than {MAX_CHOICE_CHARACTERS >> 10} KiB"
    elif not isinstance(choice, dict):
        problem = "it is no JSON object"
    elif folder is not None:
        problem = f"{_CHOSEN} is {shown(folder)}, not the name of a folder"
    else:
        return
    yield ReadProblem(content.name, None, f"the autotuner's choice cannot be read: {problem}")
