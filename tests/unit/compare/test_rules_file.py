from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

import occupancy
from occupancy import RulesError
from occupancy.compare.rules import CRITERIA, Rule, bounds_of, without_comparisons
from occupancy.compare.rules_file import read_rules, rules_of_this_folder

GOOD = """
baseline = "base.json"

[[rules]]
no_new_spills = true
max_regs = 128

[[rules]]
kernels = ["sgemm*", "img::*"]
arch = ["sm_80", "9.0a"]
min_occupancy = 62.5
max_smem = "48 KiB"
max_regs = false
"""


def written(folder: Path, text: str, name: str = "occupancy.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_rules(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, GOOD))
    assert rules.baseline == str(tmp_path / "base.json")
    first, second = rules.rules
    assert first == Rule(1, ("*",), (), {"no_new_spills": 0, "max_regs": 128})
    assert second.kernels == ("sgemm*", "img::*")
    assert [str(arch) for arch in second.archs] == ["8.0", "9.0"]
    assert second.bounds == {"min_occupancy": 62.5, "max_smem": 49152, "max_regs": None}
    assert str(second) == "rule 2 (sgemm*, img::* on sm_80, sm_90)"


def test_the_same_in_pyproject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = GOOD.replace("[[rules]]", "[[tool.occupancy.rules]]")
    pyproject = written(tmp_path, f"[project]\nname = 'x'\n[tool.occupancy]\n{below}", "pyproject.toml")
    monkeypatch.chdir(tmp_path)
    assert rules_of_this_folder() == "pyproject.toml"
    assert read_rules(pyproject).rules == read_rules(written(tmp_path, GOOD)).rules
    assert rules_of_this_folder() == "occupancy.toml"


@pytest.mark.parametrize("text", ["", "[tool.ruff]\nline-length = 1", "tool = 1", "[tool]\noccupancy_ = 1"])
def test_a_pyproject_without_rules(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pyproject = written(tmp_path, text, "pyproject.toml")
    monkeypatch.chdir(tmp_path)
    assert rules_of_this_folder() is None
    with pytest.raises(RulesError, match=r"has no table \[tool.occupancy\]"):
        read_rules(pyproject)


def test_a_file_that_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert len(read_rules(written(tmp_path, "\ufeff" + GOOD)).rules) == 2


def test_the_last_rule_that_speaks_of_a_criterion_holds() -> None:
    rules = [
        Rule(1, ("*",), (), {"max_regs": 64, "min_occupancy": 50}),
        Rule(2, ("a*",), (), {"max_regs": 128}),
        Rule(3, ("ab",), (), {"max_regs": None}),
    ]
    assert bounds_of(rules[:1]) == (("max_regs", rules[0], 64), ("min_occupancy", rules[0], 50))
    assert bounds_of(rules[:2])[0] == ("max_regs", rules[1], 128)
    assert bounds_of(rules) == (("min_occupancy", rules[0], 50),)


def test_rules_without_comparisons() -> None:
    rule = Rule(1, ("*",), (), {"max_regs": 64, "no_new_spills": 0, "max_occupancy_drop": 5})
    assert without_comparisons([rule])[0].bounds == {"max_regs": 64}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[rules]]\nmax_regsters = 64", r"rules\[1\]\.max_regsters: .* no such name\. Allowed: max_reg"),
        ("[[rules]]\nmin_occupancy = 50\n[[rules]]\nKernels = 'a'", r"rules\[2\]\.Kernels: there is no"),
        ("[[rule]]\nmax_regs = 64", r"rule: there is no such name\. Allowed: rules"),
        ("baselin = 'x'\n[[rules]]\nmax_regs = 64", r"baselin: .* Allowed: baseline"),
        ("", "there is no rule"),
        ("rules = []", "there is no rule"),
        ("rules = 3", "there is no rule"),
        ("rules = [3]", r"rules\[1\]: got 3"),
        ("[[rules]]\nkernels = 'a'", r"rules\[1\]: asks for nothing"),
        ("[[rules]]\nmax_regs = 256", "got 256. Allowed: 1 to 255, or false"),
        ("[[rules]]\nmax_regs = 0", "got 0"),
        ("[[rules]]\nmax_regs = 64.5", "got 64.5"),
        ("[[rules]]\nmax_regs = true", "got True"),
        ("[[rules]]\nmax_regs = '64'", "got '64'"),
        ("[[rules]]\nmin_occupancy = 0.5", "got 0.5.*50, not 0.5"),
        ("[[rules]]\nmin_occupancy = 100.5", "got 100.5"),
        ("[[rules]]\nmin_occupancy = nan", "got nan"),
        ("[[rules]]\nmax_occupancy_drop = -1", "got -1. Allowed: 0 to 100 percent"),
        ("[[rules]]\nmax_occupancy_drop = inf", "got inf"),
        ("[[rules]]\nmax_occupancy_drop = '101%'", "got 101.0"),
        ("[[rules]]\nmax_occupancy_drop = '-1%'", "got '-1%'"),
        ("[[rules]]\nmax_occupancy_drop = '1e1%'", "got '1e1%'"),
        ("[[rules]]\nmin_occupancy = '50'", "got '50'"),
        ("[[rules]]\nmax_regs = '50%'", "got '50%'"),
        ("[[rules]]\nmax_stack_bytes = '4 quarts'", "'4 quarts' is not a size"),
        ("[[rules]]\nmax_smem = '99999 G'", "got 107373"),
        ("[[rules]]\nno_new_spills = 0", "got 0. Allowed: true or false"),
        ("[[rules]]\nkernels = 3\nmax_regs = 64", "kernels: got 3"),
        ("[[rules]]\nkernels = []\nmax_regs = 64", "kernels: got "),
        ("[[rules]]\nkernels = ['a', '']\nmax_regs = 64", "kernels: got "),
        ("[[rules]]\narch = 'hopper'\nmax_regs = 64", "'hopper' is not a compute capability"),
        ("[[rules]]\narch = 9.0\nmax_regs = 64", "arch: got 9.0"),
        ("baseline = 3\n[[rules]]\nmax_regs = 64", "baseline: got 3"),
        ("[[rules]\n", "is not TOML"),
        ("a = " + "[" * 20000, "is not TOML"),
        ("a = " + "1" * 6000, "is not TOML"),
        ("a = 1\na = 2", "is not TOML"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message) as caught:
        read_rules(written(tmp_path, text))
    assert str(tmp_path) in caught.value.where
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(("text", "bound"), [("5%", 5), (" 12.5 % ", 12.5), ("0%", 0), ("100%", 100)])
def test_an_occupancy_may_have_a_percent_sign(tmp_path: Path, text: str, bound: float) -> None:
    (rule,) = read_rules(written(tmp_path, f"[[rules]]\nmax_occupancy_drop = '{text}'")).rules
    assert rule.bounds == {"max_occupancy_drop": bound}


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    text = """baselin = "base.json"
    threads = 0
    [[rules]]
    max_regs = 900
    min_ocupancy = 50

    [[ rules ]]
    kernels = "a"
    arch = ["sm_9x", "hopper"]
    [[rules]]
    kernels = "b"
    max_regs = 64
    [[rules]]
    kernels = "b"
    max_regs = 72
    [[launches]]
    threads = ["many", 0]
    [[exemptions]]
    kernels = 3
    rules = ["min_occ", "max_regs"]
    until = "soon"
    """
    with pytest.raises(RulesError) as caught:
        read_rules(written(tmp_path, text))
    file = tmp_path / "occupancy.toml"
    assert [each.where.removeprefix(str(file)) for each in caught.value.every] == [
        ": baselin",
        ", line 3: rules[1].min_ocupancy",
        ", line 3: rules[1].max_regs",
        ", line 7: rules[2]",
        ", line 7: rules[2].arch",
        ", line 7: rules[2].arch",
        ", line 13",  # two rules for the same
        ", line 16: launches[1].threads",
        ", line 16: launches[1].threads",
        ", line 18: exemptions[1].rules: min_occ",
        ", line 18: exemptions[1].reason",
        ", line 18: exemptions[1].until",
        ", line 18: exemptions[1].kernels",
        ": threads",
    ]
    assert len(set(str(caught.value).splitlines())) == 14
    assert str(caught.value).count("Allowed: 1 to 255, or false.") == 1


def test_of_very_many_mistakes_the_first_are_said_and_the_rest_is_counted(tmp_path: Path) -> None:
    with pytest.raises(RulesError) as caught:
        read_rules(
            written(tmp_path, "".join(f"[[rules]]\nmax_regs = {number}\n" for number in range(300, 350)))
        )
    assert len(caught.value.others) == 49
    assert str(caught.value).splitlines()[19:] == [
        f"{tmp_path / 'occupancy.toml'}, line 39: rules[20].max_regs: got 319. Allowed: 1 to 255, or false.",
        "30 more mistakes.",
    ]


def test_no_line_is_said_where_none_is_known(tmp_path: Path) -> None:
    """Not of tables that are written inline, nor where a text looks like the head of a table."""
    for text in (
        "rules = [{max_regs = 900}]",
        'baseline = """\n[[rules]]\n"""\n[[rules]]\nmax_regs = 900',
    ):
        with pytest.raises(RulesError) as caught:
            read_rules(written(tmp_path, text))
        assert caught.value.where == f"{tmp_path / 'occupancy.toml'}: rules[1].max_regs"
    pyproject = written(tmp_path, "[[tool.occupancy.rules]]\nmax_regs = 900", "pyproject.toml")
    with pytest.raises(RulesError, match=r"toml, line 1: tool\.occupancy\.rules\[1\]\.max_regs: got 900"):
        read_rules(pyproject)


@pytest.mark.parametrize("second", ["max_regs = 128", "max_regs = 64", "max_regs = false"])
def test_rules_that_contradict_each_other(tmp_path: Path, second: str) -> None:
    text = f"""
    [[rules]]
    kernels = ["a", "b"]
    arch = "sm_90"
    max_regs = 64
    [[rules]]
    kernels = ["b", "a"]
    arch = "9.0"
    {second}
    """
    with pytest.raises(RulesError, match=r"rule 2 .* but rule 1 is for the same kernels and asks for 64"):
        read_rules(written(tmp_path, text))
    apart = text.replace('arch = "9.0"', 'arch = "8.0"')
    assert len(read_rules(written(tmp_path, apart)).rules) == 2


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n" + GOOD.encode())
    (tmp_path / "large.toml").write_bytes(b"#" * (1 << 20) + b"\n" + GOOD.encode())
    for name in ("absent.toml", "latin.toml", "large.toml", "", "a\0b"):
        with pytest.raises(RulesError):
            read_rules(tmp_path / name)


def test_every_criterion_can_be_asked_for(tmp_path: Path) -> None:
    values = {name: "true" if name.startswith("no_") else str(each.most) for name, each in CRITERIA.items()}
    text = "[[rules]]\n" + "\n".join(f"{name} = {value}" for name, value in values.items())
    assert read_rules(written(tmp_path, text)).rules[0].bounds.keys() == CRITERIA.keys()


def test_the_error_is_one_of_ours() -> None:
    assert issubclass(RulesError, occupancy.OccupancyError)


def test_threads_of_all_kernels(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    for size, threads in (("256", 256), ('"16x16"', 256)):
        rules.write_text(f"threads = {size}\n[[rules]]\nmax_regs = 64\n")
        assert read_rules(rules).threads == threads
    rules.write_text("threads = 0\n[[rules]]\nmax_regs = 64\n")
    with pytest.raises(RulesError, match=r"toml: threads: got 0\. Allowed: 1 to"):
        read_rules(rules)


def test_launches(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    text = '[[launches]]\nkernels = "*stencil*"\n{}\n[[rules]]\nmax_regs = 64\n'
    rules.write_text(text.format('threads = ["16x16", 128]\narch = "sm_90"\ndynamic_smem = "48k"'))
    (launches,) = read_rules(rules).launches
    assert (launches.kernels, launches.threads, launches.dynamic_smem) == (("*stencil*",), (256, 128), 49152)
    assert [arch.sm for arch in launches.archs] == ["sm_90"]
    for wrong, message in {
        "": "states nothing",
        "threads = 0": r"launches\[1\]\.threads: got 0",
        "threads = []": "a block size, or several",
        "threads = true": "got True",
        "threads = 1.5": "got 1.5",
        'dynamic_smem = "much"': r"launches\[1\]\.dynamic_smem",
        "blocks = 3": "there is no such name",
    }.items():
        rules.write_text(text.format(wrong))
        with pytest.raises(RulesError, match=message):
            read_rules(rules)


EXEMPTION = """
[[rules]]
no_new_spills = true
[[exemptions]]
kernels = "sgemm"
"""


@pytest.mark.parametrize("day", ["2027-01-31", '"2027-01-31"'])
def test_the_last_day_of_an_exemption_with_quotation_marks_and_without(tmp_path: Path, day: str) -> None:
    path = written(tmp_path, f'{EXEMPTION}reason = "it is being rewritten"\nuntil = {day}\n')
    (exemption,) = read_rules(path).exemptions
    assert exemption.until == date(2027, 1, 31)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('until = "2027-01-31"', r"exemptions\[1\]\.reason: is missing"),
        ('reason = ["x", "y"]\nuntil = 2027-01-31', r"exemptions\[1\]\.reason: got .* Give a sentence"),
        ('reason = ["x"]\nuntil = 2027-01-31', r"exemptions\[1\]\.reason: got .* Give a sentence"),
        ('reason = "x"', r"exemptions\[1\]\.until: is missing\. Give the last day, such as 2027-03-31"),
        ('reason = "x"\nuntil = "January"', r"exemptions\[1\]\.until: got 'January'\. Give the last day"),
        ('reason = "x"\nuntil = 2027', r"exemptions\[1\]\.until: got 2027\. Give the last day"),
        ('reason = "x"\nuntil = 2027-01-31T12:00:00', r"exemptions\[1\]\.until: got .* Give the last day"),
    ],
)
def test_exemptions_that_are_none(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        read_rules(written(tmp_path, f"{EXEMPTION}{lines}\n"))
