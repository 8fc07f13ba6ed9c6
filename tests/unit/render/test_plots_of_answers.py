"""Pictures of several chips, and ``.plot()`` of what the library answers."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import occupancy
from occupancy.api.sweep import sweep_grid, sweep_picture
from occupancy.render.charts import Curves
from occupancy.render.plot import MARK_COLOR, draw, plot
from occupancy.render.words import percent
from occupancy.report.sweep import SweepReport
from occupancy.tables.gpus import find_gpu
from tests.cli_runner import run

CHIPS = ("H100", "RTX 4090")


@pytest.fixture(autouse=True)
def without_a_screen() -> Iterator[None]:
    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    yield
    pyplot.close("all")
    matplotlib.use(before)


def swept(regs: str = "16:255") -> SweepReport:
    report = sweep_grid([find_gpu(name) for name in CHIPS], {"threads": "192", "regs": regs, "smem": "40k"})
    assert isinstance(report, SweepReport)
    return report


def legend_of(axes: Axes) -> list[str]:
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_a_curve_for_each_chip_with_its_name() -> None:
    (axes,) = draw(swept().picture()).axes
    assert legend_of(axes) == ["H100", "GeForce RTX 4090"]
    for line, cc in zip(axes.lines, ("9.0", "8.9"), strict=True):
        drawn = dict(zip(*(np.asarray(line.get_data()).tolist()), strict=True))
        assert sorted(drawn) == list(range(16, 256))
        for regs in (16, 72, 255):
            answer = occupancy.compute(cc, threads=192, regs=regs, smem="40k")
            assert drawn[regs] == pytest.approx(100 * answer.occupancy)


def test_a_mark_and_a_title() -> None:
    figure = draw(swept().picture("My kernel", [72, 96]))
    (title,) = [text.get_text() for text in figure.texts]
    assert title == "My kernel\n192 threads per block, 40 KiB of shared memory per block"
    (axes,) = figure.axes
    assert np.asarray(axes.lines[2].get_xdata()).tolist() == [72, 72]
    at = {
        (cc, regs): occupancy.compute(cc, threads=192, regs=regs, smem="40k").occupancy
        for cc in ("9.0", "8.9")
        for regs in (72, 96)
    }
    # No number stands among the curves, where it would hide steps.
    assert [text.get_text() for text in axes.texts] == ["72", "96"]
    assert legend_of(axes) == [
        f"{name}: {percent(at[cc, 72])} at 72, {percent(at[cc, 96])} at 96"
        for name, cc in (("H100", "9.0"), ("GeForce RTX 4090", "8.9"))
    ]
    points = {
        (float(np.asarray(line.get_xdata())[0]), float(np.asarray(line.get_ydata())[0]))
        for line in axes.lines
        if line.get_marker() == "o" and line.get_color() == MARK_COLOR
    }
    assert points == {(regs, 100 * share) for (_, regs), share in at.items()}


def test_where_nothing_was_counted_at_a_mark_the_nearest_value_is_named() -> None:
    (axes,) = draw(swept("16:128:16").picture(marks=[70])).axes
    assert [label.rpartition(" at ")[2] for label in legend_of(axes)] == ["64", "64"]


def test_a_curve_without_a_name_has_its_number_at_the_mark() -> None:
    report = sweep_grid([find_gpu("9.0")], {"threads": "192", "regs": "16:255"})
    assert isinstance(report, SweepReport)
    (axes,) = draw(report.picture(marks=[72])).axes
    share = occupancy.compute("9.0", threads=192, regs=72).occupancy
    assert ([text.get_text() for text in axes.texts], legend_of(axes)) == (["72", percent(share)], [])


@pytest.mark.parametrize("regs", ["72", "16:255"])
def test_the_legend_covers_no_curve(regs: str) -> None:
    chips = [find_gpu(name) for name in (*CHIPS, "A100", "V100", "T4", "L4")]
    kernel, marks = {"threads": "192", "regs": regs, "smem": "16k"}, [72, 96] if ":" in regs else []
    figure = draw(sweep_picture(chips, kernel, None, marks))
    figure.draw_without_rendering()
    first = figure.axes[0]
    legend = first.get_legend()
    assert legend is not None
    box = legend.get_window_extent()
    assert box.y0 >= first.bbox.y1
    assert box.x1 <= (figure.axes[1].bbox.x0 if len(figure.axes) > 1 else first.bbox.x1)
    assert not any(text.get_window_extent().overlaps(box) for text in (*first.texts, *figure.texts))


def test_one_kernel_on_several_chips_is_the_three_curves_with_one_for_each() -> None:
    chips = [find_gpu("H100"), find_gpu("RTX 4090")]
    kernel = {"threads": "192", "regs": "72", "smem": "40k"}
    picture = sweep_picture(chips, kernel)
    assert picture.title.endswith("\nBlocks of 192 threads, 72 registers and 40 KiB of shared memory")
    panels = draw(picture).axes
    assert [np.asarray(panel.lines[0].get_xdata()).size > 10 for panel in panels] == [True] * 3
    now = [
        percent(occupancy.compute(cc, threads=192, regs=72, smem="40k").occupancy) for cc in ("9.0", "8.9")
    ]
    assert legend_of(panels[0]) == [f"H100: {now[0]} now", f"GeForce RTX 4090: {now[1]} now"]
    assert legend_of(panels[1]) == []
    assert [[text.get_text() for text in panel.texts] for panel in panels] == [["192"], ["72"], ["40 KiB"]]
    for chart, name in zip(picture.charts, ("threads", "regs", "smem"), strict=True):
        assert isinstance(chart, Curves)
        for (label, shares), cc in zip(chart.lines, ("9.0", "8.9"), strict=True):
            for value, share in zip(chart.axis.values, shares, strict=True):
                given: dict[str, Any] = {"threads": 192, "regs": 72, "smem": 40960, name: value}
                assert share == occupancy.compute(cc, **given).occupancy, (label, name, value)


def test_the_command_draws_them(tmp_path: Path) -> None:
    kernel = ("sweep", "--gpu", "H100,RTX 4090", "-t", "192")
    target = tmp_path / "curves.png"
    done = run(*kernel, "--regs", "16:255", "-o", str(target), "--mark", "72", "--title", "Registers")
    assert (done.exit_code, target.read_bytes()[:4]) == (0, b"\x89PNG")
    for wrong, message in (
        ((*kernel, "--regs", "40", "-o", str(target), "--mark", "72"), "there is no curve on which"),
        ((*kernel, "--regs", "16:255", "--mark", "72"), "--mark: is for a picture"),
        (
            (*kernel, "--regs", "16:255", "-o", str(target), "--mark", "72", "--mark", "300"),
            "--mark: 300 is outside of the axis, registers per thread. Allowed: 16 to 255.",
        ),
        (
            (*kernel, "--smem", "0:64k:1k", "-o", str(target), "--mark", "99k"),
            "--mark: 99 KiB is outside of the axis, shared memory per block. Allowed: 0 bytes to 64 KiB.",
        ),
        ((*kernel, "--regs", "16:255", "--title", "x"), "--title: is for a picture"),
        (
            ("sweep", "--cc", "9.0", "-t", "64", "-o", str(target), "--mark", "1"),
            "mark the kernel's own values",
        ),
    ):
        refused = run(*wrong, columns=200)
        assert (refused.exit_code, message in refused.stderr) == (2, True), refused.output


def test_narrow_axes_have_fewer_labels_which_do_not_touch() -> None:
    threads, regs = np.ix_(range(32, 1025, 32), range(16, 256))
    found = occupancy.sweep("9.0", threads=threads, regs=regs)
    figure, panels = pyplot.subplots(1, 3, figsize=(12, 4))
    found.plot(ax=panels[0])
    occupancy.sweep("9.0", threads=256, smem=np.arange(0, 1 << 17, 1024)).plot(ax=panels[1])
    figure.canvas.draw()
    for panel in panels[:2]:
        boxes = [label.get_window_extent() for label in panel.get_xticklabels()]
        assert len(boxes) > 2
        assert all(one.x1 < two.x0 for one, two in itertools.pairwise(boxes))
    (wide,) = found.plot().figure.axes[:1]
    assert len(wide.get_xticks()) > len(panels[0].get_xticks())


@pytest.mark.parametrize("word", ["registers ", "W" * 60 + " ", "i", "W"])
def test_a_long_title_stays_within_the_picture(word: str) -> None:
    report = sweep_grid([find_gpu("9.0")], {"threads": "192", "regs": "16:255"})
    assert isinstance(report, SweepReport)
    picture = report.picture(word * (600 // len(word)))
    plot(picture)
    for figure in (draw(picture), pyplot.gcf()):
        figure.draw_without_rendering()
        (title,) = figure.texts
        box = title.get_window_extent()
        assert figure.bbox.x0 < box.x0 < box.x1 < figure.bbox.x1
        assert box.width > figure.bbox.width / 2, "it takes no more lines than it must"
    (short,) = draw(report.picture("Registers")).texts
    assert short.get_window_extent().height < box.height


def test_a_map_that_is_drawn_small_has_sharp_cells_and_a_label_as_high_as_it_has_room_for() -> None:
    threads, regs = np.ix_(range(32, 1025, 32), range(16, 256, 8))
    found = occupancy.sweep("H100", threads=threads, regs=regs)
    _, panels = pyplot.subplots(2, 2, layout="constrained")
    _, alone = pyplot.subplots(1, 2, layout="constrained", figsize=(13, 5))
    for panel, label in ((panels[1, 1], "occupancy (%)\ngrey: does not fit"), (alone[0], None)):
        found.plot(ax=panel)
        assert panel.images[0].get_interpolation() == "nearest"
        bar = panel.figure.axes[-1]
        assert bar.get_ylabel() == (label or "occupancy (%); grey: does not fit")
        panel.figure.draw_without_rendering()
        box = bar.yaxis.label.get_window_extent()
        assert panel.figure.bbox.y0 < box.y0 < box.y1 < panel.figure.bbox.y1


def test_titles_and_labels_of_small_pictures_do_not_overlap() -> None:
    threads, regs = np.ix_(range(32, 1025, 32), range(16, 256, 8))
    figure, panels = pyplot.subplots(2, 2, layout="constrained")
    for row in panels:
        occupancy.sweep("H100", threads=threads[:, 0], regs=40, smem=20_000).plot(ax=row[0])
        occupancy.sweep("A100", threads=threads, regs=regs, smem="8k").plot(ax=row[1])
    figure.canvas.draw()
    for each in panels.flat:
        title = each.title.get_window_extent()
        others = [panel for panel in panels.flat if panel is not each]
        assert not any(title.overlaps(panel.get_tightbbox()) for panel in others)
        assert "Occupancy by threads per block" in each.get_title().replace("\n", " ")
        boxes = [label.get_window_extent() for label in each.get_yticklabels()]
        assert len(boxes) > 1
        assert all(one.y1 < two.y0 for one, two in itertools.pairwise(boxes))


@pytest.mark.parametrize("size", [(6, 1.6), (3, 1.6), (2.4, 1.8), (10, 2)])
@pytest.mark.parametrize("shape", [(32, 1), (32,)])
def test_labels_do_not_touch_where_a_layout_makes_axes_small(
    size: tuple[float, float], shape: tuple[int, ...]
) -> None:
    more = {"tensor_memory": np.arange(32, 513, 32)} if len(shape) > 1 else {"regs": 40}
    found = occupancy.sweep("10.0", threads=np.arange(32, 1025, 32).reshape(shape), **more)
    figure, panel = pyplot.subplots(figsize=size, layout="constrained")
    found.plot(ax=panel)
    figure.canvas.draw()
    for each in figure.axes:  # the bar of the colours too
        across = [label.get_window_extent() for label in each.get_xticklabels()]
        up = [label.get_window_extent() for label in each.get_yticklabels()]
        assert len(up) >= 2
        assert all(one.x1 < two.x0 for one, two in itertools.pairwise(across))
        assert all(one.y1 < two.y0 for one, two in itertools.pairwise(up))
    assert pickle.loads(pickle.dumps(figure)).axes[0].get_xlabel() == panel.get_xlabel()
    figure.set_size_inches(12, 9)
    figure.canvas.draw()
    assert len(panel.get_yticks()) >= 5  # as many as there is room for, whenever it is drawn


def test_an_answer_plots_its_three_curves() -> None:
    axes = occupancy.compute("9.0", threads=256, regs=40).plot()
    assert [isinstance(each, Axes) for each in axes] == [True] * 3
    assert [each.get_xlabel() for each in axes][:2] == ["threads per block", "registers per thread"]


def test_a_sweep_plots_a_curve_for_each_chip_or_a_map() -> None:
    threads, regs = np.arange(32, 1025, 32), np.arange(16, 129, 8)
    axes = occupancy.sweep(list(CHIPS), threads=threads, regs=40).plot()
    assert legend_of(axes) == ["H100", "GeForce RTX 4090"]
    assert axes.lines[0].get_xdata().tolist() == threads.tolist()
    found = occupancy.sweep("9.0", threads=threads, regs=40)
    _, own = pyplot.subplots()
    assert found.plot(own) is own
    assert own.lines[0].get_ydata() == pytest.approx((100 * found.occupancy).tolist())
    one = occupancy.sweep("9.0", threads=threads[:, None], regs=regs)
    for across, grid in (("registers per thread", one), ("threads per block", _turned(threads, regs))):
        drawn = grid.plot()
        assert drawn.get_xlabel() == across
        shown = np.ma.filled(drawn.images[0].get_array(), 0)
        assert np.nan_to_num(shown) == pytest.approx(100 * grid.occupancy)
    drawn = occupancy.sweep("9.0", threads=threads, regs=40).plot()
    assert legend_of(drawn) == []  # the title names the one chip
    assert drawn.figure._suptitle.get_text().endswith("\ncompute capability 9.0, 40 registers per thread")
    drawn = occupancy.sweep("9.0", threads=threads[:, None], regs=np.arange(16, 256)).plot()
    assert [text.get_text() for text in drawn.get_xticklabels()][:3] == ["16", "32", "48"]
    with pytest.raises(occupancy.InputError, match=r"2 chips\. One picture for each chip: sweep"):
        occupancy.sweep(list(CHIPS), threads=threads[:, None], regs=regs).plot()
    with pytest.raises(occupancy.InputError, match="0 inputs varied on 1 chip"):
        occupancy.sweep("9.0", threads=64).plot()


def _turned(threads: np.ndarray[tuple[int], np.dtype[np.int64]], regs: object) -> occupancy.Sweep:
    return occupancy.sweep("9.0", threads=threads, regs=np.asarray(regs)[:, None])


def test_the_first_plot_leaves_how_figures_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    # As a notebook does when its first figure is made.
    make = pyplot.figure
    monkeypatch.setattr(pyplot, "figure", lambda **given: (pyplot.ion(), make(**given))[1])
    pyplot.ioff()
    try:
        occupancy.sweep("9.0", threads=256, regs=range(16, 256)).plot()
        assert matplotlib.is_interactive()
    finally:
        pyplot.ioff()


def test_a_scan_plots_its_kernels(samples: Path) -> None:
    scanned = occupancy.scan(samples / "samples.fatbin")
    axes = scanned.plot()
    assert len(axes.patches) == len(scanned)
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(
        sorted(100 * (kernel.occupancy or 0) for kernel in scanned)
    )
    assert axes.get_title() == ""
    few = scanned.plot(limit=2)
    assert [bar.get_width() for bar in few.patches] == pytest.approx(
        sorted(100 * (kernel.occupancy or 0) for kernel in scanned)[:2]
    )
    assert few.figure._suptitle.get_text().endswith("the lowest 2 of them")
    first = occupancy.scan(samples / "samples.fatbin", sort="regs").plot(limit=2)
    assert first.figure._suptitle.get_text().endswith("the first 2 of them")
