import datetime
from unittest.mock import patch

import pytest

from occupancy.device import Verification, verify
from occupancy.device.verification import KEPT_DIFFERENCES, QUICK
from occupancy.errors import MissingDependencyError
from occupancy.tables import shipped
from tests.gpu.tape import Tape
from tests.recorded import FEW, installed, recorded_tape, without_packages


def test_an_h200_agrees() -> None:
    with installed(recorded_tape()):
        result = verify(quick=True)
    assert result.different == 0
    assert {check.name: check.compared for check in result.checks} == {
        "limits of the table": 11, "blocks per SM": 1576, "available shared memory": 834,
        "potential block size": 157, "upper bound of clusters": 400, "clusters at the same blocks per SM": 400,
    }  # fmt: skip
    # Driver 580 ignores 1,024 reserved bytes in one call and the carveout in the other.
    documented = {check.name: check.documented for check in result.checks if check.documented}
    assert documented == {"available shared memory": 624, "potential block size": 5}
    assert (result.kernels, result.date) == (len(QUICK.specimens), datetime.date.today())
    with without_packages(), pytest.raises(MissingDependencyError, match="cuda-bindings"):
        verify()


def verify_few(tape: Tape) -> Verification:
    with installed(tape), patch("occupancy.device.verification.QUICK", FEW):
        return verify(quick=True)


def test_a_different_result_is_reported() -> None:
    tape = recorded_tape()
    call = next(key for key in tape.answers if "BlocksPerMulti" in key and "barriers5), 128, 0" in key)
    tape.answers[call][1] += 1
    result = verify_few(tape)
    assert result.different == 1
    assert str(result) == f"NVIDIA H200: {result.compared:,} results compared, 1 differ"
    (difference,) = result.checks[1].differences
    assert "threads=128" in difference.case
    assert int(difference.driver) == int(difference.computed) + 1


def test_an_error_of_the_driver_is_a_difference() -> None:
    tape = recorded_tape()
    call = next(key for key in tape.answers if "MaxPotentialBlockSize" in key and "barriers5)" in key)
    tape.answers[call] = ["CUDA_ERROR_UNKNOWN", 0, 0]
    checks = verify_few(tape).checks
    assert [each.driver for check in checks for each in check.differences] == ["CUDA_ERROR_UNKNOWN"]


def test_a_wrong_table(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = shipped.limits("9.0").replace(max_registers_per_multiprocessor=32768)
    monkeypatch.setattr(shipped, "limits", lambda cc: wrong)
    limits, blocks, *_ = verify_few(recorded_tape()).checks
    assert limits.differences == [("max_registers_per_multiprocessor", "65536", "32768")]
    assert blocks.different > 0


def test_more_clusters_than_the_bound() -> None:
    tape = recorded_tape()
    for key, answer in tape.answers.items():
        if key.startswith("cuOccupancyMaxActiveClusters") and "stand_in" not in key:
            answer[1] = 10_000
    bound, stand_in = verify_few(tape).checks[-2:]
    assert bound.different == bound.compared > 20
    assert bound.differences[0].computed.startswith("at most ")
    assert stand_in.different == bound.different
    assert len(bound.differences) == KEPT_DIFFERENCES
