from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import occupancy
from occupancy.render.records import to_json
from occupancy.report.calc import CalcReport
from occupancy.report.schema import REPORTS, json_schema
from tests.cli_runner import run


@pytest.mark.parametrize("command", REPORTS)
def test_every_field_of_the_json_is_in_the_schema(command: str) -> None:
    schema = json_schema(command)
    assert set(schema["required"]) == set(schema["properties"])
    assert json.loads(run("schema", command).stdout) == schema


def test_the_schema_says_what_the_fields_mean() -> None:
    fields = json_schema("calc")["properties"]
    assert "0 to 1" in fields["occupancy"]["description"]


def test_no_schema() -> None:
    assert run("schema", "nothing").exit_code == 2


@given(
    cc=st.sampled_from([str(cc) for cc in occupancy.compute_capabilities()]),
    threads=st.integers(1, 1100),
    regs=st.none() | st.integers(0, 255),
    smem=st.none() | st.integers(0, 300_000),
    carveout=st.none() | st.integers(0, 100),
    explain=st.booleans(),
)
def test_an_answer_survives_the_round_trip_through_json(
    cc: str, threads: int, regs: int | None, smem: int | None, carveout: int | None, explain: bool
) -> None:
    result = occupancy.compute(cc, threads=threads, regs=regs, smem=smem, carveout=carveout)
    report = result.report(explain=explain)
    assert TypeAdapter(CalcReport).validate_json(to_json(report.to_dict()), strict=True) == report
