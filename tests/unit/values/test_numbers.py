from __future__ import annotations

import pytest

from occupancy.values.numbers import count, join_and, percent, size
from occupancy.values.resources import RESOURCES, Limiter


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, "0%"), (1, "100%"), (0.75, "75%"), (0.625, "62.5%"), (2 / 3, "66.7%"), (0.0625, "6.3%"),
        (0.1875, "18.8%"), (0.0004, "<0.1%"),
    ],
)  # fmt: skip
def test_percent(share: float, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0, "0 bytes"), (100, "100 bytes"), (1024, "1 KiB"), (1152, "1.125 KiB"),
        (1001, "1,001 bytes"), (232448, "227 KiB"),
    ],
)  # fmt: skip
def test_size(amount: int, shown: str) -> None:
    assert size(amount) == shown


def test_resources_and_their_bits() -> None:
    names = (
        "warps", "blocks", "registers", "shared_memory", "barriers", "virtual_resources", "tensor_memory",
    )  # fmt: skip
    assert names == RESOURCES
    assert tuple(Limiter.of(each) for each in RESOURCES) == (1, 2, 4, 8, 16, 32, 64)
    assert Limiter(127).resources == names


def test_count_and_join() -> None:
    assert (count(1, "block"), count(1536, "thread")) == ("1 block", "1,536 threads")
    assert join_and(["a"]) == "a"
    assert join_and(["a", "b", "c"]) == "a, b and c"
