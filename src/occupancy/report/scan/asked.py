"""The columns that are asked for by name: which is meant, and which fields it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...builds.scan_row import ROW_FIELDS
from ...errors import InputError, shown
from ...values.spellings import nearest_names
from .columns import ALL, Asked, key_of

LEAST_LIKENESS = 0.65
"""Of a name that is none and a column that may be meant: nonsense is like notes by 0.62."""

MOST_MEANT = 3
"""Columns that a name may stand for that is none; more of them are those that are allowed."""

MEANT = {
    "registers": "regs", "registers_per_thread": "regs", "shared_memory": "shared", "smem_bytes": "smem",
    "function": "kernel", "kernel_name": "kernel", "architecture": "arch", "max_registers": "cap",
    "block_size": "threads", "spilling": "spills", "warps": "num_warps", "stages": "num_stages",
    "mangled": "name", "mangled_name": "name",
}  # fmt: skip
"""Words that people use for columns, and our word for it; each of ours means one thing."""

_BESIDE = {"name": "It is mangled in CSV and JSON; tables show readable names."}
"""Those of our words that are not wholly what is meant, and how they differ."""


def fields_of(asked: Iterable[Asked]) -> tuple[str, ...]:
    """The fields of which these columns are made, each once."""
    return tuple(dict.fromkeys(field for each in asked for field in each.fields))


def columns_named(names: Iterable[str]) -> tuple[Asked, ...]:
    """The columns that are meant: by the names of fields, or by their titles, or by as much of either as
    tells it from the others.

    Raises:
        InputError: There is no such column.
    """
    titles = {"kernel": ("demangled",)} | {key_of(column.title): column.fields for column in ALL}
    known = titles | {field: (field,) for field in ROW_FIELDS}
    found: list[Asked] = []
    for name in names:
        key = key_of(name)
        if key not in known and (ours := MEANT.get(key)):
            if ours in _BESIDE:
                hint = f"Did you mean {ours}? {_BESIDE[ours]}"
                raise InputError(f"there is no column {shown(name)}", where="columns", hint=hint)
            key = ours
        meant = Asked(key, known[key]) if key in known else _begun(key, titles) or _begun(key, known)
        if meant is None:
            near = nearest_names(key, known, LEAST_LIKENESS)
            if 0 < len(near) <= MOST_MEANT:
                allowed, hint = "", f"Did you mean {' or '.join(near)}?"
            else:
                allowed, hint = ", ".join(near or titles), "" if near else "Or a field of --format csv."
            raise InputError(f"there is no column {shown(name)}", where="columns", allowed=allowed, hint=hint)
        found.append(meant)
    return tuple(found)


def _begun(start: str, known: Mapping[str, tuple[str, ...]]) -> Asked | None:
    """What a name stands for that begins so, where all that do stand for the same."""
    meant = {fields: name for name, fields in known.items() if start and name.startswith(start)}
    return Asked(*meant.popitem()[::-1]) if len(meant) == 1 else None
