"""Record the driver of this machine's GPU: ``python -m tests.gpu.record FILE.json.gz``.

The tests without a GPU replay the recording. It needs the extra ``occupancy[device]``.
"""

import datetime
import sys
from pathlib import Path

from occupancy.device import read_device, read_devices, verify
from occupancy.device.driver import count_active_clusters

from .tape import Modules, Recorder, Tape

EXPLAINED_ERRORS = (
    "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_NO_DEVICE", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    "CUDA_ERROR_UNKNOWN",
)  # fmt: skip
CLUSTERS = ((2, 16), (8, 4), (8, 8), (32, 2))
"""Blocks per SM, and blocks per cluster."""


def record(path: Path) -> Tape:
    import cuda.bindings
    import pynvml
    from cuda.bindings import driver, nvrtc

    tape = Tape({}, {})
    version = cuda.bindings.__version__
    noted, noted_nvrtc, noted_nvml = (Recorder(module, tape) for module in (driver, nvrtc, pynvml))
    with Modules(noted, noted_nvrtc, noted_nvml, version):
        read_devices()
        device = read_device()
        for blocks, cluster_size in CLUSTERS:
            count_active_clusters(0, device.row, blocks, cluster_size)
        verify(quick=True)
    for code in EXPLAINED_ERRORS:
        value = getattr(driver.CUresult, code)
        noted.cuGetErrorName(value)
        noted.cuGetErrorString(value)
    tape.origin.update(
        gpu=device.name, driver=device.driver_version, cuda_bindings=version,
        date=datetime.date.today().isoformat(),
    )  # fmt: skip
    tape.save(path)
    return tape


if __name__ == "__main__":
    recorded = record(Path(sys.argv[1]))
    print(f"{len(recorded.answers)} answers of {recorded.origin}")
