"""Record every screen of the commands at four widths: ``python -m tests.screens.record``."""

import shlex
from pathlib import Path

from occupancy.report.schema import REPORTS, json_schema
from tests.cli_runner import run

from .errors import errors

HERE = Path(__file__).parent
WIDTHS = (60, 80, 120, 200)

SCREENS = {
    "calc": "calc --cc 9.0 --threads 256 --regs 72 --smem 40k",
    "calc_full": "calc --cc 8.0 --threads 256 --regs 32",
    "calc_several": 'calc --gpu "H100 SXM,RTX 4090,B200" --threads 256 --regs 72 --smem 40k',
    "calc_grid": 'calc --gpu "H100 SXM" --threads 384 --regs 168 --smem 200k --grid 1000 --cluster 4',
    "calc_grid_several": 'calc --gpu "A100,H100 SXM" --threads 256 --regs 48 --grid 3000',
    "calc_no_launch": 'calc --gpu "RTX 3090" --threads 1024 --regs 80',
    "calc_no_compile": "calc --cc 9.0 --threads 128 --static-smem 64k",
    "calc_explain": "calc --cc 8.0 --threads 256 --regs 37 --explain",
    "calc_tensor_memory": "calc --cc 10.0 --threads 128 --regs 64 --tmem 128",
    "calc_spreadsheet": "calc --cc 8.6 --model spreadsheet --threads 256 --regs 40 --smem 20k",
    "explain_unknown": "calc --cc 9.0 --threads 250 --explain",
    "explain_caching": "calc --cc 5.2 --threads 256 --regs 40 --caching ca --explain",
    "explain_tensor_memory": "calc --cc 10.0 --threads 128 --regs 64 --tmem 128 --smem 33k --explain",
    "explain_spreadsheet": "calc --cc 2.0 --model spreadsheet --threads 200 --regs 33 --smem 5k --explain",
    "explain_too_large": "calc --cc 9.0 --threads 1024 --regs 100 --smem 230k --explain",
    "fits": "fits --threads 256 --regs 64 --smem 96k",
    "budget": 'budget --gpu "A100,H100 SXM,RTX 3090" --threads 256',
    "budget_targets": "budget --threads 384 --cc 8.0,8.6,9.0,12.0 --blocks 8.0=1,8.6=1,9.0=2,12.0=4",
    "budget_stages": 'budget --gpu "H100 SXM,RTX 4090" --threads 384 --blocks 2 --stage-smem 16k --smem 16B',
    "bounds": "bounds --threads 256 --blocks 4 --cc 8.0,8.6,9.0,12.0",
    "block_sizes": 'block-sizes --gpu "H100 SXM" --regs 48',
    "block_sizes_several": 'block-sizes --gpu "T4,A100,RTX 4090" --regs 40',
    "registers": "registers --groups 1:40,2:?",
    "registers_hang": "registers --groups 1:40,2:240",
    "scan": "scan tests/data/kernels/samples.cubin --threads 256",
    "scan_several": "scan tests/data/builds/after",
    "scan_launches": "scan tests/data/kernels/ncu_raw.csv",
    "diff": "diff tests/data/builds/before tests/data/builds/after --threads 256",
    "check": "check tests/data/builds/after --rules tests/data/builds/occupancy.toml",
    "gpus": "gpus h100",
    "limits": "limits 8.0 hopper",
    "sweep": "sweep --cc 9.0 --threads 128:1024:128 --regs 1:255",
    "sweep_best": "sweep --cc 9.0,8.9 -t 128,256,512 -r 32,40,64 -s 0:99999:10000",
    "sweep_curves": "sweep --cc 7.0 --threads 128 --regs 37",
}
"""File -> the command."""


def screen(command: str) -> str:
    """Return the output of a command at each width, and in Markdown."""
    parts = []
    for width in WIDTHS:
        done = run(*shlex.split(command), columns=width)
        parts.append(f"$ COLUMNS={width} occupancy {command}\n{done.stdout}")
    markdown = run(*shlex.split(command), "--format", "markdown").stdout
    parts.append(f"$ occupancy {command} --format markdown\n{markdown}")
    return "\n".join(parts)


def fields() -> str:
    """Return the fields of each command's JSON and CSV, with their types."""
    lines = []
    for command in REPORTS:
        columns, rows_key, _ = REPORTS[command]
        lines.append(f"{command}: {', '.join(json_schema(command)['properties'])}")
        lines += [f"  {rows_key}[].{column.key}: {column.type or 'any'}" for column in columns]
    return "\n".join([*lines, ""])


def main() -> None:
    (HERE / "fields.txt").write_text(fields(), encoding="utf-8")
    for name, command in SCREENS.items():
        (HERE / f"{name}.txt").write_text(screen(command), encoding="utf-8")
    (HERE / "errors.txt").write_text("\n".join(errors()), encoding="utf-8")


if __name__ == "__main__":
    main()
