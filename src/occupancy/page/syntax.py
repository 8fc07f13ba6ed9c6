"""The syntax trees of this package's modules."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

PACKAGE = __name__.partition(".")[0]


@cache
def tree_of(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


@cache
def definitions(module: ModuleType) -> dict[str, Any]:
    return {
        node.name: node for node in tree_of(module).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


def home_of(module: ModuleType, name: str) -> ModuleType:
    """The module that a constant comes from."""
    for node in tree_of(module).body:
        if isinstance(node, ast.ImportFrom) and name in [each.asname or each.name for each in node.names]:
            origin = importlib.import_module("." * node.level + (node.module or ""), module.__package__)
            original = next(each.name for each in node.names if name == (each.asname or each.name))
            return home_of(origin, original) if origin.__name__.partition(".")[0] == PACKAGE else module
    return module


def fields_of(owner: type) -> list[str] | None:
    """The fields of a dataclass or a named tuple, in the order of its constructor; None for other classes."""
    if dataclasses.is_dataclass(owner):
        return [each.name for each in dataclasses.fields(owner) if each.init]
    return list(owner._fields) if issubclass(owner, tuple) else None  # type: ignore[attr-defined]


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and comprehensions within it."""
    inner = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
    for node in ast.iter_child_nodes(function):
        yield node
        if not isinstance(node, inner):
            yield from own_nodes(node)


def assigned_names(function: ast.AST) -> set[str]:
    """The variables of a function, with those that are named within its comprehensions."""
    return {
        each.id
        for each in own_nodes(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    } | set(_named_in_passing(function))


def _named_in_passing(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.NamedExpr):
            yield child.target.id
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from _named_in_passing(child)


def is_plain(node: ast.expr) -> bool:
    """Whether it can only be a number, text or nothing, which JavaScript compares as Python does."""
    match node:
        case ast.Constant():
            return True
        case ast.BinOp(op=ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod()) | ast.UnaryOp(op=ast.USub()):
            return True
        case ast.Call(func=ast.Name(id="len" | "sum")):
            return True
    return False


def is_boolean(node: ast.expr) -> bool:
    """Whether it can only be true or false, of which JavaScript's ``&&`` and ``||`` make what Python does."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return all(map(is_boolean, values))
    return False


def is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and is_name(node.value))
