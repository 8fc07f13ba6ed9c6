"""The kernels that files hold, with their answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..builds.selection import Order
from ..errors import InputError, ReadError, shown
from ..readers import ReadProblem
from ..readers.reading import KernelSource
from ..render.words import count
from ..report.scan.report import csv_rows
from ..report.scan.screen import ScanScreen
from ..tables.gpus import Gpu
from ..values.rows import Rows
from ..values.spellings import parse_count
from .arguments import CountLike
from .occupancy import Occupancy
from .reading import Reading, ReadingArguments, takes_reading
from .scanning import Scanning

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_reading
def scan(
    sources: KernelSource | Sequence[KernelSource],
    *,
    below: float | str | None = None,
    only_spilling: bool = False,
    sort: Order | None = None,
    reverse: bool = False,
    limit: int | None = None,
    multiprocessor_count: CountLike | None = None,
    **reading: Unpack[ReadingArguments],
) -> Scan:
    """The kernels, or launches, that files, folders and streams hold, with their occupancy.

    What is read: cubins; fatbins, executables, libraries, objects and archives; PTX; the output of
    ``ptxas -v``, ``nvcc --resource-usage`` and ``cuobjdump -res-usage``; Triton's and Inductor's caches;
    reports and CSV of Nsight Compute; traces of PyTorch's profiler. The content decides, not the name.

    Without ``threads``, a kernel has its launch bound, else whatever is best for it.

        >>> for kernel in occupancy.scan("libcurand.so", cc="9.0"):    # doctest: +SKIP
        ...     print(kernel.demangled, kernel.arch, kernel.regs, kernel.answer.occupancy)

    Args:
        sources: A path of a file or folder, ``"-"`` for standard input, an object with ``read`` that
            gives bytes or text; or several of these.
        {arguments}
        below: Only kernels of an occupancy below this: a share, ``0.5``, or percent, ``50``.
        only_spilling: Only kernels that spill registers.
        sort: ``"occupancy"``, lowest first; ``"regs"``, ``"spills"``, ``"stack"`` or ``"time"``, most first;
            ``"worst"``: what most deserves a look, and nothing that does not. By default the lowest occupancy
            first, with the others of its kernel, and launches of traces by time; those are one that differ in
            nothing else. With ``below`` or ``only_spilling`` by default by what is asked for. ``print()``
            shows very many differently: where nothing is asked for, those that most deserve a look.
        reverse: The other end of the order first.
        limit: The most kernels that are wanted.
        multiprocessor_count: SMs of the GPU, 1 and up, for the waves of launches. By default those of the
            product that ``cc`` names, else of the GPU that each launch ran on.

    Returns:
        A sequence of kernels; what could not be read is in its ``problems``.

    Raises:
        ReadError: Nothing at all could be read.
        InputError: An argument out of range.
    """
    return Scan(
        Scanning(
            _several(sources),
            Reading(**reading),
            below=below,
            only_spilling=only_spilling,
            sort=sort,
            limit=limit,
            multiprocessor_count=_sms(multiprocessor_count),
            reverse=reverse,
        )
    )


class ScannedKernel(ScanRow):
    """One kernel of one architecture, or one launch, as a file states it, with the answer."""

    # No field, which `dataclasses.asdict` and all that builds on it would show.
    __slots__ = ("_scanner",)
    _scanner: Scanner | None

    def __init__(self, *, scanner: Scanner | None = None, **values: Any) -> None:
        super().__init__(**values)
        object.__setattr__(self, "_scanner", scanner)

    @property
    def answer(self) -> Occupancy | None:
        """The whole answer, with its next steps and all else; None where something needed is not known, and
        for a copy that `dataclasses.replace` made."""
        if self.occupancy is None or self._scanner is None:
            return None
        limits, kernel = self._scanner.question(self)
        chip = self._scanner.chip
        return Occupancy(Gpu(limits) if chip is None else replace(chip, limits=limits), kernel)

    def __repr__(self) -> str:
        return f"<ScannedKernel {self.title}>"


_ROW = tuple(each.name for each in fields(ScanRow))


MOST_PLOTTED = 40
MOST_BESIDE_A_BAR = 48
"""Characters of a kernel's name."""


class Scan(Sequence[ScannedKernel]):
    """Kernels of files, with their answers. Prints itself as ``occupancy scan`` does."""

    def __init__(self, scanning: Scanning) -> None:
        self._scanning = scanning
        self._records = tuple(scanning.records())
        if not self._records and scanning.problems:
            first = scanning.problems[0]
            raise ReadError(first.what, where=first.where)
        self._rows = tuple(scanning.rows(self._records, as_found=False))

    @property
    def problems(self) -> tuple[ReadProblem, ...]:
        """What could not be read."""
        return tuple(self._scanning.problems)

    @property
    def found(self) -> int:
        """How many kernels and launches the sources hold, wanted or not."""
        return self._scanning.found

    def plot(self, ax: Any = None, *, limit: int = MOST_PLOTTED) -> Any:
        """Draw the occupancy of the kernels as they are sorted, else the lowest first.

        Args:
            ax: matplotlib's ``Axes`` to draw into; by default those of a new figure.
            limit: The most kernels that are drawn.

        Returns:
            The ``Axes``.

        Raises:
            MissingDependencyError: matplotlib is not installed.
        """
        from ..render.pictures import plot
        from ..render.text.shortening import shortened
        from ..report.name_words import short_name
        from ..report.pictures import Bars, Picture

        known = [row for row in self._rows if row.occupancy is not None]
        is_sorted = self._scanning.is_sorted
        if not is_sorted:
            known.sort(key=lambda row: row.occupancy or 0.0)
        names = [short_name(row) for row in known]
        shown = shortened(names, MOST_BESIDE_A_BAR)
        has_several = len({row.arch for row in known}) > 1
        labels = [
            f"{shown[name]} {(has_several and row.arch) or ''}".rstrip()
            for name, row in zip(names[:limit], known[:limit], strict=True)
        ]
        more = f", the {'first' if is_sorted else 'lowest'} {limit} of them" if len(known) > limit else ""
        chart = Bars(labels, [row.occupancy or 0.0 for row in known[:limit]])
        (axes,) = plot(Picture(f"Occupancy of {count(len(known), 'kernel')}{more}", (chart,)), ax)
        return axes

    def rows(self) -> Rows:
        """A dictionary of plain values for each kernel, as for ``pandas.DataFrame``: the rows of the CSV,
        each made when it is asked for."""
        return Rows(partial(csv_rows, self._rows), range(len(self._rows)))

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dictionaries, lists and numbers: the command's JSON."""
        return self._scanning.report(self._rows).to_dict()

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> ScannedKernel: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ScannedKernel, ...]: ...
    def __getitem__(self, index: int | slice) -> ScannedKernel | tuple[ScannedKernel, ...]:
        if isinstance(index, slice):
            return tuple(map(self._kernel, self._rows[index]))
        return self._kernel(self._rows[index])

    def _kernel(self, row: ScanRow) -> ScannedKernel:
        values = {name: getattr(row, name) for name in _ROW}
        return ScannedKernel(scanner=self._scanning.scanner, **values)

    def __repr__(self) -> str:
        problems = f", {count(len(self.problems), 'problem')}" if self.problems else ""
        return f"<Scan of {count(len(self), 'kernel')}{problems}>"

    def __str__(self) -> str:
        from ..render.text import to_text

        return to_text(self._for_people().document(), reader="python")

    def _repr_html_(self) -> str:
        from ..render.html import html

        return html(self._for_people().document())

    def _for_people(self) -> ScanScreen:
        return self._scanning.for_people(self._records)


def _sms(given: CountLike | None) -> int | None:
    if given is None:
        return None
    from ..advice.waves import check_multiprocessors

    count = parse_count(given, "multiprocessor_count")
    check_multiprocessors(count)
    return count


def _several(sources: KernelSource | Sequence[KernelSource]) -> Sequence[KernelSource]:
    several: tuple[KernelSource, ...]
    if isinstance(sources, (str, os.PathLike)) or not isinstance(sources, Sequence):
        several = (sources,)
    else:
        several = tuple(sources)
    if not several or not all(
        isinstance(each, (str, os.PathLike)) or hasattr(each, "read") for each in several
    ):
        raise InputError(
            f"got {shown(sources)}", where="sources", allowed="a path, an object with read, or a list of such"
        )
    return several
