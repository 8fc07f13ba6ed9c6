"""Small files: untrusted bytes, YAML and TOML, and atomic writing.

Files that would take too much time or memory are rejected before parsing.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from ..errors import OccupancyError, TableError, shown, unreadable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = "pyproject.toml"
MAX_TOML_BYTES = 256 << 10
MAX_DOTS = 200
"""Maximum dots in a line of TOML: the parser's memory is quadratic in the parts of a key."""
MAX_YAML_BYTES = 256 << 10
"""Four times the shipped table with its sources, which takes a second and 80 MB to parse."""
MAX_DEPTH = 16
LFS_START = b"version https://git-lfs"
LFS_POINTER = "is a Git LFS pointer. Run git lfs pull"
_NOT_TEXT = "it is a binary file, or not in UTF-8"

_TABLE_HEAD = re.compile(r"\s*\[{1,2}([\w\s.-]+)\]")
_KEY = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*=")
# YAML 1.1, 10.3: 010 is 8, and 1:30 is 90.
_SURPRISING = re.compile(r"[-+]?(?:0[0-7_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)")


def read_bytes(file: str, kind: str, most: int, error_class: type[OccupancyError]) -> bytes:
    try:
        with open(file, "rb", opener=_open_without_waiting) as stream:
            content = stream.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise error_class(unreadable(error), where=file or "''") from error
    check_size(content, file, kind, most, error_class)
    if content.startswith(LFS_START):
        raise error_class(LFS_POINTER, where=file)
    return content


def check_size(content: bytes, name: str, kind: str, most: int, error_class: type[OccupancyError]) -> None:
    if len(content) > most:
        allowed = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
        raise error_class(f"is too large for {kind}", where=name, allowed=f"up to {allowed}")


def _open_without_waiting(path: str, flags: int) -> int:
    # Opening a named pipe without a writer would block forever.
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor


@contextmanager
def written_atomically(path: str) -> Iterator[TextIO]:
    """Open a temporary file in UTF-8 that replaces the target at the end.

    A link stays a link, and an existing file keeps its permissions. A device or a pipe is written directly.
    After an error the target is as it was.
    """
    from secrets import token_hex

    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".occupancy-{token_hex(8)}")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                yield file
            return
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename in (path, temporary):
            error.filename = path  # the name that the user gave
            has_folder = os.path.isdir(os.path.dirname(target))
            reason = error.strerror if has_folder else f"the folder {os.path.dirname(path)} does not exist"
            error.strerror = f"cannot be written: {reason}"
        with suppress(OSError):
            os.unlink(temporary)
        raise


def read_toml(
    file: str, error_class: type[OccupancyError]
) -> tuple[dict[str, Any], dict[str, list[dict[str, int]]]]:
    """Return the values of a TOML file, and the line numbers of the keys of each table by its name.

    The name before the first table, and the key of a header line, are ``""``. Lines of a multi-line string that
    look like a header count too, so callers must compare the number of tables.
    """
    content = read_bytes(file, "a file of settings", MAX_TOML_BYTES, error_class)
    keys: dict[str, int] = {}
    lines = {"": [keys]}
    try:
        text = content.decode("utf-8-sig")
        for number, line in enumerate(text.split("\n"), 1):
            if line.count(".") > MAX_DOTS:
                raise error_class(f"line {number} has more than {MAX_DOTS} dots", where=file)
            if head := _TABLE_HEAD.match(line):
                keys = {"": number}
                lines.setdefault("".join(head[1].split()), []).append(keys)
            elif key := _KEY.match(line):
                keys.setdefault(key[1], number)
        return tomllib.loads(text), lines
    except error_class:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: not UTF-8, or a number of 5000 digits
        is_text = b"\0" not in content and not isinstance(error, UnicodeDecodeError)
        hint = "Put text in quotes, and write true and false in lower case." if is_text else ""
        raise error_class(f"is not TOML: {error if is_text else _NOT_TEXT}", where=file, hint=hint) from error


def settings_in(pyproject: dict[str, Any]) -> dict[str, Any]:
    """Return the table ``[tool.occupancy]`` of a ``pyproject.toml``; empty without one."""
    tools = pyproject.get("tool")
    settings = tools.get("occupancy") if isinstance(tools, dict) else None
    return settings if isinstance(settings, dict) else {}


def _strict_loader() -> Any:
    import yaml

    # libyaml is ten times as fast, if PyYAML was built with it.
    class StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    problem = f"the key {key.value!r} occurs twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(str(key.value))
            return super().construct_mapping(node, deep)

    return StrictLoader


def read_yaml(file: str) -> list[Any]:
    """Return the documents of a YAML file, without anchors, aliases and tags, which can grow to gigabytes."""
    import yaml

    text = read_bytes(file, "a table of limits", MAX_YAML_BYTES, TableError)
    try:
        _check_events(text, file)
        return list(yaml.load_all(text, _strict_loader()))
    except yaml.YAMLError as error:
        problem = _NOT_TEXT
        if mark := getattr(error, "problem_mark", None):
            own = yaml.constructor.ConstructorError
            cause = error.problem if isinstance(error, own) else "invalid syntax"
            problem = f"{cause} (line {mark.line + 1}, column {mark.column + 1})"
        hint = "Pass a table of limits in YAML or TOML."
        raise TableError(f"is not YAML: {problem}", where=file, hint=hint) from error
    except TableError:
        raise
    except (ValueError, OverflowError) as error:  # such as the date 2026-13-45, or 1:1:...:1.5
        raise TableError(f"contains a value that cannot be read: {error}", where=file) from error


def _check_events(text: bytes, name: str) -> None:
    # Parsing to events is not recursive. Loading is, and deep nesting would crash the process.
    import yaml

    depth = 0
    for event in yaml.parse(text, _strict_loader()):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 1 if event.start_mark else 1
        if depth > MAX_DEPTH:
            problem = f"is nested too deeply at line {line}"
            raise TableError(problem, where=name, allowed=f"{MAX_DEPTH} levels")
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and _SURPRISING.fullmatch(event.value):
            problem = f"has {shown(event.value)} at line {line}, which is not a decimal number in YAML 1.1"
            hint = "Write it without the leading zero, or the colon, or in quotes."
            raise TableError(problem, where=name, hint=hint)
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            problem = f"has an anchor, alias or tag at line {line}"
            raise TableError(problem, where=name, hint="Write the value out.")
