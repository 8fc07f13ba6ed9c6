"""Rows of a large table that are made when they are asked for."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from occupancy.values.rows import MOST_AHEAD, Rows


def table(length: int) -> tuple[Rows, list[int]]:
    """A table whose row n says n, and how many rows were made each time."""
    asked = []

    def make(places: range) -> Iterator[dict[str, Any]]:
        asked.append(len(places))
        return ({"n": place} for place in places)

    return Rows(make, range(length)), asked


def test_reading_on_by_index_makes_pieces() -> None:
    """A call for each row takes twenty times as long as going through them."""
    rows, asked = table(3 * MOST_AHEAD)
    assert [rows[number]["n"] for number in range(len(rows))] == list(range(len(rows)))
    assert asked[:4] == [1, 2, 4, 8]
    assert len(asked) < 20
    assert max(asked) == MOST_AHEAD  # which is all that is kept


def test_a_single_row_is_made_alone() -> None:
    rows, asked = table(1000)
    assert [rows[number]["n"] for number in (500, 3, -1, 998)] == [500, 3, 999, 998]
    assert asked == [1, 1, 1, 1]
    assert rows[10:20][-1] == {"n": 19}
    assert [rows[::-1][number]["n"] for number in range(3)] == [999, 998, 997]


def test_a_row_that_was_changed_is_as_before() -> None:
    rows, _ = table(10)
    rows[0]["n"] = rows[1]["n"] = rows[2]["n"] = -1
    assert [rows[number]["n"] for number in range(3)] == [0, 1, 2]
    assert [row["n"] for row in copy.copy(rows)] == list(range(10))
