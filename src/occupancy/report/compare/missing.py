"""Kernels that a check misses: only the baseline has them, and the rules do not let them go."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Protocol

from ...builds.kernel_names import Names, stable_name
from ...compare.likely_renamed import Apart, LikelyRenamed
from ...readers.names import demangle
from ...render import words
from ...render.ci import Case
from ...render.document import Block, Marked, Paragraph
from ...render.sarif import Finding
from ...values.asking import Asking
from ..name_words import Named, of_names, short_name

RULE = "allow_removed"
"""What of the rules decides, by its name in the file."""
GONE = "Only the baseline has it."

_MOST_IN_A_COMMAND = 3
"""Names of kernels in a command that is ready to be run; of more, it says how such a one is written."""

MOST_KERNELS = 10
"""Kernels that came or went that are named; the others are counted."""


def missing_of(removed: Sequence[Apart], removable: Sequence[str]) -> tuple[Apart, ...]:
    """The kernels that went and may not.

    Args:
        removed: Kernels that only the baseline has.
        removable: Patterns of the names of those that may go.
    """
    return tuple(each for each in removed if not any(map(Names(each.name, demangle).match, removable)))


def in_words(missing: Sequence[Apart]) -> str:
    """How many there are: ``2 kernels of the baseline are missing (1 name)``; empty for none."""
    if not missing:
        return ""
    verb = "is" if len(missing) == 1 else "are"
    names = [each.name for each in missing]
    return f"{words.count(len(missing), 'kernel')} of the baseline {verb} missing{of_names(names)}"


def missing_blocks(missing: Sequence[Apart], likely_renamed: Sequence[LikelyRenamed]) -> list[Block]:
    """Which ones, and what to do about it; nothing where there are none."""
    if not missing:
        return []
    questions = {each: _renamed(each, likely_renamed) for each in missing}
    said = list(dict.fromkeys(filter(None, questions.values())))
    others = [each for each, question in questions.items() if not question]
    return [
        Paragraph(Marked(f"Removed since the baseline: {listing(missing)}.", "wrong")),
        *(Paragraph(question, indent=2) for question in words.first_of(said, MOST_KERNELS)),
        *([Paragraph(("Next step: ", _when_meant(others)), indent=2)] if others else []),
    ]


def _renamed(gone: Apart, likely_renamed: Sequence[LikelyRenamed]) -> str:
    """``Renamed? img::relief is new and needs exactly as much as img::emboss did.``; empty for none such."""
    new = next((each.new for each in likely_renamed if each.old.name == gone.name), None)
    if new is None:
        return ""
    names = short_name(gone), short_name(new)
    return Asking.of(f"{renamed_question(gone, new)} If so: ", _accepting(names), ".")


def renamed_question(gone: Named, new: Named) -> str:
    """``Renamed? img::relief is new and needs exactly as much as img::emboss did.``

    Args:
        gone: The kernel that only the old build has.
        new: The one that it may be now.
    """
    return f"Renamed? {short_name(new)} is new and needs exactly as much as {short_name(gone)} did."


def _accepting(names: Sequence[str]) -> str:
    """How to accept what became of the kernels of some names."""
    command = "".join(f" --name {shlex.quote(name)}" for name in names)
    return Asking(f"--update{command}", f"update=True, name={names[0] if len(names) == 1 else list(names)!r}")


def _when_meant(gone: Sequence[Apart]) -> str:
    """What to do where it is meant that kernels are gone."""
    names = list(dict.fromkeys(map(short_name, gone)))
    if len(names) > _MOST_IN_A_COMMAND:
        names = ["PART"]
    return Asking.of("Where that is meant: ", _accepting(names), f", or {RULE} in the rules.")


def _why(gone: Apart, likely_renamed: Sequence[LikelyRenamed]) -> list[str]:
    """What is wrong with a kernel that is gone, and what to do about it."""
    return [GONE, _renamed(gone, likely_renamed) or _when_meant([gone])]


def missing_cases(missing: Sequence[Apart], likely_renamed: Sequence[LikelyRenamed]) -> Iterator[Case]:
    """Each as a test case that fails."""
    for each in missing:
        said = "\n".join(_why(each, likely_renamed))
        yield Case(each.source, f"{each.demangled} ({each.arch})", title(each), said)


def missing_findings(missing: Sequence[Apart], likely_renamed: Sequence[LikelyRenamed]) -> Iterator[Finding]:
    """Each for a service that scans code, which is told the file of the build that it was in."""
    for each in missing:
        yield Finding(
            rule=RULE,
            message=f"{title(each)}: {' '.join(_why(each, likely_renamed))}",
            name=each.demangled,
            file=each.source,
            line=None,
            fingerprint=f"{stable_name(each.name)} {each.arch} {RULE}",
        )


class _Placed(Named, Protocol):
    """What has a readable name and an architecture."""

    @property
    def arch(self) -> str | None: ...


def title(kernel: _Placed) -> str:
    """The kernel with its architecture: ``img::blur (sm_80)``."""
    return f"{short_name(kernel)} ({kernel.arch or 'unknown architecture'})"


def listing(kernels: Sequence[_Placed]) -> str:
    """``img::blur (sm_80, sm_90), and 3 more``."""
    archs: dict[str, list[str]] = {}
    for each in kernels:
        archs.setdefault(short_name(each), []).append(each.arch or "unknown architecture")
    names = [f"{name} ({', '.join(dict.fromkeys(of))})" for name, of in archs.items()]
    return words.listing(words.first_of(names, MOST_KERNELS))
