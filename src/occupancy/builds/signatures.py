"""One spelling for the signature of a kernel: compilers, profilers and demanglers write it in several.

``void blur<(int)16, (bool)1>(const float *, unsigned int)`` of Nsight Compute is
``void blur<16, true>(float const*, unsigned int)`` elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..readers.names import demangle
from .kernel_names import VERSIONED_NAMESPACE, stable_name

_TOKENS = re.compile(r"[\w$~.]+|::|[^\s\w]")
_CAST = re.compile(r"\((bool|(?:unsigned )?(?:char|short|int|long|long long)|signed char)\)(?=-?\d)")
_NUMBER = re.compile(r"(\d+)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])")
_UNNAMED = re.compile(r"\(anonymous namespace\)|<unnamed>|\{anonymous\}|_GLOBAL__N_\w*")
_VERSIONED = re.compile(rf"\b{VERSIONED_NAMESPACE}\b")
_WORD = re.compile(r"[\w$~.]+")
_OPENS = {"<": ">", "(": ")", "[": "]", "{": "}"}
_CLOSES = frozenset(_OPENS.values())

MAX_CHARACTERS = 1 << 14
"""A longer name is its own signature."""
MAX_DEPTH = 200


@lru_cache(maxsize=1 << 12)
def signature(name: str) -> str:
    """The name with its template arguments and parameters in one spelling, whoever wrote it; without the
    type that it returns, and without what the compiler adds of the place of a build.

    A name that cannot be read stays as it is.
    """
    readable = demangle(stable_name(name))
    if len(readable) > MAX_CHARACTERS or readable.startswith("_Z"):
        return readable
    text = _VERSIONED.sub(r"\1", _UNNAMED.sub("_unnamed", readable))
    text = _CAST.sub(lambda cast: "?" if cast[1] == "bool" else "", text)
    text = text.replace("?1", "true").replace("?0", "false")
    tokens = _TOKENS.findall(text)[::-1]
    spelled = _spelled(tokens, "", 0)
    return spelled.removeprefix("void ") if not tokens else readable


def _spelled(tokens: list[str], end: str, depth: int) -> str:
    """The tokens up to a closing bracket, which is taken too; they stand in the reverse order."""
    done: list[str] = []
    words: list[str] = []
    is_joined = False
    """Whether what comes next belongs to the word before: after ``::``."""
    while tokens:
        token = tokens.pop()
        if token == end:
            break
        if token in _CLOSES or depth > MAX_DEPTH:
            tokens.append(token)
            break
        if _WORD.fullmatch(token):
            word = number[1] if (number := _NUMBER.fullmatch(token)) else token
            if is_joined and words:
                words[-1] += word
            else:
                words.append(word)
            is_joined = False
            continue
        if token == "::":
            is_joined = bool(words)
            if words:
                words[-1] += token
            continue
        is_joined = False
        if token == "<" and words:
            # What follows a name is part of it, as in ``foo<int> const*`` and ``const foo<int> *``.
            words[-1] += f"<{_spelled(tokens, '>', depth + 1)}>"
            continue
        done.append(_in_order(words))
        words = []
        done.append(
            f"{token}{_spelled(tokens, _OPENS[token], depth + 1)}{_OPENS[token]}"
            if token in _OPENS
            else token
        )
    done.append(_in_order(words))
    return "".join(done)


def _in_order(words: list[str]) -> str:
    """Qualifiers may stand before a type or after it; a return type stays in front of the name."""
    qualifiers = [word for word in words if word in ("const", "volatile")]
    return " ".join([*(word for word in words if word not in ("const", "volatile")), *sorted(qualifiers)])
