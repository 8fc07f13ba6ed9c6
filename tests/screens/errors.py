"""Wrong input on the command line and in Python; the messages are recorded in errors.txt."""

import shlex
from collections.abc import Iterator
from typing import Any

import occupancy
from tests.cli_runner import run

COMMANDS = """
clac --cc 9.0
plot --cc 9.0
calc --cc 9.0
calc 256 32
calc --gpu RTX 4090 -t 256
calc --cc 8.0 9.0 -t 256
diff - -
bounds --occupancy 75%
scan tests/data/kernels/ptxas_v.txt -o x.csv --format json
calc --cc 9.0 -t 0
calc --cc 9.0 -t 5000
calc --cc 9.0 -t 32,64
calc --cc 9.0 -t 16x
calc --cc 9.0 -t 32 -o x.csv
calc -arch=sm_90 -t 32
calc --cc 9.0 -threads=0
calc --cc 9.0 -t --regs 3
calc --cc 9.0 -t 32 --register 3
block-sizes --cc 9.0 -t 32
scan ""
scan tests/data/builds/before --limit 0
scan tests/data/builds/before --columns registers
check tests/data/builds/before --rules tests/data/builds/occupancy.toml --baseline README.md
scan tests/data/builds/before --sort size
scan tests/data/builds/before --below 150
scan tests/data/builds/before --arch sm_9x
scan tests/data/builds/before --save-baseline x.json -o x.csv
calc --cc 9.0 -t 32 -r 256
calc --cc 9.0 -t 32 -r 40.5
calc --cc 9.0 -t 32 -s 1.3k
calc --cc 9.0 -t 32 -s -5
calc --cc 9.0 -t 32 --smem 1k --static-smem 1k
calc --cc 9.0 -t 32 --carveout 150
calc --cc 9.0 -t 32 --caching ca
calc --cc 9.0 -t 32 --model nsight
calc --cc 9.0 -t 32 --opt-in --tmem x
calc --cc 9.0 -t 32 --tmem 64
calc --cc 9.0 -t 32 --grid 9
check README.md --rules tests/data/kernels/samples.cubin
calc --gpu "H100 SXM" -t 32 --grid 9 --cluster 2
limits --cc 9.0
calc --cc 9.0 -t 32 --set x
calc --cc 2.0 -t 32 --set spreadsheet=null
calc --cc 9.0 -t 32 --set max_blocks=4
calc --cc 9.9 -t 32
calc --gpu H101 -t 32
calc --gpu H100 -t 32 --grid 9
calc --cc "" -t 32
bounds --cc 8.0,9.0 -t 384 --blocks 2,4
bounds --cc 9.0 -t 32 --blocks 0
budget --cc 9.0 -t 32 --blocks 1 --occupancy 1
budget --gpu T4,H100,A100 -t 256 --blocks 4 -r 72 -s 60k
budget --cc 8.9,7.5,9.0 -t 1024 --blocks 2
budget --cc 9.0 --blocks 2
budget --gpu B200 --blocks 2 --tmem 256 --stage-smem 32k
budget --cc 9.0,8.0 -t 32 --blocks 9.0=2
block-sizes --cc 9.0 --smem-per-thread x
sweep --cc 9.0 -t 32 -r 1:9 --mark x -o x.svg
sweep --cc 9.0 -t 32 -o x.svg --format csv
calc 9.0 256 40
calc --cc 9.0 -t 32 --no-optin
calc --gpu MI300 -t 32
registers --groups 1x
registers --groups 9:24
registers --groups 1:40,1:240,1:241
schema nothing
"""
PYTHON: tuple[dict[str, Any], ...] = (
    {"threads": 0}, {"threads": "x"}, {"threads": (16, 16), "regs": -1}, {"thread": 32},
    {"threads": 32, "grid": 4}, {"threads": 32, "smem": "4 parsecs"}, {"threads": True},
    {"threads": 32, "carveout": "x"}, {},
)  # fmt: skip


def errors() -> Iterator[str]:
    for line in COMMANDS.strip().splitlines():
        done = run(*shlex.split(line), columns=200)
        yield f"$ occupancy {line}\n[{done.exit_code}] {done.stderr}"
    for inputs in PYTHON:
        text = ", ".join(f"{name}={value!r}" for name, value in inputs.items())
        try:
            occupancy.compute("9.0", **inputs)
        except (occupancy.OccupancyError, TypeError) as error:
            yield f'>>> compute("9.0", {text})\n{type(error).__name__}: {error}\n'
