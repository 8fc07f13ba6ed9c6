"""Kernel names: stable across builds, readable, short, and matched by patterns.

Names are mangled by the Itanium C++ ABI (section 5.1, ``_Z...``), which nvcc uses for device code on every
system; unmangled, from ``extern "C"`` and other compilers; or demangled, as in some profiles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from operator import attrgetter

from ..readers.record import STATIC, KernelRecord, demangle

# nvcc names an unnamed namespace after the file, between hashes of its path and of its content:
# _GLOBAL__N__9e609c31_4_a_cu_f763c035, with the length of the file's name; nvcc 13 writes an exported symbol, if
# there is one, in place of the second hash, and older versions one more number. With -rdc=true, this is also the
# prefix of a static kernel: __nv_static_25__9e609c31_4_a_cu_f763c035__Z4statPf.
_UNIT = re.compile(r"(?:_GLOBAL__N_)?_[0-9a-f]{8}_(\d{1,4})_(.+)")

# CUB and Thrust name an inline namespace after their version and the architectures of the whole build:
# CUB_300001_SM_800_900, THRUST_300001_SM_800_900_NS, _V_300500_SM_750_800.
_VERSION = r"(CUB|THRUST|_V)_\d+(?:_SM)?(?:_\d+)+(?:_NS)?"
_VERSIONED = re.compile(_VERSION)
_VERSIONED_WORD = re.compile(rf"\b{_VERSION}\b")
_VERSIONED_QUALIFIER = re.compile(rf"\b{_VERSION}::|(?<=::)(?:CUB|THRUST|_V)::")

_SUSPECT = re.compile(r"(?<=\d)(?:_GLOBAL__N__|CUB_\d|THRUST_\d|_V_\d)")
_UNNAMED = "_GLOBAL__N_"

_START = re.compile(r"_ZL?(N[rVK]*)?(?:St)?")
_LENGTH = re.compile(r"L?([1-9]\d{0,3})")

# Spellings of one demangled name in nvcc, Nsight Compute and demanglers
_CAST = re.compile(r"\((bool|(?:unsigned )?(?:char|short|int|long|long long)|signed char)\)(?=-?\d)")
_SUFFIX = re.compile(r"\b(\d+)[uUlL]{1,3}\b")
_QUALIFIER = re.compile(r"\b(?:const|volatile)\b")
_SPACE = re.compile(r"\s+(?!\w)|(?<!\w)\s+")
_UNNAMED_READABLE = re.compile(r"\(anonymous namespace\)|<unnamed>|\{anonymous\}|_GLOBAL__N_\w*")
_LAMBDA = re.compile(r"\{lambda\(([^(){}]{0,1000})\)#\d+\}|'lambda\d*'|\$_\d+")
_INNERMOST_ARGUMENTS = re.compile(r"(?<=[\w)])<[^<>]*>")
_PARENTHESIS = re.compile(r"[()]")


@lru_cache(maxsize=1 << 14)
def stable_name(name: str) -> str:
    """Return a mangled name without the paths and versions of the build."""
    start = 0
    while static := STATIC.match(name, start):  # a hostile name has thousands of these prefixes
        end = static.end() + int(static[1])
        if not _UNIT.fullmatch(name, static.end(), end):
            break
        start = end + 1
    name = name[start:]
    parts: list[str] = []
    place = 0
    for suspect in _SUSPECT.finditer(name):
        if identifier := _identifier_at(name, suspect.start(), place):
            start, end, stable = identifier
            parts += name[place:start], f"{len(stable)}{stable}"
            place = end
    return "".join(parts) + name[place:]


def _identifier_at(name: str, begin: int, place: int) -> tuple[int, int, str] | None:
    """Return the start, end and stable form of a build-dependent identifier."""
    for digits in (3, 2, 1):  # leading digits can belong to the previous identifier
        start = begin - digits
        length = name[start:begin] if start >= place else ""
        if length.isdigit() and (end := begin + int(length)) <= len(name):
            if unit := _UNIT.fullmatch(name, begin, end):
                return start, end, f"{_UNNAMED}{unit[2][: int(unit[1])]}"
            if versioned := _VERSIONED.fullmatch(name, begin, end):
                return start, end, versioned[1]
    return None


def count_kernels(records: Iterable[KernelRecord]) -> int:
    """Count kernels, each once for all of its architectures and launches."""
    numbers = Counter(map(attrgetter("name", "arch", "launches"), records))
    most = dict.fromkeys([name for name, _, _ in numbers], 1)
    for (name, _, launches), number in numbers.items():
        most[name] = max(most[name], 1 if launches else number)
    return sum(most.values())


@lru_cache(maxsize=1 << 14)
def base_name(name: str) -> str:
    """Return the name with its namespaces, without template arguments and parameters: ``ns::sgemm``.

    Unnamed and versioned namespaces are dropped. A name in an unknown format is returned unchanged.
    """
    stable = stable_name(name)
    if stable.startswith("_Z"):
        return "::".join(_identifiers(stable)) or name
    text = stable.replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    head = re.split(r"[<(]", text, maxsplit=1)[0].strip()
    return head.rpartition(" ")[2] or name  # templates begin with the return type


def last_name(name: str) -> str:
    """Return the name without its namespaces: ``sgemm`` for ``ns::sgemm``."""
    return base_name(name).rpartition("::")[2]


def _identifiers(mangled: str) -> list[str]:
    """Return the identifiers of a mangled name up to its template arguments or parameters."""
    start = _START.match(mangled)
    assert start
    place, identifiers = start.end(), []
    while length := _LENGTH.match(mangled, place):
        place = length.end() + int(length[1])
        identifier = mangled[length.end() : place]
        if not identifier.startswith(_UNNAMED) and identifier not in ("CUB", "THRUST"):
            identifiers.append(identifier)
        if not start[1]:
            break  # not in a namespace: parameters follow
    return identifiers


@lru_cache(maxsize=1 << 14)
def short_name(name: str) -> str:
    """Return the demangled name without parameters, return type and versioned namespaces."""
    return without_parameters(demangle(name))


def template_name(name: str) -> str:
    """Return the short name without template arguments: ``ns::A::run`` for ``ns::A<int>::run<3>``."""
    short = short_name(name)
    for _ in range(100):  # nested deeper only in hostile names, for which all levels would take seconds
        short = _INNERMOST_ARGUMENTS.sub("", short)
    return short


def short_names(kernels: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Return the short names of demangled ones; overloads of one architecture keep their parameters."""
    kernels = set(kernels)
    short = {name: without_parameters(name) for name, _ in kernels}
    alike = Counter((short[name], arch) for name, arch in kernels)
    overloaded = {name for (name, _), number in alike.items() if number > 1}
    return {name: name.removeprefix("void ") if each in overloaded else each for name, each in short.items()}


def without_parameters(readable: str) -> str:
    """Remove parameters, return type and versioned namespaces from a demangled name."""
    name = _VERSIONED_QUALIFIER.sub("", readable).removeprefix("void ")
    if name.endswith(")"):
        depth = 0
        for bracket in reversed([*_PARENTHESIS.finditer(name, 1)]):
            depth += 1 if bracket[0] == ")" else -1
            if depth == 0:
                return name[: bracket.start()]
    return name


@lru_cache(maxsize=1 << 12)
def signature(name: str) -> str:
    """Return the normalized demangled name without return type, qualifiers and generated parts.

    Nsight Compute's ``void blur<(int)16, (bool)1>(const float *, unsigned int)`` becomes
    ``blur<16,true>(float*,unsigned int)``.
    """
    text = _UNNAMED_READABLE.sub("_unnamed", demangle(stable_name(name)))
    text = _CAST.sub(lambda cast: "?" if cast[1] == "bool" else "", _VERSIONED_WORD.sub(r"\1", text))
    text = text.replace("?1", "true").replace("?0", "false")
    return _SPACE.sub("", _QUALIFIER.sub("", _SUFFIX.sub(r"\1", text))).removeprefix("void ")


def unparametrized(name: str) -> str:
    """Return the signature without parameters and lambda numbers."""
    return without_parameters(signature(_LAMBDA.sub(r"{lambda(\1)}", demangle(stable_name(name)))))


@lru_cache(maxsize=1 << 12)
def pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern for whole names: ``*`` is any text, ``?`` one character; brackets are literal.

    Spaces around punctuation do not count, so that names are compared without them: ``tile<16,float>``.
    `fnmatch.translate` never backtracks from one star into the previous one.
    """
    return re.compile(translate(_SPACE.sub("", text).replace("[", "[[]")))


@lru_cache(maxsize=1 << 14)
def matches(text: str, name: str) -> bool:
    """Return True if a pattern matches any complete name of a kernel.

    The names are ``blur``, ``img::blur``, the demangled name with template arguments, with and without return
    type and parameters, and the mangled name.
    """
    if text == "*":
        return True
    match = pattern(text).match
    if any(match(each) for each in (base_name(name), last_name(name), name)):
        return True
    readable = demangle(name)
    spellings = (short_name(name), readable, readable.removeprefix("void "))
    return any(match(_SPACE.sub("", each)) for each in spellings)


def contains(parts: tuple[str, ...], name: str) -> bool:
    """Return True if the mangled or demangled name contains one of the parts, ignoring case."""
    # Screens replace the middle of a long name by dots.
    compiled = [pattern(f"*{part.casefold().replace('...', '*')}*") for part in parts]
    names = [_SPACE.sub("", text).casefold() for text in (name, demangle(name))]
    return any(each.match(text) for text in names for each in compiled)
