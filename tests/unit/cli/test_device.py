from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli_runner import run
from tests.recorded import FEW, installed, recorded_tape

KERNEL = ("--threads", "256", "--regs", "32")


@pytest.fixture(autouse=True)
def few_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """``verify --quick`` is quicker still."""
    monkeypatch.setattr("occupancy.device.verification.QUICK", FEW)


def test_device_shows_each_limit_with_who_tells_it(h200: None) -> None:
    lines = run("device", columns=100).stdout.splitlines()
    assert lines[0] == "GPU 0: NVIDIA H200, compute capability 9.0 (Hopper)"
    assert lines[1] == "132 SMs, driver 580.159.04 (CUDA 13.0), MIG off"
    shown = {line.split()[0]: line.split()[-1] for line in lines[4:]}
    assert (shown["max_blocks_per_multiprocessor"], shown["register_allocation_unit"]) == ("driver", "table")


def test_a_limit_that_differs_from_the_table_is_shown_with_both() -> None:
    tape = recorded_tape()
    tape.answers["cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, cuDeviceGet(0))"][
        1
    ] = 24
    with installed(tape):
        assert "24  driver; the table has 32" in run("device", "0", columns=100).stdout


def test_a_gpu_that_the_table_does_not_know_is_shown_with_what_the_driver_tells() -> None:
    tape = recorded_tape()
    tape.answers["cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, cuDeviceGet(0))"][1] = 15
    with installed(tape):
        (device,) = json.loads(run("device", "--format", "json").stdout)["devices"]
        refused = run("calc", *KERNEL, "--device", "0")
    assert (device["cc"], device["architecture"], len(device["limits"])) == ("15.0", None, 11)
    assert "15.0 is not in the table" in device["notes"][0]
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_what_a_missing_package_would_have_told_is_said() -> None:
    with installed(recorded_tape(), bindings=False):
        text = run("device").stdout
    assert "132 SMs, driver 580.159.04" in text
    assert "The package cuda-bindings is not installed." in text


@pytest.mark.parametrize("command", [("device",), ("verify", "--quick"), ("gpus", "h200")])
def test_csv_and_markdown(command: tuple[str, ...], h200: None) -> None:
    rows = list(csv.DictReader(io.StringIO(run(*command, "--format", "csv").stdout)))
    assert rows
    assert "H200" in (rows[0].get("name", "") + rows[0].get("gpu", ""))
    assert "H200" in run(*command, "--format", "markdown").stdout


def test_verify_ends_with_0_where_all_agrees_and_1_where_not() -> None:
    tape = recorded_tape()
    with installed(tape):
        agreed = run("verify", "--quick")
    tape = recorded_tape()
    tape.answers["cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, cuDeviceGet(0))"][1] = 64
    with installed(tape):
        differed = run("verify", "--quick")
    assert (agreed.exit_code, differed.exit_code) == (0, 1)
    assert "answers of the driver, about 2 kernels, agree" in agreed.stdout
    assert "warp_size" in differed.stdout


@pytest.mark.parametrize(
    "arguments",
    [("device",), ("verify",), ("calc", *KERNEL, "--device", "0"), ("fits", *KERNEL, "--device", "0")],
)
def test_without_a_gpu_it_says_what_to_install_or_give_instead(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install 'occupancy[device]'" in result.stderr
    assert "compute capability" in result.stderr


def test_calc_takes_the_gpu_of_the_machine_and_says_so(h200: None) -> None:
    result = run("calc", *KERNEL, "--grid", "4096")
    assert result.stderr == "No --cc and no --gpu: the answer is for GPU 0, NVIDIA H200.\n"
    assert "NVIDIA H200" in result.stdout
    assert "87.9% full (4 waves)" in result.stdout


def test_calc_is_told_why_there_is_no_gpu() -> None:
    result = run("calc", *KERNEL)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--cc: is missing" in result.stderr
    assert "the package cuda-bindings is not installed" in result.stderr
    assert "--gpu 'RTX 4090'" in result.stderr


def test_a_named_gpu_is_not_asked_of_the_machine(h200: None) -> None:
    result = run("calc", *KERNEL, "--cc", "7.0", "--format", "json")
    assert (result.stderr, json.loads(result.stdout)["gpus"][0]["gpu"]) == ("", None)


def test_the_clusters_of_this_machine_are_counted_not_bounded(h200: None) -> None:
    kernel = ("--threads", "1024", "--regs", "32", "--cluster", "16", "--format", "json")
    counted = json.loads(run("calc", *kernel, "--device", "0").stdout)["gpus"][0]["clusters"]
    bounded = json.loads(run("calc", *kernel, "--gpu", "H200").stdout)["gpus"][0]["clusters"]
    assert (counted["clusters"], counted["blocks"], counted["is_upper_bound"]) == (14, 224, False)
    assert (bounded["clusters"], bounded["blocks"], bounded["is_upper_bound"]) == (16, 256, True)


def test_the_clusters_of_a_part_of_this_machine_are_bounded(h200: None) -> None:
    kernel = ("--threads", "1024", "--cluster", "16", "--device", "0", "--sms", "66", "--format", "json")
    assert json.loads(run("calc", *kernel).stdout)["gpus"][0]["clusters"]["is_upper_bound"] is True


def test_clusters_are_bounded_where_the_driver_cannot_be_asked() -> None:
    kernel = ("--threads", "1024", "--cluster", "16", "--device", "0", "--format", "json")
    with installed(recorded_tape(), bindings=False):
        assert json.loads(run("calc", *kernel).stdout)["gpus"][0]["clusters"]["is_upper_bound"] is True
