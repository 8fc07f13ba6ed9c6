"""Charts of sweeps, of a kernel's curves and of scans."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import occupancy
from occupancy.api.sweep import grid_picture
from occupancy.errors import InputError
from occupancy.render.pictures import PICTURE_FILES, picture_bytes, plot
from occupancy.report.pictures import Picture, StepPlot
from occupancy.tables.gpus import find_gpu
from tests.cli_runner import run


@pytest.fixture(autouse=True)
def without_a_screen() -> Iterator[None]:
    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    yield
    pyplot.close("all")
    matplotlib.use(before)


def drawn(*names: str, marks: tuple[str, ...] = (), title: str | None = None, **kernel: str) -> list[Axes]:
    return plot(grid_picture([find_gpu(name) for name in names], kernel, title=title, marks=marks))


def points(line: Any) -> dict[float, float]:
    return dict(zip(*(np.asarray(line.get_data()).tolist()), strict=True))


def texts(found: Any) -> list[str]:
    return [text.get_text() for text in found]


def test_one_input_is_a_curve_for_each_gpu() -> None:
    (axes,) = drawn("H100", "RTX 4090", threads="192", regs="16:255", smem="40k")
    legend: Any = axes.get_legend()
    assert texts(legend.get_texts()) == ["H100", "RTX 4090"]
    for line, cc in zip(axes.lines, ("9.0", "8.9"), strict=True):
        shares = points(line)
        assert sorted(shares) == list(range(16, 256))
        assert line.get_drawstyle() == "steps-pre"  # values between two points round up
        for regs in (16, 72, 255):
            assert shares[regs] == occupancy.compute(cc, threads=192, regs=regs, smem="40k").occupancy
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Registers per thread", "Occupancy")


def test_marked_values_have_their_own_occupancy() -> None:
    (axes,) = drawn("9.0", "8.9", threads="256", regs="16:255:16", marks=("72,128", "best"))
    for regs, cc in product((72, 128), ("9.0", "8.9")):
        share = occupancy.compute(cc, threads=256, regs=regs).occupancy
        assert any(points(line) == {regs: share} for line in axes.lines)
    assert {"72", "128", "32"} <= set(texts(axes.texts))  # the most registers at the highest occupancy


def test_the_best_block_sizes_are_marked_and_neighbors_once(tmp_path: Path) -> None:
    (axes,) = drawn("9.0", threads="32:1024:32", regs="48", marks=("best",))
    assert {"64", "160", "256", "320", "640", "62.5%"} == set(texts(axes.texts))  # 128 is as good as 160
    several = "block-sizes", "--gpu", "H100,L4", "--regs", "48", "--max-threads", "512"
    assert run(*several, "-o", str(tmp_path / "x.svg")).exit_code == 0
    written = (tmp_path / "x.svg").read_text()
    assert [text in written for text in ("512", "1,024")] == [True, False]
    for changes in ("--smem", "300k"), ("--max-threads", "16"):  # no size launches
        assert run(*several, *changes, "-o", str(tmp_path / "x.svg")).exit_code == 0


def test_two_inputs_are_a_heat_map() -> None:
    (axes,) = drawn("9.0", threads="64:1024:64", regs="16:128:16", marks=("best",))
    (image,) = axes.images
    threads, regs = np.ix_(range(64, 1025, 64), range(16, 129, 16))
    expected = occupancy.sweep("9.0", threads=threads, regs=regs).occupancy
    np.testing.assert_allclose(np.asarray(image.get_array(), float), expected)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Registers per thread", "Threads per block")
    assert axes.get_yticklabels()[-1].get_text() == "1,024"
    assert len(axes.patches) == np.count_nonzero(expected == expected.max())


def test_the_curves_of_a_kernel_mark_its_own_values() -> None:
    axes = occupancy.compute("V100", threads=128, regs=37).plot()
    labels = ["Threads per block", "Registers per thread", "Shared memory per block (KiB)"]
    assert [each.get_xlabel() for each in axes] == labels
    assert [texts(each.texts) for each in axes] == [["128", "75%"], ["37", "75%"], []]
    regs = points(axes[1].lines[0])
    assert (regs[32], regs[40], regs[255]) == (1.0, 0.75, 0.125)
    several = drawn("V100", "H100", threads="128", regs="37")
    assert [len(each.lines) > 1 for each in several] == [True, True, True]


def test_arrays_and_axes_of_the_caller() -> None:
    _, ax = pyplot.subplots()
    found = occupancy.sweep(["9.0", "8.9"], threads=256, regs=np.arange(16, 255))
    assert found.plot(ax) is ax
    assert [len(points(line)) for line in ax.lines] == [239, 239]
    threads, regs = np.ix_([128, 256, 512], [32, 64])
    assert found.plot(occupancy.sweep("9.0", threads=threads, regs=regs).plot()) is not ax
    for cc, given in (("9.0", {"threads": 32}), (["9.0", "8.9"], {"threads": threads, "regs": regs})):
        with pytest.raises(InputError, match=r"plot: . inputs vary on . GPU"):
            occupancy.sweep(cc, **given).plot()


def test_a_sweep_in_words() -> None:
    threads, regs = np.ix_([128, 256], [32, 64])
    best = " ".join(str(occupancy.sweep(["H200 NVL", "8.6"], threads=threads, regs=regs)).split())
    head = "GPU CC Threads Registers Occupancy Blocks Limited by H200 NVL 9.0 128 32 100% 16 warps, registers"
    assert best.startswith(f"The best of 2 x 2 x 2 kernels on H200 NVL, 8.6 {head} ")
    first = occupancy.sweep("8.6", threads=threads, regs=32, outputs=["active_blocks"])
    words = "The first of 2 x 1 kernels on 8.6 CC Threads Blocks 8.6 128 12 8.6 256 6"
    assert " ".join(str(first).split()) == words
    one, some = (str(occupancy.sweep("9.0", threads=each, regs=80)) for each in (1024, [128, 1024, 1024]))
    assert one == "1 kernel on 9.0: no kernel launches"
    assert some.startswith("The best of 3 kernels on 9.0: 2 do not launch")


def test_files_and_that_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert set(starts) == set(PICTURE_FILES)
    for suffix, start in starts.items():
        path = tmp_path / f"chart{suffix.upper()}"
        assert run("sweep", "--cc", "9.0", "-t", "128,256", "-o", str(path)).exit_code == 0
        assert start in path.read_bytes()[:500]
    picture = Picture("a", [StepPlot("regs", [16, 32, 64], {"": [1, 0.5, 0.25]}, [32])])
    assert picture_bytes(picture, "a.svg") == picture_bytes(picture, "b.svg")
    with pytest.raises(InputError, match=r"is not the name of a picture. Allowed: .svg, .png, .pdf"):
        picture_bytes(picture, "chart.gif")
