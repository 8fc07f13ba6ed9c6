"""Lists and ranges."""

from __future__ import annotations

import pytest

from occupancy import InputError
from occupancy.values.ranges import MOST_VALUES, parse_values
from occupancy.values.spellings import parse_count, parse_size


def counts(text: str) -> list[int]:
    return parse_values(text, lambda each: parse_count(each, "n"), lambda each: parse_count(each, "n"), "n")


def sizes(text: str) -> list[int]:
    return parse_values(
        text, lambda each: parse_size(each, "size"), lambda each: parse_size(each, "size"), "size"
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("128", [128]), ("128,256", [128, 256]), (" 128 , 256, ", [128, 256]),
        ("32:128:32", [32, 64, 96, 128]), ("32:127:32", [32, 64, 96]), ("3:5", [3, 4, 5]),
        ("7:7:9", [7]), ("1,10:30:10,5", [1, 10, 20, 30, 5]), (" 1 : 3 : 2 ", [1, 3]),
        ("1,024", [1024]), ("128,256,1,024", [128, 256, 1024]), ("32:1,024:496", [32, 528, 1024]),
    ],
)  # fmt: skip
def test_values(text: str, values: list[int]) -> None:
    assert counts(text) == values


def test_a_range_without_a_step_goes_in_multiples() -> None:
    assert parse_values("32:128,160", int, int, "n", 32) == [32, 64, 96, 128, 160]
    assert parse_values("32:128:64", int, int, "n", 32) == [32, 96]


def test_sizes_have_units() -> None:
    assert sizes("0:4k:2k,1m") == [0, 2048, 4096, 1 << 20]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "'' holds no value"),
        (",", "',' holds no value"),
        ("1:2:0", "'1:2:0' has a step of 0. Allowed: 1 and up."),
        ("1:2:-1", "has a step of -1"),
        ("9:1", "the range '9:1' is empty"),
        (":", "':' is not a range"),
        ("1:", "'1:' is not a range"),
        ("1:2:3:4", "'1:2:3:4' is not a range"),
        ("1:x", "'x' is not a whole number"),
        ("1.5", "'1.5' is not a whole number"),
        ("nan", "'nan' is not a whole number"),
        (f"0:{MOST_VALUES}", f"has {MOST_VALUES + 1:,} values. Allowed: up to {MOST_VALUES:,}."),
        ("0:99999999999999999999", "has 100,000,000,000,000,000,000 values"),
    ],
)
def test_refusals(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        counts(text)
    assert str(caught.value).startswith("n: ")
    assert problem in str(caught.value)
