"""A trace of PyTorch's profiler as a table by time, in every format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import occupancy
from tests.cli_runner import run
from tests.samples import FOLDER, INDUCTOR

TRACE = INDUCTOR / "trace.json.gz"
TOTAL_US = 1792.844

# Those with the most time: microseconds, launches, occupancy by cuda_occupancy.h, and the profiler's own.
LONGEST = [
    ("nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT", 212.286, 14, 0.1875, 0.0),
    ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT", 178.654, 6, 0.1875, 0.0),
    (
        "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1_cga1x1x1_kernel0_0",
        138.462, 4, 0.1875, 0.0,
    ),
    ("triton_red_fused__log_softmax__to_copy_prepare_softmax_online_6", 121.311, 2, 1.0, 1.0),
]  # fmt: skip


PROFILE = FOLDER / "ncu_raw.csv"
SAME = "Nsight's theoretical occupancy is the same for all 6 launches."


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((), "Profiled on NVIDIA H200, 132 SMs."),
        (("--gpu", "H200"), "Profiled on NVIDIA H200, 132 SMs, the GPU that was asked for: nothing changes."),
        (
            ("--gpu", "H20"),
            "Answered for H20, 78 SMs, and so are Waves; profiled on NVIDIA H200, 132 SMs, where Achieved "
            "was measured.",
        ),
        (
            ("--gpu", "H100"),
            "Answered for H100; profiled on NVIDIA H200, 132 SMs. Waves are for the SMs of that GPU; the "
            "full name of a product gives its own.",
        ),
        (
            ("--gpu", "H100 SXM5 80 GB"),
            "Answered for H100 SXM5 80 GB, 132 SMs; profiled on NVIDIA H200, 132 SMs.",
        ),
        (("--cc", "8.0"), "Profiled on NVIDIA H200, 132 SMs."),
    ],
)
def test_a_profile_says_of_which_gpu_it_is_and_for_which_the_answer(
    asked: tuple[str, ...], said: str
) -> None:
    assert f"\n{said}\n" in run("scan", str(PROFILE), *asked, columns=200).stdout


def test_a_profile_says_where_the_grid_is_too_small_to_achieve_more() -> None:
    said = "Achieved is less because the grid fills only a part of the GPU: reduce_dyn (25% of one wave)."
    assert f"\n{said}\n" in run("scan", str(PROFILE), columns=200).stdout
    assert "fills only" not in run("scan", str(PROFILE), "--gpu", "H20", columns=200).stdout
    assert "fills only" not in run("scan", str(PROFILE), "--name", "sgemm", columns=200).stdout


@pytest.mark.parametrize("columns", [60, 200])
def test_a_line_about_a_column_stands_where_that_is_shown(columns: int) -> None:
    (report,) = FOLDER.glob("*.ncu-rep*")
    shown = run("scan", str(report), columns=columns).stdout
    assert ("Achieved" in shown.splitlines()[0]) == (columns == 200) == ("Achieved was measured" in shown)
    trace = run("scan", str(INDUCTOR / "trace.json.gz"), "--below", "50", columns=columns).stdout
    assert ("Reported" in trace.splitlines()[0]) == ("profiler says 0%" in " ".join(trace.split()))
    assert "Achieved was measured" in run("scan", str(PROFILE), "--format", "markdown").stdout


def test_a_report_says_that_nsight_shows_other_registers() -> None:
    (report,) = FOLDER.glob("*.ncu-rep*")
    shown = run("scan", str(report), columns=200).stdout
    assert ": Nsight shows 16 registers where there are fewer; Regs are those of the code.\n" in shown
    assert (
        ": Nsight shows 16 registers where there are fewer.\n"
        in run("scan", str(PROFILE), columns=200).stdout
    )


def test_a_profile_says_whether_nsight_agrees(tmp_path: Path) -> None:
    assert f"\n{SAME}\n" in run("scan", str(PROFILE), "--gpu", "H20", columns=200).stdout
    other = run("scan", str(PROFILE), "--gpu", "A100 PCIe 40", columns=200).stdout
    assert SAME not in other
    assert "answered for A100 PCIe 40 GB, compute capability 8.0;" in other
    with open(PROFILE, newline="") as file:
        head, units, first, *others = csv.reader(file)
    first[head.index("sm__maximum_warps_per_active_cycle_pct")] = "12.5"
    with open(tmp_path / "other.csv", "w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([head, units, first, *others])
    differs = run("scan", str(tmp_path / "other.csv"), columns=200).stdout
    said = "differs for 1 of 6 launches: --columns occupancy,reported shows both.\n"
    assert f"\nNsight's theoretical occupancy {said}" in differs
    shown = run("scan", str(tmp_path / "other.csv"), "--columns", "occupancy,reported", columns=200).stdout
    assert "12.5%" in shown
    answer = json.loads(run("scan", str(PROFILE), "--gpu", "H20", "--format", "json").stdout)
    assert (answer["gpu"], answer["multiprocessor_count"]) == ("H20", 78)
    assert {kernel["profiled_on"] for kernel in answer["kernels"]} == {"NVIDIA H200"}
    assert "NVIDIA H200" in run("scan", str(TRACE), columns=200).stdout


def event(name: str, duration: float, smem: int = 0, grid: int = 9000, **facts: Any) -> dict[str, Any]:
    known = {
        "device": 0,
        "registers per thread": 32,
        "shared memory": smem,
        "grid": [grid, 1, 1],
        "block": [256, 1, 1],
        "est. achieved occupancy %": 100,
    }
    return {"ph": "X", "cat": "kernel", "name": name, "dur": duration, "args": {**known, **facts}}


def write(path: Path, *events: dict[str, Any], architecture: bool = True) -> str:
    devices = [{"id": 0, "computeMajor": 9, "computeMinor": 0}] if architecture else []
    path.write_text(json.dumps({"deviceProperties": devices, "traceEvents": events}))
    return str(path)


def rows_of(*arguments: str) -> list[dict[str, Any]]:
    done = run("scan", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    rows: list[dict[str, Any]] = json.loads(done.stdout)["kernels"]
    return rows


class TestTheTraceOfATransformer:
    def test_json(self) -> None:
        report = json.loads(run("scan", str(TRACE), "--format", "json").stdout)
        assert (report["found"], len(report["kernels"]), report["sort"]) == (164, 38, "time")
        assert report["time_us"] == pytest.approx(TOTAL_US)
        first = [
            (row["name"], row["duration_us"], row["launches"], row["occupancy"], row["reported_occupancy"])
            for row in report["kernels"][: len(LONGEST)]
        ]
        assert first == [(name, pytest.approx(time), *rest) for name, time, *rest in LONGEST]
        assert [row["time_share"] for row in report["kernels"]] == [
            pytest.approx(row["duration_us"] / TOTAL_US) for row in report["kernels"]
        ]
        assert sum(row["time_share"] for row in report["kernels"]) == pytest.approx(1)
        assert sum(row["launches"] for row in report["kernels"]) == 164

    def test_the_time_up_to_a_quarter_is_that_of_the_events(self) -> None:
        """NVIDIA's GEMMs and attention take an SM for each block; one kernel of Triton's has 25 %."""
        events = json.loads(gzip.decompress(TRACE.read_bytes()))["traceEvents"]
        kernels = [each for each in events if each.get("cat") == "kernel"]
        names = ("nvjet", "cudnn_generated", "triton_per_fused_add_native_layer_norm_view_4")
        low = sum(each["dur"] for each in kernels if each["name"].startswith(names))
        report = json.loads(run("scan", str(TRACE), "--format", "json").stdout)
        assert sum(each["dur"] for each in kernels) == pytest.approx(TOTAL_US)
        assert report["overview"]["time_up_to_quarter_us"] == pytest.approx(low)
        assert report["overview"]["time_not_known_us"] == 0

    @pytest.mark.parametrize("output_format", ["text", "markdown"])
    def test_for_people(self, output_format: str) -> None:
        text = run("scan", str(TRACE), "--format", output_format).stdout
        assert (
            "38 kernels in 164 launches for sm_90, longest first; 61.9% of the time at 25% occupancy or less."
            in " ".join(text.split())
        )
        assert " ".join(text.split()).count("PyTorch's profiler says 0% for any kernel with more than") == 1
        at = [text.index(name[:60]) for name, *_ in LONGEST]
        assert at == sorted(at)
        assert re.search(r"212\.3 us[ |]+11\.8%[ |]+384[ |]+18\.8%[ |]+0%", text)

    def test_csv_and_jsonl(self) -> None:
        table = list(csv.DictReader(io.StringIO(run("scan", str(TRACE), "--format", "csv").stdout)))
        lines = run("scan", str(TRACE), "--format", "jsonl").stdout.splitlines()
        for row, line, (name, time, launches, occupancy_, reported) in zip(
            table, lines, LONGEST, strict=False
        ):
            assert row["name"] == json.loads(line)["name"] == name
            assert float(row["time_share"]) == pytest.approx(time / TOTAL_US)
            assert (int(row["launches"]), float(row["occupancy"])) == (launches, occupancy_)
            assert float(row["reported_occupancy"]) == reported
            assert ("48 KiB" in row["notes"]) == (reported == 0)
        assert len(table) == len(lines) == 38

    def test_the_library_says_the_same(self) -> None:
        found = occupancy.scan(TRACE)
        assert [each.name for each in found[: len(LONGEST)]] == [name for name, *_ in LONGEST]
        assert found[0].time_share == pytest.approx(212.286 / TOTAL_US)
        assert found.found == 164
        assert "61.9% of the time at 25%" in str(found)

    def test_a_page_lists_the_same(self, tmp_path: Path) -> None:
        page = tmp_path / "trace.html"
        assert run("scan", str(TRACE), "-o", str(page)).exit_code == 0
        text = page.read_text(encoding="utf-8")
        assert "61.9% of the time at 25% occupancy or less" in text
        assert '"time_share"' in text

    def test_of_some_kernels_the_shares_are_of_all_the_time(self) -> None:
        every = {row["name"]: row["time_share"] for row in rows_of(str(TRACE))}
        some = rows_of(str(TRACE), "--name", "triton*sum")
        assert len(some) == 8
        assert all(row["time_share"] == every[row["name"]] for row in some)
        text = run("scan", str(TRACE), "--name", "nvjet").stdout
        assert (
            "9 kernels in 54 launches for sm_90 of 164 found, longest first; 50.4% of the time at"
            in " ".join(text.split())
        )


class TestLaunches:
    def test_what_differs_in_its_time_alone_is_one(self, tmp_path: Path) -> None:
        trace = write(
            tmp_path / "trace.json", event("a", 1), event("b", 4), event("a", 2), event("a", 3, grid=9001)
        )
        rows = rows_of(trace)
        assert [(row["name"], row["launches"], row["duration_us"], row["grid_dim"]) for row in rows] == [
            ("b", 1, 4.0, [9000, 1, 1]),
            ("a", 2, 3.0, [9000, 1, 1]),
            ("a", 1, 3.0, [9001, 1, 1]),
        ]
        # For people, grids are of no interest.
        assert [(row.name, row.launches) for row in occupancy.scan(trace, limit=1)] == [("b", 1)]
        assert "6.0 us" in run("scan", trace).stdout

    def test_other_orders_stay(self, tmp_path: Path) -> None:
        trace = write(tmp_path / "trace.json", event("a", 9), event("b", 1, smem=60000))
        assert [row["name"] for row in rows_of(trace, "--sort", "occupancy")] == ["b", "a"]

    def test_what_has_no_architecture_has_a_time(self, tmp_path: Path) -> None:
        trace = write(tmp_path / "trace.json", event("a", 3), event("b", 1), architecture=False)
        text = run("scan", trace).stdout
        assert (
            "2 kernels in 2 launches, longest first; 0% of the time at 25% occupancy or less, 100% not known."
            in " ".join(text.split())
        )
        assert "75%" in text

    def test_of_very_many_kernels_the_longest_are_shown(self, tmp_path: Path) -> None:
        events = (event(f"kernel_{number}", 1 + (number * 37) % 101) for number in range(101))
        text = run("scan", write(tmp_path / "trace.json", *events)).stdout
        assert "20 of them, longest first:" in text
        shown = [float(each) for each in re.findall(r"([\d.]+) us", text)]
        assert shown == [float(each) for each in range(101, 81, -1)]

    def test_no_time_at_all(self, tmp_path: Path) -> None:
        trace = write(tmp_path / "trace.json", event("a", 0), event("b", 0))
        assert [row["time_share"] for row in rows_of(trace)] == [None, None]
        assert "2 kernels in 2 launches for sm_90, longest first." in run("scan", trace).stdout

    @pytest.mark.parametrize("duration", [-1, "1", 10**15, True, [1]])
    def test_what_is_no_time_is_a_problem(self, tmp_path: Path, duration: Any) -> None:
        done = run("scan", write(tmp_path / "trace.json", event("a", duration), event("b", 1)))
        assert done.exit_code == 1
        assert "the launch of a is not as known traces have it" in done.stderr
        assert "1 kernel in 1 launch" in done.stdout

    def test_profiles_stay_as_they_were_recorded(self, samples: Path) -> None:
        rows = rows_of(str(samples / "ncu.ncu-rep"))
        assert {row["time_share"] for row in rows} == {None}
        assert "6 launches" in run("scan", str(samples / "ncu.ncu-rep")).stdout
