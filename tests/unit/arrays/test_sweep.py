"""`occupancy.sweep`: shapes, types, options and errors."""

from typing import Any

import numpy as np
import pytest

import occupancy
from occupancy import Limiter
from occupancy.arrays import tables
from occupancy.values.limits import MAX_BLOCK_SIZES


class TestResults:
    def test_one_byte_for_each_answer(self) -> None:
        found = occupancy.sweep(["3.7", "9.0"], threads=range(1, 1025), regs=16)
        arrays = (found.active_blocks, found.active_warps, found.limiters)
        assert {array.dtype for array in arrays} == {np.dtype(np.uint8)}
        assert found.occupancy.dtype == np.float64
        assert found.columns()["active_blocks"].dtype == np.int64

    def test_what_is_not_asked_for_is_not_worked_out(self) -> None:
        found = occupancy.sweep("9.0", threads=[32, 64], outputs="active_blocks")
        assert found.active_blocks.tolist() == [32, 32]
        with pytest.raises(ValueError, match="read-only"):
            found.active_blocks[0] = 1
        with pytest.raises(occupancy.InputError, match="active_warps was not computed"):
            _ = found.occupancy

    def test_a_list_of_chips_comes_first(self) -> None:
        ccs: list[Any] = ["7.5", (9, 0), 86, occupancy.limits("12.0"), "2.0"]
        found = occupancy.sweep(ccs, threads=[64, 1024], regs=40)
        assert found.shape == (5, 2)
        expected = [[occupancy.compute(cc, threads=each, regs=40) for each in (64, 1024)] for cc in ccs]
        assert found.active_blocks.tolist() == [[each.active_blocks for each in row] for row in expected]
        varying = occupancy.sweep("9.0", regs=[1, 2], threads=[[32], [64]]).varying()
        assert list(varying) == ["threads", "regs"]
        assert found.occupancy.tolist() == [[each.occupancy for each in row] for row in expected]

    def test_chunks_do_not_show(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = np.arange(1, 1200)[:, None]
        inputs: dict[str, Any] = {"threads": rows, "regs": rows % 256, "smem": [0, 30000]}
        whole = occupancy.sweep("9.0", **inputs)
        monkeypatch.setattr(tables, "CHUNK", 7)
        in_pieces = occupancy.sweep("9.0", **inputs)
        np.testing.assert_array_equal(whole.active_warps, in_pieces.active_warps)
        np.testing.assert_array_equal(whole.limiters, in_pieces.limiters)

    @pytest.mark.parametrize(
        "dtype",
        [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, float, object],
    )
    def test_all_types_of_whole_numbers(self, dtype: Any) -> None:
        values = np.array([32, 64, 96, 127], dtype)
        found = occupancy.sweep("9.0", threads=values, regs=values, smem=values)
        alone = [occupancy.compute("9.0", threads=n, regs=n, smem=n) for n in (32, 64, 96, 127)]
        assert found.active_blocks.tolist() == [each.active_blocks for each in alone]

    def test_the_largest_values(self) -> None:
        largest = 2**31 - 1
        for dtype in (np.int32, np.int64):
            most = np.array([largest, 32], dtype)
            found = occupancy.sweep("9.0", threads=most, regs=0, static_smem=most, dynamic_smem=most)
            assert found.active_blocks.tolist() == [0, 32]
            assert found.limiters[0] == Limiter.WARPS | Limiter.SHARED_MEMORY

    def test_text_is_read_as_compute_reads_it(self) -> None:
        texts = occupancy.sweep("9.0", threads=["256", "1,024"], regs="40", smem=[["16k"], ["27.5 KiB"]])
        numbers = occupancy.sweep("9.0", threads=[256, 1024], regs=40, smem=[[16384], [28160]])
        assert np.array_equal(texts.active_blocks, numbers.active_blocks)
        assert texts.best() == numbers.best()


class TestRefusals:
    @pytest.mark.parametrize(("inputs", "message"), [
        ({"threads": [32, 0, -1]}, "threads, element 1: 0 is out of range. Allowed: 1 to"),
        ({"threads": [[32], [2**31]]}, "threads, element (1, 0): 2147483648 is out of range"),
        ({"threads": np.array([1, 2**32 + 1], np.uint64)}, "element 1: 4294967297 is out of range"),
        ({"threads": [1, 2**70]}, f"threads, element 1: {2**70} is out of range"),
        ({"threads": [32.0, 32.5]}, "threads, element 1: 32.5 is not an integer"),
        ({"threads": [32, float("nan")]}, "threads, element 1: nan is not an integer"),
        ({"threads": 32, "regs": [64, None]}, "None is not an integer. Allowed: 0 to 255. Replace missing values"),
        ({"threads": 32, "smem": ["16k", "1.5"]}, "smem, element 1: '1.5' is not a size"),
        ({"threads": []}, "threads is empty"),
        ({"threads": [True, False]}, "threads, element 0: True is not an integer"),
        ({"threads": ["32", "x"]}, "threads, element 1: 'x' is not an integer"),
        ({"threads": 256, "regs": "16:255"}, "regs: '16:255' is not an integer"),
        ({"threads": 256, "smem": ["16,32"]}, "smem, element 0: '16,32' is not a size in whole bytes"),
        ({"threads": [[1, 2], [3]]}, "threads has rows of different lengths"),
        ({"threads": np.ma.array([1, 2, 3], mask=[False, False, True])}, "element 2: 3 is masked"),
        ({"threads": 32, "regs": [255, 256]}, "regs, element 1: 256 is out of range"),
        ({"threads": 32, "smem": [0, -4]}, "smem, element 1: -4 is out of range"),
        ({"threads": 32, "static_smem": [0], "dynamic_smem": [2**31]}, "dynamic_smem"),
        ({"threads": 32, "smem": 1, "static_smem": 1}, "smem is the total, so it cannot be combined"),
        ({"threads": [1, 2, 3], "regs": [1, 2]}, "threads (3,), regs (2,)"),
        ({"threads": 32, "outputs": ["occupancy"]}, "Allowed: a list of active_blocks, active_warps, limiters."),
        ({"threads": 32, "outputs": 3}, "outputs: 3 is invalid"),
        ({"threads": 32, "carveout": "17k"}, "17 KiB is neither a percentage nor a shared"),
        ({"threads": 32, "caching": "ca"}, "no caching mode"),
        ({"threads": 32, "model": "spreadsheet"}, "model: spreadsheet does not support"),
    ])  # fmt: skip
    def test_of_wrong_input(self, inputs: dict[str, Any], message: str) -> None:
        with pytest.raises(occupancy.InputError) as caught:
            occupancy.sweep("9.0", **inputs)
        assert message in str(caught.value)

    def test_the_first_bad_element_of_many(self) -> None:
        threads = np.full((3, tables.CHUNK), 32, np.int32)
        threads[1, 5] = threads[2, 0] = -7
        with pytest.raises(occupancy.InputError, match=r"element \(1, 5\): -7 is out of range"):
            occupancy.sweep("9.0", threads=threads)

    def test_of_chips_too_large_to_tabulate(self) -> None:
        huge = occupancy.limits("9.0").replace(
            max_shared_memory_per_multiprocessor=2**30, max_shared_memory_per_block_optin=2**29,
            unified_l1_and_shared_memory=None,
        )  # fmt: skip
        with pytest.raises(occupancy.InputError, match="too large for a sweep"):
            occupancy.sweep(huge, threads=32)
        assert MAX_BLOCK_SIZES <= tables.MAX_ROWS  # all block sizes of any table fit
