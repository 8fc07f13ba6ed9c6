"""A GPU that is not there: the recorded answers of an H200, in place of the driver's packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from occupancy.verify import QUICK_PLAN
from tests.gpu.tape import Modules, Player, Tape

FEW_QUESTIONS = replace(QUICK_PLAN, specimens=QUICK_PLAN.specimens[6:8], threads=QUICK_PLAN.threads[:4])
"""As much of the recording as it takes to see that `verify` notices something."""

RECORDING = Path(__file__).parent / "data" / "device" / "h200.json.gz"


def recorded_tape() -> Tape:
    """A fresh copy of the recording, to be played or changed."""
    return Tape.load(RECORDING)


@contextmanager
def installed(tape: Tape, *, bindings: bool = True, nvml: bool = True) -> Iterator[None]:
    """Have the recording answer, through both packages or one of them."""
    player = Player(tape)
    version = tape.origin["cuda_bindings"]
    with Modules(player if bindings else None, player, player if nvml else None, version):
        yield


def without_packages() -> Modules:
    """Neither package is installed, whatever this machine has."""
    return Modules(None, None, None, "")
