"""Patterns of names, beside regular expressions that mean the same; and names that would mislead those."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from occupancy.builds.patterns import Pattern


@given(st.text("ab*?[", max_size=8), st.text("ab?[\n", max_size=10))
@example("a*a", "a")
@example("*a*", "\n")
@example("", "")
def test_a_pattern_is_what_the_regular_expression_says(pattern: str, name: str) -> None:
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    assert Pattern(pattern).matches(name) == bool(re.fullmatch(expression, name, re.DOTALL))


@given(st.text("ab*?[", max_size=8), st.text("ab?[", max_size=10))
def test_question_marks_can_mean_themselves(pattern: str, name: str) -> None:
    expression = re.escape(pattern).replace(r"\*", ".*")
    expected = bool(re.fullmatch(expression, name, re.DOTALL))
    assert Pattern(pattern, has_question_marks=False).matches(name) == expected


class Counted(str):
    """A name that counts how often it is searched."""

    searches = 0

    def find(self, *arguments: object) -> int:
        Counted.searches += 1
        return super().find(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", ["gemm*f16*f32", "*gemm*f16*f32*", "*" * 50 + "gemm*x"])
def test_a_name_is_searched_once_for_each_piece(pattern: str) -> None:
    # A regular expression took 44 seconds for the first one.
    Counted.searches = 0
    assert not Pattern(pattern).matches(Counted("gemmf16" * 10_000))
    assert Counted.searches <= len(pattern.split("*"))
