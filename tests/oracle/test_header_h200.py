"""The oracle itself: NVIDIA's header, asked through our wrapper, says what the runtime said on an H200."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from occupancy.tables import shipped

from .golden import read_rows
from .header import INVALID_INPUT, Header, Records

LIMITS = shipped.limits("9.0")
MULTIPROCESSORS = 132

FIELDS = {
    "threads_per_block": "threads",
    "registers_per_thread": "registers",
    "static_smem": "static_smem",
    "dynamic_smem": "dynamic_smem",
    "barriers": "barriers",
    "carveout_percent": "carveout_percent",
}


def test_active_blocks(header: Header) -> None:
    golden = read_columns("h200_active_blocks")
    answers = header.max_active_blocks(LIMITS, queries_of(header, golden))
    assert len(answers) == 56_466
    assert not answers["error"].any()
    assert np.array_equal(answers["active_blocks"], golden["active_blocks"])


def test_max_potential_block_size(header: Header) -> None:
    golden = read_columns("h200_max_potential_block_size")
    asked = queries_of(header, golden)
    asked["threads"] = LIMITS.max_threads_per_block
    answers = header.max_potential_block_size(LIMITS, asked, MULTIPROCESSORS)
    assert len(answers) == 1_103
    assert not answers["error"].any()
    assert np.array_equal(answers["min_grid_size"], golden["min_grid_size"])
    assert np.array_equal(answers["block_size"], golden["block_size"])


def test_max_potential_block_size_with_variable_shared_memory(header: Header) -> None:
    """A constant function is the plain question; one that grows with the block prefers smaller blocks."""
    asked = header.queries(LIMITS, threads=1024, registers=range(256), dynamic_smem=20_000)
    constant = header.max_potential_block_size(LIMITS, asked, MULTIPROCESSORS, lambda threads: 20_000)
    assert np.array_equal(constant, header.max_potential_block_size(LIMITS, asked, MULTIPROCESSORS))
    (growing,) = header.max_potential_block_size(LIMITS, asked[:1], 1, lambda threads: threads * threads // 8)
    assert growing["block_size"] < constant["block_size"][0]


def test_available_dynamic_smem(header: Header) -> None:
    """The driver is older than the header, and forgot to take off the system's reservation.

    Where it already answers the most that a block may have, nothing is missing.
    """
    golden = read_columns("h200_available_dynamic_smem")
    answers = header.available_dynamic_smem(LIMITS, queries_of(header, golden), golden["blocks"])
    assert len(answers) == 12_028
    is_refused = golden["driver_580_bytes"] < 0
    assert np.array_equal(answers["error"], np.where(is_refused, INVALID_INPUT, 0))
    most = LIMITS.max_shared_memory_per_block_optin - golden["static_smem"]
    driver = golden["driver_580_bytes"]
    corrected = np.where(driver == most, driver, driver - LIMITS.reserved_shared_memory_per_block)
    assert np.array_equal(answers["bytes"][~is_refused], corrected[~is_refused])


def read_columns(name: str) -> dict[str, npt.NDArray[np.int64]]:
    """A file by column; a refusal, which is empty there, is -1."""
    rows = list(read_rows(name))
    return {column: np.array([int(row[column] or -1) for row in rows]) for column in rows[0]}


def queries_of(header: Header, golden: dict[str, npt.NDArray[np.int64]]) -> Records:
    columns = {field: golden[name] for name, field in FIELDS.items() if name in golden}
    return header.queries(LIMITS, **columns)
