"""``occupancy sweep`` and ``occupancy calc --charts``."""

from __future__ import annotations

import csv
import io
import json
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
        assert "smem" not in row

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

    def test_calc_shows_them_under_its_answer(self) -> None:
        plain, charted = run("calc", *H100).stdout, run("calc", *H100, "--charts").stdout
        assert charted == plain + "\n" + run("sweep", *H100).stdout

    def test_an_automatic_carveout_follows_the_kernel(self) -> None:
        kernel = ("--cc", "9.0", "--threads", "128", "--smem", "1k")
        automatic = run("sweep", *kernel, "--carveout", "auto").stdout
        assert automatic == run("sweep", *kernel).stdout
        assert automatic != run("sweep", *kernel, "--carveout", "32k").stdout
        assert automatic in run("calc", *kernel, "--carveout", "auto", "--charts").stdout

    def test_calc_has_them_as_text_only(self) -> None:
        done = run("calc", *H100, "--charts", "--format", "json")
        assert done.exit_code == 2
        assert "--charts: there are none in json. `occupancy sweep` with the same options" in done.stderr


def test_an_ascii_terminal_gets_a_chart() -> None:
    done = CliRunner(charset="ascii").invoke(commands, ["sweep", *H100], prog_name="occupancy")
    assert "  64 |#########" in done.stdout.splitlines()
    assert "?" not in done.stdout


class TestPictures:
    @pytest.mark.parametrize(
        "arguments", [H100, ("--cc", "9.0", "--threads", "64,128", "--regs", "16:64:16")]
    )
    def test_are_written(self, tmp_path: Path, arguments: tuple[str, ...]) -> None:
        path = tmp_path / "chart.svg"
        done = run("sweep", *arguments, "-o", str(path))
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"Wrote {path}.\n")
        assert path.read_text(encoding="utf-8").startswith("<?xml")

    def test_a_folder_that_is_not_there_is_a_message(self, tmp_path: Path) -> None:
        done = run("sweep", *H100, "-o", str(tmp_path / "nowhere" / "chart.png"))
        assert done.exit_code == 2
        assert "No such file or directory" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--threads", "32,64", "--regs", "1,2", "--smem", "1,2"), "sweep: 3 inputs vary: threads, regs"),
        (("--threads", "32:64:0"), "--threads: '32:64:0' has a step of 0"),
        (("--threads", "64:32"), "--threads: the range '64:32' is empty"),
        (("--threads", "0:64:32"), "--threads: 0 is out of range"),
        (("--threads", ","), "--threads: ',' holds no value"),
        (("--threads", "32", "--regs", "250:256"), "--regs: 256 is out of range"),
        (("--threads", "32", "--regs", "1.5,2"), "--regs: '1.5' is not a whole"),
        (("--threads", "32", "--smem", "0:1k:1x"), "--smem: '1x' is not a"),
        (("--threads", "32", "--carveout", "0:200:50"), "--carveout: compute capability 9.0 has no"),
        (("--threads", "1:1024", "--smem", "0:99999"), "sweep: there are 102,400,000 combinations."),
        (("--threads", "32", "-o", "chart"), "-o: 'chart' does not say which kind of picture"),
    ],
)  # fmt: skip
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    done = run("sweep", "--cc", "9.0", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Error: {message}" in done.stderr
