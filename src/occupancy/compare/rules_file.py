"""Rules from a TOML file, or from ``[tool.occupancy]`` of a ``pyproject.toml``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from ..errors import MAX_SHOWN, InputError, Mistakes, RulesError, shown
from ..tables.files import PYPROJECT, read_toml, read_toml_with_lines, tools
from ..values.limits import ComputeCapability
from ..values.spellings import INT_MAX, did_you_mean, parse_size, parse_threads
from .rules import CRITERIA, IN_BYTES, Exemption, Launches, Rule, Rules

T = TypeVar("T")
E = TypeVar("E")

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
            asks the same of the same kernels twice. It has all that is wrong.
    """
    file = os.fspath(path)
    table, lines = read_toml_with_lines(file, RulesError)
    above = ""
    if os.path.basename(file) == PYPROJECT:
        table, above = _tool_table(table, file), "tool.occupancy."
    where = f"{file}: {above}"
    with Mistakes() as found:
        found.by(_check_names, table, _NAMES, where)

        def entries(name: str, read: Callable[[int, dict[str, Any], str], E]) -> tuple[E, ...]:
            tables = found.by(_tables, table, name, file, above, lines)
            return tuple(filter(None, (found.by(read, *each) for each in tables or ())))

        rules = entries("rules", _read_rule)
        found.by(_check_for_contradictions, rules)
        return Rules(
            file,
            rules,
            entries("launches", _read_launches),
            found.by(_baseline, table, file, where),
            entries("exemptions", _read_exemption),
            found.by(_removable, table.get("allow_removed", False), f"{where}allow_removed"),
            found.by(_threads, table["threads"], f"{where}threads") if "threads" in table else None,
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
        raise RulesError("has no table [tool.occupancy]", where=file, hint=_EXAMPLE)
    return table


def _tables(
    table: dict[str, Any], name: str, file: str, above: str, lines: Mapping[str, Sequence[int]]
) -> list[tuple[int, dict[str, Any], str]]:
    """Each table of a list: its number, itself, and where it stands.

    Args:
        table: What holds the list.
        name: Which one.
        file: The file.
        above: The name of what holds the list, with a dot behind it.
        lines: The lines at which tables begin.
    """
    entries, where = table.get(name, []), f"{file}: {above}{name}"
    if name == "rules" and (not isinstance(entries, list) or not entries):
        raise RulesError("there is no rule", where=where, hint=_EXAMPLE)
    if not isinstance(entries, list):
        raise RulesError(_got(entries), where=where, hint=f"Write tables [[{name}]].")
    begin = lines.get(f"{above}{name}", ())
    tables = []
    with Mistakes() as found:
        for number, entry in enumerate(entries, 1):
            line = f", line {begin[number - 1]}" if len(begin) == len(entries) else ""
            place = f"{file}{line}: {above}{name}[{number}]"
            if isinstance(entry, dict):
                tables.append((number, entry, place))
            else:
                found.keep(RulesError(_got(entry), where=place, hint=f"Write a table [[{name}]]."))
    return tables


def _read_rule(number: int, entry: dict[str, Any], place: str) -> Rule:
    where = f"{place}."
    with Mistakes() as found:
        found.by(_check_names, entry, (*_SELECTORS, *CRITERIA), where)
        asked = {name: value for name, value in entry.items() if name in CRITERIA}
        if not asked and set(entry) <= set(_SELECTORS):
            found.keep(RulesError("asks for nothing", where=place, allowed=", ".join(CRITERIA)))
        bounds = {name: found.by(_bound, name, value, where) for name, value in asked.items()}
        return Rule(number, *_selected(entry, where, found), bounds, place=place)


def _read_exemption(number: int, entry: dict[str, Any], place: str) -> Exemption:
    where = f"{place}."
    with Mistakes() as found:
        found.by(_check_names, entry, (*_SELECTORS, "rules", "reason", "until"), where)
        criteria: tuple[str, ...] = ()
        if "rules" in entry:
            criteria = found.by(_texts, entry["rules"], f"{where}rules", '"min_occupancy", or a list')
            found.by(_check_names, criteria or (), tuple(CRITERIA), f"{where}rules: ")
        reason = found.by(_text, entry.get("reason"), f"{where}reason", "a sentence that says why")
        until = found.by(_day, entry.get("until"), f"{where}until")
        selected = _selected(entry, where, found, default=None)
    return Exemption(number, *selected, criteria, reason, until, place=place)


def _day(value: Any, where: str) -> date:
    """A day, also as text: quotation marks around it are a common slip, and what is meant is plain."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        day = None
    if not isinstance(day, date) or isinstance(day, datetime):
        raise RulesError(_got(value), where=where, hint="Give the last day, such as 2027-03-31.")
    return day


def _read_launches(number: int, entry: dict[str, Any], place: str) -> Launches:
    where, names = f"{place}.", ("threads", "dynamic_smem")
    with Mistakes() as found:
        found.by(_check_names, entry, (*_SELECTORS, *names), where)
        if set(entry) <= set(_SELECTORS):
            found.keep(RulesError("states nothing", where=place, allowed=", ".join(names)))
        threads = entry.get("threads", [])
        listed = threads if isinstance(threads, list) else [threads]
        sizes = tuple(found.by(_threads, each, f"{where}threads") for each in listed)
        if "threads" in entry and not sizes:
            found.keep(
                RulesError(_got(threads), where=f"{where}threads", hint="Give a block size, or several.")
            )
        dynamic = None
        if "dynamic_smem" in entry:
            dynamic = found.by(_parsed, parse_size, entry["dynamic_smem"], f"{where}dynamic_smem")
        selected = _selected(entry, where, found)
    return Launches(number, *selected, tuple(dict.fromkeys(sizes)), dynamic, place=place)


def _threads(value: object, where: str) -> int:
    """Threads per block: a number, or the text of a shape."""
    threads = _parsed(lambda each, _: parse_threads(each)[0], value, where)
    if not 1 <= threads <= INT_MAX:
        raise RulesError(_got(value), where=where, allowed=f"1 to {INT_MAX:,}")
    return threads


def _parsed(parse: Callable[[Any, str], T], value: object, where: str) -> T:
    if not isinstance(value, (int, str)) or isinstance(value, bool):
        raise RulesError(_got(value), where=where, hint="Give a number, or a text such as '16x16' or '48k'.")
    try:
        return parse(value, where)
    except InputError as error:
        raise error.elsewhere(where, RulesError) from error


def _text(value: object, where: str, example: str) -> str:
    if not isinstance(value, str) or not value:
        raise RulesError(_got(value), where=where, hint=f"Give {example}.")
    return value


def _texts(value: object, where: str, example: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        return (_text(value, where, example),)
    if not value or not all(isinstance(each, str) and each for each in value):
        raise RulesError(_got(value), where=where, hint=f"Give {example}.")
    return tuple(value)


def _selected(
    entry: dict[str, Any], where: str, found: Mistakes, default: str | None = "*"
) -> tuple[tuple[str, ...], tuple[ComputeCapability, ...]]:
    """The kernels and the architectures that an entry is for; by default all of them."""
    kernels = entry.get("kernels", default)
    return (
        found.by(_texts, kernels, f"{where}kernels", 'patterns such as "sgemm*"'),
        found.by(_archs, entry, where),
    )


def _archs(entry: dict[str, Any], where: str) -> tuple[ComputeCapability, ...]:
    where += "arch"
    texts = _texts(entry["arch"], where, '"sm_90", or a list') if "arch" in entry else ()
    with Mistakes() as found:
        return tuple(
            found.by(_parsed, lambda each, _: ComputeCapability.parse(each), text, where) for text in texts
        )


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
    if is_share and isinstance(value, str):
        value = _percent(value)
    is_number = isinstance(value, (int, float) if is_share else int) and value is not True
    if not is_number or not criterion.least <= value <= criterion.most:  # type: ignore[operator]
        hint = "A share of 1 is written in percent: 50, not 0.5." if is_share else ""
        raise RulesError(_got(value), where=where, allowed=allowed, hint=hint)
    return value  # type: ignore[return-value]


def _percent(text: str) -> float | str:
    """The number of a text such as ``5%``; any other text as it is."""
    number = text.strip().removesuffix("%").strip()
    is_percent = text.strip().endswith("%") and re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,9})?", number)
    return float(number) if is_percent else text


def _check_for_contradictions(rules: Sequence[Rule]) -> None:
    """Two rules for just the same kernels may not both speak of the same criterion."""
    first: dict[tuple[object, ...], Rule] = {}
    with Mistakes() as found:
        for rule in rules:
            for name, bound in rule.bounds.items():
                other = first.setdefault((frozenset(rule.kernels), frozenset(rule.archs), name), rule)
                if other is not rule:
                    found.keep(
                        RulesError(
                            f"{rule} asks for {name} = {_written(bound)}, but rule {other.number} is for the "
                            f"same kernels and asks for {_written(other.bounds[name])}",
                            where=rule.file_and_line,
                            hint="Leave one of them out.",
                        )
                    )


def _written(bound: float | None) -> str:
    return "false" if bound is None else f"{bound:g}"


def _baseline(table: dict[str, Any], file: str, where: str) -> str | None:
    path = table.get("baseline")
    if path is None:
        return None
    if not isinstance(path, str) or not path:
        raise RulesError(_got(path), where=f"{where}baseline", hint="Give the path of a file.")
    return os.path.join(os.path.dirname(file), path)


def _check_names(given: Collection[str], names: Collection[str], where: str) -> None:
    with Mistakes() as found:
        for name in given:
            if name not in names:
                cut = name[:MAX_SHOWN]
                allowed = did_you_mean(cut, names)
                found.keep(RulesError("there is no such name", where=where + cut, allowed=allowed))


def _got(value: object) -> str:
    return "is missing" if value is None else f"got {shown(value)}"  # TOML has no value that is nothing
