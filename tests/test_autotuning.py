"""The examples of docs/autotuning.md for Triton and Kernel Tuner, as far as they run without a GPU.

The extra ``test`` does not include the frameworks. Tests of a missing framework are skipped with a notice; with
OCCUPANCY_REQUIRE_FRAMEWORKS=1 they fail.
"""

import importlib
import itertools
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import occupancy
from tests.sampling import sampled

from .refresh_docs import example

REQUIRED = "OCCUPANCY_REQUIRE_FRAMEWORKS"

# The frameworks and their dependencies emit warnings.
pytestmark = pytest.mark.filterwarnings("ignore")


def framework(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get(REQUIRED) == "1":
            raise
        pytest.skip(f"THE EXAMPLE OF docs/autotuning.md FOR {name} WAS NOT RUN: it is not installed")


class TestTriton:
    @pytest.fixture
    def tuning(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
        framework("triton")
        return example("triton", tmp_path)

    def test_configurations_are_left_out_before_they_are_compiled(self, tuning: Any) -> None:
        product = tuning.product
        kept = product.early_config_prune(product.configs, {})
        left_out = [config for config in product.configs if config not in kept]
        assert kept
        assert left_out
        assert all(tuning.operands_in_flight(config) <= 227 * 1024 for config in kept)
        assert all(tuning.operands_in_flight(config) > 227 * 1024 for config in left_out)

    OTHERS = ((8, 6), (8, 9), (10, 3), (11, 0), (12, 0), (12, 1))

    @pytest.mark.parametrize(
        "cc", [(8, 0), (9, 0), (10, 0), *(pytest.param(each, marks=pytest.mark.thorough) for each in OTHERS)]
    )
    @sampled("stride", sample=110, thorough=47, exhaustive=23)
    def test_the_estimate_is_what_the_compiler_takes(
        self, tuning: Any, monkeypatch: pytest.MonkeyPatch, cc: tuple[int, int], stride: int
    ) -> None:
        monkeypatch.setattr(tuning, "CC", cc)
        for config in tuning.product.configs[1::stride]:
            compiled = self.compiled(tuning.product.fn, config, cc)
            # On 10.x and 11.0, the estimate excludes the barriers of the tensor cores.
            beside = 16 if cc[0] in (10, 11) else 0
            assert compiled.metadata.shared == tuning.operands_in_flight(config) + beside
            assert compiled.metadata.num_warps == config.num_warps

    def test_a_compiled_kernel_tells_its_registers_and_shared_memory(self, tuning: Any) -> None:
        config = tuning.product.configs[0]
        compiled = self.compiled(tuning.product.fn, config, (9, 0))
        record = occupancy.read_kernel(compiled)
        threads, smem = 32 * config.num_warps, compiled.metadata.shared
        expected = occupancy.compute("9.0", threads=threads, regs=record.regs, smem=smem).occupancy
        assert record.regs
        assert occupancy.is_launchable("9.0", compiled, min_occupancy=expected)
        assert not occupancy.is_launchable("9.0", compiled, min_occupancy=expected + 0.01)

    def compiled(self, kernel: Any, config: Any, cc: tuple[int, int]) -> Any:
        triton, sources = framework("triton"), framework("triton.compiler")
        targets = framework("triton.backends.compiler")
        names = kernel.arg_names
        pointers = dict.fromkeys(("a", "b", "c"), "*fp16")
        source = sources.ASTSource(
            kernel,
            {name: pointers.get(name, "i32" if name == "K" else "constexpr") for name in names},
            constexprs={(names.index(name),): value for name, value in config.kwargs.items()},
            attrs={(names.index(name),): [["tt.divisibility", 16]] for name in ("a", "b", "c", "K")},
        )
        target = targets.GPUTarget("cuda", 10 * cc[0] + cc[1], 32)
        options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
        try:
            return triton.compile(source, target=target, options=options)
        except framework("triton.runtime.errors").PTXASError:
            if os.environ.get(REQUIRED) == "1":
                raise
            pytest.skip(f"TRITON {triton.__version__} WAS NOT ASKED: its ptxas does not compile for {cc}")


def test_kernel_tuner_searches_what_fits(tmp_path: Path) -> None:
    searchspace = framework("kernel_tuner.searchspace")
    tuning = example("kernel_tuner", tmp_path)
    found = searchspace.Searchspace(tuning.tune_params, tuning.runs_well, 1024)
    every = itertools.product(*tuning.tune_params.values())
    expected = {each for each in every if tuning.runs_well(dict(zip(tuning.tune_params, each, strict=True)))}
    assert {tuple(values) for values in found.list} == expected
    assert 0 < len(expected) < 6 * 4 * 4
