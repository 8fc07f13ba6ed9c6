"""The user's row where his table has one, else ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from occupancy.errors import InputError, TableError, UnknownComputeCapabilityError
from occupancy.tables import shipped
from occupancy.tables.table import LimitsTable


@pytest.fixture
def own(tmp_path: Path) -> LimitsTable:
    path = tmp_path / "own.yaml"
    path.write_text(
        'schema_version: 1\ncompute_capabilities:\n  "13.0": {like: "10.0", sub_partitions: 8}\n'
        '  "9.0": {like: "9.0", max_blocks_per_multiprocessor: 7}\n'
    )
    return LimitsTable(path)


def test_the_users_rows_come_before_the_shipped_ones(own: LimitsTable, tmp_path: Path) -> None:
    assert LimitsTable().limits("sm_90a") == shipped.limits("9.0")
    assert [row.compute_capability for row in LimitsTable().rows()] == list(shipped.known())
    assert own.limits("sm_90a").max_blocks_per_multiprocessor == 7
    assert own.limits((13, 0)).sub_partitions == 8
    assert own.limits(80) == shipped.limits("8.0")
    assert [str(row.compute_capability) for row in own.rows()] == ["13.0", "9.0"]
    with pytest.raises(UnknownComputeCapabilityError):
        own.limits("14.0")
    with pytest.raises(InputError):
        own.limits("nine")
    with pytest.raises(TableError):
        LimitsTable(tmp_path / "none.yaml")
