"""The advice that goes with an answer, as labelled lines for every kind of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from ..values.resources import ADJUSTABLE, amount_of
from . import words

if TYPE_CHECKING:
    from ..advice.next_steps import NextStep
    from ..report.calc import CalcReport
    from ..values.resources import Changeable, Resource

REASONS = {
    "too_little": "too little for one more block",
    "another_limiter": "stopped by another resource",
}


def lines(report: CalcReport) -> Iterator[tuple[str, str]]:
    """The next steps, how far the kernel may grow, what is left over, and the carveout: label and text.

    A label is empty where the line belongs to the one above.
    """
    yield from _labelled("Next steps", _next_steps(report))
    yield from _labelled("Slack", _slack(report))
    yield from _labelled("Unused", _unused(report))
    yield from _labelled("Carveout", _carveout(report))
    if report.carveout.needs_opt_in:
        yield "Opt-in", "needed: cudaFuncAttributeMaxDynamicSharedMemorySize"


def _next_steps(report: CalcReport) -> Iterator[str]:
    """At most three levels by using less, and the block sizes; none at full occupancy."""
    levels = [step for step in report.next_steps if "threads" not in step.requires]
    sizes = [step for step in report.next_steps if "threads" in step.requires]
    shown = most_useful(levels, report.occupancy)
    if sizes and not levels:
        yield "only another block size can help"
    yield from (_step(report, step) for step in (*shown, *sizes))
    if len(levels) > len(shown):
        yield f"{words.count(len(levels) - len(shown), 'more level')} in --format json"
    if not report.next_steps and report.occupancy < 1:
        yield "none: no other block size has a higher occupancy"


def most_useful(levels: list[NextStep], now: float) -> list[NextStep]:
    """The nearest level, the highest, and the first that is at least half way between now and that."""
    if not levels:
        return []
    half_way = next(step for step in levels if step.occupancy >= (now + levels[-1].occupancy) / 2)
    return [step for step in levels if step in (levels[0], half_way, levels[-1])]


def _step(report: CalcReport, step: NextStep) -> str:
    changes = [_change(report, resource, amount) for resource, amount in step.requires.items()]
    reached = f"{words.count(step.active_blocks, 'block')}, {words.percent(step.occupancy)}"
    return f"{reached}: {words.listing(changes)}"


def _change(report: CalcReport, resource: Changeable, amount: int) -> str:
    now = amount_of(resource, report.inputs)
    if resource == "threads" and now == amount:
        return f"{amount} threads in another shape"
    return words.change(resource, now, amount)


def _slack(report: CalcReport) -> Iterator[str]:
    limits_barriers = report.resources["barriers"].blocks is not None
    parts = []
    for resource in ADJUSTABLE:
        amount = getattr(report.slack, resource)
        if amount is not None and (resource != "barriers" or limits_barriers):
            parts.append(f"{words.name(resource)} up to {words.amount(resource, amount)}")
    if parts:
        yield ", ".join(parts)


def _unused(report: CalcReport) -> Iterator[str]:
    for reason, words_for_it in REASONS.items():
        left = [
            f"{words.amount(resource, unused.amount)} {words.name(resource)}"
            for resource, unused in report.slack.unused.items()
            if unused.reason == reason and unused.amount is not None and _is_of_interest(report, resource)
        ]
        if left:
            yield f"{words_for_it}: {words.listing(left)}"


def _is_of_interest(report: CalcReport, resource: Resource) -> bool:
    """Free block slots are no use, and free barriers neither unless they are what limits."""
    if not report.active_blocks or resource == "blocks":
        return False
    if resource == "barriers":
        return resource in report.limiters
    return bool(report.resources[resource].per_block)


def _carveout(report: CalcReport) -> Iterator[str]:
    smallest, configurations = report.carveout.smallest, report.carveout.configurations
    if smallest is None or (smallest.percent is None and smallest.l1 is None):
        return  # no block, or a size that nobody chooses
    percent = "" if smallest.percent is None else f" ({smallest.percent}%)"
    verdict = "is needed" if smallest == configurations[-1] else "is enough"
    l1 = "" if smallest.l1 is None else f", and leaves {words.size(smallest.l1)} of L1"
    yield f"{words.size(smallest.shared_memory)}{percent} {verdict}{l1}"
    if report.inputs.carveout is not None:
        for blocks, alike in groupby(configurations, lambda each: each.active_blocks):
            sizes = [words.size(each.shared_memory) for each in alike]
            yield f"{words.count(blocks, 'block')} with {words.listing(sizes)}"


def _labelled(label: str, texts: Iterator[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        yield label, text
        label = ""
