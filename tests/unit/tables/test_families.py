"""Compute capabilities that run code of an architecture."""

from occupancy import ComputeCapability
from occupancy.tables.gpus import runs_on
from occupancy.tables.shipped import known

# 8.7 (Tegra) does not run code for sm_80. 10.1 is called 11.0 since CUDA 13, and is not in a family with 10.x.
RUNS_ON = {
    "sm_30": "3.0 3.5 3.7", "sm_32": "3.2", "sm_50": "5.0 5.2", "sm_53": "5.3", "sm_60": "6.0 6.1",
    "sm_62": "6.2", "sm_70": "7.0 7.5", "sm_72": "7.2", "sm_80": "8.0 8.6 8.8 8.9", "sm_87": "8.7",
    "sm_86": "8.6 8.8 8.9", "sm_90": "9.0", "sm_90a": "9.0", "sm_100": "10.0 10.3 10.7", "sm_100a": "10.0",
    "sm_100f": "10.0 10.3 10.7", "sm_103f": "10.3 10.7", "sm_101": "10.1", "sm_101f": "10.1",
    "sm_107f": "10.7", "sm_110": "11.0", "sm_110f": "11.0", "sm_120": "12.0 12.1",
    "sm_120f": "12.0 12.1", "half": "", None: "",
}  # fmt: skip


def test_code_runs_on_later_chips_of_its_major_version_and_that_of_a_family_on_its_later_members() -> None:
    for arch, chips in RUNS_ON.items():
        expected = [each for each in chips.split() if ComputeCapability.parse(each) in known()]
        assert [str(chip) for chip in known() if runs_on(arch, chip)] == expected, arch
