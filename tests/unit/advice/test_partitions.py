"""The SMs of a part of a GPU."""

from __future__ import annotations

import pytest

from occupancy.advice.partitions import green_context, mps_share
from occupancy.errors import InputError
from occupancy.tables import shipped


@pytest.mark.parametrize(
    ("cc", "wanted", "of", "coscheduled", "without"),
    [
        ("9.0", 20, 132, 24, 20),
        ("9.0", 1, 132, 8, 2),
        ("9.0", 131, 132, 132, 132),
        ("10.0", 9, 148, 16, 10),
        ("8.0", 9, 108, 10, 10),
        ("7.0", 80, 80, 80, 80),
        ("11.0", 9, 20, 10, 10),  # a Tegra SoC
        ("12.0", 9, 188, 16, 10),
    ],
)
def test_rounding(cc: str, wanted: int, of: int, coscheduled: int, without: int) -> None:
    found = green_context(shipped.limits(cc), wanted, of)
    assert (found.multiprocessor_count, found.without_coscheduling) == (coscheduled, without)
    assert found.most_groups == of // coscheduled


def test_green_contexts_that_there_are_not() -> None:
    with pytest.raises(InputError, match="133 SMs are more than the GPU's 132"):
        green_context(shipped.limits("9.0"), 133, 132)
    with pytest.raises(InputError, match="out of range"):
        green_context(shipped.limits("9.0"), 0, 132)
    with pytest.raises(InputError, match=r"no rule for green contexts on 6\.1"):
        green_context(shipped.limits("6.1"), 2, 20)


def test_percentages_of_mps() -> None:
    assert [mps_share(percentage, 132) for percentage in (1, 25, 50, 99, 100)] == [1, 33, 66, 130, 132]
    for percentage, of in ((0, 132), (101, 132), (4, 20)):
        with pytest.raises(InputError, match="share of the SMs"):
            mps_share(percentage, of)
