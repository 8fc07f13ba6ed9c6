"""The questions of `verify` for which kernels are launched, with a GPU that is not there."""

from __future__ import annotations

import base64
import gzip
import io
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from occupancy.advice.partitions import green_context
from occupancy.device import Device
from occupancy.device.driver import DriverCallError, split_by_count
from occupancy.device.functions import Context
from occupancy.engine import evaluate
from occupancy.errors import DeviceError
from occupancy.tables import shipped
from occupancy.values.kernel import Kernel
from occupancy.values.limits import ComputeCapability
from occupancy.verify import alone, spilling, splits, whole_gpu
from occupancy.verify.alone import ENDS, WAITS, Job
from occupancy.verify.result import Check

H200 = Device(
    index=0,
    name="NVIDIA H200",
    compute_capability=ComputeCapability(9, 0),
    multiprocessor_count=132,
    driver_version=None,
    cuda_version=(13, 0),
    mig=False,
)
A100 = Device(
    index=0,
    name="NVIDIA A100",
    compute_capability=ComputeCapability(8, 0),
    multiprocessor_count=108,
    driver_version=None,
    cuda_version=(13, 0),
    mig=False,
)
ON_THE_H200 = Path(__file__).parents[2] / "data" / "modern" / "h200"


def check() -> Check:
    return Check("name", "call")


def context(**functions: Any) -> Context:
    """A context whose modules have these functions."""
    module = SimpleNamespace(function=lambda name: functions[name])
    return cast(Context, SimpleNamespace(load=lambda image: module, synchronize=lambda: None, driver=None))


class TestAlone:
    JOBS = (Job("a", 2, 128), Job("b", 2, 128), Job("c", 2, 128))

    def test_another_process_goes_on_after_a_kernel_that_waits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        requests = []

        def run(command: Sequence[str], *, input: str, **_: object) -> Any:
            request = json.loads(input)
            requests.append([name for name, _, _ in request["jobs"]])
            assert command[1:] == ["-m", "occupancy.verify.alone"]
            assert base64.b64decode(request["image"]) == b"cubin"
            return SimpleNamespace(stdout=f"{ENDS}\n{WAITS}\n" if len(request["jobs"]) == 3 else f"{ENDS}\n")

        monkeypatch.setattr(subprocess, "run", run)
        assert list(alone.outcomes(0, b"cubin", self.JOBS)) == [ENDS, WAITS, ENDS]
        assert requests == [["a", "b", "c"], ["c"]]

    @pytest.mark.parametrize("printed", ["", "ends\n" * 4])
    def test_a_process_that_fails(self, monkeypatch: pytest.MonkeyPatch, printed: str) -> None:
        monkeypatch.setattr(
            subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=printed, stderr="first\nlast\n")
        )
        with pytest.raises(DeviceError, match="ended without an answer: last"):
            list(alone.outcomes(0, b"cubin", self.JOBS))

    def test_a_process_that_does_not_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def run(*_: object, **__: object) -> None:
            raise subprocess.TimeoutExpired("python", 1)

        monkeypatch.setattr(subprocess, "run", run)
        with pytest.raises(DeviceError, match="did not end within 120 seconds"):
            list(alone.outcomes(0, b"cubin", self.JOBS))

    def test_the_process_itself(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        launched: list[str] = []

        class Contexts:
            def __init__(self, index: int) -> None:
                assert index == 3

            def __enter__(self) -> Contexts:
                return self

            def __exit__(self, *_: object) -> None: ...

            def load(self, image: bytes) -> Contexts:
                assert image == b"cubin"
                return self

            def function(self, name: str) -> Any:
                def launch(blocks: int, threads: int) -> None:
                    assert (blocks, threads) == (2, 128)
                    launched.append(name)
                    if name == "b":
                        raise DriverCallError("cuLaunchKernel", "CUDA_ERROR_UNKNOWN", "unknown")

                return SimpleNamespace(launch=launch)

            def is_idle(self) -> bool:
                return launched[-1] != "c"

        class Left(Exception):  # noqa: N818
            """In place of the end of the process."""

        def leave(code: int) -> None:
            raise Left

        request = {"index": 3, "image": base64.b64encode(b"cubin").decode(), "jobs": self.JOBS}
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(request)))
        monkeypatch.setattr(alone, "Context", Contexts)
        monkeypatch.setattr(alone, "LIMIT_S", 0.01)
        monkeypatch.setattr("os._exit", leave)
        with pytest.raises(Left):
            alone.main()
        assert capsys.readouterr().out.splitlines() == [ENDS, "CUDA_ERROR_UNKNOWN", WAITS]


class TestSplits:
    LIMITS = shipped.limits("9.0")

    def test_half_of_them_wait(self) -> None:
        asked = list(splits.splits(self.LIMITS))
        assert len({split.name for split in asked}) == len(asked) == 32
        for fits, waits in zip(asked[::2], asked[1::2], strict=True):
            assert waits == fits._replace(others=fits.others + 8)

    def test_the_source_of_a_kernel(self) -> None:
        first, *_, last = splits.splits(self.LIMITS)
        assert "__launch_bounds__(256, 2) split2_blocks2_24_232()" in first.source()
        assert "setmaxnreg.dec.sync.aligned.u32 24;" in first.source()
        assert "setmaxnreg.inc.sync.aligned.u32 232;" in first.source()
        assert "__maxnreg__(162)" in last.source()

    def test_what_differs_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = list(splits.splits(self.LIMITS))
        functions = {
            split.name: SimpleNamespace(num_regs={2: 128, 3: 168, 4: 128, 5: 96}[split.warpgroups])
            for split in asked
        }
        for split in asked:
            if split.min_blocks == 2 and split.warpgroups == 3:
                functions[split.name].num_regs = 80
            if split.launch_regs:
                functions[split.name].num_regs = 162
        told = [ENDS, WAITS] * 16
        told[3] = ENDS
        monkeypatch.setattr(splits, "compile_cuda", lambda source, cc, variant: b"cubin")
        monkeypatch.setattr(splits, "outcomes", lambda index, image, jobs: iter(told))
        found = check()
        splits.ask_splits(found, context(**functions), H200)
        assert (found.compared, found.different) == (64, 1)
        assert found.differences[0].question == asked[3].name
        assert (found.differences[0].driver, found.differences[0].ours) == (ENDS, WAITS)

    def test_nothing_is_asked_of_older_gpus_or_compilers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> bytes:
            raise DeviceError("too old", where="NVRTC")

        found = check()
        splits.ask_splits(found, context(), A100)
        monkeypatch.setattr(splits, "compile_cuda", refuse)
        splits.ask_splits(found, context(), H200)
        assert found.compared == 0


class TestCooperativeLaunches:
    @pytest.mark.parametrize(("extra", "different"), [(0, 0), (1, 24)])
    def test_the_bound(self, monkeypatch: pytest.MonkeyPatch, extra: int, different: int) -> None:
        def launch(blocks: int, threads: int, dynamic_smem: int, *, cooperative: bool) -> None:
            assert cooperative
            kernel = Kernel(threads, 4, 0, dynamic_smem, barriers=0)
            most = evaluate(H200.row, kernel).active_blocks * 132 + extra
            if blocks > most:
                raise DriverCallError("cuLaunchCooperativeKernel", whole_gpu.TOO_LARGE, "too large")

        function = SimpleNamespace(
            num_regs=4, static_smem=0, allow_dynamic_smem=lambda size: None, launch=launch
        )
        monkeypatch.setattr(whole_gpu, "compile_cuda", lambda source, cc: b"cubin")
        found = check()
        whole_gpu.ask_cooperative_launches(found, context(cooperative=function), H200)
        assert (found.compared, found.different) == (48, different)


class TestGreenContexts:
    def test_what_the_driver_is_asked(self) -> None:
        asked = []

        class Driver:
            def named(self, name: str) -> Any:
                return SimpleNamespace(
                    CU_DEV_RESOURCE_TYPE_SM=1, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING=1
                )

            def handle(self, index: int) -> str:
                return f"GPU {index}"

            def call(self, name: str, *arguments: Any) -> Any:
                sms = SimpleNamespace(sm=SimpleNamespace(smCount=132))
                if name == "cuDeviceGetDevResource":
                    return sms
                groups, _, flags, wanted = arguments
                asked.append((name, groups, flags, wanted))
                return [SimpleNamespace(sm=SimpleNamespace(smCount=24))], 5, sms

        driver = cast(Any, Driver())
        assert split_by_count(driver, 0, 20, True) == (5, 24)
        assert split_by_count(driver, 0, 20, False) == (5, 24)
        assert asked == [("cuDevSmResourceSplitByCount", 6, flag, 20) for flag in (0, 1)]

    def test_every_number_of_sms_is_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def split(driver: object, index: int, wanted: int, coscheduled: bool) -> tuple[int, int]:
            ours = green_context(H200.row, wanted, 132)
            each = ours.multiprocessor_count if coscheduled else ours.without_coscheduling
            return 132 // each, each + (wanted == 100)

        monkeypatch.setattr(whole_gpu, "split_by_count", split)
        found = check()
        whole_gpu.ask_green_contexts(found, context(), H200)
        assert (found.compared, found.different) == (4 * 132, 2)
        assert found.differences[0].question == "100 SMs: SMs of a group"

    def test_an_old_driver_has_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def split(*_: object) -> None:
            raise DeviceError("too old", where="device")

        monkeypatch.setattr(whole_gpu, "split_by_count", split)
        found = check()
        whole_gpu.ask_green_contexts(found, context(), H200)
        assert found.compared == 0


class TestSpills:
    def test_what_the_cubin_says_is_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        image = gzip.decompress((ON_THE_H200 / "spill_40-DSPILL.cubin.gz").read_bytes())

        def function(registers: int, static: int) -> Any:
            def active_blocks(threads: int, dynamic: int) -> int:
                return evaluate(H200.row, Kernel(threads, registers, static, dynamic)).active_blocks

            return SimpleNamespace(num_regs=registers, static_smem=static, active_blocks=active_blocks)

        monkeypatch.setattr(spilling, "compile_cuda", lambda source, cc: image)
        found = check()
        spilling.ask_spills(
            found,
            context(
                _Z5spillILi128EEvPKfPfi=function(40, 9216),
                _Z5spillILi256EEvPKfPfi=function(40, 19456),
                _Z5spillILi1024EEvPKfPfi=function(64, 45056),
                _Z4coopi=function(10, 0),
                _Z5spliti=function(168, 0),
            ),
            H200,
        )
        assert (found.compared, found.different) == (5 + 4 + 8 + 32 + 12, 0)

    def test_sources(self) -> None:
        text = spilling.source(256, 32, True)
        assert "__launch_bounds__(256, 8)" in text
        assert '.pragma \\"enable_smem_spilling\\";' in text
        assert "pragma \\" not in spilling.source(256, 32, False)
