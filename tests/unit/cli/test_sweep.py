"""``occupancy sweep`` and ``occupancy calc --charts``."""

from __future__ import annotations

import csv
import io
import json
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

import occupancy
from occupancy.cli import commands
from tests.cli_runner import run


def rows(*arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run("sweep", *arguments, "--format", "csv").stdout)))


H100 = ("--cc", "9.0", "--threads", "128", "--regs", "37")


class TestRows:
    def test_each_is_the_answer_of_compute(self) -> None:
        found = rows("--cc", "9.0", "--threads", "32:1024:96", "--regs", "16,64,255", "--smem", "1k")
        assert len(found) == 11 * 3
        for row in found:
            expected = occupancy.compute("9.0", threads=int(row["threads"]), regs=int(row["regs"]), smem=1024)
            assert (int(row["active_blocks"]), int(row["active_warps"]), float(row["occupancy"])) == (
                expected.active_blocks,
                expected.active_warps,
                expected.occupancy,
            )
            assert row["limiters"] == ";".join(expected.limiters)
            assert row["launchable"] == str(expected.launchable).lower()

    def test_chips_and_carveouts_vary_too(self) -> None:
        found = rows(
            "--cc", "7.0,sm_90", "--threads", "128", "--smem", "20k", "--carveout", "0:100:50,max,64k"
        )
        assert [(row["cc"], row["carveout"]) for row in found] == [
            (cc, carveout) for cc in ("7.0", "9.0") for carveout in ("0", "50", "100", "max", "64k")
        ]
        for row in found:
            text = row["carveout"]
            carveout = int(text) if text.isdecimal() else text
            expected = occupancy.compute(row["cc"], threads=128, smem=20480, carveout=carveout)
            assert int(row["active_blocks"]) == expected.active_blocks

    def test_what_does_not_vary_is_in_every_row(self) -> None:
        (row, *_) = rows(
            "--cc", "9.0", "--threads", "64,128", "--regs", "40", "--barriers", "3", "--no-opt-in"
        )
        assert {name: row[name] for name in ("cc", "regs", "barriers", "opt_in")} == {
            "cc": "9.0", "regs": "40", "barriers": "3", "opt_in": "false",
        }  # fmt: skip
        assert row["smem"] == ""

    def test_three_inputs_are_for_programs(self) -> None:
        arguments = ("sweep", "--cc", "9.0", "-t", "128,256", "-r", "40,64", "-s", "1k,20k")
        found = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv").stdout)))
        assert [(row["threads"], row["regs"], row["smem"]) for row in found] == list(
            product(("128", "256"), ("40", "64"), ("1024", "20480"))
        )
        assert len(json.loads(run(*arguments, "--format", "json").stdout)["rows"]) == 8
        refused = run(*arguments, "-o", "map.png")
        assert refused.exit_code == 2
        assert "A screen or a picture shows two" in refused.stderr

    def test_it_writes_one_file(self, tmp_path: Path) -> None:
        files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
        refused = run("sweep", "--cc", "9.0", "-t", "128,256", "-o", files[0], "--output", files[1])
        assert refused.exit_code == 2
        assert f"{', '.join(files)}. Allowed: one file." in refused.stderr
        assert list(tmp_path.iterdir()) == []

    def test_a_map_of_several_chips_is_one_for_each(self) -> None:
        refused = run(
            "sweep", "--gpu", "RTX 4090,H100", "-t", "128,256", "-r", "40,64", "-o", "map.png", columns=300
        )
        assert "shows two: one for each chip, --gpu 'GeForce RTX 4090'" in refused.stderr

    def test_barriers_vary(self) -> None:
        found = rows("--cc", "9.0", "-t", "64", "--barriers", "1:16")
        expected = [
            occupancy.compute("9.0", threads=64, barriers=each).active_blocks for each in range(1, 17)
        ]
        assert [int(row["active_blocks"]) for row in found] == expected
        assert len(set(expected)) > 3

    def test_a_range_of_columns_of_tensor_memory_goes_from_one_multiple_to_the_next(self) -> None:
        found = rows("--cc", "10.0", "-t", "64", "--tmem", "32:128")
        assert [row["tensor_memory"] for row in found] == ["32", "64", "96", "128"]

    def test_columns_and_permits_of_tensor_memory_vary(self) -> None:
        found = rows("--cc", "10.0", "-t", "64", "--tmem", "32:512:32", "--virtual-resources", "0,128")
        assert len(found) == 2 * 16
        for row in found:
            columns, permit = int(row["tensor_memory"]), int(row["virtual_resources"])
            expected = occupancy.compute("10.0", threads=64, tensor_memory=columns, virtual_resources=permit)
            assert int(row["active_blocks"]) == expected.active_blocks
        assert len({row["active_blocks"] for row in found}) > 3
        text = run("sweep", "--cc", "10.0", "-t", "64", "--tmem", "64,128", columns=100).stdout
        assert text.startswith("Occupancy by columns of tensor memory per block\n")
        chart = run("sweep", "--cc", "10.0", "-t", "64,128", "--tmem", "64", columns=100).stdout
        assert "compute capability 10.0, 64 columns of tensor memory per block\n" in chart

    def test_too_many_combinations_are_refused(self) -> None:
        done = run("sweep", "--cc", "9.0", "-t", "1:1024", "-r", "1:255", "-s", "0:99k:1k")
        assert "there are 26,112,000 combinations. Allowed: up to 1,000,000." in done.stderr

    def test_the_end_of_the_files_name_says_the_format(self, tmp_path: Path) -> None:
        arguments = ("sweep", "--cc", "9.0", "-t", "64,128")
        for suffix, output_format in (
            ("csv", "csv"),
            ("jsonl", "jsonl"),
            ("md", "markdown"),
            ("json", "json"),
        ):
            path = tmp_path / f"rows.{suffix}"
            done = run(*arguments, "-o", str(path))
            assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"Wrote {path}.\n")
            assert path.read_text(encoding="utf-8") == run(*arguments, "--format", output_format).stdout

    @pytest.mark.parametrize(
        ("name", "output_format"),
        [("x.png", "json"), ("x.svg", "csv"), ("X.PDF", "text")],
    )
    def test_a_format_that_contradicts_the_file_is_refused(
        self, name: str, output_format: str, tmp_path: Path
    ) -> None:
        path = tmp_path / name
        done = run("sweep", "--cc", "9.0", "-t", "64,128", "-o", str(path), "--format", output_format)
        assert done.exit_code == 2
        assert done.stderr == f"Error: --format: {path} is a picture. Leave it out.\n"
        assert not path.exists()

    def test_shapes_of_blocks(self) -> None:
        found = rows("--cc", "9.0", "--threads", "16x16,1x1x128")
        assert [(row["threads"], row["active_blocks"]) for row in found] == [("16x16", "8"), ("1x1x128", "0")]

    def test_all_chips_without_cc(self) -> None:
        found = rows("--threads", "128")
        assert [row["cc"] for row in found] == [str(cc) for cc in occupancy.compute_capabilities()]

    def test_the_other_formats_hold_the_same(self) -> None:
        arguments = ("sweep", "--cc", "9.0", "--threads", "64,128", "--regs", "40")
        whole = json.loads(run(*arguments, "--format", "json").stdout)
        assert whole["variables"] == {"threads": [64, 128]}
        assert whole["fixed"] == {"cc": "9.0", "regs": 40}
        lines = run(*arguments, "--format", "jsonl").stdout.splitlines()
        assert [json.loads(line) for line in lines] == whole["rows"]
        assert run(*arguments, "--format", "markdown").stdout.splitlines()[2:] == [
            "| 64 | 75% | 48 | 24 | registers |",
            "| 128 | 75% | 48 | 12 | registers |",
        ]

    def test_a_limit_of_ones_own(self) -> None:
        (small, large) = rows("--cc", "9.0", "--threads", "32,64", "--set", "max_blocks_per_multiprocessor=4")
        assert (small["active_blocks"], large["active_blocks"]) == ("4", "4")


class TestCurves:
    def test_are_the_answer_if_nothing_varies(self) -> None:
        text = run("sweep", *H100).stdout
        assert [line for line in text.splitlines() if line.startswith("Warps")] == [
            "Warps per SM by threads per block",
            "Warps per SM by registers per thread",
            "Warps per SM by shared memory per block (KiB)",
        ]
        assert "Now 37 registers: 48 warps, 75%. With 32 registers: 64 warps, 100%." in text
        named = run("sweep", "--gpu", "RTX 4090", "--threads", "128").stdout
        assert named.startswith(
            "Blocks of 128 threads on GeForce RTX 4090, compute capability 8.9 (Ada Lovelace)"
        )

    def test_rows_are_steps(self) -> None:
        found = rows(*H100)
        assert {row["variable"] for row in found} == {"threads", "regs", "smem"}
        (step,) = [row for row in found if row["variable"] == "regs" and row["first"] == "33"]
        assert (step["last"], step["active_blocks"], step["occupancy"]) == ("40", "12", "0.75")
        lines = run("sweep", *H100, "--format", "jsonl").stdout.splitlines()
        assert len(lines) == len(found)
        assert len(json.loads(run("sweep", *H100, "--format", "json").stdout)["curves"]) == 3

    def test_markdown_marks_the_kernel(self) -> None:
        bold = [
            line for line in run("sweep", *H100, "--format", "markdown").stdout.splitlines() if "**" in line
        ]
        assert bold == [
            "| **97 to 128** | 75% | 48 | 12 | registers |",
            "| **33 to 40** | 75% | 48 | 12 | registers |",
        ]


def test_an_ascii_terminal_gets_a_chart() -> None:
    done = CliRunner(charset="ascii").invoke(commands, ["sweep", *H100], prog_name="occupancy")
    assert "  64 |#########" in done.stdout.splitlines()
    assert "?" not in done.stdout


class TestPictures:
    @pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
    def test_take_the_place_of_pictures_only(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"chart.{suffix}"
        arguments = ("sweep", "--cc", "9.0", "--threads", "64,128", "-o", str(path))
        for _ in range(2):
            assert run(*arguments).exit_code == 0
        path.write_text("something else")
        done = run(*arguments)
        assert (done.exit_code, path.read_text()) == (2, "something else")
        assert f"is no picture (.{suffix}). Choose another name" in done.stderr

    @pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "md", "txt"])
    @pytest.mark.parametrize("more", [(), ("--regs", "16:64:16"), ("--regs", "16,32", "-s", "0,16k")])
    def test_rows_take_the_place_of_rows_only(
        self, tmp_path: Path, suffix: str, more: tuple[str, ...]
    ) -> None:
        path = tmp_path / f"rows.{suffix}"
        output_format = {"md": "markdown", "txt": "text"}.get(suffix, suffix)
        asked = ("--cc", "9.0", "--threads", "128", *more, "-o", str(path), "--format", output_format)
        for _ in range(2):
            done = run("sweep", *asked)
            assert done.exit_code == 0, done.stderr
        path.write_text("something else")
        assert run("sweep", *asked).exit_code == 2
        assert path.read_text() == "something else"

    def test_a_folder_that_is_not_there_is_a_message(self, tmp_path: Path) -> None:
        path = str(tmp_path / "nowhere" / "chart.png")
        done = run("sweep", *H100, "-o", path)
        assert done.exit_code == 2
        assert done.stderr == f"Error: {path}: No such file or directory.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-t", "32,64", "-r", "1,2", "-s", "1,2", "-o", "x.png"), "sweep: 3 inputs vary: threads, regs"),
        (("--threads", "32:64:0"), "--threads: '32:64:0' has a step of 0"),
        (("--threads", "64:32"), "--threads: the range '64:32' is empty"),
        (("--threads", "0:64:32"), "--threads: 0 is out of range"),
        (("--threads", ","), "--threads: ',' holds no value"),
        (("--threads", "32", "--regs", "250:256"), "--regs: 256 is out of range"),
        (("--threads", "32", "--regs", "1.5,2"), "--regs: '1.5' is not a whole"),
        (("--threads", "32", "--smem", "0:1k:1x"), "--smem: '1x' is not a"),
        (("--threads", "32", "--carveout", "0:200:50"), "--carveout: compute capability 9.0 has no"),
        (("--threads", "1:1024", "--smem", "0:99999"), "sweep: there are 102,400,000 combinations. Allowed:"),
        (
            ("--threads", "32", "-o", "chart"),
            "-o: 'chart' does not say what to write. Allowed: .svg, .png, .pdf, .csv, .json, .jsonl, .md, "
            ".txt. Or say it with --format.",
        ),
        (("--threads", "32", "-o", "map.html"), "-o: 'map.html' does not say what to write"),
    ],
)  # fmt: skip
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    done = run("sweep", "--cc", "9.0", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Error: {message}" in done.stderr
