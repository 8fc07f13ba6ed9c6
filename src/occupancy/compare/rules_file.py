"""Rules from a TOML file, or from ``[tool.occupancy]`` of a ``pyproject.toml``."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from datetime import date, datetime
from typing import Any, TypeVar

from ..errors import MAX_SHOWN, InputError, RulesError, shown
from ..tables.toml_file import PYPROJECT, read_toml, tools
from ..values.kernel import INT_MAX
from ..values.limits import ComputeCapability
from ..values.spellings import did_you_mean, parse_size, parse_threads
from .rules import CRITERIA, IN_BYTES, Exemption, Launches, Rule, Rules

T = TypeVar("T")

RULES_FILE = "occupancy.toml"
"""Where rules are looked for first, and what `occupancy init` writes."""

_NAMES = ("allow_removed", "baseline", "cc", "threads", "launches", "rules", "exemptions")
_SELECTORS = ("kernels", "arch")

_EXAMPLE = "The shortest one: [[rules]] with max_occupancy_drop = 0 below it."


def read_rules(path: str | os.PathLike[str]) -> Rules:
    """Read rules from a TOML file, all of whose names docs/ci.md shows.

    ::

        baseline = "occupancy-baseline.json"

        [[rules]]                      # for all kernels
        no_new_spills = true

        [[rules]]
        kernels = "sgemm*"
        min_occupancy = 50

        [[launches]]                   # how kernels are launched, where no file says it
        kernels = "*stencil*"
        threads = 256

        [[exemptions]]                 # what may break a rule for a while
        kernels = "sgemm_old"
        reason = "rewritten in #123"
        until = 2027-03-31

    In a file called ``pyproject.toml`` all of it is below ``tool.occupancy``, beside ``cc``, the chip that is
    meant where a command names none.

    Raises:
        RulesError: The file cannot be read, has a name that does not exist or a value out of range, or
            asks the same of the same kernels twice.
    """
    file = os.fspath(path)
    table = read_toml(file, RulesError)
    where = f"{file}: "
    if os.path.basename(file) == PYPROJECT:
        table, where = _tool_table(table, file), f"{file}: tool.occupancy."
    _check_names(table, _NAMES, where)
    entries = table.get("rules")
    if not isinstance(entries, list) or not entries:
        raise RulesError("there is no rule", where=where + "rules", cure=_EXAMPLE)
    rules = tuple(_read_rule(*each) for each in _tables(entries, "rules", CRITERIA, where))
    _check_for_contradictions(rules, file)
    launches = _tables(table.get("launches", []), "launches", ("threads", "dynamic_smem"), where)
    exemptions = _tables(table.get("exemptions", []), "exemptions", ("rules", "reason", "until"), where)
    return Rules(
        file,
        rules,
        tuple(_read_launches(*each) for each in launches),
        _baseline(table, file, where),
        tuple(_read_exemption(*each) for each in exemptions),
        _removable(table.get("allow_removed", False), f"{where}allow_removed"),
        _threads(table["threads"], f"{where}threads") if "threads" in table else None,
    )


def rules_of_this_folder() -> str | None:
    """The file of rules where none is named: ``occupancy.toml``, else a ``pyproject.toml`` that has something
    to say about occupancy.

    Raises:
        RulesError: There is a ``pyproject.toml``, and it cannot be read.
    """
    if os.path.exists(RULES_FILE):
        return RULES_FILE
    has_table = os.path.exists(PYPROJECT) and "occupancy" in tools(read_toml(PYPROJECT, RulesError))
    return PYPROJECT if has_table else None


def _removable(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, bool):
        return ("*",) if value else ()
    return _texts(value, where, 'true, false, or patterns such as "legacy_*"')


def _tool_table(pyproject: dict[str, Any], file: str) -> dict[str, Any]:
    table = tools(pyproject).get("occupancy")
    if not isinstance(table, dict):
        raise RulesError("has no table [tool.occupancy]", where=file, cure=_EXAMPLE)
    return table


def _tables(
    entries: object, name: str, names: Collection[str], where: str
) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Each table of a list: its number, itself, and where its values stand."""
    if not isinstance(entries, list):
        raise RulesError(_got(entries), where=where + name, cure=f"Write tables [[{name}]].")
    for number, entry in enumerate(entries, 1):
        place = f"{where}{name}[{number}]"
        if not isinstance(entry, dict):
            raise RulesError(_got(entry), where=place, cure=f"Write a table [[{name}]].")
        _check_names(entry, (*_SELECTORS, *names), f"{place}.")
        yield number, entry, f"{place}."


def _read_rule(number: int, entry: dict[str, Any], where: str) -> Rule:
    bounds = {name: _bound(name, value, where) for name, value in entry.items() if name in CRITERIA}
    if not bounds:
        raise RulesError("asks for nothing", where=where.rstrip("."), allowed=", ".join(CRITERIA))
    return Rule(number, _kernels(entry, where), _archs(entry, where), bounds)


def _read_exemption(number: int, entry: dict[str, Any], where: str) -> Exemption:
    kernels = _texts(entry.get("kernels"), f"{where}kernels", 'patterns such as "legacy_*"')
    archs = _archs(entry, where)
    criteria = (
        _texts(entry["rules"], f"{where}rules", '"min_occupancy", or a list') if "rules" in entry else ()
    )
    _check_names(criteria, tuple(CRITERIA), f"{where}rules: ")
    (reason,) = _texts(entry.get("reason"), f"{where}reason", "a sentence that says why")
    return Exemption(number, kernels, archs, criteria, reason, _day(entry.get("until"), f"{where}until"))


def _day(value: Any, where: str) -> date:
    """A day, also as text: quotation marks around it are a common slip, and what is meant is plain."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        day = None
    if not isinstance(day, date) or isinstance(day, datetime):
        raise RulesError(_got(value), where=where, cure="Give the last day, such as 2027-03-31.")
    return day


def _read_launches(number: int, entry: dict[str, Any], where: str) -> Launches:
    if not {"threads", "dynamic_smem"} & set(entry):
        raise RulesError("states nothing", where=where.rstrip("."), allowed="threads, dynamic_smem")
    kernels, archs = _kernels(entry, where), _archs(entry, where)
    threads = entry.get("threads", [])
    listed = threads if isinstance(threads, list) else [threads]
    sizes = tuple(_threads(each, f"{where}threads") for each in listed)
    if "threads" in entry and not sizes:
        raise RulesError(_got(threads), where=f"{where}threads", cure="Give a block size, or several.")
    dynamic = None
    if "dynamic_smem" in entry:
        dynamic = _parsed(parse_size, entry["dynamic_smem"], f"{where}dynamic_smem")
    return Launches(number, kernels, archs, tuple(dict.fromkeys(sizes)), dynamic)


def _threads(value: object, where: str) -> int:
    """Threads per block: a number, or the text of a shape."""
    threads = _parsed(lambda each, _: parse_threads(each)[0], value, where)
    if not 1 <= threads <= INT_MAX:
        raise RulesError(_got(value), where=where, allowed=f"1 to {INT_MAX:,}")
    return threads


def _parsed(parse: Callable[[Any, str], T], value: object, where: str) -> T:
    if not isinstance(value, (int, str)) or isinstance(value, bool):
        raise RulesError(_got(value), where=where, cure="Give a number, or a text such as '16x16' or '48k'.")
    try:
        return parse(value, where)
    except InputError as error:
        raise error.elsewhere(where, RulesError) from error


def _texts(value: object, where: str, example: str) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(each, str) and each for each in texts):
        raise RulesError(_got(value), where=where, cure=f"Give {example}.")
    return tuple(texts)


def _kernels(entry: dict[str, Any], where: str) -> tuple[str, ...]:
    return _texts(entry.get("kernels", "*"), f"{where}kernels", 'patterns such as "sgemm*"')


def _archs(entry: dict[str, Any], where: str) -> tuple[ComputeCapability, ...]:
    where += "arch"
    texts = _texts(entry["arch"], where, '"sm_90", or a list') if "arch" in entry else ()
    return tuple(_parsed(lambda each, _: ComputeCapability.parse(each), text, where) for text in texts)


def _bound(name: str, value: object, where: str) -> float | None:
    """The number that a rule gives; None for ``false``, which asks for nothing."""
    criterion, where = CRITERIA[name], where + name
    if value is False:
        return None
    if criterion.is_switch:
        if value is not True:
            raise RulesError(_got(value), where=where, allowed="true or false")
        return 0
    is_share = criterion.measure == "occupancy"
    allowed = f"{criterion.least:,} to {criterion.most:,}{' percent' if is_share else ''}, or false"
    if isinstance(value, str) and criterion.measure in IN_BYTES:
        value = _parsed(parse_size, value, where)
    is_number = isinstance(value, (int, float) if is_share else int) and value is not True
    if not is_number or not criterion.least <= value <= criterion.most:  # type: ignore[operator]
        cure = "A share of 1 is written in percent: 50, not 0.5." if is_share else ""
        raise RulesError(_got(value), where=where, allowed=allowed, cure=cure)
    return value  # type: ignore[return-value]


def _check_for_contradictions(rules: tuple[Rule, ...], file: str) -> None:
    """Two rules for just the same kernels may not both speak of the same criterion."""
    first: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        for name, bound in rule.bounds.items():
            other = first.setdefault((frozenset(rule.kernels), frozenset(rule.archs), name), rule)
            if other is not rule:
                raise RulesError(
                    f"{rule} asks for {name} = {_written(bound)}, but rule {other.number} is for the same "
                    f"kernels and asks for {_written(other.bounds[name])}",
                    where=file,
                    cure="Leave one of them out.",
                )


def _written(bound: float | None) -> str:
    return "false" if bound is None else f"{bound:g}"


def _baseline(table: dict[str, Any], file: str, where: str) -> str | None:
    path = table.get("baseline")
    if path is None:
        return None
    if not isinstance(path, str) or not path:
        raise RulesError(_got(path), where=f"{where}baseline", cure="Give the path of a file.")
    return os.path.join(os.path.dirname(file), path)


def _check_names(given: Collection[str], names: Collection[str], where: str) -> None:
    for name in given:
        if name not in names:
            cut = name[:MAX_SHOWN]
            raise RulesError("there is no such name", where=where + cut, allowed=did_you_mean(cut, names))


def _got(value: object) -> str:
    return "is missing" if value is None else f"got {shown(value)}"  # TOML has no value that is nothing
