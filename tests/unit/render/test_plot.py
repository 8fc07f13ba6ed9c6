"""Pictures: the drawn data, the labels, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch

from occupancy import InputError, compute
from occupancy.api.sweep import sweep_grid, sweep_picture
from occupancy.render.charts import PICTURE_FILES
from occupancy.render.plot import draw, pictured
from occupancy.render.words import percent
from occupancy.report.curves import CurvesReport, curves_report
from occupancy.report.sweep import SweepReport
from occupancy.tables.gpus import find_gpu


def curves() -> CurvesReport:
    return curves_report(compute("7.0", threads=128, regs=37))


def swept(*ccs: str, **kernel: str) -> SweepReport:
    report = sweep_grid([find_gpu(cc) for cc in ccs], kernel)
    assert isinstance(report, SweepReport)
    return report


def points_of(line: Line2D) -> Any:
    return line.get_xydata().tolist()  # type: ignore[union-attr]


class TestCurves:
    def test_steps_are_drawn_as_steps(self) -> None:
        report = curves()
        panels = draw(report.picture()).axes
        assert len(panels) == 3
        for panel, curve in zip(panels, report.curves, strict=True):
            (filled, outline) = [patch for patch in panel.patches if isinstance(patch, StepPatch)]
            for drawn in (filled, outline):
                values, edges, _ = drawn.get_data()
                assert values.tolist() == [step.active_warps for step in curve.steps]
                assert edges.tolist() == [*(step.first for step in curve.steps), curve.steps[-1].last + 1]

    def test_the_kernel_and_the_next_steps_are_marked(self) -> None:
        report = curves_report(compute("9.0", threads=128, regs=37, smem=40_000))
        for panel, curve in zip(draw(report.picture()).axes, report.curves, strict=True):
            assert [points_of(line) for line in panel.lines] == [
                [[curve.now, report.active_warps]],
                *([[better.value, better.active_warps]] for better in curve.better),
            ]

    def test_axes_and_legends_are_labelled(self) -> None:
        figure = draw(curves().picture())
        assert [text.get_text() for text in figure.texts] == [
            "75% occupancy on compute capability 7.0 (Volta)\n"
            "12 blocks of 128 threads per SM, limited by registers"
        ]
        assert [panel.get_xlabel() for panel in figure.axes] == [
            "threads per block",
            "registers per thread",
            "shared memory per block (KiB)",
        ]
        assert figure.axes[0].get_ylabel() == "warps per SM"
        assert [panel.get_legend_handles_labels()[1] for panel in figure.axes] == [
            ["128 threads: 75%"],
            ["37 registers: 75%", "32 registers: 100%"],
            ["not given, counted as none"],
        ]

    def test_a_value_beyond_the_axis_is_marked_at_its_end(self) -> None:
        report = curves_report(compute("9.0", threads=4096))
        (mark, better) = draw(report.picture()).axes[0].lines
        assert points_of(mark) == [[1024, 0]]
        assert mark.get_label() == "4,096 threads: 0%"
        assert better.get_label() == "1,024 threads: 100%"


class TestSweep:
    def test_one_number_is_steps_with_points(self) -> None:
        report = swept("9.0", threads="128", regs="16:128:8")
        (panel,) = draw(report.picture()).axes
        (line,) = panel.lines
        assert line.get_drawstyle() == "steps-pre"  # up to each value, as charts in text have it
        assert points_of(line) == [[row["regs"], 100 * row["occupancy"]] for row in report.rows()]
        assert (panel.get_xlabel(), panel.get_ylabel()) == ("registers per thread", "occupancy (%)")

    def test_what_is_marked_between_two_steps_has_its_own_occupancy(self) -> None:
        chips, kernel = [find_gpu("9.0"), find_gpu("8.9")], {"threads": "256", "regs": "16:255:16"}
        (panel,) = draw(sweep_picture(chips, kernel, marks=[72])).axes
        expected = [percent(compute(chip.cc, threads=256, regs=72).occupancy) for chip in chips]
        legend = [text.get_text() for text in panel.get_legend().get_texts()]  # type: ignore[union-attr]
        assert legend == [f"{cc}: {share} at 72" for cc, share in zip(("9.0", "8.9"), expected, strict=True)]

    def test_names_are_bars(self) -> None:
        report = swept("7.0", "9.0", threads="128", regs="40")
        (panel,) = draw(report.picture()).axes
        assert [bar.get_height() for bar in panel.patches if isinstance(bar, Rectangle)] == [75.0, 75.0]
        assert [label.get_text() for label in panel.get_xticklabels()] == ["7.0", "9.0"]

    def test_two_are_a_heat_map(self) -> None:
        report = swept("9.0", threads="64:1024:64", regs="16:128:16")
        panel, bar = draw(report.picture()).axes
        (image,) = panel.images
        shares = np.array([100 * cell.occupancy for cell in report.cells]).reshape(16, 8)
        drawn = np.asarray(image.get_array(), float)
        np.testing.assert_array_equal(np.nan_to_num(drawn), shares)
        assert np.isnan(drawn[-1, -1])
        assert (panel.get_xlabel(), panel.get_ylabel()) == ("registers per thread", "threads per block")
        assert panel.get_yticklabels()[-1].get_text() == "1,024"
        assert bar.get_ylabel() == "occupancy (%); grey: does not fit"
        assert len(panel.texts) == np.count_nonzero(shares)

    def test_a_large_map_has_no_numbers_in_it(self) -> None:
        panel = draw(swept("9.0", threads="32:1024:32", regs="16:128:8").picture()).axes[0]
        assert len(panel.texts) == 0
        assert len(panel.get_yticks()) <= 16


class TestFiles:
    @pytest.mark.parametrize("suffix", PICTURE_FILES)
    def test_kinds(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"chart{suffix.upper()}"
        path.write_bytes(pictured(curves().picture(), str(path)))
        start = path.read_bytes()[:500]
        assert {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix] in start

    def test_the_same_picture_is_the_same_file(self) -> None:
        first, second = (pictured(curves().picture(), name) for name in ("first.svg", "second.svg"))
        assert first == second

    @pytest.mark.parametrize("name", ["chart", "chart.gif", ".svg.txt"])
    def test_other_kinds_are_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(InputError, match=r"output: .* does not say which kind of picture. Allowed: .svg"):
            pictured(curves().picture(), str(tmp_path / name))
        assert list(tmp_path.iterdir()) == []

    def test_without_matplotlib_there_is_a_message(self, tmp_path: Path) -> None:
        arguments = ["occupancy", "sweep", "--cc", "7.0", "--threads", "128", "-o", str(tmp_path / "x.svg")]
        program = (
            f"import sys; sys.modules['matplotlib'] = None; sys.argv = {arguments}\n"
            "from occupancy.cli import main; main()"
        )
        done: Any = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            'Error: -o: matplotlib is not installed. Install it with: pip install "occupancy[plot]".\n'
        )
