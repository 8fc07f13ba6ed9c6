"""What kernels of a build break, and what would help, in words and on a screen.

Each kernel stands once, whatever its architectures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from ...advice.launch_bounds import FEWER_IN_TRITON, bounds_in_source, cap_in_triton
from ...advice.next_steps import NextStep
from ...builds.attention import spilled_bytes
from ...builds.scan_row import ScanRow
from ...compare.likely_renamed import Apart
from ...compare.register_caps import bound_of, bounds_within
from ...compare.rules import CRITERIA, IN_BYTES, Measure
from ...compare.same_sizes import OURS, AtSize, is_ours
from ...compare.violations import Violating, Violation, launched_with
from ...render import words
from ...render.document import Block, Marked, Paragraph, Together
from ...values.asking import Asking
from ...values.resources import amount_of
from ..name_words import brief_name, short_name
from ..other_warps import with_other_warps
from ..source_files import file_names, place
from .change_words import at_size_in_words, change_in_words, other_size_in_words
from .missing import MOST_KERNELS, RULE, listing

MOST_SHOWN = 50
"""Names of kernels of which all is said to people; programs are told of all."""

MOST_ARCHS = 3
"""Architectures of a kernel that its title names."""

MOST_WITHOUT_A_LIST = 3
"""Kernels that are read without a list of them before."""

_OF_MEASURES: dict[Measure, str] = {
    "spill_bytes": "Spills",
    "spill_smem": "Spills to shared",
    "stack_bytes": "Stack",
    "smem": "Shared",
    "regs": "Regs",
    "barriers": "Bar",
}
"""The columns of `diff` that say what changed since the baseline."""

_SINCE = (*_OF_MEASURES.values(), "Register cap", "Bound", "Limited by", "Threads")


def broken(violation: Violation, row: ScanRow) -> str:
    """What was asked for, and what is: ``min_occupancy = 75% (rule 1): is 50%, was 100%``."""
    return f"{_asked(violation)}: {_found(violation, row)}"


def since(violating: Violating, besides: Iterable[Violation] = ()) -> str:
    """What else changed since the baseline: ``Regs 64 -> 72, Stack 0 -> 416 B``.

    Args:
        violating: The kernel.
        besides: What was said already.
    """
    old, new = violating.baseline, violating.kernel
    if old is None:
        return ""
    told = {_OF_MEASURES.get(CRITERIA[each.criterion].measure) for each in besides if each.was is not None}
    spilled = {spilled_bytes(old), spilled_bytes(new)}
    if None not in spilled and len(spilled) > 1:
        told.add("Stack")  # which changes with what is spilled
    titles = [title for title in _SINCE if title not in told]
    return change_in_words(old, new, titles)


def broken_blocks(violating: Sequence[Violating]) -> Iterator[Block]:
    """Each kernel that breaks a rule: what was asked for, what is, what would help and what else changed.

    What is the same for several architectures is said once.
    """
    often = Counter((each.kernel.name, _label(each.kernel)) for each in violating)
    alike = {name for (name, _), number in often.items() if number > 1}  # which only their files tell apart
    file_name = file_names([each.kernel for each in violating])
    groups: dict[tuple[str, str], list[Violating]] = {}
    for each in violating:
        file = file_name(each.kernel) if each.kernel.name in alike else ""
        groups.setdefault((each.kernel.name, file), []).append(each)
    for (_, file), group in islice(groups.items(), MOST_SHOWN):
        yield Together(list(_of_a_kernel(group, file)))
    if len(groups) > MOST_SHOWN:
        more = words.count(len(groups) - MOST_SHOWN, "more name")
        where = Asking("--format csv, json or junit", "rows()")
        yield Paragraph((f"Kernels of {more} break rules: ", where, " has all."))


def list_of_broken(violating: Sequence[Violating], missing: Sequence[Apart]) -> Iterator[Block]:
    """``no_new_spills: blur, warp_image (sm_90)``: the kernels that break each criterion, where they are too
    many to be seen at once; and those that are gone."""
    if len({each.kernel.name for each in violating}) <= MOST_WITHOUT_A_LIST:
        return
    archs = {each.kernel.arch for each in violating}
    found: dict[str, dict[str, dict[str, None]]] = {}
    for each in violating:
        for violation in each.violations:
            of_it = found.setdefault(violation.criterion, {}).setdefault(brief_name(each.kernel), {})
            of_it[each.kernel.arch or "unknown"] = None
    for criterion, kernels in found.items():
        names = [name if len(of) == len(archs) else f"{name} ({_archs(of)})" for name, of in kernels.items()]
        yield Paragraph(f"{criterion}: {', '.join(words.first_of(names, MOST_KERNELS))}", indent=2)
    if missing:
        yield Paragraph(f"{RULE}: {listing(missing)}", indent=2)


def _of_a_kernel(group: Sequence[Violating], file: str) -> Iterator[Block]:
    rows = [each.kernel for each in group]
    archs = _archs({row.arch or "unknown architecture": None for row in rows})
    places = ", ".join(dict.fromkeys(place(row.file, row.line) for row in rows)) or file
    title = Marked(f"{short_name(rows[0])} ({archs})", "strong")
    yield Paragraph([title, Marked(f"  {places}" if places else "", "faint")])
    labels = [_label(row) for row in rows]
    asked: dict[str, list[tuple[str, str]]] = {}
    steps: list[tuple[str, str]] = []
    for each, label in zip(group, labels, strict=True):
        for violation in each.violations:
            asked.setdefault(_asked(violation), []).append((label, _found(violation, each.kernel)))
            steps.append((label, mending(each.kernel, violation)))
    for what, found in asked.items():
        yield from _said(what, found, labels, wrong=True)
    yield from _said("Next step", steps, labels)
    others = [(label, since(each, each.violations)) for each, label in zip(group, labels, strict=True)]
    yield from _said("Since the baseline", [(label, text) for label, text in others if text], labels)


def _archs(names: Collection[str]) -> str:
    """``sm_80, sm_90``, or how many there are."""
    return ", ".join(names) if len(names) <= MOST_ARCHS else words.count(len(names), "architecture")


def _label(row: ScanRow) -> str:
    """What tells the rows of a kernel apart: the architecture, and the block size of a launch."""
    threads = launched_with(row)
    return f"{row.arch or 'unknown'}{f', {threads:,} threads' if threads else ''}"


def _said(
    what: str, texts: Sequence[tuple[str, str]], labels: Sequence[str], *, wrong: bool = False
) -> Iterator[Block]:
    """Under one title what is said of all rows of a kernel, or of each of them."""
    of: dict[str, dict[str, None]] = {}
    for label, text in texts:
        of.setdefault(text, {})[label] = None
    for text, those in of.items():
        label = "" if len(those) == len(set(labels)) else f", {', '.join(those)}"
        line = f"{what}{label}: {text}"
        yield Paragraph(Marked(line, "wrong") if wrong else line, indent=2)


def _asked(violation: Violation) -> str:
    return f"{violation.criterion} = {_bound(violation)} (rule {violation.rule})"


def _found(violation: Violation, row: ScanRow) -> str:
    """``is 72, was 64``; of an occupancy at which size, see `_occupancy`."""
    measure = CRITERIA[violation.criterion].measure
    if measure == "occupancy" and violation.threads is not None:
        return _occupancy(violation)
    was = "" if violation.was is None else f", was {_amount(measure, violation.was)}"
    stored, loaded = row.spills or (0, 0)
    parts = f" ({stored:,} stored, {loaded:,} loaded)" if measure == "spill_bytes" else ""
    return f"is {_amount(measure, violation.value)}{parts}{was}"


def _occupancy(violation: Violation) -> str:
    """``100% -> 62.5% at 256 threads (usual), worst at 64 threads (100% -> 50%)``; ``at no block size more
    than 50%``."""
    size, origin, was = violation.threads, violation.threads_from, violation.was
    if size is not None and origin is not None and was is not None and _compares(violation):
        judged = AtSize(size, origin, was, violation.value)
        if violation.shown is None:
            return at_size_in_words(judged)
        return f"{at_size_in_words(violation.shown)}, {other_size_in_words(judged)}"
    value = words.percent(violation.value)
    return f"at no block size more than {value}" if origin in OURS else f"{value} at {size:,} threads"


def _compares(violation: Violation) -> bool:
    return CRITERIA[violation.criterion].compares


def _bound(violation: Violation) -> str:
    criterion = CRITERIA[violation.criterion]
    measure = criterion.measure
    if criterion.is_switch:
        return "true"
    if measure == "occupancy" and _compares(violation):
        return words.percent(violation.bound).replace("%", " points")
    return _amount(measure, violation.bound)


def _amount(measure: Measure, value: float) -> str:
    """A value with its unit: ``62.5%``, ``36 KiB``, ``72``."""
    if measure == "occupancy":
        return words.percent(value)
    return words.size(int(value)) if measure in IN_BYTES else f"{value:,.0f}"


def mending(row: ScanRow, violation: Violation) -> str:
    """What would help, as a sentence."""
    measure = CRITERIA[violation.criterion].measure
    step = violation.next_step
    if step is None and measure == "occupancy" and row.spill_smem:
        measure = "spill_smem"
    if step is None and measure == "regs" and _is_of_triton(row):
        return f"{FEWER_IN_TRITON}."
    if step is None and measure == "regs" and bound_of(row) is not None:
        return _by_bounds(row, violation)
    if step is None and is_ours(row):
        return _UNSIZED.get(measure, _NO_STEP.get(measure, "Use less of what limits it."))
    if step is None:
        return _NO_STEP.get(measure, "Neither using less nor another block size is known to reach it.")
    if row.num_warps and row.threads and "threads" in step.requires:
        changes = [with_other_warps(step.requires, row.num_warps, row.threads)]
    else:
        changes = [
            words.change(resource, amount_of(resource, row), value)
            for resource, value in step.requires.items()
        ]
    fewer_spills = measure in ("spill_bytes", "spill_smem", "stack_bytes")
    result = "need fewer spills, at" if fewer_spills else "give"
    at = f" at {violation.threads:,} threads" if is_ours(row) and violation.threads else ""
    share = words.percent(step.occupancy)
    return f"{words.listing(changes)} would {result} {share} occupancy{at}{_how(row, step)}."


_UNSIZED: dict[Measure, str] = {
    "spill_bytes": "More registers, or fewer values alive, would need fewer spills.",
    "stack_bytes": "It holds spills, arrays indexed by variables, or frames of calls.",
}
"""Where the block size is not known, which says how many registers there are."""

_NO_STEP: dict[Measure, str] = {
    "spill_bytes": "No more registers are available: keep fewer values alive.",
    "spill_smem": "More registers, launch bounds of fewer threads, or fewer values alive shrink the shared "
    "memory that registers spill to.",
    "stack_bytes": "More registers would not help: it holds arrays indexed by variables, or frames of calls.",
    "smem": "Use less of it.",
    "regs": "-maxrregcount, maxnreg or launch bounds cap them; the rest spills.",
    "barriers": "Use fewer named barriers.",
}


def _by_bounds(row: ScanRow, violation: Violation) -> str:
    """How to have fewer registers of a kernel with launch bounds: the compiler takes no other cap of it."""
    start = (violation.was or 0) if CRITERIA[violation.criterion].compares else 0
    bounds = bounds_within(row, int(start + violation.bound))
    if bounds is None:
        return "Launch bounds with more blocks per SM cap them, as far as so many fit; the rest spills."
    return f"{bounds.launch_bounds} caps them at {bounds.register_cap}; the rest spills."


def _how(row: ScanRow, step: NextStep) -> str:
    """How to have the compiler use so many registers."""
    if set(step.requires) != {"regs"} or is_ours(row) or row.threads is None or not step.active_blocks:
        return ""
    if _is_of_triton(row):
        wanted = step.requires["regs"]
        return f"; {cap_in_triton(wanted, are_fewer=wanted < (row.regs or 0))} asks Triton for that"
    return f"; {bounds_in_source(row.threads, step.active_blocks)} asks the compiler for that"


def _is_of_triton(row: ScanRow) -> bool:
    return row.format == "triton"
