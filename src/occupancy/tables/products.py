"""The list of GPUs by name (``data/gpus.csv``), and the search in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, takewhile, zip_longest

from . import shipped

FILE_NAME = "gpus.csv"
MAX_NAME = 100
"""Maximum length of a GPU's name."""
MAX_SUGGESTIONS = 8
MIN_LIKENESS = 0.74
"""Minimum similarity of a suggestion (difflib)."""

# Words that are optional in a name.
_NOISE = "nvidia|geforce|tesla|gpu|graphics|edition|with|design"
_FAMILIES = frozenset(["quadro", "rtx", "gtx", "gts", "gt"])
_WORD = r"[a-z0-9]+"
_REVISION = r" Rev\. \d+"
_MOBILE = "Mobile|Max-Q"


@dataclass(eq=False, slots=True)
class Product:
    """Row of the list, with its search keys."""

    row: dict[str, str]
    names: frozenset[str]
    """Keys of the full name, with and without die and revision, and of the other name."""
    short_name: str
    """Key of the name without its family: 4090, a6000."""
    text: str
    """Words for the search."""


@cache
def products() -> tuple[Product, ...]:
    import csv  # only needed for names

    with open(shipped.data_path(FILE_NAME), encoding="utf-8", newline="") as file:
        return tuple(map(_product, csv.DictReader(file)))


def _product(row: dict[str, str]) -> Product:
    name, die, other_name = row["name"], row["die"], row["also_called"]
    # The driver reports the same name for every revision and every die.
    common = re.sub(_REVISION, "", name)
    without_die = common.removesuffix(die)
    if any(letter.isdigit() for letter in without_die):  # otherwise the die is the name: Quadro GP100
        common = without_die
    memory = f"{row['memory_gb']} GB" if row["memory_gb"] else ""
    architecture = shipped.limits(row["compute_capability"]).architecture
    described = f"{name} {other_name} {die} {row['market']} {memory} {architecture}"
    return Product(
        row,
        frozenset(map(_key, (name, f"{name} {die}", common, other_name))),
        "".join(word for word in _words(common) if word not in _FAMILIES),
        " ".join(re.findall(_WORD, described.lower())),
    )


def with_full_name(name: str) -> Sequence[Product]:
    key = _key(name)
    named = [each for each in products() if key and key in each.names]
    return named or [each for each in products() if key and key == each.short_name]


def matching(pattern: str) -> Sequence[Product]:
    """Return the GPUs with every word of the pattern in name, architecture, die, market or memory."""
    words = _words(pattern) or re.findall(_WORD, pattern.lower())
    return (
        _with_all(words)
        or _with_all(["".join(words)])  # MX 450
        or _with_all([word for word in words if word != "quadro"])  # Quadro RTX A6000, a common mistake
    )


def _with_all(words: list[str]) -> Sequence[Product]:
    expressions = [_expression(word) for word in words if word]
    return [
        each for each in products() if expressions and all(word.search(each.text) for word in expressions)
    ]


def _expression(word: str) -> re.Pattern[str]:
    # Letters and digits can be separate (RTX4090, 80GB), and a number can follow (SXM in SXM5). A10 does not
    # match A10G, and 6000 does not match A6000.
    parts = re.findall(r"[a-z]+|[0-9]+", word)
    return re.compile(rf"\b{' ?'.join(parts)}(?![a-z]){r'(?![0-9])' if parts[-1].isdigit() else ''}")


def _words(text: str) -> list[str]:
    return re.findall(_WORD, re.sub(_NOISE, " ", text.lower()))


def _key(text: str) -> str:
    return "".join(_words(text))


def similar(name: str) -> tuple[list[str], list[Product]]:
    """Return the words most similar to the beginning of a name, and GPUs that they begin."""
    from difflib import get_close_matches  # only needed for errors

    wanted = _key(name[:MAX_NAME])
    letters = re.match("[a-z]*(?=[0-9])", wanted)  # M3000 is not similar to MI300, but RTX 4090 to GTX 4090
    family = letters and ("|".join(_FAMILIES) if letters[0] in _FAMILIES else letters[0])
    start = re.compile(f"(?:{family})[0-9]" if letters else wanted[:1])
    families = {shipped.limits(cc).architecture.split()[0].lower() for cc in shipped.known()}
    starts: dict[str, list[Product]] = {family: [] for family in families}
    for product in products():
        for key in (_key(product.row["name"]), product.short_name):
            if start.match(key):
                starts.setdefault(key[: len(wanted)], []).append(product)
    close = get_close_matches(wanted, starts, MAX_SUGGESTIONS, MIN_LIKENESS)
    in_turns = chain.from_iterable(zip_longest(*(starts[key] for key in close)))  # one per key first
    return close, list(dict.fromkeys(filter(None, in_turns)))[:MAX_SUGGESTIONS]


def common_name(name: str, names: Sequence[str]) -> str:
    """Return the common prefix of the names, and the other words of ``name`` that all of them contain."""
    if "laptop" in name.lower():  # the driver's word
        names = [re.sub(_MOBILE, "Laptop", each) for each in names]
    split = [re.sub(_REVISION, "", each).split() for each in names]
    same = sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*split, strict=False)))
    words = [
        word
        for place, word in enumerate(split[0])
        if place < same or (word.lower() in name.lower() and all(word in other for other in split))
    ]
    return " ".join(words) or name
