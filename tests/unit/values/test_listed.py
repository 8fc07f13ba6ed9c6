"""How values show themselves: fields on lines, what they consist of on one, and nothing raw."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

import occupancy
from occupancy.values.kernel import Kernel, Launch
from occupancy.values.limits import ComputeCapability
from occupancy.values.listed import LEFT

VALUES = [
    name
    for name, value in inspect.getmembers(occupancy, inspect.isclass)
    if not issubclass(value, BaseException)
    and name not in ("KernelRecord", "ReadProblem")
    and (dataclasses.is_dataclass(value) or hasattr(value, "_fields"))
]


@pytest.mark.parametrize("name", VALUES)
def test_all_public_values_show_themselves(name: str) -> None:
    kind = getattr(occupancy, name)
    assert kind.__str__ is not object.__str__
    assert callable(kind._repr_html_)


def test_there_are_values() -> None:
    assert {"Kernel", "Launch", "DiffRow", "Violation", "Use"} <= set(VALUES)


def test_fields_stand_on_lines_and_parts_on_one() -> None:
    launch = Launch(Kernel(1024, regs=40, block_dim=(32, 32, 1), opt_in=True), (8, 1, 1))
    parts = "threads 1,024; regs 40; block_dim 32, 32, 1; opt_in True; reallocates_registers False"
    assert str(launch) == f"kernel       {parts}\ngrid_dim     8, 1, 1\ncluster_dim  -"
    page = launch._repr_html_()  # type: ignore[attr-defined]
    assert page.startswith(f"<table><tr><td{LEFT}>kernel</td><td{LEFT}>{parts}</td></tr>")
    assert page.endswith(f"<td{LEFT}>-</td></tr></table>")


def test_what_has_words_of_its_own_keeps_them() -> None:
    assert str(ComputeCapability(9, 0)) == "9.0"
    assert ComputeCapability(9, 0)._repr_html_() == "<p>9.0</p>"  # type: ignore[attr-defined]


def test_names_become_no_command_and_no_tag() -> None:
    kernel = occupancy.BaselineKernel(name="<b>\x1b[31m", source="a\nb", format="cubin")
    assert "\x1b" not in str(kernel)
    assert len(str(kernel).split("\n")) == len(dataclasses.fields(kernel))
    page = kernel._repr_html_()  # type: ignore[attr-defined]
    assert "<b>" not in page
    assert "\x1b" not in page
