"""``occupancy diff`` of two real builds."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from occupancy.compare.diff import Change, Fix
from occupancy.readers import KernelRecord
from occupancy.report.changes import OnArch, change_facts
from tests.cli_runner import as_csv, as_json, run

diff = partial(as_json, "diff")


def test_a_build_and_its_baseline(builds: Path, tmp_path: Path) -> None:
    for build in ("before", "after"):
        done = run("scan", str(builds / build), "--save-baseline", str(tmp_path / f"{build}.json"))
        assert done.exit_code == 0
    summary = diff(builds / "before", builds / "after")["summary"]
    assert diff(tmp_path / "before.json", tmp_path / "after.json")["summary"] == summary
    assert diff(tmp_path / "before.json", builds / "after")["summary"] == summary
    assert diff(builds / "before", tmp_path / "before.json")["summary"]["same"] == 14
    back = diff(builds / "after", builds / "before")["summary"]
    assert (back["better"], back["worse"], back["mixed"], back["added"]) == (2, 0, 2, 2)
    assert diff("-", builds / "after", stdin=(tmp_path / "before.json").read_bytes())["summary"] == summary


def test_files_or_launches_are_named_only_if_they_differ() -> None:
    a = KernelRecord(source="wheel/a.so", format="cubin", name="k", arch="sm_90", smem=64)
    b, c = (replace(a, source=name) for name in ("b.so", "wheel/c.so"))
    one, two = (OnArch(record, ["50%"], (), Fix({}, "")) for record in (a, b))
    other = one._replace(record=c, values=["25%"])
    assert change_facts([one, two]) == [("sm_90", "50%")]
    assert change_facts([one, two, other]) == [("sm_90 a.so/b.so", "50%"), ("sm_90 c.so", "25%")]
    for smem, label in {0: "sm_90 64 bytes shared", 64: "sm_90"}.items():
        assert change_facts([one, other._replace(record=replace(a, smem=smem))])[0] == (label, "50%")
    both = [one._replace(causes=[Change("regs", 32, regs)]) for regs in (39, 40)]
    assert change_facts(both) == [("sm_90", "50%"), ("cause", "registers 32 -> 39 and 32 -> 40")]


def test_threshold(builds: Path) -> None:
    # blur loses 25 and 50 points, and 88.9% of its shared memory is new, like the whole stack of warp_image.
    for threshold, changed in {0: 4, "50%": 4, 88: 4, 89: 2, 100: 0}.items():
        summary = diff(builds / "before", builds / "after", "--threshold", threshold)["summary"]
        assert sum(summary[name] for name in ("worse", "mixed", "changed", "better")) == changed


def test_formats(builds: Path, tmp_path: Path) -> None:
    old, new = str(builds / "before"), str(builds / "after")
    rows = diff(old, new)["kernels"]
    table = as_csv("diff", old, new)
    assert [(row["verdict"], row["name"]) for row in table] == [(row["verdict"], row["name"]) for row in rows]
    changed = table[1]["causes"], table[1]["other_changes"]
    assert changed == ("shared memory 4 -> 36 KiB", "registers 23 -> 22")
    assert run("diff", old, old, "--format", "csv").stdout.count("\n") == 1, "a header"
    assert run("diff", old, old).stdout == "14 kernels, all the same\n"
    assert run("diff", old, new, "-o", str(tmp_path / "x.html")).exit_code == 0
