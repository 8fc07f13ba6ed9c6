"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable

import click

from ..engine import MODELS
from ..errors import InputError
from ..values.fields import CACHING_CCS, FIELDS
from ..values.option_names import options_of
from .help import Decorated, grouped_option, with_options
from .output import FOR_PEOPLE, FORMATS


def format_option_with(*others: str, note: str = ".") -> Callable[[Decorated], Decorated]:
    """``--format`` of a command that has other formats too; the note ends the sentence of its help."""
    return grouped_option(
        "output",
        "--format",
        "output_format",
        type=click.Choice((*FORMATS, *others)),
        default="text",
        metavar="FORMAT",
        is_common=True,
        help=f"{', '.join((*FORMATS, *others))}{note}",
    )


format_option = format_option_with()


limit_option = grouped_option(
    "output",
    "--limit",
    is_common=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="Show at most N kernels.",
)


def output_option(text: str) -> Callable[[Decorated], Decorated]:
    """``-o``, the one file that a command writes, with a text of help."""
    return grouped_option(
        "output",
        "-o",
        "--output",
        multiple=True,
        callback=_one_file,
        is_common=True,
        metavar="FILE",
        help=text,
    )


def _one_file(context: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> str | None:
    """The file; of several click would take the last and say nothing."""
    if len(files) > 1:
        raise InputError(
            f"got {', '.join(files)}", where="output", allowed="one file", hint="Ask once for each."
        )
    return files[0] if files else None


full_names_option = grouped_option(
    "output", "--full-names", is_flag=True, help="Show whole names, over several lines if needed."
)


exit_code_option = grouped_option(
    "output",
    "--exit-code",
    is_flag=True,
    is_common=True,
    help="Exit with 1 if it cannot launch even with opt-ins; with --no-opt-in, without.",
)


def blocks_option(name: str, text: str) -> Callable[[Decorated], Decorated]:
    """``--blocks``, which is ``--min-blocks`` too, as the argument of that name, with a text of help."""
    return grouped_option("launch", "--blocks", "--min-blocks", name, is_common=True, metavar="N", help=text)


MOST_KIB = 256
"""Of shared memory that people ask for; a number below it, without a unit, may have been meant as KiB."""


def _size(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """A size as it was typed; of a small number without a unit people are told that it is in bytes."""
    number = (text or "").strip()
    if number.isdecimal() and 0 < int(number) < MOST_KIB:

        def say() -> None:
            if context.params.get("output_format", "text") in FOR_PEOPLE:
                bytes_of_it = "1 byte" if int(number) == 1 else f"{number} bytes"
                click.echo(f"{parameter.opts[-1]}: {bytes_of_it}; for KiB write {number}k.", err=True)

        context.call_on_close(say)
    return text


def threads_option(*, required: bool) -> Callable[[Decorated], Decorated]:
    """``--threads``."""
    return grouped_option(
        "kernel",
        "-t",
        *options_of("threads"),
        "threads",
        required=required,
        is_common=True,
        metavar="N|XxYxZ",
        help="Threads per block, or the block's shape.",
    )


# Texts for a line of a screen; `api.arguments.MEANINGS` are for programs. A test compares the names.
use_options = with_options(
    grouped_option(
        "kernel", "-r", *options_of("regs"), "regs", is_common=True, metavar="N",
        help="Registers per thread.",
    ),
    grouped_option(
        "kernel", "-s", "--smem", is_common=True, metavar="SIZE", callback=_size,
        help="Shared memory per block: bytes, 40k, 27.5KiB.",
    ),
    grouped_option(
        "kernel", "--static-smem", metavar="SIZE", callback=_size,
        help="Shared memory that the kernel declares.",
    ),
    grouped_option(
        "launch", "--dynamic-smem", metavar="SIZE", callback=_size,
        help="Shared memory that the launch asks for.",
    ),
    grouped_option(
        "launch", "--carveout", metavar="PERCENT|SIZE",
        help="Shared memory's share of the L1 memory: 50, 64k, max, default (the largest), "
        "auto (the smallest with as many blocks).",
    ),
    grouped_option(
        "kernel", "--caching", type=click.Choice(FIELDS["caching"].choices), metavar="ca|cg",
        help=f"Cache global loads in L1 (ca) or not (cg), on {CACHING_CCS}.",
    ),
    grouped_option(
        "kernel", "--barriers", metavar="N",
        help="Named barriers per block; limits from 9.0.",
    ),
    grouped_option(
        "kernel", "--virtual-resources", metavar="N",
        help="Virtual resources per block; 0 if the kernel relinquishes its tensor memory permit, else 128.",
    ),
    grouped_option(
        "kernel", *options_of("tensor_memory"), "tensor_memory", metavar="COLUMNS",
        help="Columns of tensor memory (TMEM) per block, 10.0 to 11.0; one block per SM unless "
        "--virtual-resources 0.",
    ),
    grouped_option(
        "kernel", "--shared-memory-mode", type=click.Choice(FIELDS["shared_memory_mode"].choices),
        metavar="oversized",
        help="Use the oversized shared memory mode (10.7 only).",
    ),
    grouped_option(
        "launch", "--opt-in/--no-opt-in", "opt_in", default=None,
        help="The program opts in to more than 48 KiB of dynamic shared memory. [default: it did]",
    ),
    grouped_option(
        "kernel", "--model", type=click.Choice(tuple(MODELS)), metavar="cuda|spreadsheet",
        help="CUDA's answer, or that of NVIDIA's old spreadsheet. [default: cuda from 3.0]",
    ),
)  # fmt: skip
"""What a block needs, but for its threads."""

kernel_options = with_options(threads_option(required=True), use_options)
"""What a block needs; the names are the arguments of `compute`."""

sms_option = grouped_option(
    "launch",
    "--sms",
    metavar="N|P%",
    help="SMs of the GPU, or a part of them: a number or a percentage.",
)

cluster_option = grouped_option(
    "launch", "--cluster", is_common=True, metavar="N|XxYxZ", help="Blocks per cluster, from 9.0."
)

grid_options = with_options(
    grouped_option(
        "launch", "--grid", is_common=True, metavar="N|XxYxZ", help="Blocks of the grid, for its waves."
    ),
    cluster_option,
    sms_option,
)
"""``--grid``, ``--cluster`` and ``--sms``."""
