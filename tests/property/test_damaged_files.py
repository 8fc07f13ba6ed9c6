"""Whatever happens to a file, reading it gives kernels or says why not."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy.readers import ReadProblem, read
from tests import hostile
from tests.lies import check
from tests.samples import OF_FORMAT, sample
from tests.sampling import examples

# What to do at a place, given as a share of the length, so that examples shrink well.
PLACES = st.floats(0, 1, exclude_max=True)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("replace"), PLACES, st.binary(min_size=1, max_size=16)),
        st.tuples(st.just("insert"), PLACES, st.binary(min_size=1, max_size=200)),
        st.tuples(st.just("delete"), PLACES, st.integers(1, 5000)),
        st.tuples(st.just("repeat"), PLACES, st.integers(1, 5000)),
        st.tuples(st.just("zero"), PLACES, st.integers(1, 5000)),
        st.tuples(st.just("truncate"), PLACES, st.just(0)),
    ),
    min_size=1,
    max_size=8,
)
Edit = tuple[str, float, "bytes | int"]


def edited(data: bytes, edits: list[Edit]) -> bytes:
    for kind, place, what in edits:
        at = int(place * len(data))
        match kind, what:
            case "replace", bytes(new):
                data = data[:at] + new + data[at + len(new) :]
            case "insert", bytes(new):
                data = data[:at] + new + data[at:]
            case "delete", int(size):
                data = data[:at] + data[at + size :]
            case "repeat", int(size):
                data = data[: at + size] + data[at:]
            case "zero", int(size):
                data = data[:at] + bytes(len(data[at : at + size])) + data[at + size :]
            case "truncate", _:
                data = data[:at]
    return data


@pytest.mark.parametrize(
    "name", [*OF_FORMAT.values(), "ncu_details.csv", "res_usage.txt", "cubins/12.9_80_1.cubin"]
)
@examples(120)
@given(edits=EDITS)
def test_edited_samples(name: str, edits: list[Edit]) -> None:
    check(edited(sample(name), edits))


@examples(300)
@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    check(data)


@examples(150)
@given(
    st.sampled_from(
        [b"\x50\xed\x55\xba\x01\0\x10\0", b"\x7fELF\x02\x01\x01\x41\x08" + bytes(7), b"NVR\0", b"\x1f\x8b"]
    ),
    st.binary(max_size=300),
)
def test_any_bytes_after_the_start_of_a_format(start: bytes, data: bytes) -> None:
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
