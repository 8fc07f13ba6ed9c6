"""TorchInductor's cache: fused operations, and chosen candidates.

The module that calls the kernels has, before each of them, the path of the kernel's own file and the
operations that it was made of; the line tables of the kernel name that file. The choice of the autotuner is
JSON beside that file, with the name of the folder of Triton's cache.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

from ..errors import shown
from .content import Content, NumberedLines
from .record import Choice, Found, Fusion, ReadProblem, file_name

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
