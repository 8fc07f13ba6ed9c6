"""The language of the code: standard terms, imperative docstrings, one home for each name."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import occupancy

SOURCE = Path(occupancy.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

LONGEST_FIRST_LINE = 100
PRONOUNS = {"What", "Whether", "How", "Which", "Where", "That", "Those", "Who", "Whose", "Why", "Of", "So"}
"""Words that must not begin a docstring."""
BANNED = re.compile(r"(^|_)(told|said|ours|asked|held|cure)($|_)|_in_words$|^_?(of|how|what)_")
"""Identifiers that must be replaced by a standard term."""

NOT_A_VERB = re.compile(r"(The|A|An|Its|It|Each|Every|All|Bytes|Blocks|Registers|No|Not|One|Any)\b|`")

FACADES = frozenset({"cuda.py", "triton.py", "api/gpus.py"})
"""Modules that reuse names of functions in other modules."""
MODELS = frozenset({"engine/__init__.py", "engine/cuda.py", "engine/spreadsheet.py"})
"""Modules with a common interface."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def docstrings(path: Path) -> Iterator[tuple[ast.AST, int, str]]:
    for node in ast.walk(tree(path)):
        body = getattr(node, "body", None)
        for before, each in zip([node, *body], body, strict=False) if isinstance(body, list) else ():
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                text = each.value.value
                if isinstance(text, str):
                    yield before, each.lineno, text


def identifiers(path: Path) -> Iterator[tuple[int, str]]:
    yield 1, path.stem
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def first_lines(*owners: type[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the locations and first lines of docstrings."""
    for path in MODULES:
        for own, line, text in docstrings(path):
            if isinstance(own, owners) and not (owners == (ast.FunctionDef,) and is_property(own)):
                yield f"{name(path)}:{line}", text.split("\n")[0]


def is_property(node: ast.AST) -> bool:
    return any("property" in ast.unparse(each) for each in getattr(node, "decorator_list", ()))


def test_docstrings_begin_with_the_standard_term() -> None:
    assert [each for each in first_lines(ast.AST) if each[1].split(" ")[0].rstrip(",:") in PRONOUNS] == []


def test_docstrings_begin_with_a_short_line() -> None:
    owners = (ast.FunctionDef, ast.ClassDef, ast.Module)
    assert [each for each in first_lines(*owners) if len(each[1]) > LONGEST_FIRST_LINE] == []


def test_functions_begin_with_a_verb() -> None:
    assert [each for each in first_lines(ast.FunctionDef) if NOT_A_VERB.match(each[1])] == []


def test_names_are_standard_terms() -> None:
    found = [(name(path), *each) for path in MODULES for each in identifiers(path)]
    assert len(found) > 1000
    assert [each for each in found if BANNED.search(each[2])] == []


def test_each_class_and_function_has_one_home() -> None:
    homes = defaultdict(set)
    for path in MODULES:
        if name(path) not in FACADES and path.relative_to(SOURCE).parts[0] != "cli":
            for node in tree(path).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                    homes[node.name].add(name(path))
    several = {each: where for each, where in homes.items() if len(where) > 1}
    assert {each: where for each, where in several.items() if not where <= MODELS} == {}
