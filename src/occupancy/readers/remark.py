"""What a file says of kernels that other files hold."""

from __future__ import annotations

from typing import NamedTuple


def file_name(path: str) -> str:
    """The last part of a path of whatever system."""
    return path.replace("\\", "/").rpartition("/")[2]


class Fusion(NamedTuple):
    """Which operations the kernel of a generated file fuses."""

    source: str
    file: str
    """The last part of the generated file's path: a cache may have been moved."""
    operations: tuple[str, ...]


class Choice(NamedTuple):
    """Which of a kernel's candidates an autotuner chose."""

    source: str
    folder: str
    """The name of the folder that holds the chosen one."""


Remark = Fusion | Choice
