"""``occupancy sweep``: the occupancy over one or two inputs of a kernel, or on several SMs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .answer_file import write_picture, written_to
from .choose_sm import chips_options
from .help import Command, grouped_option
from .options import format_option_with, kernel_options, output_option
from .output import file_of, format_for, is_format_given, print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments
    from ..tables.gpus import Gpu


@click.command("sweep", cls=Command)
@chips_options("any")
@kernel_options
@output_option("Draw a chart, fit for a slide: .svg, .png or .pdf; or write .csv, .json, .jsonl, .md.")
@grouped_option(
    "output",
    "--title",
    is_common=True,
    metavar="TEXT",
    help="The title of the picture, above what does not vary.",
)
@grouped_option(
    "output",
    "--mark",
    "marks",
    is_common=True,
    multiple=True,
    metavar="VALUE",
    help="Mark values of the input that varies (64,128), or the best (best).",
)
@format_option_with("jsonl", note=": one JSON object for each row.")
def command(
    chips: list[Gpu],
    output: str | None,
    title: str | None,
    marks: tuple[str, ...],
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """The occupancy over some inputs: a chart, a heat map, or rows for a program.

    Chips, threads, registers, shared memory, carveout, barriers, tensor memory and virtual resources may be
    lists (128,256) and ranges (FIRST:LAST:STEP); a screen or a picture shows two that vary, --format csv all.
    A comma stands between values: 128,256 are two; only 1,024 is one, because no number begins with 0.
    If none of them varies, the answer is the three curves of NVIDIA's spreadsheet.

    \b
    occupancy sweep --cc 7.0 --threads 128 --regs 37
    occupancy sweep --cc 9.0 --threads 128 --regs 16:128:8
    occupancy sweep --gpu H100,L4 -t 192 -r 16:255 --mark 72 --title Old -o x.png
    occupancy sweep --cc 9.0 --threads 32:1024:32 --regs 16:128:8 -o map.svg
    occupancy sweep --cc 9.0 -t 32:1024:32 -r 16:255 -s 0:227k:1k -o all.csv
    """
    from ..api.sweep import sweep_grid, sweep_picture
    from ..render.pictures import PICTURE_FILES

    output = file_of(output)
    is_picture = output is not None and output.lower().endswith(PICTURE_FILES)
    if output is None or is_format_given() or not is_picture:
        output_format = format_for(output, output_format, PICTURE_FILES)
        if title is not None or marks:
            where = "marks" if marks else "title"
            raise InputError("is for a picture", where=where, hint="Give one: -o chart.png.")
        if is_picture:
            raise InputError(f"{output} is a picture", where="--format", hint="Leave it out.")
        with written_to(output, output_format):
            print_report(sweep_grid(chips, kernel), output_format)
    else:
        from ..render.pictures import picture_bytes

        write_picture(output, picture_bytes(sweep_picture(chips, kernel, title, marks), output))
    if output is not None:
        click.echo(f"Wrote {output}.", err=True)
