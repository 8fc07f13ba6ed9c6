"""Processor time to compare two baselines of 10,000 kernels, and to check one against the other.

One kernel in twenty has changed. The resources are distributed as in a library.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from startup import ENVIRONMENT

from occupancy.compare.baseline import Build, write_baseline
from occupancy.readers import KernelRecord

KERNELS = 10_000
GOAL_SECONDS = 1.0
ROUNDS = 3
RULES = "[[rules]]\nmax_occupancy_drop = 99\nmax_stack_growth = 1000000\n"

RUN = """
import sys, time
import occupancy
start = time.process_time()
if sys.argv[3] == "diff":
    changed = len(occupancy.diff(*sys.argv[1:3]).kernels)
else:
    changed = len(occupancy.check(sys.argv[2], sys.argv[4], baseline=sys.argv[1]).broken)
print(time.process_time() - start, changed)
"""


def baseline(chance: random.Random, changed: bool) -> Build:
    """Return a build, in the changed one with more registers in every twentieth kernel."""
    kernels = []
    for number in range(KERNELS):
        name = f"kernel{number // 4}"
        regs = chance.choice((16, 24, 32, 40, 64, 72, 96, 128, 168, 255))
        smem = chance.choice((0, 0, 0, 1024, 4096, 16384, 36864))
        bound = chance.choice((None, None, 128, 256, 512, 1024 if regs <= 64 else 256))
        more = 8 if changed and number % 20 == 0 and regs < 248 else 0
        kernels.append(
            KernelRecord(
                name=f"_Z{len(name)}{name}ILi{number % 4}EEvPKfPf",
                arch=chance.choice(("sm_80", "sm_90")) if number % 4 else "sm_80",
                source=f"lib/part{number % 50}.o", format="fatbin", linked=True, regs=regs + more,
                static_smem=smem, barriers=1, stack_bytes=0, spill_store_bytes=0, spill_load_bytes=0,
                max_threads=bound,
            )
        )  # fmt: skip
    return Build(tuple(kernels))


def seconds(*arguments: str) -> tuple[float, int]:
    """Return the fastest time of several processes, and the number of changed kernels."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", RUN, *arguments],
            check=True,
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
        )
        for _ in range(ROUNDS)
    ]
    taken, found = zip(*(run.stdout.split() for run in runs), strict=True)
    return min(map(float, taken)), int(found[0])


def main() -> int:
    """Print the times, and return 1 if a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        old, new, rules = (str(Path(folder, name)) for name in ("old.json", "new.json", "rules.toml"))
        for path, changed in ((old, False), (new, True)):
            write_baseline(path, baseline(random.Random(1), changed))
        Path(rules).write_text(RULES, encoding="utf-8")
        missed = False
        for command in ("diff", "check"):
            taken, found = seconds(old, new, command, rules)
            missed |= taken > GOAL_SECONDS
            print(
                f"{command:6}{KERNELS:,} kernels: {taken:.2f} s (goal {GOAL_SECONDS} s), {found:,} in the report"
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
