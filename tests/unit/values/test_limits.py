from typing import Any

import numpy as np
import pytest

import occupancy
from occupancy import ComputeCapability, InputError, TableError
from occupancy.values.limits import KIND_CHECKS, KINDS


@pytest.mark.parametrize(("spelling", "expected"), [
    ("9.0", (9, 0)), (" 9.0 ", (9, 0)), ("90", (9, 0)), ("sm_90", (9, 0)), ("sm90", (9, 0)),
    ("SM_90a", (9, 0)), ("sm_100f", (10, 0)), ("compute_90", (9, 0)), ("9.0a", (9, 0)),
    ("9.0+PTX", (9, 0)), ("90a-real", (9, 0)), ("90-virtual", (9, 0)), ("cc 8.6", (8, 6)),
    ("sm_120", (12, 0)), ("120", (12, 0)), ("12.10", (12, 10)), (90, (9, 0)), (121, (12, 1)),
    ((9, 0), (9, 0)), ([8, 6], (8, 6)),
])  # fmt: skip
def test_reads_every_spelling(spelling: object, expected: tuple[int, int]) -> None:
    assert ComputeCapability.parse(spelling) == expected


@pytest.mark.parametrize("wrong", [
    "", "9", "9.", "x", "sm_", "9000", "9.0b", "sm_90 80", "٩٫٠", "٩.٠", "９０", (True, False),
    (9, True), pytest.param((10**5000, 0), id="5001 digits in a pair"),
    pytest.param(10**5000, id="5001 digits"), 9, 12, 9000, True, None, (9,), (9, 0, 0), (0, 1),
])  # fmt: skip
def test_refuses_what_is_no_compute_capability(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^gpu: "):
        ComputeCapability.parse(wrong)


def test_is_written_as_people_write_it_and_never_as_a_float() -> None:
    for number in (12.10, 9.0, float("nan")):
        with pytest.raises(InputError, match=r"12\.10 from 12\.1"):
            ComputeCapability.parse(number)
    assert str(ComputeCapability(12, 0)) == "12.0"
    assert ComputeCapability(12, 0).sm == "sm_120"
    assert ComputeCapability(9, 0) < ComputeCapability(12, 0)


def test_replace_takes_lists_the_integers_of_numpy_and_the_spellings_of_a_compute_capability() -> None:
    sizes: dict[str, Any] = {
        "max_blocks_per_multiprocessor": np.int64(4),
        "max_block_dim": [64, np.int32(64), 64.0],
    }
    changed = occupancy.limits("9.0").replace(compute_capability="13.0", **sizes)
    assert str(changed.compute_capability) == "13.0"
    assert type(changed.max_blocks_per_multiprocessor) is int
    assert changed.max_block_dim == (64, 64, 64)
    assert hash(changed) is not None
    assert set(KINDS.values()) <= set(KIND_CHECKS), "every field is checked"


def test_replace_of_shared_memory_changes_the_limits_that_follow() -> None:
    changed = occupancy.limits("9.0").replace(
        max_shared_memory_per_multiprocessor=120 * 1024, max_shared_memory_per_block_optin=119 * 1024
    )
    assert [size // 1024 for size in changed.shared_memory_configurations] == [0, 8, 16, 32, 64, 100, 120]
    changed = occupancy.limits("6.1").replace(max_shared_memory_per_block=16384)
    assert changed.changes["max_shared_memory_per_block_optin"] == 16384
    note = " ".join(str(occupancy.compute(changed, threads=32)).split())
    assert "custom 6.1 that differ from the table: max_shared_memory_per_block=16 KiB" in note
    assert not occupancy.compute(changed, threads=32, smem=16385).launchable
    hopper = occupancy.limits("9.0").replace(max_shared_memory_per_block=16384)
    assert hopper.max_shared_memory_per_block_optin == 232448


@pytest.mark.parametrize(("change", "complaint"), [
    ({"max_blocks": 4}, "max_blocks is unknown. Did you mean max_blocks_per_multiprocessor"),
    ({"max_warps_per_multiprocessor": 96}, "Set max_threads_per_multiprocessor, from which"),
    ({"max_blocks_per_multiprocessor": "4x"}, "'4x' is invalid. Allowed: a whole number"),
    *(({"max_blocks_per_multiprocessor": value}, text) for value, text in (
        (True, "True is invalid"), (None, "a value is required"), (0, "out of range"))),
    ({"cc": "9.5"}, "Did you mean compute_capability"), ({"foo": 1}, r"run `print\(occupancy.sources\(\)\)`\.$"),
    ({"max_shared_memory_per_multiprocessor": "300k"}, "307,200 contradicts .* Allowed: up to 262,144."),
    ({"max_block_dim": (1, 2)}, "three whole numbers"), ({"architecture": None}, "text"),
    ({"shared_memory_configurations": ("a",)}, "whole numbers"), ({"spreadsheet": {}}, "names and values"),
    ({"partitioned_global_caching": 1}, "true or false"), ({"register_allocation_granularity": 0}, '"warp" or'),
    ({"max_threads_per_multiprocessor": 2047}, "contradicts warp_size. Allowed: a multiple of 32"),
    ({"max_registers_per_thread": 256}, "256 is out of range. Allowed: 1 to 255"),
    ({"max_threads_per_block": 2**31 - 1}, "2,147,483,647 contradicts warp_size. Allowed: up to 262,144"),
    *(({"reserved_shared_memory_per_block": size}, text) for size, text in (
        (-1, "Allowed: 0 to 2,147"), (233472, "Allowed: less than 233,472"))),
    ({"max_shared_memory_per_block": 232449}, "optin. Allowed: up to 232,448"),
    ({"max_shared_memory_per_block_optin": 233472}, "up to 232,448, without the reservation"),
    *(({"shared_memory_configurations": sizes}, "ascending sizes, the last one 233,472") for sizes in (
        (), (8192, 0, 233472), (0, 8192))),
    ({"unified_l1_and_shared_memory": 65536}, "unified_l1_and_shared_memory. Allowed: up to 65,536"),
])  # fmt: skip
def test_refuses_limits_that_contradict_each_other(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(TableError, match=complaint):
        occupancy.limits("9.0").replace(**change)
