import csv
from pathlib import Path

import pytest

import occupancy
from occupancy.advice.waves import WavesFields, full_wave
from occupancy.engine import Result
from occupancy.values.kernel import Kernel, Launch

DATA = Path(__file__).parents[2] / "data"
H200_SMS = 132


def test_waves_are_those_of_nsight_compute() -> None:
    """Six launches on an H200, profiled with Nsight Compute 2025.3.1."""
    with open(DATA / "kernels" / "ncu_raw.csv", newline="") as file:
        shown = [row["launch__waves_per_multiprocessor"] for row in csv.DictReader(file) if row["ID"]]
    records = occupancy.stream_kernels(DATA / "kernels" / "ncu_raw.csv")
    launches = [Launch(each.kernel(), each.grid_dim) for each in records if each.grid_dim]
    full = [full_wave(Result(occupancy.limits("9.0"), each.kernel), H200_SMS) for each in launches]
    ours = [WavesFields(*each).waves for each in zip(launches, full, strict=True)]
    assert shown == [f"{waves:.2f}".rstrip("0").rstrip(".") for waves in ours]
    assert shown == ["3.88", "3.88", "3.88", "0.25", "1", "1"]


def test_clusters_and_gpus_that_do_not_exist() -> None:
    answer, clustered = (Result(occupancy.limits("9.0"), Kernel(1024, cluster=size)) for size in (None, 2))
    for clusters in (-1, 133, 10**30):
        with pytest.raises(occupancy.InputError, match=r"^max_active_clusters: .* Allowed: 0 to 132\."):
            full_wave(clustered, H200_SMS, max_active_clusters=clusters)
    with pytest.raises(occupancy.InputError, match=r"^max_active_clusters needs the size of a cluster"):
        full_wave(answer, H200_SMS, max_active_clusters=1)
    with pytest.raises(occupancy.InputError, match="multiprocessor_count: 0 is out of range"):
        full_wave(answer, 0)
    results = occupancy.compute(["H200", "RTX 4090"], threads=1024, cluster=2)
    one, none = results.waves(8)
    assert (one.full_wave.blocks, one.waves, one.full_wave.reason) == (264, 8 / 264, None)
    assert (none.waves, none.rounds, none.last_wave_fill, none.idle_share) == (float("inf"), 0, 0, 0)
    assert [each["waves"] for each in results.waves(8).rows()] == [8 / 264, None]
    assert "no launch\n\nRTX 4090: 2 blocks in one cluster, but clusters require" in str(results.waves(8))
    assert str(results[0].waves(8, max_active_clusters=0)).startswith("Does not launch: no cluster of 2 fits")


@pytest.mark.parametrize(
    ("grid", "cluster", "text"),
    [
        ((0, 1, 1), None, r"grid: \(0, 1, 1\) is not a shape"),
        ((2**31, 1, 1), None, "grid: .* Allowed: 1 to 2,147,483,647 along x"),
        ((1, 65536, 1), None, "grid: .* Allowed: 1 to 65,535 along y"),
        ((1, 1, 65536), None, "grid: .* along z"),
        ((10, 1, 1), (4, 1, 1), "10 along x is not divisible into clusters of 4"),
    ],
)
def test_wrong_grids(grid: tuple[int, int, int], cluster: tuple[int, int, int] | None, text: str) -> None:
    with pytest.raises(occupancy.InputError, match=text):
        Launch(Kernel(128, cluster=cluster), grid)


def test_the_budget_of_a_kernel_that_does_not_launch() -> None:
    result = occupancy.compute("9.0", threads=1024, regs=128)
    assert [level.regs for level in result.budget().levels] == [32, 64]
    with pytest.raises(occupancy.InputError, match=r"No block .* on compute capability 9\.0: 1,024 .*to 64"):
        result.budget(blocks=1)
