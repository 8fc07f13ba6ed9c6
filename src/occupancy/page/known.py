"""What of Python has a translation, and how names and brackets are written in JavaScript."""

from __future__ import annotations

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILTINS = _names(
    "abs all any dict divmod enumerate getattr int len list max min next range reversed round sorted str sum "
    "tuple zip groupby takewhile"
)
"""What ``runtime.js`` has under the same name in ``py``."""

METHODS = _names(
    "append capitalize endswith extend format get items join keys lower pop removeprefix removesuffix "
    "replace split startswith strip update upper values"
)
"""Methods of Python's strings, lists and dictionaries that it has; no translated class may have one."""

FORMATS = re.compile(r"(,|g|\.\d[fg])?")
"""How a number may be written."""

TYPES = {"str": '"string"', "bool": '"boolean"'}
"""What ``isinstance`` can ask for."""

LIKE_A_NAME = re.compile(r"\$\w|\w\$|\bpy\.\w")
"""What in a text would be taken for a name when these get shorter ones."""


class UnknownConstructError(Exception):
    """The page's translator does not know a construct; the message says where it stands."""


def local_name(name: str) -> str:
    """How a variable is written: as nothing else is, so that it can be found again."""
    return f"${name}"


def indented(text: str) -> str:
    return "".join(f" {line}\n" for line in text.splitlines())


def without_brackets(text: str) -> str:
    """Without brackets around the whole; those of texts do not pair up, and then all stay."""
    depth = 0
    for at, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth and at + 1 < len(text):
            return text
    return text[1:-1] if not depth and text.startswith("(") and text.endswith(")") else text
