"""How numbers and names are written for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..values.resources import QUANTITIES, Changeable, Resource
from ..values.untrusted import printable as printable


def grouped(text: str) -> str:
    """A text whose whole numbers have their digits in groups: ``65,536``."""
    import re  # only arithmetic in words needs it

    return re.sub(r"(?<![\d.])\d{4,}(?![\d.]*\d)", lambda found: f"{int(found[0]):,}", text)


def chip(name: str | None, cc: str, architecture: str = "") -> str:
    """``H100, compute capability 9.0 (Hopper)``; without a name only the rest."""
    before, after = f"{name}, " if name else "", f" ({architecture})" if architecture else ""
    return f"{before}compute capability {cc}{after}"


BY_SPREADSHEET = "by NVIDIA's spreadsheet"


def by(model: str) -> str:
    """Whose answer it is, where it is not the runtime's: ``, by NVIDIA's spreadsheet``."""
    return f", {BY_SPREADSHEET}" if model == "spreadsheet" else ""


def percent(share: float) -> str:
    """A share of 1 as a percentage with one decimal where it needs one: ``75%``, ``62.5%``, ``66.7%``.

    Halves go up, as people round (6.25 is 6.3); a share above 0 is never shown as 0.
    """
    tenths = int(1000 * share + 0.5)
    if share > 0 and not tenths:
        return "<0.1%"
    return f"{tenths / 10:.1f}".removesuffix(".0") + "%"


def whole_percent(share: float) -> str:
    """The same without a decimal, where room is scarce: ``63%`` for 62.5."""
    percents = int(100 * share + 0.5)
    return "<1%" if share > 0 and not percents else f"{percents}%"


def size(amount: int) -> str:
    """Bytes, in KiB where that is short and exact: ``96 KiB``, ``9.125 KiB``, ``1,001 bytes``."""
    if amount and amount % 128 == 0 and amount >= 1024:
        return f"{amount / 1024:,.3f}".rstrip("0").rstrip(".") + " KiB"
    return count(amount, "byte")


def count(amount: int, noun: str) -> str:
    """``1 block``, ``12 blocks``, ``1,536 threads``."""
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {noun}s"


def held(blocks: int, occupancy: float) -> str:
    """What an SM holds: ``12 blocks, 75%``."""
    return f"{count(blocks, 'block')}, {percent(occupancy)}"


def name(identifier: str) -> str:
    """An identifier in words: ``shared_memory`` is shared memory."""
    return identifier.replace("_", " ")


def capitalised(text: str) -> str:
    """A sentence with a capital letter, unless it begins with a name, such as ``sm_100f`` or ``cuInit``."""
    first = text.split(" ", 1)[0].rstrip(".,;:")
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def listing(words: tuple[str, ...] | list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def first_of(texts: Sequence[str], most: int) -> list[str]:
    """The first of some texts, and how many more there are: ``["a", "b", "3 more"]``."""
    more = len(texts) - most
    return [*texts[:most], f"{more:,} more"] if more > 0 else list(texts)


def number(amount: int | None, absent: str) -> str:
    """A number with separators, or what to say where there is none."""
    return absent if amount is None else f"{amount:,}"


def amount(resource: Resource | Changeable, quantity: int) -> str:
    """So much of a resource: bytes as a size, with the unit if it has another, all else as a number."""
    unit = QUANTITIES[resource].unit
    return size(quantity) if unit == "bytes" else f"{quantity:,} {unit}".rstrip()


def used(resource: Resource | Changeable, quantity: int) -> str:
    """So much of a resource by itself: ``64 registers``, ``32.25 KiB``."""
    quantity_of = QUANTITIES[resource]
    is_named = not quantity_of.unit
    return count(quantity, quantity_of.label.removesuffix("s")) if is_named else amount(resource, quantity)


def change(resource: Changeable, before: int | None, after: int, *, short: bool = False) -> str:
    """``registers 37 -> 32``: what must change for a higher occupancy."""
    name = QUANTITIES[resource].short if short else QUANTITIES[resource].label
    old, new = amount(resource, before or 0), amount(resource, after)
    return f"{name} {old.removesuffix(' columns')} -> {new}"  # of sizes one can be in bytes


def short_names(resources: Iterable[Resource]) -> str:
    """``regs, shared``: some resources in a row that is to fit on a line."""
    return ", ".join(QUANTITIES[each].short for each in resources)


def limit(field: str, value: Any) -> str:
    """A value of the table, by the name of its field: ``96 KiB``, ``1024 x 1024 x 64``, ``-`` for none."""
    if value is None:
        return "-"
    if field == "spreadsheet":
        return f"version {value['version'] if isinstance(value, dict) else value.version}"
    if field == "shared_memory_configurations":
        return ", ".join(str(each // 1024) for each in value) + " KiB"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " x ".join(str(each) for each in value)
    if isinstance(value, int):
        return size(value) if "shared_memory" in field else f"{value:,}"
    return str(value)


def no_room_for(titles: Sequence[str], hint: str) -> str:
    """What to say of columns that are not shown; nothing where nobody is to be told."""
    named = ", ".join(f'"{title}"' for title in titles)  # some, as "Read from", would go on as a sentence
    return f"No room for: {named}. {hint}" if titles and hint else ""
