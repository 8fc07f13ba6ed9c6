"""Functions of Python, statement by statement, as functions of JavaScript."""

from __future__ import annotations

import ast
import importlib
from types import ModuleType
from typing import Any

from .expressions import Expressions, Names
from .known import indented, local_name, without_brackets
from .syntax import assigned_names, own_nodes


class Function(Expressions):
    """One function, or a function within it.

    Args:
        name: Its name in JavaScript.
        prefix: What stands before the name of a member of a class: nothing, ``"get "`` or ``"static "``; None
            for a function that is no member.
        outer: The function that it stands in.
    """

    def __init__(
        self,
        program: Names,
        module: ModuleType,
        node: Any,
        name: str,
        prefix: str | None = None,
        outer: Expressions | None = None,
    ) -> None:
        super().__init__(program, module, outer)
        self.node = node
        self.name = name
        self.prefix = prefix
        arguments = node.args
        if arguments.vararg or arguments.kwarg:
            raise self.unknown(node)
        self.parameters = [
            each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        ]
        self.is_method = prefix is not None and prefix != "static "
        self.variables = assigned_names(node) - set(self.parameters)
        functions = {each.name for each in own_nodes(node) if isinstance(each, ast.FunctionDef)}
        self.locals = {*self.parameters, *self.variables, *functions}
        # In functions within it, `this` would be something else.
        self.this = self.parameters[0] if self.is_method and not functions else None

    def text(self) -> str:
        """The whole definition."""
        arguments = self.node.args
        defaults = [*arguments.defaults, *arguments.kw_defaults]
        missing: list[ast.expr | None] = [None] * (len(self.parameters) - len(defaults))
        parameters = [
            local_name(name) if default is None else f"{local_name(name)} = {self.expression(default)}"
            for name, default in zip(self.parameters, [*missing, *defaults], strict=True)
        ]
        head = ""
        if self.is_method:
            name, *parameters = parameters
            head = "" if self.this else f"const {name} = this;\n"
        if self.variables:
            head += f"let {', '.join(map(local_name, sorted(self.variables)))};\n"
        is_generator = any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in own_nodes(self.node))
        star = "*" if is_generator else ""
        start = f"function{star} " if self.prefix is None else f"{self.prefix}{star}"
        body = head + self.block(self.node.body)
        return f"{start}{self.name}({', '.join(parameters)}) {{\n{indented(body)}}}\n"

    def block(self, statements: list[ast.stmt]) -> str:
        return "".join(self.statement(each) for each in statements)

    def statement(self, node: ast.stmt) -> str:
        match node:
            case ast.Return(value=value):
                return (
                    "return null;\n"
                    if value is None
                    else f"return {without_brackets(self.expression(value))};\n"
                )
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Starred(value=rest), *last])], value=value):
                names = ", ".join(map(self.target, (rest, *last)))
                return f"[{names}] = py.headed({self.expression(value)}, {len(last)});\n"
            case ast.Assign(targets=[ast.Tuple() as target], value=ast.Name() | ast.Attribute() as value):
                # As an array, which is much faster taken apart than what can only be iterated over.
                return f"{self.target(target)} = py.parts({self.expression(value)});\n"
            case ast.Assign(targets=targets, value=value):
                return (
                    f"{' = '.join(map(self.target, targets))} = {without_brackets(self.expression(value))};\n"
                )
            case ast.AnnAssign(target=ast.Name() as target, value=value):
                return "" if value is None else f"{self.target(target)} = {self.expression(value)};\n"
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                return f"{self.target(target)} = {self.binary(op, target, value, node)};\n"
            case ast.If(test=test, body=body, orelse=orelse):
                text = f"if ({without_brackets(self.truth(test))}) {{\n{indented(self.block(body))}}}"
                return text + (f" else {{\n{indented(self.block(orelse))}}}\n" if orelse else "\n")
            case ast.For(target=target, iter=iterable, body=body, orelse=[]):
                over = f"({self.target(target)} of {self.iterable(iterable)})"
                return f"for {over} {{\n{indented(self.block(body))}}}\n"
            case ast.While(test=test, body=body, orelse=[]):
                return f"while ({without_brackets(self.truth(test))}) {{\n{indented(self.block(body))}}}\n"
            case ast.Raise(exc=ast.Call() as made):
                return f"throw {self.expression(made)};\n"
            case ast.FunctionDef(decorator_list=[]):
                return Function(self.program, self.module, node, local_name(node.name), None, self).text()
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass() | ast.Assert():
                return ""
            case ast.Expr(value=ast.Yield() | ast.YieldFrom() | ast.Call() as value):
                return f"{self.expression(value)};\n"
            case ast.Continue():
                return "continue;\n"
            case ast.Break():
                return "break;\n"
            case ast.ImportFrom(module=name, level=level, names=names) if level:
                home = importlib.import_module("." * level + (name or ""), self.module.__package__)
                self.imported |= {each.asname or each.name: (home, each.name) for each in names}
                return ""
        raise self.unknown(node)

    def target(self, node: ast.expr) -> str:
        """The same, and the attributes of the object whose constructor this is."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if self.is_method:
                if name == self.parameters[0]:
                    return f"{'this' if self.this else local_name(name)}.{attribute}"
        return super().target(node)
