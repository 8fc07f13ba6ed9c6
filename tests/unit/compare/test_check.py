"""Every rule has a case that holds and one that does not, and none holds because nothing was looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from occupancy import BaselineError, NextStep, RulesError
from occupancy.builds.scanner import Scanner
from occupancy.compare.check import check
from occupancy.compare.rules import CRITERIA, Rule
from occupancy.compare.violations import Checked
from occupancy.readers import KernelRecord
from occupancy.report.compare.broken import mending
from occupancy.tables.shipped import limits
from occupancy.values.limits import ComputeCapability

# 40 registers: 1,280 for each warp, 12 warps in each quarter, 48 of 64 warps. 37.5 KiB of shared memory
# with the reservation: 4 blocks of 8 warps in 164 KiB, 50%.
KERNEL = KernelRecord(
    source="a.cubin", format="ptxas", name="_ZN3img4blurEPf", arch="sm_80", regs=40,
    static_smem=36864, dynamic_smem=0, barriers=2, stack_bytes=16, spill_store_bytes=8,
    spill_load_bytes=4, threads=256, threads_from="required",
)  # fmt: skip


def checked(
    records: Sequence[KernelRecord], *rules: Rule, baseline: Sequence[KernelRecord] | None = None
) -> Checked:
    scanner = Scanner(limits, with_advice=False)
    return check(records, rules, scanner, baseline, ("build", "base.json"))


def rule(
    bounds: Mapping[str, float | None], kernels: str = "*", arch: str | None = None, number: int = 1
) -> Rule:
    archs = () if arch is None else (ComputeCapability.parse(arch),)
    return Rule(number, (kernels,), archs, dict(bounds))


# Criterion, a bound that just holds, one that just does not, and the value that it is about.
ABSOLUTE = [
    ("min_occupancy", 50, 50.1, 0.5),
    ("max_regs", 40, 39, 40),
    ("max_spill_bytes", 12, 11, 12),
    ("max_stack_bytes", 16, 15, 16),
    ("max_smem", 36864, 36863, 36864),
    ("max_barriers", 2, 1, 2),
]

# The same, and what the kernel was in the baseline.
COMPARING = [
    ("max_occupancy_drop", 25, 24.9, 0.5, {"static_smem": 25600}),  # 26 KiB: 6 blocks, 75%
    ("max_regs_growth", 8, 7, 40, {"regs": 32}),
    ("max_stack_growth", 16, 15, 16, {"stack_bytes": 0}),
    ("max_smem_growth", 4096, 4095, 36864, {"static_smem": 32768}),
]


def test_every_criterion_is_tested() -> None:
    tested = (
        {name for name, *_ in ABSOLUTE}
        | {name for name, *_ in COMPARING}
        | {
            "no_new_spills",
            "no_new_smem_spills",
        }
    )
    assert tested == set(CRITERIA)


@pytest.mark.parametrize(("name", "holds", "breaks", "value"), ABSOLUTE)
def test_rules_about_a_value(name: str, holds: float, breaks: float, value: float) -> None:
    passed = checked([KERNEL], rule({name: holds}))
    assert (len(passed.holding), passed.violating, passed.checks) == (1, [], 1)
    (violating,) = checked([KERNEL], rule({name: breaks})).violating
    (violation,) = violating.violations
    assert (violation.criterion, violation.rule, violation.value) == (name, 1, value)
    assert violation.was is None


@pytest.mark.parametrize(("name", "holds", "breaks", "value", "before"), COMPARING)
def test_rules_about_a_change(
    name: str, holds: float, breaks: float, value: float, before: dict[str, int]
) -> None:
    old = replace(KERNEL, **before)  # type: ignore[arg-type]
    passed = checked([KERNEL], rule({name: holds}), baseline=[old])
    assert (len(passed.holding), passed.violating, passed.checks) == (1, [], 1)
    (violating,) = checked([KERNEL], rule({name: breaks}), baseline=[old]).violating
    (violation,) = violating.violations
    assert (violation.criterion, violation.value) == (name, value)
    assert violation.was is not None
    assert violating.baseline is not None


@pytest.mark.parametrize("name", [name for name, *_ in COMPARING])
def test_a_change_for_the_better_holds(name: str) -> None:
    worse = replace(KERNEL, regs=80, stack_bytes=99, static_smem=90_000)
    assert checked([KERNEL], rule({name: 0}), baseline=[worse]).violating == []
    assert checked([KERNEL], rule({name: 0}), baseline=[KERNEL]).violating == []


def test_new_spills() -> None:
    asked = rule({"no_new_spills": 0})
    assert checked([KERNEL], asked, baseline=[KERNEL]).violating == []
    fewer = replace(KERNEL, spill_store_bytes=4)
    assert checked([fewer], asked, baseline=[KERNEL]).violating == []
    (violating,) = checked([KERNEL], asked, baseline=[fewer]).violating
    assert (violating.violations[0].was, violating.violations[0].value) == (8, 12)


def test_new_spills_into_shared_memory() -> None:
    asked = rule({"no_new_smem_spills": 0})
    more = replace(KERNEL, spill_smem=4096)
    less = replace(KERNEL, spill_smem=0)
    assert checked([less], asked, baseline=[more]).violating == []
    assert checked([more], asked, baseline=[more]).violating == []
    (violating,) = checked([more], asked, baseline=[less]).violating
    assert (violating.violations[0].was, violating.violations[0].value) == (0, 4096)
    with pytest.raises(RulesError, match="not known: the spill smem of img::blur") as caught:
        checked([KERNEL], asked, baseline=[KERNEL])
    assert "check the cubins" in str(caught.value)


def test_negative_spills_are_none() -> None:
    moved = replace(KERNEL, spill_store_bytes=-8, spill_load_bytes=4)
    assert checked([moved], rule({"max_spill_bytes": 4})).violating == []
    (violating,) = checked([moved], rule({"max_spill_bytes": 3})).violating
    assert violating.violations[0].value == 4


def test_all_spills_of_a_new_kernel_are_new() -> None:
    other = replace(KERNEL, name="_Z5otherv")
    (violating,) = checked([KERNEL, other], rule({"no_new_spills": 0}), baseline=[other]).violating
    assert (violating.kernel.name, violating.violations[0].was) == (KERNEL.name, None)
    clean = replace(KERNEL, spill_store_bytes=0, spill_load_bytes=0)
    assert checked([clean, other], rule({"no_new_spills": 0}), baseline=[other]).violating == []


@pytest.mark.parametrize("launches", [None, 3])
@pytest.mark.parametrize("is_static", [None, True])
def test_a_copy_as_it_was_hides_no_regression_beside_it(launches: int | None, is_static: bool | None) -> None:
    was = replace(KERNEL, format="cubin", launches=launches, is_static=is_static)
    worse = replace(was, static_smem=90_000, source="b.cubin")
    for build in ([was, worse], [worse, was]):
        done = checked(build, rule({"max_occupancy_drop": 0}), baseline=[was])
        (violating,) = done.violating
        assert (violating.kernel.source, violating.violations[0].was) == ("b.cubin", 0.5)
        assert ([each.source for each in done.namesakes], done.added, done.removed) == (["b.cubin"], (), ())
    # A namesake that is as good is fine, however many there are, and one that both builds have is none.
    like = [replace(was, code=number, source=f"{number}.cubin") for number in range(5)]
    done = checked(like, rule({"max_occupancy_drop": 0}), baseline=[was])
    assert (done.violating, len(done.holding), len(done.namesakes), done.added) == ([], 5, 4, ())
    both = checked([was, worse], rule({"max_occupancy_drop": 0}), baseline=[worse, was])
    assert (both.violating, both.namesakes) == ([], ())


def test_a_namesake_of_another_architecture_or_with_other_arguments_is_new() -> None:
    asked = rule({"max_occupancy_drop": 0})
    other = replace(KERNEL, name="_ZN3img4blurEPd", static_smem=90_000)
    done = checked([KERNEL, other], asked, baseline=[KERNEL])
    assert (done.violating, done.namesakes, [each.name for each in done.added]) == ([], (), [other.name])
    variant = replace(KERNEL, arch="sm_80a", static_smem=90_000)
    assert len(checked([KERNEL, variant], asked, baseline=[KERNEL]).violating) == 1
    # What the compiler adds of the place of a file is no part of a name.
    local = replace(KERNEL, name="_ZN43_GLOBAL__N__6e4a8e5f_10_filters_cu_49a1c0e04clearEPf")
    moved = replace(local, name=local.name.replace("6e4a8e5f", "49653286"), static_smem=90_000)
    assert len(checked([local, moved], asked, baseline=[local]).violating) == 1


def test_a_new_kernel_has_not_grown() -> None:
    other = replace(KERNEL, name="_Z5otherv")
    done = checked([KERNEL, other], rule({"max_regs_growth": 0}), baseline=[other])
    assert (done.violating, done.checks) == ([], 1)


def test_two_thirds_are_written_as_they_are_read() -> None:
    # 12.0 has 48 warps; 32 of them are resident.
    kernel = replace(KERNEL, arch="sm_120", regs=64, static_smem=0)
    assert checked([kernel], rule({"min_occupancy": 66.7})).violating == []
    assert len(checked([kernel], rule({"min_occupancy": 66.8})).violating) == 1


@pytest.mark.parametrize(
    ("kernels", "arch", "expected"),
    [
        ("blur", None, ["blur"]),
        ("img::w*", None, ["warp"]),
        ("_ZN3img4warpEPf", None, ["warp"]),
        ("*", "9.0", ["warp"]),
        ("*", "sm_80", ["blur"]),
        ("*", None, ["blur", "warp"]),
    ],
)
def test_rules_are_for_kernels_and_architectures(kernels: str, arch: str | None, expected: list[str]) -> None:
    other = replace(KERNEL, name="_ZN3img4warpEPf", arch="sm_90a")
    done = checked([other, KERNEL], rule({"max_regs": 1}, kernels, arch))
    assert [each.kernel.name for each in done.violating] == [f"_ZN3img4{name}EPf" for name in expected]
    assert done.matched == {1: len(expected)}


def test_a_later_rule_overrides_and_exempts() -> None:
    strict, loose = rule({"max_regs": 1}), rule({"max_regs": 64}, kernels="blur", number=2)
    assert checked([KERNEL], strict, loose).violating == []
    assert checked([KERNEL], strict, rule({"max_regs": None}, kernels="blur", number=2)).violating == []
    assert [each.rule for each in checked([KERNEL], loose, strict).violating[0].violations] == [1]


# What mends it; the occupancy then follows from the arithmetic above.
MENDING = [
    ("min_occupancy", 75, NextStep(6, 0.75, {"smem": 26880})),  # (164 KiB // 6) less the KiB
    ("min_occupancy", 100, NextStep(8, 1.0, {"regs": 32, "smem": 19968})),
    ("max_regs", 32, NextStep(4, 0.5, {"regs": 32})),
    ("max_smem", 20000, NextStep(6, 0.75, {"smem": 20000})),  # now the registers limit
    ("max_barriers", 1, NextStep(4, 0.5, {"barriers": 1})),
    # Half of the SM is 4 blocks: 65,536 registers for 32 warps, 64 for each thread.
    ("max_spill_bytes", 0, NextStep(4, 0.5, {"regs": 64})),
    ("max_stack_bytes", 0, NextStep(4, 0.5, {"regs": 64})),
]


@pytest.mark.parametrize(
    ("name", "bound", "said"),
    [("max_regs", 95, "(128, 6) caps them at 80"), ("max_regs_growth", 8, "(128, 12) caps them at 40")],
)
def test_launch_bounds_that_mend(name: str, bound: float, said: str) -> None:
    bounded = replace(KERNEL, threads=None, threads_from=None, max_threads=128, regs=32)
    worse = replace(bounded, regs=128)
    (violating,) = checked([worse], rule({name: bound}), baseline=[bounded]).violating
    step = mending(violating.kernel, violating.violations[0])
    assert step == f"__launch_bounds__{said}; the rest spills."


@pytest.mark.parametrize(
    ("name", "threads", "said"),
    [
        ("max_regs", 256, "; maxnreg=32 or more num_warps asks Triton for that."),
        ("max_spill_bytes", 256, "; maxnreg=64 asks Triton for that."),
        ("max_regs", None, "maxnreg or more num_warps lower the registers per thread (maxnreg may spill)."),
    ],
)
def test_triton_has_options_and_no_launch_bounds(name: str, threads: int | None, said: str) -> None:
    kernel = replace(KERNEL, format="triton", threads=threads, required_threads=256)
    (violating,) = checked([kernel], rule({name: 32 if name == "max_regs" else 0})).violating
    assert mending(violating.kernel, violating.violations[0]).endswith(said)


@pytest.mark.parametrize(("name", "bound", "step"), MENDING)
def test_the_step_that_mends(name: str, bound: float, step: NextStep) -> None:
    (violating,) = checked([KERNEL], rule({name: bound})).violating
    assert violating.violations[0].next_step == step


def test_spills_that_only_fewer_blocks_can_mend() -> None:
    # 48 warps of 40 registers; with more of them, 5 blocks of up to 48.
    full = replace(KERNEL, static_smem=0)
    (violating,) = checked([full], rule({"max_spill_bytes": 0})).violating
    assert violating.violations[0].next_step == NextStep(5, 0.625, {"regs": 48})


@pytest.mark.parametrize(
    "kernel",
    [
        replace(KERNEL, regs=255),
        replace(KERNEL, threads=1024, regs=64),  # 128 KiB of registers are one block
        replace(KERNEL, spill_store_bytes=0, spill_load_bytes=0),  # arrays
    ],
)
def test_a_stack_that_no_registers_can_mend(kernel: KernelRecord) -> None:
    (violating,) = checked([kernel], rule({"max_stack_bytes": 0})).violating
    assert violating.violations[0].next_step is None


def test_an_occupancy_that_cannot_be_reached() -> None:
    # 32 blocks of one warp are half of the SM, and so is one block of 1,024 threads.
    kernel = replace(KERNEL, threads=32, regs=8, static_smem=160 << 10)
    (violating,) = checked([kernel], rule({"min_occupancy": 51})).violating
    assert violating.violations[0].next_step is None


def refused(
    error: type[Exception], message: str, *args: Rule, **kwargs: Sequence[KernelRecord] | None
) -> None:
    with pytest.raises(error, match=message):
        checked([KERNEL], *args, **kwargs)


def test_a_rule_for_no_kernel() -> None:
    refused(RulesError, r"rule 1 \(blurr\) is for no kernel of build. Allowed: img::blur, for sm_80",
            rule({"max_regs": 64}, kernels="blurr"))  # fmt: skip
    refused(RulesError, r"rule 2 \(blur on sm_90\) is for no kernel",
            rule({"max_regs": 64}), rule({"max_barriers": 8}, "blur", "9.0", number=2))  # fmt: skip
    many = [replace(KERNEL, name=f"_Z{len(name)}{name}v") for name in (f"kernel{i:05}" for i in range(9999))]
    with pytest.raises(RulesError, match="kernel") as caught:
        checked(many, rule({"max_regs": 64}, kernels="zzz"))
    assert "and 9,994 more" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_nothing_at_all_to_check() -> None:
    with pytest.raises(RulesError, match="is for no kernel"):
        checked([], rule({"max_regs": 64}))


def test_a_comparison_without_a_baseline() -> None:
    refused(RulesError, r"rule 1 .* asks for max_stack_growth, and there is no baseline",
            rule({"max_stack_growth": 0}))  # fmt: skip
    assert checked([KERNEL], rule({"max_regs": 64, "max_stack_growth": None})).violating == []


def test_a_baseline_for_other_architectures() -> None:
    other = replace(KERNEL, arch="sm_90")
    refused(BaselineError, r"base.json: has no kernels for sm_80, which build has. Allowed: sm_90",
            rule({"max_stack_growth": 0}), baseline=[other])  # fmt: skip
    refused(BaselineError, r"has no kernels for sm_80.*no kernels at all",
            rule({"max_stack_growth": 0}), baseline=[])  # fmt: skip
    # What compares nothing does not care, and neither does a variant of the architecture.
    assert checked([KERNEL], rule({"max_regs": 64}), baseline=[other]).violating == []
    variant = replace(KERNEL, arch="sm_80a")
    assert checked([KERNEL], rule({"max_stack_growth": 0}), baseline=[variant]).checks == 1


def test_a_baseline_without_the_kernels() -> None:
    other = replace(KERNEL, name="_Z5otherv")
    refused(BaselineError, r"has none of the kernels that rule 1 .* compares",
            rule({"max_stack_growth": 0}), baseline=[other])  # fmt: skip


@pytest.mark.parametrize("name", ["max_spill_bytes", "no_new_spills"])
def test_spills_that_no_file_tells(name: str) -> None:
    cubin = replace(KERNEL, format="cubin", spill_store_bytes=None, spill_load_bytes=None)
    with pytest.raises(
        RulesError, match=f"asks for {name}; not known: the spill bytes of img::blur"
    ) as caught:
        checked([cubin], rule({name: 0}), baseline=[cubin])
    assert "ptxas -v" in str(caught.value)
    # The log beside the cubin tells.
    log = replace(KERNEL, source="build.log")
    assert checked([cubin, log], rule({name: 99}), baseline=[log]).checks == 1


def test_spills_that_only_the_baseline_does_not_tell() -> None:
    old = replace(KERNEL, spill_store_bytes=None, spill_load_bytes=None)
    refused(RulesError, r"not known in the baseline: the spill bytes of img::blur",
            rule({"no_new_spills": 0}), baseline=[old])  # fmt: skip


def test_an_occupancy_without_an_architecture() -> None:
    with pytest.raises(RulesError, match="not known: the occupancy of img::blur"):
        checked([replace(KERNEL, arch=None)], rule({"min_occupancy": 50}))


def test_a_kernel_that_does_not_launch() -> None:
    kernel = replace(KERNEL, threads=1024, regs=128)
    (violating,) = checked([kernel], rule({"min_occupancy": 1})).violating
    assert violating.violations[0].value == 0
    assert violating.violations[0].next_step is not None
