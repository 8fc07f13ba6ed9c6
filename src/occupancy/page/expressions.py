"""Expressions of Python as expressions of JavaScript."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from .known import BUILTINS, FORMATS, LIKE_A_NAME, METHODS, TYPES, UnknownConstructError, local_name
from .syntax import is_boolean, is_name, is_plain

ARITHMETIC = {ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
ARITHMETIC_CALLS = {ast.Add: "py.add", ast.FloorDiv: "py.floordiv", ast.Mod: "py.mod"}
ORDER = {ast.Lt: ("<", "py.lt"), ast.LtE: ("<=", "py.le"), ast.Gt: (">", "py.gt"), ast.GtE: (">=", "py.ge")}


class Names(Protocol):
    """What gives names to all that is global."""

    attributes: dict[str, str]
    """Names of members that something asks for, and where."""

    def reference(self, value: Any) -> str:
        """How a function or a class is written; it is translated if it is new."""

    def global_name(self, module: ModuleType, name: str) -> str:
        """How a name of a module is written."""


class Expressions:
    """The expressions of one function."""

    def __init__(self, program: Names, module: ModuleType, outer: Expressions | None) -> None:
        self.program = program
        self.module = module
        self.outer = outer
        self.locals: set[str] = set()
        """The function's parameters, variables and functions."""
        self.this: str | None = None
        """What a method calls its object."""
        self.bound: list[set[str]] = []
        """The names of the comprehensions and lambdas that we are in."""
        self.imported: dict[str, tuple[ModuleType, str]] = {}
        """What the function itself imports."""

    def unknown(self, node: ast.AST) -> UnknownConstructError:
        """The error for a construct."""
        what = ast.unparse(node).partition("\n")[0]
        kind = type(node).__name__
        return UnknownConstructError(f"{self.where(node)}: {kind} has no translation for the page: {what}")

    def where(self, node: ast.AST) -> str:
        """Where a construct stands."""
        return f"{self.module.__name__}, line {getattr(node, 'lineno', 0)}"

    def target(self, node: ast.expr) -> str:
        """What a value is assigned to."""
        match node:
            case ast.Name(id=name):
                return local_name(name)
            case ast.Subscript(value=value, slice=index):
                return f"{self.expression(value)}[{self.expression(index)}]"
            case ast.Tuple(elts=[*most, ast.Starred(value=rest)]):
                return f"[{', '.join([*map(self.target, most), '...' + self.target(rest)])}]"
            case ast.Tuple(elts=parts):
                return f"[{', '.join(map(self.target, parts))}]"
        raise self.unknown(node)

    def expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=str(text)) if LIKE_A_NAME.search(text):
                raise self.unknown(node)
            case ast.Constant(value=value) if value is None or type(value) in (bool, int, float, str):
                return json.dumps(value)
            case ast.Name(id=name):
                return self.named(name, node)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if self.module_called(name):
                return self.program.global_name(self.module_called(name), attribute)
            case ast.Attribute(value=value, attr=attribute):
                self.program.attributes.setdefault(attribute, self.where(node))
                return f"{self.expression(value)}.{attribute}"
            case ast.Subscript(value=value, slice=ast.Slice(lower=low, upper=high, step=None)):
                ends = [self.expression(each) if each else "undefined" for each in (low, high)]
                return f"py.slice({', '.join([self.expression(value), *ends])})"
            case ast.Subscript(value=value, slice=index):
                return f"py.item({self.expression(value)}, {self.expression(index)})"
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(op, left, right, node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self.expression(operand)})"
            case ast.BoolOp(op=op, values=values):
                return self.either(op, values)
            case ast.UnaryOp(op=ast.Not()) | ast.Compare():
                return self.truth(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"({self.truth(test)} ? {self.expression(body)} : {self.expression(orelse)})"
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return f"[{', '.join(map(self.element, parts))}]"
            case ast.Dict(keys=keys, values=values) if all(keys):
                pairs = zip(keys, values, strict=True)
                return (
                    f"{{{', '.join(f'[{self.expression(k)}]: {self.expression(v)}' for k, v in pairs if k)}}}"
                )
            case ast.JoinedStr(values=values):
                return "py.text`" + "".join(map(self.formatted, values)) + "`"
            case ast.ListComp(elt=made, generators=[loop]) | ast.GeneratorExp(elt=made, generators=[loop]):
                return self.comprehension(loop, made)
            case ast.DictComp(key=key, value=value, generators=[loop]):
                pair = ast.Tuple([key, value], ast.Load())
                return f"Object.fromEntries({self.comprehension(loop, pair)})"
            case ast.Lambda(args=arguments, body=body):
                names = [each.arg for each in arguments.args]
                return self.within(
                    set(names), lambda: f"({', '.join(map(local_name, names))}) => {self.expression(body)}"
                )
            case ast.NamedExpr(target=target, value=value):
                return f"({self.target(target)} = {self.expression(value)})"
            case ast.Yield(value=value):
                return f"yield {'null' if value is None else self.expression(value)}"
            case ast.YieldFrom(value=value):
                return f"yield* {self.expression(value)}"
            case ast.Call():
                return self.call(node)
        raise self.unknown(node)

    def named(self, name: str, node: ast.AST) -> str:
        if name in self.imported:
            return self.program.global_name(*self.imported[name])
        if name == self.this and not any(name in names for names in self.bound):
            return "this"
        if self.is_local(name):
            return local_name(name)
        if self.module_called(name):
            raise self.unknown(node)
        return self.program.global_name(self.module, name)

    def is_local(self, name: str) -> bool:
        if name in self.locals or any(name in names for names in self.bound):
            return True
        return self.outer is not None and self.outer.is_local(name)

    def module_called(self, name: str) -> Any:
        value = vars(self.module).get(name)
        return value if isinstance(value, ModuleType) and not self.is_local(name) else None

    def element(self, node: ast.expr) -> str:
        if isinstance(node, ast.Starred):
            return f"...{self.iterable(node.value)}"
        return self.expression(node)

    def iterable(self, node: ast.expr) -> str:
        return f"py.iter({self.expression(node)})"

    def within(self, names: set[str], make: Callable[[], str]) -> str:
        self.bound.append(names)
        try:
            return make()
        finally:
            self.bound.pop()

    def comprehension(self, loop: ast.comprehension, made: ast.expr) -> str:
        names = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
        source = f"[...{self.iterable(loop.iter)}]"
        parameter = self.target(loop.target)

        def rest() -> str:
            result = self.expression(made)
            if loop.ifs:
                # One after the other, because a condition may have a name for what the result uses.
                test = " && ".join(map(self.truth, loop.ifs))
                return f".flatMap(({parameter}) => {test} ? [{result}] : [])"
            return "" if result == parameter else f".map(({parameter}) => ({result}))"

        return source + self.within(names, rest)

    def formatted(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=str(text)) if not LIKE_A_NAME.search(text):
                return json.dumps(text)[1:-1].replace('\\"', '"').replace("`", "\\`").replace("${", "\\${")
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return f"${{{self.expression(value)}}}"
            case ast.FormattedValue(
                value=value, conversion=-1, format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)])
            ) if FORMATS.fullmatch(str(spec)):
                return f"${{py.number({self.expression(value)}, {json.dumps(spec)})}}"
        raise self.unknown(node)

    def binary(self, op: ast.operator, left: ast.expr, right: ast.expr, node: ast.AST) -> str:
        first, second = self.expression(left), self.expression(right)
        if type(op) in ARITHMETIC:
            return f"({first} {ARITHMETIC[type(op)]} {second})"
        if type(op) in ARITHMETIC_CALLS:
            return f"{ARITHMETIC_CALLS[type(op)]}({first}, {second})"
        raise self.unknown(node)

    def either(self, op: ast.boolop, values: list[ast.expr]) -> str:
        """``and`` and ``or`` give one of their operands and not its truth."""
        if all(map(is_boolean, values[:-1])):
            signs = " && " if isinstance(op, ast.And) else " || "
            return f"({signs.join([*map(self.truth, values[:-1]), self.expression(values[-1])])})"
        first, *others = values
        rest = self.either(op, others) if len(others) > 1 else self.expression(others[0])
        if is_name(first):
            name = self.expression(first)
            ends = f"{rest} : {name}" if isinstance(op, ast.And) else f"{name} : {rest}"
            return f"(py.truth({name}) ? {ends})"
        return f"py.{'and' if isinstance(op, ast.And) else 'or'}({self.expression(first)}, () => {rest})"

    def truth(self, node: ast.expr) -> str:
        """An expression where only its truth counts."""
        match node:
            case ast.BoolOp(op=op, values=values):
                return (
                    "(" + (" && " if isinstance(op, ast.And) else " || ").join(map(self.truth, values)) + ")"
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self.truth(operand)}"
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                if not all(
                    isinstance(each, (ast.Name, ast.Constant, ast.Attribute)) for each in comparators[:-1]
                ):
                    raise self.unknown(node)  # it would be evaluated twice
                pairs = zip([left, *comparators], ops, comparators, strict=False)
                parts = [self.compared(*each, node) for each in pairs]
                return parts[0] if len(parts) == 1 and parts[0].endswith(")") else f"({' && '.join(parts)})"
        return f"py.truth({self.expression(node)})"

    def compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.AST) -> str:
        first, second = self.expression(left), self.expression(right)
        plainly = any(is_plain(each) for each in (left, right))
        match op:
            case ast.Is() | ast.IsNot():
                return f"{first} {'===' if isinstance(op, ast.Is) else '!=='} {second}"
            case ast.Eq() | ast.NotEq() if plainly:
                return f"{first} {'===' if isinstance(op, ast.Eq) else '!=='} {second}"
            case ast.Eq() | ast.NotEq():
                return f"{'' if isinstance(op, ast.Eq) else '!'}py.eq({first}, {second})"
            case ast.In() | ast.NotIn():
                return f"{'' if isinstance(op, ast.In) else '!'}py.contains({second}, {first})"
        if type(op) not in ORDER:
            raise self.unknown(node)
        sign, function = ORDER[type(op)]
        return f"{first} {sign} {second}" if plainly else f"{function}({first}, {second})"

    def call(self, node: ast.Call) -> str:
        match node:
            case ast.Call(func=ast.Name(id="make"), args=[owner, ast.Tuple(elts=values)]):
                return self.call(ast.Call(owner, values, []))
        called = self.called(node.func)
        if called is None:
            if not isinstance(node.func, ast.Attribute):
                return f"{self.expression(node.func)}({self.plain_arguments(node)})"
            name = node.func.attr
            if name in METHODS:
                arguments = self.changes(node) if name == "update" else self.plain_arguments(node)
                return f"py.{name}({self.expression(node.func.value)}{', ' + arguments if arguments else ''})"
            return f"{self.expression(node.func)}({self.plain_arguments(node)})"
        if isinstance(called, type) and issubclass(called, Exception) and called.__module__ == "builtins":
            return f"new Error({self.plain_arguments(node)})"
        if getattr(called, "__module__", None) == "builtins":
            return self.builtin(called, node)
        if called is dataclasses.replace:
            return f"py.copy({self.expression(node.args[0])}, {self.changes(node)})"
        if getattr(called, "__module__", None) == "itertools":
            return self.builtin(called, node)
        new = "new " if isinstance(called, type) else ""
        name = self.program.reference(called)
        return f"{new}{name}({self.ordered(node, list(inspect.signature(called).parameters))})"

    def called(self, node: ast.expr) -> Any:
        """The function or class that is called, where it has a name of its own."""
        match node:
            case ast.Name(id=name) if name in self.imported:
                return vars(self.imported[name][0])[self.imported[name][1]]
            case ast.Name(id=name) if not self.is_local(name):
                return vars(self.module).get(name) or getattr(builtins, name, None)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if self.module_called(name):
                return vars(self.module_called(name))[attribute]
        return None

    def builtin(self, called: Any, node: ast.Call) -> str:
        if called is isinstance and isinstance(node.args[1], ast.Name) and node.args[1].id in TYPES:
            return f"(typeof {self.expression(node.args[0])} === {TYPES[node.args[1].id]})"
        if called.__name__ not in BUILTINS:
            raise self.unknown(node)
        named = {each.arg: self.expression(each.value) for each in node.keywords if each.arg != "strict"}
        options = [f"{{{', '.join(f'{name}: {value}' for name, value in named.items())}}}"] if named else []
        return f"py.{called.__name__}({', '.join([*map(self.element, node.args), *options])})"

    def changes(self, node: ast.Call) -> str:
        """The keywords of a call as an object."""
        pairs = ((each.arg, self.expression(each.value)) for each in node.keywords)
        return (
            f"{{{', '.join(f'...{value}' if name is None else f'{name}: {value}' for name, value in pairs)}}}"
        )

    def plain_arguments(self, node: ast.Call) -> str:
        if node.keywords:
            raise self.unknown(node)
        return ", ".join(map(self.element, node.args))

    def ordered(self, node: ast.Call, names: list[str]) -> str:
        """The arguments by position; what has a default and is left out in between is ``undefined``."""
        arguments = list(map(self.element, node.args))
        named = {each.arg: self.expression(each.value) for each in node.keywords}
        if not named.keys() <= set(names[len(arguments) :]):
            raise self.unknown(node)
        for name in names[len(arguments) :]:
            if not named:
                break
            arguments.append(named.pop(name, "undefined"))
        return ", ".join(arguments)
