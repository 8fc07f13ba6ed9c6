"""Results that print: the advice on an `Occupancy`, and sequences of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

from ..advice.budget import BudgetFields, BudgetLevel
from ..advice.launch_bounds import LaunchBoundsFields
from ..advice.slack import CarveoutFields, SlackFields
from ..advice.waves import WavesFields
from ..errors import FOR_PYTHON
from ..report.budget import bounds_report, budget_report
from ..report.calc import slack_report, waves_report
from ..report.model import Report
from ..report.results import part_report
from ..tables.gpus import Gpu
from ..values.records import documented, readable

T = TypeVar("T", covariant=True)

if TYPE_CHECKING:
    import typing_extensions
    from typing_extensions import Self

    Level = typing_extensions.TypeVar("Level", default=BudgetLevel | None, covariant=True)
else:
    Level = TypeVar("Level", covariant=True)


class Printed:
    """A result with a report, which it prints on a terminal and in a notebook."""

    __slots__ = ()

    def report(self) -> Report:
        """Return columns, rows and notes of what the command line prints, with `to_dict` for its JSON."""
        raise NotImplementedError

    def rows(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, for ``pandas.DataFrame``: the CSV's columns without nested values."""
        from ..render.data import flat_rows

        return flat_rows(self.report())

    def to_dict(self) -> dict[str, Any]:
        """Return the command's JSON as plain values."""
        return self.report().to_dict()

    def __str__(self) -> str:
        from ..render.terminal import text

        report = self.report().reworded(*FOR_PYTHON)
        return "\n".join([*report.warnings, text(report, width=None, whole="rows()")])

    def _repr_html_(self) -> str:
        from ..render.markup import html

        return html(self.report().reworded(*FOR_PYTHON))


class Results(Printed, tuple[T, ...]):
    """A sequence of results that prints as one report."""

    result: Any
    """Occupancy that all of them belong to, such as its next steps; None if each has its own."""
    _report: Callable[[Any], Report]

    def __new__(cls, results: Iterable[T], report: Any = None, result: Any = None) -> Results[T]:
        """Make the sequence; copy and pickle set the other arguments as attributes."""
        made = super().__new__(cls, results)
        made._report, made.result = report, result
        return made

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        chosen: Any = super().__getitem__(index)
        result = self.result if chosen else None  # an empty slice says nothing about the result
        return type(self)(chosen, self._report, result) if isinstance(index, slice) else chosen

    def report(self) -> Report:
        if not self and self.result is None:  # an empty slice
            return Report("results", ["No results"], (), ())
        return self._report(self if self.result is None else [self])


@readable
class Budget(Printed, BudgetFields, Generic[Level]):
    """Maximum registers and shared memory at one block size."""

    if TYPE_CHECKING:
        wanted: Level  # type: ignore[assignment]

    def report(self) -> Report:
        return budget_report([self])


class Budgets(Results[Budget[Level]]):
    """Budgets of several GPUs."""

    @property
    def wanted(self) -> Level:
        """Smallest limits of all GPUs, with which a kernel reaches the target on each; None without a target."""
        levels = [budget.wanted for budget in self if budget.wanted is not None]
        return BudgetLevel(*map(min, zip(*levels, strict=True))) if levels else None  # type: ignore[return-value]


@readable
class LaunchBounds(Printed, LaunchBoundsFields):
    """Launch bounds on one GPU."""

    def report(self) -> Report:
        return bounds_report([self])


@readable
class Slack(Printed, SlackFields):
    """Largest total of each input alone that keeps the resident blocks; None if no block is resident."""

    def report(self) -> Report:
        return slack_report(self)


@readable
class CarveoutAdvice(Printed, CarveoutFields):
    """Shared memory configurations of an SM, with the resident blocks of each."""

    def report(self) -> Report:
        return part_report([self], "carveout", [size._asdict() for size in self.configurations])


@documented
class Waves(Printed, WavesFields):
    """Waves and tail of a grid; with the most clusters possible if ``full_wave.is_upper_bound``."""

    @property
    def gpu(self) -> Gpu:
        """The GPU."""
        return self.full_wave.result.gpu

    def __repr__(self) -> str:
        return f"<Waves: {self.report().headline[0]}>"

    def report(self) -> Report:
        return waves_report([self])
