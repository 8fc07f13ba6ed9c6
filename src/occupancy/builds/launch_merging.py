"""Which kernel of a build a profile recorded a launch of, and the launch with what the image states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..readers import KernelRecord
from ..readers.record import COMPILED, architecture_of
from ..tables.families import runs_on
from .kernel_names import base_name
from .signatures import signature
from .stated import STATED_ONCE, Placed, also_in, fill

_REGISTER_UNIT = 8
"""Nsight Compute's tables give registers as they are allocated, in multiples of this."""

MOST_COMPARED = 1 << 18
"""Launches with kernels of their name: a library of some thousands of them, and a hundred launches. What is
left then has rows of its own, which a problem says."""

_OF_IMAGES = (*COMPILED, *STATED_ONCE)


def with_launches(
    rows: Sequence[Placed], launches: Sequence[Placed]
) -> tuple[list[Placed], list[KernelRecord]]:
    """The kernels and their launches; a kernel that was launched has no row of its own.

    Returns:
        Both; and the launches that were too many to look for their kernels.
    """
    kernels: dict[str, list[int]] = defaultdict(list)
    for index, (_, row) in enumerate(rows):
        kernels[base_name(row.name)].append(index)
    found: dict[tuple[Any, ...], int | None] = {}
    launched: set[int] = set()
    done: list[Placed] = []
    alone: list[KernelRecord] = []
    compared = 0
    for place, launch in launches:
        asked = (launch.name, launch.arch, launch.regs, launch.static_smem, launch.threads)
        if asked not in found:
            near = kernels.get(base_name(launch.name), [])
            compared += len(near)
            if compared > MOST_COMPARED:
                alone += [launch] * bool(near)
                near = []
            found[asked] = _kernel_of(launch, [(index, rows[index][1]) for index in near])
        number = found[asked]
        if number is None:
            done.append((place, launch))
            continue
        image = rows[number][1]
        launched.add(number)
        # A trace has all of the shared memory in one number, which the image's part of it would contradict.
        has_total = launch.smem is not None
        whole = fill(
            launch, image, (name for name in _OF_IMAGES if not (has_total and name == "static_smem"))
        )
        whole = replace(whole, name=image.name, regs=image.regs, fuses=image.fuses, chosen=image.chosen)
        done.append((place, also_in(whole, {image.source, *image.also_in})))
    return [row for index, row in enumerate(rows) if index not in launched] + done, alone


def _kernel_of(launch: KernelRecord, near: Sequence[tuple[int, KernelRecord]]) -> int | None:
    """The number of the kernel that was launched, if only one can have been."""
    said = signature(launch.name)
    candidates: dict[tuple[bool, int, bool], list[int]] = defaultdict(list)
    for number, row in near:
        # A profile can hold the bare name alone.
        is_one = row.name == launch.name or signature(row.name) == said or "(" not in said
        rank = _distance(row.arch, launch.arch)
        if is_one and rank is not None and row.regs is not None and _may_be(launch, row):
            candidates[row.rejected_by_autotuner, rank, row.name != launch.name].append(number)
    best = candidates[min(candidates)] if candidates else []
    return best[0] if len(best) == 1 else None


def _distance(compiled: str | None, launched: str | None) -> int | None:
    """How far an image is from the architecture that it was launched on, the nearest first; None where it
    cannot run there."""
    if compiled is None or launched is None:
        return 0
    own, chip = architecture_of(compiled), architecture_of(launched)
    return None if own is None or chip is None or not runs_on(compiled, chip) else chip.minor - own.minor


def _may_be(launch: KernelRecord, image: KernelRecord) -> bool:
    """Whether what a profile says of a launch can be of this image, and not of another build's."""
    allocated = -(-(image.regs or 0) // _REGISTER_UNIT) * _REGISTER_UNIT
    is_size_right = launch.static_smem in (None, image.static_smem)
    is_block_right = None in (image.threads, launch.threads) or image.threads == launch.threads
    return is_size_right and is_block_right and launch.regs in (None, image.regs, allocated)
