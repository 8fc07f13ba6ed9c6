"""How the calls before a launch are told."""

from __future__ import annotations

from ..advice.opt_in import NON_PORTABLE, WITHOUT_CALL, OptIn
from ..render.document import Block, Code, Paragraph
from ..values.asking import Asking
from .inputs import Inputs

NO_OPT_IN = Asking("--no-opt-in", "opt_in=False")


NEEDS_NONE = f"at most {WITHOUT_CALL} needs none"


def call_for(title: str, needed_for: str, call: str) -> list[Block]:
    """What takes a call before the launch, in a sentence, and the call.

    Args:
        title: What the sentence is about: a word of the table above.
        needed_for: What takes the call.
        call: As in C++.
    """
    return [Paragraph(f"{title}: {needed_for} takes this call before the launch"), Code(call)]


def without_it(opt_ins: tuple[OptIn, ...], inputs: Inputs) -> str:
    """With how much shared memory no call is needed, and how to ask for the answer without one, where it is
    taken as made and nobody said so; else empty.
    """
    is_assumed = inputs.opt_in is None and any(each.call != NON_PORTABLE for each in opt_ins)
    return Asking.of(f"{NEEDS_NONE}; ", NO_OPT_IN, " answers without it") if is_assumed else ""


def launches(opt_ins: tuple[OptIn, ...]) -> str:
    """That a kernel launches, and after what: ``It launches after the opt-in below; without it: "...".``"""
    missing = [each for each in opt_ins if not each.is_made]
    if not missing:
        return "It launches."
    below, it = ("opt-in below", "it") if len(missing) == 1 else ("opt-ins below", "them")
    errors = [each.error for each in missing if each.error]
    return f"It launches after the {below}" + (f'; without {it}: "{errors[0]}".' if errors else ".")
