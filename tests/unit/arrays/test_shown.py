"""What a person sees of answers for arrays, as text and in a notebook."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import occupancy
from tests.cli_runner import run

THREADS = np.arange(32, 1025, 32)


@pytest.mark.parametrize(
    ("options", "cc", "inputs"),
    [
        ("--cc 9.0 -t 256 -s 0:64k:8k", "9.0", {"threads": 256, "smem": np.arange(0, 65537, 8192)}),
        ("--cc 9.0 -t 128,96 -r 40", "9.0", {"threads": [128, 96], "regs": 40}),
        ("--cc 7.0,9.0 -t 128 -r 40", ["7.0", "9.0"], {"threads": 128, "regs": 40}),
        ("--gpu H100,L4 -t 32:1024:32 -r 40", ["H100", "L4"], {"threads": THREADS, "regs": 40}),
        ("--cc 9.0 -t 32:1024:32 -r 1:255", "9.0", {"threads": THREADS[:, None], "regs": np.arange(1, 256)}),
    ],
)
def test_over_one_input_or_two_it_is_what_the_command_prints(
    options: str, cc: Any, inputs: dict[str, Any]
) -> None:
    printed = run("sweep", *options.split(), columns=80).stdout
    found = occupancy.sweep(cc, **inputs)
    assert str(found).rstrip() == printed.rstrip()
    assert "<pre " in found._repr_html_() or "<table>" in found._repr_html_()


def test_the_map_of_a_notebook_holds_no_tags_of_others() -> None:
    page = occupancy.sweep("9.0", threads=[128, 256], regs=[[32], [64]])._repr_html_()
    assert page.startswith("<p><strong>Occupancy by registers per thread and threads per block</strong></p>")
    assert "100%" not in page.split("<table>")[0]
    assert "100%" in page.split("<table>")[1]


def test_of_all_others_it_shows_what_was_asked_and_the_best() -> None:
    found = occupancy.sweep("9.0", threads=[128, 256, 2048], regs=[37, 64, 32], smem=4096)
    assert str(found).splitlines() == [
        "Shape                     3",
        "Compute capability        9.0",
        "Threads per block         3 values, 128 to 2,048",
        "Registers per thread      3 values, 32 to 64",
        "Shared memory per block   4 KiB",
        "",
        "The highest occupancy is 75%, in 1 of 3 answers",
        "Threads  Regs  Occ.  Warps  Blocks  Limited by",
        "    128    37   75%     48      12  regs",
        "    256    64   50%     32       4  regs",
        "",
        "Those with the most registers come first, then those with the most shared",
        "memory. Of the same threads and occupancy, what uses no more of anything than",
        "another is left out.",
    ]
    assert re.search(
        r'<td style="text-align:right;[^"]*">128</td><td style="[^"]*">37</td>', found._repr_html_()
    )
    assert "None of them launches." in str(occupancy.sweep("9.0", threads=2048))


def test_of_several_chips_it_shows_the_best_of_each_and_cuts_no_word() -> None:
    threads, regs, static, dynamic = np.ix_([128, 640], [32, 255], [0, 4096], [0, 8192, 65_536])
    given: dict[str, Any] = {"threads": threads, "regs": regs, "static_smem": static, "dynamic_smem": dynamic}
    found = str(occupancy.sweep(["9.0", "8.9"], **given, barriers=[[[[[1]]], [[[16]]]]]))
    assert "\n9.0: The highest occupancy is 100%, in " in found
    assert "\n8.9: The highest occupancy is 100%, in " in found
    assert found.count("Threads  Regs") == 2
    assert "…" not in found
    assert max(map(len, found.splitlines())) <= 80
    none = str(occupancy.sweep(["9.0", "8.9"], threads=[64, 96], regs=[255, 40], smem=200_000))
    assert "\n8.9: None of them launches.\n" in none


def test_of_the_best_that_differ_in_their_registers_and_shared_memory_alone_one_is_shown() -> None:
    threads, regs, smem = np.ix_([128, 256, 512], [32, 40], range(0, 60_000, 1024))
    lines = str(occupancy.sweep("9.0", threads=threads, regs=regs, dynamic_smem=smem)).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("Threads  Regs"))
    rows = [line.split()[:4] for line in lines[start + 1 : start + 5]]
    assert rows == [
        ["512", "32", "56", "KiB"], ["256", "32", "27", "KiB"], ["128", "32", "13", "KiB"],
        ["128", "32", "14", "KiB"],
    ]  # fmt: skip


def test_inputs_that_share_a_dimension_are_no_map() -> None:
    """Threads vary along the first dimension and the last, registers between them."""
    found = occupancy.sweep("9.0", threads=[[[32, 64]], [[96, 128]]], regs=[[32], [64], [96]])
    assert found.shape == (2, 3, 2)
    assert "Shape                  2 x 3 x 2" in str(found)
    with pytest.raises(occupancy.InputError, match="2 inputs varied on 1 chip"):
        found.plot()


def test_it_is_cut_where_it_is_long() -> None:
    many = occupancy.sweep("9.0", threads=np.tile([64, 1024, 416], 1000))
    assert str(many).endswith("2,940 more rows are left out.")
    assert str(many).count("\n") < 80
    threads, regs, smem = np.ix_(np.arange(1, 1025), np.arange(32, 40), np.arange(0, 65536, 1024))
    assert "1,024 x 8 x 64" in str(occupancy.sweep("9.0", threads=threads, regs=regs, smem=smem))


def test_without_all_arrays_it_says_what_was_asked() -> None:
    found = occupancy.sweep("9.0", threads=[128, 256], outputs=["active_blocks"])
    assert str(found).splitlines()[0].split() == ["Shape", "2"]
    assert "highest" not in str(found)
    assert repr(found) == "<Sweep of shape (2,) on 9.0: active_blocks>"


def test_a_notebook_shows_a_heat_map_as_a_table() -> None:
    threads, regs = np.ix_([128, 1024], [32, 33, 255])
    shown = occupancy.sweep("9.0", threads=threads, regs=regs)._repr_html_()
    assert "<pre" not in shown
    drawn, best = shown.split("does not fit")
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", drawn) == [
        *("", "32", "33", "255"), *("128", "100%", "75%", "13%"), *("1,024", "100%", "50%", "-"),
    ]  # fmt: skip
    grounds = dict(
        zip(*(re.findall(each, drawn) for each in (r"<td.*?>(.*?)<", r"(rgb\(.*?\))")), strict=True)
    )
    assert len(set(grounds.values())) == len(grounds) == 5  # opaque: a notebook's rows are striped
    assert "The highest occupancy is 100%</strong>, in 2 of 6 answers" in best
    assert re.findall(r"<td[^>]*>([^<]*)</td>", best)[:6] == ["128", "32", "100%", "64", "16", "warps, regs"]
    long = occupancy.sweep("9.0", threads=THREADS[:, None], regs=np.arange(1, 256))._repr_html_()
    assert "places are left out" not in long
