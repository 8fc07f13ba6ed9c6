"""Reading a damaged file yields kernels or a problem."""

import io
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy.readers import ReadProblem, read
from tests import hostile
from tests.lies import check
from tests.samples import OF_FORMAT, sample
from tests.sampling import examples

# Damage at a position, given as a share of the length, so that examples shrink well.
PLACES = st.floats(0, 1, exclude_max=True)
NEW, SIZES = st.binary(min_size=1, max_size=200), st.integers(1, 5000)
Edit = tuple[str, float, bytes, int]
KINDS: dict[str, Callable[[bytes, bytes, bytes, int], bytes]] = {
    "replace": lambda before, after, new, _: before + new[:16] + after[len(new[:16]) :],
    "insert": lambda before, after, new, _: before + new + after,
    "delete": lambda before, after, _, size: before + after[size:],
    "repeat": lambda before, after, _, size: before + after[:size] + after,
    "zero": lambda before, after, _, size: before + bytes(len(after[:size])) + after[size:],
    "truncate": lambda before, *_: before,
}
EDITS = st.lists(st.tuples(st.sampled_from(sorted(KINDS)), PLACES, NEW, SIZES), min_size=1, max_size=8)


def edited(data: bytes, edits: list[Edit]) -> bytes:
    for kind, place, new, size in edits:
        at = int(place * len(data))
        data = KINDS[kind](data[:at], data[at:], new, size)
    return data


@pytest.mark.parametrize(
    "name", [*OF_FORMAT.values(), "ncu_details.csv", "res_usage.txt", "cubins/12.9_80_1.cubin"]
)
@examples(120)
@given(edits=EDITS)
def test_edited_samples(name: str, edits: list[Edit]) -> None:
    check(edited(sample(name), edits))


FATBIN, CUBIN = b"\x50\xed\x55\xba\x01\0\x10\0", b"\x7fELF\x02\x01\x01\x41\x08" + bytes(7)


@examples(400)
@given(st.sampled_from([b"", FATBIN, CUBIN, b"NVR\0", b"\x1f\x8b"]), st.binary(max_size=300))
def test_any_bytes_alone_and_after_the_start_of_a_format(start: bytes, data: bytes) -> None:
    check(b"\0" * 8 + start + data if start.startswith(b"\x50") else start + data)


COUNTS = {"registers per thread": "regs", "shared memory": "smem"}
NO_INTEGERS: list[object] = [1.5, "32", True, None]


@given(st.sampled_from(sorted(COUNTS)), st.sampled_from([-1, 1 << 31, 1 << 33, *NO_INTEGERS]))
def test_a_count_that_no_kernel_has_is_named(key: str, value: object) -> None:
    trace = json.loads(hostile.trace("k"))
    trace["traceEvents"][0]["args"][key] = value
    (problem,) = read(io.BytesIO(json.dumps(trace).encode()))
    assert isinstance(problem, ReadProblem)
    assert (f"{COUNTS[key]} is {value}," in problem.what) == (value not in NO_INTEGERS)
