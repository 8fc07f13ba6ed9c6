import re
from typing import Any

import pytest

import occupancy
from occupancy.device import Device, read_device
from occupancy.device.driver import compile_cuda, count_active_clusters
from occupancy.device.live import ATTRIBUTES
from occupancy.errors import DeviceError, InputError, MissingDependencyError, OccupancyError
from occupancy.tables import shipped
from occupancy.values.limits import ComputeCapability
from tests.recorded import installed, recorded_tape

DRIVER = "cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_{}, cuDeviceGet(0))"
HOPPER = ComputeCapability(9, 0)


def device_with(answers: dict[str, Any] | None = None, *, nvml: bool = True) -> Device:
    """Read the recorded H200 with some changed results, with or without NVML."""
    tape = recorded_tape()
    tape.answers.update(answers or {})
    with installed(tape, nvml=nvml):
        return read_device()


def test_an_h200() -> None:
    device = device_with()
    assert (device.index, device.name, device.compute_capability) == (0, "NVIDIA H200", HOPPER)
    assert (device.multiprocessor_count, device.driver_version) == (132, "580.159.04")
    assert (device.cuda_version, device.mig, device.nvml_error) == ((13, 0), False, None)
    assert set(device.reported) == {*ATTRIBUTES, "max_block_dim"}
    assert device.limits == shipped.limits("9.0")
    assert str(device) == "GPU 0: NVIDIA H200, compute capability 9.0, 132 SMs"


def test_a_device_is_a_gpu_whose_clusters_are_counted(h200: None) -> None:
    result = occupancy.compute(read_device(), threads=256, regs=40)
    assert (result.gpu.name, result.gpu.multiprocessor_count, result.active_blocks) == ("NVIDIA H200", 132, 6)
    assert count_active_clusters(0, shipped.limits("9.0"), 2, 16) == 14  # 132 SMs could hold 16
    assert count_active_clusters(0, shipped.limits("9.0"), 8, 4) == 248


def test_limits_are_the_drivers_and_those_that_it_does_not_know_the_tables() -> None:
    device = device_with({DRIVER.format("MAX_BLOCKS_PER_MULTIPROCESSOR"): ["CUDA_SUCCESS", 24]})
    assert device.limits == shipped.limits("9.0").replace(max_blocks_per_multiprocessor=24)
    assert device.row.max_blocks_per_multiprocessor == 32
    unknown = ["CUDA_ERROR_INVALID_VALUE", 1024]
    device = device_with({DRIVER.format("RESERVED_SHARED_MEMORY_PER_BLOCK"): unknown})
    assert "reserved_shared_memory_per_block" not in device.reported
    assert device.limits.reserved_shared_memory_per_block == 1024


def test_a_gpu_that_the_table_does_not_know() -> None:
    device = device_with({DRIVER.format("COMPUTE_CAPABILITY_MAJOR"): ["CUDA_SUCCESS", 15]})
    assert device.reported["warp_size"] == 32
    with pytest.raises(occupancy.UnknownComputeCapabilityError, match=r"15\.0 is unknown"):
        _ = device.limits


def test_without_an_answer_of_nvml_the_driver_tells_what_it_knows() -> None:
    device = device_with(nvml=False)
    assert (device.name, device.multiprocessor_count, len(device.reported)) == ("NVIDIA H200", 132, 11)
    assert (device.driver_version, device.mig) == (None, None)
    assert device.nvml_error == "the package nvidia-ml-py is not installed"
    silent = {"nvmlInit()": {"raises": "NVMLError_DriverNotLoaded", "text": "Driver Not Loaded"}}
    assert device_with(silent).nvml_error == "NVML failed: Driver Not Loaded"
    (key,) = (each for each in recorded_tape().answers if re.match("nvmlDeviceGetMigMode.*Pci", each))
    device = device_with({key: {"raises": "NVMLError_NotSupported", "text": "Not Supported"}})
    assert (device.driver_version, device.mig, device.nvml_error) == ("580.159.04", None, None)


@pytest.mark.parametrize(
    ("visible", "complaint"),
    [
        (None, "The driver finds no NVIDIA GPU"),
        ("", "CUDA_VISIBLE_DEVICES is '', which hides every GPU. Unset it"),
        ("7", "CUDA_VISIBLE_DEVICES is '7', which hides every GPU"),
    ],
)
def test_no_gpu(visible: str | None, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with pytest.raises(DeviceError, match=complaint):
        device_with({"cuInit(0)": ["CUDA_ERROR_NO_DEVICE"]})


@pytest.mark.parametrize(("call", "answer", "complaint"), [
    ("cuInit(0)", {"raises": "DynamicLibNotFoundError", "text": "libcuda"}, "No NVIDIA driver was found"),
    ("cuInit(0)", ["CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"], "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: system has"),
    ("cuInit(0)", ["CUDA_ERROR_UNKNOWN"], "nvidia-smi to check the driver"),
    ("cuDeviceGetCount()", {"raises": "RuntimeError", "text": 'Function "cuDeviceGetCount" not found'},
     "The NVIDIA driver is too old for the package cuda-bindings"),
    (DRIVER.format("WARP_SIZE"), ["CUDA_ERROR_UNKNOWN", 0], "cuDeviceGetAttribute returned CUDA_ERROR"),
])  # fmt: skip
def test_a_driver_that_does_not_work(call: str, answer: object, complaint: str) -> None:
    with pytest.raises(DeviceError, match=complaint):
        device_with({call: answer})


@pytest.mark.parametrize("index", [-1, 1, 100])
def test_a_number_out_of_range(index: int) -> None:
    with installed(recorded_tape()), pytest.raises(InputError, match=f"no GPU {index}."):
        read_device(index)


def test_a_number_of_blocks_that_no_stand_in_has() -> None:
    tape = recorded_tape()
    for key, answer in tape.answers.items():
        if key.startswith("cuOccupancyMaxActiveBlocksPerMultiprocessor") and "stand_in" in key:
            answer[1] = 3 if answer[1] == 2 else answer[1]
    with installed(tape), pytest.raises(DeviceError, match="no test kernel has 2 resident blocks"):
        count_active_clusters(0, shipped.limits("9.0"), 2, 16)


@pytest.mark.parametrize(
    ("archs", "error", "complaint"),
    [
        ({"text": "no libnvrtc"}, MissingDependencyError, "Install NVRTC"),
        (["NVRTC_SUCCESS", [75]], DeviceError, "does not compile for 7.0"),
    ],
)
def test_nvrtc_that_cannot_compile(archs: object, error: type[OccupancyError], complaint: str) -> None:
    tape = recorded_tape()
    tape.answers["nvrtcGetSupportedArchs()"] = archs
    with installed(tape), pytest.raises(error, match=complaint):
        compile_cuda("__global__ void kernel() {}", ComputeCapability(7, 0))
