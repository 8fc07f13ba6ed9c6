"""Count how often the occupancy formulas of frameworks are wrong: ``python benchmarks/frameworks.py WHEEL...``.

Each formula is read from the source file in the wheel, by the name of its function or of the variable that it
sets, and is run unchanged. The framework is neither installed nor imported.
`pip download --no-deps torch==2.15.0 quack-kernels==0.6.5 tilelang==0.1.15 helion==1.5.1` downloads the
wheels (torch: 540 MB). The output is in docs/frameworks.md.
"""

from __future__ import annotations

import ast
import math
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import occupancy

H100 = SimpleNamespace(
    regs_per_multiprocessor=65536,
    warp_size=32,
    max_threads_per_multi_processor=2048,
    multi_processor_count=132,
)
"""Properties of an H100 in PyTorch."""

OPT_IN = 232448
"""Maximum shared memory per block on 9.0 and 10.0, in bytes."""


class Count(NamedTuple):
    """Number of wrong results of one formula."""

    wheel: str
    what: str
    wrong: int
    of: int

    def __str__(self) -> str:
        return f"{self.wheel}: {self.what}: {self.wrong:,} of {self.of:,} ({self.wrong / self.of:.1%})"


class Source:
    """Source file in a wheel whose definitions can be run one by one."""

    def __init__(self, wheel: Path, member: str) -> None:
        self.wheel = "-".join(wheel.name.split("-")[:2])
        with zipfile.ZipFile(wheel) as archive:
            self._tree = ast.parse(archive.read(member))

    def functions(self, *names: str) -> dict[str, Callable[..., Any]]:
        """Return functions of the module, without the annotations of their parameters."""
        found = [
            node for node in ast.walk(self._tree) if isinstance(node, ast.FunctionDef) and node.name in names
        ]
        for function in found:
            function.returns = None
            function.decorator_list = []
            for argument in (*function.args.args, *function.args.kwonlyargs):
                argument.annotation = None
        return self._run(list(found))

    def constants(self, *classes: str) -> dict[str, Any]:
        """Return the numbers that classes set, each after its base class."""
        names: dict[str, Any] = {}
        bodies = {node.name: node.body for node in ast.walk(self._tree) if isinstance(node, ast.ClassDef)}
        for node in (each for name in classes for each in bodies[name]):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value:
                with suppress(NameError):  # of another class or module: none of the numbers
                    code = compile(ast.Expression(node.value), self.wheel, "eval")
                    names[target.id] = eval(code, {}, names)
        return names

    def formula_of(self, target: str) -> Callable[..., Any]:
        """Return the value first assigned to a variable, as a function of the names in it."""
        node = next(
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == target
        )
        code = compile(ast.Expression(node.value), self.wheel, "eval")
        return lambda names: eval(code, {}, names)

    def _run(self, nodes: list[ast.stmt]) -> dict[str, Any]:
        names: dict[str, Any] = {"math": math, "cast": cast}
        exec(compile(ast.Module(nodes, []), self.wheel, "exec"), names)
        return names


def blocks(threads: int, regs: int = 0, smem: int = 0, cc: str = "9.0") -> int:
    """Return the exact blocks per SM."""
    return occupancy.compute(cc, threads=threads, regs=regs, smem=smem).active_blocks


def torch(wheel: Path) -> Iterator[Count]:
    """Count PyTorch's Inductor: the fusion of epilogues, and the scaling of reductions."""
    names = Source(wheel, "torch/_inductor/scheduler.py").functions(
        "_occupancy_before_and_after_fusion", "_fuse_epilogue"
    )
    estimated, decides = names["_occupancy_before_and_after_fusion"], names["_fuse_epilogue"]
    label = "-".join(wheel.name.split("-")[:2])
    points = [(regs, warps) for warps in (1, 2, 4, 8, 16) for regs in range(16, 256) if regs * warps <= 2048]
    wrong = sum(
        estimated(regs, regs, 0, warps, H100)[0] != blocks(32 * warps, regs) for regs, warps in points
    )
    yield Count(label, "Inductor, epilogue fusion, blocks per SM", wrong, len(points))

    def exactly(before: int, after: int, spills: int, warps: int, props: object) -> tuple[int, int]:
        return blocks(32 * warps, before), blocks(32 * warps, after)

    pairs = [(regs, after, warps) for regs, warps in points if warps in (4, 8) for after in range(regs, 256)]
    pairs = [(regs, after, warps) for regs, after, warps in pairs if blocks(32 * warps, after)]
    asked = [decides(1.0, 1.0, regs, after, 0, warps, H100) for regs, after, warps in pairs]
    decides.__globals__["_occupancy_before_and_after_fusion"] = exactly
    right = [decides(1.0, 1.0, regs, after, 0, warps, H100) for regs, after, warps in pairs]
    changed = sum(one != other for one, other in zip(asked, right, strict=True))
    yield Count(label, "Inductor, epilogue fusion, changed decisions", changed, len(pairs))

    source = Source(wheel, "torch/_inductor/runtime/triton_heuristics.py")
    formula = source.formula_of("max_blocks_per_sm")
    large = [(regs, warps) for regs, warps in points if regs > 32]
    wrong = sum(
        formula({"device_prop": H100, "nreg_per_block": 32 * warps * regs}) != blocks(32 * warps, regs)
        for regs, warps in large
    )
    yield Count(label, "Inductor, scaling of reductions, blocks per SM", wrong, len(large))


def quack_kernels(wheel: Path) -> Iterator[Count]:
    """Count the stages of CuTe DSL GEMMs: a share of the maximum shared memory per block."""
    source = Source(wheel, "quack/gemm_sm100.py")
    formula = source.formula_of("remaining_bytes")
    cases = [(share, stage) for share in (2, 3, 4) for stage in range(4096, 65537, 512)]
    wrong = 0
    for share, stage in cases:
        room = formula({"smem_capacity": OPT_IN, "occupancy": share, "mbar_helpers_bytes": 0, "epi_bytes": 0})
        wrong += blocks(128, smem=room // stage * stage, cc="10.0") < share
    yield Count(source.wheel, "stages of a GEMM, fewer blocks than requested", wrong, len(cases))
    # The epilogue takes what is left, so that all of the share is used.
    full = [blocks(128, smem=OPT_IN // share, cc="10.0") < share for share in (2, 3, 4)]
    yield Count(source.wheel, "stages that fill the share, fewer blocks than requested", sum(full), len(full))


def tilelang(wheel: Path) -> Iterator[Count]:
    """Count TileLang's roller: blocks per SM of a tile, from shared memory and estimated registers."""
    source = Source(wheel, "tilelang/carver/roller/policy/default.py")
    formula = source.formula_of("td.block_per_SM")
    arch = SimpleNamespace(max_smem_usage=2 * 49152, reg_cap=65536, sm_partition=4)
    cases = [(threads, smem) for threads in (64, 128, 256) for smem in range(1024, 49153, 1024)]
    wrong = sum(
        formula({"self": SimpleNamespace(arch=arch), "td": SimpleNamespace(smem_cost=smem), "reg_usage": 1})
        != blocks(threads, smem=smem)
        for threads, smem in cases
    )
    yield Count(source.wheel, "roller, blocks per SM", wrong, len(cases))


def helion(wheel: Path) -> Iterator[Count]:
    """Count Helion: residency by shared memory, by live registers and of reductions, and the stages."""
    source = Source(wheel, "helion/_compiler/autotuner_heuristics/triton.py")
    numbers = source.constants(
        "TritonH100MatmulHeuristic", "TritonB200FormulaMatmulHeuristic", "TritonH100FormulaMatmulHeuristic"
    )
    names = source.functions(
        "_estimated_resident_ctas",
        "_one_trip_stage2_allowed",
        "_graded_stage_depth",
        "_reduction_resource_resident_ctas_per_sm",
    )
    large = {"grid": 1 << 30, "num_sm": H100.multi_processor_count}
    # What a tile keeps in registers, in bytes, comes in the place of the environment that it is found in.
    matmul = SimpleNamespace(**numbers, _register_live_bytes=lambda live, tile, warps: live)

    def resident(live: int, warps: int, smem: int) -> int:
        estimate = names["_estimated_resident_ctas"]
        return int(estimate(matmul, live, [], num_warps=warps, smem_bytes=smem, **large))

    tiles = [(warps, smem) for warps in (1, 2, 4, 8) for smem in range(1024, OPT_IN + 1, 1024)]
    wrong = sum(resident(0, warps, smem) != blocks(32 * warps, smem=smem) for warps, smem in tiles)
    yield Count(source.wheel, "matmuls, blocks per SM by shared memory", wrong, len(tiles))

    points = [(regs, warps) for warps in (1, 2, 4, 8) for regs in range(16, 256)]
    wrong = sum(
        resident(4 * regs * 32 * warps, warps, 0) != blocks(32 * warps, regs) for regs, warps in points
    )
    yield Count(source.wheel, "matmuls, blocks per SM by registers", wrong, len(points))

    reduction = SimpleNamespace(
        **source.constants("TritonReductionHeuristic"),
        _reduction_estimated_registers_per_thread=lambda resources: resources.regs,
    )
    points = [(regs, warps) for warps in (1, 2, 4, 8, 16, 32) for regs in range(16, 256)]
    points = [(regs, warps) for regs, warps in points if blocks(32 * warps, regs)]
    count = names["_reduction_resource_resident_ctas_per_sm"]
    wrong = sum(
        count(reduction, SimpleNamespace(regs=regs, num_warps=warps)) != blocks(32 * warps, regs)
        for regs, warps in points
    )
    yield Count(source.wheel, "reductions, blocks per SM", wrong, len(points))

    cases = [(share, stage) for share in (2, 3, 4) for stage in range(4096, 65537, 512)]
    cases = [(share, stage) for share, stage in cases if stage <= numbers["SMEM_BUDGET"] // share]
    wrong = 0
    for share, stage in cases:
        grid = share * H100.multi_processor_count
        depth = names["_graded_stage_depth"](
            matmul, stage.__mul__, loop_trips=64, grid=grid, num_sm=H100.multi_processor_count
        )
        wrong += blocks(128, smem=depth * stage) < share
    yield Count(source.wheel, "stages of a matmul, fewer blocks than intended", wrong, len(cases))

    def exactly(live: int, tile: object, *, num_warps: int, smem_bytes: int, **others: object) -> int:
        return blocks(32 * num_warps, smem=smem_bytes)

    def estimated(live: int, tile: object, *, num_warps: int, smem_bytes: int, **others: object) -> int:
        return resident(live, num_warps, smem_bytes)

    stages = range(4096, OPT_IN // 2 + 1, 128)
    decides = names["_one_trip_stage2_allowed"]
    changed = 0
    for stage in stages:
        answers = []
        for matmul._estimated_resident_ctas in (estimated, exactly):
            answers.append(decides(matmul, 0, [], num_warps=4, smem_of=stage.__mul__, **large))
        changed += answers[0] != answers[1]
    yield Count(source.wheel, "a second stage, changed decisions", changed, len(stages))


FRAMEWORKS: dict[str, Callable[[Path], Iterator[Count]]] = {
    "torch": torch,
    "quack_kernels": quack_kernels,
    "tilelang": tilelang,
    "helion": helion,
}


def main(wheels: list[str]) -> None:
    """Print the counts of each wheel."""
    for wheel in map(Path, wheels):
        for count in FRAMEWORKS[wheel.name.split("-")[0]](wheel):
            print(count)


if __name__ == "__main__":
    main(sys.argv[1:])
