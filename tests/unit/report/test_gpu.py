"""How a grid runs on the whole GPU, as the answers have it."""

from __future__ import annotations

from dataclasses import asdict, fields, make_dataclass

import pytest

from occupancy import compute
from occupancy.report.gpu import report
from occupancy.report.gpu.report import RUNS, WavesReport, WholeGpu


def test_each_number_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    waves = compute("H100-SXM", threads=256, regs=40).waves(5000, cluster=4)
    whole = WholeGpu(waves=waves)
    found = {name: asdict(each) for name, each in whole.runs.items()}
    assert found["waves"]["grid_dim"] == waves.launch.grid_dim
    assert found["measured_waves"]["waves"] == waves.as_measured.waves != waves.waves  # type: ignore[union-attr]
    assert found["waves_without_clusters"]["waves"] == waves.without_clusters.waves  # type: ignore[union-attr]
    turned = make_dataclass("Turned", [each.name for each in fields(WavesReport)][::-1])
    monkeypatch.setattr(report, "WavesReport", turned)
    monkeypatch.setattr(report, "RUNS", dict(reversed(RUNS.items())))
    assert {name: asdict(each) for name, each in whole.runs.items()} == found
