from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import occupancy
from occupancy.arrays import results
from occupancy.report.sweep import BEST, Point, best

THREADS = np.array([32, 1024, 96, 160, 2048, 64, 512])
REGS = np.array([40, 16, 255, 64])


@pytest.mark.parametrize("n", [1, 2, 7, 20, 29, 30, 31, 1000])
def test_is_what_sorting_all_answers_one_by_one_gives(n: int) -> None:
    chips = ["8.6", "9.0"]
    threads, regs = np.ix_(THREADS, REGS)
    found = occupancy.sweep(chips, threads=threads, regs=regs, smem=4096)
    expected = []
    for chip, row, column in product(range(2), range(len(THREADS)), range(len(REGS))):
        kernel: dict[str, Any] = {"threads": int(THREADS[row]), "regs": int(REGS[column]), "smem": 4096}
        answer = occupancy.compute(chips[chip], **kernel)
        if answer.launchable:
            names = ("active_blocks", "active_warps", "limiters", "occupancy")
            answers = {name: getattr(answer, name) for name in names}
            expected.append({"index": (chip, row, column), "cc": chips[chip], **kernel, **answers})
    assert len(expected) == 44  # of 56: no 2,048 threads, no 255 registers for 512 and 1,024
    assert [row for row in found.rows() if row["active_blocks"]] == expected
    assert list(found.best(n)) == best_of(expected, n)
    assert list(found.best()) == best_of(expected, 10)
    assert len(best_of(expected, 1000)) < len(expected)


def best_of(rows: list[dict[str, Any]], n: int) -> list[dict[str, Any]]:
    """Return the first ``n`` rows of each compute capability without dominated rows, best first."""
    same = itemgetter("cc", "threads", "occupancy")
    most = {same(row): row["regs"] for row in sorted(rows, key=itemgetter("regs"))}
    kept = [row for row in rows if row["regs"] == most[same(row)]]
    kept.sort(key=lambda each: (-each["occupancy"], -each["regs"], each["threads"], each["index"]))
    return [row for cc in ("8.6", "9.0") for row in [each for each in kept if each["cc"] == cc][:n]]


@given(
    st.lists(
        st.tuples(*map(st.sampled_from, ([64, 128], [16, 40, 48], [0, 1024], [0, 2, 4], [0, 16], [32, 64]))),
        min_size=1,
    )
)
def test_points_of_the_command_line_are_chosen_by_the_same_rule(kernels: list[tuple[int, ...]]) -> None:
    names = ("threads", "regs", "smem", "barriers", "virtual_resources", "tensor_memory")
    columns: dict[str, Any] = dict(zip(names, np.array(kernels).T, strict=True))
    rows = occupancy.sweep("10.0", **columns).best()
    points = []
    for kernel in kernels:
        inputs: dict[str, Any] = dict(zip(names, kernel, strict=True))
        result = occupancy.compute("10.0", **inputs)
        points.append(Point(result.gpu, inputs, result))
    chosen = [{name: row[name] for name in names} for row in rows]
    assert [point.inputs for point in best(points, BEST)] == chosen


def test_no_answer_is_left_out_that_uses_more_of_something() -> None:
    """Check arrays that are not a grid: several rows with the same threads and occupancy remain."""
    pairs = [(32, 1024), (16, 4096), (31, 1024), (16, 1024), (8, 2048), (24, 2048)]
    regs, smem = (np.array(each) for each in zip(*pairs, strict=True))
    found = occupancy.sweep("9.0", threads=256, regs=regs, smem=smem).best()
    assert [(row["regs"], row["smem"]) for row in found] == [(32, 1024), (24, 2048), (16, 4096)]


def test_a_single_answer_products_and_numbers_in_other_types() -> None:
    (row,) = occupancy.sweep("9.0", threads=64, outputs=["active_warps"]).best()
    assert row == {"index": (), "cc": "9.0", "threads": 64, "active_warps": 64, "occupancy": 1.0}
    rows = occupancy.sweep(["H100", "RTX 4090"], threads=[[256.0, 128.0]], regs=np.uint8(40)).best(2)
    gpus = (("H100", "9.0"), ("GeForce RTX 4090", "8.9"))
    found = [((row["gpu"], row["cc"]), row["threads"], row["regs"]) for row in rows]
    assert found == list(product(gpus, (128, 256), (40,)))
    assert {type(row["threads"]) for row in rows} == {int}


def test_columns_are_the_rows_as_arrays() -> None:
    threads, regs = np.ix_(THREADS, REGS)
    found = occupancy.sweep(["H100", "A100"], threads=threads, regs=regs, smem=4096)
    columns = found.columns()
    assert {each.shape for each in columns.values()} == {(56,)}
    lines = zip(*(each.tolist() for each in columns.values()), strict=True)
    for line, expected in zip(lines, found.rows(), strict=True):
        del expected["index"]
        row = dict(zip(columns, line, strict=True))
        assert row == {**expected, "limiters": ";".join(expected["limiters"])}
    alone = occupancy.sweep("9.0", threads=64, outputs=["active_blocks"]).columns()
    values = {name: each.tolist() for name, each in alone.items()}
    assert values == {"cc": ["9.0"], "threads": [64], "active_blocks": [32]}


def test_rows_are_all_answers_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "CHUNK", 7)
    threads, regs = np.ix_(THREADS, REGS)
    found = occupancy.sweep(["H100", "A100"], threads=threads, regs=regs)
    rows = list(found.rows())
    assert [row["index"] for row in rows] == list(np.ndindex(found.shape))
    assert [row["active_blocks"] for row in rows] == found.active_blocks.ravel().tolist()
    assert [row["gpu"] for row in rows] == ["H100"] * 28 + ["A100"] * 28
    for row in (each for each in rows if each["active_blocks"]):
        alone = occupancy.compute(row["gpu"], threads=row["threads"], regs=row["regs"])
        assert (row["occupancy"], row["limiters"]) == (alone.occupancy, alone.limiters)
    (row,) = occupancy.sweep("9.0", threads=64, outputs=["active_blocks"]).rows()
    assert row == {"index": (), "cc": "9.0", "threads": 64, "active_blocks": 32}


def test_the_best_of_some() -> None:
    threads, regs = np.ix_(THREADS, REGS)
    found = occupancy.sweep(["8.6", "9.0"], threads=threads, regs=regs)
    for where in (regs >= 40, (found.active_blocks >= 2) & (threads < 512), found.occupancy < 1):
        wanted = np.broadcast_to(where, found.shape)
        # The best of all inputs, unless the input that dominates it is masked.
        rows = [row for row in found.rows() if wanted[row["index"]] and row["active_blocks"]]
        assert list(found.best(5, where=where)) == best_of(rows, 5)
        assert found.best(5) == found.best(5, where=np.ones(found.shape, bool))
    assert {row["cc"] for row in found.best(5, where=np.arange(2).reshape(2, 1, 1) == 1)} == {"9.0"}
    for wrong in (np.ones((3, 4), bool), np.arange(4), [True, False]):
        with pytest.raises(occupancy.InputError, match=r"^where: .*Allowed: bool of shape \(2, 7, 4\)"):
            found.best(where=wrong)


@pytest.mark.parametrize(("n", "message"), [(0, "n: 0 is out of range"), (1.5, "n: 1.5 is not an integer")])
def test_refusals(n: Any, message: str) -> None:
    with pytest.raises(occupancy.InputError, match=f"^{message}"):
        occupancy.sweep("9.0", threads=64).best(n)
    with pytest.raises(occupancy.InputError, match="active_warps was not computed"):
        occupancy.sweep("9.0", threads=64, outputs=["limiters"]).best()


def test_select_leads_from_a_mask_back_to_configurations() -> None:
    m, stages, warps = np.ix_([64, 128], [2, 3, 4], [4, 8])
    found = occupancy.sweep(["8.9", "9.0"], threads=32 * warps, smem=2 * stages * m * 128)
    both = (found.active_blocks >= 1).all(axis=0)
    configurations = found.select(both, BLOCK_M=m, num_stages=stages, num_warps=warps)
    assert configurations == [
        {"BLOCK_M": one, "num_stages": two, "num_warps": three}
        for one, two, three in product((64, 128), (2, 3, 4), (4, 8))
        if occupancy.compute("8.9", threads=32 * three, smem=2 * two * one * 128).active_blocks
    ]
    assert {type(value) for each in configurations for value in each.values()} == {int}
    assert found.select(both)[0] == {"threads": 128, "smem": 32768}
    with pytest.raises(occupancy.InputError, match="mask: int64 is invalid"):
        found.select(np.arange(3))
    with pytest.raises(occupancy.InputError, match=r"broadcast: mask \(5,\), sweep"):
        found.select(np.ones(5, bool), x=np.arange(5))  # the mask of another sweep
    with pytest.raises(occupancy.InputError, match=r"broadcast: mask \(2, 3, 2\), .*x \(4,\)"):
        found.select(both, x=[1, 2, 3, 4])
    one = occupancy.sweep("9.0", threads=np.array([[128], [256]]), regs=np.array([[32]]))
    assert [each["tile"] for each in one.select(one.occupancy == 1, tile=[[1, 2]])] == [1, 2, 1, 2]
