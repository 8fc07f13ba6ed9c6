"""The numbers in docs/frameworks.md match the wheels of the tools.

``pip download --no-deps --dest .cache/wheels quack-kernels==0.6.5 tilelang==0.1.15 helion==1.5.1`` downloads the
wheels for CI; with OCCUPANCY_REQUIRE_FRAMEWORKS=1 they are required. The counts of torch, with a wheel of 540 MB,
were produced by hand with ``benchmarks/frameworks.py``. TileLang and Helion do not install without torch, so
the functions of docs/autotuning.md are tested with code from their wheels.
"""

import ast
import itertools
import json
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import occupancy

from .refresh_docs import ROOT, example, module_at

WHEELS = ROOT / ".cache" / "wheels"
OF_CI = ("quack_kernels", "tilelang", "helion")


@pytest.fixture(scope="module")
def evidence() -> ModuleType:
    return module_at(ROOT / "benchmarks" / "frameworks.py")


def wheel_of(framework: str) -> Path:
    found = sorted(WHEELS.glob(f"{framework}-*.whl"))
    if not found:
        if os.environ.get("OCCUPANCY_REQUIRE_FRAMEWORKS") == "1":
            pytest.fail(f"no wheel of {framework} in {WHEELS}")
        pytest.skip(f"THE FORMULA OF {framework} WAS NOT LOOKED AT: its wheel is not in .cache/wheels")
    return found[0]


@pytest.mark.parametrize("framework", OF_CI)
def test_the_counts_are_those_of_the_document(evidence: ModuleType, framework: str) -> None:
    wheel = wheel_of(framework)
    document = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
    listed = re.findall(rf"^{framework}-\S+: .*$", document, flags=re.MULTILINE)
    assert [str(count) for count in evidence.FRAMEWORKS[framework](wheel)] == listed
    assert listed


def test_tilelang_tunes_what_fits(tmp_path: Path) -> None:
    """Return the configurations of `AutoTuner.run`, using its own statements."""
    tuning = example("tilelang", tmp_path)
    with zipfile.ZipFile(wheel_of("tilelang")) as archive:
        module = ast.parse(archive.read("tilelang/autotuner/tuner.py"))
    (run,) = (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and node.name == "run")
    starts = ("if isinstance(self.configs, Callable)", "config_args =", "for config in self.configs")
    wanted = [node for node in run.body if ast.unparse(node).startswith(starts)]
    names_of = ("_PASS_CONF", "_RESERVED_CONF")
    constants = [node for node in module.body if ast.unparse(node).startswith(names_of)]
    assert len(wanted) == 3
    tuner = SimpleNamespace(configs=tuning.configurations, _kernel_parameters=((4096, 4096), (("K", 4096),)))
    parameters = dict.fromkeys(["M", "N", "K", "block_M", "block_N", "block_K", "num_stages", "threads"])
    names: dict[str, Any] = {"self": tuner, "parameters": parameters, "Callable": Callable}
    exec(compile(ast.Module([*constants, *wanted], []), "tuner.py", "exec"), names)
    tuned = [{key: each[key] for key in each.keys() & parameters.keys()} for each in names["config_args"]]
    assert json.loads(json.dumps(tuner.configs)) == tuned  # part of TileLang's cache key
    assert 0 < len(tuned) < 3 * 3 * 2 * 3 * 2
    for each in tuned:
        answer = occupancy.compute("9.0", threads=each["threads"], smem=tuning.operands_in_flight(each))
        assert answer.occupancy >= 0.125


def test_helion_tunes_what_fits(evidence: ModuleType, tmp_path: Path) -> None:
    """Return the configurations that Helion's `BaseSearch._apply_config_filter` keeps."""
    tuning = example("helion", tmp_path)
    wheel = wheel_of("helion")
    with zipfile.ZipFile(wheel) as archive:
        names: dict[str, Any] = {"__name__": "config"}
        exec(compile(archive.read("helion/runtime/config.py"), "config.py", "exec"), names)
        settings = archive.read("helion/runtime/settings.py").decode()
    assert "autotune_config_filter: Callable[[Config], Config | None] | None" in settings
    configs = [
        names["Config"](block_sizes=[m, n, 64], num_warps=warps, num_stages=stages)
        for m, n, warps, stages in itertools.product((64, 128), (64, 128, 256), (4, 8), (2, 3, 4, 5))
    ]
    search = SimpleNamespace(
        settings=SimpleNamespace(autotune_config_filter=tuning.fits),
        log=SimpleNamespace(trace_enabled=False),
        _backend_config_is_viable=lambda config: True,
    )
    source = evidence.Source(wheel, "helion/autotuner/base_search.py")
    passing, indices = source.functions("_apply_config_filter")["_apply_config_filter"](search, configs)
    kernels = [(32 * each["num_warps"], tuning.operands_in_flight(each)) for each in configs]
    answers = [occupancy.compute("9.0", threads=threads, smem=smem) for threads, smem in kernels]
    assert indices == [index for index, answer in enumerate(answers) if answer.occupancy >= 0.125]
    assert passing == [configs[index] for index in indices]
    assert 0 < len(indices) < len(configs)
