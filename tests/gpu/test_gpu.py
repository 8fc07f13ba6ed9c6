"""On a machine with an NVIDIA GPU: ``pytest -m gpu``, with the extra ``occupancy[device]`` installed."""

from pathlib import Path

import pytest

from occupancy.device import read_device, read_devices, verify
from tests.cli_runner import run_alone as run

from .record import record
from .tape import Tape

pytestmark = pytest.mark.gpu


def test_every_answer_of_the_driver_agrees() -> None:
    result = verify()
    assert result.compared > 100_000
    assert result.different == 0, [check.differences for check in result.checks if check.different]


def test_the_device_is_complete() -> None:
    device = read_device()
    assert device.multiprocessor_count
    assert device.driver_version
    assert device.nvml_error is None
    assert set(device.reported) <= {*device.limits.__dataclass_fields__}
    assert read_devices()[0] == device


def test_a_recording_can_be_made_here(tmp_path: Path) -> None:
    record(tmp_path / "gpu.json.gz")
    assert len(Tape.load(tmp_path / "gpu.json.gz").answers) > 1000


def test_calc_takes_the_gpu() -> None:
    done = run("calc", "--threads", "256", "--regs", "32", "--grid", "4096")
    assert done.returncode == 0
    assert read_device().name in done.stderr


@pytest.mark.parametrize("visible", ["", "-1"])
def test_hidden_gpus(visible: str) -> None:
    for command in (("device",), ("verify",), ("calc", "--threads", "32", "--device", "0")):
        done = run(*command, CUDA_VISIBLE_DEVICES=visible)
        assert (done.returncode, done.stdout) == (2, "")
        assert "CUDA_VISIBLE_DEVICES is" in done.stderr
