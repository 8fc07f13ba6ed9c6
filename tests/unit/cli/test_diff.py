"""Two real builds, and the same kernels of two toolkits, with the difference written by hand."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy import InputError
from tests.cli_runner import run

# What nvcc and ptxas said of tests/data/builds/filters.cu (the two logs), and the occupancy on 8.0 and
# 9.0, with 64 warps, 32 blocks, 65,536 registers and 164 or 228 KiB of shared memory, for the launch bound of
# 256 threads, and where smaller blocks lose more for these:
# - blur, 22 registers, blocks of 8 warps: 8 blocks fill the SM. With 36 KiB + 1 KiB of shared memory 4, or 6;
#   so of 2 warps, of which 32 blocks filled the SM.
# - warp_image: 96 registers are 5 warps in each quarter, 20 in all, 2 blocks of 8 warps; 128 are 16, 2 too.
#   With the bound of 6 blocks it has 40, which are 12, 48 in all, 6 blocks; it spills.
CHANGED = {
    ("img::blur(float*)", "sm_80"): {
        "verdict": "worse", "occupancy": (1.0, 0.5), "registers": (22, 22), "shared": (4096, 36864),
        "stack": (0, 0), "limiters": (["warps"], ["shared_memory"]), "worst": (64, 1.0, 0.125),
    },
    ("img::blur(float*)", "sm_90"): {
        "verdict": "worse", "occupancy": (1.0, 0.75), "registers": (23, 22), "shared": (4096, 36864),
        "stack": (0, 0), "limiters": (["warps"], ["shared_memory"]), "worst": (64, 1.0, 0.1875),
    },
    ("img::warp_image(float*, int)", "sm_80"): {
        "verdict": "mixed", "occupancy": (0.25, 0.75), "registers": (96, 40), "shared": (0, 0),
        "stack": (0, 312), "limiters": (["registers"], ["registers"]), "worst": None,
    },
    ("img::warp_image(float*, int)", "sm_90"): {
        "verdict": "mixed", "occupancy": (0.25, 0.75), "registers": (128, 40), "shared": (0, 0),
        "stack": (0, 416), "limiters": (["registers"], ["registers"]), "worst": None,
    },
}  # fmt: skip
SAME = {
    ("_ZN3img43_GLOBAL__N__6e4a8e5f_10_filters_cu_826e9faf5clearEPf", "stable_name"),
    ("_ZN3img5scaleEPff", "name"),
    ("_ZN3img9histogramILi16EEEvPfi", "base_name"),
    ("_ZN3img9histogramILi64EEEvPfi", "base_name"),
}
WORST_FIRST = [
    ("_ZN3img4blurEPf", "sm_80"), ("_ZN3img4blurEPf", "sm_90"),
    ("_ZN3img10warp_imageEPfi", "sm_90"), ("_ZN3img10warp_imageEPfi", "sm_80"),
]  # fmt: skip


BUILDS = Path(__file__).parents[2] / "data" / "builds"
"""As they are kept: packed cubins, and what ptxas printed, which says what spills."""


def diff(*arguments: object, **options: Any) -> str:
    done = run("diff", *map(str, arguments), **options)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


def diff_json(*arguments: object) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(diff(*arguments, "--format", "json"))
    return report


def test_two_builds(builds: Path) -> None:
    report = diff_json(builds / "before", builds / "after", "--all")
    changed = [row for row in report["kernels"] if row["verdict"] != "same"]
    found = {
        (_demangled(row["new"]), row["new"]["arch"]): {
            "verdict": row["verdict"],
            "occupancy": (row["old"]["occupancy"], row["new"]["occupancy"]),
            "registers": (row["old"]["regs"], row["new"]["regs"]),
            "shared": (row["old"]["static_smem"], row["new"]["static_smem"]),
            "stack": (row["old"]["stack_bytes"], row["new"]["stack_bytes"]),
            "limiters": (row["old"]["limiters"], row["new"]["limiters"]),
            "worst": row["deciding"]
            and (row["deciding"]["threads"], row["deciding"]["old"], row["deciding"]["new"]),
        }
        for row in changed
    }
    assert found == CHANGED
    assert {(row["new"]["threads"], row["new"]["threads_from"]) for row in changed} == {
        (256, "launch_bounds")
    }
    assert [(row["new"]["name"], row["new"]["arch"]) for row in changed] == WORST_FIRST
    same = [row for row in report["kernels"] if row["verdict"] == "same"]
    assert {(row["old"]["name"], row["matched_by"]) for row in same} == SAME
    assert [(row["name"], row["arch"]) for row in report["added"]] == [
        ("_ZN3img7sharpenEPf", "sm_80"),
        ("_ZN3img7sharpenEPf", "sm_90"),
    ]
    assert {row["name"] for row in report["removed"]} == {"_ZN3img6embossEPf"}
    assert report["summary"] == {
        "worse": 2, "mixed": 2, "other": 0, "better": 0, "same": 8, "added": 2, "removed": 2,
    }  # fmt: skip


def _demangled(row: dict[str, Any]) -> str:
    """The readable name; it needs a package that Python 3.10 has not."""
    readable = {
        "_ZN3img4blurEPf": "img::blur(float*)",
        "_ZN3img10warp_imageEPfi": "img::warp_image(float*, int)",
    }
    assert row["demangled"] in (row["name"], readable[row["name"]])
    return readable[row["name"]]


def test_the_cap_on_registers_is_the_cause_of_what_follows_it(builds: Path) -> None:
    arguments = (builds / "before", builds / "after")
    for options in ({"columns": 160}, {"columns": 60}):
        said = " ".join(diff(*arguments, **options).split())
        assert "register cap 128 -> 40, regs 96 -> 40," in said
        assert said.count("register cap") == 2, "blur has the one that it had"
        assert "changed from (256, 2) to (256, 6). -maxrregcount does nothing" in said
        assert "Cap" not in said.partition("Added")[2].partition("kernels in both")[0]
    assert "register cap 128 -> 40, regs 96 -> 40" in diff(*arguments, "--format", "markdown")
    rows = csv.DictReader(io.StringIO(diff(*arguments, "--format", "csv")))
    caps = {(row["demangled"], row["old_register_cap"], row["new_register_cap"]) for row in rows}
    assert {each[1:] for each in caps if "warp_image" in each[0]} == {("128", "40")}
    assert "Register cap" not in diff(builds / "before.log", builds / "after.log"), "logs do not tell"


def test_logs_of_the_same_builds_know_the_spills(builds: Path) -> None:
    report = diff_json(builds / "before.log", builds / "after.log")
    changes = {(row["new"]["name"], row["new"]["arch"]): row["change"] for row in report["kernels"]}
    spilled = {arch: changes["_ZN3img10warp_imageEPfi", arch]["spill_bytes"] for arch in ("sm_80", "sm_90")}
    # 432 bytes of stores and 408 of loads on sm_80; 504 and 504 on sm_90.
    assert spilled == {"sm_80": 840, "sm_90": 1008}


# From the logs beside the cubins: newer ptxas gives `calls` one register more, 21 for 20; all else is equal.
@pytest.mark.parametrize(
    ("old", "new", "arch"), [("11.8_80_0", "13.0_80_0", "sm_80"), ("12.4_86_0", "13.5_86_0", "sm_86")]
)
def test_two_toolkits(samples: Path, old: str, new: str, arch: str) -> None:
    folder = samples / "cubins"
    report = diff_json(folder / f"{old}.cubin", folder / f"{new}.cubin")
    (row,) = report["kernels"]
    assert (row["old"]["name"], row["new"]["arch"], row["verdict"]) == ("_Z5callsPfi", arch, "other")
    assert row["change"] == {
        "occupancy": 0.0, "spill_bytes": 0, "stack_bytes": 0, "spill_smem": 0, "regs": 1,
        "smem": 0, "barriers": 0,
    }  # fmt: skip
    assert (report["summary"]["same"], report["added"], report["removed"]) == (13, [], [])


def test_toolkits_that_agree(samples: Path) -> None:
    folder = samples / "cubins"
    report = diff_json(folder / "11.8_90_0.cubin", folder / "13.0_90_0.cubin")
    assert report["added"] == report["removed"] == []
    assert report["summary"]["same"] == 15
    (row,) = report["kernels"]  # in all but what one spills: 472 + 504 bytes, then 504 + 504
    assert {name: change for name, change in row["change"].items() if change} == {"spill_bytes": 32}
    assert row["new"]["name"] == "_Z5mxr40Pfi"
    variant = diff_json(folder / "12.9_90_0.cubin", folder / "12.9_90a_0.cubin")
    assert variant["summary"]["same"] == 16


def test_other_architectures_have_nothing_in_common(samples: Path) -> None:
    folder = samples / "cubins"
    text = diff(folder / "13.0_80_0.cubin", folder / "13.0_90_0.cubin", columns=200)
    assert "Nothing could be compared: no kernel is in both builds: 16 added and 14 removed." in text
    assert "13.0_80_0.cubin: kernels for sm_80." in text
    assert "13.0_90_0.cubin: kernels for sm_90." in text


def test_a_build_and_its_baseline(builds: Path, tmp_path: Path) -> None:
    for build in ("before", "after"):
        assert (
            run("scan", str(builds / build), "--save-baseline", str(tmp_path / f"{build}.json")).exit_code
            == 0
        )
    of_builds = diff_json(builds / "before", builds / "after")
    of_baselines = diff_json(tmp_path / "before.json", tmp_path / "after.json")
    mixed = diff_json(tmp_path / "before.json", builds / "after")
    assert of_builds["summary"] == of_baselines["summary"] == mixed["summary"]
    for old in (builds / "before", tmp_path / "before.json"):
        assert diff_json(old, tmp_path / "before.json")["summary"]["same"] == 14


def test_the_way_back(builds: Path) -> None:
    there = diff_json(builds / "before", builds / "after")["summary"]
    back = diff_json(builds / "after", builds / "before")["summary"]
    assert (back["better"], back["worse"], back["mixed"]) == (there["worse"], 0, there["mixed"])
    assert (back["added"], back["removed"]) == (there["removed"], there["added"])


@pytest.mark.parametrize(("threshold", "changed"), [(0, 4), (50, 4), (88, 4), (89, 2), (100, 0)])
def test_threshold(builds: Path, threshold: float, changed: int) -> None:
    # blur loses 25 and 50 points, and 88.9% of its shared memory are new; so is all of warp_image's stack.
    report = diff_json(builds / "before", builds / "after", "--threshold", threshold)
    assert len(report["kernels"]) == changed


def test_block_sizes_that_are_given(builds: Path, tmp_path: Path) -> None:
    report = diff_json(builds / "before", builds / "after", "--threads", "128", "--all")
    assert {row["new"]["threads"] for row in report["kernels"]} == {128}
    # A baseline says what it assumed, and the other build is taken in the same way.
    occupancy.save_baseline(builds / "before", tmp_path / "base.json", threads=512)
    report = diff_json(tmp_path / "base.json", builds / "before", "--all")
    sizes = {row["new"]["threads"] for row in report["kernels"] if (row["new"]["max_threads"] or 512) >= 512}
    assert sizes == {512}, "with which the others do not launch"
    assert report["summary"]["same"] == 14
    occupancy.save_baseline(builds / "after", tmp_path / "other.json", threads=256)
    refused = run("diff", str(tmp_path / "base.json"), str(tmp_path / "other.json"))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "the baselines assume 256 and 512" in refused.stderr
    assert diff_json(tmp_path / "base.json", tmp_path / "other.json", "--threads", "256")


def test_sizes_of_some_kernels(builds: Path) -> None:
    report = diff_json(builds / "before", builds / "after", "-t", "blur=256", "-t", "*warp_*=128")
    # Names are as the compiler writes them where no demangler is.
    sizes = {(row["new"]["name"], row["new"]["threads"]) for row in report["kernels"]}
    assert [{size for name, size in sizes if part in name} for part in ("blur", "warp_image")] == [
        {256},
        {128},
    ]
    report = diff_json(builds / "before", builds / "after", "-t", "64", "-t", "blur=256", "--all")
    assert {row["new"]["threads"] for row in report["kernels"]} == {64, 256}
    for arguments, said in (
        (("-t", "blurr=256"), "--threads: no kernel of before and after is called blurr. Allowed: "),
        (("-t", "64", "-t", "128"), "is given twice for all kernels"),
        (("-t", "blur=many"), "many"),
    ):
        done = run("diff", str(builds / "before"), str(builds / "after"), *arguments)
        assert done.exit_code == 2
        assert said in done.stderr.replace(f"{builds}/", "")
    same = occupancy.diff(builds / "before", builds / "after", threads={"blur": 256})
    assert same.kernels[0].new.threads == 256


def test_filters_and_what_if(builds: Path) -> None:
    report = diff_json(builds / "before", builds / "after", "--arch", "8.0", "--name", "blur", "--cc", "8.6")
    (row,) = report["kernels"]
    # 8.6: 48 warps, 16 blocks, 100 KiB; 2 blocks of 37 KiB, of 3 warps each.
    assert row["deciding"] == {"threads": 96, "threads_from": "deciding", "old": 1.0, "new": 0.125}
    assert (row["new"]["occupancy"], row["new"]["what_if"], row["new"]["cc"]) == (2 * 8 / 48, True, "8.6")


def test_the_code_that_the_chip_runs_is_named_for_both_builds(tmp_path: Path) -> None:
    """Also where it runs all of one of them."""
    line = "ptxas info : Compiling entry function 'k' for 'sm_{}'\nptxas info : Used 8 registers\n"
    (tmp_path / "old.log").write_text(line.format(80))
    (tmp_path / "new.log").write_text(line.format(80) + line.format(86))
    text = run("diff", str(tmp_path / "old.log"), str(tmp_path / "new.log"), "--cc", "8.9").stdout
    assert "Of each kernel only the code that 8.9 runs (sm_80 and sm_86)" in " ".join(text.split())


def test_for_a_chip_the_code_that_it_runs_is_compared(builds: Path, tmp_path: Path) -> None:
    before, after = builds / "before", builds / "after"
    text = diff(before, after, "--gpu", "H100")
    assert "6 kernels in both builds" in text
    assert "sm_80" not in text
    assert "Of each kernel only the code that 9.0 runs (sm_90); --arch all shows all." in text
    found = diff_json(before, after, "--gpu", "H100")
    assert found["runs_on"] == {"cc": "9.0", "archs": ["sm_90"], "left_out": 14}
    assert "12 kernels in both builds" in diff(before, after, "--gpu", "H100", "--arch", "all")
    assert diff_json(before, after)["runs_on"] is None
    alone = tmp_path / "filters.sm_80.cubin"
    alone.write_bytes((after / "filters.sm_80.cubin").read_bytes())
    text = diff(before, alone, "--gpu", "H100")
    assert "6 kernels in both builds" in text, "what the chip runs now is of another architecture"
    assert "sm_90 -> sm_80 on 9.0" in text
    assert "--ignore-arch" not in text


def test_csv_has_a_row_for_each_kernel_of_either_build(builds: Path) -> None:
    rows = list(
        csv.DictReader(io.StringIO(diff(builds / "before", builds / "after", "--all", "--format", "csv")))
    )
    assert len(rows) == 16
    assert rows[0]["verdict"] == "worse"
    assert (rows[0]["old_occupancy"], rows[0]["new_occupancy"]) == ("1.0", "0.5")
    decides = [
        rows[0][f"{side}deciding_{what}"]
        for side, what in (("", "threads"), ("old_", "occupancy"), ("new_", "occupancy"))
    ]
    assert decides == ["64", "1.0", "0.125"]
    assert [row["new_name"] for row in rows if row["verdict"] == "removed"] == ["", ""]
    assert [row["old_name"] for row in rows if row["verdict"] == "added"] == ["", ""]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_screen_fits(builds: Path, columns: int) -> None:
    text = diff(builds / "before", builds / "after", columns=columns)
    assert max(map(len, text.splitlines())) <= columns
    assert "worst at 64 threads (100% -> 12.5%)," in " ".join(text.split())


def test_the_screen_puts_the_worst_first_and_counts(builds: Path) -> None:
    lines = diff(builds / "before", builds / "after", columns=120).splitlines()
    assert "blur" in lines[1]
    # Its launch bound is what a kernel is mostly launched with; the worst size begins what else is said.
    assert lines[2].split()[:7] == ["worse", "sm_80", "100%", "->", "50%", "256", "bound"]
    assert "  worst at 64 threads (100% -> 12.5%), " in lines[2]
    assert (
        "12 kernels in both builds: 2 worse (1 name), 2 mixed (1 name) and 8 the same; 2 added and 2 removed."
        in lines
    )
    assert not any("scale" in line for line in lines)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_all_that_changed_is_said_at_every_width(columns: int) -> None:
    text = diff(BUILDS / "before", BUILDS / "after", columns=columns)
    head, *lines = text.splitlines()
    assert head.split()[:4] == ["Verdict", "Arch", "Occ.", "Threads"]
    assert lines[1].split()[:6] == ["worse", "sm_80", "100%", "->", "50%", "256"]
    said = " ".join(text.split())
    assert "worst at 64 threads (100% -> 12.5%)" in said
    assert "limited by warps -> shared, regs 23 -> 22, shared 4 -> 36 KiB" in said
    assert "regs 96 -> 40, spills 0 -> 420 / 420 B, stack 0 -> 312 B" in said
    assert "Spills: bytes that a thread stores / loads in local memory." in said
    assert "mixed: better in one thing and worse in another" in said
    assert "No room" not in said


@pytest.mark.parametrize(
    ("spilled", "smem", "is_said"), [(4, 4096, True), (0, 4096, False), (4, 0, False)], ids=repr
)
def test_logs_that_hide_where_registers_spill_to(
    tmp_path: Path, spilled: int, smem: int, is_said: bool
) -> None:
    for name, stored, size in (("old", 2 * spilled, 0), ("new", spilled, smem)):
        (tmp_path / name).write_text(
            "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
            "ptxas info    : Function properties for k\n"
            f"    8 bytes stack frame, {stored} bytes spill stores, 0 bytes spill loads\n"
            f"ptxas info    : Used 32 registers, used 0 barriers, {size} bytes smem\n"
        )
    said = "Logs tell neither launch bounds, nor what spills to shared memory, nor"
    assert (said in diff(tmp_path / "old", tmp_path / "new")) == is_said
    assert said in run("scan", str(tmp_path / "new")).stdout  # no log has the launch bounds


def log_of(path: Path, registers: int, *, bound: int | None = None) -> Path:
    """A log of one kernel; or, with a launch bound, its PTX beside it."""
    path.mkdir()
    (path / "log").write_text(
        f"Compiling entry function 'k' for 'sm_90'\nptxas info : Used {registers} registers\n"
    )
    if bound is not None:
        ptx = f".version 8.0\n.target sm_90\n.entry k()\n.maxntid {bound}, 1, 1\n{{\n}}\n"
        (path / "k.ptx").write_text(ptx)
    return path


def test_a_usual_size_is_shown_and_an_odd_one_decides(tmp_path: Path) -> None:
    """32 -> 56 registers: 672 threads drop the most, and nobody launches with those."""
    old, new = log_of(tmp_path / "old", 32), log_of(tmp_path / "new", 56)
    (row,) = diff_json(old, new)["kernels"]
    assert (row["new"]["threads"], row["new"]["threads_from"]) == (256, "usual")
    assert (row["old"]["occupancy"], row["new"]["occupancy"], row["change"]["occupancy"]) == (1.0, 0.5, -0.5)
    assert row["deciding"] == {
        "threads": 672, "threads_from": "deciding", "old": 0.984375, "new": 0.328125,
    }  # fmt: skip
    text = diff(old, new, columns=120)
    assert "worse    sm_90  100% -> 50%  256 usual  worst at 672 threads (98.4% -> 32.8%), limited by" in text
    assert "usual, 256, or the nearest that both builds launch with." in " ".join(text.split())
    (row,) = diff_json(old, new, "--threads", "256")["kernels"]
    assert row["deciding"] is None
    (rise,) = diff_json(new, old)["kernels"]
    assert (rise["verdict"], rise["old"]["threads"], rise["deciding"]) == ("better", 256, None)


def test_the_usual_size_is_the_nearest_that_both_builds_launch_with(tmp_path: Path) -> None:
    """A block of 6.2 has 32,768 registers at most: with 200 for each thread 128 threads."""
    old, new = log_of(tmp_path / "old", 32, bound=192), log_of(tmp_path / "new", 56)
    (row,) = diff_json(old, new)["kernels"]
    assert [(row[side]["threads"], row[side]["threads_from"]) for side in ("old", "new")] == [
        (192, "launch_bounds"),
        (192, "launch_bounds"),
    ]
    large = log_of(tmp_path / "large", 200)
    for one, other in ((large, new), (new, large)):
        (row,) = diff_json(one, other, "--cc", "6.2")["kernels"]
        assert (row["new"]["threads"], row["new"]["threads_from"]) == (128, "usual")


@pytest.mark.parametrize("bound", [1, 31, 33, 100, 1024])
def test_bounds_that_are_no_usual_size(tmp_path: Path, bound: int) -> None:
    """One thread is one warp; 1,024 threads of 96 registers are more than an SM has."""
    old, new = log_of(tmp_path / "old", 32, bound=bound), log_of(tmp_path / "new", 96, bound=bound)
    (row,) = diff_json(old, new)["kernels"]
    assert (row["new"]["threads"], row["new"]["launchable"]) == (bound if bound < 1024 else 256, True)
    assert (row["new"]["threads_from"] == "launch_bounds") == (bound < 1024)
    occupancy.save_baseline(old, tmp_path / "old.json")
    (tmp_path / "rules").write_text("[[rules]]\nmax_occupancy_drop = 0\nmax_regs = 64\n")
    done = run(
        "check", str(new), "--rules", str(tmp_path / "rules"), "--baseline", str(tmp_path / "old.json")
    )
    assert done.exit_code == 1


def test_what_wins_at_another_size_alone_says_where(tmp_path: Path) -> None:
    """64 -> 56 registers: 32 and 36 warps, 4 blocks of 8 both times; of 18 warps 1, and then 2."""
    old, new = log_of(tmp_path / "old", 64), log_of(tmp_path / "new", 56)
    (row,) = diff_json(old, new)["kernels"]
    assert (row["verdict"], row["change"]["occupancy"]) == ("better", 0)
    assert row["deciding"] == {"threads": 576, "threads_from": "deciding", "old": 0.28125, "new": 0.5625}
    assert "50%   256 usual  better at 576 threads (28.1% -> 56.3%), regs 64 -> 56" in diff(
        old, new, columns=120
    )


def test_a_given_size_that_it_cannot_launch_with_hides_nothing(tmp_path: Path) -> None:
    old, new = log_of(tmp_path / "old", 32, bound=128), log_of(tmp_path / "new", 56, bound=128)
    for size in ("128", "256"):
        text = " ".join(diff(old, new, "--threads", size, columns=120).split())
        assert "1 kernel in both builds: 1 worse." in text
    assert (
        "k: It does not launch with 256 threads, so it is compared at every size that both builds "
        "launch with; the worst drop decides." in text
    )
    assert "does not launch with 256 threads, " in text.partition("1 kernel in both")[0], "in its row"
    assert "Threads are assumed" not in text
    assert "For blocks of 256" not in text
    for size in ("256", "k=256"):
        (row,) = diff_json(old, new, "--threads", size)["kernels"]
        assert (row["new"]["threads"], row["new"]["threads_from"]) == (128, "launch_bounds")
        assert 0 < row["new"]["occupancy"] < row["old"]["occupancy"]
    # A size in the rules that the kernel cannot have hides nothing either.
    occupancy.save_baseline(old, tmp_path / "old.json")
    rules = "[[launches]]\nkernels = 'k'\nthreads = 256\n[[rules]]\nmax_occupancy_drop = 0\n"
    (tmp_path / "rules").write_text(rules)
    done = run(
        "check", str(new), "--rules", str(tmp_path / "rules"), "--baseline", str(tmp_path / "old.json")
    )
    assert done.exit_code == 1
    assert "100% -> 56.3% at 128 threads (bound)" in done.stdout
    assert "k: It does not launch with 256 threads, so it is compared" in " ".join(done.stdout.split())


def test_rows_say_the_size_that_was_given_and_what_tells_them_apart(samples: Path, tmp_path: Path) -> None:
    for build in ("old", "new"):
        (tmp_path / build).mkdir()
        for file, toolkit in (("a.cubin", "11.8"), ("b.cubin", "13.0")):
            shutil.copy(samples / "cubins" / f"{toolkit}_80_0.cubin", tmp_path / build / file)
    text = diff(
        tmp_path / "old", tmp_path / "new", "--threads", "256", "--all", "--name", "calls", columns=120
    )
    rows = [line for line in text.splitlines() if " sm_80 " in line]
    assert [re.findall(r" 256 .*in ([ab]\.cubin)", row) for row in rows] == [["a.cubin"], ["b.cubin"]]


def test_where_spills_begin_stands_before_what_spills_less_for_less_occupancy(tmp_path: Path) -> None:
    for build, spilled in (("old", (0, 400)), ("new", (340, 0))):
        lines = [
            f"Compiling entry function '{name}' for 'sm_90'\n"
            f"ptxas info : Function properties for {name}\n"
            f"    {spills} bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n"
            f"ptxas info : Used {32 if spills else 128} registers"
            for name, spills in zip(("begins", "ends"), spilled, strict=True)
        ]
        (tmp_path / build).write_text("\n".join(lines))
    rows = diff_json(tmp_path / "old", tmp_path / "new", "--threads", "256")["kernels"]
    assert [(row["new"]["name"], row["verdict"]) for row in rows] == [("begins", "mixed"), ("ends", "mixed")]


def test_what_costs_neither_occupancy_nor_spills_is_changed_and_not_worse(tmp_path: Path) -> None:
    """The log says that nothing spills: a stack that grows holds arrays."""
    for build, stack, barriers, registers in (("old", 64, 1, 20), ("new", 256, 6, 24)):
        spills = "    {} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        needs = {"bar": (8, 0, barriers), "regs": (registers, 0, 1), "stack": (8, stack, 1)}
        lines = [
            f"Compiling entry function '{name}' for 'sm_90'\nptxas info : Function properties for {name}\n"
            f"{spills.format(stack_bytes)}ptxas info : Used {regs} registers, used {used} barriers"
            for name, (regs, stack_bytes, used) in needs.items()
        ]
        (tmp_path / build).write_text("\n".join(lines))
    both = (tmp_path / "old", tmp_path / "new"), (tmp_path / "new", tmp_path / "old")
    for one, other in both:
        rows = diff_json(one, other, "--threads", "256")["kernels"]
        assert {row["new"]["name"]: row["verdict"] for row in rows} == dict.fromkeys(needs, "other")


def test_a_size_that_is_given_for_one_kernel_is_said_of_that_one(builds: Path) -> None:
    text = " ".join(diff(builds / "before", builds / "after", "--threads", "warp_image=256").split())
    assert re.search(r"For blocks of 256 threads: \S*warp_image\S*\.", text)
    assert "Threads are assumed where no file has them: bound, the most that the launch bounds allow." in text


def test_what_begins_to_spill_stands_before_what_only_has_a_larger_stack(tmp_path: Path) -> None:
    for name, stack, spilled in (("old", 0, 0), ("new", 64, 40)):
        log = "\n".join(
            f"Compiling entry function '{kernel}' for 'sm_90'\n"
            f"ptxas info : Function properties for {kernel}\n"
            f"    {most} bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n"
            f"ptxas info : Used {regs} registers"
            for kernel, most, spills, regs in (
                ("arrays", 9 * stack, 0, 32),
                ("spiller", stack, spilled, 32 if spilled else 128),
            )
        )
        (tmp_path / name).write_text(log)
    rows = diff_json(tmp_path / "old", tmp_path / "new")["kernels"]
    assert [(row["new"]["name"], row["verdict"]) for row in rows] == [
        ("spiller", "mixed"),
        ("arrays", "other"),
    ]


def test_kernels_of_one_build_stand_by_kernel_and_the_rest_is_counted(builds: Path) -> None:
    text = diff(builds / "before", builds / "after", columns=100)
    added = text.partition("Added\n")[2].partition("Removed")[0]
    names = [line for line in added.splitlines()[1:] if line and not line.startswith(" ")]
    assert len(names) == len(set(names)) > 0
    assert "--all lists the 8 that are the same." in text
    joined = " ".join(text.split())
    renamed = "4 kernels have other names than before: matched by the part that both share, or by the code."
    assert f"{renamed} --all shows both names." in joined
    every = " ".join(diff(builds / "before", builds / "after", "--all").split())
    assert renamed in every
    # Without a demangler the names are _ZN3img9histogramILi64EEEvPfi and _ZN3img9histogramILi64ELb1EEEvPfi.
    assert re.search(r"histogram\S*64\S+ -> \S*histogram\S*64\S+( true>)?", every)
    assert "--all lists" not in every
    assert "--all shows" not in every
    shown = occupancy.diff(builds / "before", builds / "after")._repr_html_()
    assert "with_same=True shows both names." in shown


def test_rows_of_a_kernel_stand_together(builds: Path) -> None:
    rows = diff_json(builds / "before", builds / "after", "--all")["kernels"]
    names = [row["new"]["name"] for row in rows]
    assert len(list(itertools.groupby(names))) == len(set(names)) < len(names)


@pytest.mark.parametrize(("name", "kinds"), [("sharpen", "2 added"), ("emboss", "2 removed")])
def test_a_kernel_that_only_one_build_has_can_be_asked_for(builds: Path, name: str, kinds: str) -> None:
    arguments = ("diff", str(builds / "before"), str(builds / "after"))
    done = run(*arguments, "--name", name)
    assert (done.exit_code, done.stderr) == (0, "")
    assert name in done.stdout
    assert done.stdout.endswith(f"Nothing could be compared: no kernel is in both builds: {kinds}.\n")
    done = run(*arguments, "--threads", f"{name}=128")
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_kernel_is_compared_with_what_it_was_by_whichever_name_it_is_asked_for(tmp_path: Path) -> None:
    line = "ptxas info : Compiling entry function '{}' for 'sm_{}'\nptxas info : Used {} registers\n"
    old, new = tmp_path / "old.log", tmp_path / "new.log"
    old.write_text(line.format("a::blur", "90", 40) + line.format("a::scale", "90", 8))
    new.write_text(line.format("b::blur", "90a", 50) + line.format("a::scale", "90", 8))
    for asked in (
        *(["--name", name] for name in ("a::blur", "b::blur", "blur")),
        ["--arch", "sm_90a"],
        ["--arch", "sm_90a", "--name", "b::"],
    ):
        found = diff_json(old, new, *asked)
        ((was, now),) = ((row["old"], row["new"]) for row in found["kernels"])
        assert (was["name"], was["regs"], now["name"], now["regs"]) == ("a::blur", 40, "b::blur", 50)
        assert (found["added"], found["removed"], found["summary"]["same"]) == ([], [], 0)
    # Of another architecture only where that is asked for.
    new.write_text(line.format("b::blur", "100", 50))
    asked = ["--arch", "sm_100"]
    assert diff_json(old, new, *asked)["kernels"] == []
    ((was, now),) = (
        (row["old"], row["new"]) for row in diff_json(old, new, *asked, "--ignore-arch")["kernels"]
    )
    assert (was["arch"], now["arch"]) == ("sm_90", "sm_100")


@pytest.mark.parametrize("side", ["old", "new"])
@pytest.mark.parametrize("paths", [[], (), None, 5, [5]])
def test_what_is_no_build_is_refused(builds: Path, side: str, paths: Any) -> None:
    sides: dict[str, Any] = {"old": builds / "before", "new": builds / "after", side: paths}
    with pytest.raises(InputError, match=rf"^{side}: got .*\. Allowed: a path, or a list of paths"):
        occupancy.diff(**sides)


def test_a_name_that_no_kernel_has(builds: Path) -> None:
    done = run("diff", str(builds / "before"), str(builds / "after"), "--name", "blurr")
    assert done.exit_code == 2
    assert "no kernel of 28 has 'blurr' in its name; there are blur" in " ".join(done.stderr.split())
    done = run("scan", str(builds / "before"), "--name", "blurr")
    assert done.stderr.startswith("Warning: no kernel of 14 has 'blurr' in its name; there are blur.")


def test_markdown_folds_what_is_long(samples: Path, builds: Path) -> None:
    text = diff(builds / "before", builds / "after", "--all", "--format", "markdown")
    assert text.startswith(
        "**12 kernels in both builds: 2 worse (1 name), 2 mixed (1 name) and 8 the same; 2 added and 2 "
        "removed.**"
    )
    in_sight = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert "blur" in in_sight
    assert "sharpen" not in in_sight
    assert text.count("<details>") == text.count("</details>") == 3
    folder = samples / "cubins"
    many = diff(
        folder / "13.0_90_0.cubin",
        folder / "13.0_90_0.cubin",
        "--threads",
        "33",
        "--all",
        "--format",
        "markdown",
    )
    assert "<summary>The same: 16</summary>" in many


def test_markdown_fits_into_a_comment(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    for build, registers in (("old", 32), ("new", 64)):
        names = (f"_Z{len(f'kernel{i:04}_{600 * chr(120)}')}kernel{i:04}_{600 * 'x'}Pf" for i in range(500))
        log.with_name(f"{build}.log").write_text(
            "".join(
                f"ptxas info    : Compiling entry function '{name}' for 'sm_90'\n"
                f"ptxas info    : Used {registers} registers, used 0 barriers\n"
                for name in names
            )
        )
    text = diff(tmp_path / "old.log", tmp_path / "new.log", "--format", "markdown")
    assert 50_000 < len(text) < 65_536
    assert "More changes: 490" in text
    assert re.search(r"\d+ more are too many for a comment", text)


def test_markdown_leaves_names_alone(tmp_path: Path) -> None:
    for build in ("old", "new"):
        (tmp_path / f"{build}.log").write_text(
            f"ptxas info    : Compiling entry function '{build}|<img src=x>`*_' for 'sm_90'\n"
            "ptxas info    : Used 8 registers, used 0 barriers\n"
        )
    text = diff(tmp_path / "old.log", tmp_path / "new.log", "--format", "markdown")
    assert "| `new\\|<img src=x>'*_` |" in text


def test_standard_input_and_pipes(builds: Path, tmp_path: Path) -> None:
    occupancy.save_baseline(builds / "before", tmp_path / "base.json")
    for content in ((tmp_path / "base.json").read_bytes(), (builds / "before.log").read_bytes()):
        done = run("diff", "-", str(builds / "before"), "--format", "json", stdin=content)
        assert json.loads(done.stdout)["summary"]["removed"] == 0


def test_what_cannot_be_read(builds: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "base.json"
    occupancy.save_baseline(builds / "before", damaged)
    damaged.write_bytes(damaged.read_bytes()[:-100])
    later = tmp_path / "later.json"
    later.write_text('{"schema": "occupancy-baseline", "schema_version": 99, "tool_version": "9.9"}')
    foreign = tmp_path / "foreign.json"
    foreign.write_text('{"totals": {"lines": 12}}')
    for path, message in (
        (damaged, "is not JSON"),
        (later, "is a baseline of version 99, written by occupancy '9.9'"),
        (foreign, "JSON, but neither"),
        (tmp_path / "absent", "No such file"),
        (tmp_path, "foreign.json"),
    ):
        if path == tmp_path:
            continue
        for arguments in ((path, builds / "after"), (builds / "before", path)):
            done = run("diff", *map(str, arguments))
            assert (done.exit_code, done.stdout) == (2, "")
            assert message in done.stderr
            assert str(path) in done.stderr


def test_a_part_that_cannot_be_read_is_said_and_the_rest_compared(builds: Path, tmp_path: Path) -> None:
    cubin = (builds / "after" / "filters.sm_90.cubin").read_bytes()
    (tmp_path / "good.cubin").write_bytes(cubin)
    (tmp_path / "torn.cubin").write_bytes(cubin[:5000])
    done = run("diff", str(builds / "before"), str(tmp_path), "--arch", "sm_90")
    assert done.exit_code == 1
    assert "torn.cubin" in done.stderr
    assert "6 kernels in both builds" in done.stdout


@pytest.mark.parametrize("threshold", ["-1", "101", "nan", "x"])
def test_thresholds_that_are_none(builds: Path, threshold: str) -> None:
    assert run("diff", str(builds), str(builds), "--threshold", threshold).exit_code == 2


def test_the_same_in_python(builds: Path) -> None:
    report = occupancy.diff(builds / "before", [builds / "after"], archs=["sm_80"])
    assert [row.new.name for row in report.kernels] == ["_ZN3img4blurEPf", "_ZN3img10warp_imageEPfi"]
    assert report.kernels[0].change.occupancy == -0.5
    worst = report.kernels[0].deciding
    assert worst is not None
    assert worst.new - worst.old == -0.875


def test_an_old_copy_beside_a_kernel_is_told(builds: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, versions in ((old, ["before"]), (new, ["before", "after"])):
        folder.mkdir()
        for version in versions:
            content = (builds / version / "filters.sm_80.cubin").read_bytes()
            (folder / f"{version}.cubin").write_bytes(content)
    for asked in ((old, new), (new, old)):
        text = " ".join(run("diff", *map(str, asked), columns=400).stdout.split())
        assert "More often in one build than in the other: " in text
        assert "blur" in text.partition("than in the other: ")[2].partition(". Those most alike")[0]
    report = json.loads(run("diff", str(old), str(new), "--format", "json").stdout)
    assert any("blur" in row["name"] for row in report["namesakes"])
    assert not json.loads(run("diff", str(old), str(old), "--format", "json").stdout)["namesakes"]


def test_an_architecture_whose_kernels_are_the_same_is_in_both_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a long path would be broken between lines
    kernels = [("scale", "sm_80", 40), ("scale", "sm_90", 40)]
    old, new = [*kernels, ("emboss", "sm_80", 30)], [*kernels, ("sharpen", "sm_90", 99)]
    for name, build in (("old.log", old), ("new.log", new), ("other.log", new[1:])):
        entry = "Compiling entry function '{}' for '{}'\nptxas info : Used {} registers\n"
        Path(name).write_text("".join(entry.format(*each) for each in build))
    assert "--ignore-arch" not in diff(Path("old.log"), Path("new.log"))
    text = " ".join(diff(Path("old.log"), Path("other.log")).split())
    assert "old.log: kernels for sm_80. --ignore-arch compares them." in text
    assert "kernels for sm_90" not in text
    found = json.loads(diff(Path("old.log"), Path("other.log"), "--format", "json"))
    assert (found["old_archs"], found["new_archs"]) == (["sm_80", "sm_90"], ["sm_90"])
