"""The order of the packages, their line budgets, the homes of third-party packages, and the language of names."""

import ast
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import occupancy

SOURCE = Path(occupancy.__file__).parent
TESTS = Path(__file__).parent

# A package imports only packages above it. The number is its budget in lines.
BUDGETS = {
    "errors": 216,
    "values": 1360,
    "tables": 915,
    "engine": 841,
    "readers": 3318,
    "advice": 1155,
    "arrays": 589,
    "device": 642,
    "builds": 1078,
    "compare": 1386,
    "report": 3148,
    "render": 612,
    "page": 208,
    "api": 1838,
    "cuda": 87,
    "typing": 38,
    "triton": 103,
    "cli": 1335,
    "__init__": 112,
    "__main__": 19,
}
ORDER = list(BUDGETS)
PAGE_BUDGET = 2200
"""Lines of JavaScript and CSS of the page."""

# Third-party package -> the only packages that import it.
HOMES = {
    "backports": {"readers"},
    "click": {"cli"},
    "numpy": {"arrays"},
    "compression": {"readers"},  # in the standard library from Python 3.14
    "demangle": {"readers/record"},
    "matplotlib": {"render"},
    "lz4": {"readers"},
    "cuda": {"device"},
    "pydantic": {"compare"},
    "pynvml": {"device"},
    "rich": {"render"},
    "tomli": {"tables/files"},
    "tomllib": {"tables/files"},  # in the standard library from Python 3.11
    "typing_extensions": {"values", "api", "cuda", "cli", "triton"},  # for type checkers only
    "yaml": {"tables/files"},
}

MODULES = sorted(SOURCE.rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def imports_of(path: Path) -> list[str]:
    """Return the absolute dotted names of all imports of a module, including imports inside functions."""
    found: list[str] = []
    home = SOURCE.parent if path.is_relative_to(SOURCE) else TESTS.parent
    package = list(path.relative_to(home).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            # `from . import x` can import a module or a name of the package.
            found += [f"{name}.{alias.name}" for alias in node.names]
    return found


def packages_imported_by(path: Path) -> set[str]:
    names = [name.split(".") for name in imports_of(path) if name.split(".")[0] == "occupancy"]
    return {parts[1] for parts in names if len(parts) > 1 and parts[1] in BUDGETS} - {package_of(path)}


def test_imports_follow_the_order() -> None:
    found = [(path, each) for path in MODULES for each in packages_imported_by(path)]
    assert len(found) > 100
    assert [each for each in found if ORDER.index(each[1]) >= ORDER.index(package_of(each[0]))] == []


def test_every_package_has_a_budget_and_keeps_it() -> None:
    lines = Counter[str]()
    for path in MODULES:
        lines[package_of(path)] += path.read_text(encoding="utf-8").count("\n")
    assert lines.keys() == BUDGETS.keys()
    assert {package: size for package, size in lines.items() if size > BUDGETS[package]} == {}


def test_the_scripts_and_styles_of_the_page_keep_their_budget() -> None:
    paths = [path for path in (SOURCE / "page").rglob("*") if path.suffix in (".js", ".css")]
    assert 0 < sum(path.read_text(encoding="utf-8").count("\n") for path in paths) <= PAGE_BUDGET
    for path in paths:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if len(line) > 120] == []
        if path.suffix == ".css":
            assert [line for line in lines if line.count("{") > 1 or line.count("}") > 1] == []


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
    assert set(found) >= {"click", "pydantic", "rich", "yaml"}


def test_no_package_has_the_name_of_a_public_function() -> None:
    # Importing the module occupancy.limits would replace the function occupancy.limits.
    assert set(occupancy.__all__) & set(BUDGETS) == {"cuda", "device", "triton", "typing"}


def test_no_test_module_is_imported() -> None:
    imports = [(path, name) for path in sorted(TESTS.rglob("*.py")) for name in imports_of(path)]
    assert len(imports) > 500
    assert [each for each in imports if re.search(r"(^|\.)test_", each[1])] == []
