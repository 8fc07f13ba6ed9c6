"""The answer to ``occupancy bounds``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..advice.launch_bounds import LaunchBounds
from ..render import words
from ..render.document import Bullets, Code, Column, Document, Table
from ..values.kernel import Kernel
from .base import Report
from .inputs import Inputs, inputs_of

COLUMNS = (
    Column("CC", is_number=False),
    Column("Legal", is_number=False),
    Column("Register cap"),
    Column("Blocks"),
    Column("Occupancy"),
)


@dataclass(frozen=True, slots=True)
class BoundsReport(Report):
    """The whole answer to ``occupancy bounds``."""

    inputs: Inputs
    min_blocks: int | None
    launch_bounds: str
    """What to write before the kernel's name."""
    chips: tuple[LaunchBounds, ...]
    """The bounds on each chip."""

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """A row for each chip."""
        return map(asdict, self.chips)

    def document(self) -> Document:
        """The line to paste, a row for each chip, then what to beware of."""
        rows = [
            (
                chip.cc,
                "yes" if chip.legal else "no",
                str(chip.register_cap),
                str(chip.active_blocks),
                words.percent(chip.occupancy),
            )
            for chip in self.chips
        ]
        illegal = {number for number, chip in enumerate(self.chips) if not chip.legal}
        return Code(self.launch_bounds), Table(COLUMNS, rows, illegal), Bullets(list(self._notes()))

    def _notes(self) -> Iterator[str]:
        """What to beware of, chip by chip, and how to have the same cap in another way."""
        for chip in self.chips:
            if chip.warning is not None:
                yield f"{chip.cc}: {chip.warning}. At most {words.count(chip.most_blocks, 'block')}."
        registers = self.inputs.regs
        if registers is not None:
            spilling = [chip.cc for chip in self.chips if registers > chip.register_cap]
            if spilling:
                yield (
                    f"On {words.listing(spilling)} the compiler must spill: {registers} registers "
                    "are too many."
                )
        caps = {chip.register_cap for chip in self.chips}
        cap = caps.pop() if len(caps) == 1 else "N"
        yield f"The same cap without launch bounds: __maxnreg__({cap}), or nvcc -maxrregcount={cap}."


def bounds_report(kernel: Kernel, answers: tuple[LaunchBounds, ...]) -> BoundsReport:
    """Everything that is shown of launch bounds on one chip or more."""
    first = answers[0]
    return BoundsReport(inputs_of(kernel), first.min_blocks, first.launch_bounds, answers)
