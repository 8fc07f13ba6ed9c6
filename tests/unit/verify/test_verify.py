from __future__ import annotations

import datetime

import pytest

from occupancy.errors import DeviceError
from occupancy.report.verify import verify_report
from occupancy.tables import shipped
from occupancy.verify import FULL_PLAN, QUICK_PLAN, verify_device
from occupancy.verify.questions import SPECIMENS
from occupancy.verify.result import KEPT_DIFFERENCES, Check
from tests.recorded import FEW_QUESTIONS, installed, recorded_tape


def test_an_h200_agrees() -> None:
    with installed(recorded_tape()):
        result = verify_device(plan=QUICK_PLAN)
    assert result.different == 0
    assert {check.name: check.compared for check in result.checks} == {
        "limits of the table": 11,
        "blocks per SM": 1576,
        "available shared memory": 834,
        "potential block size": 157,
        "bound of the clusters": 400,
        "clusters by a stand-in": 400,
    }
    # Driver 580 forgets 1024 bytes in the one and the carveout in the other.
    assert {check.name: check.documented for check in result.checks if check.documented} == {
        "available shared memory": 624,
        "potential block size": 5,
    }
    assert (result.kernels, result.date) == (len(QUICK_PLAN.specimens), datetime.date.today())


def test_an_answer_that_differs_is_found_and_told() -> None:
    tape = recorded_tape()
    asked = next(key for key in tape.answers if "BlocksPerMulti" in key and "barriers5), 128, 0" in key)
    tape.answers[asked][1] += 1
    with installed(tape):
        result = verify_device(plan=FEW_QUESTIONS)
    assert result.different == 1
    assert repr(result) == f"<Verification of NVIDIA H200: {result.compared:,} answers compared, 1 differ>"
    (difference,) = result.checks[1].differences
    assert "threads=128" in difference.question
    assert int(difference.driver) == int(difference.ours) + 1
    text = str(verify_report(result))
    assert "1 difference: cuOccupancyMaxActiveBlocksPerMultiprocessor" in text
    assert f"1 of {result.compared:,} answers of the driver, about 2 kernels, differ" in text
    assert "Please report it" in text


def test_a_refusal_of_the_driver_is_a_difference() -> None:
    tape = recorded_tape()
    asked = next(key for key in tape.answers if "MaxPotentialBlockSize" in key and "barriers5)" in key)
    tape.answers[asked] = ["CUDA_ERROR_UNKNOWN", 0, 0]
    with installed(tape):
        checks = verify_device(plan=FEW_QUESTIONS).checks
    assert [difference.driver for check in checks for difference in check.differences] == [
        "CUDA_ERROR_UNKNOWN"
    ]


def test_a_table_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = shipped.limits("9.0").replace(max_registers_per_multiprocessor=32768)
    monkeypatch.setattr(shipped, "limits", lambda cc: wrong)
    with installed(recorded_tape()):
        result = verify_device(plan=FEW_QUESTIONS)
    limits, blocks, *_ = result.checks
    assert [(each.question, each.driver, each.ours) for each in limits.differences] == [
        ("max_registers_per_multiprocessor", "65536", "32768")
    ]
    assert blocks.different > 0


def test_more_clusters_than_the_bound() -> None:
    tape = recorded_tape()
    for key, answer in tape.answers.items():
        if key.startswith("cuOccupancyMaxActiveClusters") and "stand_in" not in key:
            answer[1] = 10_000
    with installed(tape):
        bound, stand_in = verify_device(plan=FEW_QUESTIONS).checks[-2:]
    assert bound.different == bound.compared > 20
    assert bound.differences[0].ours.startswith("at most ")
    assert stand_in.different == bound.different
    assert len(bound.differences) == KEPT_DIFFERENCES


def test_nvml_alone_cannot_be_asked() -> None:
    with installed(recorded_tape(), bindings=False), pytest.raises(DeviceError, match="cuda-bindings"):
        verify_device()


def test_a_check_counts_what_is_documented_apart() -> None:
    check = Check("name", "call")
    check.compare("same", 1, 1, 2)
    check.compare("known", 2, 1, 2)
    check.compare("wrong", 3, 1, 2)
    assert (check.compared, check.documented, check.different) == (3, 1, 1)
    assert [difference.question for difference in check.differences] == ["wrong"]


def test_kernels_have_names_of_their_own_and_cover_the_resources() -> None:
    assert len({specimen.name for specimen in SPECIMENS}) == len(SPECIMENS) == len(FULL_PLAN.specimens)
    assert {specimen.barriers for specimen in SPECIMENS} == {0, 1, 2, 5, 16}
    assert {specimen.static_smem for specimen in SPECIMENS} == {0, 1, 1000, 16384, 49152}


def test_the_source_of_a_kernel() -> None:
    bounded = next(specimen for specimen in SPECIMENS if specimen.launch_bound)
    assert f"__launch_bounds__({bounded.launch_bound})" in bounded.source()
    capped = next(specimen for specimen in SPECIMENS if specimen.register_cap)
    assert f"__maxnreg__({capped.register_cap})" in capped.source()
    assert capped.source().count("barrier.sync") == capped.barriers
