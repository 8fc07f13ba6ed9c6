"""PTX: the launch bounds of each kernel. Its registers are virtual."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from .content import NumberedLines
from .record import Found, KernelRecord, Shape

PTX_MARK = ".target"
TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)")  # errors of the compiler name targets, too
_ENTRY = re.compile(r"\.entry\s+([\w$%]+)")
_DIRECTIVE = re.compile(r"\.(\w+)\s+(\d{1,12})(?:\s*,\s*(\d{1,12}))?(?:\s*,\s*(\d{1,12}))?")
_COMMENT = re.compile(r"//.*")

MAX_DIRECTIVE_LINES = 1000  # lines between the name of a kernel and its body; parameters have a line each

NOTE = "PTX has no register count; compile it for an architecture (ptxas -arch=sm_90 -v) to have one"


def read_ptx(lines: NumberedLines, source: str) -> Iterator[Found]:
    """Yield the kernels of the module. Arguments are those of `read_ptxas`."""
    arch: str | None = None
    name = ""
    directives: dict[str, Shape] = {}
    left = 0
    for _, line in lines:
        code = _COMMENT.sub("", line)
        if not name:
            if found := TARGET.match(code):
                arch = found[1]
            if found := _ENTRY.search(code):
                name, directives, left = found[1], {}, MAX_DIRECTIVE_LINES
                code = code[found.end() :]
        if name:
            header, body, _ = code.partition("{")
            for found in _DIRECTIVE.finditer(header):
                x, y, z = (int(number or 1) for number in found.groups()[1:])
                directives[found[1]] = (x, y, z)
            left -= 1
            if body or not left:
                yield _record(source, name, arch, directives)
                name = ""


def _record(source: str, name: str, arch: str | None, directives: dict[str, Shape]) -> KernelRecord:
    bound, required = directives.get("maxntid"), directives.get("reqntid")
    threads = prod(required) if required else None
    unknown = (None, None, None)
    return KernelRecord(
        source=source, format="ptx", name=name, arch=arch, max_threads=prod(bound) if bound else None,
        required_threads=threads, min_blocks=directives.get("minnctapersm", unknown)[0],
        register_cap=directives.get("maxnreg", unknown)[0], cluster_dim=directives.get("reqnctapercluster"),
        max_cluster_rank=directives.get("maxclusterrank", unknown)[0], threads=threads,
        threads_from="required" if required else None, block_dim=required, notes=(NOTE,),
    )  # fmt: skip
