"""Baselines, differences and checks of builds."""

import json
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy import BaselineError, OccupancyError, RulesError
from occupancy.compare.baseline import (
    Build,
    accepted,
    baseline_from,
    baseline_text,
    looks_like_baseline,
    parse_baseline,
    read_baseline,
    read_build,
    write_baseline,
)
from occupancy.compare.check import Checked, check_kernels
from occupancy.compare.diff import compare
from occupancy.compare.match import compared_values
from occupancy.compare.rules import Exemption, Rule, Rules
from occupancy.readers import KernelRecord
from occupancy.report.check import check_findings
from tests import hostile
from tests.builds import EVALUATOR, kernel

BASELINE = Build((kernel(),), 256)


class TestBaseline:
    def test_the_file_is_what_the_documents_say(self) -> None:
        assert "größe" in baseline_text(baseline_from([kernel("größe")]))
        every = kernel(cluster_dim=(2, 1, 1), code=0xFFFF_FFFF, spills_from="compiler", dynamic_smem=1024)
        assert baseline_text(baseline_from([every, kernel("_Z1jv")], 256)) == (
            '{\n"schema": "occupancy-baseline",\n"schema_version": 3,\n"threads": 256,\n"kernels": [\n'
            '{"name": "_Z1jv", "arch": "sm_90", "source": "k.cubin", "format": "cubin", "linked": true, '
            '"regs": 32, "static_smem": 0, "barriers": 1, "stack_bytes": 0, "spill_store_bytes": 0, '
            '"spill_load_bytes": 0, "max_threads": 256},\n'
            '{"name": "_Z1kv", "arch": "sm_90", "source": "k.cubin", "format": "cubin", "linked": true, '
            '"regs": 32, "static_smem": 0, "dynamic_smem": 1024, "barriers": 1, "stack_bytes": 0, '
            '"spill_store_bytes": 0, "spill_load_bytes": 0, "spills_from": "compiler", "max_threads": 256, '
            '"cluster_dim": [2, 1, 1], "code": 4294967295}\n]\n}\n'
        )

    def test_another_file_with_the_same_code_is_recorded(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            shutil.copy("tests/data/kernels/cubins/13.0_90_0.cubin.gz", tmp_path / f"{name}.cubin.gz")
        build = parse_baseline(baseline_text(baseline_from(read_build([str(tmp_path)]).kernels)).encode(), "")
        assert {each.also_in for each in build.kernels} == {("b.cubin.gz",)}

    def test_a_line_without_a_value_is_a_kernel_without_it(self) -> None:
        line = '{"name": "k", "source": "k.o", "format": "cubin"}'
        text = f'{{"schema": "occupancy-baseline", "schema_version": 3, "kernels": [{line}]}}'
        (read,) = parse_baseline(text.encode(), "base.json").kernels
        assert read == KernelRecord(source="k.o", format="cubin", name="k")
        assert looks_like_baseline(b"\xef\xbb\xbf\n" + text.encode())
        assert not looks_like_baseline(b'{"traceEvents": []}')
        assert not looks_like_baseline(f"// {text}".encode())

    def test_a_build_makes_the_same_file_everywhere(self, builds: Path) -> None:
        folder = builds / "before"
        text = baseline_text(baseline_from(read_build([str(folder)]).kernels))
        files = sorted(map(str, folder.iterdir()), reverse=True)
        assert baseline_text(baseline_from(read_build(files).kernels)) == text
        assert str(builds) not in text
        assert "_ZN3img21_GLOBAL__N_filters_cu5clearEPf" in text
        read = parse_baseline(text.encode(), "base.json")
        assert baseline_text(baseline_from(read.kernels)) == text
        build = read_build([str(folder)])
        assert set(map(compared_values, read.kernels)) == set(map(compared_values, build.kernels))

    @pytest.mark.parametrize(("change", "message"), [
        ({"schema_version": 4}, "schema_version: 4 is invalid. Allowed: 3. Update occupancy"),
        ({"schema_version": True}, "schema_version: True is invalid"),
        ({"schema": "coverage"}, "is not a baseline"), ({"kernels": {}}, "kernels: a mapping is invalid"),
        ({"threads": 0}, "threads: 0 is invalid"), ({"threads": "64"}, "threads: '64' is invalid"),
        ({"kernels": [3]}, r"kernels\[0\]: 3 is invalid"),
        *(
            ({"kernels": [{"name": "k", "source": "f", "format": "cubin", name: value}]}, message)
            for name, value, message in (
                ("regs", -1, r"kernels\[0\].regs: -1 is invalid"),
                ("regs", "32", r"kernels\[0\].regs: '32' is invalid"),
                ("regs", 10**400, r"kernels\[0\].regs: 1000"),
                ("regsters", 32, r"kernels\[0\].regsters is unknown"),
                ("cluster_dim", [1, 2], r"kernels\[0\].cluster_dim"),
            )
        ),
        ({"kernels": [{"name": "k"}]}, r"kernels\[0\].source is missing"),
    ])  # fmt: skip
    def test_wrong_values(self, change: dict[str, Any], message: str) -> None:
        content = json.dumps({**json.loads(baseline_text(BASELINE)), **change}).encode()
        with pytest.raises(BaselineError, match=message):
            parse_baseline(content, "base.json")

    @pytest.mark.parametrize(
        "content",
        [b"", b"\xff\xfe{}", b"[" * 100_000, b'{"a": ' + b"[" * 100_000, b'{"a": \xe9}', b"1" * 9999],
    )
    def test_files_that_are_no_json(self, content: bytes) -> None:
        with pytest.raises(BaselineError, match=r"is not (valid JSON|a baseline)"):
            parse_baseline(content, "base.json")
        text = baseline_text(BASELINE).encode()
        for length in range(0, len(text.rstrip()), 7):
            with pytest.raises(BaselineError):
                parse_baseline(text[:length], "base.json")

    def test_paths_that_cannot_be_read_or_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        for path in (str(tmp_path / name) for name in ("", "a\0b", "file/base.json")):
            with pytest.raises(BaselineError, match=r"cannot be read|is a folder"):
                read_baseline(path)
            with pytest.raises(BaselineError, match="cannot be written"):
                write_baseline(path, BASELINE)

    def test_some_kernels_are_accepted(self) -> None:
        before = [kernel("_Z1av"), kernel("_Z1bv"), kernel("_Z4goneb")]
        after = [kernel("_Z1av", regs=64), kernel("_Z1bv", regs=64), kernel("_Z3newv")]

        def names(*wanted: str) -> dict[str, int | None]:
            done = accepted(Build(tuple(before)), after, lambda record: record.name in wanted)
            return {each.name: each.regs for each in done.kernels}

        assert names("_Z1bv") == {"_Z1av": 32, "_Z1bv": 64, "_Z4goneb": 32}
        assert names("_Z4goneb", "_Z3newv") == {"_Z1av": 32, "_Z1bv": 32, "_Z3newv": 32}

    @pytest.mark.parametrize("wanted", ["old", "new"])
    def test_an_update_takes_a_kernel_by_either_name(self, wanted: str) -> None:
        before = baseline_from([kernel("old", code=1), kernel("other")])
        build = [kernel("new", regs=40, code=1), kernel("other", regs=64)]
        after = accepted(before, build, lambda record: record.name == wanted)
        assert {each.name: each.regs for each in after.kernels} == {"new": 40, "other": 32}


class TestDiff:
    @pytest.mark.parametrize(("changes", "verdict", "causes"), [
        ({}, "same", []), ({"regs": 24}, "changed", ["regs"]), ({"regs": 64}, "worse", ["regs"]),
        ({"static_smem": 65536}, "worse", ["smem"]),
        ({"spill_store_bytes": 8, "stack_bytes": 8}, "worse", ["spills", "stack_bytes"]),
        ({"spill_store_bytes": -8}, "changed", ["spills"]),
        ({"stack_bytes": 256}, "changed", ["stack_bytes"]),
        ({"spill_smem": 1024}, "worse", ["spill_smem"]),
        ({"barriers": 16, "regs": 24}, "worse", ["regs", "barriers"]),
        ({"max_threads": 512}, "changed", ["launch_bounds"]),
        ({"max_threads": None}, "changed", ["launch_bounds"]),
        ({"cluster_dim": (4, 1, 1)}, "changed", ["cluster_dim"]),
    ])  # fmt: skip
    def test_one_kernel(self, changes: dict[str, Any], verdict: str, causes: list[str]) -> None:
        diff = compare([kernel()], [kernel(**changes)], EVALUATOR, with_same=True)
        (row,) = diff.kernels
        assert (row.verdict, [each.name for each in row.changes]) == (verdict, causes)
        assert diff.summary[verdict] == 1

    @pytest.mark.parametrize(("changes", "explaining"), [
        ({"regs": 64, "static_smem": 2048}, ["regs"]), ({"regs": 30, "static_smem": 65536}, ["smem"]),
        ({"regs": 64, "static_smem": 65536}, ["smem", "regs"]), ({"regs": 24}, []),
        ({"regs": 24, "spill_store_bytes": 8}, ["regs"]),
        ({"regs": 64, "barriers": 2}, ["regs"]),
        ({"regs": 64, "barriers": 2, "max_threads": 512}, ["launch_bounds", "regs"]),
    ])  # fmt: skip
    def test_a_change_explains_the_occupancy(self, changes: dict[str, Any], explaining: list[str]) -> None:
        (row,) = compare([kernel()], [kernel(**changes)], EVALUATOR, with_same=True).kernels
        assert [each.name for each in row.explaining] == explaining

    def test_a_register_cap_explains_its_registers(self) -> None:
        old, new = (kernel(max_threads=None, register_cap=cap, regs=cap) for cap in (40, 64))
        (row,) = compare([old], [new], EVALUATOR).kernels
        assert (row.verdict, [each.name for each in row.explaining]) == ("worse", ["register_cap", "regs"])
        old = kernel(arch="sm_100a", tensor_memory=64, virtual_resources=0)
        (row,) = compare([old], [replace(old, tensor_memory=512)], EVALUATOR).kernels
        assert (row.verdict, [each.name for each in row.explaining]) == ("worse", ["tensor_memory"])

    def test_more_registers_for_fewer_spills_are_mixed(self) -> None:
        old = kernel(regs=40, spill_store_bytes=80, spill_load_bytes=80)
        (row,) = compare([old], [kernel(regs=64)], EVALUATOR).kernels
        assert row.verdict == "mixed"
        (row,) = compare([old], [kernel(regs=64, static_smem=262_144)], EVALUATOR).kernels
        assert row.verdict == "worse", "fewer spills do not matter without a launch"
        # The stack can include unknown spills.
        unknown: dict[str, Any] = {"spill_store_bytes": None, "spill_load_bytes": None}
        (row,) = compare([kernel(**unknown)], [kernel(stack_bytes=64, **unknown)], EVALUATOR).kernels
        assert row.verdict == "worse"
        (row,) = compare([kernel()], [kernel(static_smem=36864)], EVALUATOR).kernels
        assert (row.old.occupancy, row.new.occupancy, row.occupancy_change) == (1, 0.75, -0.25)

    def test_missing_code_has_no_fix_of_resources(self) -> None:
        evaluator = replace(EVALUATOR, gpu=occupancy.gpu("9.0"), selects_code=True)
        new = kernel(arch="sm_100", static_smem=49_152, ptx=())
        (row,) = compare([kernel(ptx=())], [new], evaluator, ignore_arch=True).kernels
        reason = "no code or compatible PTX for 9.0 (compile for sm_90)"
        assert (row.verdict, row.new.reason, row.fix.changes) == ("worse", reason, {})

    def test_added_removed_and_unknown(self) -> None:
        old = [kernel("_Z1av"), kernel("_Z1bv")]
        new = [kernel("_Z1bv", spill_store_bytes=None, spill_load_bytes=None)]
        diff = compare(old, [*new, kernel("_Z1cv")], EVALUATOR)
        assert [[each.name for each in some] for some in (diff.added, diff.removed)] == [["_Z1cv"], ["_Z1av"]]
        assert diff.unknown == {"spill_bytes": 1}
        (row,) = compare([kernel(regs=None)], [kernel()], EVALUATOR, with_same=True).kernels
        assert row.occupancy_change is None

    @pytest.mark.parametrize(
        ("old", "new", "threads", "launches"),
        [(1024, None, 1024, False), (1024, 128, 128, True), (None, 1024, 1024, False)],
    )
    def test_both_builds_have_one_block_size(self, old: Any, new: Any, threads: int, launches: bool) -> None:
        before, after = kernel(max_threads=old, regs=64), kernel(max_threads=new, regs=72)
        (row,) = compare([before], [after], EVALUATOR).kernels
        assert (row.old.threads, row.new.threads, row.new.launchable) == (threads, threads, launches)
        assert (row.old.threads_assumed, row.new.threads_assumed) == (True, True)
        (row,) = compare([before], [replace(after, threads=64, launches=1)], EVALUATOR).kernels
        assert (row.old.threads, row.new.threads, row.old.threads_assumed) == (64, 64, False)

    def test_a_block_size_that_one_build_allows_is_kept(self) -> None:
        at_256 = replace(EVALUATOR, threads=256)
        (row,) = compare([kernel(max_threads=256)], [kernel(max_threads=128)], at_256).kernels
        assert (row.verdict, row.old.launchable, row.new.launchable) == ("worse", True, False)
        assert "launch_bounds" in [each.name for each in row.explaining]

    def test_another_architecture_is_a_change(self) -> None:
        old, new = (kernel(regs=24, max_threads=1024, arch=arch) for arch in ("sm_90", "sm_86"))
        (row,) = compare([old], [new], EVALUATOR, ignore_arch=True).kernels
        assert (row.verdict, [each.name for each in row.changes]) == ("worse", ["arch"])

    def test_the_worst_comes_first(self) -> None:
        old = [kernel(f"_Z1{letter}v") for letter in "abcde"]
        new = [
            replace(old[0], regs=24), replace(old[1], regs=40), replace(old[2], regs=128),
            replace(old[3], regs=40, spill_store_bytes=8), replace(old[4], regs=28),
        ]  # fmt: skip
        names = [row.new.name for row in compare(old, new, EVALUATOR).kernels]
        assert names == ["_Z1cv", "_Z1dv", "_Z1bv", "_Z1ev", "_Z1av"]


def check(kernels: list[KernelRecord], *rules: Rule, baseline: Any = None, **more: Any) -> Checked:
    return check_kernels(kernels, Rules(rules=rules, **more), EVALUATOR, baseline, today=date(2027, 1, 1))


class TestCheck:
    @pytest.mark.parametrize(("changes", "rule", "value"), [
        ({"regs": 64}, {"min_occupancy": 0.75}, 0.5), ({"regs": 64}, {"max_regs": 48}, 64),
        ({"regs": 64}, {"max_regs_growth": 8}, 64), ({"regs": 64}, {"max_occupancy_drop": 0.05}, 0.5),
        ({"spill_load_bytes": 8}, {"no_new_spills": True}, 8), ({"spill_load_bytes": 8}, {"max_spill_bytes": 4}, 8),
        ({"stack_bytes": 16}, {"max_stack_bytes": 8}, 16), ({"stack_bytes": 16}, {"max_stack_growth": 8}, 16),
        ({"static_smem": 1024}, {"max_smem": 512}, 1024), ({"static_smem": 1024}, {"max_smem_growth": "512"}, 1024),
        ({"spill_smem": 64}, {"no_new_smem_spills": True}, 64), ({"barriers": 3}, {"max_barriers": 2}, 3),
    ])  # fmt: skip
    def test_each_criterion(self, changes: dict[str, Any], rule: dict[str, Any], value: float) -> None:
        before = kernel(spill_smem=0)
        now = replace(before, **changes)
        (broken,) = check([now], Rule(**rule), baseline=[before]).broken
        assert [each.value for each in broken.violations] == [value]
        assert check([before], Rule(**rule), baseline=[before]).passed
        exempt: dict[str, Any] = dict.fromkeys(rule, False)
        assert check([now], Rule(**rule), Rule(kernels="k", **exempt), baseline=[before]).passed

    def test_a_kernel_that_is_gone_fails_unless_it_may_be_removed(self) -> None:
        for patterns in ((), ("old*",)):
            before = [kernel(), old := kernel("_Z3oldv")]
            done = check([kernel()], Rule(max_regs=64), baseline=before, allow_removed=patterns)
            gone = done.permitted if patterns else done.removed
            assert ([each.record for each in gone], done.passed) == ([old], bool(patterns))
        copies = [kernel(regs=regs) for regs in (24, 25, 26)]
        assert not check(copies[:2], Rule(max_regs=64), baseline=copies).passed, "one of several copies"
        before = [kernel(), kernel(arch="sm_80"), old, replace(old, arch="sm_80")]
        found = check_findings(check([kernel(arch="sm_80")], Rule(max_regs=64), baseline=before))
        texts = [each.message.partition(":")[0].partition(" ")[2] for each in found]
        assert texts == ["removed", "without code for sm_90"]

    def test_an_update_is_not_offered_for_a_kernel_that_does_not_launch(self, tmp_path: Path) -> None:
        (tmp_path / "k.log").write_text(hostile.log("k", smem=65536))
        rules, baseline = Rule(max_occupancy_drop=0), tmp_path / "baseline.json"
        updated = occupancy.check(tmp_path / "k.log", rules, baseline=baseline, update=True)
        assert (updated.passed, "The update does not accept k (no launch)." in str(updated)) == (False, True)
        assert "To accept" not in str(occupancy.check(tmp_path / "k.log", rules, baseline=baseline))

    def test_a_new_kernel_brings_all_of_its_spills(self) -> None:
        new = kernel("_Z3newv", spill_store_bytes=8)
        done = check([kernel(), new], Rule(no_new_spills=True), baseline=[kernel()])
        (broken,) = done.broken
        assert (broken.kernel.name, broken.baseline, broken.violations[0].was) == ("_Z3newv", None, None)
        assert [each.name for each in done.added] == ["_Z3newv"]
        assert check([kernel(), new], Rule(max_occupancy_drop=0), baseline=[kernel()]).passed
        large = [kernel(threads=512)]
        assert not check(large, Rule(max_occupancy_drop=0), baseline=large).passed
        new = replace(new, spill_smem=64)
        assert not check([new], Rule(no_new_smem_spills=True), baseline=[]).passed

    @pytest.mark.parametrize(
        ("until", "excused"), [(None, True), ("2027-01-01", True), ("2026-12-31", False)]
    )
    def test_exemptions(self, until: str | None, excused: bool) -> None:
        exemption = Exemption(kernels="k", rules="max_regs", reason="because", until=until)
        done = check([kernel()], Rule(max_regs=16), exemptions=(exemption,))
        assert (done.passed, len(done.exempt)) == (excused, excused)
        assert done.ended == (() if excused else (exemption,))
        both = check([kernel()], Rule(max_regs=16, min_occupancy=1), exemptions=(exemption,))
        assert both.passed == excused
        assert not check([kernel()], Rule(max_barriers=0), exemptions=(exemption,)).passed
        old, new = kernel(regs=128, register_cap=128), kernel(regs=40, register_cap=40, spill_store_bytes=8)
        done = check([new], Rule(no_new_spills=True, max_regs=64), baseline=[old], exemptions=(exemption,))
        assert list(done.broken[0].fix.changes) == ["restore" if excused else "relax"]

    def test_a_pattern_for_no_kernel_is_an_error_only_of_a_demand(self) -> None:
        kernels = [kernel("_Z4blurv")]
        with pytest.raises(RulesError, match=r"Rule 2 matches no kernel: blurr.* Did you mean blur\?"):
            check(kernels, Rule(max_regs=64), Rule(kernels=["blur", "blurr"], max_regs=40))
        with pytest.raises(RulesError, match=r"No rule sets a limit. Allowed: min_occ"):
            check(kernels, Rule(threads=64), Rule(max_regs=False))
        (broken,) = check([kernel(threads=256, max_threads=128, regs=128)], Rule(min_occupancy=0.5)).broken
        raised = [("launch_bounds", (128, None), (256, None))]
        assert broken.fix.changes == {"raise": raised, "reduce": [("regs", 128, 64)]}
        for threads, regs, second in ((512, 40, 3), (512, 64, 2), (1024, 255, 1)):
            capped = kernel(threads=threads, max_threads=256, min_blocks=6, regs=40)
            (broken,) = check([capped], Rule(min_occupancy=0.5, max_regs=regs)).broken
            assert broken.fix.changes["raise"] == [("launch_bounds", (256, 6), (threads, second))]
        unmatched = Rule(kernels="x", max_regs=9), Rule(kernels="x", max_regs=9)
        with pytest.raises(RulesError, match=r"Rule 2 .*\nRule 3 "):
            check(kernels, Rule(max_regs=64), *unmatched)
        with pytest.raises(RulesError, match="on sm_80"):
            check(kernels, Rule(arch="sm_80", max_regs=64))
        off = Rule(kernels="*debug*", max_regs=False)
        exemption = Exemption(kernels="*debug*", reason="because")
        done = check(kernels, Rule(max_regs=64), off, Rule(kernels="x", threads=64), exemptions=(exemption,))
        assert done.passed
        assert [patterns for _, patterns in done.unused] == [["*debug*"], ["x"], ["*debug*"]]
        assert check(kernels, Rule(kernels="!*debug*", max_regs=64)).passed

    def test_rules_that_check_nothing_are_errors(self) -> None:
        silent = kernel(spill_store_bytes=None, spill_load_bytes=None)
        with pytest.raises(RulesError, match=r"do not contain the spill bytes of k for sm_90\."):
            check([silent], Rule(no_new_spills=True), baseline=[silent])
        with pytest.raises(RulesError, match=r"^Rule 2 .* sets max_regs_growth, which needs a base"):
            check([silent], Rule(max_regs=64), Rule(max_regs_growth=8))
        with pytest.raises(BaselineError, match=r"has none of its kernels, such as j for sm_90"):
            check([kernel("_Z1jv")], Rule(max_regs_growth=8), baseline=[kernel()])
        with pytest.raises(OccupancyError) as caught:
            check([silent], Rule(no_new_spills=True, max_smem_growth=0), Rule(kernels="x", max_regs=8))
        assert len(caught.value.every) == 3

    def test_a_fix_satisfies_all_rules_and_restores_registers_only_if_all_rules_allow_them(self) -> None:
        def fix(new: KernelRecord, *rules: Rule, **old: Any) -> Any:
            (broken,) = check([new], *rules, baseline=[kernel(**old)]).broken
            return {each.name: each.new for made in broken.fix.changes.values() for each in made}

        rules = Rule(max_occupancy_drop=0), Rule(min_occupancy=0.6, max_smem="16k", max_smem_growth="20k")
        assert fix(kernel(static_smem=36 << 10, regs=64), *rules) == {"smem": 16 << 10, "regs": 32}
        spilling = kernel(regs=40, spill_store_bytes=8)
        assert fix(spilling, Rule(no_new_spills=True), regs=96) == {"regs": 96}
        assert fix(spilling, Rule(no_new_spills=True, max_regs=64), regs=96) == {}
        assert fix(spilling, Rule(max_regs=32), regs=96) == {"regs": 32}

    def test_relaxed_launch_bounds_keep_all_rules(self) -> None:
        def fix(cap: int, old: int = 0, spills: int = 0, **rules: Any) -> tuple[Any, str]:
            new, old_cap = kernel(regs=cap, register_cap=cap, spill_store_bytes=8), 64 if old == 64 else 255
            before = [kernel(regs=old, register_cap=old_cap, spill_store_bytes=spills)] if old else []
            made = check([new], Rule(no_new_spills=True), Rule(**rules), baseline=before).broken[0].fix
            return made.changes, made.pressure

        def bounds(verb: str, old: tuple[int, ...], blocks: int) -> dict[str, Any]:
            return {verb: [("launch_bounds", old, (256, blocks))]}

        assert fix(40, max_smem=0) == (bounds("relax", (256, 6), 1), "or")
        assert fix(32, max_smem=0) == (bounds("relax", (256, 7, 8), 1), "or")
        four = bounds("relax", (256, 6), 4)
        assert fix(40, min_occupancy=0.5) == fix(40, max_regs=64) == (four, "or")
        assert fix(40, 96, min_occupancy=0.5) == (four, "and"), "the old kernel needed more than 64"
        assert fix(40, max_regs=40) == fix(255, max_smem=0) == ({}, "regs")
        assert fix(64, min_occupancy=0.5) == ({}, "occupancy")
        assert fix(80, 80, max_occupancy_drop=0) == (bounds("restore", (256, 3), 1), "and")
        for spills in (16, 4):  # a baseline with spills passes again
            assert fix(80, 64, spills, max_occupancy_drop=0) == (bounds("restore", (256, 3), 4), "")

    def test_only_a_value_that_got_worse_has_causes(self) -> None:
        old = kernel(regs=76, min_blocks=2, static_smem=1024)
        new = kernel(regs=64, min_blocks=4, static_smem=4096)
        for rule in (Rule(max_regs=50), Rule(max_smem=2048)):
            assert check([new], rule, baseline=[old]).broken[0].causes == []
        (row,) = check([replace(new, regs=80)], Rule(max_regs_growth=0), baseline=[old]).broken
        assert [each.name for each in row.causes] == ["launch_bounds"], "nvcc can use more with tighter ones"
        (row,) = check([replace(new, min_blocks=1, regs=80)], Rule(max_regs_growth=0), baseline=[old]).broken
        assert row.fix.changes["restore"] == [("launch_bounds", (256, 1), (256, 2))]
        for name, limit, drop in (("max_threads", 128, 0), ("register_cap", 40, None)):
            old = kernel(threads=256, register_cap=255)
            new = replace(old, spill_store_bytes=8, **{name: limit})  # type: ignore[arg-type]
            (row,) = check([new], Rule(no_new_spills=True, max_occupancy_drop=drop), baseline=[old]).broken
            assert [each.new for each in row.fix.changes["restore"]] == [each.old for each in row.causes]
