"""What today's kernels hold: tensor memory, registers passed between warpgroups, spills into shared memory.

The samples are in tests/data/modern, with their sources and the script that made them.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from occupancy.readers import KernelRecord, stream_kernels
from occupancy.values.limits import ComputeCapability

FOLDER = Path(__file__).parents[2] / "data" / "modern"


def sample(name: str) -> bytes:
    """The bytes of a sample."""
    return gzip.decompress((FOLDER / f"{name}.gz").read_bytes())


def by_name(content: bytes) -> dict[str, KernelRecord]:
    return {record.name: record for record in stream_kernels(io.BytesIO(content))}


@pytest.mark.parametrize("arch", ["90a", "100a", "120a"])
def test_logs_say_that_some_of_the_kernels_have_lost_it(arch: str) -> None:
    found = by_name((FOLDER / f"warp_specialised_{arch}.ptxas.txt").read_bytes())
    assert len(found) == 5
    for record in found.values():
        assert record.reallocates_registers is None
        (note,) = record.notes
        assert note.startswith("In 2 kernels of this compilation ptxas ignored setmaxnreg (C7508)")


def test_the_next_compilation_of_a_log_is_another_one() -> None:
    ignored = (FOLDER / "warp_specialised_90a.ptxas.txt").read_text()
    clean = (FOLDER / "smem_spilling_90.ptxas.txt").read_text()
    found = by_name((ignored + clean + ignored.replace("function '", "function 'x_")).encode())
    assert [bool(record.notes) for record in found.values()] == [True] * 5 + [False] * 4 + [True] * 5
    assert "In 2 kernels" in found["x_plain"].notes[0]


def test_negative_spill_counts_are_read() -> None:
    text = (
        "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
        "ptxas info    : Function properties for _Z1kPf\n"
        "    0 bytes stack frame, -8 bytes spill stores, 12 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 19456 bytes smem\n"
    )
    record = by_name(text.encode())["_Z1kPf"]
    assert (record.spill_store_bytes, record.spill_load_bytes, record.stack_bytes) == (-8, 12, 0)


class TestFamilies:
    def test_it_is_answered_for_the_plain_architecture(self) -> None:
        record = by_name(sample("tensor_memory_100f.cubin"))["alloc_1cta"]
        assert record.compute_capability == ComputeCapability(10, 0)
        assert record.kernel(128).virtual_resources == 128

    def test_a_note_that_is_damaged_says_nothing(self) -> None:
        whole = sample("tensor_memory_100f.cubin")
        for broken in (
            whole.replace(b"-arch sm_100f", b"-arch sm_999f"),
            whole.replace(b"-arch sm", b"-xrch sm"),
        ):
            assert {record.arch for record in by_name(broken).values()} == {"sm_100"}
