"""Which module may import which, and where each third-party package lives."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import occupancy

SOURCE = Path(occupancy.__file__).parent

# The rooms on each storey of the house; a room may import what stands on the storeys before its own.
STOREYS = (
    ("errors",),
    ("values",),
    ("tables", "readers", "engine", "render"),
    ("advice", "arrays"),
    ("builds", "device"),
    ("compare",),
    ("report",),
    ("page",),
    ("api",),
    ("cli",),
    ("__init__", "__main__"),
)
STOREY_OF = {room: number for number, rooms in enumerate(STOREYS) for room in rooms}

# Third-party package -> its only homes.
HOMES = {
    "backports": {"readers/fatbin"},
    "click": {"cli"},
    "numpy": {"arrays"},
    "compression": {"readers/fatbin"},  # of the standard library, from Python 3.14
    "demangle": {"readers/names"},
    "matplotlib": {"render/pictures"},
    "lz4": {"readers/fatbin"},
    "cuda": {"device"},
    "pydantic": {"compare/baseline", "compare/baseline_file", "report/schema"},
    "pynvml": {"device"},
    "rich": {"render/text"},
    "tomli": {"tables/files"},
    "tomllib": {"tables/files"},  # of the standard library, from Python 3.11
    "typing_extensions": {"api", "cli"},  # for type checkers only
    "yaml": {"tables/files"},
}

MODULES = sorted(SOURCE.rglob("*.py"))

TESTS = Path(__file__).parent


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Absolute dotted names of all that a module imports, also inside functions."""
    return tuple(_imports_of(path))


def _imports_of(path: Path) -> Iterator[str]:
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
    return {"".join(part for part in parts[1:2] if _is_room(part)) for parts in names} - {room_of(path)}


def _is_room(name: str) -> bool:
    return (SOURCE / name).is_dir() or (SOURCE / f"{name}.py").exists()


def test_there_is_something_to_walk() -> None:
    assert len(MODULES) > 20
    assert rooms_imported_by(SOURCE / "engine" / "models.py") == {"errors", "values"}
    assert "click" in {name.split(".")[0] for name in imports_of(SOURCE / "cli" / "calc.py")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_doors_open_downwards(path: Path) -> None:
    here = STOREY_OF[room_of(path)]
    # The name "" is the package itself: its version, and for annotations its public names.
    assert {room for room in rooms_imported_by(path) - {""} if STOREY_OF[room] >= here} == set()


def test_every_room_is_listed() -> None:
    assert {room_of(path) for path in MODULES} == set(STOREY_OF)


@pytest.mark.parametrize("room", sorted(room for room in STOREY_OF if (SOURCE / room).is_dir()))
def test_a_room_says_what_it_uses(room: str) -> None:
    said = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    used = {each for path in MODULES if room_of(path) == room for each in rooms_imported_by(path)}
    named = set(re.findall(r"`(\w+)`", said))
    assert re.search(r"(all|every) rooms? below", said) or used - {"", "errors"} <= named, used - named


def test_contributing_names_every_room() -> None:
    text = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = {room for room in STOREY_OF if not room.startswith("__")}
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


def test_no_room_has_the_name_of_a_public_function() -> None:
    # Importing occupancy.limits the module would replace occupancy.limits the function.
    assert set(occupancy.__all__) & set(STOREY_OF) == set()


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_no_test_module_is_imported(path: Path) -> None:
    """What several test modules need has a module of its own, so that each can be moved or read alone."""
    imported = {
        name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) for name in _targets(node)
    }
    assert {name for name in imported if re.search(r"(^|\.)test_", name)} == set()


def _targets(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (node.module or "", *(alias.name for alias in node.names))


def test_the_unit_tests_stand_in_the_rooms_of_the_package() -> None:
    rooms = {path.name for path in (TESTS / "unit").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms <= set(STOREY_OF)
    assert not list((TESTS / "unit").glob("test_*.py"))
