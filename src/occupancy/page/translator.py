"""Python functions as JavaScript: how the page gets the engine's own rules and not a second copy.

`translate` starts at some functions and classes and follows the names that they use through the modules
of this package. It knows the few constructs that the rules are written in and refuses all others, so that
a change of the engine that it cannot carry over stops the build and never the page. What Python means by
``//``, ``==``, truth, or a comparison of tuples is in ``runtime.js``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from .functions import Function
from .known import BUILTINS, LIKE_A_NAME, METHODS, UnknownConstructError, indented, local_name
from .syntax import PACKAGE, definitions, fields_of, home_of

MANY = 12
"""Fields from which on a constructor is written in a shorter and slower way."""


def translate(
    called: Mapping[str, str],
    attributes: Iterable[str] = (),
    printed: Iterable[str] = (),
    externals: Mapping[str, str] | None = None,
) -> str:
    """The JavaScript of some functions, classes and constants, and of all that they use.

    Args:
        called: JavaScript name -> what it is to call, such as ``"engine.evaluate"``.
        attributes: Names of properties and methods that the page itself asks for.
        printed: Classes whose objects become text, likewise named.
        externals: What the page brings along itself, likewise named -> its JavaScript.

    Raises:
        UnknownConstructError: One of them is written with a construct that has no translation here.
    """
    classes = {getattr(*_found(path)) for path in printed}
    program = Program(dict.fromkeys(attributes, "the page"), classes, externals or {})
    names = {name: program.global_name(*_found(path)) for name, path in called.items()}
    return program.text() + _constants(names)


class Program:
    """What has been reached so far."""

    def __init__(self, attributes: dict[str, str], printed: set[type], externals: Mapping[str, str]) -> None:
        self.attributes = attributes
        self.printed = printed
        self.externals = externals
        self._functions: dict[str, str] = {}
        self._classes: dict[str, type] = {}
        self._members: dict[str, dict[str, str]] = {}
        self._constants: dict[str, str] = {}
        self._modules: dict[str, ModuleType] = {}
        self._homes: dict[str, str] = {}

    def text(self) -> str:
        """Everything that was reached, classes first and constants last."""
        while self._add_members():
            pass
        self._check_attributes()
        classes = [
            f"class {name} {{\n{indented(''.join(self._members[name].values()))}}}\n"
            for name in self._classes
        ]
        modules = {name: self._module(each) for name, each in self._modules.items()}
        constants = _constants(modules | self._constants)
        return "".join([*classes, *self._functions.values(), constants])

    def name(self, module: str, name: str) -> str:
        """The JavaScript name of something global, which no variable has; with its module if two have it."""
        for found in (f"{name}$", f"{module.rpartition('.')[2]}${name}"):
            if self._homes.setdefault(found, module) == module:
                return found
        raise UnknownConstructError(f"{self._homes[found]} and {module} both have {name}")

    def reference(self, value: Any) -> str:
        """How a function or a class is written; it is translated if it is new."""
        value = inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value
        external = self.externals.get(f"{value.__module__.removeprefix(PACKAGE + '.')}.{value.__qualname__}")
        if external is not None:
            return external
        if value.__module__.partition(".")[0] != PACKAGE:
            raise UnknownConstructError(f"{value.__module__}.{value.__qualname__} has no translation")
        name = self.name(value.__module__, value.__qualname__)
        if isinstance(value, type):
            if name not in self._classes:
                self._classes[name] = value
                self._members[name] = {"": Class(self, value).constructor()}
        elif name not in self._functions:
            self._functions[name] = ""  # it may call itself
            module = importlib.import_module(value.__module__)
            node = definitions(module)[value.__qualname__]
            self._functions[name] = Function(self, module, node, name).text()
        return name

    def global_name(self, module: ModuleType, name: str) -> str:
        """How a name of a module is written."""
        if name not in vars(module):
            if name in BUILTINS:
                return f"py.{name}"
            raise UnknownConstructError(f"{module.__name__}: {name} has no translation")
        value = vars(module)[name]
        if isinstance(value, (FunctionType, type)) or hasattr(value, "__wrapped__"):
            return self.reference(value)
        home = home_of(module, name)
        found = self.name(home.__name__, name)
        if found not in self._constants:
            self._constants[found] = self.literal(value, f"{home.__name__}.{name}")
        return found

    def literal(self, value: Any, where: str) -> str:
        """A constant's value."""
        if isinstance(value, str) and LIKE_A_NAME.search(value):
            raise UnknownConstructError(f"{where}: {value!r} has no translation")
        if value is None or type(value) in (bool, int, float, str):
            return json.dumps(value)
        if type(value) in (tuple, list):
            return f"[{', '.join(self.literal(each, where) for each in value)}]"
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            pairs = (f"{json.dumps(key)}: {self.literal(each, where)}" for key, each in value.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, (FunctionType, type)):
            return self.reference(value)
        if isinstance(value, ModuleType):
            name = self.name(*value.__name__.rsplit(".", 1))
            self._modules[name] = value
            return name
        if type(value).__module__.partition(".")[0] == PACKAGE:
            made = self.reference(type(value))
            arguments = (self.literal(getattr(value, each), where) for each in fields_of(type(value)) or ())
            return f"new {made}({', '.join(arguments)})"
        raise UnknownConstructError(f"{where}: a {type(value).__name__} has no translation")

    def _check_attributes(self) -> None:
        """Refuse names that nothing translated has, such as those of a method of Python's own."""
        owners = [Class(self, owner) for owner in self._classes.values()]
        known = {name for owner in owners for name in owner.names()}
        known |= {name for module in self._modules.values() for name in definitions(module)}
        for name, where in self.attributes.items():
            if name not in known:
                raise UnknownConstructError(f"{where}: nothing that the page has is called {name}")

    def _module(self, module: ModuleType) -> str:
        """A module as an object: those of its functions that something asks for by name."""
        found = [name for name in definitions(module) if name in self.attributes]
        return f"{{ {', '.join(f'{name}: {self.reference(vars(module)[name])}' for name in found)} }}"

    def _add_members(self) -> bool:
        """Translate members of the classes and modules that something asks for; whether there were any."""
        added = False
        for module in list(self._modules.values()):
            before = len(self._functions)
            self._module(module)
            added = added or len(self._functions) > before
        for name, owner in list(self._classes.items()):
            wanted = {*self.attributes, "__iter__", *(["__str__"] if owner in self.printed else [])}
            for member, text in Class(self, owner).members(wanted - self._members[name].keys()):
                self._members[name][member] = text
                added = True
        return added


class Class:
    """One class: its constructor, and those of its members that are asked for."""

    def __init__(self, program: Program, owner: type) -> None:
        self.program = program
        self.owner = owner
        self.module = importlib.import_module(owner.__module__)
        self.node = definitions(self.module)[owner.__qualname__]

    def constructor(self) -> str:
        """The constructor; tuples with names can also be iterated over."""
        fields = fields_of(self.owner)
        if fields is None:
            return self._method("__init__", "constructor") if "__init__" in self._own() else ""
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(self.owner).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        where = self.owner.__qualname__
        parameters = [
            f"{local_name(name)} = {self.program.literal(defaults[name], where)}"
            if name in defaults
            else local_name(name)
            for name in fields
        ]
        if len(fields) > MANY:
            taken = ", ".join(f"this.{each.removeprefix('$')}" for each in parameters)
            return f"constructor(...values) {{ [{taken}] = values; }}\n"
        body = "".join(f" this.{name} = {local_name(name)};" for name in fields)
        text = f"constructor({', '.join(parameters)}) {{{body} }}\n"
        if issubclass(self.owner, tuple):
            text += f"get parts() {{ return [{', '.join(f'this.{name}' for name in fields)}]; }}\n"
            text += "[Symbol.iterator]() { return this.parts[Symbol.iterator](); }\n"
        return text

    def names(self) -> set[str]:
        """What its objects have: fields, slots and members."""
        slots = getattr(self.owner, "__slots__", ())
        return {*(fields_of(self.owner) or ()), *self._own(), *([slots] if isinstance(slots, str) else slots)}

    def members(self, wanted: set[str]) -> Iterable[tuple[str, str]]:
        """Those of the wanted methods and properties that the class has."""
        special = {"__str__": "toString", "__iter__": "[Symbol.iterator]"}
        for name in self._own():
            if name in wanted & METHODS:
                raise UnknownConstructError(
                    f"{self.owner.__qualname__}.{name}: is that of Python's own methods"
                )
            if name in wanted:
                yield name, self._method(name, special.get(name, name))

    def _own(self) -> dict[str, ast.FunctionDef]:
        return {each.name: each for each in self.node.body if isinstance(each, ast.FunctionDef)}

    def _method(self, name: str, js_name: str) -> str:
        node = self._own()[name]
        decorators = [ast.unparse(each) for each in node.decorator_list]
        if not set(decorators) <= {
            "property",
            "cached_property",
            "functools.cached_property",
            "staticmethod",
        }:
            raise UnknownConstructError(f"{self.owner.__qualname__}.{name}: {decorators} have no translation")
        prefix = "static " if "staticmethod" in decorators else "get " if decorators else ""
        return Function(self.program, self.module, node, js_name, prefix).text()


def _constants(values: Mapping[str, str]) -> str:
    """Constants in one statement, each after those that it may be made of."""
    return f"const {', '.join(f'{name} = {value}' for name, value in values.items())};\n" if values else ""


def _found(path: str) -> tuple[ModuleType, str]:
    module, _, name = path.rpartition(".")
    return importlib.import_module(f"{PACKAGE}.{module}"), name
