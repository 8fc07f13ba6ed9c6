from __future__ import annotations

import pytest

import occupancy
from occupancy import ComputeCapability, InputError, TableError


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("9.0", (9, 0)),
        (" 9.0 ", (9, 0)),
        ("90", (9, 0)),
        ("sm_90", (9, 0)),
        ("sm90", (9, 0)),
        ("SM_90a", (9, 0)),
        ("sm_100f", (10, 0)),
        ("compute_90", (9, 0)),
        ("9.0a", (9, 0)),
        ("9.0+PTX", (9, 0)),
        ("90a-real", (9, 0)),
        ("90-virtual", (9, 0)),
        ("cc 8.6", (8, 6)),
        ("sm_120", (12, 0)),
        ("120", (12, 0)),
        ("12.10", (12, 10)),
        (90, (9, 0)),
        (121, (12, 1)),
        ((9, 0), (9, 0)),
        ([8, 6], (8, 6)),
    ],
)
def test_reads_every_spelling(spelling: object, expected: tuple[int, int]) -> None:
    assert ComputeCapability.parse(spelling) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "9",
        "9.",
        "x",
        "sm_",
        "9000",
        "9.0b",
        "sm_90 80",
        "٩٫٠",
        "٩.٠",
        "９０",
        (True, False),
        (9, True),
        pytest.param((10**5000, 0), id="5001 digits in a pair"),
        pytest.param(10**5000, id="5001 digits"),
        9,
        9000,
        True,
        None,
        (9,),
        (9, 0, 0),
        (0, 1),
    ],
)
def test_refuses_what_is_no_compute_capability(wrong: object) -> None:
    with pytest.raises(InputError, match="compute capability"):
        ComputeCapability.parse(wrong)


@pytest.mark.parametrize("number", [12.10, 9.0, float("nan")])
def test_refuses_a_float_and_says_why(number: float) -> None:
    with pytest.raises(InputError, match=r"12\.1 from 12\.10"):
        ComputeCapability.parse(number)


def test_is_written_as_people_write_it() -> None:
    assert str(ComputeCapability(12, 0)) == "12.0"
    assert ComputeCapability(12, 0).sm == "sm_120"
    assert ComputeCapability(9, 0) < ComputeCapability(12, 0)


def test_replace_changes_one_limit_and_leaves_the_row_alone() -> None:
    row = occupancy.limits("9.0")
    assert row.replace(max_blocks_per_multiprocessor=4).max_blocks_per_multiprocessor == 4
    assert occupancy.limits("9.0").max_blocks_per_multiprocessor == 32


def test_replace_of_the_shared_memory_brings_its_configurations_along() -> None:
    changed = occupancy.limits("9.0").replace(
        max_shared_memory_per_multiprocessor=120 * 1024, max_shared_memory_per_block_optin=119 * 1024
    )
    assert [size // 1024 for size in changed.shared_memory_configurations] == [0, 8, 16, 32, 64, 100, 120]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"max_blocks": 4}, "no limit 'max_blocks'"),
        ({"max_blocks_per_multiprocessor": 0}, "out of range"),
        ({"max_blocks_per_multiprocessor": 2**31}, "out of range"),
        ({"max_threads_per_multiprocessor": 2047}, "whole number of warps"),
        ({"max_registers_per_thread": 256}, "out of range"),
        ({"reserved_shared_memory_per_block": -1}, "reserved_shared_memory_per_block"),
        ({"reserved_shared_memory_per_block": 233472}, "leaves nothing"),
        ({"max_shared_memory_per_block_optin": 233472}, "more than the SM has for one block"),
        ({"max_shared_memory_per_block": 232449}, "more than the opt-in maximum"),
        ({"shared_memory_configurations": ()}, "not in order"),
        ({"shared_memory_configurations": (8192, 0, 233472)}, "not in order"),
        ({"shared_memory_configurations": (0, 8192)}, "not the SM's shared memory"),
    ],
)
def test_refuses_limits_that_contradict_each_other(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(TableError, match=complaint):
        occupancy.limits("9.0").replace(**change)
