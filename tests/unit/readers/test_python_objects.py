"""Objects of frameworks, by stand-ins with the same attributes."""

from __future__ import annotations

import io
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import occupancy
from occupancy import InputError, read_kernel
from tests.samples import SAMPLES, sample


def facts(obj: object) -> tuple[Any, ...]:
    record = read_kernel(obj)
    return record.regs, record.static_smem, record.stack_bytes, record.arch


class CuPyRawKernel:
    name = "saxpy"
    num_regs = 18
    shared_size_bytes = 2048
    max_threads_per_block = 1024
    local_size_bytes = 8
    binary_version = 90


class PyCudaFunction:
    """Asks the driver for every attribute that it has not."""

    def __getattr__(self, name: str) -> int:
        known = {"num_regs": 18, "shared_size_bytes": 2048, "local_size_bytes": 8, "binary_version": 90}
        if name not in known:
            raise AttributeError(name)
        return known[name]


@pytest.mark.parametrize("obj", [CuPyRawKernel(), PyCudaFunction()], ids=["cupy", "pycuda"])
def test_functions_that_ask_the_driver(obj: object) -> None:
    assert facts(obj) == (18, 2048, 8, "sm_90")
    assert read_kernel(obj).max_threads is None


@pytest.mark.parametrize(
    ("regs", "most", "bound"),
    [(18, 256, 256), (18, 1024, None), (72, 896, None), (72, 768, 768), (255, 256, None), (255, 128, 128)],
)
def test_the_drivers_block_size_is_a_launch_bound_where_registers_allow_more(
    regs: int, most: int, bound: int | None
) -> None:
    kernel = CuPyRawKernel()
    kernel.num_regs, kernel.max_threads_per_block = regs, most
    assert read_kernel(kernel).max_threads == bound


def test_cupys_unknown_values() -> None:
    kernel = CuPyRawKernel()
    kernel.binary_version = -1
    assert facts(kernel) == (18, 2048, 8, None)


@pytest.mark.parametrize("are_methods", [True, False], ids=["0.x", "1.x"])
def test_cuda_core(are_methods: bool) -> None:
    values = {
        "num_regs": 18,
        "shared_size_bytes": 2048,
        "local_size_bytes": 8,
        "binary_version": 90,
        "required_cluster_width": 2,
        "required_cluster_height": 1,
        "required_cluster_depth": 1,
    }
    attributes = {
        name: (lambda value=value: value) if are_methods else value for name, value in values.items()
    }
    kernel = SimpleNamespace(attributes=SimpleNamespace(**attributes), name="saxpy")
    assert facts(kernel) == (18, 2048, 8, "sm_90")
    assert (read_kernel(kernel).cluster_dim, read_kernel(kernel).name) == ((2, 1, 1), "saxpy")


class NumbaDispatcher:
    __name__ = "saxpy"

    def __init__(self, *registers: int, is_specialized: bool = False) -> None:
        self._registers: Any = {f"signature {count}": count for count in registers}
        if is_specialized:
            (self._registers,) = registers

    def get_regs_per_thread(self) -> Any:
        return self._registers

    def get_shared_mem_per_block(self) -> Any:
        return (
            self._registers and dict.fromkeys(self._registers, 2048)
            if isinstance(self._registers, dict)
            else 2048
        )

    def get_local_mem_per_thread(self) -> Any:
        return None


class TestNumba:
    def test_one_signature(self) -> None:
        assert facts(NumbaDispatcher(18)) == facts(NumbaDispatcher(18, is_specialized=True))
        assert facts(NumbaDispatcher(18)) == (18, 2048, None, None)
        assert read_kernel(NumbaDispatcher(18)).name == "saxpy"

    def test_overload(self) -> None:
        overload = SimpleNamespace(regs_per_thread=18, shared_mem_per_block=2048, local_mem_per_thread=8)
        assert facts(overload) == (18, 2048, 8, None)

    def test_several_signatures_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"compiled for 2 signatures.*overloads"):
            read_kernel(NumbaDispatcher(18, 20))

    def test_not_compiled_yet(self) -> None:
        with pytest.raises(InputError, match="not compiled yet"):
            read_kernel(NumbaDispatcher())


@pytest.mark.parametrize("kernel", [CuPyRawKernel(), NumbaDispatcher(18)], ids=["cupy", "numba"])
def test_a_notebook_asks_with_the_block_size(kernel: object) -> None:
    answer = occupancy.compute("9.0", kernel, threads=256, dynamic_smem=65536)
    expected = occupancy.compute("9.0", threads=256, regs=18, static_smem=2048, dynamic_smem=65536)
    assert answer.active_blocks == expected.active_blocks == 3


def test_the_folder_of_nvcc4jupyter(tmp_path: Path) -> None:
    """It keeps the source and the program of each cell, and drops what the compiler prints."""
    for cell in ("a", "b"):
        (tmp_path / cell).mkdir()
        (tmp_path / cell / "single_file.cu").write_text("__global__ void k() {}\nint main() {}\n")
    (tmp_path / "a" / "cuda_exec.out").write_bytes(sample("samples.exe"))
    found = occupancy.scan(tmp_path, threads=256)
    assert {each.name: each.regs for each in found} == {name: facts[0] for name, facts in SAMPLES.items()}
    assert found.problems == ()


def test_what_a_cell_printed(samples: Path) -> None:
    said = (samples / "ptxas_v.txt").read_text(encoding="utf-8")
    assert {each.regs for each in occupancy.scan(io.StringIO(said), threads=256)} == {12, 32, 64}


class TestTriton:
    Metadata = namedtuple("Metadata", "name num_warps num_ctas shared target")

    @pytest.fixture
    def kernel(self, samples: Path) -> Any:
        (cubin,) = (samples / "triton_cache").rglob("add.cubin")
        target = SimpleNamespace(backend="cuda", arch=90, warp_size=32)
        return SimpleNamespace(
            metadata=self.Metadata("add", 4, 1, 512, target), asm={"cubin": cubin.read_bytes(), "ttir": ""}
        )

    def test_cubin_is_read_without_the_driver(self, kernel: Any) -> None:
        record = read_kernel(kernel)
        assert (record.name, record.regs, record.arch) == ("add", 26, "sm_90a")
        assert (record.threads, record.dynamic_smem, record.cluster_dim) == (128, 512, None)
        assert record.kernel().shared_memory == 512

    def test_what_the_driver_said_serves_without_a_cubin(self, kernel: Any) -> None:
        del kernel.asm["cubin"]
        kernel.n_regs, kernel.n_spills = 30, 2
        assert facts(kernel) == (30, 0, 8, "sm_90")

    def test_other_makers_are_refused(self, kernel: Any) -> None:
        kernel.metadata.target.backend = "hip"
        with pytest.raises(InputError, match="not compiled for CUDA"):
            read_kernel(kernel)

    def test_inductor(self) -> None:
        launcher = SimpleNamespace(n_regs=26, n_spills=0, shared=1024, config=SimpleNamespace(num_warps=8))
        record = read_kernel(launcher)
        assert (record.regs, record.dynamic_smem, record.threads) == (26, 1024, 256)
        static = SimpleNamespace(n_regs=26, n_spills=0, shared=1024, num_warps=8)
        assert read_kernel(static) == record


class TestImages:
    def test_object_code_with_one_kernel(self, samples: Path) -> None:
        (cubin,) = (samples / "triton_cache").rglob("add.cubin")
        code = SimpleNamespace(code=cubin.read_bytes(), code_type="cubin")
        assert read_kernel(code).regs == 26
        assert read_kernel(SimpleNamespace(__cubin__=cubin.read_bytes())).regs == 26

    def test_several_kernels_are_refused(self, samples: Path) -> None:
        code = SimpleNamespace(code=(samples / "samples.cubin").read_bytes(), code_type="cubin")
        with pytest.raises(InputError, match=r"holds 3 kernels.*occupancy\.scan"):
            read_kernel(code)

    def test_ptx_text(self) -> None:
        code = SimpleNamespace(code=".version 8.7\n.target sm_90\n.entry k()\n{\n}\n", code_type="ptx")
        assert (read_kernel(code).name, read_kernel(code).regs) == ("k", None)

    def test_code_that_was_not_kept(self) -> None:
        with pytest.raises(InputError, match="keep the cubin"):
            read_kernel(SimpleNamespace(__cubin__=None))

    def test_damaged_code(self) -> None:
        with pytest.raises(occupancy.OccupancyError, match="without device code"):
            read_kernel(SimpleNamespace(code=b"\0" * 100, code_type="cubin"))


@pytest.mark.parametrize("obj", [None, 42, "k", object(), len, SimpleNamespace(n_regs="many")])
def test_anything_else_is_refused(obj: object) -> None:
    with pytest.raises(InputError):
        read_kernel(obj)


def test_errors_of_a_framework_become_ours() -> None:
    class WithoutGpu:
        shared_size_bytes = 0

        @property
        def num_regs(self) -> int:
            raise RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")

    with pytest.raises(InputError, match="no CUDA-capable device"):
        read_kernel(WithoutGpu())


class FailsError(Exception):
    """An error, or any other object, that fails whatever it is asked."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class FailsToBeAsked:
    def __getattr__(self, name: str) -> object:
        raise FailsError


class FailsToBeCompared(int):
    def __eq__(self, other: object) -> bool:
        raise FailsError

    __hash__ = int.__hash__


class FailsToName(type):
    def __getattribute__(cls, name: str) -> object:
        raise FailsError


class Nameless(FailsToBeAsked, metaclass=FailsToName):
    pass


def driver_function(**attributes: object) -> SimpleNamespace:
    return SimpleNamespace(
        **{"num_regs": 32, "shared_size_bytes": 0, "local_size_bytes": 0, "name": "k", **attributes}
    )


@pytest.mark.parametrize(
    "obj",
    [
        FailsToBeAsked(),
        driver_function(num_regs=FailsError()),
        driver_function(num_regs=FailsToBeCompared(3)),
        driver_function(num_regs=lambda: (_ for _ in ()).throw(FailsError())),
        object.__new__(Nameless),
    ],
    ids=["attributes", "a value", "a number", "a method", "its own name"],
)
def test_an_object_that_fails_whatever_it_is_asked(obj: object) -> None:
    with pytest.raises(InputError) as caught:
        read_kernel(obj)
    assert str(caught.value).startswith("kernel: ")


def test_a_name_that_means_harm_is_text() -> None:
    record = read_kernel(driver_function(name="k\x1b]0;x\x07\n::error::x" + "a" * 100_000))
    assert record.name.isprintable()
    assert len(record.name) <= 1 << 16


def test_what_an_object_says_is_cut_where_it_is_long() -> None:
    with pytest.raises(InputError) as caught:
        read_kernel(driver_function(num_regs="9" * 1_000_000))
    assert len(str(caught.value)) < 300

    class Wordy(SimpleNamespace):
        @property
        def num_regs(self) -> int:
            raise RuntimeError("x" * 1_000_000)

    with pytest.raises(InputError) as caught:
        read_kernel(Wordy(shared_size_bytes=0))
    assert len(str(caught.value)) < 5000


@pytest.mark.parametrize("config", [SimpleNamespace(kwargs={}, num_warps=4), {"num_warps": 4}, {}])
def test_a_configuration_of_a_tuner_is_told_how_to_ask(config: object) -> None:
    with pytest.raises(InputError, match="is no compiled kernel") as caught:
        occupancy.compute("9.0", config)
    assert (caught.value.where, "a compiled kernel of Triton" in caught.value.allowed) == ("kernel", True)
    assert "threads=32 * config.num_warps" in caught.value.hint
    assert "is_launchable()" in caught.value.hint
