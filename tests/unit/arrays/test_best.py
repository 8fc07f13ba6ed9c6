from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import occupancy
from occupancy.arrays import best

THREADS = np.array([32, 1024, 96, 160, 2048, 64, 512])
REGS = np.array([40, 16, 255, 64])


@pytest.mark.parametrize("n", [1, 2, 7, 20, 43, 44, 45, 1000])
def test_is_what_sorting_all_answers_one_by_one_gives(n: int) -> None:
    chips = ["8.6", "9.0"]
    threads, regs = np.ix_(THREADS, REGS)
    found = occupancy.sweep(chips, threads=threads, regs=regs, smem=4096)
    expected = []
    for chip, row, column in product(range(2), range(len(THREADS)), range(len(REGS))):
        kernel: dict[str, Any] = {"threads": int(THREADS[row]), "regs": int(REGS[column]), "smem": 4096}
        answer = occupancy.compute(chips[chip], **kernel)
        if answer.launchable:
            expected.append(
                {
                    "index": (chip, row, column), "cc": chips[chip], **kernel,
                    "active_blocks": answer.active_blocks, "active_warps": answer.active_warps,
                    "limiters": answer.limiters, "occupancy": answer.occupancy,
                }
            )  # fmt: skip
    expected.sort(key=lambda each: (-each["occupancy"], -each["regs"], each["threads"], each["index"]))
    assert len(expected) == 44  # of 56: no 2,048 threads, no 255 registers for 512 and 1,024
    of_chips = [[row for row in expected if row["cc"] == chip] for chip in chips]
    assert found.best(n) == [row for of_chip in of_chips for row in of_chip[:n]]
    in_order = sorted(expected, key=lambda each: each["index"])
    assert [row for row in found.rows() if row["active_blocks"]] == in_order


def test_what_does_not_launch_is_never_among_them() -> None:
    assert occupancy.sweep("9.0", threads=[2048, 1025]).best() == []
    assert [row["index"] for row in occupancy.sweep("9.0", threads=[2048, 64, 1025]).best()] == [(1,)]


def test_a_single_answer_products_and_numbers_in_other_types() -> None:
    (row,) = occupancy.sweep("9.0", threads=64, outputs=["active_warps"]).best()
    assert row == {"index": (), "cc": "9.0", "threads": 64, "active_warps": 64, "occupancy": 1.0}
    rows = occupancy.sweep(["H100", "RTX 4090"], threads=[[256.0, 128.0]], regs=np.uint8(40)).best(2)
    assert [(row["gpu"], row["cc"], row["threads"], row["regs"]) for row in rows] == [
        ("H100", "9.0", 128, 40),
        ("H100", "9.0", 256, 40),
        ("GeForce RTX 4090", "8.9", 128, 40),
        ("GeForce RTX 4090", "8.9", 256, 40),
    ]
    assert {type(row["threads"]) for row in rows} == {int}


def test_of_equal_answers_the_first_of_the_arrays_is_among_them() -> None:
    threads = np.full((40, 50), 256)
    threads[7, 3] = threads[30, 9] = 128
    rows = occupancy.sweep("9.0", threads=threads, regs=32).best(5)
    assert [row["index"] for row in rows] == [(7, 3), (0, 0)]
    on_both = occupancy.sweep(["9.0", "8.0"], threads=threads, regs=32).best(5)
    assert [row["index"] for row in on_both] == [(0, 7, 3), (0, 0, 0), (1, 7, 3), (1, 0, 0)]


def test_of_the_same_occupancy_those_with_more_registers_and_shared_memory_come_first() -> None:
    threads, regs, smem = np.ix_([1024, 64, 512], [16, 32, 40], [0, 1024, 90_000])
    for name in ("smem", "dynamic_smem", "static_smem"):
        given: dict[str, Any] = {"threads": threads, "regs": regs, name: smem}
        found = occupancy.sweep("9.0", **given)
        assert [(row["regs"], row[name], row["threads"]) for row in found.best(4)] == [
            (32, 90_000, 1024), (32, 1024, 64), (32, 1024, 512), (16, 90_000, 1024),
        ]  # fmt: skip


def test_of_those_with_the_same_threads_and_registers_the_one_that_uses_the_most_is_there() -> None:
    threads, regs, smem, barriers = np.ix_([64, 256], [32, 200], range(0, 24_576, 4096), [1, 16, 2])
    found = occupancy.sweep("9.0", threads=threads, regs=regs, smem=smem, barriers=barriers)
    rows = found.best(100)
    kinds = [(row["occupancy"], row["threads"], row["regs"]) for row in rows]
    assert len(kinds) == len(set(kinds))
    for row, kind in zip(rows, kinds, strict=True):  # of all the answers there are
        occupied, of_threads, of_regs = kind
        at = found.occupancy[[64, 256].index(of_threads), [32, 200].index(of_regs)]
        places = np.argwhere(at == np.float32(occupied)).tolist()
        most = max((int(smem.flat[place]), int(barriers.flat[other])) for place, other in places)
        assert (row["smem"], row["barriers"]) == most
    assert {kind[0] for kind in kinds} == set(found.occupancy.ravel().tolist())


def test_print_shows_the_same() -> None:
    threads, regs, smem = np.ix_([128, 256, 512], [32, 40], range(0, 60_000, 1024))
    found = occupancy.sweep("9.0", threads=threads, regs=regs, dynamic_smem=smem)
    lines = str(found).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("Threads  Regs"))
    shown = [(int(line.split()[0]), int(line.split()[1])) for line in lines[start + 1 :]]
    assert shown == [(row["threads"], row["regs"]) for row in found.best(10)]


def test_rows_are_all_answers_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best, "PIECE", 7)
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


@pytest.mark.parametrize(("n", "message"), [(0, "n: 0 is out of range"), (1.5, "n: 1.5 is not a whole")])
def test_refusals(n: Any, message: str) -> None:
    with pytest.raises(occupancy.InputError, match=f"^{message}"):
        occupancy.sweep("9.0", threads=64).best(n)
    with pytest.raises(occupancy.InputError, match="active_warps was not asked for"):
        occupancy.sweep("9.0", threads=64, outputs=["limiters"]).best()
