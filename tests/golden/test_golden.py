"""Results are equal to the recorded numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import sampled

from . import numbers
from .recorded import INPUTS, load, unpack_data

MAX_SHOWN_DIFFERENCES = 5


def plain(values: numbers.Values) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps({name: numbers.plain(v) for name, v in values.items()}))
    return result


def _first(was: Any, now: Any) -> str:
    """Describe the first difference between two lists or values."""
    if isinstance(was, list) and isinstance(now, list):
        gone, new = ([each for each in one if each not in other] for one, other in ((was, now), (now, was)))
        return f"{gone[:3]} now {new[:3]}" if gone or new else f"{was} now {now}"
    return f"{was} now {now}"


def compare_rows(question: str, compute: Callable[..., numbers.Values], *, stride: int = 1) -> None:
    columns, rows = load(question)
    size, wrong = len(INPUTS[question]), list[str]()
    assert tuple(columns[:size]) == INPUTS[question]
    for row in rows[::stride]:
        inputs, recorded = row[:size], dict(zip(columns[size:], row[size:], strict=True))
        now = plain(compute(*inputs))
        assert now.keys() == recorded.keys()
        others = [(name, _first(was, now[name])) for name, was in recorded.items() if was != now[name]]
        wrong += [f"{question} {inputs} {name}: recorded {difference}" for name, difference in others]
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:MAX_SHOWN_DIFFERENCES])


@pytest.mark.parametrize("question", sorted(numbers.PURE.keys() - {"advice"}))
def test_numbers_are_as_recorded(question: str) -> None:
    compare_rows(question, numbers.PURE[question])


@sampled("stride", sample=7, thorough=1)
def test_advice_is_as_recorded(stride: int) -> None:
    compare_rows("advice", numbers.advice, stride=stride)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_data(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("question", sorted(INPUTS.keys() - numbers.PURE.keys()))
def test_files_are_read_as_recorded(question: str, data: Path, tmp_path: Path) -> None:
    compare_rows(question, lambda *inputs: numbers.from_files(question, inputs, data, tmp_path))


def test_every_gpu_is_recorded() -> None:
    assert sorted(row[0] for row in load("gpus").rows) == sorted(numbers.gpu_names())
    assert [row[0] for row in load("limits").rows] == numbers.compute_capabilities()
