"""What a check cannot look at. A check that passes because it looked at nothing is worse than none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..builds.kernel_names import base_name
from ..errors import BaselineError, Mistakes, OccupancyError, RulesError
from ..readers import KernelRecord
from ..values.asking import Asking
from .baseline_file import HOW_TO_SAVE
from .matching import family
from .no_kernel import NoKernel
from .question import Question
from .rules import CRITERIA, Measure, Rule

UPDATE = Asking("--update", "update=True")

_SOURCES: dict[Measure, str] = {
    "spill_bytes": "Code before sm_70 does not tell: check what ptxas -v says, or ask for max_stack_growth.",
    "spill_smem": "Logs do not hold it: check the cubins, or the files that hold them.",
    "occupancy": Asking.of(
        "It takes the architecture and the registers: ", Asking("--cc", "cc="), ", or a compiled file."
    ),
}


class Gaps:
    """Collects questions that have no answer, until it is clear that no other rule answers them.

    Args:
        rows: The kernels of the build.
        baseline: The kernels to compare with; None without a baseline.
        names: What the build and the baseline are called.
        ignore_arch: Whether kernels of different architectures are compared.
        whole_baseline: All kernels of the baseline, where only some are asked for.
        no_kernel: What to say of an entry that is for none of the kernels; None: as these are.
    """

    def __init__(
        self,
        rows: Sequence[KernelRecord],
        baseline: Sequence[KernelRecord] | None,
        names: tuple[str, str],
        *,
        ignore_arch: bool = False,
        whole_baseline: Sequence[KernelRecord] | None = None,
        no_kernel: NoKernel | None = None,
    ) -> None:
        self._rows = rows
        self._build, self._baseline = names
        self._has_baseline = baseline is not None
        self._ignores_arch = ignore_arch
        self._is_partial = whole_baseline is not None
        self._baseline_kernels = whole_baseline or baseline or ()
        self.no_kernel = no_kernel or NoKernel(self._build, rows, baseline or (), ignore_arch=ignore_arch)
        self._architectures = {family(row.arch) for row in self._baseline_kernels}
        self._unknown: dict[tuple[str, ...], Question] = {}
        self._answered: set[tuple[str, ...]] = set()
        self._new: dict[tuple[int, str], Question] = {}
        self._compared: set[tuple[int, str]] = set()

    def refuse_comparisons(self, rules: Iterable[Rule]) -> None:
        """Without a baseline, a rule that compares with one is an error."""
        if self._has_baseline:
            return
        for rule in rules:
            for name, bound in rule.bounds.items():
                if bound is not None and CRITERIA[name].compares:
                    raise RulesError(
                        f"{rule} asks for {name}, and there is no baseline to compare with",
                        hint=Asking.of(
                            "Give one with ",
                            Asking("--baseline", "baseline="),
                            "; ",
                            HOW_TO_SAVE,
                            " makes it.",
                        ),
                    )

    def has(self, question: Question) -> bool:
        """Whether a question has no answer; it is kept for `refuse`."""
        compares, asked = question.criterion.compares, (question.rule.number, question.name)
        is_other = not self._ignores_arch and family(question.row.arch) not in self._architectures
        if compares and is_other:
            raise self._other_architecture(question)
        kernel = (question.row.name, family(question.row.arch), question.name)
        if compares and question.old is None and question.start is None:
            self._new.setdefault(asked, question)
            return True
        if question.value is None or (compares and question.start is None):
            self._unknown.setdefault(kernel, question)
            return True
        self._answered.add(kernel)
        self._compared.add(asked)
        return False

    def refuse(self, of_no_kernel: Iterable[Rule]) -> None:
        """Raise the errors of all rules that were not looked at.

        A value that one file does not have may come from another one: spills from the log of the
        compiler, beside the cubin.

        Args:
            of_no_kernel: Rules for none of the kernels.

        Raises:
            RulesError: A rule is for none of the kernels, or asks for what is not known.
            BaselineError: None of the kernels of a rule that compares is in the baseline.
        """
        with Mistakes() as found:
            for rule in of_no_kernel:
                found.keep(self._idle(rule))
            unknown = [each for kernel, each in self._unknown.items() if kernel not in self._answered]
            for name in dict.fromkeys(each.name for each in unknown):
                found.keep(self._not_known([each for each in unknown if each.name == name]))
            if self._is_partial and self._answered:
                return  # what others are asked may well be what no new kernel can be
            for asked, question in self._new.items():
                if asked not in self._compared:
                    found.keep(self._all_new(question))

    def _all_new(self, question: Question) -> OccupancyError:
        return BaselineError(
            f"has none of the kernels that {question.rule} compares ({question.name})",
            where=self._baseline,
            hint=Asking.of("Accept them with ", UPDATE, " if they are new."),
        )

    def _other_architecture(self, question: Question) -> BaselineError:
        has = ", ".join(sorted(self._architectures)) or "no kernels at all"
        arch = question.row.arch if self._architectures else None
        how = Asking(f"--update --arch {arch}", f"update=True, archs=[{arch!r}]") if arch else UPDATE
        return BaselineError(
            f"has no kernels for {question.row.arch}, which {self._build} has",
            where=self._baseline,
            allowed=has,
            hint=Asking.of(
                "Compare with the right one, choose with ",
                Asking("--arch", "archs="),
                ", or add it: ",
                how,
                ".",
            ),
        )

    def _not_known(self, unknown: Sequence[Question]) -> RulesError:
        """That a criterion is not known of some kernels."""
        question = unknown[0]
        in_baseline = " in the baseline" if question.value is not None else ""
        others = f" and {len(unknown) - 1:,} more" if len(unknown) > 1 else ""
        measure = question.criterion.measure.replace("_", " ")
        return RulesError(
            f"{question.rule} asks for {question.name}; not known{in_baseline}: the {measure} of "
            f"{base_name(question.row.name)}{others}",
            where=question.row.source,
            hint=_SOURCES.get(question.criterion.measure, ""),
        )

    def _idle(self, rule: Rule) -> RulesError:
        archs = ", ".join(sorted({row.arch or "unknown" for row in self._rows}))
        hint = "A rule that looks at nothing would always hold."
        return self.no_kernel.error(rule, hint=hint, archs=f", for {archs}")
