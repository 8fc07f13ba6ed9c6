"""Which format a file has, by its content; its name plays no part.

But for what Inductor's autotuner chose, which is JSON as any other: what is wrong with it can be said so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from . import inductor, ncu_rep, nsight_csv, ptx, ptxas, pytorch_trace, res_usage, triton
from .checked import within
from .content import Content
from .fatbin import read_device_code
from .record import Found
from .text import NumberedLines

LineReader = Callable[[NumberedLines, str], Iterator[Found]]

LINE_READERS: tuple[tuple[Callable[[str], bool], LineReader], ...] = (
    (ptxas.marks, ptxas.read_ptxas),
    (res_usage.marks, res_usage.read_res_usage),
    (nsight_csv.marks, nsight_csv.read_nsight_csv),
    (ptx.marks, ptx.read_ptx),
    (inductor.marks, inductor.read_fusions),
)
"""Each takes the lines from the first of its own to the first of another's; those before are no format's."""

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_JSON_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\"|\[\s*\{)")
_ARCHIVE_STARTS = (b"PK\x03\x04", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")


def read_content(content: Content) -> Iterator[Found]:
    """What the content holds, whatever its format; nothing if it is of none.

    Raises:
        Malformed: It is damaged as a whole.
    """
    if content.size == 0:
        return
    if content.path is not None and content.path.suffix == inductor.CHOICE_SUFFIX:
        yield from within(content.budget, inductor.read_choice(content), content.name)
        return
    head = content.head()
    if content.is_compressed and (head.startswith(ncu_rep.MAGIC) or _is_binary(head)):
        with content.unpacked() as plain:
            if not plain.is_compressed:  # packed once; what is packed more often is none of ours
                yield from read_content(plain)
    elif head.startswith(ncu_rep.MAGIC):
        yield from within(content.budget, ncu_rep.read_ncu_rep(content), content.name)
    elif _is_binary(head):
        yield from read_device_code(content)
    elif _JSON_START.match(head):
        yield from within(content.budget, _read_json(content, head), content.name)
    else:
        yield from within(content.budget, _read_lines(content), content.name)


def why_nothing(content: Content) -> str:
    """Why `read_content` found nothing."""
    if content.size == 0 and content.path is None:
        return "it is empty; a compiler prints registers to standard error (2>&1), and only with -Xptxas -v"
    if content.size == 0:
        return "the file is empty"
    if content.path is not None and content.path.suffix == inductor.CHOICE_SUFFIX:
        return "an autotuner's choice; the kernels are in Triton's cache: give the folder that holds both"
    if content.has_device_code:
        return "holds device code, but no kernels"
    head = content.head()
    if head.startswith(_ARCHIVE_STARTS) or (content.is_compressed and _is_binary(head)):
        return "an archive; unpack it, and give the folder"
    if _is_binary(head):
        return "a binary file without device code for NVIDIA GPUs"
    if _JSON_START.match(head):
        return "JSON, but neither a trace of PyTorch's profiler with kernels nor Triton's metadata"
    return (
        "a text without kernels; output of ptxas -v, cuobjdump -res-usage, ncu --csv or PTX would have some"
    )


def _is_binary(head: bytes) -> bool:
    return b"\0" in head and not head.startswith(_UTF16_MARKS)


def triton_metadata(content: Content) -> dict[str, Any] | None:
    """The metadata that Triton wrote of a kernel; None where the content is anything else.

    Raises:
        Malformed: It is damaged as a whole.
    """
    if content.size > triton.MAX_METADATA_BYTES or not _JSON_START.match(content.head()):
        return None
    with content.text() as text:
        return triton.parse_metadata(text.read(triton.MAX_METADATA_BYTES))


def _read_json(content: Content, head: bytes) -> Iterator[Found]:
    metadata = triton_metadata(content)
    if metadata is not None:
        image = content.path.with_suffix(triton.IMAGE_SUFFIX) if content.path else None
        yield from triton.read_triton(metadata, content.name, image)
        return
    if any(marker in head for marker in pytorch_trace.MARKERS):
        with content.text() as text:
            yield from pytorch_trace.read_pytorch_trace(text, content.name)


def _read_lines(content: Content) -> Iterator[Found]:
    with content.text() as text:
        lines = _Lines(text.lines(content.errors.look_through))
        for number, line in lines:
            for marks, reader in LINE_READERS:
                if marks(line):
                    lines.back = (number, line)
                    yield from reader(lines.of(reader), content.name)
                    break


class _Lines(Iterator[tuple[int, str]]):
    """The lines of a log, of which each reader takes those up to the first of another format."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self.back: tuple[int, str] | None = None
        """A line that is to be read again."""

    def __next__(self) -> tuple[int, str]:
        if self.back is not None:
            line, self.back = self.back, None
            return line
        return next(self._lines)

    def of(self, reader: LineReader) -> Iterator[tuple[int, str]]:
        """What is up to a reader."""
        others = [marks for marks, other in LINE_READERS if other is not reader]
        for number, line in self:
            if any(marks(line) for marks in others):
                self.back = (number, line)
                return
            yield number, line
