"""The list of GPUs by name (``data/gpus.csv``), and the search in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, takewhile

from ..values.spellings import nearest_names
from . import shipped

FILE_NAME = "gpus.csv"
MAX_NAME = 100

# Words that are optional in a name.
_NOISE = "nvidia|geforce|tesla|gpu|graphics|edition|with|design"
_FAMILIES = frozenset(["quadro", "rtx", "gtx", "gts", "gt"])
_WORD = r"[a-z0-9]+"
_REVISION = r" Rev\. \d+"


@dataclass(eq=False, repr=False, slots=True)
class Product:
    """Row of the list, with its search keys."""

    row: dict[str, str]
    names: str
    """Keys between spaces: full name, name with die, name without die and revision, other name."""
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
        f" {' '.join(map(_key, (name, f'{name} {die}', common, other_name)))} ",
        "".join(word for word in _words(common) if word not in _FAMILIES),
        " ".join(re.findall(_WORD, described.lower())),
    )


def with_full_name(name: str) -> Sequence[Product]:
    key = _key(name)
    named = [each for each in products() if key and f" {key} " in each.names]
    return named or [each for each in products() if key and key == each.short_name]


def matching(pattern: str) -> Sequence[Product]:
    """Return the GPUs with every word of the pattern in name, architecture, die, market or memory."""
    words = _words(pattern) or re.findall(_WORD, pattern.lower())
    return (
        _with_all(*words)
        or _with_all("".join(words))  # MX 450
        or _with_all(*(word for word in words if word != "quadro"))  # Quadro RTX A6000, a common mistake
    )


@lru_cache(maxsize=256)  # a search reads all names, and wrong ones are often sent again
def _with_all(*words: str) -> Sequence[Product]:
    # Letters and digits can be separate (RTX4090, 80GB), and a number can follow (SXM in SXM5). A10 does not
    # match A10G, and 6000 does not match A6000.
    split = [re.findall(r"[a-z]+|[0-9]+", word) for word in words if word]
    needed = [
        re.compile(rf"\b{' ?'.join(parts)}(?![a-z]){r'(?![0-9])' if parts[-1].isdigit() else ''}")
        for parts in split
    ]
    longest = max(chain(*split), key=len, default="")  # much faster to find than a regular expression
    likely = (each for each in products() if needed and longest in each.text)
    return [each for each in likely if all(word.search(each.text) for word in needed)]


def _words(text: str) -> list[str]:
    return re.findall(_WORD, re.sub(_NOISE, " ", text.lower()))


def _key(text: str) -> str:
    return "".join(_words(text))


@lru_cache(maxsize=256)
def starting(name: str) -> list[Product]:
    """Return the GPUs whose names start with a name, or else with its number: 5090 of GTX 5090."""
    wanted = _key(name)
    number = re.sub(rf"^({'|'.join(_FAMILIES)})+(?=[0-9])", "", wanted)
    named = [each for each in products() if wanted and f" {wanted}" in each.names]
    return named or [each for each in products() if wanted and each.short_name.startswith(number)]


@lru_cache(maxsize=256)
def similar(name: str) -> dict[str, list[Product]]:
    """Return the similar keys of architectures and names, the nearest first, with their GPUs."""
    name = re.sub("(?i)(?<=[0-9])o", "0", name)  # RTX 4O90
    model = re.sub(r"(?s)(?<=\d)\D.*", "", name)  # A100 of A100 80G
    if same_model := starting(model):
        return {model: same_model}
    wanted = _key(name)
    start = wanted[:1] if wanted.isalpha() else re.split("[0-9]", wanted)[0]  # M3000 is not similar to MI300
    keys: dict[str, list[Product]] = {}
    for key, named in _by_key().items():
        if key.startswith(start):
            keys.setdefault((key[: len(wanted)] or key) if named else key, []).extend(named)
    return {key: keys[key] for key in nearest_names(wanted, keys)}


@cache
def _by_key() -> dict[str, list[Product]]:
    """Return the GPUs by the keys of their names, and by architectures, without GPUs."""
    keys = {shipped.limits(cc).architecture.split()[0].lower(): list[Product]() for cc in shipped.known()}
    for product in products():
        for key in (product.names.split()[0], product.short_name):
            keys.setdefault(key, []).append(product)
    return keys


def common_name(name: str, names: Sequence[str]) -> str:
    """Return the common prefix of the names, and the other words of ``name`` that all of them contain."""
    if "laptop" in name.lower():  # the driver's word
        names = [re.sub("Mobile|Max-Q", "Laptop", each) for each in names]
    split = [re.sub(_REVISION, "", each).split() for each in names]
    same = sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*split, strict=False)))
    in_all = {word for word in split[0] if word.lower() in name.lower() and all(word in row for row in split)}
    return " ".join(word for place, word in enumerate(split[0]) if place < same or word in in_all) or name
