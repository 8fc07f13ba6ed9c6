"""Rules as Python objects and in files."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from occupancy import RulesError
from occupancy.api.scan import with_launch_sizes
from occupancy.compare.rules import Exemption, Rule, find_rules, read_rules
from occupancy.readers import KernelRecord

GOOD = """
baseline = "base.json"
threads = "16x16"

[[rules]]
no_new_spills = true
max_regs = 128

[[rules]]
kernels = ["sgemm*", "img::*", "!*debug*"]
arch = ["sm_80", "9.0a"]
threads = 128
dynamic_smem = "48k"
min_occupancy = 62.5
max_occupancy_drop = "5%"
max_smem = "48 KiB"
max_regs = false
"""


def written(folder: Path, text: str, name: str = "occupancy.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_rules(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, GOOD))
    assert (rules.baseline, rules.threads) == (str(tmp_path / "base.json"), 256)
    first, second = rules.rules
    assert first == Rule(no_new_spills=True, max_regs=128)
    assert second == Rule(
        kernels=["sgemm*", "img::*", "!*debug*"], arch=["sm_80", "sm_90"], threads=128, dynamic_smem="48k",
        min_occupancy=0.625, max_occupancy_drop="5%", max_smem=49152, max_regs=False,
    )  # fmt: skip
    bounds = {"min_occupancy": 0.625, "max_occupancy_drop": 0.05, "max_smem": 49152, "max_regs": None}
    assert second.bounds == bounds
    assert second.about == "sgemm*, img::*, !*debug* on sm_80, sm_90"
    assert str(first.place).endswith("occupancy.toml, line 5")


def test_the_kernels_of_a_rule() -> None:
    def matching(rule: Rule, name: str, arch: str = "sm_90a") -> tuple[str, ...]:
        return rule.matching(KernelRecord(source="f", format="cubin", name=name, arch=arch))

    rule = Rule(kernels=["*gemm*", "s*", "!*debug*"], arch="9.0", max_regs=64)
    assert matching(rule, "sgemm") == ("*gemm*", "s*")
    assert matching(rule, "sgemm", "sm_80") == matching(rule, "sgemm_debug") == ()
    assert Rule(kernels="!*", max_regs=64).idle_patterns([]) == ["!*"]
    assert matching(Rule(kernels="!*debug*", max_regs=64), "blur") == ("*",)
    assert (bool(Rule(max_regs=64).demands), Rule(max_regs=64).place) == (True, None)
    assert not any(rule.demands for rule in (Rule(max_regs=False), Rule(threads=64)))


def test_block_sizes_of_rules() -> None:
    rules = [Rule(threads=64), Rule(kernels=["b*", "!*x"], arch="8.0", threads=512, dynamic_smem="1k")]
    kernel = KernelRecord(source="f", format="cubin", name="b", arch="sm_80")
    records = [kernel, replace(kernel, arch="sm_90"), replace(kernel, threads=32), replace(kernel, name="bx")]
    sizes = [(each.threads, each.dynamic_smem) for each in with_launch_sizes(records, rules)]
    assert sizes == [(512, 1024), (64, None), (32, 1024), (64, None)]


def test_kernels_that_may_be_removed(tmp_path: Path) -> None:
    spellings = {"false": (), "true": ("*",), '"old*"': ("old*",), '["a*", "b"]': ("a*", "b")}
    for spelling, patterns in spellings.items():
        assert read_rules(written(tmp_path, f"allow_removed = {spelling}\n{GOOD}")).allow_removed == patterns


def test_the_same_in_pyproject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = GOOD.replace("[[rules]]", "[[tool.occupancy.rules]]")
    pyproject = written(tmp_path, f"[project]\nname = 'x'\n[tool.occupancy]\n{below}", "pyproject.toml")
    monkeypatch.chdir(tmp_path)
    assert find_rules() == "pyproject.toml"
    assert read_rules(pyproject).rules == read_rules(written(tmp_path, GOOD)).rules
    assert find_rules() == "occupancy.toml"


@pytest.mark.parametrize("text", ["", "[tool.ruff]\nline-length = 1", "tool = 1", "[tool]\noccupancy_ = 1"])
def test_a_pyproject_without_rules(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pyproject = written(tmp_path, text, "pyproject.toml")
    monkeypatch.chdir(tmp_path)
    assert find_rules() is None
    with pytest.raises(RulesError, match=r"tool\.occupancy\.rules are missing"):
        read_rules(pyproject)


@pytest.mark.parametrize(("text", "message"), [
    ("[[rules]]\nmax_regsters = 64", r"rule 1: max_regsters is unknown\. Did you mean max_reg"),
    ("[[rules]]\nmin_occupancy = 50\n[[rules]]\nKernels = 'a'", r"rule 2: Kernels is unknown"),
    ("baselin = 'x'\n[[rules]]\nmax_regs = 64", r"baselin is unknown. Did you mean baseline"),
    ("cc = 9.0\n[[rules]]\nmax_regs = 64", "cc is unknown"),
    ("", "rules are missing"), ("rules = [3]", r"rules: \[3\] is invalid"),
    ("[[rules]]\nkernels = 'a'", r"rule 1: no limit is set"),
    ("[[rules]]\nmax_regs = 256", "256 is out of range. Allowed: 0 to 255"),
    ("[[rules]]\nthreads = 2000", "rule 1: threads: 2,000 is out of range. Allowed: 1 to 1,024"),
    ("[[rules]]\nmax_regs = 64.5", "64.5 is not"), ("[[rules]]\nmax_regs = '64'", "'64' is not"),
    ("[[rules]]\nmin_occupancy = 0.5", "0.5 is invalid.*write 50, or"),
    ("[[rules]]\nmax_occupancy_drop = 0.05", "0.05 is invalid.*write 5, or"),
    ("[[rules]]\nmin_occupancy = nan", "'nan%' is not a percentage"),
    ("[[rules]]\nmax_occupancy_drop = -1", "'-1%' is not a percentage"),
    ("[[rules]]\nmax_occupancy_drop = '101%'", "'101%' is not a percentage from 0 to 100"),
    ("[[rules]]\nmax_occupancy_drop = '1e1%'", "'1e1%' is not a percentage"),
    ("[[rules]]\nmax_occupancy_drop = 100", "No drop exceeds 100 percentage points"),
    ("[[rules]]\nmax_stack_bytes = '4 quarts'", "'4 quarts' is not a size in whole bytes"),
    ("[[rules]]\nmax_smem = '99999 G'", "1073.* is out of range"),
    ("[[rules]]\nno_new_spills = 0", "0 is invalid. Allowed: true or false"),
    ("[[rules]]\nkernels = 3\nmax_regs = 64", "kernels: 3 is invalid"),
    ("[[rules]]\nkernels = ['a', '']\nmax_regs = 64", "kernels: .* is invalid"),
    ("[[rules]]\narch = 'hoper'\nmax_regs = 64", "Did you mean hopper"),
    ("[[rules]]\narch = 9.0\nmax_regs = 64", "arch: 9.0 is invalid"),
    ("baseline = 3\n[[rules]]\nmax_regs = 64", "baseline: 3 is invalid"),
    ("a" * (256 << 10) + "a", "is too large for a file of settings.* up to 256 KiB"),
    ("version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
    ("[[rules]]\nday = 2027-01\n", "is not TOML"), ("[[rules]\n", r"is not TOML: [^:]*$"),
     ("a = " + "[" * 20000, "not TOML"), ("a = " + "1" * 6000, "not TOML"),
])  # fmt: skip
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message) as caught:
        read_rules(written(tmp_path, text))
    assert str(tmp_path) in caught.value.where
    assert len(str(caught.value)) < 700


ALL_MISTAKES = """baselin = "base.json"
threads = 0
[[rules]]
max_regs = 900
min_ocupancy = 50

[[ rules ]]
kernels = "a"
arch = ["sm_9x", "hoper"]
[[exemptions]]
kernels = 3
rules = ["min_occ", "max_regs"]
until = "soon"
[[exemptions]]
reason = "without kernels"
"""


def test_all_mistakes_are_reported_with_their_lines(tmp_path: Path) -> None:
    with pytest.raises(RulesError) as caught:
        read_rules(written(tmp_path, ALL_MISTAKES))
    file = f"{tmp_path / 'occupancy.toml'}, line "
    assert [each.where.removeprefix(file) for each in caught.value.every] == [
        "1: baselin", "2: threads", "4: rule 1: max_regs", "5: rule 1: min_ocupancy", "7: rule 2",
        "9: rule 2: arch", "9: rule 2: arch", "10: exemption 1: reason", "11: exemption 1: kernels",
        "12: exemption 1: rules: min_occ", "13: exemption 1: until", "14: exemption 2: kernels",
    ]  # fmt: skip


def test_mistakes_in_objects_are_errors_of_rules_too() -> None:
    with pytest.raises(RulesError, match="min_occupancy: 750 is not a percentage"):
        Rule(min_occupancy=750)
    with pytest.raises(TypeError, match=r"max_reg is not an argument of Rule\(\)\. Did you mean max_regs"):
        Rule(max_reg=3)  # type: ignore[call-arg]


def test_a_line_is_given_only_where_it_is_known(tmp_path: Path) -> None:
    for text in ("rules = [{max_regs = 900}]", 'baseline = """\n[[rules]]\n"""\n[[rules]]\nmax_regs = 900'):
        with pytest.raises(RulesError) as caught:
            read_rules(written(tmp_path, text))
        assert caught.value.where == f"{tmp_path / 'occupancy.toml'}: rule 1: max_regs"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n" + GOOD.encode())
    (tmp_path / "large.toml").write_bytes(b"#" * (1 << 20) + b"\n" + GOOD.encode())
    for name in ("absent.toml", "latin.toml", "large.toml", "", "a\0b"):
        with pytest.raises(RulesError):
            read_rules(tmp_path / name)
    assert len(read_rules(written(tmp_path, "\ufeff" + GOOD)).rules) == 2  # with a byte order mark


EXEMPTION = '[[rules]]\nno_new_spills = true\n[[exemptions]]\nkernels = "sgemm"\n'


@pytest.mark.parametrize("day", ["2027-01-31", '"2027-01-31"', None])
def test_the_last_day_of_an_exemption_is_optional(tmp_path: Path, day: str | None) -> None:
    until = "" if day is None else f"until = {day}\n"
    (exemption,) = read_rules(written(tmp_path, f'{EXEMPTION}reason = "it is rewritten"\n{until}')).exemptions
    assert Exemption(kernels="sgemm", reason="x", rules="max_regs").rules == ("max_regs",)
    assert exemption.until == (None if day is None else date(2027, 1, 31))


@pytest.mark.parametrize(("lines", "message"), [
    ("until = 2027-01-31", "reason is missing"), ('reason = "x"\nrules = 3', "rules: 3 is invalid"),
    ('reason = ["x"]', "reason: .* is invalid. Add reason ="),
    ('reason = "x"\nuntil = 2027', r"until: 2027 is invalid\. Write the last day"),
    ('reason = "x"\nuntil = 2027-01-31T12:00:00', "until: .* is invalid. Write the last day"),
])  # fmt: skip
def test_wrong_exemptions(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(RulesError, match=rf"exemption 1: {message}"):
        read_rules(written(tmp_path, f"{EXEMPTION}{lines}\n"))
