"""Which module may import which, and where each third-party package lives."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import occupancy

SOURCE = Path(occupancy.__file__).parent

# Room -> the rooms that it may import, all of them above it. A room is a module or package of the top.
DOORS: dict[str, set[str]] = {
    "documented": set(),
    "errors": set(),
    "kernel": {"errors"},
    "sm_limits": {"errors", "kernel"},
    "inputs": {"errors", "kernel"},
    "ranges": {"errors"},
    "engine": {"errors", "kernel", "sm_limits"},
    "yaml_file": {"errors"},
    "limiter_bits": {"engine"},
    "arrays": {"engine", "errors", "inputs", "kernel", "limiter_bits", "sm_limits"},
    "table": {"errors", "sm_limits", "yaml_file"},
    "products": {"errors", "sm_limits", "table"},
    "sources": {"errors", "inputs", "sm_limits", "table"},
    "waves": {"documented", "engine", "errors", "kernel"},
    "advice": {"documented", "engine", "errors", "kernel", "sm_limits", "waves"},
    "device": {"errors", "sm_limits", "table"},
    "verify": {"", "advice", "device", "documented", "engine", "errors", "kernel", "sm_limits"},
    "custom_table": {"errors", "inputs", "sm_limits", "table", "yaml_file"},
    "readers": {"errors", "kernel", "sm_limits"},
    "identity": set(),
    "matching": {"identity"},
    "rules": {"identity", "kernel", "sm_limits"},
    "rules_file": {"errors", "inputs", "rules", "sm_limits"},
    "atomic_file": set(),
    "baseline": {"", "atomic_file", "errors", "identity", "kernel", "readers"},
    "builds": {"baseline", "errors", "readers"},
    "report": {
        "advice", "device", "documented", "engine", "errors", "identity", "kernel", "matching",
        "products", "readers", "rules", "sm_limits", "sources", "verify", "waves",
    },
    "schema": {"errors", "report"},
    "render": {"advice", "engine", "errors", "report", "rules", "sources", "waves"},
    "api": {
        "advice", "arrays", "engine", "errors", "inputs", "kernel", "render", "report", "sm_limits",
        "table", "waves",
    },
    "guard": {
        "api", "baseline", "builds", "errors", "inputs", "report", "rules", "rules_file",
        "sm_limits", "table",
    },
    "grid": {"api", "errors", "inputs", "ranges", "report", "sm_limits"},
    "questions": {"advice", "api", "engine", "inputs", "kernel", "sm_limits"},
    "cli": {
        "", "api", "custom_table", "device", "errors", "grid", "guard", "inputs", "kernel",
        "products", "questions", "readers", "render", "report", "schema", "sm_limits", "sources",
        "table", "verify", "waves",
    },
    "autotune": {"api", "engine", "errors", "inputs", "kernel", "readers", "sm_limits"},
    "__init__": {
        "advice", "api", "autotune", "custom_table", "device", "engine", "errors", "guard",
        "kernel", "limiter_bits", "products", "questions", "readers", "sm_limits", "verify",
        "waves",
    },
    "__main__": {"cli"},
}  # fmt: skip

# Third-party package -> its only homes.
HOMES = {
    "annotated_types": {"custom_table"},
    "backports": {"readers/compression"},
    "click": {"cli"},
    "numpy": {"arrays"},
    "compression": {"readers/compression"},  # of the standard library, from Python 3.14
    "demangle": {"readers/names"},
    "matplotlib": {"render/plot"},
    "lz4": {"readers/compression"},
    "cuda": {"device"},
    "pydantic": {"baseline", "custom_table", "schema"},
    "pynvml": {"device"},
    "rich": {"render/text"},
    "tomli": {"rules_file"},
    "tomllib": {"rules_file"},  # of the standard library, from Python 3.11
    "typing_extensions": {"autotune", "guard", "questions"},  # for type checkers only
    "yaml": {"yaml_file"},
}

MODULES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    """Absolute dotted names of all that a module imports, also inside functions."""
    package = ["occupancy", *path.relative_to(SOURCE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            # `from . import x` may import a module x or a name x of the package.
            yield from (f"{name}.{alias.name}" for alias in node.names)


def rooms_imported_by(path: Path) -> set[str]:
    names = [name.split(".") for name in imports_of(path) if name.split(".")[0] == "occupancy"]
    return {parts[1] if _is_room(parts[1]) else "" for parts in names} - {room_of(path)}


def _is_room(name: str) -> bool:
    return (SOURCE / name).is_dir() or (SOURCE / f"{name}.py").exists()


def test_there_is_something_to_walk() -> None:
    assert len(MODULES) > 20
    assert rooms_imported_by(SOURCE / "engine" / "__init__.py") == {"errors", "kernel", "sm_limits"}
    assert "click" in {name.split(".")[0] for name in imports_of(SOURCE / "cli" / "calc.py")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_doors_open_the_right_way(path: Path) -> None:
    assert rooms_imported_by(path) <= DOORS[room_of(path)]


def test_every_room_is_listed_and_every_door_is_used() -> None:
    used: dict[str, set[str]] = {room_of(path): set() for path in MODULES}
    for path in MODULES:
        used[room_of(path)] |= rooms_imported_by(path)
    assert set(used) == set(DOORS)
    assert {room: DOORS[room] - used[room] for room in DOORS if DOORS[room] - used[room]} == {}


def test_no_door_leads_to_a_room_that_comes_later() -> None:
    rooms = list(DOORS)
    later = {(room, door) for room in rooms for door in DOORS[room] if door in rooms[rooms.index(room) :]}
    assert later == set()


def test_contributing_names_every_room() -> None:
    text = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = {room for room in DOORS if not room.startswith("__")}
    assert {room for room in rooms if f"`{room}`" not in text and f"`{room}/`" not in text} == set()


def test_each_third_party_package_has_one_home() -> None:
    found: dict[str, set[str]] = {}
    for path in MODULES:
        for name in imports_of(path):
            package = name.split(".")[0]
            if package not in sys.stdlib_module_names and package not in ("occupancy", "__future__"):
                found.setdefault(package, set()).add(path.relative_to(SOURCE).as_posix())
    astray = {
        (package, path)
        for package, paths in found.items()
        for path in paths
        if not any(path.removesuffix(".py") == home or path.startswith(f"{home}/") for home in HOMES[package])
    }
    assert astray == set()
    assert set(found) >= {"click", "rich", "yaml"}


def test_no_module_has_the_name_of_a_public_function() -> None:
    # Importing occupancy.limits the module would replace occupancy.limits the function.
    assert {name for name in occupancy.__all__ if (SOURCE / f"{name}.py").exists()} == set()
    assert {name for name in occupancy.__all__ if (SOURCE / name).is_dir()} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_can_be_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 350
