"""Objects of frameworks, simulated by objects with the same attributes."""

from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

import occupancy
from occupancy import InputError, read_kernel


def facts(obj: object) -> tuple[Any, ...]:
    record = read_kernel(obj)
    return record.regs, record.static_smem, record.stack_bytes, record.arch


def cupy_kernel(**attributes: object) -> SimpleNamespace:
    usual = {
        "name": "saxpy", "num_regs": 18, "shared_size_bytes": 2048, "max_threads_per_block": 1024,
        "local_size_bytes": 8, "binary_version": 90,
    }  # fmt: skip
    return SimpleNamespace(**{**usual, **attributes})


class PyCudaFunction:
    """Object that queries the driver for every missing attribute."""

    def __getattr__(self, name: str) -> Any:
        if name in ("name", "max_threads_per_block"):
            raise AttributeError(name)
        return getattr(cupy_kernel(), name)


@pytest.mark.parametrize("obj", [cupy_kernel(), PyCudaFunction()], ids=["cupy", "pycuda"])
def test_functions_that_ask_the_driver(obj: object) -> None:
    assert facts(obj) == (18, 2048, 8, "sm_90")
    assert read_kernel(obj).max_threads is None


def test_the_drivers_block_size_is_a_launch_bound_where_registers_allow_more() -> None:
    bounds = {(18, 256): 256, (18, 1024): None, (72, 896): None, (72, 768): 768, (255, 256): None}
    for (regs, most), bound in (bounds | {(255, 128): 128}).items():
        assert read_kernel(cupy_kernel(num_regs=regs, max_threads_per_block=most)).max_threads == bound


@pytest.mark.parametrize("are_methods", [True, False], ids=["0.x", "1.x"])
def test_cuda_core(are_methods: bool) -> None:
    values = {
        "num_regs": 18, "shared_size_bytes": 2048, "local_size_bytes": 8, "binary_version": 90,
        "required_cluster_width": 2, "required_cluster_height": 1, "required_cluster_depth": 1,
    }  # fmt: skip
    attributes = {name: Mock(return_value=each) if are_methods else each for name, each in values.items()}
    kernel = SimpleNamespace(attributes=SimpleNamespace(**attributes), name="saxpy")
    assert facts(kernel) == (18, 2048, 8, "sm_90")
    assert (read_kernel(kernel).cluster_dim, read_kernel(kernel).name) == ((2, 1, 1), "saxpy")


def numba_dispatcher(*registers: int, is_specialized: bool = False) -> SimpleNamespace:
    regs: Any = {f"signature {count}": count for count in registers}
    smem: Any = dict.fromkeys(regs, 2048)
    return SimpleNamespace(
        __name__="saxpy",
        get_regs_per_thread=lambda: registers[0] if is_specialized else regs,
        get_shared_mem_per_block=lambda: 2048 if is_specialized else smem,
        get_local_mem_per_thread=lambda: None,
        get_max_threads_per_block=lambda: 256 if is_specialized else dict.fromkeys(regs, 256),
    )


def test_numba() -> None:
    assert facts(numba_dispatcher(18)) == facts(numba_dispatcher(18, is_specialized=True))
    assert facts(numba_dispatcher(18)) == (18, 2048, None, None)
    record = read_kernel(numba_dispatcher(18))
    assert (record.name, record.max_threads) == ("saxpy", 256)
    overload = SimpleNamespace(regs_per_thread=18, shared_mem_per_block=2048, local_mem_per_thread=8)
    assert facts(overload) == (18, 2048, 8, None)
    overload.entry_name, overload.max_threads_per_block = "_Z5saxpyv", 256
    assert (read_kernel(overload).name, read_kernel(overload).max_threads) == ("_Z5saxpyv", 256)


@pytest.mark.parametrize("kernel", [cupy_kernel(), numba_dispatcher(18)], ids=["cupy", "numba"])
def test_a_notebook_asks_with_the_block_size(kernel: object) -> None:
    answer = occupancy.compute("9.0", kernel, threads=256, dynamic_smem=65536)
    expected = occupancy.compute("9.0", threads=256, regs=18, static_smem=2048, dynamic_smem=65536)
    assert answer.active_blocks == expected.active_blocks == 3


class TestTriton:
    Metadata = namedtuple("Metadata", "name num_warps num_ctas shared target")

    @pytest.fixture
    def kernel(self, samples: Path) -> Any:
        (cubin,) = (samples / "triton_cache").rglob("add.cubin")
        metadata = self.Metadata("add", 4, 1, 512, SimpleNamespace(backend="cuda", arch=90, warp_size=32))
        return SimpleNamespace(metadata=metadata, asm={"cubin": cubin.read_bytes(), "ttir": ""})

    def test_with_its_cubin_and_without(self, kernel: Any) -> None:
        record = read_kernel(kernel)
        assert (record.name, record.regs, record.arch) == ("add", 26, "sm_90a")
        assert (record.threads, record.dynamic_smem, record.cluster_dim) == (128, 512, None)
        assert record.kernel().shared_memory == 512
        del kernel.asm["cubin"]
        kernel.n_regs, kernel.n_spills = 30, 2
        assert facts(kernel) == (30, 0, 8, "sm_90")
        kernel.metadata.target.backend = "hip"
        with pytest.raises(InputError, match="not compiled for CUDA"):
            read_kernel(kernel)

    def test_clusters(self, kernel: Any) -> None:
        shapes = {(): None, (1, 1, 1): None, (2, 1, 1): (2, 1, 1), (0, 2, 0): (1, 2, 1)}
        for stated, shape in shapes.items():
            kernel.metadata = SimpleNamespace(num_warps=4, cluster_dims=stated)
            assert read_kernel(kernel).cluster_dim == shape
        kernel.metadata = SimpleNamespace(num_warps=4, num_ctas=2)
        assert read_kernel(kernel).cluster_dim == (2, 1, 1)

    def test_inductor(self) -> None:
        launcher = SimpleNamespace(n_regs=26, n_spills=0, shared=1024, config=SimpleNamespace(num_warps=8))
        record = read_kernel(launcher)
        assert (record.regs, record.dynamic_smem, record.block_dim) == (26, 1024, (256, 1, 1))
        assert read_kernel(SimpleNamespace(n_regs=26, n_spills=0, shared=1024, num_warps=8)) == record


def test_images(samples: Path) -> None:
    (cubin,) = (samples / "triton_cache").rglob("add.cubin")
    assert read_kernel(SimpleNamespace(code=cubin.read_bytes(), code_type="cubin")).regs == 26
    assert read_kernel(SimpleNamespace(__cubin__=cubin.read_bytes())).regs == 26
    scanned = occupancy.scan(cubin)[0]
    assert read_kernel(scanned) == read_kernel(scanned.record) == scanned.record
    ptx = SimpleNamespace(code=".version 8.7\n.target sm_90\n.entry k()\n{\n}\n", code_type="ptx")
    assert (read_kernel(ptx).name, read_kernel(ptx).regs) == ("k", None)
    with pytest.raises(InputError, match=r"3 kernels.*occupancy\.scan"):
        read_kernel(SimpleNamespace(code=(samples / "samples.cubin").read_bytes(), code_type="cubin"))


class WithoutGpu:
    shared_size_bytes = 0
    num_regs = property(Mock(side_effect=RuntimeError("no CUDA-capable device is detected")))


@pytest.mark.parametrize(("obj", "message"), [
    *((each, "^kernel: ") for each in (None, "k", object(), len, SimpleNamespace(n_regs="many"))),
    (42, r"42 is not a compiled kernel\. Allowed: a kernel of scan\(\), a compiled kernel of .* cuda\.core\.$"),
    (WithoutGpu(), "no CUDA-capable device"), (numba_dispatcher(18, 20), "2 signatures.*overloads"),
    (numba_dispatcher(), "not compiled yet"), (SimpleNamespace(__cubin__=None), "keep the cubin"),
    (SimpleNamespace(code=b"\0" * 100, code_type="cubin"), "without device code"),
])  # fmt: skip
def test_refused(obj: object, message: str) -> None:
    with pytest.raises(occupancy.OccupancyError, match=message):
        read_kernel(obj)


class FailsToBeAsked:
    def __getattr__(self, name: str) -> object:
        raise RuntimeError("no driver")

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def test_an_object_that_fails_whatever_it_is_asked() -> None:
    for obj in (FailsToBeAsked(), cupy_kernel(num_regs=FailsToBeAsked())):
        with pytest.raises(InputError) as caught:
            read_kernel(obj)
        assert str(caught.value).startswith("kernel: ")


def test_a_name_that_means_harm_is_text() -> None:
    record = read_kernel(cupy_kernel(name="k\x1b]0;x\x07\n::error::x" + "a" * 100_000))
    assert record.name.isprintable()
    assert len(record.name) <= 1 << 16
