"""``occupancy init`` and ``occupancy check`` of a real build."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import occupancy
from tests.cli_runner import as_json, run
from tests.hostile import log
from tests.samples import unpacked


@pytest.fixture
def project(builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a build, its rules and its baseline, then with changes to the build."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(builds / "before", "build")
    done = run("init", "build/")
    assert done.exit_code == 0, done.output
    assert "baseline.json: 7 kernels, 2 architectures.\n" in done.stdout
    assert done.stdout.endswith("Next: occupancy check build/\n")
    assert run("check", "build/").stdout == "All 7 kernels pass (occupancy.toml, 2 architectures)\n"
    shutil.rmtree("build")
    shutil.copytree(builds / "after", "build")
    return tmp_path


def check(*arguments: str) -> Any:
    return as_json("check", "build/", *arguments)


def test_block_sizes_of_rules_and_options(project: Path) -> None:
    rules = Path("occupancy.toml").read_text()
    Path("occupancy.toml").write_text(f'{rules}\n[[rules]]\nkernels = "blur"\nthreads = 64\n')

    def of_blur(key: str, *arguments: str) -> dict[str, Any]:
        return {row["arch"]: row[key] for row in check(*arguments)["violations"] if "blur" in row["name"]}

    assert of_blur("value") == {"sm_80": 0.125, "sm_90": 0.1875}  # 4 and 6 blocks of 2 warps
    sizes = of_blur("threads", "--threads", "128")
    assert set(sizes.values()) == {64}, "rules for some kernels count more than a size for all"
    assert set(of_blur("threads", "-t", "blur=32").values()) == {32}


def test_dynamic_shared_memory_of_options_replaces_that_of_rules(builds: Path) -> None:
    rules = [occupancy.Rule(kernels=["blur", "emboss"], dynamic_smem="2k"), occupancy.Rule(max_smem=0)]
    options: Any = {"arch": "sm_90", "dynamic_smem": {"blur": 3072}}
    broken = [each.kernel for each in occupancy.check(builds / "before", rules, **options).broken]
    assert {each.dynamic_smem for each in broken} == {3072, 2048}


def test_updates(project: Path) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    done = run("check", "build/", "--update", "--name", "img::emboss")
    assert "6 kernels, 2 architectures (1 removed)" in done.stdout
    assert "removed" not in {row["criterion"] for row in check()["violations"]}
    assert run("check", "build/", "--update", "--name", "blur").exit_code == 0
    assert {row["name"] for row in check()["violations"]} == {"_ZN3img10warp_imageEPfi"}
    before = Path("occupancy-baseline.json").read_bytes()
    assert run("check", "build/", "--update", "--name", "nothing").exit_code == 2
    assert Path("occupancy-baseline.json").read_bytes() == before
    assert (run("check", "build/", "--update").exit_code, check()["passed"]) == (0, True)
    Path("occupancy-baseline.json").unlink()
    done = run("check", "build/")
    assert (done.exit_code, "check build/ --update" in done.stderr) == (2, True)
    assert (run("check", "build/", "--update").exit_code, check()["passed"]) == (0, True)
    Path("occupancy-baseline.json").write_bytes(before.replace(b"warp_imageEPfi", b"warp_imageEPdi"))
    assert "renamed)" in run("check", "build/", "--update").stdout
    assert b"Pdi" not in Path("occupancy-baseline.json").read_bytes()


def test_an_update_keeps_kernels_that_no_longer_launch(project: Path) -> None:
    for name, regs in ("old", 32), ("new", 128):
        Path(f"{name}.log").write_text(log("_ZN34_GLOBAL__N__9e609c31_4_a_cu_f763c0351kEPf", regs))
    run("init", "old.log", "--rules", "k.toml", "--baseline", "k.json", "-t", "*k*=1024")
    other = '\n[[exemptions]]\nkernels = "*k*"\nrules = "max_regs"\nreason = "tuned"\n'
    before = Path("k.json").read_text()
    Path("k.toml").write_text(Path("k.toml").read_text() + other)
    done = run("check", "new.log", "--rules", "k.toml", "--update")
    assert "100% -> no launch at 1,024 threads (minimum 100%): 1,024" in " ".join(done.stdout.split())
    assert (done.exit_code, Path("k.json").read_text()) == (1, before)


@pytest.mark.parametrize("before", [{"sm_90": 32}, {"sm_90": 32, "sm_100": 32}])
def test_the_newest_code_of_either_build_counts(before: dict[str, int], project: Path) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    for name, archs in (
        ("_Z1kPf", before),
        ("_Z1kPd", {"sm_90": 128 // len(before), "sm_100": 32 * len(before) ** 2}),
    ):
        for arch, regs in archs.items():
            Path(f"{name}.{arch}.log").write_text(log(name, regs, arch=arch))
    old, new = (sorted(map(str, Path().glob(f"{name}*"))) for name in ("_Z1kPf", "_Z1kPd"))
    run("init", *old, "--rules", "k.toml", "--baseline", "k.json", "-t", "1024")
    for options in ["--update"], []:
        done = run("check", *new, "--rules", "k.toml", "--newest", *options)
        assert (done.exit_code, "removed" in done.stdout) == (1, False)


def test_the_newest_code_of_a_name_excludes_its_overloads(project: Path) -> None:
    for folder, regs in ("old", 32), ("new", 64):
        Path(folder).mkdir()
        for name, arch in ("_Z1fi", "sm_80"), ("_Z1fi", "sm_90"), ("_Z1ff", "sm_80"):
            number = 32 if (name, arch) == ("_Z1fi", "sm_90") else regs
            Path(folder, f"{name}.{arch}.log").write_text(log(name, number, arch=arch))
    run("init", "old", "--rules", "k.toml", "--baseline", "k.json", "-t", "1024")
    done = run("check", "new", "--rules", "k.toml", "--newest", "--name", "_Z1fi", "--update")
    assert (done.exit_code, "(no changes)" in done.stdout) == (0, True)
    assert "1 worse" in run("check", "new", "--rules", "k.toml", "--newest", "--update").stdout


def test_selected_kernels(project: Path) -> None:
    assert {row["arch"] for row in check("--arch", "sm_90")["violations"]} == {"sm_90"}
    assert {row["name"] for row in check("--name", "blur")["violations"]} == {"_ZN3img4blurEPf"}
    assert {row["name"] for row in check("--name", "emboss")["violations"]} == {"_ZN3img6embossEPf"}
    assert check("--name", "scale")["passed"]
    assert "FAILED: 1 removed (occupancy.toml)\n" in run("check", "build/", "--name", "emboss").stdout
    options = ["--threads", "128", "--gpu", "H100", "--newest", "--runtime"]
    offer = f": `occupancy check build/ {' '.join(options)} --update`."
    assert offer in run("check", "build/", *options, columns=200).stdout
    assert [run("check", "build/", *options, *update).exit_code for update in (["--update"], [])] == [0, 0]
    assert {row["arch"] for row in check("--threads", "256")["violations"]} == {"sm_80"}


def test_what_is_unused_is_named(project: Path) -> None:
    unused = '[[rules]]\nkernels = "b"\nmax_regs = false\n[[exemptions]]\nkernels = "c"\nreason = "slow"\n'
    Path("rules.toml").write_text(f"[[rules]]\nmax_regs = 255\n{unused}")
    text = run("check", "build/", "--rules", "rules.toml", columns=120).stdout
    found = re.findall(r"\nNo kernel matches (.) \((\w+) in rules.toml, line (.)\)\.", text)
    assert found == [("b", "rule", "3"), ("c", "exemption", "6")]


def test_annotations(project: Path) -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    lines = run("check", "build/", "--format", "github").stdout.splitlines()
    rules = [re.findall(r",title=occupancy%3A (\w+):", line) for line in lines[:3]]
    assert rules == [["max_occupancy_drop"], ["no_new_spills"], ["removed"]]
    assert re.search("sm_80: 100%25 -> 50%25 at 256 assumed threads .*%0Asm_90: 100%25 -> 75%25", lines[0])
    assert re.search("file=occupancy-baseline.json,.* removed: restore it, or permit it", lines[2])
    assert all("restore" in row["fix"] or "reduce" in row["fix"] for row in check()["violations"])
    assert lines[3] == "::notice title=occupancy::New since the baseline (sm_80, sm_90): img::sharpen"
    assert "::Changed since the baseline (sm_80, sm_90): renamed img" in lines[4]
    assert lines[5].startswith("FAILED: ")
    Path("occupancy.toml").write_text("[[rules]]\nmax_regsters = 3\n")
    done = run("check", "build/", "--format", "github")
    assert done.exit_code == 2
    assert re.match("::error file=occupancy.toml,line=2,title.*: max_regsters is unknown", done.stdout)


def test_github_shows_ten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kernels = "".join(log(f"k{number}", 64) for number in range(30))
    Path("log").write_text(kernels + kernels.replace("sm_90", "sm_80"))
    Path("rules.toml").write_text("[[rules]]\nmax_regs = 32\n")
    lines = run("check", "log", "--rules", "rules.toml", "--format", "github").stdout.splitlines()
    assert sum(line.startswith("::error") for line in lines) == 10
    assert "21 more findings" in lines[9]
    text = run("check", "log", "--rules", "rules.toml").stdout
    assert "10 more kernels break rules. --format csv lists" in text


def test_junit_and_sarif(project: Path) -> None:
    run("check", "build/", "-o", "cases.xml")
    suite = ElementTree.parse("cases.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("8", "3")
    assert all((each.text or "").startswith(each.get("message") or "-") for each in suite.iter("failure"))
    lines = [each.get("line") for each in suite.iter("testcase") if each.get("line")]
    assert lines == ["15"], "in the baseline"
    files = {each.get("file") for each in suite.iter("testcase")}
    assert files == {"build/filters.sm_90.cubin", "occupancy-baseline.json"}
    log = json.loads(run("check", "build/", "--format", "sarif").stdout)
    jsonschema.Draft202012Validator(json.loads(unpacked("sarif/sarif-2.1.0.json"))).validate(log)
    results = log["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == ["max_occupancy_drop", "no_new_spills", "removed"]
    places = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results]
    assert all(Path(place).exists() for place in places)
    Path(".git").touch()
    os.chdir("build")
    log = json.loads(run("check", ".", "--rules", "../occupancy.toml", "--format", "sarif").stdout)
    assert log["runs"][0]["results"] == results, "paths from the top of the checkout"
    assert len({each["partialFingerprints"]["kernelAndRule/v1"] for each in results}) == 3


def test_places_in_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check sources compiled in another folder: the longest suffix of the path that exists here counts."""
    monkeypatch.chdir(tmp_path)
    Path("alone.cubin").write_bytes(unpacked("lines/alone.cubin"))
    Path("rules.toml").write_text("[[rules]]\nmax_regs = 8\n")

    def locations() -> list[dict[str, Any]]:
        log = json.loads(run("check", "alone.cubin", "--rules", "rules.toml", "--format", "sarif").stdout)
        return [each["locations"][0]["physicalLocation"] for each in log["runs"][0]["results"]]

    assert all(each["artifactLocation"]["uri"].startswith("file:///") for each in locations())
    assert {each["region"]["startLine"] for each in locations()} <= {4, 7}
    Path("kernels.cu").touch()
    assert {each["artifactLocation"]["uri"] for each in locations()} == {"kernels.cu"}
    errors = run("check", "alone.cubin", "--rules", "rules.toml", "--format", "github").stdout
    assert "::error file=kernels.cu,line=4" in errors
    assert " (kernels.cu:4): max_regs\n" in run("check", "alone.cubin", "--rules", "rules.toml").stdout


def test_a_damaged_build_is_not_checked(project: Path, builds: Path) -> None:
    Path("build", "torn.cubin").write_bytes((builds / "after" / "filters.sm_90.cubin").read_bytes()[:5000])
    Path("build", "zeros.o").write_bytes(bytes(64))
    done = run("check", "build/", "-o", "cases.xml", "-o", "found.sarif", "-o", "data.json")
    assert (done.exit_code, Path("data.json").exists()) == (2, False)
    assert re.findall(r"Error: build/(\w+)\.", done.stderr) == ["torn", "zeros"]
    assert ElementTree.parse("cases.xml").getroot().get("errors") == "1"
    (invocation,) = json.loads(Path("found.sarif").read_text())["runs"][0]["invocations"]
    assert "torn.cubin" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    after = str(builds / "after")
    assert run("check", after, "--baseline", str(builds / "before")).exit_code == 1
    assert "torn.cubin" in run("check", after, "--baseline", "build/").stderr, "a damaged baseline"


def test_update_is_offered_only_if_it_helps(project: Path) -> None:
    offer = "To accept the changes since the baseline: `occupancy check build/ --arch sm_90 --update"
    assert offer in run("check", "build/", "--arch", "sm_90", columns=200).stdout
    settings = 'baseline = "occupancy-baseline.json"\nallow_removed = true\n'
    for rule in ("", "no_new_spills = true\n"):
        Path("own.toml").write_text(f"{settings}[[rules]]\nmax_regs = 8\n{rule}")
        done = run("check", "build/", "--rules", "own.toml")
        assert (done.exit_code, offer[:41] in done.stdout) == (1, bool(rule))
    assert re.search(r"\n  sm_80 +registers \d+, as in the baseline \(maximum 8\)\n", done.stdout)


def test_a_missing_architecture_is_no_removed_kernel(project: Path) -> None:
    assert run("check", "build/", "--update").exit_code == 0
    for image in Path("build").glob("*sm_90*"):
        image.unlink()
    done = run("check", "build/", columns=200)
    assert (done.exit_code, done.stdout[:27]) == (1, "FAILED: 7 without code for ")
    assert ": without code for sm_90 fix " in " ".join(done.stdout.split())  # long names wrap
    assert "New since" not in run("check", "build/", "--newest").stdout
    lost = run("check", "build/", "--gpu", "H100", columns=200).stdout  # the baseline has code for it
    assert (lost[:15], lost.count("no code for 9.0 (compile for sm_90)")) == ("FAILED: 7 kerne", 7)
    for image in Path("build").iterdir():
        image.unlink()
    assert "Error: build contains no kernels" in run("check", "build/").stderr


def test_init_replaces_nothing(project: Path) -> None:
    done = run("init", "build/")
    assert (done.exit_code, "occupancy.toml already exists" in done.stderr) == (2, True)
    assert run("init", "build/", "--rules", "x.toml", "--baseline", "x.json", "-t", "128").exit_code == 0
    assert "threads = 128" in Path("x.toml").read_text()
    assert run("check", "build/", "--rules", "x.toml").exit_code == 0
    message = " is an input, or contains kernels. Choose another file."
    assert message in run("check", "build/", "--rules", "x.toml", "-o", "x.json").stderr
    assert message in run("scan", "build/", "--save-baseline", "build/filters.sm_90.cubin").stderr
    done = run("init", "build/", "--rules", "y.toml", "--baseline", "y.json", "--arch", "sm_90", "--runtime")
    assert done.stdout.endswith("check build/ --rules y.toml --arch sm_90 --runtime\n")


def test_init_writes_rules_that_pass_or_nothing(samples: Path, project: Path) -> None:
    trace = str(samples / "pytorch_trace.json")
    assert run("init", trace, "--rules", "none/t.toml", "--baseline", "t.json").exit_code == 2
    assert run("init", trace, "--rules", "t.toml", "--baseline", "t.json").exit_code == 0
    assert run("check", trace, "--rules", "t.toml").exit_code == 0


def test_rules_in_python(project: Path) -> None:
    rules = occupancy.Rule(max_occupancy_drop=0), occupancy.Exemption(kernels="blur", reason="known")
    result = occupancy.check("build", rules, baseline="occupancy-baseline.json")
    assert not result.passed, "emboss was removed"
    assert {each["reason"] for each in result.report().values["exempt"]} == {"known"}
    assert (result.broken, [each.rule for each in result.findings()]) == ((), ["removed"])
    rule = occupancy.Rule(kernels="*blur", min_occupancy=0.75, threads=256)
    (broken,) = occupancy.check("build", [rule]).broken
    assert (broken.kernel.arch, broken.violations[0].value) == ("sm_80", 0.5)
    with pytest.raises(occupancy.OccupancyError, match="No rule applies to the selected"):
        occupancy.check("build", [rule], name="sharpen")
    assert "FAILED: 1 kernel breaks a rule (2 architectures)\n" in str(occupancy.check("build", [rule]))
