"""``occupancy registers``."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli_runner import run

SPLIT = ("registers", "--threads", "384", "--groups")


def test_a_split_that_suffices() -> None:
    done = run(*SPLIT, "1:40,2:232")
    assert done.exit_code == 0
    assert done.stdout.startswith("Enough. 3 warpgroups take 64,512 registers, and the launch gives 64,512")
    assert "__launch_bounds__(384, 1)" in done.stdout
    assert "Otherwise it drops it (C7508)." in " ".join(done.stdout.split())


def test_one_that_waits_fails() -> None:
    done = run(*SPLIT, "1:40,2:240")
    assert done.exit_code == 1
    assert done.stdout.startswith("Waits for ever.")
    assert "The launch would have to give 176 registers" in done.stdout


def test_the_most_is_found_and_every_format_has_it() -> None:
    split = json.loads(run(*SPLIT, "1:24,2:?", "--format", "json").stdout)["split"]
    assert [share["regs"] for share in split["groups"]] == [24, 240]
    rows = list(csv.DictReader(io.StringIO(run(*SPLIT, "1:24,2:?", "--format", "csv").stdout)))
    assert [row["regs"] for row in rows] == ["24", "240"]
    assert "| 2 | 240 |" in run(*SPLIT, "1:24,2:?", "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("1:40",), "1 warpgroups are named, and 384 threads are 3"),
        (("1:41,2:232",), "24 to 256 in steps of 8"),
        (("1:40,2:232", "--cc", "8.0"), "8.0 has no setmaxnreg"),
        (("1:40,2:232", "--regs", "168", "--min-blocks", "1"), "both say the registers of the launch"),
    ],
)
def test_refused(arguments: tuple[str, ...], complaint: str) -> None:
    done = run(*SPLIT, *arguments)
    assert done.exit_code == 2
    assert complaint in done.stderr


def test_every_newer_chip_answers_alike() -> None:
    texts = {run(*SPLIT, "1:40,2:232", *chip).stdout for chip in ((), ("--cc", "9.0"), ("--gpu", "H100-SXM"))}
    assert len(texts) == 1
