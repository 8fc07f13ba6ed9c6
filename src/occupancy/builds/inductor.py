"""What TorchInductor says of Triton's kernels: what each fuses, and which candidate its autotuner chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from ..readers import KernelRecord
from ..readers.record import Choice, Fusion, Remark, file_name
from .stated import Placed


def with_remarks(rows: Sequence[Placed], remarks: Sequence[Remark]) -> list[Placed]:
    """The kernels, with the remarks on them; candidates stand together, the chosen one first.

    A candidate is what was compiled from the same generated file as one that was chosen, for the same
    architecture.
    """
    operations = {each.file: each.operations for each in remarks if isinstance(each, Fusion)}
    folders = {each.folder for each in remarks if isinstance(each, Choice)}
    chosen = {place for place, row in rows if _is_in(row, folders)}
    tuned = {_kernel(row) for place, row in rows if place in chosen}
    first: dict[object, int] = {}
    noted = []
    for place, row in rows:
        if row.file is not None and (fuses := operations.get(file_name(row.file))):
            row = replace(row, fuses=fuses)
        if row.format == "triton" and _kernel(row) in tuned:
            noted.append((first.setdefault(_kernel(row), place), replace(row, chosen=place in chosen)))
        else:
            noted.append((place, row))
    return sorted(noted, key=lambda each: (each[0], not each[1].chosen))


def _is_in(row: KernelRecord, folders: set[str]) -> bool:
    return row.format == "triton" and any(
        PurePath(source).parent.name in folders for source in (row.source, *row.also_in)
    )


def _kernel(row: KernelRecord) -> tuple[str, str | None, str | None]:
    return row.name, row.arch, row.file
