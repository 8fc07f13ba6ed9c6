"""Charts of characters: what is drawn is what the report says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

from occupancy import compute
from occupancy.api.sweep import sweep_grid
from occupancy.render.charts import HeatMap, StepChart, scale, ticks
from occupancy.render.text import charts, to_text
from occupancy.report.curves import CurvesReport, curves_report
from occupancy.report.sweep import SweepReport
from occupancy.tables.gpus import find_gpu


def swept(ccs: str, **kernel: str) -> SweepReport:
    report = sweep_grid([find_gpu(cc) for cc in ccs.split()], kernel)
    assert isinstance(report, SweepReport)
    return report


def map_of(report: SweepReport) -> HeatMap:
    (chart,) = report.picture().charts
    assert isinstance(chart, HeatMap)
    return chart


def plain(text: Iterator[Any] | list[Any]) -> list[str]:
    return [line.plain.rstrip() for line in text]


class TestColumnChart:
    def test_heights(self) -> None:
        drawn = charts.ColumnChart(
            [0, 1 / 64, 0.5, 33 / 64, 1], {0: "0", 0.5: "32", 1: "64"}, {0: "a", 4: "e"}, 2
        )
        assert plain(drawn.lines()) == [
            "  64 ┤    █",
            "     │    █",
            "     │    █",
            "     │   ▁█",
            "  32 ┤  ███",
            "     │  ███",
            "     │  ███",
            "     │ ▁███",
            "   0 └─────",
            "        ▲",
            "      a   e",
        ]  # fmt: skip

    def test_the_marked_column_is_drawn_apart(self) -> None:
        (line,) = [line for line in charts.ColumnChart([1, 1], {}, {}, 1).lines() if line.plain.endswith("▲")]
        assert str(line.style) == charts.MARKED_BAR
        top = charts.ColumnChart([1, 1], {}, {}, 1).lines()[0]
        assert [str(span.style) for span in top.spans] == [charts.BAR, charts.MARKED_BAR]

    def test_labels_do_not_overlap(self) -> None:
        labels = {column: f"{column}{column}" for column in range(30)}
        *_, line = plain(charts.ColumnChart([0.5] * 30, {}, labels).lines())
        assert all(len(label) in (2, 4) for label in line.split())
        assert len(line) <= charts.GUTTER + 30


class TestCurves:
    @pytest.mark.parametrize("width", [80, 120])
    def test_as_wide_as_the_terminal(self, width: int) -> None:
        report = curves_report(compute("9.0", threads=128, regs=37, smem=40_000))
        lines = to_text(report.document(), width).splitlines()
        assert width - 16 <= max(map(len, lines)) <= width

    @pytest.mark.parametrize("width", [40, 80, 120, 200])
    def test_columns_are_the_curves(self, width: int) -> None:
        """Each column shows the answer of a value that it stands for, the kernel's column the kernel's."""
        report = curves_report(compute("9.0", threads=100, regs=70, smem=20_000))
        for curve, drawn in zip(report.curves, report.picture().charts, strict=True):
            assert isinstance(drawn, StepChart)
            lines = plain(charts.chart(drawn, width))
            shown = [drawn_warps(lines, column) for column in range(len(lines[9]) - charts.GUTTER)]
            marked = lines[10].index("▲") - charts.GUTTER
            assert shown[marked] == report.active_warps
            del shown[marked]
            # The columns go along the steps without turning back; a wide chart leaves none out.
            left = iter([step.active_warps for step in curve.steps])
            runs = [warps for warps, _ in groupby(shown)]
            assert all(warps in left for warps in runs)
            if width == 200 and curve.variable != "smem":
                assert runs == [warps for warps, _ in groupby(step.active_warps for step in curve.steps)]

    def test_captions(self) -> None:
        report = curves_report(compute("7.0", threads=128, regs=37))
        assert captions(report) == [
            "Now 128 threads: 48 warps, 75%. No other value gives more warps.",
            "Now 37 registers: 48 warps, 75%. With 32 registers: 64 warps, 100%.",
            "Not given, and counted as none.",
        ]
        report = curves_report(compute("9.0", threads=128, smem=40_000))
        assert captions(report)[2] == ("Now 40,000 bytes: 20 warps, 31.3%. With 37 KiB: 24 warps, 37.5%.")


def captions(report: CurvesReport) -> list[str]:
    return [chart.caption for chart in report.picture().charts if isinstance(chart, StepChart)]


def drawn_warps(lines: list[str], column: int) -> int:
    """Warps of a column on a chart of 64: one for each eighth of a row."""
    rows = [line.ljust(200)[charts.GUTTER + column] for line in lines[1 : 1 + charts.ROWS]]
    return sum(charts.EIGHTHS.index(character) for character in rows)


class TestSweep:
    def test_one_row_for_each_run_of_answers(self) -> None:
        report = swept("9.0", threads="128", regs="16:128:8")
        lines = str(report).splitlines()
        assert lines[:2] == [
            "Occupancy by registers per thread",
            "compute capability 9.0, 128 threads per block",
        ]
        table = lines[lines.index("") :]
        rows = [line.split("  ") for line in table[-10:]]
        assert [row[0] for row in rows] == [
            "16 to 24", "32", "40", "48", "56", "64", "72", "80", "88 to 96", "104 to 128",
        ]  # fmt: skip
        assert [cell.strip() for cell in table[-9].split("  ") if cell.strip()] == [
            "32", "100%", "64", "16", "warps and registers",
        ]  # fmt: skip

    def test_numbers_have_a_chart_and_names_have_bars(self) -> None:
        assert "└" in str(swept("9.0", threads="32:1024:32"))
        by_chip = str(swept("7.0 9.0", threads="128", smem="20k"))
        assert "└" not in by_chip
        assert [line.count("█") for line in by_chip.splitlines()[-2:]] == [2, 5]
        assert "20 KiB of shared memory per block" in by_chip

    @pytest.mark.parametrize("width", [1, 10, 37])
    @pytest.mark.parametrize("regs", ["40", "1:255"])
    def test_a_terminal_without_room_gets_something(self, width: int, regs: str) -> None:
        assert "Occupancy" in to_text(swept("9.0", threads="32:1024:32", regs=regs).document(), 40)
        assert to_text(swept("9.0", threads="32:1024:32", regs=regs).document(), width)
        assert to_text(curves_report(compute("9.0", threads=128, smem=1)).document(), width)

    @pytest.mark.parametrize("width", [60, 80, 120])
    @pytest.mark.parametrize("regs", ["40", "1:255"])
    def test_as_wide_as_the_terminal(self, width: int, regs: str) -> None:
        report = swept("9.0", threads="32:1024:32", regs=regs, smem="20k")
        assert max(map(len, to_text(report.document(), width).splitlines())) <= width


def test_a_notebook_has_the_charts_of_the_terminal() -> None:
    shown = swept("9.0", threads="128", regs="16:128:8")._repr_html_()
    assert "font-family: monospace" in shown
    assert ">100% ┤" in shown
    assert ">16 to 24</td>" in shown


@pytest.mark.parametrize("regs", ["40", "16:255"])
def test_chips_that_are_alike_have_a_row_each(regs: str) -> None:
    shown = to_text(swept("8.0 9.0", threads="256", regs=regs).document(), 80).splitlines()
    assert [line.split()[1] for line in shown if line[:3] in ("8.0", "9.0")] == [
        "75%" if regs == "40" else "100%"
    ] * 2


class TestHeatMap:
    def test_percentages_where_there_is_room(self) -> None:
        report = swept("9.0", threads="64,128,512,2048", regs="32,40,255")
        lines = plain(list(charts.heat_map(map_of(report), 80)))
        assert lines[2:] == [
            "          32   40  255",
            "64-128  100%  75%  13%",
            "   512  100%  75%    -",
            " 2,048     -    -    -",
            "",
            "-  does not fit",
        ]

    def test_neighbours_that_are_alike_share_a_place_and_nothing_is_lost(self) -> None:
        report = swept("9.0", threads="1:256", regs="1:255")
        lines = plain(list(charts.heat_map(map_of(report), 80)))[3:]
        assert len(lines) == 8
        shown = {line.split()[0]: line.split()[1:] for line in lines}
        ends = [int(label.partition("-")[2]) for label in shown]
        assert ends == list(range(32, 257, 32))
        for cell in report.rows():
            threads = cell["threads"]
            row = shown[f"{(threads - 1) // 32 * 32 + 1}-{(threads + 31) // 32 * 32}"]
            expected = f"{int(100 * cell['occupancy'] + 0.5)}%" if cell["occupancy"] else "-"
            assert expected in row

    def test_shades_where_there_is_not(self) -> None:
        report = swept("9.0", threads="32:1024:32", smem="0:227k:1k")
        lines = plain(list(charts.heat_map(map_of(report), 80)))
        assert lines[-1] == charts.SHADES_LEGEND
        assert lines[3].startswith("   32 ▒")
        assert lines[-3].startswith("1,024 █")

    def test_what_is_left_out_is_said(self) -> None:
        report = swept("9.0", threads="32:1024:32", smem="0:227k:1k")
        *_, last = plain(list(charts.heat_map(map_of(report), 20)))
        assert last.endswith("places are left out for want of room.")
        assert int(last.split()[0].replace(",", "")) > 0

    def test_shades_are_those_of_the_legend(self) -> None:
        report = swept("9.0", threads="128,2048", smem="0:227k:1k")
        fitting, too_large = plain(list(charts.heat_map(map_of(report), 40)))[3:5]
        fits = [row["occupancy"] for row in report.rows() if row["threads"] == 128]
        legend = {"█": 0.75, "▓": 0.5, "▒": 0.25, "░": 0}
        expected = [
            next(shade for shade, above in legend.items() if share > above) for share, _ in groupby(fits)
        ]
        cells = fitting.removeprefix("  128 ")
        width = len(cells) // len(expected)
        assert cells == "".join(shade * width for shade in expected)
        assert too_large == "2,048"


class TestScale:
    @pytest.mark.parametrize(
        ("first", "last", "most", "expected"),
        [
            (1, 1024, 9, [128, 256, 384, 512, 640, 768, 896, 1024]),
            (1, 255, 6, [64, 128, 192]),
            (0, 98304, 6, [0, 32768, 65536, 98304]),
            (5, 7, 9, [5, 6, 7]),
            (3, 3, 1, [3]),
        ],
    )
    def test_ticks(self, first: int, last: int, most: int, expected: list[int]) -> None:
        assert ticks(first, last, most) == expected

    def test_carveouts_are_percentages_unless_they_are_sizes(self) -> None:
        assert [scale("carveout").label(value) for value in (0, 100, 65536, "max")] == [
            "0%", "100%", "64 KiB", "max",
        ]  # fmt: skip

    def test_sizes_are_in_kib(self) -> None:
        assert [scale("smem").label(value) for value in (0, 1024, 1536, 98304)] == ["0", "1", "1.5", "96"]
        assert scale("smem").title == "shared memory per block (KiB)"


def test_every_column_of_a_heat_map_is_labelled_by_its_upper_edge() -> None:
    text = str(swept("9.0", threads="32:1024:32", regs="16:128:8"))
    header = next(line for line in text.splitlines() if line.split()[:1] == ["32"])
    assert header.split() == ["32", "40", "48", "56", "64", "72", "80", "96", "128"]
