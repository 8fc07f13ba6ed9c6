"""Files, folders and streams: reading order, and detection of formats.

Files are recognized by content, not by name. The exception is the choice of Inductor's autotuner, which looks
like any other JSON.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import IO, NamedTuple, TypeGuard

from ..errors import InputError, ReadError, shown, unreadable
from ..tables.files import LFS_POINTER, LFS_START
from ..values.spellings import nearest_names
from . import ncu_rep, nsight, ptxas, pytorch_trace, triton
from .content import BYTE_ORDER_MARKS, CHANGED, Content, KernelSource, NumberedLines, open_content
from .fatbin import read_device_code
from .limits import Malformed, ReadLimits, Unreadable, checked
from .record import Item, KernelRecord, ReadProblem, Remark
from .triton import GZIP_SUFFIX, IMAGE_SUFFIX, METADATA_SUFFIX

STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"

_PROBES = re.compile(r"\d+\.\d+.*|CMakeScratch|CMakeTmp|ShowIncludes")  # folders of CMake's compiler tests

# The logs of configure and Meson contain failed tests of compilers.
_BUILD_LOG = re.compile(r"(?!config\.log|meson-log\.txt)(?:[^.]*|.*\.(?:err|log|out|txt))")

_NO_KERNELS = (
    "contains no kernels. Pass cubins, libraries, PTX, or output of ptxas -v, cuobjdump -res-usage, ncu --csv"
)

LineReader = Callable[[NumberedLines, str], Iterator[Item]]

LINE_READERS: tuple[tuple[str, LineReader], ...] = (
    *((mark, ptxas.read_ptxas) for mark in ptxas.PTXAS_MARKS),
    *((mark, ptxas.read_res_usage) for mark in ptxas.RES_USAGE_MARKS),
    *((mark, nsight.read_nsight_csv) for mark in nsight.NSIGHT_MARKS),
    (ptxas.PTX_MARK, ptxas.read_ptx),
    (triton.INDUCTOR_MARK, triton.read_fusions),
)
"""Readers of text by mark. A reader gets the lines from its mark up to the mark of another reader."""

_JSON_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\"|\[\s*\{)")
_ZIP_START = b"PK\x03\x04"
_BINARY = re.compile(r"\.(?:cubin|fatbin|o|obj|so(?:\.\d+)*|a|lib|dll|exe|ncu-rep|whl|zip)(?:\.gz)?\Z")
_ARCHIVE_STARTS = (b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
MAX_ARCHIVE_RATIO = 100  # expansion of a whole archive; libraries of kernels reach 30
MAX_COMPARED = 1000  # names of an archive for the hint after a wrong one
_ARCHIVE_SLACK_BYTES = 64 << 20


def read(source: KernelSource, limits: ReadLimits | None = None, name: str | None = None) -> Iterator[Item]:
    """Yield the records, remarks and problems of a source in order.

    Invalid content never raises an error. A source without kernels yields one problem with the reason.
    ``limits`` are shared by all sources of the command, and ``name`` is the name of a stream in messages.
    """
    limits = limits or ReadLimits()
    limits.images.clear()
    if source == STANDARD_INPUT and sys.stdin is None:
        yield ReadProblem(STANDARD_INPUT_NAME, "is closed")
    elif source == STANDARD_INPUT:
        yield from _read_file(sys.stdin.buffer, limits, name=STANDARD_INPUT_NAME)
    elif not _is_path(source):
        yield from _read_file(source, limits, name=name)
    elif os.path.isdir(source):
        is_empty = True
        for item in _read_folder(Path(source), limits):
            is_empty = is_empty and isinstance(item, Remark)
            yield item
        if is_empty:
            yield ReadProblem(str(Path(source)), _NO_KERNELS)
    elif metadata := _metadata_beside(Path(source)):
        yield from _read_paths([(metadata, None), (Path(source), None)], limits)
    elif (outer := next(filter(os.path.isfile, Path(source).parents), None)) and zipfile.is_zipfile(outer):
        yield from _read_file(outer, limits, member=Path(source).relative_to(outer).as_posix())
    else:
        yield from _read_file(source, limits)


def check_output(path: str, inputs: Iterable[str]) -> None:
    """Refuse to replace an input, or another file with kernels, such as one in a folder that is an input."""
    if os.path.isfile(path) and (
        any(os.path.exists(each) and os.path.samefile(each, path) for each in inputs)
        or any(not isinstance(item, ReadProblem) for item in read(path))
    ):
        raise InputError("is an input, or contains kernels", where=path, hint="Choose another file.")


def read_each(sources: Iterable[KernelSource], limits: ReadLimits | None = None) -> Iterator[Item]:
    limits = limits or ReadLimits()
    streams: dict[str, int] = {}  # those of one name, or without a name, get a number from the second on
    for source in sources:
        name = _name(source)
        if not _is_path(source):
            number = streams[name] = streams.get(name, 0) + 1
            name = name if number == 1 else f"{name} ({number})"
        yield from read(source, limits, name)


def _is_path(source: KernelSource) -> TypeGuard[str | os.PathLike[str]]:
    return source != STANDARD_INPUT and isinstance(source, (str, os.PathLike))


def stream_kernels(source: KernelSource) -> KernelStream:
    """Read kernels one by one, from sources of any size.

    `scan` keeps all kernels in memory, merges identical copies, and computes the occupancy.

        >>> for kernel in occupancy.stream_kernels("trace.json"):    # doctest: +SKIP
        ...     print(kernel.demangled, kernel.arch, kernel.regs)

    Args:
        source: Path of a file or folder, ``"-"`` for standard input, or an object whose ``read`` returns
            bytes or text.

    Returns:
        An iterable that reads the source at each iteration. ``problems`` lists the damaged parts.
    """
    if not _is_path(source) and source != STANDARD_INPUT and not hasattr(source, "read"):
        raise InputError(f"{shown(source)} is not a path or an open file", where="source")
    return KernelStream(source)


class KernelStream(Iterable[KernelRecord]):
    """Kernels of a source, which is read at each iteration."""

    def __init__(self, source: KernelSource) -> None:
        self.problems: list[ReadProblem] = []  # unreadable pieces so far
        self._source = source
        self._was_read = False

    def __iter__(self) -> Iterator[KernelRecord]:
        """Iterate over the kernels; raise `ReadError` if there are none, or a stream was already read."""
        if self._was_read and not _is_path(self._source):
            hint = "Use occupancy.scan() to keep its kernels."
            raise ReadError("was already read", where=_name(self._source), hint=hint)
        self._was_read = True
        self.problems = []
        is_empty = True
        for item in read(self._source):
            if isinstance(item, KernelRecord):
                is_empty = False
                yield item
            elif isinstance(item, ReadProblem):
                self.problems.append(item)
        if is_empty and self.problems:
            raise self.problems[0].error()


def _name(source: KernelSource) -> str:
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _read_file(
    source: KernelSource, limits: ReadLimits, listed: int | None = None, name: str | None = None, member: str = ""
) -> Iterator[Item]:  # fmt: skip
    """Yield the contents of a file, then its first problem.

    Arguments are those of `read`. ``listed`` is the size in the listing of its folder, whose files may have no
    kernels; None for other files. ``member`` is a file or folder of an archive, whose other members are skipped.
    """
    name = _name(source) if name is None else name
    is_empty, is_build_log = True, _BUILD_LOG.fullmatch(os.path.basename(name))
    problem: ReadProblem | None = None  # the first: one damaged place makes others seem damaged
    try:
        with open_content(source, limits, name) as content:
            is_known = listed is None or content.suffix in (".whl", ".zip")
            is_zip = is_known and content.head().startswith(_ZIP_START)
            for item in _read_archive(content, member) if is_zip else read_content(content):
                is_empty = is_empty and isinstance(item, Remark)
                if isinstance(item, ReadProblem) and item.source == name:
                    problem = problem or item
                else:
                    yield item
            if content.state() != content.state_at_first or listed not in (None, content.size):
                problem = ReadProblem(name, CHANGED)
            elif content.errors.count and (listed is None or not is_empty or is_build_log):
                yield ReadProblem(name, str(content.errors), content.errors.line)
            elif is_empty and (listed is None or _is_blank(content)):
                reason = reason_without_kernels(content)
                problem = ReadProblem(name, reason, is_harmless=content.has_device_code)
    except Malformed as error:
        problem = problem or ReadProblem(name, error.problem)
    except OSError as error:
        problem = ReadProblem(name, unreadable(error))
    except MemoryError:
        problem = ReadProblem(name, "not enough memory to read it")
    if problem is not None:
        yield problem


def _metadata_beside(image: Path) -> Path | None:
    """Return the path of Triton's metadata beside a cubin, which contains the block size."""
    plain = Path(str(image).removesuffix(GZIP_SUFFIX))
    beside = plain.with_suffix(METADATA_SUFFIX)
    if plain.suffix != IMAGE_SUFFIX or not (os.path.isfile(image) and os.path.isfile(beside)):
        return None
    try:
        with open_content(beside, ReadLimits()) as content:
            return beside if triton.parse_metadata(content) else None
    except Malformed:  # reported later
        return beside


def _read_archive(content: Content, wanted: str) -> Iterator[Item]:
    try:
        archive = zipfile.ZipFile(content.file)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise Malformed("it ends early, or its list of files is invalid") from error
    with archive:
        members = sorted(archive.infolist(), key=attrgetter("filename"))
        if sum(each.file_size for each in members) > MAX_ARCHIVE_RATIO * content.size + _ARCHIVE_SLACK_BYTES:
            raise Unreadable("the archive expands beyond the limit. Unpack it, and pass the folder")
        if wanted:
            names = [each.filename for each in members if each.filename.endswith(Path(wanted).suffix)]
            members = [each for each in members if f"{each.filename}/".startswith(f"{wanted}/")]
            if not members:
                near = nearest_names(wanted, names[:MAX_COMPARED])[:1]
                raise Unreadable(f"contains no {wanted}{f'. Did you mean {near[0]}?' if near else ''}")
        for member in members:
            name = f"{content.name}/{member.filename}"
            try:
                stream = archive.open(member)
            except Exception as error:  # damaged, encrypted, or an unknown compression method
                yield ReadProblem(name, f"cannot be read: {error}")
                continue
            with stream:
                yield from _read_file(_Member(stream), content.limits.shared, member.file_size, name)


class _Member(NamedTuple):
    stream: IO[bytes]

    def read(self, size: int, /) -> bytes:
        try:
            return self.stream.read(size)
        except Exception as error:  # each compression method has its own errors
            raise Malformed("its compressed data is invalid") from error


def _read_paths(paths: Iterable[tuple[Path, int | None]], limits: ReadLimits) -> Iterator[Item]:
    """Yield the contents of files; images that Triton's metadata describe are not read a second time."""
    described: set[Path] = set()
    for path, size in paths:
        plain = Path(str(path).removesuffix(GZIP_SUFFIX))
        if plain.suffix not in (IMAGE_SUFFIX, ".ptx") or plain.with_suffix("") not in described:
            for item in _read_file(path, limits, size):
                if isinstance(item, KernelRecord) and item.format == "triton":
                    described.add(plain.with_suffix(""))
                yield item


def _read_folder(folder: Path, limits: ReadLimits) -> Iterator[Item]:
    # The search is a loop, because folders can be nested thousands deep. A file with several names is read once.
    # A folder is listed before its files are read, to detect files that change.
    seen: set[tuple[int, int]] = set()
    waiting = [str(folder)]
    while waiting:
        parent = waiting.pop()
        try:
            with os.scandir(parent) as listed:
                # Triton's metadata first, then the images that they describe.
                entries = sorted(listed, key=lambda each: (METADATA_SUFFIX not in each.name, each.name))
        except OSError as error:
            yield ReadProblem(parent, unreadable(error))
            continue
        files: list[tuple[Path, int | None]] = []
        folders = []
        is_cmakes = os.path.basename(parent) == "CMakeFiles"  # contains CMake's own logs besides the targets
        for entry in entries:
            try:
                status = os.stat(entry.path)
            except OSError as error:
                # Dangling links are ignored.
                if isinstance(error, PermissionError) or not entry.is_symlink():
                    yield ReadProblem(entry.path, unreadable(error))
                continue
            identity = status.st_dev, status.st_ino
            if stat.S_ISDIR(status.st_mode):
                if not (entry.is_symlink() or (is_cmakes and _PROBES.fullmatch(entry.name))):
                    folders.append(entry.path)
            elif stat.S_ISREG(status.st_mode) and not is_cmakes and identity not in seen:
                seen.add(identity)
                files.append((Path(entry.path), status.st_size))
        waiting += sorted(folders, reverse=True)
        yield from _read_paths(files, limits)


def read_content(content: Content) -> Iterator[Item]:
    if content.size == 0:
        return
    head = content.head()
    if head.startswith(LFS_START):
        raise Unreadable(LFS_POINTER)
    if content.suffix == triton.CHOICE_SUFFIX:
        items = triton.read_choice(content)
    elif not _is_binary(head):
        items = _read_json(content) if _JSON_START.match(head) else _read_lines(content)
    elif content.is_compressed:
        with open_content(content.plain(), content.limits, content.name) as plain:
            if not plain.is_compressed:  # nested gzip is not supported
                yield from read_content(plain)
            content.has_device_code = plain.has_device_code
        return
    elif head.startswith(ncu_rep.REPORT_MAGIC):
        items = ncu_rep.read_ncu_rep(content)
    else:
        yield from read_device_code(content)
        return
    yield from checked(content.limits, items, content.name)


def _is_blank(content: Content) -> bool:
    """Return True for an empty or zero-filled object or library, as after an interrupted write."""
    if not _BINARY.search(content.name):
        return False
    head = content.head()[:4]
    return len(head) < 4 or not any(head)


def reason_without_kernels(content: Content) -> str:
    head, binary = content.head(), _BINARY.search(content.name)
    is_trace = any(marker in head for marker in pytorch_trace.MARKERS)
    reasons = (
        (_is_blank(content), "is empty or incomplete. Copy or create it again"),
        (not head, "is empty. For a log, redirect standard error too: nvcc -Xptxas -v ... 2>&1"),
        (content.suffix == triton.CHOICE_SUFFIX,
         "is an autotuner's choice without kernels. Pass the folder that also contains Triton's cache"),
        (content.has_device_code, "contains device code, but no kernels"),
        (head.startswith(_ZIP_START), _NO_KERNELS),
        (head.startswith(ncu_rep.REPORT_MAGIC), "is a report without kernel launches"),
        (head.startswith(_ARCHIVE_STARTS) or (content.is_compressed and _is_binary(head)),
         "is an archive. Unpack it, and pass the folder"),
        (_is_binary(head),
         "is a binary file without device code. Pass a cubin, object, library or executable built with nvcc"),
        (binary, f"is text, not a {binary and binary[0]} file. Copy it again, or pass the library that it names"),
        (b"__global__" in head or content.suffix in (".cu", ".cuh"),
         "is CUDA source. Compile it with nvcc -Xptxas -v, and pass the object file or the compiler's output"),
        (is_trace, "is a PyTorch trace without kernel launches. Record it with ProfilerActivity.CUDA"),
        (b'"occupancy-baseline"' in head, "is a baseline, which only diff and check read"),
        (_JSON_START.match(head),
         "is JSON, but neither a trace, Triton metadata nor a baseline, which scan --save-baseline writes"),
        (b"\n.target" in head, "is PTX without .entry, so it contains no kernels"),
        (b"Used " in head and b" registers" in head,
         "has 'Used' lines without 'Compiling entry function'. Add them, or use occupancy calc --cc CC --regs N"),
    )  # fmt: skip
    return next((reason for applies, reason in reasons if applies), _NO_KERNELS)


def _is_binary(head: bytes) -> bool:
    return b"\0" in head and not head.startswith(tuple(BYTE_ORDER_MARKS))


def _read_json(content: Content) -> Iterator[Item]:
    if metadata := triton.parse_metadata(content):
        yield from triton.read_triton(metadata, content, _read_file)
    elif any(marker in content.head() for marker in pytorch_trace.MARKERS):
        yield from pytorch_trace.read_pytorch_trace(content.text(), content.name)


def _read_lines(content: Content) -> Iterator[Item]:
    for read_part, part in groupby(_lines_with_readers(content), itemgetter(0)):
        if read_part is not None:
            yield from read_part((numbered for _, numbered in part), content.name)


def _lines_with_readers(content: Content) -> Iterator[tuple[LineReader | None, tuple[int, str]]]:
    """Yield the numbered lines, each with the reader of the last mark; None before the first mark."""
    reader: LineReader | None = None
    for number, line in content.text().lines(content.errors):
        for mark, other in LINE_READERS:
            if mark in line and (mark != ptxas.PTX_MARK or ptxas.PTX_TARGET.match(line)):
                reader = other
                break
        yield reader, (number, line)
