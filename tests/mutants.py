"""Mutation testing: change one thing at a time, and count the mutants that survive the tests.

Run by hand: ``python -m tests.mutants --area engine --area readers --count 20``. Each mutant is one change of
an operator, a comparison, a constant, a condition, a statement or a string in a copy of the package. The tests
of its area run until one fails. Equal seeds produce equal mutants. A survivor can be equivalent.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src", "occupancy")

EVERYWHERE = ("tests/golden", "tests/property", "tests/screens")
TESTS = {
    "engine": ("tests/oracle", "tests/unit/values"),
    "values": ("tests/unit/tables", "tests/unit/api", "tests/unit/cli"),
    "tables": ("tests/oracle", "tests/unit/api", "tests/unit/cli", "tests/unit/compare"),
    "advice": ("tests/oracle", "tests/unit/api", "tests/unit/cli", "tests/unit/report"),
    "arrays": ("tests/oracle", "tests/unit/api"),
    "readers": ("tests/oracle", "tests/unit/builds", "tests/unit/cli", "tests/test_hostile.py"),
    "builds": ("tests/unit/readers", "tests/unit/compare", "tests/unit/cli", "tests/unit/api"),
    "compare": ("tests/unit/builds", "tests/unit/cli", "tests/unit/api"),
    "report": ("tests/unit/cli", "tests/unit/api", "tests/unit/render", "tests/test_docs.py"),
    "render": ("tests/unit/cli", "tests/unit/report"),
    "api": ("tests/unit/cli", "tests/unit/compare"),
    "cli": ("tests/unit/api", "tests/unit/compare", "tests/test_docs.py", "tests/test_process.py",
            "tests/test_nothing_lost.py"),
}  # fmt: skip
"""Tests of an area outside its own folder."""

MAX_SECONDS = 300
"""A mutant that exceeds this time hangs, and counts as killed."""

OTHER_OPERATOR: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
OTHER_FUNCTION = {"min": "max", "max": "min", "all": "any", "any": "all"}


class Mutant(NamedTuple):
    """Replacement of text in a source file."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        before, after = (" ".join(text.split())[:60] for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {before}  ->  {after}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants(path: Path, source: bytes) -> Iterator[Mutant]:
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _code(tree):
        for other in _changes(node):
            start = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
            end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
            before = source[start:end].decode()
            yield Mutant(str(path), node.lineno, start, end, before, other)  # type: ignore[attr-defined]


def _code(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            is_for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            is_silent = isinstance(child, (ast.JoinedStr, ast.Raise, ast.Assert)) or is_text or is_for_types
            if isinstance(child, ast.AST) and not is_silent:
                yield child
                yield from _code(child)


def _changes(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in OTHER_OPERATOR:
            node.op = OTHER_OPERATOR[type(op)]()  # type: ignore[assignment]
            yield _text(node)
            node.op = op
        case ast.Compare(ops=[op, *others]) if type(op) in OTHER_OPERATOR:
            node.ops = [OTHER_OPERATOR[type(op)](), *others]  # type: ignore[list-item]
            yield _text(node)
            node.ops = [op, *others]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.IfExp(test=test):
            yield _text(ast.IfExp(ast.UnaryOp(ast.Not(), test), node.body, node.orelse))
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
            yield f"({value - 1})"
        case ast.Constant(value=str(value)) if value.isidentifier() or value in ("/", "\n", ""):
            yield repr(f"{value}_")
        case ast.Call(func=ast.Name(id=name)) if name in OTHER_FUNCTION:
            yield OTHER_FUNCTION[name] + ast.unparse(node)[len(name) :]
        case ast.Expr(value=ast.Call()) | ast.Continue() | ast.Break():
            yield "pass"


def _text(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.stmt) else f"({ast.unparse(node)})"


def fails(area: str, folder: Path) -> bool:
    paths = [f"tests/unit/{area}", *EVERYWHERE, *TESTS.get(area, ())]
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    # Random examples have a fixed seed, so that the result is deterministic.
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "--hypothesis-profile=few"]
    command += [path for path in dict.fromkeys(paths) if (ROOT / path).exists()]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def survivors(area: str, count: int, seed: int, folder: Path) -> tuple[int, list[Mutant]]:
    if fails(area, folder):
        sys.exit(f"the tests of {area} fail without any change")
    files = {
        path.relative_to(ROOT): path.read_bytes() for path in sorted((ROOT / PACKAGE / area).rglob("*.py"))
    }
    every = [mutant for path, source in files.items() for mutant in mutants(path, source)]
    chosen, alive = random.Random(f"{area} {seed}").sample(every, min(count, len(every))), []
    for mutant in chosen:
        source = files[Path(mutant.path)]
        (folder / mutant.path).write_bytes(mutant.applied(source))
        noticed = fails(area, folder)
        (folder / mutant.path).write_bytes(source)
        if not noticed:
            alive.append(mutant)
        print("noticed" if noticed else "survived", mutant, file=sys.stderr, flush=True)
    return len(chosen), alive


def main() -> None:
    """Print the share of killed mutants in each area, and the survivors."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--area", action="append", help="package below src/occupancy; default: all")
    parser.add_argument("--count", type=int, default=20, help="mutants of each area (default: 20)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    areas = options.area or sorted(path.parent.name for path in (ROOT / PACKAGE).glob("*/__init__.py"))
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "data", folder / "data")
        for area in areas:
            tried, alive = survivors(area, options.count, options.seed, folder)
            print(f"{area}: {tried - len(alive)} of {tried} killed", *alive, sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
