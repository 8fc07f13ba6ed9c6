"""Realistic builds: objects, libraries, a program and a log, for two architectures and two versions.

The source is in ``tests/data/builds/cmake``. ``-DAFTER`` injects a regression into each kernel.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import occupancy
from occupancy.builds.names import base_name
from tests.samples import unpack_cmake

ARCHS = ("sm_80", "sm_90")
# Kernel -> changes that images and logs show.
REGRESSIONS = {
    "img::registers": "regs", "img::shared_memory": "smem", "img::spills": "stack_bytes",
    "img::bounds": "regs", "img::barriers": "barriers", "img::stack": "stack_bytes",
    "img::smem_spills": "smem",
}  # fmt: skip
# Regressed kernel -> criteria that detect it.
GUARDED = {
    "registers": ("max_regs_growth = 0", "max_occupancy_drop = 0"),
    "shared_memory": ("max_smem_growth = 0", "max_occupancy_drop = 0"),
    "spills": ("max_stack_growth = 0", "no_new_spills = true"),
    "bounds": ("max_regs_growth = 0", "max_occupancy_drop = 0"), "barriers": ("max_barriers = 2",),
    "stack": ("max_stack_growth = 0",), "smem_spills": ("max_smem_growth = 0", "no_new_smem_spills = true"),
}  # fmt: skip
NOT_IN_LOGS = "no_new_smem_spills = true"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_cmake(tmp_path_factory.mktemp("cmake"))


@pytest.fixture(scope="module")
def build_from(folders: Path) -> Callable[[str, str], list[Path]]:
    def paths(version: str, kind: str) -> list[Path]:
        build = folders / version
        log, images = build / "build.log", [build / n for n in ("CMakeFiles", "app", "libimg.so", "libimg.a")]
        if kind == "baseline":
            file = folders / f"{version}.json"
            if not file.exists():
                occupancy.save_baseline(build, file)
            return [file]
        return {"images": images, "log": [log], "both": [build], "one object": [images[0], log]}[kind]

    return paths


KINDS = ("images", "log", "both", "baseline", "one object")


@pytest.mark.parametrize("new", KINDS)
@pytest.mark.parametrize("old", KINDS)
def test_no_difference_from_itself(build_from: Callable[[str, str], list[Path]], old: str, new: str) -> None:
    report = occupancy.diff(build_from("before", old), build_from("before", new))
    assert (report.kernels, report.added, report.removed) == ((), (), ())
    # On sm_90 the two kernels `zero` have the same resources, so their lines of a log are merged.
    assert report.summary["same"] == (27 if old == new == "log" else 28)


@pytest.mark.parametrize("new", KINDS)
@pytest.mark.parametrize("old", ["images", "log", "baseline"])
def test_every_regression_is_found(build_from: Callable[[str, str], list[Path]], old: str, new: str) -> None:
    report = occupancy.diff(build_from("before", old), build_from("after", new))
    rows = [row for row in report.kernels if row.verdict != "renamed"]
    found = {(base_name(row.new.name), row.new.arch): {each.name for each in row.changes} for row in rows}
    for arch in ARCHS:
        assert {name for name, of in found if of == arch} == set(REGRESSIONS)
        for name, measure in REGRESSIONS.items():
            assert measure in found[name, arch], name
    apart = {"added": report.added, "removed": report.removed}
    # Logs have no code, which identifies moved kernels and kernels with other template arguments.
    is_log = "log" in (old, new)
    assert {kind: sorted({base_name(row.name) for row in rows}) for kind, rows in apart.items()} == {
        "added": ["img::histogram", "img::sharpen", *(["photo::moved"] if is_log else [])],
        "removed": ["img::emboss", *(["img::histogram", "img::moved"] if is_log else [])],
    }


@pytest.mark.parametrize("kind", KINDS[:4])
def test_check_catches_them(build_from: Callable[[str, str], list[Path]], tmp_path: Path, kind: str) -> None:
    rules, expected = ["allow_removed = true"], set()
    for kernel, criteria in GUARDED.items():
        known = [each for each in criteria if (each, kind) != (NOT_IN_LOGS, "log")]
        rules.append("\n".join(["[[rules]]", f'kernels = "img::{kernel}"', *known]))
        expected |= {(f"img::{kernel}", arch, each.split()[0]) for each in known for arch in ARCHS}
    file, baseline = tmp_path / "rules.toml", tmp_path / "baseline.json"
    file.write_text("\n".join(rules))
    occupancy.save_baseline(build_from("before", kind), baseline)
    assert occupancy.check(build_from("before", kind), file, baseline=baseline).passed
    report = occupancy.check(build_from("after", kind), file, baseline=baseline)
    assert not report, "a bare assert fails"
    broken = [(each.kernel, one.criterion) for each in report.broken for one in each.violations]
    assert {(base_name(kernel.name), kernel.arch, criterion) for kernel, criterion in broken} == expected
    if kind == "log":
        file.write_text(f"[[rules]]\n{NOT_IN_LOGS}\n")
        with pytest.raises(occupancy.RulesError, match=r"do not contain .* and \d+ more\. .* logs do not"):
            occupancy.check(build_from("after", kind), file, baseline=baseline)
