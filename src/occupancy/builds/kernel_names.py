"""What stays of a kernel's name when its code is compiled elsewhere, or changed a little.

Names are those of the Itanium C++ ABI (section 5.1, ``_Z...``), which nvcc uses for device code on every
system; plain names, as ``extern "C"`` and other compilers make them; and readable names, which is all
that some profiles have.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, lru_cache

from .patterns import compiled

# nvcc names an unnamed namespace after the file, between a hash of its path and one of its content:
# _GLOBAL__N__9e609c31_4_a_cu_f763c035, with one more number from older versions. With -rdc=true, the
# same stands in front of a static kernel: __nv_static_25__9e609c31_4_a_cu_f763c035__Z4statPf.
_UNIT = re.compile(r"(?:_GLOBAL__N_)?_[0-9a-f]{8}_\d+_(.+)_[0-9a-f]{8}(?:_\d+)?")
_STATIC = re.compile(r"__nv_static_(\d{1,4})_")

VERSIONED_NAMESPACE = r"(CUB|THRUST|_V)_\d+(?:_SM)?(?:_\d+)+(?:_NS)?"
"""How CUB and Thrust name an inline namespace after their version and the architectures of the whole build:
``CUB_300001_SM_800_900``, ``THRUST_300001_SM_800_900_NS``, ``_V_300500_SM_750_800``."""
_VERSIONED = re.compile(VERSIONED_NAMESPACE)

_SUSPECT = re.compile(r"(?<=\d)(?:_GLOBAL__N__|CUB_\d|THRUST_\d|_V_\d)")

_UNNAMED = "_GLOBAL__N_"

_NUMBERS = re.compile(r"_?v?\d+")
LEAST_NAME = 3
"""Letters that must be left of a name without numbers to recognise a kernel by it."""

_START = re.compile(r"_ZL?(N[rVK]*)?(?:St)?")
_LENGTH = re.compile(r"L?([1-9]\d{0,3})")


@lru_cache(maxsize=1 << 14)
def stable_name(name: str) -> str:
    """The name without what the compiler adds of the place, the libraries and the architectures of a
    build; names that differ in nothing else become equal. It is a mangled name again."""
    name = _without_units(name)
    parts: list[str] = []
    place = 0
    for suspect in _SUSPECT.finditer(name):
        found = _identifier_at(name, suspect.start(), place)
        if found:
            start, end, stable = found
            parts += name[place:start], f"{len(stable)}{stable}"
            place = end
    return "".join(parts) + name[place:]


def _without_units(name: str) -> str:
    """The name less the units of translation in front of it; a hostile name has thousands."""
    place = 0
    while static := _STATIC.match(name, place):
        end = static.end() + int(static[1])
        if not _UNIT.fullmatch(name, static.end(), end):
            break
        place = end + 1
    return name[place:]


def _identifier_at(name: str, begin: int, place: int) -> tuple[int, int, str] | None:
    """Where an identifier that depends on the build, and begins there, has its length, and where it ends;
    and what to put in its place."""
    for digits in (3, 2, 1):  # the first of them may belong to the identifier before
        start = begin - digits
        length = name[start:begin] if start >= place else ""
        if length.isdigit():
            end = begin + int(length)
            stable = _stable_identifier(name[begin:end])
            if stable:
                return start, end, stable
    return None


def _stable_identifier(identifier: str) -> str | None:
    unit = _UNIT.fullmatch(identifier)
    if unit:
        return f"{_UNNAMED}{unit[1]}"
    versioned = _VERSIONED.fullmatch(identifier)
    return versioned[1] if versioned else None


@lru_cache(maxsize=1 << 14)
def base_name(name: str) -> str:
    """The kernel's name with its namespaces, without template arguments and parameters: ``ns::sgemm``.

    Namespaces without a name, and those named after a version, are left out. A name whose form is not
    known stays as it is.
    """
    stable = stable_name(name)
    if stable.startswith("_Z"):
        return "::".join(_identifiers(stable)) or name
    return _base_of_readable(stable)


def last_name(name: str) -> str:
    """The kernel's name without its namespaces: ``sgemm`` for ``ns::sgemm``."""
    return base_name(name).rpartition("::")[2]


def numberless(name: str) -> str | None:
    """That without its numbers, such as a version; None where too little is left of it."""
    left = _NUMBERS.sub("", last_name(name)).strip("_")
    return left if len(left) >= LEAST_NAME else None


def _identifiers(mangled: str) -> list[str]:
    """The identifiers of a mangled name, up to its first template argument or its parameters."""
    start = _START.match(mangled)
    assert start
    place, found = start.end(), []
    while length := _LENGTH.match(mangled, place):
        place = length.end() + int(length[1])
        identifier = mangled[length.end() : place]
        if not identifier.startswith(_UNNAMED) and identifier not in ("CUB", "THRUST"):
            found.append(identifier)
        if not start[1]:
            break  # not in a namespace: what follows are parameters
    return found


def _base_of_readable(name: str) -> str:
    text = name.replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    head = re.split(r"[<(]", text, maxsplit=1)[0].strip()
    return head.rpartition(" ")[2] or name  # a template has the type that it returns in front


_VERSIONED_QUALIFIER = re.compile(rf"\b{VERSIONED_NAMESPACE}::")


def without_parameters(readable: str) -> str:
    """A readable name without its parameters, which launches do not need to be distinguished, without what
    a template returns, and without namespaces of a library's version, longer than the names in them."""
    name = _VERSIONED_QUALIFIER.sub("", readable).removeprefix("void ")
    if name.endswith(")"):
        depth = 0
        for position in range(len(name) - 1, 0, -1):
            depth += {")": 1, "(": -1}.get(name[position], 0)
            if depth == 0:
                return name[:position]
    return name


class Names:
    """All names of one kernel, for patterns; what costs time is found when it is asked for.

    Args:
        name: The mangled name.
        demangle: Makes it readable.
    """

    def __init__(self, name: str, demangle: Callable[[str], str]) -> None:
        self._name = name
        self._demangle = demangle

    @cached_property
    def _short(self) -> tuple[str, ...]:
        return base_name(self._name), last_name(self._name), self._name

    @cached_property
    def _readable(self) -> tuple[str, ...]:
        whole = self._demangle(self._name).removeprefix("void ")
        return without_parameters(whole), whole

    def match(self, pattern: str) -> bool:
        """Whether a pattern matches one of the names as a whole: ``*`` is any text, ``?`` one character.

        The names are ``blur`` and ``img::blur`` as well as the readable name with its template arguments,
        with its parameters and without, and the mangled one.
        """
        if pattern == "*":
            return True
        matches = compiled(pattern).matches
        return any(map(matches, self._short)) or any(map(matches, self._readable))
