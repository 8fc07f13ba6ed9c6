"""``occupancy sweep``: the occupancy over some inputs of a kernel, on one GPU or on several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .command import Command, Option
from .gpu_options import gpu_options
from .inputs import kernel_options
from .printing import format_of_file, format_option, pieces, save, show

if TYPE_CHECKING:
    from ..tables.gpus import Gpu


@click.command("sweep", cls=Command)
@gpu_options("any")
@kernel_options()
@click.option("-o", "--output", cls=Option, group="output", is_common=True, metavar="FILE",
              help="Draw a picture: .svg, .png, .pdf; or write .csv, .json, .jsonl, .md.")  # fmt: skip
@click.option("--title", cls=Option, group="output", is_common=True, metavar="TEXT",
              help="The title of the picture.")  # fmt: skip
@click.option("--mark", "marks", cls=Option, group="output", is_common=True, multiple=True, metavar="VALUE,...",
              help="Mark values of the input that varies (64,128), or the best (best).")  # fmt: skip
@format_option()
def command(
    gpus: list[Gpu],
    output: str | None,
    title: str | None,
    marks: tuple[str, ...],
    output_format: str,
    model: Any,
    **inputs: Any,
) -> None:
    """Vary inputs of a kernel: a table, a picture, or a row for each combination.

    GPUs, threads, registers, shared memory, carveout, barriers, tensor memory and virtual resources may be
    lists (128,256) and ranges (FIRST:LAST:STEP). The screen shows one or two that vary, and of more the best;
    --format csv has every combination. If none varies, the result is the three charts of NVIDIA's
    spreadsheet.

    \b
    occupancy sweep --cc 7.0 --threads 128 --regs 37
    occupancy sweep --cc 9.0 --threads 128 --regs 16:128:8
    occupancy sweep --gpu H100,L4 -t 192 -r 16:255 --mark 72 --title Old -o x.png
    occupancy sweep --cc 9.0 --threads 32:1024:32 --regs 16:128:8 -o map.svg
    occupancy sweep --cc 9.0 -t 32:1024:32 -r 16:255:8 -s 0:227k:1k -o all.csv
    """
    from ..api.sweep import picture_of, report_of
    from ..render.pictures import PICTURE_FILES, picture_bytes

    output = None if output == "-" else output
    if output is not None and output.lower().endswith(PICTURE_FILES):
        content = picture_bytes(picture_of(gpus, inputs, model, title=title, marks=marks), output)
    elif title is not None or marks:
        where = "marks" if marks else "title"
        raise InputError("needs a picture", where=where, hint="Add -o chart.png.")
    else:
        output_format = (
            output_format if output is None else format_of_file(output, output_format, PICTURE_FILES)
        )
        has_screen = output_format in ("text", "markdown", "html")
        report = report_of(gpus, inputs, model, has_screen=has_screen)
        if output is None:
            show(report, output_format)
            return
        content = "".join(pieces(report, output_format)).encode()
    save(content, output)
