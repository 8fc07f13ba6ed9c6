"""Simulated GPU: a recording of an H200 in place of the driver's packages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from occupancy.device.verification import QUICK
from tests.gpu.tape import Modules, Player, Tape

FEW = QUICK._replace(specimens=QUICK.specimens[6:8], threads=QUICK.threads[:4])
"""Part of the recording, large enough for `verify` to detect a difference."""

RECORDING = Path(__file__).parent / "data" / "device" / "h200.json.gz"


def recorded_tape() -> Tape:
    """Return a copy of the recording, to replay or modify."""
    return Tape.load(RECORDING)


@contextmanager
def installed(tape: Tape, *, nvml: bool = True) -> Iterator[None]:
    """Replay the recording, with or without NVML."""
    player = Player(tape)
    version = tape.origin["cuda_bindings"]
    with Modules(player, player, player if nvml else None, version):
        yield


def without_packages() -> Modules:
    """Simulate a machine without both packages."""
    return Modules(None, None, None, "")
