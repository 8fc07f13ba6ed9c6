"""The user's row where his table has one, else ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from occupancy.errors import InputError, TableError, UnknownComputeCapabilityError
from occupancy.tables import shipped
from occupancy.tables.table import Table


@pytest.fixture
def own(tmp_path: Path) -> Table:
    path = tmp_path / "own.yaml"
    path.write_text(
        'schema_version: 1\ncompute_capabilities:\n  "13.0": {like: "10.0", sub_partitions: 8}\n'
        '  "9.0": {like: "9.0", max_blocks_per_multiprocessor: 7}\n'
    )
    return Table(path)


def test_without_a_file_it_is_the_shipped_one() -> None:
    assert Table().limits("sm_90a") == shipped.limits("9.0")
    assert [row.compute_capability for row in Table().rows()] == list(shipped.known())


def test_the_users_row_comes_first(own: Table) -> None:
    assert own.limits("sm_90a").max_blocks_per_multiprocessor == 7
    assert own.limits((13, 0)).sub_partitions == 8


def test_ours_where_the_user_has_none(own: Table) -> None:
    assert own.limits(80) == shipped.limits("8.0")


def test_rows_are_the_users_alone_in_the_order_of_the_file(own: Table) -> None:
    assert [str(row.compute_capability) for row in own.rows()] == ["13.0", "9.0"]


def test_refused(own: Table, tmp_path: Path) -> None:
    with pytest.raises(UnknownComputeCapabilityError):
        own.limits("14.0")
    with pytest.raises(InputError):
        own.limits("nine")
    with pytest.raises(TableError, match=r"cannot be read: No such file"):
        Table(tmp_path / "none.yaml")
