"""Where code that was compiled for one architecture runs."""

from __future__ import annotations

import pytest

from occupancy import ComputeCapability
from occupancy.tables.families import runs_on
from occupancy.tables.shipped import known


@pytest.mark.parametrize(
    ("arch", "chips"),
    [
        ("sm_80", ["8.0", "8.6", "8.8", "8.9"]),  # not 8.7, a Tegra
        ("sm_87", ["8.7"]),
        ("sm_86", ["8.6", "8.8", "8.9"]),
        ("sm_90", ["9.0"]),
        ("sm_90a", ["9.0"]),
        ("sm_100", ["10.0", "10.3", "10.7"]),
        ("sm_100a", ["10.0"]),
        ("sm_100f", ["10.0", "10.3", "10.7"]),
        ("sm_103f", ["10.3", "10.7"]),
        ("sm_101", ["10.1"]),  # which is 11.0 since CUDA 13, of no family with 10.x
        ("sm_110", ["11.0"]),
        ("sm_120", ["12.0", "12.1"]),
        ("half", []),
        (None, []),
    ],
)
def test_code_runs_on_later_chips_of_its_major_version(arch: str | None, chips: list[str]) -> None:
    found = [str(chip) for chip in known() if runs_on(arch, chip)]
    assert found == [each for each in chips if ComputeCapability.parse(each) in known()]
