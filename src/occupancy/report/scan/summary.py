"""What a scan found, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...builds.attention import LOW
from ...builds.overview import LOW_IN_TIME, Overview
from ...builds.selection import WORST, Order
from ...render import words
from ..arch_words import architecture
from .notes import MOST_IN_FULL
from .spills import spilling_to_shared

if TYPE_CHECKING:
    from .report import ScanReport


def summary(report: ScanReport) -> str:
    """How much was found, in which order it is shown, and how much of it deserves a look."""
    overview = report.overview
    kernels, launches = overview.kernels - overview.launch_rows, overview.launches
    parts = []
    if kernels:
        parts.append(words.count(kernels, "kernel"))
    if launches:
        parts.append("1 launch" if launches == 1 else f"{launches:,} launches")
    found = words.listing(parts) if parts else "no kernels"
    is_of_traces = 0 < overview.traced == overview.kernels
    if is_of_traces:
        found = f"{words.count(overview.functions, 'kernel')} in {found}"
    arch = only_architecture(report)
    of = "" if launches + kernels == report.found else f" of {report.found:,} found"
    is_short = overview.kernels <= MOST_IN_FULL
    has_names = not is_short and 1 < overview.functions < kernels
    shown = is_short and len(report.kernels) < overview.kernels
    has_order = is_short and len(report.kernels) > 1 and not has_two_orders(report)
    details = [
        f" for {words.printable(arch)}" if arch else "",
        of,
        f" of {words.count(overview.functions, 'name')}" if has_names else "",
        f", {overview.not_chosen:,} of them not chosen by an autotuner" if overview.not_chosen else "",
        f", {len(report.kernels):,} shown" if shown else "",
        f", {order_in_words(report)}" if has_order else "",
    ]
    facts = [*_of_the_kernels(overview, is_of_traces), *_of_the_time(report)]
    return f"{found}{''.join(details)}{'; ' if facts else ''}{', '.join(facts)}."


def _of_the_kernels(overview: Overview, is_of_traces: bool) -> Iterator[str]:
    """How many deserve a look, for each reason."""
    failing = overview.does_not_launch
    if overview.below_half > failing and not is_of_traces:
        of_these = f" ({failing:,} of them {do_not_launch(failing)})" if failing else ""
        yield f"{overview.below_half:,} below {words.percent(LOW)}{of_these}"
    elif failing:
        yield f"{failing:,} {do_not_launch(failing)}"
    if overview.spilling:
        names = overview.spilling_functions
        of = f" ({words.count(names, 'name')})" if names < overview.spilling else ""
        yield f"{overview.spilling:,} spilling{of}"
    if to_shared := spilling_to_shared(overview):
        yield to_shared


def do_not_launch(number: int) -> str:
    """The verb for so many kernels."""
    return "does not launch" if number == 1 else "do not launch"


def only_architecture(report: ScanReport) -> str | None:
    """The architecture of all kernels, where there is nothing else to say of it."""
    archs = {each.arch for each in report.overview.architectures}
    archs |= {architecture(row) for row in report.kernels}
    return archs.pop() if len(archs) == 1 else None


ORDER_IN_WORDS: dict[tuple[Order, bool], str] = {
    ("occupancy", False): "lowest occupancy first",
    ("occupancy", True): "highest occupancy first",
    ("regs", False): "most registers first",
    ("regs", True): "fewest registers first",
    ("spills", False): "most spills first",
    ("spills", True): "fewest spills first",
    ("stack", False): "largest stack first",
    ("stack", True): "smallest stack first",
    ("time", False): "longest first",
    ("time", True): "shortest first",
    (WORST, False): "worst first",
}


def order_in_words(report: ScanReport) -> str:
    """``lowest occupancy first``; that is also the order where none was asked for."""
    if has_two_orders(report):
        return "each in its order"
    return ORDER_IN_WORDS[report.sort or "occupancy", report.reverse]


def has_two_orders(report: ScanReport) -> bool:
    """Whether launches of traces stand by their time, after what has none."""
    return report.sort is None and len({row.is_traced for row in report.kernels}) > 1


def _of_the_time(report: ScanReport) -> Iterator[str]:
    """How much of the time of traces had a low occupancy."""
    overview = report.overview
    if overview.traced and report.time_us:
        low = words.percent(overview.time_up_to_quarter_us / report.time_us)
        unknown = words.percent(overview.time_not_known_us / report.time_us)
        of_it = "the time" if overview.traced == overview.kernels else "the traces' time"
        not_known = f", {unknown} not known" if overview.time_not_known_us else ""
        yield f"{low} of {of_it} at {words.percent(LOW_IN_TIME)} occupancy or less{not_known}"
