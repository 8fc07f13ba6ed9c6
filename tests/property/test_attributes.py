"""Valid and invalid attributes of kernels."""

import struct

from hypothesis import example, given
from hypothesis import strategies as st

from occupancy.readers import cubin

WANTED = (0x05, 0x10, 0x1B, 0x32, 0x3D, 0x4A, 0x4C, 0x54)
IDS = st.one_of(st.sampled_from(WANTED), st.integers(0, 255))
SIZES = st.one_of(st.sampled_from((0, 4, 8, 12, 16, 252, 256, 300)), st.integers(0, 40))


@st.composite
def record(draw: st.DrawFn) -> bytes:
    """Draw a record of any form, with its value if the form requires one."""
    form, id = draw(st.integers(0, 5)), draw(IDS)
    if form != 4:
        return bytes((form, id)) + draw(st.binary(min_size=2, max_size=2))
    size = draw(SIZES)
    return struct.pack("<BBH", form, id, size) + draw(st.binary(min_size=size, max_size=size))


@given(st.lists(record(), max_size=40), st.integers(0, 8))
@example([struct.pack("<BBH", 3, cubin.MAXREG_COUNT, 40), struct.pack("<BBH", 3, cubin.MAXREG_COUNT, 1)], 1)
@example([struct.pack("<BBHIII", 4, cubin.MAX_THREADS, 12, 256, 1, 1)] * 2, 5)
def test_the_last_counts_and_the_end_is_read_in_part(parts: list[bytes], missing: int) -> None:
    whole = b"".join(parts)
    left = len(whole) - missing
    expected: dict[int, bytes] = {}
    for part in parts:
        if left < 4:
            break
        form, id, value = part[0], part[1], part[4:] if part[0] == 4 else part[2 : 3 if part[0] == 2 else 4]
        expected[id] = value[: max(0, left - 4)][:12] if form == 4 else value
        left -= len(part)
    found = cubin.records(memoryview(whole[: max(0, len(whole) - missing)]), WANTED)
    assert found == {id: value for id, value in expected.items() if id in WANTED}


def test_what_is_stated() -> None:
    data = struct.pack("<BBHIII", 4, cubin.REQNTID, 12, 16, 8, 2) + struct.pack(
        "<BBH", 3, cubin.MAXREG_COUNT, 64
    )
    fields = cubin.attribute_fields(tuple(cubin.records(memoryview(data), WANTED).items()))
    assert (fields["block_dim"], fields["threads"], fields["register_cap"]) == ((16, 8, 2), 256, 64)
    assert cubin.attribute_fields(()) == cubin.attribute_fields(
        tuple(cubin.records(memoryview(b""), WANTED).items())
    )


@given(st.lists(st.tuples(IDS, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), max_size=20))
def test_attributes_symbol_keys_in_either_way(said: list[tuple[int, int, int]]) -> None:
    usual = b"".join(struct.pack("<BBHII", 4, id, 8, symbol, value) for id, symbol, value in said)
    heads = (struct.pack("<BBHI", 4, id, 8, symbol) for id, symbol, _ in said)
    expected = dict(
        zip((int.from_bytes(head, "little") for head in heads), (each[2] for each in said), strict=True)
    )
    assert cubin.symbol_values(memoryview(usual)) == expected
    # Not a symbol's record, so that all are read one by one.
    other = struct.pack("<BBH", 1, cubin.REGCOUNT, 0)
    assert cubin.symbol_values(memoryview(other + usual)) == expected
    assert cubin.symbol_values(memoryview(usual + other)) == expected
