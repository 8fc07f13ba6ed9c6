"""Time of one `occupancy.compute()` as a multiple of the bare arithmetic, measured in one run.

The bare arithmetic is one function that contains the numbers of compute capability 9.0 and returns the same: blocks,
the limit of each resource, the limiters, the allocation and the occupancy. Then `to_dict()` per second, and `prune`
against a loop over `compute`.
"""

from __future__ import annotations

import itertools
import timeit

import occupancy

GOALS = {"occupancy alone": 2.2, "everything": 2.6}
TO_DICT_GOAL = 10_000  # per second
PRUNE_GOAL = 1.0  # times the loop
ROUNDS = 7
KERNELS = list(itertools.product((32, 96, 128, 256, 1000, 1024), (16, 37, 64, 128), (0, 4096, 20000)))


def bare(threads: int, registers: int, static_smem: int, dynamic_smem: int, barriers: int) -> object:
    """Return the same results for 9.0 by integer arithmetic alone."""
    warps = -(-threads // 32)
    by_warps = 0 if threads > 1024 else 64 // warps
    per_warp = -(-registers * 32 // 256) * 256
    if registers > 255 or per_warp * (-(-warps // 4) * 4) > 65536:
        by_registers = 0
    else:
        by_registers = 65536 // 4 // per_warp * 4 // warps
    per_block = -(-(static_smem + dynamic_smem + 1024) // 128) * 128
    by_shared_memory = 0 if per_block > 233472 else 233472 // per_block
    limits = (by_warps, 32, by_registers, by_shared_memory, 64 // barriers)
    blocks = min(limits)
    names = ("warps", "blocks", "registers", "shared_memory", "barriers")
    limiters = tuple(name for name, limit in zip(names, limits, strict=True) if limit == blocks)
    return blocks, limits, limiters, (warps, per_warp * warps, per_block), blocks * warps / 64


def run_bare() -> None:
    for threads, regs, smem in KERNELS:
        bare(threads, regs, smem, 0, 1)


def run_occupancy_alone() -> None:
    compute = occupancy.compute
    for threads, regs, smem in KERNELS:
        _ = compute("9.0", threads=threads, regs=regs, static_smem=smem, dynamic_smem=0, barriers=1).occupancy


def run_everything() -> None:
    compute = occupancy.compute
    for threads, regs, smem in KERNELS:
        result = compute("9.0", threads=threads, regs=regs, static_smem=smem, dynamic_smem=0, barriers=1)
        _ = (result.active_blocks, result.block_limits, result.limiters, result.allocated, result.occupancy)


def check_results() -> None:
    for threads, regs, smem in KERNELS:
        result = occupancy.compute("9.0", threads=threads, regs=regs, static_smem=smem, barriers=1)
        expected = (
            result.active_blocks,
            result.block_limits[:-2],  # 9.0 has no virtual resources and no tensor memory
            result.limiters,
            result.allocated,
            result.occupancy,
        )
        if expected != bare(threads, regs, smem, 0, 1):
            raise SystemExit(f"results differ for {threads} threads, {regs} registers, {smem} bytes")


CONFIGS = [
    {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "num_stages": stages, "num_warps": warps}
    for m, n, k, stages, warps in itertools.product(
        range(16, 272, 16), range(16, 272, 32), range(16, 144, 16), range(1, 5), (1, 2, 4, 8, 16)
    )
]
"""Configurations of a Triton matrix multiplication."""


def operands(config: dict[str, int]) -> int:
    """Return the bytes of shared memory of a configuration."""
    return 2 * config["num_stages"] * config["BLOCK_K"] * (config["BLOCK_M"] + config["BLOCK_N"])


def run_prune() -> list[dict[str, int]]:
    return list(occupancy.prune("8.9", CONFIGS, min_blocks=2, smem=operands))


def run_loop() -> list[dict[str, int]]:
    def blocks(config: dict[str, int]) -> int:
        result = occupancy.compute("8.9", threads=32 * config["num_warps"], smem=operands(config))
        return result.active_blocks

    return [config for config in CONFIGS if blocks(config) >= 2]


def report_others() -> None:
    result = occupancy.compute("9.0", threads=256, regs=72, smem="40k")
    rate = 1000 / min(timeit.repeat(result.to_dict, number=1000, repeat=ROUNDS))
    verdict = "met" if rate >= TO_DICT_GOAL else "MISSED"
    print(f"to_dict()                             {rate:,.0f}/s, goal {TO_DICT_GOAL:,} ({verdict})")
    if run_prune() != run_loop():
        raise SystemExit("prune and the loop differ")
    turns = [[timeit.timeit(run, number=1) for run in (run_prune, run_loop)] for _ in range(ROUNDS)]
    ratio = min(turn[0] for turn in turns) / min(turn[1] for turn in turns)
    verdict = "met" if ratio <= PRUNE_GOAL else "MISSED"
    print(
        f"prune, {len(CONFIGS):,} configurations        {ratio:.2f} times the loop, goal {PRUNE_GOAL:g} ({verdict})"
    )


def main() -> None:
    """Alternate the measurements, so that other load affects all of them, and print the fastest."""
    check_results()
    functions = {"occupancy alone": run_occupancy_alone, "everything": run_everything}
    times = {function: float("inf") for function in (run_bare, *functions.values())}
    for _ in range(ROUNDS):
        for function in times:
            seconds = timeit.timeit(function, number=50) / 50 / len(KERNELS)
            times[function] = min(times[function], seconds)
    print(f"bare arithmetic                       {1e6 * times[run_bare]:6.2f} us")
    for name, function in functions.items():
        ratio, goal = times[function] / times[run_bare], GOALS[name]
        verdict = "met" if ratio <= goal else "MISSED"
        print(
            f"occupancy.compute(), {name:16s} {1e6 * times[function]:6.2f} us  "
            f"{ratio:.2f} times, goal {goal} ({verdict})"
        )
    report_others()


if __name__ == "__main__":
    main()
