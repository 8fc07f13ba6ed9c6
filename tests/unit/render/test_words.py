from __future__ import annotations

import pytest

from occupancy.render import words


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, "0%"),
        (1, "100%"),
        (0.75, "75%"),
        (0.625, "62.5%"),
        (2 / 3, "66.7%"),
        (0.0625, "6.3%"),
        (0.1875, "18.8%"),
        (0.0004, "<0.1%"),
    ],
)
def test_percent(share: float, shown: str) -> None:
    assert words.percent(share) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0, "0 bytes"),
        (100, "100 bytes"),
        (1024, "1 KiB"),
        (1152, "1.125 KiB"),
        (1001, "1,001 bytes"),
        (232448, "227 KiB"),
    ],
)
def test_size(amount: int, shown: str) -> None:
    assert words.size(amount) == shown


def test_count_and_listing() -> None:
    assert (words.count(1, "block"), words.count(1536, "thread")) == ("1 block", "1,536 threads")
    assert words.listing(["a"]) == "a"
    assert words.listing(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the linker's, too", "The linker's, too"),
        ("sm_100f is code of a family", "sm_100f is code of a family"),
        ("cuInit: failed", "cuInit: failed"),
        ("Not linked", "Not linked"),
        ("12 blocks", "12 blocks"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_letter_where_it_begins_with_a_word(text: str, shown: str) -> None:
    assert words.capitalised(text) == shown
