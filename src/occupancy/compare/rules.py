"""Rules for the kernels of a build, as Python objects or in a TOML file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple, TypeVar

from ..builds.names import matches
from ..builds.rows import LAUNCH_SIZES, parse_block_size
from ..builds.select import names_there
from ..errors import MAX_SHOWN, ErrorCollector, InputError, OccupancyError, Place, RulesError, invalid, shown
from ..readers import KernelRecord
from ..tables.files import PYPROJECT, read_toml, settings_in
from ..tables.gpus import compute_capabilities_of
from ..values.fields import MAX_BARRIERS_PER_BLOCK, MAX_REGISTERS_PER_THREAD, reject_unknown
from ..values.limits import ComputeCapability
from ..values.records import readable
from ..values.spellings import INT_MAX, did_you_mean, nearest_names, parse_share, parse_size
from .diff import Measure

RULES_FILE = "occupancy.toml"

Patterns = str | Sequence[str]


class Criterion(NamedTuple):
    measure: Measure
    compares: bool
    """True for the change since the baseline, False for the value alone."""
    most: int = 1
    """Largest bound; 0 to 1 for an occupancy and its drop."""


CRITERIA: Mapping[str, Criterion] = {
    "min_occupancy": Criterion("occupancy", compares=False),
    "max_regs": Criterion("regs", False, MAX_REGISTERS_PER_THREAD),
    "max_spill_bytes": Criterion("spill_bytes", False, INT_MAX),
    "max_stack_bytes": Criterion("stack_bytes", False, INT_MAX),
    "max_smem": Criterion("smem", False, INT_MAX),
    "max_barriers": Criterion("barriers", False, MAX_BARRIERS_PER_BLOCK),
    "max_occupancy_drop": Criterion("occupancy", compares=True),
    "max_regs_growth": Criterion("regs", True, MAX_REGISTERS_PER_THREAD),
    "no_new_spills": Criterion("spill_bytes", True, 0),
    "no_new_smem_spills": Criterion("spill_smem", True, 0),
    "max_stack_growth": Criterion("stack_bytes", True, INT_MAX),
    "max_smem_growth": Criterion("smem", True, INT_MAX),
}
"""Criteria by name. A criterion with a largest bound of 0 is a switch."""


@dataclass(frozen=True, kw_only=True)
class RuleEntry:
    """Rule or exemption: its kernels. Parsed values replace their spellings."""

    kernels: Patterns = "*"
    """Patterns of names: ``*`` matches any text, ``?`` one character, and a leading ``!`` excludes."""
    arch: Any = ()
    """Architectures, such as ``"sm_90"`` or ``"hopper"``, or a list; empty for all."""
    place: Place | None = field(default=None, compare=False, repr=False)
    """Position in a file."""

    def __new__(cls, **values: Any) -> Any:
        reject_unknown(values, cls, [each.name for each in fields(cls)])
        return super().__new__(cls)

    def _read_selectors(self, errors: ErrorCollector) -> None:
        kernels = errors.call(_texts, self.kernels, "kernels", 'patterns such as "sgemm*"')
        object.__setattr__(self, "kernels", kernels or ("*",))
        archs = [self.arch] if isinstance(self.arch, (str, int, ComputeCapability)) else self.arch
        if not isinstance(archs, Collection) or isinstance(archs, Mapping):
            errors.add(_wrong(self.arch, "arch", 'Write "sm_90", or a list.'))
            archs = ()
        parsed = [errors.call(_parsed, "arch", compute_capabilities_of, arch) or [] for arch in archs]
        object.__setattr__(self, "arch", tuple(cc for ccs in parsed for cc in ccs))

    @property
    def about(self) -> str:
        """Kernels in one line: ``sgemm* on sm_90``."""
        archs = ", ".join(arch.sm for arch in self.arch)
        return f"{', '.join(self.kernels)}{' on ' if archs else ''}{archs}"

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """Patterns that include kernels."""
        return tuple(each for each in self.kernels if not each.startswith("!")) or ("*",)

    def matching(self, record: KernelRecord) -> tuple[str, ...]:
        """Return the patterns that match a kernel; none if its name or architecture is excluded.

        Variants such as ``sm_90a`` match ``sm_90``.
        """
        if self.arch and record.compute_capability not in self.arch:
            return ()
        if any(each.startswith("!") and matches(each[1:], record.name) for each in self.kernels):
            return ()
        return tuple(each for each in self.patterns if matches(each, record.name))

    def idle_patterns(self, records: Iterable[KernelRecord]) -> list[str]:
        """Return the patterns that match no kernel."""
        matched = {pattern for record in records for pattern in self.matching(record)}
        idle = [pattern for pattern in self.patterns if pattern not in matched]
        return list(self.kernels) if idle == ["*"] else idle


@readable
@dataclass(frozen=True, kw_only=True)
class Rule(RuleEntry):
    """Limits for some kernels. False turns off a limit of an earlier rule.

    ``min_`` and ``max_`` limit a value; ``_drop``, ``_growth`` and ``no_new_`` limit its change since the baseline.
    Occupancies are numbers from 0 to 1 or text such as ``"75%"``. Sizes are bytes or text such as ``"48k"``.
    """

    threads: Any = None
    """Threads per block of kernels whose files do not record them."""
    dynamic_smem: Any = None
    """Dynamic shared memory per block of kernels whose files do not record it."""
    min_occupancy: float | str | bool | None = None
    max_regs: int | bool | None = None
    max_spill_bytes: int | str | bool | None = None
    max_stack_bytes: int | str | bool | None = None
    max_smem: int | str | bool | None = None
    max_barriers: int | bool | None = None
    max_occupancy_drop: float | str | bool | None = None
    """Largest drop since the baseline; 0.05 is 5 percentage points."""
    max_regs_growth: int | bool | None = None
    no_new_spills: bool | None = None
    no_new_smem_spills: bool | None = None
    max_stack_growth: int | str | bool | None = None
    max_smem_growth: int | str | bool | None = None

    def __post_init__(self) -> None:
        parsers = {**LAUNCH_SIZES, **{name: partial(_bound, name) for name in CRITERIA}}
        values = {name: getattr(self, name) for name in parsers if getattr(self, name) is not None}
        with ErrorCollector() as errors:
            if not values:
                errors.add(RulesError("no limit is set", allowed=", ".join(CRITERIA)))
            self._read_selectors(errors)
            for name, value in values.items():
                object.__setattr__(self, name, errors.call(_parsed, name, parsers[name], value))

    @cached_property
    def bounds(self) -> dict[str, float | None]:
        """Criteria and their bounds; None if the kernels are exempt."""
        values = ((name, getattr(self, name)) for name in CRITERIA)
        return {name: None if value is False else value for name, value in values if value is not None}

    @cached_property
    def demands(self) -> dict[str, float]:
        """Criteria and their bounds, without exempting ones."""
        return {name: bound for name, bound in self.bounds.items() if bound is not None}


@readable
@dataclass(frozen=True, kw_only=True)
class Exemption(RuleEntry):
    """Exemption of kernels from rules, with a reason."""

    reason: str = ""
    """Reason, which is required."""
    rules: Patterns = ()
    """Criteria that the kernels can break; empty for all."""
    until: date | str | None = None
    """Last day of the exemption; None without an end."""

    def __post_init__(self) -> None:
        with ErrorCollector() as errors:
            self._read_selectors(errors)
            if not isinstance(self.reason, str) or not self.reason:
                errors.add(_wrong(self.reason or None, "reason", 'Add reason = "rewritten in #123".'))
            if self.rules:
                names = errors.call(_texts, self.rules, "rules", '"min_occupancy", or a list') or ()
                for name in names:
                    if name not in CRITERIA:
                        errors.add(_unknown(name, CRITERIA, f"rules: {name[:MAX_SHOWN]}"))
                object.__setattr__(self, "rules", names)
            if self.until is not None:
                object.__setattr__(self, "until", errors.call(_day, self.until))


@dataclass(frozen=True)
class Rules:
    """Rules of a check."""

    source: str = ""
    """Path of the file."""
    rules: tuple[Rule, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    baseline: str | None = None
    """Path of the baseline, relative to the current folder."""
    allow_removed: tuple[str, ...] = ()
    """Patterns of kernels that can be removed."""
    threads: int | None = None
    """Threads per block of kernels whose files do not record them."""


Entry = TypeVar("Entry", Rule, Exemption)
Value = TypeVar("Value")


def _wrong(value: object, where: str | Place, hint: str = "", allowed: str = "") -> RulesError:
    return RulesError(invalid(value), where=where, hint=hint, allowed=allowed)


def _texts(value: object, where: str | Place, example: str) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, (list, tuple)) and texts and all(isinstance(each, str) and each for each in texts):
        return tuple(texts)
    raise _wrong(value, where, f"Write {example}.")


def removable(value: object, where: str | Place = "allow_removed") -> tuple[str, ...]:
    if isinstance(value, bool):
        return ("*",) if value else ()
    return _texts(value, where, 'true, false, or patterns such as "old_*"')


def _parsed(where: str | Place, parse: Callable[..., Value], *arguments: object) -> Value:
    try:
        return parse(*arguments)
    except InputError as error:
        raise error.with_location(where, RulesError) from None


def _day(value: object) -> date:
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        day = None
    if not isinstance(day, date) or isinstance(day, datetime):
        raise _wrong(value, "until", "Write the last day, such as 2027-03-31.")
    return day


def _bound(name: str, value: Any) -> float | bool:
    criterion = CRITERIA[name]
    if value is False:
        return False
    if criterion.most == 0:
        if value is not True:
            raise _wrong(value, name, allowed="true or false")
        return 0
    if criterion.measure == "occupancy":
        share = parse_share(value, name)
        if criterion.compares and share == 1:  # no drop is larger
            raise _wrong(value, name, "No drop exceeds 100 percentage points. For one, write '1%'.")
        return share
    if isinstance(value, str) and criterion.measure not in ("regs", "barriers"):
        value = parse_size(value, name)
    if type(value) is not int or not 0 <= value <= criterion.most:
        problem = f"{shown(value)} is {'out of range' if type(value) is int else 'not an integer'}"
        raise RulesError(problem, where=name, allowed=f"0 to {criterion.most:,}")
    return value


def _unknown(name: str, names: Collection[str], where: str | Place) -> RulesError:
    return RulesError("is unknown", where=where, **did_you_mean(name[:MAX_SHOWN], names))


_NAMES = ("allow_removed", "baseline", "threads", "rules", "exemptions")


def read_rules(path: str | os.PathLike[str]) -> Rules:
    """Read rules from a TOML file (docs/reference/rules.md); an error lists all mistakes.

    In ``pyproject.toml``, the rules are below ``tool.occupancy``.
    """
    file = os.fspath(path)
    table, lines = read_toml(file, RulesError)
    above = "tool.occupancy." if os.path.basename(file) == PYPROJECT else ""
    table = settings_in(table) if above else table
    own = lines.get(above.rstrip("."), [{}])[0]

    def at(name: str) -> Place:
        line = own.get(name) or lines.get(f"{above}{name}", [{}])[0].get("")
        return Place(file, line, f"{above}{name[:MAX_SHOWN]}")

    with ErrorCollector() as errors:

        def read_entries(name: str, make: type[Entry]) -> list[Entry | None]:
            entries = table.get(name, [])
            if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
                problem = "is a single table" if isinstance(entries, dict) else invalid(entries)
                errors.add(RulesError(problem, where=at(name), hint=f"Write [[{above}{name}]]."))
                return []
            heads, results = lines.get(f"{above}{name}", []), []
            for number, entry in enumerate(entries, 1):
                keys = heads[number - 1] if len(heads) == len(entries) else {}
                results.append(errors.call(_entry, entry, make, file, keys, f"{name[:-1]} {number}"))
            return results

        unknown = [name for name in table if name not in _NAMES]
        for name in unknown:
            errors.add(_unknown(name, _NAMES, at(name)))
        if not table.get("rules") and not any("rules" in nearest_names(name, _NAMES) for name in unknown):
            hint = f"Add [[{above}rules]] with max_occupancy_drop = 0 below it."
            errors.add(RulesError("are missing", where=at("rules"), hint=hint))
        baseline, threads = table.get("baseline"), table.get("threads")
        if isinstance(baseline, str):
            baseline = os.path.join(os.path.dirname(file), baseline)
        elif baseline is not None:
            errors.add(_wrong(baseline, at("baseline"), "Write the path of a file."))
        if threads is not None:
            threads = errors.call(_parsed, at("threads"), parse_block_size, threads)
        rules, exemptions = read_entries("rules", Rule), read_entries("exemptions", Exemption)
        allowed = errors.call(removable, table.get("allow_removed", False), at("allow_removed"))
        by_line = sorted(errors.found.items(), key=lambda each: getattr(each[1].place, "line", 0) or inf)
        errors.found = dict(by_line)
        entries = tuple(filter(None, rules)), tuple(filter(None, exemptions))
        return Rules(file, *entries, baseline, allowed, threads)


def idle_error(number: int, rule: Rule, idle: Sequence[str], known: Iterable[KernelRecord]) -> RulesError:
    names, ccs = ({getattr(each, name) for each in known} for name in ("name", "compute_capability"))
    archs = f" on {', '.join(arch.sm for arch in rule.arch)}" if rule.arch else ""
    near = names_there(idle[0].strip("*"), names)
    if rule.arch and ccs.isdisjoint(rule.arch):
        near["hint"] = f"There is code for {', '.join(cc.sm for cc in sorted(ccs - {None}))}."
    problem = f"rule {number} matches no kernel: {', '.join(idle)}{archs}"
    near["hint"] = f"Correct or remove it. {near['hint']}"
    return RulesError(problem, where=rule.place or "", **near)


def _entry(
    entry: dict[str, Any], make: type[Entry], file: str, lines: Mapping[str, int], where: str
) -> Entry | None:
    """Return a rule or an exemption from a table; errors have the line of the key in the file."""
    names = [each.name for each in fields(make) if each.name != "place"]
    values: dict[str, Any] = {"kernels": None, "reason": None} if make is Exemption else {}

    def at(name: str) -> Place:
        line = lines.get(name.partition(":")[0], lines.get(""))
        return Place(file, line, f"{where}: {name}" if name else where)

    with ErrorCollector() as errors:
        for name, value in entry.items():
            if name not in names:
                errors.add(_unknown(name, names, at(name[:MAX_SHOWN])))
                continue
            values[name] = value
            if "occupancy" in name and type(value) in (int, float):
                values[name] = f"{value}%"  # a plain number is a fraction in Python
                if 0 < value < 1 or (name == "min_occupancy" and value == 1):
                    hint = f'It is in percent: write {100 * value:g}, or "{value}%".'
                    errors.add(_wrong(value, at(name), hint))
        try:
            return make(**values, place=Place(file, lines.get("")))
        except OccupancyError as error:
            for each in error.every:
                if each.where or entry.keys() <= set(names):  # suppress "no limit" if the limit is misspelled
                    errors.add(each.with_location(at(each.where), RulesError))
    return None


def find_rules() -> str | None:
    """Return ``occupancy.toml`` in the current folder, or ``pyproject.toml`` with ``[tool.occupancy]``."""
    if os.path.exists(RULES_FILE):
        return RULES_FILE
    has_table = os.path.exists(PYPROJECT) and settings_in(read_toml(PYPROJECT, RulesError)[0])
    return PYPROJECT if has_table else None
