"""Names that others use."""

from __future__ import annotations

import pytest

from occupancy.api.tuning import TUNER_NAMES
from occupancy.values.other_names import our_names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("shared", ["smem"]),
        ("Shared-Memory", ["smem"]),
        ("num_registers", []),
        ("blocks", ["grid"]),
        ("setmaxnreg", ["groups"]),
        ("smem", []),
    ],
)
def test_a_name_of_others_is_one_of_ours(name: str, expected: list[str]) -> None:
    assert our_names(name) == expected


def test_what_a_configuration_may_call_an_argument_is_known_wherever_it_is_no_name() -> None:
    for ours, names in TUNER_NAMES.items():
        assert all(our_names(name) == [ours] for name in names), names
