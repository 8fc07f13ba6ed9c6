from __future__ import annotations

import numpy as np
import pytest

from occupancy import Carveout, InputError
from occupancy.values.carveout import parse_carveout
from occupancy.values.spellings import parse_count, parse_flag, parse_share, parse_size, parse_threads


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (256, (256, None)),
        ("256", (256, None)),
        (np.int32(256), (256, None)),
        ("16x16", (256, (16, 16, 1))),
        ("16X16x2", (512, (16, 16, 2))),
        ("1,024", (1024, None)),
        ("1_024", (1024, None)),
        ("0x100", (256, None)),
        ("(16, 16, 1)", (256, (16, 16, 1))),
        ((16, 16), (256, (16, 16, 1))),
        ((8,), (8, (8, 1, 1))),
    ],
)
def test_threads(given: object, expected: object) -> None:
    assert parse_threads(given) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "x",
        "16x",
        "16x16x1x1",
        "1.5",
        "1_0",
        "1,24",
        "16,16",
        "128,256",
        "16,16,1",
        "(1,024)",
        [8],
        [128, 256],
        "16x0",
        "((16",
        "(16",
        (),
        (1, 2, 3, 4),
        ("a",),
        (-1, 2),
        1.0,
        None,
        True,
    ],
)
def test_refuses_threads(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^threads: "):
        parse_threads(wrong)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0, 0),
        ("40960", 40960),
        ("40k", 40960),
        ("40K", 40960),
        ("40 KiB", 40960),
        ("40kb", 40960),
        ("100b", 100),
        ("1M", 1048576),
        ("1.5k", 1536),
        ("27.5KiB", 28160),
        ("27.5 KiB", 28160),
        ("9.125 KiB", 9344),
        ("16,384", 16384),
        ("16_384", 16384),
        ("1,001 bytes", 1001),
        ("0x1000", 4096),
    ],
)
def test_sizes(given: object, expected: int) -> None:
    assert parse_size(given, "smem") == expected


@pytest.mark.parametrize(
    "wrong",
    ["12Q", "", "k", "1.5", "1.3k", "1,5k", "-1k", "0x", "1_6", "١k", "１", 1.0, None, True, "9" * 40],
)
def test_refuses_sizes(wrong: object) -> None:
    with pytest.raises(InputError, match="smem"):
        parse_size(wrong, "smem")


@pytest.mark.parametrize(
    ("given", "share"),
    [("75%", 0.75), ("75", 0.75), (75, 0.75), ("0.75", 0.75), (0.75, 0.75), (1, 1.0), ("1%", 0.01)],
)
def test_shares_above_1_are_percent(given: object, share: float) -> None:
    assert parse_share(given, "occupancy") == share


def test_what_a_comma_could_mean_is_said_and_each_way_is_read() -> None:
    with pytest.raises(InputError) as caught:
        parse_threads("128,256")
    assert caught.value.allowed == "128256 (one number) or 128x256 (a shape)"
    assert "sweep" in caught.value.hint
    assert parse_threads("128256") == (128256, None)
    assert parse_threads("128x256") == (32768, (128, 256, 1))


def test_a_number_of_thousands_of_digits_is_refused_in_a_short_message() -> None:
    with pytest.raises(InputError, match="5000 digits") as caught:
        parse_count("9" * 5000, "threads")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ("default", None),
        ("max", Carveout(100, "percent")),
        (50, Carveout(50, "percent")),
        ("50", Carveout(50, "percent")),
        ("50%", Carveout(50, "percent")),
        (100, Carveout(100, "percent")),
        (101, Carveout(101, "bytes")),
        (65536, Carveout(65536, "bytes")),
        ("64k", Carveout(65536, "bytes")),
        ("0k", Carveout(0, "bytes")),
        ("0", Carveout(0, "percent")),
    ],
)
def test_carveouts(given: object, expected: Carveout | None) -> None:
    assert parse_carveout(given) == expected


@pytest.mark.parametrize("wrong", ["101%", "-1", -1, "half", "50 percent", 0.5, "", True])
def test_refuses_carveouts(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^carveout: .*is not a carveout. Allowed: 0 to 100 percent"):
        parse_carveout(wrong)


@pytest.mark.parametrize(
    ("amount", "unit"),
    [(-1, "percent"), (101, "percent"), (-1, "bytes"), ("1", "bytes"), (1, "KiB"), (1.0, "bytes")],
)
def test_a_carveout_is_a_share_or_a_size(amount: int, unit: str) -> None:
    with pytest.raises(InputError, match="carveout"):
        Carveout(amount, unit)  # type: ignore[arg-type]


@pytest.mark.parametrize("yes", [True, 1, np.True_, np.bool_(True)])
def test_flags(yes: object) -> None:
    assert parse_flag(yes, "opt-in") is True


@pytest.mark.parametrize("wrong", ["yes", "", 2, None, [], {}, np.array([True, False])])
def test_refuses_flags(wrong: object) -> None:
    with pytest.raises(InputError, match="opt-in"):
        parse_flag(wrong, "opt-in")
