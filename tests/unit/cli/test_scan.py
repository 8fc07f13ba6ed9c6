"""``occupancy scan`` over the samples."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import occupancy
from tests.cli_runner import run
from tests.hostile import log
from tests.samples import INDUCTOR


def scan(*arguments: object) -> list[dict[str, Any]]:
    done = run("scan", *map(str, arguments), "--format", "jsonl")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def log_of(folder: Path, *kernels: tuple[str, str, int]) -> Path:
    """Write output of ptxas for kernels: name, architecture, registers."""
    texts = (log(name, registers, arch=arch, frame=(0, 0, 0)) for name, arch, registers in kernels)
    (folder / "log").write_text("".join(texts))
    return folder / "log"


class TestCommand:
    def test_a_trace_by_time(self) -> None:
        trace = INDUCTOR / "trace.json.gz"
        rows = scan(trace)
        every = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
        events = [each for each in every if each.get("cat") == "kernel"]
        total = sum(each["dur"] for each in events)
        assert total == pytest.approx(1792.844)
        assert sum(row["launches"] for row in rows) == len(events) == 164
        assert len(rows) == 38
        assert (rows[0]["name"], rows[0]["launches"]) == ("nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT", 14)
        assert (rows[0]["duration_us"], rows[0]["occupancy"]) == (pytest.approx(212.286), 0.1875)
        some = scan(trace, "--name", "triton*sum")
        assert len(some) == 8
        assert all(row["time_share"] == pytest.approx(row["duration_us"] / total) for row in [*rows, *some])

    def test_an_unknown_occupancy_has_a_reason_and_unknown_spills_are_not_none(self, tmp_path: Path) -> None:
        (tmp_path / "k.ptx").write_text(".version 8.0\n.target sm_90\n.entry k()\n{\n}\n")
        (row,) = scan(tmp_path / "k.ptx")
        assert (row["occupancy"], row["active_blocks"], row["limiters"]) == (None, None, [])
        (tmp_path / "usage").write_text("Resource usage:\n Function k:\n  REG:8 SHARED:0 CONSTANT[0]:360\n")
        (row,) = scan(tmp_path / "usage")
        assert "--gpu" in row["reason"]
        done = run("scan", str(tmp_path / "usage"), "--spilling")
        assert done.stdout == "No kernel spills: there is no spill data\n"
        done = run("scan", str(log_of(tmp_path, ("k", "sm_90", 8))), "--spilling")
        assert done.stdout == "No kernel spills\n"
        done = run("scan", str(log_of(tmp_path, ("_cuda_device_runtime_k", "sm_90", 8))))
        assert done.stdout.startswith("No kernels besides 1 of the CUDA device runtime. ")
        (row,) = scan(tmp_path / "usage", "--cc", "9.0")
        assert (row["occupancy"], row["cc"]) == (1.0, "9.0")
        (row,) = scan(log_of(tmp_path, ("k", "sm_99", 32)), "--threads", 64)
        assert "is unknown" in row["reason"]
        (row,) = scan(log_of(tmp_path, ("k", "sm_90", 255)), "--threads", 1024)
        assert (row["occupancy"], row["launchable"]) == (0, False)

    def test_the_file_of_the_option(self, samples: Path, tmp_path: Path) -> None:
        file = str(samples / "samples.cubin")
        for suffix in ("csv", "json", "jsonl", "md"):
            target = tmp_path / f"kernels.{suffix}"
            done = run("scan", file, "-o", str(target))
            assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"Wrote {target}.\n")
            printed = run("scan", file, "--format", suffix.replace("md", "markdown")).stdout
            assert target.read_text().rstrip("\n") == printed.rstrip("\n")
        paths = [f"-o{tmp_path}/{name}" for name in ("x.csv", "x.html", "y.csv")]
        assert run("scan", file, *paths).exit_code == run("diff", file, file, *paths[:2]).exit_code == 0
        assert (tmp_path / "y.csv").read_text() == (tmp_path / "kernels.csv").read_text()
        assert run("scan", file, "-ox.docx").exit_code == 2

    def test_files_without_kernels_are_listed_up_to_a_limit(self, tmp_path: Path) -> None:
        for number in range(30):
            (tmp_path / f"{number}.txt").write_text("no kernel\n")
        done = run("scan", *map(str, tmp_path.iterdir()))
        lines = done.stderr.splitlines()
        assert (done.exit_code, len(lines), lines[-1]) == (2, 21, "Error: 10 more errors.")

    def test_very_many_kernels_are_cut_on_the_screen_alone(self, tmp_path: Path) -> None:
        log = log_of(tmp_path, *((f"kernel_{number}", "sm_90", 20 + number) for number in range(70)))
        text = run("scan", str(log)).stdout
        assert text.startswith("70 kernels for sm_90: no spills, 25 below 50%\n")
        assert "\nFirst 20 of 70 rows at 256* threads, lowest occupancy first\nThese are limited by" in text
        assert ("--all" in text, "--all" in str(scan(log))) == (True, False), "an option of the command line"
        counts = [part.count("kernel_") for part in (text, run("scan", str(log), "--all").stdout)]
        assert [*counts, len(scan(log))] == [20, 70, 70]
        sized = ("scan", str(log), *(f"--threads=kernel_{tens}*=256" for tens in (4, 5, 6)))
        assert "* Block size" in run(*sized, "--format", "html").stdout, "a note on a row below the excerpt"


def test_a_file_without_kernels_beside_one_with_some(samples: Path, tmp_path: Path) -> None:
    (text := tmp_path / "text").write_text("nothing\n")
    done = run("scan", str(text), str(samples / "samples.exe"), "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["problems"][0]["source"]) == (1, str(text))
    assert done.stderr.startswith(f"Warning: {text}")


class TestPython:
    def test_a_scan_is_a_sequence(self, samples: Path) -> None:
        found = occupancy.scan(samples / "samples.fatbin", threads=256)
        assert isinstance(found[:2], occupancy.Scan)
        assert [each.name for each in found[:2]] == [each.name for each in found][:2]
        assert found[0].occupancy == found.rows()[0]["occupancy"]
        assert str(found[:2]).startswith("1 of 3 kernels for 2 archi")
        assert [row["name"] for row in found.to_dict()["kernels"]] == [row["name"] for row in found.rows()]
        assert "<table>" in found._repr_html_()

    def test_findings(self, samples: Path, tmp_path: Path) -> None:
        (finding,) = occupancy.scan(samples / "samples.cubin", threads=256).findings()
        assert (finding.rule, finding.severity, finding.arch) == ("spills", "warning", "sm_90")
        assert finding.file.endswith("samples.cubin")
        assert "spills ~1,008/1,008 B (stores/loads)" in finding.message
        low = occupancy.scan(log_of(tmp_path, ("k", "sm_90", 128)), threads=256).findings()
        assert [each.rule for each in low] == ["low-occupancy"]
        sarif = json.loads(run("scan", str(samples / "samples.cubin"), "--format", "sarif").stdout)
        assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["spills"]
        for name, code in (("x.json", 0), ("x.csv", 2)):
            path = str(tmp_path / name)
            assert run("scan", str(samples), "--format", "sarif", "-o", path).exit_code == code
