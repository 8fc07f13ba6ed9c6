"""Sentences that name options, as a notebook says them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import occupancy
from occupancy.render.in_python import in_python

BUILDS = Path("tests/data/builds")


@pytest.mark.parametrize(
    ("on_the_screen", "in_a_notebook"),
    [
        ("--virtual-resources 0 answers", "virtual_resources=0 answers"),
        (
            "accept it with --update --name PART, or all with --update.",
            'accept it with update=True, name="PART", or all with update=True.',
        ),
        ("--threads N, or --threads KERNEL=N", 'threads=N, or threads={"KERNEL": N}'),
        ("sm_90a runs on 9.0; --cc answers for those", "sm_90a runs on 9.0; cc= answers for those"),
        ("tells: --device 0, or cudaOccupancy", "tells: cudaOccupancy"),
        ("on the hardware (--model cuda) 3 blocks", 'on the hardware (model="cuda") 3 blocks'),
        ("--arch all shows all", 'archs=["all"] shows all'),
        (
            "ask occupancy registers --threads 384 --regs 168 --groups ...",
            "ask occupancy.registers() with threads=384, regs=168, groups=...",
        ),
        ("2 more levels in --format json", "2 more levels in next_steps()"),
        ("1 more level in --format json", "1 more level in next_steps()"),
        ("T::operator--(int) and a --all", "T::operator--(int) and a with_same=True"),
        ("f--all", "f--all"),
    ],
)
def test_options_are_arguments(on_the_screen: str, in_a_notebook: str) -> None:
    assert in_python(on_the_screen) == in_a_notebook


def test_no_answer_names_an_option(tmp_path: Path) -> None:
    before, after = (str(BUILDS / each / "ptxas.log") for each in ("before", "after"))
    baseline, rules = tmp_path / "b.json", tmp_path / "rules.toml"
    occupancy.save_baseline(before, baseline)
    rules.write_text('[[rules]]\nkernels = ["*"]\nmax_occupancy_drop = 1\n', encoding="utf-8")
    answers: list[Any] = [
        occupancy.compute("9.0", threads=384, regs=168),
        occupancy.compute("9.0", threads=128, dynamic_smem="96k"),
        occupancy.compute("10.0", threads=256, tensor_memory=128),
        occupancy.compute("3.0", threads=96, regs=36, model="spreadsheet"),
        occupancy.compute_on_all(["12.0", "H100 SXM"], threads=128, dynamic_smem="96k", cluster=4),
        occupancy.compute_on_all(["9.0", "10.0"], threads=384, regs=168),
        occupancy.fits(threads=256),
        occupancy.diff(before, after),
        occupancy.check(before, rules=rules, baseline=baseline),
        occupancy.check(after, rules=rules, baseline=baseline),
        occupancy.scan(after),
    ]
    for answer in answers:
        assert "--" not in answer._repr_html_()
    assert "Your own GPU tells: cudaOcc" in answers[4]._repr_html_()
    assert "update=True, name=&quot;PART&quot;, or all with update=True." in answers[9]._repr_html_()
