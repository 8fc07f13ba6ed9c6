"""Record the golden files: ``python -m tests.golden.record [QUESTION...]``.

They were recorded once, with the program as it was before it was rewritten. Record them again only for a
question whose numbers were wrong, with a source that says so. The random kernels are the same each time.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import occupancy

from . import numbers
from .recorded import INPUTS, Golden, save, unpack_data

Row = list[Any]

COUNT = 2000
"""Random kernels of `calc` and `advice`."""

MOST = 2**31 - 1
"""Of sizes and counts that the runtime takes as an int."""
SETMAXNREG = ("9.0", "10.0", "10.3", "11.0", "12.0")
BUILDS = (
    ("builds/before", "builds/after"),
    ("cmake/before", "cmake/after"),
    ("kernels/cubins/11.8_80_0.cubin", "kernels/cubins/13.0_80_0.cubin"),
    ("kernels/cubins/11.8_90_0.cubin", "kernels/cubins/13.0_90_0.cubin"),
    ("kernels/cubins/12.9_90_0.cubin", "kernels/cubins/13.0_90_1.cubin"),
    ("kernels/cubins/12.4_86_0.cubin", "kernels/cubins/13.5_86_0.cubin"),
    ("modern/h200/spill_64.cubin", "modern/h200/spill_32.cubin"),
    ("modern/h200/spill_40.cubin", "modern/h200/spill_40-DSPILL.cubin"),
)
SCANS = (
    ["builds/before"], ["builds/after"], ["cmake/before"], ["cmake/after"], ["inductor/cache"],
    ["inductor/trace.json"], ["kernels/samples.cubin", "kernels/ptxas_v.txt"], ["kernels/samples.exe"],
    ["kernels/samples.fatbin", "kernels/res_usage_fat.txt"], ["kernels/triton_cache"], ["kernels/cubins"],
    ["kernels/ncu_raw.csv", "kernels/samples.exe"], ["modern"], ["stack"], ["lines"],
)  # fmt: skip
RULES = (
    (
        "min_occupancy = 60", "max_regs = 40", "max_spill_bytes = 0", "max_stack_bytes = 0",
        "max_smem = 8192", "max_barriers = 1", "max_occupancy_drop = 0", "max_regs_growth = 0",
        "max_stack_growth = 0", "max_smem_growth = 0", "no_new_spills = true", "no_new_smem_spills = true",
    ),
    (
        "min_occupancy = 90", "max_regs = 31", "max_spill_bytes = 500", "max_stack_bytes = 100",
        "max_smem = 4096", "max_barriers = 0", "max_occupancy_drop = 40", "max_regs_growth = 10",
        "max_stack_growth = 200", "max_smem_growth = 16384",
    ),
)  # fmt: skip


def kernel(rng: random.Random, cc: str) -> dict[str, Any]:
    """Return the given fields of a random kernel, often at the edge of what a resource allows."""
    sm = occupancy.limits(cc)
    threads = rng.choice([rng.randint(1, 1024), 32 * rng.randint(1, 32), rng.choice((64, 128, 256, 512))])
    fields: dict[str, Any] = {"threads": threads}
    if rng.random() < 0.85:
        fields["regs"] = rng.choice([rng.randint(0, sm.max_registers_per_thread), rng.randint(16, 128)])
    if rng.random() < 0.7:
        fields |= _shared_memory(rng, sm)
    if rng.random() < 0.3:
        fields["barriers"] = rng.randint(0, 16)
    if rng.random() < 0.15:
        share = rng.choice(sm.shared_memory_configurations)
        fields["carveout"] = rng.choice([f"{rng.randint(0, 100)}%", share])
    if rng.random() < 0.2 and sm.partitioned_global_caching:
        fields["caching"] = rng.choice(["ca", "cg"])
    if rng.random() < 0.1:
        fields["opt_in"] = rng.random() < 0.5
    if sm.tensor_memory_per_multiprocessor and rng.random() < 0.4:
        fields["tensor_memory"] = rng.choice((32, 64, 128, 256, 512))
    if sm.virtual_resources_per_multiprocessor and rng.random() < 0.2:
        fields["virtual_resources"] = rng.choice((0, 128))
    return fields


def _shared_memory(rng: random.Random, sm: occupancy.Limits) -> dict[str, int]:
    """Return shared memory of a block, often an equal share of the SM or one byte beside it."""
    size = rng.randint(0, sm.max_shared_memory_per_multiprocessor)
    if rng.random() < 0.6:
        share = sm.max_shared_memory_per_multiprocessor // rng.randint(1, 24)
        unit = sm.shared_memory_allocation_unit
        size = share // unit * unit - sm.reserved_shared_memory_per_block + rng.randint(-1, 1)
    size = max(size, 0)
    if rng.random() < 0.5:
        return {"smem": size}
    static = rng.randint(0, min(size, 49152))
    return {"static_smem": static, "dynamic_smem": size - static}


def kernels(
    count: int, *, seed: int, ccs: Sequence[str] | None = None
) -> Iterator[tuple[random.Random, str, dict[str, Any]]]:
    """Yield random kernels, each compute capability in turn."""
    rng, ccs = random.Random(seed), ccs or numbers.compute_capabilities()
    for number in range(count):
        cc = ccs[number % len(ccs)]
        yield rng, cc, kernel(rng, cc)


def has_runtime(cc: str) -> bool:
    """Return whether cuda_occupancy.h supports a compute capability."""
    return float(cc) >= 3


def _limits() -> Iterator[Row]:
    yield from ([cc] for cc in numbers.compute_capabilities())


def _gpus() -> Iterator[Row]:
    yield from ([name] for name in numbers.gpu_names())


def _accepts() -> Iterator[Row]:
    ranges = {
        "threads": (1, MOST), "regs": (0, 255), "static_smem": (0, MOST), "dynamic_smem": (0, MOST),
        "smem": (0, MOST), "barriers": (0, 16), "virtual_resources": (0, 255), "tensor_memory": (1, MOST),
        "carveout": (0, MOST),
    }  # fmt: skip
    for name, (low, high) in ranges.items():
        for value in (low - 1, low, high, high + 1, 32.0, True, None):
            if name != "carveout" or type(value) is int:
                yield [{"threads": 32, name: value}]
    yield from ([{"threads": 32, "carveout": f"{value}%"}] for value in (-1, 0, 100, 101))
    yield from ([{"threads": 32, "smem": 0, name: 0}] for name in ("static_smem", "dynamic_smem"))
    for axis, high in enumerate((MOST, 65535, 65535)):
        for value in (0, 1, high, high + 1):
            yield [{"threads": 32, "grid": [value if each == axis else 1 for each in range(3)]}]


def _calc() -> Iterator[Row]:
    for rng, cc, fields in kernels(COUNT, seed=1):
        has_spreadsheet = occupancy.limits(cc).spreadsheet is not None
        models = [*(["cuda"] * has_runtime(cc)), *(["spreadsheet"] * has_spreadsheet)]
        yield [cc, rng.choice(models), fields]
    for rng, cc, fields in kernels(40, seed=9, ccs=["8.9", "9.0", "10.0"]):
        block = {
            "threads": 128 * rng.randint(1, 5),
            "regs": rng.choice((64, 88, 96, 104, 120, 128, 152, 168)),
        }
        yield [cc, "cuda", {**fields, **block, "reallocates_registers": rng.random() < 0.5}]
    for rng, cc, fields in kernels(40, seed=8, ccs=["10.7"]):
        smem = {"static_smem": 0, "dynamic_smem": rng.randint(150_000, 340_000)}
        rest = {name: fields[name] for name in fields if "smem" not in name}
        yield [cc, "cuda", rest | smem | {"shared_memory_mode": "oversized"}]


def _fits() -> Iterator[Row]:
    yield from ([fields] for _, _, fields in kernels(150, seed=2))


def _budget() -> Iterator[Row]:
    for rng, cc, fields in kernels(400, seed=3):
        if rng.random() < 0.6:
            fields = {name: fields[name] for name in fields if name in ("threads", "barriers", "carveout")}
        if rng.random() < 0.5:
            yield [cc, fields, rng.randint(1, 20) / 20, None]
        else:
            yield [cc, fields, None, rng.randint(1, 12)]


def _bounds() -> Iterator[Row]:
    for rng, cc, fields in kernels(640, seed=4):
        fields["threads"] = min(fields["threads"], occupancy.limits(cc).max_threads_per_block)
        yield [cc, fields, rng.choice([None, *range(1, 17)])]


def _block_sizes() -> Iterator[Row]:
    for rng, cc, fields in kernels(192, seed=5):
        yield [cc, fields, rng.choice([None, rng.randint(1, 200)]) if has_runtime(cc) else None]


def _registers() -> Iterator[Row]:
    rng = random.Random(6)
    for _ in range(400):
        parts = [f"{rng.randint(1, 3)}:{rng.randrange(24, 257, 8)}" for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.4:
            parts[-1] = f"{rng.randint(1, 3)}:?"
        regs = rng.choice([None, None, rng.randint(24, 200)])
        min_blocks = rng.choice([None, 1, 1, 2, 3]) if regs is None else None
        smem = rng.choice([None, None, rng.randint(0, 230_000)])
        yield [rng.choice(SETMAXNREG), ",".join(parts), None, regs, min_blocks, smem]


def _waves() -> Iterator[Row]:
    for rng, cc, fields in kernels(400, seed=7):
        if rng.random() < 0.8:  # most are to launch
            fields = {**fields, "threads": min(fields["threads"], 512), "regs": fields.get("regs", 99) % 64}
        cluster = rng.choice((None, 2, 3, 8, 16)) if occupancy.limits(cc).max_portable_cluster_size else None
        grid = [(cluster or 1) * rng.randint(1, 3000), rng.choice((1, 1, 7)), 1]
        yield [cc, fields, rng.randint(1, 200), grid, cluster]


def _sweep() -> Iterator[Row]:
    for cc in numbers.compute_capabilities():
        sm = occupancy.limits(cc)
        most = sm.max_shared_memory_per_block_optin or sm.max_shared_memory_per_block
        sizes, regs = [0, 1000, most // 5, most // 2, most], [0, 24, 32, 33, 40, 64, 96, 127, 168, 255]
        yield [cc, {"threads": list(range(32, 1025, 62)), "regs": regs, "smem": sizes}]


def _records(data: Path) -> Iterator[Row]:
    others = (".cu", ".sh", ".py", ".best_config", ".h")
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data).as_posix()
        is_left_out = name.startswith("inductor/cache") or "CompilerId" in name or path.suffix in others
        if path.is_file() and not is_left_out:
            yield [name]


def _scan() -> Iterator[Row]:
    yield from ([paths, threads] for paths in SCANS for threads in (96, 256))


def _diff() -> Iterator[Row]:
    yield from ([old, new, 128] for old, new in BUILDS)


def _check() -> Iterator[Row]:
    for old, new in BUILDS:
        for criteria in RULES:
            yield [old, new, 256, "".join(f"[[rules]]\n{criterion}\n" for criterion in criteria)]


PURE: dict[str, Callable[[], Iterator[Row]]] = {
    "accepts": _accepts,
    "limits": _limits, "gpus": _gpus, "calc": _calc, "advice": _calc, "fits": _fits, "budget": _budget,
    "bounds": _bounds, "block_sizes": _block_sizes, "registers": _registers, "waves": _waves,
    "sweep": _sweep,
}  # fmt: skip


def record(question: str, data: Path, scratch: Path) -> None:
    """Compute and save the golden file of a question."""
    inputs = _records(data) if question == "records" else _rows(question)
    rows, columns = [], list(INPUTS[question])
    for row in inputs:
        is_pure = question in PURE
        try:
            values = (
                numbers.PURE[question](*row) if is_pure else numbers.from_files(question, row, data, scratch)
            )
        except occupancy.OccupancyError as error:
            print(f"  left out: {question} {row}: {error}")
            continue
        names = [*INPUTS[question], *values]
        assert columns in (names, list(INPUTS[question]))
        columns = names
        rows.append([*row, *map(numbers.plain, values.values())])
    save(question, Golden(columns, rows))
    print(f"{question}: {len(rows)} rows")


def _rows(question: str) -> Iterator[Row]:
    others = {"scan": _scan, "diff": _diff, "check": _check}
    return {**PURE, **others}[question]()


def main(questions: list[str]) -> None:
    """Record some questions, or all of them."""
    with TemporaryDirectory() as folder:
        data, scratch = Path(folder, "data"), Path(folder, "scratch")
        scratch.mkdir()
        data = unpack_data(data)
        for question in questions or INPUTS:
            record(question, data, scratch)


if __name__ == "__main__":
    os.environ.pop("OCCUPANCY_CC", None)
    main(sys.argv[1:])
