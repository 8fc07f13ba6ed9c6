import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy.readers import pytorch_trace
from occupancy.readers.content import Text
from occupancy.readers.limits import Malformed, ReadLimits
from occupancy.readers.pytorch_trace import KERNEL, JsonStream

NAMES = st.text(alphabet=st.sampled_from('ab"\\\\{}[], \n:ph') | st.characters(), max_size=20)
FACTS = st.dictionaries(
    NAMES, st.none() | st.integers() | NAMES | st.lists(st.dictionaries(NAMES, NAMES)), max_size=3
)


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    event: dict[str, Any] = {"ph": "X"} if draw(st.booleans()) else {}
    event["cat"] = draw(st.sampled_from(["kernel", "Kernel", "cpu_op", "kernels", None]))
    event["name"] = draw(NAMES)
    event["args"] = draw(FACTS)
    return event


def stream_of(text: str) -> JsonStream:
    content = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogatepass")))
    return JsonStream(Text(content, ReadLimits(1 << 30)))


def kernels(values: list[Any]) -> list[Any]:
    return [each for each in values if isinstance(each, dict) and str(each.get("cat")).lower() == "kernel"]


@given(st.lists(events(), max_size=30), st.sampled_from([None, 2]), st.sampled_from([1, 7, 64, 1 << 20]))
def test_all_kernels_in_any_chunks(trace: list[dict[str, Any]], indent: int | None, chunk: int) -> None:
    text = json.dumps(trace, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytorch_trace, "CHUNK_CHARACTERS", chunk)
        assert kernels(list(stream_of(text).events_with(KERNEL))) == kernels(trace)


def test_most_of_what_is_no_kernel_is_not_decoded() -> None:
    trace = [{"ph": "X", "cat": "cpu_op", "name": str(number)} for number in range(10_000)]
    trace[5_000]["cat"] = "kernel"
    given_ones = list(stream_of(json.dumps(trace, indent=1)).events_with(KERNEL))
    assert kernels(given_ones) == [trace[5_000]]
    assert len(given_ones) <= 3


def test_what_follows_the_list_is_still_read() -> None:
    stream = stream_of(json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op"}] * 100, "after": 1}))
    members = stream.members()
    assert next(members) == "traceEvents"
    assert kernels(list(stream.events_with(KERNEL))) == []
    assert next(members) == "after"
    assert stream.value() == 1
    assert list(members) == []


def test_a_trace_that_ends_early_is_damaged() -> None:
    text = json.dumps([{"ph": "X", "cat": "cpu_op", "name": "x" * 50}] * 100)
    for end in ("", "]", '"]', "]}"):
        with pytest.raises(Malformed):
            list(stream_of(text[:-60] + end).events_with(KERNEL))
