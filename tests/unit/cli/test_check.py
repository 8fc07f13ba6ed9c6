from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import occupancy
from occupancy.compare.baseline import Accepted, accept
from occupancy.readers.names import demangle
from occupancy.tables.files import PYPROJECT
from tests.cli_runner import run

RULES = """
baseline = "base.json"
[[rules]]
max_occupancy_drop = 0
[[rules]]
kernels = "img::histogram"
arch = "sm_80"
max_regs = 96
"""


@pytest.fixture
def project(builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules and the baseline of the build ``before``, which is where we are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.toml").write_text(RULES)
    occupancy.save_baseline(builds / "before", tmp_path / "base.json")
    return tmp_path


def check(*arguments: object, code: int, columns: int = 80) -> str:
    done = run("check", *map(str, arguments), columns=columns)
    assert done.exit_code == code, done.output
    assert done.stderr == "" or code == 2
    return done.stderr if code == 2 else done.stdout


def test_violations_name_the_kernel_the_rule_was_is_and_the_next_step(builds: Path, project: Path) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    text = check(builds / "after", "--rules", "rules.toml", code=1, columns=120)
    # On Python 3.10 names stay mangled.
    text = text.replace("_ZN3img4blurEPf", "img::blur")
    text = text.replace("_ZN3img9histogramILi64ELb1EEEvPfi", "img::histogram<64, true>")
    assert text == (
        "3 of 14 kernels break a rule (2 names); 2 kernels of the baseline are missing (1 name).\n"
        "\n"
        "img::blur (sm_80, sm_90)\n"
        "  max_occupancy_drop = 0 points (rule 1), sm_80: 100% -> 50% at 256 threads (bound), worst at 64 "
        "threads (100% -> 12.5%)\n"
        "  max_occupancy_drop = 0 points (rule 1), sm_90: 100% -> 75% at 256 threads (bound), worst at 64 "
        "threads (100% -> 18.8%)\n"
        "  Next step, sm_80: shared memory 36 KiB -> 4.125 KiB would give 100% occupancy at 64 threads.\n"
        "  Next step, sm_90: shared memory 36 KiB -> 6.125 KiB would give 100% occupancy at 64 threads.\n"
        "  Since the baseline, sm_80: limited by warps -> shared, shared 4 -> 36 KiB\n"
        "  Since the baseline, sm_90: limited by warps -> shared, regs 23 -> 22, shared 4 -> 36 KiB\n"
        "\n"
        "img::histogram<64, true> (sm_80)\n"
        "  max_regs = 96 (rule 2): is 128, was 128\n"
        "  Next step: __launch_bounds__(128, 5) caps them at 96; the rest spills.\n"
        "\n"
        "Removed since the baseline: img::emboss (sm_80, sm_90).\n"
        "  Next step: Where that is meant: --update --name img::emboss, or allow_removed in the rules.\n"
        "\n"
        "Not in the baseline: img::sharpen (sm_80, sm_90).\n"
        "Where a change is meant: accept it with --update --name PART, or all with --update.\n"
        "max_regs was broken in the baseline, too: exempt such kernels, or ask for max_regs_growth instead.\n"
        "Block size unknown (14 kernels): the worst drop counts; --threads states it.\n"
    )


def test_block_sizes_that_the_rules_state(builds: Path, project: Path) -> None:
    rules = 'baseline = "base.json"\n{}\n[[rules]]\nmax_occupancy_drop = 0'
    stated = '[[launches]]\nkernels = "*blur*"\nthreads = "16x16"'
    (project / "rules.toml").write_text(rules.format(stated))
    text = check(builds / "after", "--rules", "rules.toml", "--baseline", "base.json", code=1, columns=120)
    # 36 KiB and the system's: 4 blocks of 8 warps in 164 KiB, 6 in 228 KiB.
    assert "max_occupancy_drop = 0 points (rule 1), sm_80: 100% -> 50% at 256 threads\n" in text
    assert "max_occupancy_drop = 0 points (rule 1), sm_90: 100% -> 75% at 256 threads\n" in text
    assert "Next step, sm_80: shared memory 36 KiB -> 19.5 KiB would give 100% occupancy.\n" in text
    assert "Block size unknown (12 kernels): the worst drop counts; --threads states it." in text
    both = check(
        builds / "after", "--rules", "rules.toml", "--baseline", "base.json", "--threads", 64, code=1
    )
    assert "100% -> 50% at 256 threads\n" in both
    (project / "rules.toml").write_text(rules.format(stated.replace("blur*", "blurr")))
    refused = check(builds / "after", "--rules", "rules.toml", "--baseline", "base.json", code=2)
    assert "launch 1 (*blurr) is for no kernel" in refused
    assert "img::blur, " in refused
    assert refused.endswith("Write the name of one that there is, or remove the entry.\n")


def test_a_log_that_states_no_block_size_hides_no_drop(builds: Path, project: Path) -> None:
    # At the best size of each build, it would be 100% and 93.8%; and with 640 threads of the old build 100%.
    occupancy.save_baseline(builds / "before.log", project / "log.json")
    (project / "rules.toml").write_text("[[rules]]\nmax_occupancy_drop = 0")
    text = check(builds / "after.log", "--rules", "rules.toml", "--baseline", "log.json", code=1)
    assert (
        "img::blur (sm_80, sm_90) max_occupancy_drop = 0 points (rule 1), sm_80: 100% -> 50% at 256 threads "
        "(usual), worst at 64 threads (100% -> 12.5%) max_"
        in " ".join(text.replace("_ZN3img4blurEPf", "img::blur").split())
    )
    assert "__launch_bounds__" not in text
    assert "threads 640" not in text


def test_of_very_many_kernels_the_first_are_shown_and_the_rest_is_counted(project: Path) -> None:
    entry = "Compiling entry function '{}' for '{}'\nptxas info : Used 72 registers\n"
    archs = ("sm_75", "sm_80", "sm_90", "sm_100")
    entries = [entry.format(f"k{number:02}", arch) for number in range(60) for arch in archs]
    (project / "log").write_text("".join(entries))
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 64")
    text = check(project / "log", "--rules", "rules.toml", code=1)
    assert text.count("Next step") == 50
    assert "\nk02 (4 architectures)\n  max_regs = 64 (rule 1): is 72\n" in text
    assert "50 more\n" in text
    assert "Kernels of 10 more names break rules: --format csv, json or junit has all." in text
    assert len(check(project / "log", "--rules", "rules.toml", "--format", "csv", code=1).splitlines()) == 241


def test_what_broke_is_listed_first_where_it_is_much(project: Path) -> None:
    """A kernel of two architectures is said once; where only one of them breaks a rule, it is named."""
    names = [f"k{number}" for number in range(5)]
    log = [
        f"Compiling entry function '{name}' for '{arch}'\nptxas info : Used {{}} registers\n"
        for name in names
        for arch in ("sm_80", "sm_90")
    ]
    (project / "log").write_text(
        "".join(each.format(64 if "k4" in each and "80" in each else 72) for each in log)
    )
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 64")
    text = check(project / "log", "--rules", "rules.toml", code=1)
    assert text.startswith(
        "9 of 10 kernels break a rule (5 names).\n"
        "  max_regs: k0, k1, k2, k3, k4 (sm_90)\n\nk0 (sm_80, sm_90)\n"
    )
    assert text.count("Next step") == 5
    gone = check(project / "log", "--rules", "rules.toml", "--baseline", "base.json", code=1)
    assert re.search(r"^  allow_removed: .*emboss.* \(sm_80, sm_90\)", gone.partition("\n\n")[0], re.M | re.S)
    (project / "log").write_text("".join(log[:6]).replace("{}", "72"))
    assert "max_regs: k0" not in check(project / "log", "--rules", "rules.toml", code=1), (
        "three are seen at once"
    )


def test_a_drop_is_said_at_a_usual_size_and_at_none_that_it_cannot_have(project: Path) -> None:
    """32 -> 56 registers; with a bound of 512, and with 1,024 threads given, which it cannot launch with."""
    for build, registers in (("old", 32), ("new", 56)):
        (project / build).mkdir()
        (project / build / "log").write_text(
            f"Compiling entry function 'k' for 'sm_90'\nptxas info : Used {registers} registers\n"
        )
    (project / "rules.toml").write_text("[[rules]]\nmax_occupancy_drop = 0")
    arguments = (project / "new", "--rules", "rules.toml", "--baseline", "old.json")
    occupancy.save_baseline(project / "old", project / "old.json")
    text = " ".join(check(*arguments, code=1).split())
    assert "100% -> 50% at 256 threads (usual), worst at 672 threads (98.4% -> 32.8%)" in text
    for build in ("old", "new"):
        (project / build / "k.ptx").write_text(
            ".version 8.0\n.target sm_90\n.entry k()\n.maxntid 512, 1, 1\n{\n}\n"
        )
    occupancy.save_baseline(project / "old", project / "old.json")
    assert "1 of 1 kernel breaks a rule" in check(*arguments, "--threads", "1024", code=1)


def test_a_lowest_occupancy_is_asked_of_the_best_block_size_where_none_is_stated(
    builds: Path, project: Path
) -> None:
    # 128 registers are 16 warps of 64, whatever the size of the block.
    (project / "rules.toml").write_text('[[rules]]\nkernels = "warp_image"\nmin_occupancy = 26')
    text = check(builds / "before", "--rules", "rules.toml", "--arch", "9.0", code=1, columns=120)
    assert "min_occupancy = 26% (rule 1): at no block size more than 25%" in text
    assert "Block size unknown (1 kernel): the best size counts; --threads states it." in text
    (project / "rules.toml").write_text('[[rules]]\nkernels = "warp_image"\nmin_occupancy = 25')
    check(builds / "before", "--rules", "rules.toml", "--arch", "9.0", code=0)


def test_all_rules_hold(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text(RULES.replace("96", "128"))
    assert check(builds / "before", "--rules", "rules.toml", code=0) == (
        "14 kernels meet 2 rules (16 checks).\n"
        "Block size unknown (14 kernels): the worst drop counts; --threads states it.\n"
    )
    (project / "more.toml").write_text(
        'baseline = "base.json"\n[[rules]]\nmax_occupancy_drop = 0\nmax_regs = 255'
    )
    text = check(builds / "before", "--rules", "more.toml", code=0)
    assert text.startswith("14 kernels meet 1 rule (2 conditions, 28 checks).\n")


def test_rules_of_pyproject(builds: Path, project: Path) -> None:
    (project / PYPROJECT).write_text(RULES.replace("[[rules]]", "[[tool.occupancy.rules]]").replace(
        'baseline = "base.json"', '[tool.occupancy]\nbaseline = "base.json"'
    ))  # fmt: skip
    assert check(builds / "after", code=1) == check(builds / "after", "--rules", "rules.toml", code=1)
    assert "3 of 14" in check(builds / "after", code=1)
    # A file that is named comes before it.
    (project / "other.toml").write_text("[[rules]]\nmax_regs = 255")
    assert "14 kernels meet 1 rule (14 checks)" in check(builds / "after", "--rules", "other.toml", code=0)


def test_no_rules(builds: Path, project: Path) -> None:
    said = check(builds / "after", code=2)
    assert "--rules: there are none." in said
    assert "occupancy.toml" in said
    assert PYPROJECT in said
    (project / PYPROJECT).write_text("[tool.ruff]")
    assert "there are none" in check(builds / "after", code=2)


def test_rules_of_this_folder_go_before_pyproject(builds: Path, project: Path) -> None:
    (project / PYPROJECT).write_text("[[tool.occupancy.rules]]\nmax_regs = 255")
    assert "14 kernels meet 1 rule (14 checks)" in check(builds / "after", code=0)
    (project / "rules.toml").rename(project / "occupancy.toml")
    assert "3 of 14" in check(builds / "after", code=1)
    (project / "base.json").unlink()
    assert f"occupancy check {builds / 'after'} --update." in check(builds / "after", code=2)


def test_json(builds: Path, project: Path) -> None:
    report = json.loads(check(builds / "after", "--rules", "rules.toml", "--format", "json", code=1))
    assert (report["passed"], report["checks"], report["baseline"]) == (False, 14, "base.json")
    assert [rule["matched"] for rule in report["rules"]] == [14, 2]
    first = report["violating"][0]
    assert (first["kernel"]["name"], first["kernel"]["arch"]) == ("_ZN3img4blurEPf", "sm_80")
    assert first["baseline"]["static_smem"] == 4096
    assert first["violations"] == [
        {
            "rule": 1,
            "criterion": "max_occupancy_drop",
            "bound": 0.0,
            "was": 1.0,
            "value": 0.125,
            "threads": 64,
            "threads_from": "deciding",
            "shown": {"threads": 256, "threads_from": "launch_bounds", "old": 1.0, "new": 0.5},
            "next_step": {"active_blocks": 32, "occupancy": 1.0, "requires": {"smem": 4224}},
        }
    ]
    assert len(report["violating"]) + len(report["holding"]) == 14


def test_csv_and_markdown(builds: Path, project: Path) -> None:
    printed = check(builds / "after", "--rules", "rules.toml", "--format", "csv", code=1)
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [(row["arch"], row["criterion"], row["value"]) for row in rows] == [
        ("sm_80", "max_occupancy_drop", "0.125"),
        ("sm_90", "max_occupancy_drop", "0.1875"),
        ("sm_80", "max_regs", "128"),
        ("sm_80", "allow_removed", ""),
        ("sm_90", "allow_removed", ""),
    ]
    text = check(builds / "after", "--rules", "rules.toml", "--format", "markdown", code=1)
    assert text.startswith(
        "**3 of 14 kernels break a rule (2 names); 2 kernels of the baseline are missing (1 name).**\n\n"
        "| Kernel | What it breaks | Next step |"
    )
    (project / "rules.toml").write_text('[[rules]]\nkernels = "*sharpen*"\nmax_regs = 1')
    row = check(builds / "after", "--rules", "rules.toml", "--format", "markdown", code=1).splitlines()[4]
    assert "sharpen" in row
    assert "` sm_80, sm_90 | max_regs = 1 (rule 1): is 8 |" in row
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 255")
    passed = check(builds / "after", "--rules", "rules.toml", "--format", "csv", code=0)
    assert passed.strip() == ",".join(rows[0])


def test_annotations_of_github(builds: Path, project: Path) -> None:
    lines = check(builds / "after", "--rules", "rules.toml", "--format", "github", code=1).splitlines()
    annotations = [line for line in lines if line.startswith("::")]
    assert annotations[0].startswith("::error title=")
    assert (
        "blur"
        in annotations[0].partition(
            " (sm_80)::max_occupancy_drop = 0 points (rule 1): 100%25 -> 50%25 at 256 threads (bound), "
            "worst at 64 threads (100%25 -> 12.5%25)"
        )[0]
    )
    assert "%0Ashared memory 36 KiB -> 4.125 KiB would give 100%25 occupancy at 64 threads." in annotations[0]
    assert len(annotations) == 5
    title, _, message = annotations[-1].partition(" (sm_90)::")
    assert "emboss" in title
    name = title.removeprefix("::error title=").replace("%3A", ":")
    assert message == (
        "Only the baseline has it.%0A"
        f"Where that is meant: --update --name {name}, or allow_removed in the rules."
    )
    assert "3 of 14 kernels break a rule (2 names); 2 kernels of the baseline are missing (1 name)." in lines


def test_a_kernel_that_is_gone(builds: Path, project: Path) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    (project / "rules.toml").write_text('baseline = "base.json"\n[[rules]]\nmax_regs = 255')
    text = check(builds / "after", "--rules", "rules.toml", code=1, columns=120)
    assert text.startswith(
        "14 kernels meet 1 rule (14 checks); 2 kernels of the baseline are missing (1 name).\n"
    )
    assert "\nRemoved since the baseline: img::emboss (sm_80, sm_90).\n" in text
    log = json.loads(check(builds / "after", "--rules", "rules.toml", "--format", "sarif", code=1))
    (the_run,) = log["runs"]
    assert [each["ruleId"] for each in the_run["results"]] == ["allow_removed"] * 2
    (project / "rules.toml").write_text(
        'baseline = "base.json"\nallow_removed = "*emb*"\n[[rules]]\nmax_regs = 255'
    )
    text = check(builds / "after", "--rules", "rules.toml", code=0, columns=120)
    assert "Only in the baseline: img::emboss (sm_80, sm_90)." in text
    (project / "rules.toml").write_text("allow_removed = 3\n[[rules]]\nmax_regs = 255")
    wrong = check(builds / "after", "--rules", "rules.toml", code=2)
    assert "allow_removed: got 3. Give true, false, or patterns" in wrong


def test_properties_of_annotations_are_escaped(project: Path) -> None:
    (project / "build.log").write_text(
        "ptxas info    : Compiling entry function 'a::b,c%' for 'sm_90'\n"
        "ptxas info    : Used 8 registers, used 0 barriers\n"
    )
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 7")
    printed = check("build.log", "--rules", "rules.toml", "--format", "github", code=1)
    assert printed.startswith("::error title=a%3A%3Ab%2Cc%25 (sm_90)::max_regs = 7 (rule 1): is 8%0A")


def test_junit(builds: Path, project: Path) -> None:
    root = ElementTree.fromstring(
        check(builds / "after", "--rules", "rules.toml", "--format", "junit", code=1)
    )
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("16", "5", "0")
    cases = suite.findall("testcase")
    assert len(cases) == len({(case.get("classname"), case.get("name")) for case in cases}) == 16
    failures = [case for case in cases if case.find("failure") is not None]
    assert len(failures) == 5
    assert "worst at 64 threads (100% -> 12.5%)" in (failures[0][0].get("message") or "")
    assert "Next" not in (failures[0][0].get("message") or "")


def test_junit_of_a_kernel_whose_name_is_no_xml(project: Path) -> None:
    (project / "build.log").write_text(
        "ptxas info    : Compiling entry function 'k\x01<&>\x7f\ufffe' for 'sm_90'\n"
        "ptxas info    : Used 8 registers, used 0 barriers\n"
    )
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 7")
    for code in (0, 1):
        printed = check("build.log", "--rules", "rules.toml", "--format", "junit", code=1)
        case = ElementTree.fromstring(printed)[0][0]
        assert "k\\x01<&>\\x7f\\ufffe" in (case.get("name") or ""), code


def test_update_makes_the_build_the_baseline(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text(RULES.replace("96", "128"))
    before = (project / "base.json").read_bytes()
    text = check(builds / "after", "--rules", "rules.toml", "--update", code=0)
    assert (
        "base.json is written: 2 worse, 2 mixed and 8 the same; 2 added and 2 removed.\n"
        "mixed: better in one thing and worse in another"
    ) in text
    assert (project / "base.json").read_bytes() != before
    # What compares nothing is checked all the same, so 2 and not 14.
    assert "14 kernels meet 1 rule (2 checks)." in text
    assert "What compares with the baseline was not checked: this build is the baseline now." in text
    assert "14 kernels meet" in check(builds / "after", "--rules", "rules.toml", code=0)


def test_an_update_by_rules_that_all_compare_says_that_nothing_was_checked(
    builds: Path, project: Path
) -> None:
    (project / "rules.toml").write_text('baseline = "base.json"\n[[rules]]\nmax_occupancy_drop = 0\n')
    text = check(builds / "after", "--rules", "rules.toml", "--update", code=0)
    assert "14 kernels, no check: every rule for them compares with the baseline.\n" in text
    assert " meet" not in text


def test_update_makes_the_first_baseline(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text(RULES.replace("96", "128"))
    (project / "base.json").unlink()
    text = check(builds / "after", "--rules", "rules.toml", "--update", code=0)
    assert "base.json is written: 14 added." in text
    assert "mixed:" not in text
    other = check(builds / "after", "--rules", "rules.toml", "--update", "--baseline", "new.json", code=0)
    assert "new.json is written" in other
    assert (project / "new.json").read_bytes() == (project / "base.json").read_bytes()


def test_update_writes_and_fails_where_a_rule_is_broken(builds: Path, project: Path) -> None:
    text = check(builds / "after", "--rules", "rules.toml", "--update", code=1, columns=120)
    assert "max_regs = 96 (rule 2): is 128" in text
    assert "The baseline is written although max_regs is broken, which no baseline mends: change the" in text
    text = check(builds / "after", "--rules", "rules.toml", code=1)
    assert "1 of 14 kernels breaks a rule." in text, "which is what remains"
    assert "--update" not in text, "it would not help"


def lines_of(path: Path) -> dict[str, list[str]]:
    """The kernels of a baseline -> their lines, one for each architecture."""
    lines: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if line.startswith('{"name"'):
            lines.setdefault(json.loads(line.rstrip(","))["name"], []).append(line.rstrip(","))
    return lines


BLUR, EMBOSS, SHARPEN = "_ZN3img4blurEPf", "_ZN3img6embossEPf", "_ZN3img7sharpenEPf"


def test_an_update_of_one_kernel_leaves_the_others_as_they_are(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text('baseline = "base.json"\n[[rules]]\nmax_occupancy_drop = 0\n')
    before = lines_of(project / "base.json")
    text = check(builds / "after", "--rules", "rules.toml", "--update", "--name", "blur", code=0)
    assert "base.json: 2 kernels accepted (2 worse), 12 left as they were.\n" in text
    after = lines_of(project / "base.json")
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} == {BLUR}
    again = check(builds / "after", "--rules", "rules.toml", code=1)
    assert (
        "14 kernels meet 1 rule (12 checks); 2 kernels of the baseline are missing (1 name)."
        in again.replace("\n", " ")
    )
    assert re.search(r"Not in the baseline: \S*sharpen", again)
    # A kernel that is gone, and one that is new.
    text = check(builds / "after", "--rules", "rules.toml", "--update", "--name", "emboss", code=0)
    assert text.startswith("No kernel to check: the build has none of these.\nbase.json: 2 kernels accepted")
    assert "base.json: 2 kernels accepted (2 removed), 12 left as they were.\n" in text
    text = check(builds / "after", "--rules", "rules.toml", "--update", "--name", "sharpen", code=0)
    assert "base.json: 2 kernels accepted (2 added), 12 left as they were.\n" in text
    last = lines_of(project / "base.json")
    assert last.keys() == after.keys() - {EMBOSS} | {SHARPEN}
    assert "14 kernels meet 1 rule (14 checks).\n" in check(builds / "after", "--rules", "rules.toml", code=0)


def test_two_updates_at_once_lose_nothing(
    builds: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process accepts its kernel after we have read the baseline, and before we write it."""
    arguments = ("check", str(builds / "after"), "--rules", "rules.toml", "--update", "--name")
    others = ["sharpen"]

    def meanwhile(*given: Any) -> Accepted:
        if others:
            name = others.pop()
            subprocess.run([sys.executable, "-m", "occupancy", *arguments, name], check=True)
        return accept(*given)

    monkeypatch.setattr("occupancy.api.builds.accept", meanwhile)
    before = lines_of(project / "base.json")
    done = run(*arguments, "blur", columns=80)
    assert done.exit_code == 0, done.output
    assert "base.json: 2 kernels accepted (2 worse), 14 left as they were.\n" in done.stdout
    after = lines_of(project / "base.json")
    assert after.keys() == before.keys() | {SHARPEN}
    assert {name for name in after if before.get(name) != after[name]} == {BLUR, SHARPEN}
    assert not list(project.glob(".base.json.*"))


def test_all_parts_make_the_whole(builds: Path, project: Path) -> None:
    arguments = (builds / "after", "--rules", "rules.toml", "--update")
    for arch in ("sm_90", "sm_80"):
        text = check(*arguments, "--arch", arch, code=arch == "sm_80")
        assert "base.json: 8 kernels accepted" in text
        assert " left as they were." in text
    parts = (project / "base.json").read_bytes()
    check(*arguments, code=1)
    assert (project / "base.json").read_bytes() == parts


def test_a_kernel_with_another_name_takes_the_place_of_what_it_was(builds: Path, project: Path) -> None:
    """Of histogram<64> became histogram<64, true>."""
    pytest.importorskip("demangle", reason="needs Python 3.11")
    before = lines_of(project / "base.json")
    old, new = "_ZN3img9histogramILi64EEEvPfi", "_ZN3img9histogramILi64ELb1EEEvPfi"
    for name in (new, "histogram<64"):
        occupancy.save_baseline(builds / "before", "base.json")
        occupancy.check(builds / "after", "rules.toml", update=True, name=name, archs=["sm_90"])
        after = lines_of(project / "base.json")
        assert (len(before[old]), len(after[old]), len(after[new])) == (2, 1, 1)
        assert {each: after[each] for each in after if each not in (old, new)} == {
            each: before[each] for each in before if each != old
        }


def test_a_rule_follows_a_kernel_that_was_renamed(builds: Path, project: Path) -> None:
    old, new = "_ZN3img9histogramILi64EEEvPfi", "_ZN3img9histogramILi64ELb1EEEvPfi"
    (project / "named.toml").write_text(
        f'baseline = "base.json"\n[[rules]]\nmax_regs = 255\n[[rules]]\nkernels = "{old}"\nmax_regs = 96'
    )
    after = (builds / "after", "--rules", "named.toml")
    text = " ".join(check(*after, code=1, columns=200).split())
    assert "max_regs = 96 (rule 2): is 128, was 128" in text
    assert f"named.toml, line 4: rule 2 ({old}) names a kernel that was renamed to {AS_SHOWN}" in text
    assert "; it still applies. Change it to the new name." in text
    found = json.loads(check(*after, "--format", "json", code=1))
    ((table, number, kernels, now, counts, is_likely, place),) = (each.values() for each in found["renamed"])
    assert (table, number, kernels, len(now), counts, is_likely) == ("rules", 2, [old], 1, True, False)
    assert place == "named.toml, line 4"
    assert [each["matched"] for each in found["rules"]] == [14, 2]
    check(builds / "before", "--rules", "named.toml", code=1)
    # Where others are asked for it is left aside, as if it had been written for the new name.
    assert check(*after, "--name", "scale", code=0).startswith("2 kernels meet 1 rule")
    # A new baseline has the new name alone, so that the rule has to have it first.
    text = check(*after, "--update", code=2)
    assert "rule 2" in text
    assert "is for no kernel" in text
    assert old in (project / "base.json").read_text()
    (project / "named.toml").write_text(
        f'[[rules]]\nmax_regs = 255\n[[rules]]\nkernels = "{new}"\nmax_regs = 128'
    )
    assert json.loads(check(*after, "--format", "json", code=0))["renamed"] == []


OLD, NEW = "_ZN3img9histogramILi64EEEvPfi", "_ZN3img9histogramILi64ELb1EEEvPfi"
AS_SHOWN = demangle(NEW).removeprefix("void ").partition("<")[0]  # mangled where there is no demangler


def test_a_block_size_and_an_exemption_follow_a_kernel_that_was_renamed(builds: Path, project: Path) -> None:
    rules = f"""
        baseline = "base.json"
        allow_removed = true
        [[rules]]
        max_regs = 96
        [[launches]]
        kernels = "{OLD}"
        threads = 64
        [[exemptions]]
        kernels = ["scale", "{OLD}"]
        reason = "see #7"
        until = {date.today()}
    """
    (project / "named.toml").write_text(rules)
    after = (builds / "after", "--rules", "named.toml")
    text = " ".join(check(*after, code=0, columns=200).split())
    assert f"may break max_regs until {date.today()}: see #7." in text
    for entry in "line 6: launch 1", "line 9: exemption 1":
        assert f"named.toml, {entry} ({OLD}) names a kernel that was renamed to {AS_SHOWN}" in text
    found = json.loads(check(*after, "--format", "json", code=0))
    kernels = [each["violating"]["kernel"] for each in found["exempted"]]
    assert {(each["name"], each["threads"], each["threads_from"]) for each in kernels} == {(NEW, 64, "rules")}
    assert {each["until"] for each in found["exempted"]} == {str(date.today())}
    assert {(each["table"], each["counts"]) for each in found["renamed"]} == {
        ("launches", True),
        ("exemptions", True),
    }
    # What is not asked for needs no word, and a new baseline has the new name alone.
    assert "launch 1" not in check(*after, "--name", "scale", code=0)
    launches, exemption = check(*after, "--update", code=2).splitlines()
    assert f"launch 1 ({OLD}) is for no kernel" in launches
    assert f"exemption 1 ({OLD}) is for no kernel" in exemption, "of its patterns the one that is old"


def test_a_pattern_that_fits_others_does_not_follow_and_says_so(project: Path) -> None:
    """Of several patterns each is taken by itself: one that fits nothing any more follows."""
    entry = "Compiling entry function '{}' for 'sm_90'\nptxas info : Used 40 registers\n"
    now = ["img::blur", "fast::scale", "clear2"]
    for name, kernels in ("old", ["fast::blur", "fast::scale", "clear1"]), ("new", now):
        (project / f"{name}.log").write_text("".join(map(entry.format, kernels)))
    occupancy.save_baseline("old.log", "base.json")
    (project / "fast.toml").write_text(
        'baseline = "base.json"\nallow_removed = true\n'
        '[[rules]]\nkernels = ["fast::*", "*1"]\nmax_regs = 39\n'
    )
    text = check("new.log", "--rules", "fast.toml", code=1, columns=200)
    assert text.startswith("2 of 3 kernels break a rule.")
    assert (
        "fast.toml, line 3: rule 1 (*1) names a kernel that was renamed to clear2; it still applies. "
        "Change it to the new name.\n" in text
    )
    assert (
        "fast.toml, line 3: rule 1 (fast::*) names a kernel that was renamed to img::blur, and no longer "
        "applies there, since it fits others. Add the new name where it should.\n" in text
    )
    found = json.loads(check("new.log", "--rules", "fast.toml", "--format", "json", code=1))
    assert [each["counts"] for each in found["renamed"]] == [False, True]


def moved(**kernels: tuple[str, int]) -> None:
    """A build ``new.log`` of kernels in another namespace than in the baseline, each with a name now and the
    registers that it has now."""
    entry = "Compiling entry function '{}' for 'sm_90'\nptxas info : Used {} registers\n"
    before = "".join(entry.format(f"a::{name}", 40) for name in kernels)
    Path("old.log").write_text(before)
    Path("new.log").write_text("".join(entry.format(*now) for now in kernels.values()))
    occupancy.save_baseline("old.log", "base.json")


NEW_LOG = ("new.log", "--rules", "moved.toml")
EXEMPTED = 'kernels = "a::blur"\nreason = "see #7"\nuntil = {}\n'


@pytest.mark.parametrize(
    "entries",
    [
        f"[[exemptions]]\n{EXEMPTED.format('9999-01-01')}",
        '[[rules]]\nkernels = "a::blur"\nmax_regs = 60\n',
    ],
)
@pytest.mark.parametrize("name", ["b::blur", "a::blur", "blur"])
def test_a_renamed_kernel_is_checked_alike_by_whichever_name_it_is_asked_for(
    project: Path, entries: str, name: str
) -> None:
    moved(blur=("b::blur", 50), scale=("a::scale", 40))
    (project / "moved.toml").write_text(f'baseline = "base.json"\n[[rules]]\nmax_regs = 45\n{entries}')
    for arguments in (), ("--name", name):
        found = json.loads(check(*NEW_LOG, *arguments, "--format", "json", code=0))
        (renamed,) = found["renamed"]
        assert (renamed["now"], renamed["counts"], found["removed"]) == (["b::blur"], True, [])


def test_a_renamed_kernel_is_compared_with_what_it_was_by_its_new_name_too(project: Path) -> None:
    moved(blur=("b::blur", 50), scale=("a::scale", 40))
    (project / "moved.toml").write_text('baseline = "base.json"\n[[rules]]\nmax_regs_growth = 0\n')
    text = check(*NEW_LOG, "--name", "b::blur", code=1)
    assert "is 50, was 40" in text


def test_what_fits_others_of_the_build_does_not_follow_where_these_are_not_asked_for(project: Path) -> None:
    moved(blur=("b::blur", 50), scale=("a::scale", 40))
    (project / "moved.toml").write_text(
        'baseline = "base.json"\n[[rules]]\nkernels = "a::*"\nmax_regs = 45\n'
    )
    whole = check(*NEW_LOG, code=0, columns=200)
    text = check(*NEW_LOG, "--name", "blur", code=0, columns=200)
    assert text.startswith("1 kernel, no check: no rule is for it.")
    note = "rule 1 (a::*) names a kernel that was renamed to b::blur, and no longer applies there, since"
    assert note in whole
    assert note in text


def test_a_block_size_that_follows_is_said_where_its_kernel_is_asked_for(project: Path) -> None:
    moved(blur=("b::blur", 50), scale=("b::scale", 40), copy=("a::copy", 40))
    (project / "moved.toml").write_text(
        'baseline = "base.json"\n[[rules]]\nmin_occupancy = 1\n'
        '[[launches]]\nkernels = ["a::blur", "a::scale"]\nthreads = 128\n'
    )
    now = {
        name: [each["now"] for each in found["renamed"]]
        for name in ("b::", "blur", "copy")
        for found in [json.loads(check(*NEW_LOG, "--name", name, "--format", "json", code=0))]
    }
    assert now == {"b::": [["b::blur", "b::scale"]], "blur": [["b::blur"]], "copy": []}


def test_of_an_exemption_that_has_ended_only_the_end_is_said(project: Path) -> None:
    moved(blur=("b::blur", 50))
    (project / "moved.toml").write_text(
        f'baseline = "base.json"\n[[rules]]\nmax_regs = 45\n[[exemptions]]\n{EXEMPTED.format("2001-01-01")}'
    )
    text = check(*NEW_LOG, code=1, columns=200)
    assert "Exemption 1 (a::blur, until 2001-01-01) has ended." in text
    assert "counts for" not in text


def test_an_update_of_what_neither_build_has(builds: Path, project: Path) -> None:
    before = (project / "base.json").read_bytes()
    error = check(builds / "after", "--rules", "rules.toml", "--update", "--name", "blurr", code=2)
    assert "base.json and " in error
    assert "no kernel of 28 has 'blurr' in its name; there are blur" in error
    assert (project / "base.json").read_bytes() == before


def test_a_kernel_for_which_there_is_no_rule_can_be_accepted(builds: Path, project: Path) -> None:
    (project / "scale.toml").write_text(
        'baseline = "base.json"\n[[rules]]\nkernels = "*scale*"\nmax_regs = 255'
    )
    before = lines_of(project / "base.json")
    text = check(builds / "after", "--rules", "scale.toml", "--update", "--name", "blur", code=0)
    assert text == (
        "2 kernels, no check: no rule is for them.\n"
        "base.json: 2 kernels accepted (2 worse), 12 left as they were.\n"
    )
    after = lines_of(project / "base.json")
    assert {name for name in before if before[name] != after[name]} == {BLUR}
    error = check(builds / "after", "--rules", "scale.toml", "--name", "blur", code=2)
    assert "there are none for kernels with 'blur'" in error


def test_a_kernel_that_only_one_side_has_can_be_asked_for(builds: Path, project: Path) -> None:
    """The build has ``sharpen``, which is new, the baseline ``emboss``, which is gone."""
    after = (builds / "after", "--rules", "rules.toml")
    gone = check(*after, "--name", "emboss", code=1)
    assert gone.startswith("No kernel to check: the build has none of these; 2 kernels of the baseline are")
    assert "Removed since the baseline: " in gone
    (project / "scale.toml").write_text(
        'baseline = "base.json"\n[[rules]]\nkernels = "*scale*"\nmax_regs = 255'
    )
    assert check(builds / "after", "--rules", "scale.toml", "--name", "emboss", code=1) == gone
    # What compares has nothing to compare it with; whatever else there is, is asked.
    error = check(*after, "--name", "sharpen", code=2)
    assert error.startswith("Error: base.json: has none of the kernels that rule 1 (*) compares")
    (project / "more.toml").write_text(RULES + "[[rules]]\nmax_regs = 255\n")
    text = check(builds / "after", "--rules", "more.toml", "--name", "sharpen", code=0)
    assert text.startswith("2 kernels meet 2 rules (2 checks).\nNot in the baseline: ")
    for name in ("sharpen", "emboss"):
        assert "3 of 14 kernels break" in check(*after, "--threads", f"{name}=128", code=1)
    error = check(*after, "--threads", "unsharp=128", code=2)
    assert "no kernel of base.json and " in error
    assert "is called unsharp. Allowed: " in error


def test_an_update_of_one_kernel_without_a_baseline_says_that_it_is_alone(
    builds: Path, project: Path
) -> None:
    (project / "base.json").unlink()
    text = check(builds / "after", "--rules", "rules.toml", "--update", "--name", "blur", code=0)
    assert "base.json: 2 kernels accepted (2 added); it has no others.\n" in text


def test_an_update_of_one_kernel_keeps_the_assumed_block_size(builds: Path, project: Path) -> None:
    occupancy.save_baseline(builds / "before", "base.json", threads=128)
    arguments = ("--rules", "rules.toml", "--update", "--name", "blur", "--threads", "64")
    check(builds / "after", *arguments, code=0)
    assert json.loads((project / "base.json").read_text())["threads"] == 128


def test_rules_and_sizes_for_other_kernels_are_left_aside(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text(
        RULES + '[[launches]]\nkernels = "scale"\nthreads = 128\n'
        '[[rules]]\nkernels = "warp_image"\nmax_stack_growth = 0\n'
    )
    text = check(builds / "after", "--rules", "rules.toml", "--name", "clear", code=0)
    assert "2 kernels meet 1 rule (2 checks)." in text
    (project / "rules.toml").write_text(RULES + '[[rules]]\nkernels = "wrap_image"\nmax_regs = 9\n')
    error = check(builds / "after", "--rules", "rules.toml", "--name", "clear", code=2)
    assert "rule 3 (wrap_image) is for no kernel" in error
    (project / "rules.toml").write_text('[[rules]]\nkernels = "warp_image"\nmax_regs = 99\n')
    error = check(builds / "after", "--rules", "rules.toml", "--name", "clear", code=2)
    assert "there are none for kernels with 'clear' in their name" in error


def test_update_keeps_the_assumed_block_size(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text(RULES.replace("96", "128"))
    check(builds / "after", "--rules", "rules.toml", "--update", "--threads", "64", code=0)
    assert json.loads((project / "base.json").read_text())["threads"] == 64
    check(builds / "after", "--rules", "rules.toml", "--update", code=0)
    assert json.loads((project / "base.json").read_text())["threads"] == 64


def test_what_is_wrong_with_the_question_is_annotated_too(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 900\nmax_smem = '100%'")
    done = run("check", str(builds / "after"), "--rules", "rules.toml", "--format", "github")
    assert done.exit_code == 2
    first, second = done.stdout.splitlines()
    assert first == (
        "::error title=occupancy::"
        "rules.toml, line 1: rules[1].max_regs: got 900. Allowed: 1 to 255, or false."
    )
    assert second.startswith(
        "::error title=occupancy::rules.toml, line 1: rules[1].max_smem: '100%25' is not"
    )
    assert done.stderr.count("Error: rules.toml") == 2


LATER = '{"schema": "occupancy-baseline", "schema_version": 3, "tool_version": "9.9"}'


@pytest.mark.parametrize(
    ("rules", "baseline", "arguments", "message"),
    [
        ("[[rules]]\nmax_registers = 1", None, [], "max_registers: there is no such name. Allowed: max_reg"),
        ("[[rules]]\nmax_regs = 1\n[[rules]]\nmax_regs = 2", None, [], "the same kernels"),
        ("[[rules]]\nkernels = 'blr'\nmax_regs = 1", None, [], "rule 1 (blr) is for no kernel"),
        ("[[rules]]\narch = 'sm_75'\nmax_regs = 1", None, [], "rule 1 (* on sm_75) is for no kernel"),
        ("[[rules]]\nmax_stack_growth = 0", "", [], "base.json: is not JSON"),
        ("[[rules]]\nmax_stack_growth = 0", LATER, [], "is a baseline of version 3"),
        ("[[rules]]\nmax_stack_growth = 0", LATER, ["--update"], "is a baseline of version 3"),
        ("[[rules]]\nmax_stack_growth = 0", '{"a": 1}', ["--update"], "is not a baseline"),
        ("[[rules]]\nmax_stack_growth = 0", None, ["--baseline", "no.json"], "no.json: is not there yet"),
        ("[[rules]]\nmax_stack_growth = 0", None, ["--update", "--cc", "8.6"], "--cc: a baseline holds"),
        ("[[rules]]\nmax_stack_growth = 0", None, ["--update", "--baseline", "no/a.json"], "be written"),
        ("[[rules]]\nmax_stack_growth = 0", None, ["--update", "--baseline", "."], "cannot be read"),
        ("[[rules]]\nmax_stack_growth = 0", None, ["--name", "nothing"], "in its name; there are"),
        ("[[rules]]\nmax_stack_growth = 0", None, ["--format", "xml"], "xml"),
    ],
)  # fmt: skip
def test_errors_end_with_2_and_leave_every_file_as_it_was(
    builds: Path, project: Path, rules: str, baseline: str | None, arguments: list[str], message: str
) -> None:
    (project / "rules.toml").write_text(f'baseline = "base.json"\n{rules}')
    if baseline is not None:
        (project / "base.json").write_text(baseline)
    before = {path: path.read_bytes() for path in project.iterdir()}
    error = check(builds / "after", "--rules", "rules.toml", *arguments, code=2)
    assert message in error
    assert "Traceback" not in error
    assert {path: path.read_bytes() for path in project.iterdir()} == before


@pytest.mark.parametrize("how", ["alone", "update", "baseline"])
def test_a_size_with_which_it_does_not_launch_is_none_to_advise_at(
    builds: Path, project: Path, how: str
) -> None:
    rules = 'threads = 256\nbaseline = "base.json"\n[[rules]]\nkernels = "*histogram*"\nmin_occupancy = 50'
    if how == "alone":
        rules = rules.replace('baseline = "base.json"\n', "")
    (project / "sized.toml").write_text(f"{rules}\nmax_regs = 64")
    options = ["--update"] if how == "update" else []
    text = check(builds / "after", "--rules", "sized.toml", *options, code=1, columns=160)
    assert text.startswith("2 of"), "of the two kernels that are bound to 128 threads one has 75% there"
    assert "at no block size more than 25%" in text
    assert "registers 128 -> 64 would give 50% occupancy at 128 threads." in text
    assert "would give 0%" not in text
    assert "It does not launch with 256 threads, so " in text


def test_rules_that_compare_need_a_baseline(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text("[[rules]]\nmax_stack_growth = 0")
    assert "there is no baseline" in check(builds / "after", "--rules", "rules.toml", code=2)
    refused = check(builds / "after", "--rules", "rules.toml", "--update", code=2)
    assert "--baseline FILE" in refused


def test_a_baseline_for_another_architecture(builds: Path, project: Path) -> None:
    occupancy.save_baseline(builds / "before", "base.json", archs=["sm_80"])
    error = check(builds / "after", "--rules", "rules.toml", code=2)
    assert "base.json: has no kernels for sm_90" in error
    assert "or add it: --update --arch sm_90." in error
    assert check(builds / "after", "--rules", "rules.toml", "--arch", "sm_90", code=2) == error
    check(builds / "after", "--rules", "rules.toml", "--arch", "sm_80", code=1)


def test_a_build_of_which_a_part_is_damaged_is_not_checked(builds: Path, project: Path) -> None:
    cubin = (builds / "after" / "filters.sm_90.cubin").read_bytes()
    (project / "good.cubin").write_bytes(cubin)
    (project / "torn.cubin").write_bytes(cubin[:5000])
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 255")
    error = check("good.cubin", "torn.cubin", "--rules", "rules.toml", code=2)
    assert "torn.cubin" in error
    assert "1 kernel" not in error
    check("good.cubin", "--rules", "rules.toml", code=0)


def test_cubins_with_the_log_of_the_compiler(builds: Path, project: Path) -> None:
    """The log states what spills; without it, the code of the cubins tells the same."""
    (project / "rules.toml").write_text("allow_removed = true\n[[rules]]\nno_new_spills = true\n")
    occupancy.save_baseline([builds / "before", builds / "before.log"], "base.json")
    arguments = ("--rules", "rules.toml", "--baseline", "base.json", "--threads", "256")
    text = check(builds / "after", builds / "after.log", *arguments, code=1, columns=120)
    said = "no_new_spills = true (rule 1), sm_80: is 840 bytes (420 stored, 420 loaded), was 0 bytes"
    assert said in text
    assert "registers 40 -> 48 would need fewer spills, at 62.5% occupancy" in text
    assert "stack" not in text, "which changes with the spills, that are said"
    assert "2 of 14 kernels break a rule (1 name)." in text
    assert "Since the baseline, sm_80: register cap 128 -> 40, regs 96 -> 40\n" in text, "the cause first"
    same = check(builds / "before", builds / "before.log", *arguments, code=0)
    assert "14 checks" in same
    counted = check(builds / "after", *arguments, code=1, columns=120)
    assert (
        "no_new_spills = true (rule 1), sm_80: is 840 bytes (420 stored, 420 loaded), was 0 bytes" in counted
    )
    assert "14 checks" in check(builds / "before", *arguments, code=0)


def test_the_same_in_python(builds: Path, project: Path) -> None:
    report = occupancy.check([builds / "after"], "rules.toml", archs=["sm_80"])
    assert not report.passed
    assert [each.kernel.name for each in report.violating] == [
        "_ZN3img4blurEPf",
        "_ZN3img9histogramILi64ELb1EEEvPfi",
    ]


def test_for_a_chip_the_code_that_it_runs_is_checked(builds: Path, project: Path) -> None:
    # The baseline has both architectures; what the chip does not run of it is not missed.
    text = check(builds / "before", "--rules", "rules.toml", "--gpu", "H100", code=0)
    assert text.startswith("7 kernels meet 1 rule"), "the other is for sm_80"
    assert "Of each kernel only the code that 9.0 runs (sm_90); --arch all shows all." in text
    found = json.loads(
        check(builds / "after", "--rules", "rules.toml", "--gpu", "H100", "--format", "json", code=1)
    )
    assert {each["arch"] for each in found["missing"]} == {"sm_90"} == set(found["runs_on"]["archs"])
    text = check(builds / "before", "--rules", "rules.toml", "--gpu", "H100", "--arch", "all", code=1)
    assert "of 14 kernels" in text
    assert "only the code" not in text
    (project / "build").mkdir()
    name = "filters.sm_80.cubin"
    (project / "build" / name).write_bytes((builds / "before" / name).read_bytes())
    text = check("build", "--rules", "rules.toml", "--gpu", "H100", code=1)
    assert "max_regs = 96" in text, "sm_80 is what it runs now, compared with sm_90"
    (project / "sm_80.toml").write_text('[[rules]]\narch = "sm_80"\nmax_regs = 250')
    text = check(builds / "before", "--rules", "sm_80.toml", "--gpu", "H100", code=2)
    assert "there are none for the code that the chip runs" in text


def test_rules_for_architectures_that_are_not_asked_for_are_left_aside(builds: Path, project: Path) -> None:
    text = check(builds / "after", "--rules", "rules.toml", "--arch", "sm_90", code=1)
    assert "1 of 7 kernels breaks a rule; 1 kernel of the baseline is missing." in text
    (project / "rules.toml").write_text("[[rules]]\narch = 'sm_80'\nmax_regs = 255")
    assert "there are none for sm_90" in check(
        builds / "after", "--rules", "rules.toml", "--arch", "sm_90", code=2
    )


@pytest.mark.parametrize(
    "entry", ["[[rules]]\nmax_regs = 1\n[[launches]]\nthreads = 9\n", "[[rules]]\nmax_regs = 99\n"]
)
def test_an_entry_for_a_kernel_that_is_gone_names_those_that_are_new(project: Path, entry: str) -> None:
    """No part of the name stays, and a log has no code by which kernels are paired."""
    line = "Compiling entry function '{}' for 'sm_90'\nptxas info : Used 40 registers\n"
    for name, kernels in ("old", ["blur", "clear"]), ("new", ["smooth", "clear"]):
        (project / f"{name}.log").write_text("".join(map(line.format, kernels)))
    occupancy.save_baseline("old.log", "base.json")
    (project / "rules.toml").write_text(f"baseline = 'base.json'\n{entry}kernels = 'blur'\n")
    text = " ".join(check("new.log", "--rules", "rules.toml", code=2).split())
    assert "(blur) is for no kernel of new.log. The baseline has it; smooth is" in text
    assert "clear" not in text
    assert (
        "The baseline has it; smooth is new and needs exactly as much. If it was renamed, write the new"
        in text
    )


def test_the_command_for_a_baseline_that_is_not_there_yet_makes_that_and_no_other(
    builds: Path, project: Path
) -> None:
    (project / "occupancy.toml").write_text("baseline = 'later.json'\n[[rules]]\nmax_regs_growth = 0\n")
    build = str(builds / "after")
    error = check(build, "--baseline", "no.json", code=2)
    assert f"occupancy check {build} --baseline no.json --update." in error
    assert f"occupancy check {build} --update." in check(build, code=2)


def test_an_entry_for_several_that_are_gone_names_those_that_need_as_much(project: Path) -> None:
    line = "Compiling entry function '{}' for 'sm_90'\nptxas info : Used {} registers\n"
    for name in "blur", "smooth":
        text = "".join(line.format(f"{name}_{regs}", regs) for regs in (40, 48))
        (project / f"{name}.log").write_text(text)
    occupancy.save_baseline("blur.log", "base.json")
    (project / "rules.toml").write_text(
        "baseline = 'base.json'\n[[rules]]\nmax_regs = 9\nkernels = 'blur_*'\n"
    )
    text = " ".join(check("smooth.log", "--rules", "rules.toml", code=2).split())
    assert "The baseline has it; smooth_40, smooth_48 are new and need exactly as much." in text


LINE = "Compiling entry function '{}' for 'sm_90'\nptxas info : Used {} registers\n"


def test_all_that_is_not_looked_at_is_said_at_once(project: Path) -> None:
    (project / "new.log").write_text(LINE.format("blur", 40))
    (project / "rules.toml").write_text(
        "[[rules]]\nmax_regs = 64\nmax_spill_bytes = 0\n[[rules]]\nkernels = 'bleu'\nmax_regs = 64\n"
        "[[rules]]\nkernels = 'sum'\nmax_regs = 64\n[[launches]]\nkernels = 'blurr'\nthreads = 64\n"
    )
    said = check("new.log", "--rules", "rules.toml", code=2).splitlines()
    wanted = [
        "rules.toml, line 4: rule 2 (bleu) is for no kernel",
        "rules.toml, line 7: rule 3 (sum) is for no kernel",
        "rules.toml, line 10: launch 1 (blurr) is for no kernel",
        "new.log: rule 1 (*) asks for max_spill_bytes; not known",
    ]
    assert len(said) == len(wanted)
    for line, message in zip(said, wanted, strict=True):
        assert line.startswith(f"Error: {message}")


def renamed_outright(build: Path, folder: Path) -> Path:
    """The build with a kernel under a name that has nothing in common with the one that it had."""
    folder.mkdir()
    for file in build.iterdir():
        (folder / file.name).write_bytes(file.read_bytes().replace(b"6emboss", b"6relief"))
    return folder


@pytest.mark.parametrize("has_code", [True, False])
@pytest.mark.parametrize("stale", ["abc", "c", "ab"])
def test_all_entries_with_an_old_name_are_named_before_the_baseline_is_written(
    builds: Path, project: Path, has_code: bool, stale: str
) -> None:
    """By the code a kernel is known to be another; without, that alone which needs exactly as much may be."""
    build = renamed_outright(builds / "before", project / "build")
    before = builds / "before"
    if not has_code:
        before, build = builds / "before.log", project / "new.log"
        build.write_bytes(before.read_bytes().replace(b"6emboss", b"6relief"))
    occupancy.save_baseline(before, "named.json")
    saved = (project / "named.json").read_bytes()
    kernels = {each: "_ZN3img6embossEPf" if each in stale else "_ZN3img6reliefEPf" for each in "abc"}
    (project / "rules.toml").write_text(
        "baseline = 'named.json'\n[[rules]]\nmax_regs = 255\n"
        f"[[exemptions]]\nkernels = '{kernels['c']}'\nreason = 'see #7'\nuntil = 9999-01-01\n"
        f"[[launches]]\nkernels = '{kernels['b']}'\nthreads = 64\n"
        f"[[rules]]\nkernels = '{kernels['a']}'\nmax_regs = 7\n"
    )
    entries = {"c": "line 4: exemption 1", "b": "line 8: launch 1", "a": "line 11: rule 2"}
    refused = [("--update",), ("--update", "--name", "relief")] + ([] if has_code else [()])
    for options in refused:
        said = check(build, "--rules", "rules.toml", *options, code=2).splitlines()
        wanted = [entry for each, entry in entries.items() if each in stale]
        assert len(said) == len(wanted)
        for line, entry in zip(said, wanted, strict=True):
            assert line.startswith(f"Error: rules.toml, {entry} (_ZN3img6embossEPf) is for no kernel of ")
            assert "relief" in line.partition("is for no kernel")[2]
        assert (project / "named.json").read_bytes() == saved


def test_an_exemption_for_a_kernel_that_is_gone_for_good_does_no_harm(project: Path) -> None:
    """Nothing is new that it could have become."""
    (project / "old.log").write_text(LINE.format("blur", 40) + LINE.format("clear", 8))
    (project / "new.log").write_text(LINE.format("clear", 8))
    occupancy.save_baseline("old.log", "base.json")
    (project / "rules.toml").write_text(
        "baseline = 'base.json'\nallow_removed = true\n[[rules]]\nmax_regs = 8\n"
        "[[exemptions]]\nkernels = 'blur'\nreason = 'old'\nuntil = 9999-01-01\n"
    )
    for options in (), ("--update",):
        said = check("new.log", "--rules", "rules.toml", *options, code=0, columns=200)
        assert "(blur, until 9999-01-01) is for no kernel; there are clear." in said


def test_a_kernel_that_was_renamed_outright_is_known_by_its_code(builds: Path, project: Path) -> None:
    build = renamed_outright(builds / "before", project / "build")
    (project / "rules.toml").write_text(
        'baseline = "base.json"\n[[rules]]\nmax_regs_growth = 0\n\n[[rules]]\nkernels = "_ZN3img6embossEPf"\n'
        'max_regs = 64\n[[launches]]\nkernels = "_ZN3img6embossEPf"\nthreads = 64\n'
    )
    found = json.loads(check(build, "--rules", "rules.toml", "--format", "json", code=0))
    assert (found["added"], found["removed"], len(found["renamed"])) == ([], [], 2)
    # What has to be written before the new baseline has the new name alone.
    said = check(build, "--rules", "rules.toml", "--update", code=2).splitlines()
    for line, entry in zip(said, ("line 5: rule 2", "line 8: launch 1"), strict=True):
        assert line.startswith(f"Error: rules.toml, {entry} (_ZN3img6embossEPf) is for no kernel of ")
        assert line.endswith("6reliefEPf: change it to that first.") or "img::relief: change" in line
    # An entry of which one pattern alone is old would lose what that is for.
    rules = (project / "rules.toml").read_text().replace("6emboss", "6relief")
    old = rules.replace('"_ZN3img6reliefEPf"', '["_ZN3img6embossEPf", "*scale*"]', 1)
    (project / "rules.toml").write_text(old)
    refused = check(build, "--rules", "rules.toml", "--update", code=2)
    assert refused.startswith("Error: rules.toml, line 5: rule 2 (_ZN3img6embossEPf) is for no kernel of ")
    (project / "rules.toml").write_text(rules)
    check(build, "--rules", "rules.toml", "--update", code=0)
    assert "embossEPf" not in (project / "base.json").read_text()


@pytest.mark.parametrize("threads", ["64", "[64, 128]"])
def test_a_block_size_that_has_the_new_name_already_is_for_both_builds(
    builds: Path, project: Path, threads: str
) -> None:
    build = renamed_outright(builds / "before", project / "build")
    (project / "rules.toml").write_text(
        'baseline = "base.json"\n[[rules]]\nmax_occupancy_drop = 0\n'
        f'[[launches]]\nkernels = "_ZN3img6reliefEPf"\nthreads = {threads}\n'
    )
    sizes = threads.count(",") + 1
    found = json.loads(check(build, "--rules", "rules.toml", "--format", "json", code=0))
    assert (found["added"], found["removed"], found["checks"]) == ([], [], 12 + 2 * sizes)
    updated = json.loads(check(build, "--rules", "rules.toml", "--update", "--format", "json", code=0))
    assert updated["updated"]["same"] == 12 + 2 * sizes
    assert (updated["updated"]["added"], updated["updated"]["removed"]) == (0, 0)


@pytest.mark.parametrize(
    ("now", "is_likely"),
    [
        ([("smooth", 40), ("clear", 8)], True),
        ([("smooth", 41), ("clear", 8)], False),
        ([("smooth", 40), ("sharpen", 40), ("clear", 8)], False),
    ],
)
def test_a_new_kernel_that_alone_needs_as_much_may_be_the_one_that_is_gone(
    project: Path, now: list[tuple[str, int]], is_likely: bool
) -> None:
    (project / "old.log").write_text(LINE.format("blur", 40) + LINE.format("clear", 8))
    (project / "new.log").write_text("".join(LINE.format(*each) for each in now))
    occupancy.save_baseline("old.log", "base.json")
    (project / "rules.toml").write_text("baseline = 'base.json'\n[[rules]]\nmax_regs_growth = 0\n")
    question = "Renamed? smooth is new and needs exactly as much as blur did."
    for options in (), ("--format", "github"), ("--format", "junit"), ("--format", "sarif"):
        said = check("new.log", "--rules", "rules.toml", *options, code=1, columns=120)
        assert (question in said) == is_likely
    found = json.loads(check("new.log", "--rules", "rules.toml", "--format", "json", code=1))
    pairs = [(each["old"]["name"], each["new"]["name"]) for each in found["likely_renamed"]]
    assert pairs == [("blur", "smooth")] * is_likely
    # A size that the rules state of the new name alone is nothing that the kernel needs.
    with (project / "rules.toml").open("a") as rules:
        rules.write("[[launches]]\nkernels = 'smooth'\nthreads = 128\ndynamic_smem = '1k'\n")
    said = " ".join(check("new.log", "--rules", "rules.toml", code=1).split())
    assert (f"{question} If so: --update --name blur --name smooth." in said) == is_likely
    # The ready command stands alone: the one for any kernel would only ask for thought.
    assert ("Where that is meant: --update --name blur, or allow_removed" in said) == (not is_likely)
    assert ("Where that is meant" in said) == (not is_likely)
    said = run("diff", "old.log", "new.log", columns=120).stdout
    assert (f"{question}\n" in said) == is_likely
    found = json.loads(run("diff", "old.log", "new.log", "--format", "json").stdout)
    assert [each["new"]["name"] for each in found["likely_renamed"]] == ["smooth"] * is_likely
    if is_likely:
        both = ("--update", "--name", "blur", "--name", "smooth")
        assert "(1 added and 1 removed)" in check("new.log", "--rules", "rules.toml", *both, code=0)
        check("new.log", "--rules", "rules.toml", code=0)


LOG_RULES = """baseline = 'base.json'
[[rules]]
max_regs_growth = 0
[[rules]]
kernels = ["blur*", "clear"]
max_regs = 64
[[launches]]
kernels = ["clear", "blur"]
threads = 128
[[exemptions]]
kernels = ["blur", "*ear"]
reason = "old"
until = 9999-01-01
"""


@pytest.mark.parametrize(
    "options", [(), ("--update",), ("--update", "--name", "blur", "--name", "smooth")], ids=len
)
def test_each_pattern_of_a_list_that_may_name_a_renamed_kernel_is_refused(
    project: Path, options: tuple[str, ...]
) -> None:
    """Beside one that fits, too: else the entry would no longer be for it, and nothing would say so."""
    (project / "old.log").write_text(LINE.format("blur", 40) + LINE.format("clear", 8))
    (project / "new.log").write_text(LINE.format("smooth", 40) + LINE.format("clear", 8))
    occupancy.save_baseline("old.log", "base.json")
    saved = (project / "base.json").read_bytes()
    (project / "rules.toml").write_text(LOG_RULES)
    said = check("new.log", "--rules", "rules.toml", *options, code=2).splitlines()
    wanted = "line 4: rule 2 (blur*)", "line 7: launch 1 (blur)", "line 10: exemption 1 (blur)"
    for line, entry in zip(said, wanted, strict=True):
        assert line.startswith(f"Error: rules.toml, {entry} is for no kernel of new.log. The baseline has it")
        assert "smooth is new and needs exactly as much. If it was renamed, write the new name" in line
    assert (project / "base.json").read_bytes() == saved
    (project / "rules.toml").write_text(LOG_RULES.replace("blur", "smooth"))
    check("new.log", "--rules", "rules.toml", *options, code=0 if options else 1)


def test_a_pattern_of_a_list_that_fits_nothing_is_told(project: Path) -> None:
    (project / "new.log").write_text(LINE.format("blur", 40) + LINE.format("clear", 8))
    occupancy.save_baseline("new.log", "base.json")
    (project / "rules.toml").write_text(LOG_RULES.replace('"blur*"', '"blrr", "blur"'))
    note = "rules.toml, line 4: blrr of rule 2 fits no kernel; there are blur."
    for options in (), ("--update",):
        said = check("new.log", "--rules", "rules.toml", *options, code=0, columns=200)
        assert note in said
        assert said.count("fits no kernel") == 1
    # Of what is not asked for nothing is said.
    assert "fits no kernel" not in check("new.log", "--rules", "rules.toml", "--name", "blur", code=0)
    said = check("new.log", "--rules", "rules.toml", "--format", "github", code=0)
    assert f"::notice file=rules.toml,line=4,title=occupancy::{note}" in said


@pytest.mark.parametrize(
    ("new", "names", "what"),
    [
        ("b::smooth", "a::blur", "may be b::smooth now, and does not apply there"),
        ("b::blur", "", "was renamed to b::blur, and no longer applies there"),
    ],
)
def test_a_pattern_that_fits_others_and_not_a_new_name_is_told_by_an_update_too(
    project: Path, new: str, names: str, what: str
) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")

    def log(*kernels: str) -> str:
        named = ["".join(f"{len(part)}{part}" for part in each.split("::")) for each in kernels]
        return "".join(LINE.format(f"_ZN{each}EPf", regs) for each, regs in zip(named, (40, 8), strict=True))

    (project / "old.log").write_text(log("a::blur", "a::clear"))
    (project / "new.log").write_text(log(new, "a::clear"))
    occupancy.save_baseline("old.log", "base.json")
    (project / "rules.toml").write_text(
        "baseline = 'base.json'\n[[rules]]\nmax_regs_growth = 0\n[[rules]]\nkernels = 'a::*'\nmax_regs = 64\n"
    )
    note = f"rules.toml, line 4: rule 2 (a::*) names a kernel that {what}, since it fits others."
    both = [option for name in (names, new) if name for option in ("--name", name)]
    for options, code in ((), 1 if names else 0), (("--update", *both), 0):
        said = check("new.log", "--rules", "rules.toml", *options, code=code, columns=200)
        assert said.count(note) == 1
    assert "1 kernel, no check: every rule for it compares with the baseline." in said
    assert "(a::*) names" not in check("new.log", "--rules", "rules.toml", code=0)


def test_many_kernels_that_are_gone_are_not_put_into_one_command(project: Path) -> None:
    names = ["blur", "sum", "scan", "sort"]
    (project / "new.log").write_text(LINE.format("clear", 8))
    (project / "rules.toml").write_text("baseline = 'base.json'\n[[rules]]\nmax_regs_growth = 0\n")
    for gone, command in (names[:3], "--name blur --name scan --name sum"), (names, "--name PART"):
        (project / "old.log").write_text("".join(LINE.format(each, 8) for each in [*gone, "clear"]))
        occupancy.save_baseline("old.log", "base.json")
        said = check("new.log", "--rules", "rules.toml", code=1, columns=120)
        assert f"Where that is meant: --update {command}, or allow_removed in the rules." in said


def test_entries_to_mend_are_annotated(builds: Path, project: Path) -> None:
    (project / "rules.toml").write_text(
        f"baseline = 'base.json'\nallow_removed = true\n[[rules]]\nkernels = '{OLD}'\nmax_regs = 255\n"
        f"[[exemptions]]\nkernels = '*blur*'\nreason = 'old'\nuntil = 9999-01-01\n[[rules]]\nmax_regs = 255\n"
    )
    after = (builds / "after", "--rules", "rules.toml", "--format", "github")
    renamed, unused, *plain = check(*after, code=0).splitlines()
    place = "::notice file=rules.toml,line=3,title=occupancy::rules.toml, line 3: "
    assert renamed.startswith(f"{place}rule 1 ({OLD}) names a kernel that was renamed to ")
    wanted = "::notice file=rules.toml,title=occupancy::Exemption 1 (*blur*, until 9999-01-01) is not needed"
    assert unused.startswith(wanted)
    assert not any("rule 1" in line or "Exemption 1" in line for line in plain), "said once"


@pytest.mark.parametrize(
    ("rule", "before", "after", "instead"),
    [
        (
            "max_regs = 30",
            40,
            41,
            "max_regs was broken in the baseline, too: exempt such kernels, or ask for ",
        ),
        ("max_regs = 40", 40, 41, ""),
        ("min_occupancy = 90", 80, 81, "or ask for max_occupancy_drop instead."),
        ("min_occupancy = 56.28", 56, 64, ""),  # 56.25%, which keeps the rule as rounded percentages do
        ("max_barriers = 0", 40, 41, "max_barriers was broken in the baseline, too: exempt such kernels.\n"),
    ],
)
def test_what_was_so_before_says_how_to_compare(
    project: Path, rule: str, before: int, after: int, instead: str
) -> None:
    line = "Compiling entry function 'blur' for 'sm_90'\nptxas info : Used {} registers, used 1 barriers\n"
    for name, regs in ("old", before), ("new", after):
        (project / f"{name}.log").write_text(line.format(regs))
    occupancy.save_baseline("old.log", "base.json")
    (project / "rules.toml").write_text(f"baseline = 'base.json'\n[[rules]]\n{rule}\n")
    said = check("new.log", "--rules", "rules.toml", code=1, columns=200)
    assert instead in said
    assert ("in the baseline, too" in said) == bool(instead)
    assert "in the baseline, too" not in check("new.log", "--rules", "rules.toml", "--update", code=1)


def test_each_name_that_is_asked_for_is_looked_at_or_refused(project: Path) -> None:
    (project / "new.log").write_text("".join(LINE.format(name, 8) for name in ("blur", "clear", "scale")))
    (project / "rules.toml").write_text("[[rules]]\nmax_regs = 8\n")
    two = check("new.log", "--rules", "rules.toml", "--name", "BLUR", "--name", "sc*le", code=0)
    assert two.startswith("2 kernels meet 1 rule")
    asked = occupancy.check("new.log", "rules.toml", name=["blur", "scale"])
    assert [each.name for each in asked.holding] == ["blur", "scale"]
    wrong = "'blurr' or 'x9' in its name; there are blur."
    names = ("--name", "blurr", "--name", "clear", "--name", "x9")
    assert wrong in check("new.log", "--rules", "rules.toml", *names, code=2)
    scanned = run("scan", "new.log", *names)
    assert wrong in scanned.stderr
    assert "clear 8 1,024 best 100% warps 2 1 kernel" in " ".join(scanned.stdout.split())
    with pytest.raises(occupancy.InputError, match=r"name: got 5\. Allowed: a part of a kernel's name, or a"):
        occupancy.scan("new.log", name=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_screen_fits(builds: Path, project: Path, columns: int) -> None:
    text = check(builds / "after", "--rules", "rules.toml", code=1, columns=columns)
    assert max(map(len, text.splitlines())) <= columns
