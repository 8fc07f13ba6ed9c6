import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy import Carveout, InputError
from occupancy.values import spellings
from occupancy.values.fields import FIELDS, parse_carveout, reject_unknown

MOST = spellings.MOST_VALUES
PARSERS: dict[str, Callable[[Any], object]] = {
    "threads": spellings.parse_threads, "smem": partial(spellings.parse_size, where="smem"), "carveout": parse_carveout,
    "occupancy": partial(spellings.parse_share, where="occupancy"), "opt-in": FIELDS["opt_in"].parse,
    "block_dim": FIELDS["block_dim"].parse,
}  # fmt: skip
READ: dict[str, list[tuple[object, object]]] = {
    "threads": [
        (256, (256, None)), ("256", (256, None)), (np.int32(256), (256, None)), (np.float32(256), (256, None)),
        ("16x16", (256, (16, 16, 1))), ("16X16x2", (512, (16, 16, 2))), ("1,024", (1024, None)),
        ("1_024", (1024, None)), ("(16, 16, 1)", (256, (16, 16, 1))),
        ((16, 16), (256, (16, 16, 1))), ((8,), (8, (8, 1, 1))),
        ("16*16", (256, (16, 16, 1))),
    ],
    "smem": [
        (0, 0), ("40960", 40960), ("40k", 40960), ("40K", 40960), ("40 KiB", 40960), (40960.0, 40960),
        ("40kb", 40960), ("100b", 100), ("1M", 1048576), ("1.5k", 1536), ("27.5KiB", 28160),
        ("27.5 KiB", 28160), ("9.125 KiB", 9344), ("16,384", 16384), ("16_384", 16384),
        ("1,001 bytes", 1001), ("0x1000", 4096), ("3*16k+16", 49168), ("128*64*2", 16384),
        (" 16 + 2 * 1.5k ", 3088), ("1,024*2+0x10", 2064),
    ],
    "occupancy": [
        ("75%", 0.75), ("75", 0.75), (75, 0.75), ("0.75", 0.75), (0.75, 0.75), (1, 1.0), ("1%", 0.01),
    ],
    "carveout": [
        (None, None), ("max", Carveout(100, "percent")), (50, Carveout(50, "percent")),
        ("50", Carveout(50, "percent")), ("50%", Carveout(50, "percent")),
        (100, Carveout(100, "percent")), (101, Carveout(101, "bytes")), (65536, Carveout(65536, "bytes")),
        ("64k", Carveout(65536, "bytes")), ("0k", Carveout(0, "bytes")), ("0", Carveout(0, "percent")),
    ],
    "opt-in": [(True, True), (1, True), (np.True_, True), (np.bool_(True), True)],
}  # fmt: skip
REFUSED: dict[str, tuple[object, ...]] = {
    "threads": (
        "", "x", "16x", "16x16x1x1", "1.5", "1_0", "1,24", "16,16", "128,256", "16,16,1", "(1,024)",
        [[8]], [128, 256], "16x0", "((16", "(16", (), (1, 2, 3, 4), ("a",), (-1, 2), 1.5, None, True,
    ),
    "smem": (
        "12Q", "", "k", "1.5", "1.3k", "1,5k", "-1k", "0x", "1_6", "١k", "１", 1.5, None, True, "9" * 40,
        "2*", "+1", "1+", "2**3", "2*-1", "1+1.5", "1" + "+1" * 40, math.nan, math.inf, len,
    ),
    "carveout": ("101%", "-1", -1, "half", "50 percent", 0.5, "", True),
    "block_dim": ("100,200",),
    "occupancy": ("1.5", 1.5, 1.99, "101%", 101, -0.1, "half", True),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "expected"), [(name, *each) for name, rows in READ.items() for each in rows]
)
def test_values_are_read_in_every_spelling(name: str, value: object, expected: object) -> None:
    found = PARSERS[name](value)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(("name", "wrong"), [(name, each) for name, rows in REFUSED.items() for each in rows])
def test_refused(name: str, wrong: object) -> None:
    why = ".*is not a carveout. Allowed: a whole percentage" if name == "carveout" else ""
    with pytest.raises(InputError, match=f"^{name}: {why}"):
        PARSERS[name](wrong)


@given(st.lists(st.lists(st.integers(0, 10**6), min_size=1, max_size=3), min_size=1, max_size=4), st.data())
def test_a_size_is_the_sum_of_its_products(products: list[list[int]], data: st.DataObject) -> None:
    def written(number: int) -> str:
        if number % 1024 == 0 and data.draw(st.booleans()):
            return f"{number // 1024}k"
        return data.draw(st.sampled_from([f"{number}", f"{number:,}", f"{number:#x}", f"{number} bytes"]))

    text = " + ".join("*".join(map(written, product)) for product in products)
    assert spellings.parse_size(text, "smem") == sum(map(math.prod, products))


@given(st.text(alphabet="0123456789kKmMgGiIbBxX*+,._- ", max_size=12))
def test_any_text_is_a_size_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        assert spellings.parse_size(text, "smem") >= 0


@given(st.lists(st.integers(1, 2000), min_size=2, max_size=3), st.sampled_from("xX×*"))
def test_a_shape_is_read_in_each_spelling(sizes: list[int], separator: str) -> None:
    expected = math.prod(sizes), (*sizes, 1)[:3]
    for spelling in (separator.join(map(str, sizes)), tuple(sizes), str(tuple(sizes))):
        assert spellings.parse_threads(spelling) == expected


def counts(text: str) -> list[int]:
    count = partial(spellings.parse_count, where="n")
    return spellings.parse_values(text, count, count, "n")


@pytest.mark.parametrize(("text", "values"), [
    ("128", [128]), ("128,256", [128, 256]), (" 128 , 256, ", [128, 256]),
    ("32:128:32", [32, 64, 96, 128]), ("32:127:32", [32, 64, 96]), ("3:5", [3, 4, 5]),
    ("7:7:9", [7]), ("1,10:30:10,5", [1, 10, 20, 30, 5]), (" 1 : 3 : 2 ", [1, 3]),
    ("1,024", [1024]), ("128,256,1,024", [128, 256, 1024]), ("32:1,024:496", [32, 528, 1024]),
])  # fmt: skip
def test_values(text: str, values: list[int]) -> None:
    assert counts(text) == values


def test_a_range_without_a_step_goes_in_multiples() -> None:
    assert spellings.parse_values("32:128,160", int, int, "n", 32) == [32, 64, 96, 128, 160]
    assert spellings.parse_values("32:128:64", int, int, "n", 32) == [32, 96]
    size = partial(spellings.parse_size, where="size")
    assert spellings.parse_values("0:4k:2k,1m", size, size, "size") == [0, 2048, 4096, 1 << 20]


@pytest.mark.parametrize(("text", "problem"), [
    ("", "'' is an empty list"), (",", "',' is an empty list"),
    ("1:2:0", "'1:2:0' has a step of 0. Allowed: 1 or more."), ("1:2:-1", "has a step of -1"),
    ("9:1", "the range '9:1' is empty"), (":", "':' is not a range"), ("1:", "'1:' is not a range"),
    ("1:2:3:4", "'1:2:3:4' is not a range"), ("1:x", "'x' is not an integer"),
    ("1.5", "'1.5' is not an integer"), ("nan", "'nan' is not an integer"),
    (f"0:{MOST}", f"has {MOST + 1:,} values. Allowed: up to {MOST:,}."),
    ("0:99999999999999999999", "has 100,000,000,000,000,000,000 values"),
])  # fmt: skip
def test_refusals(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        counts(text)
    assert str(caught.value).startswith("n: ")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("field", "spellings"),
    [
        ("threads", "blockDim block_size num_threads nthreads threads_per_block TPB"),
        ("regs", "registers regs_per_thread registersPerThread nregs num_regs maxrregcount"),
        ("smem", "shared shared_memory sharedMem shared_mem_per_block sharedBytes shmem"),
        ("static_smem", "static_shared static_shared_memory staticSharedMem static_shmem"),
        ("dynamic_smem", "dynamic_shared dynamic_shared_memory dynamicSharedMem dynamic_shmem"),
        ("barriers", "num_block_barriers numBarriers"),
        ("max_threads", "maxThreadsPerBlock maxntid"),
        ("tensor_memory", "tmem_size tmem_columns TMEM"),
    ],
)
def test_names_of_other_tools_lead_to_ours(field: str, spellings: str) -> None:
    for each in spellings.split():
        with pytest.raises(TypeError, match=rf"{each} is not an argument of .*\. Did you mean {field}\?"):
            reject_unknown([each], parse_carveout, FIELDS)
