"""Options of the commands that read kernels from files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..render.words import printable
from .choose_sm import limits_option
from .options import Command

if TYPE_CHECKING:
    from ..readers import ReadProblem


def kernel_file_options(command: Command) -> Command:
    """Add the options that say which kernels are read, and how they are answered for."""
    for option in reversed(
        (
            click.option(
                "--threads", metavar="N|XxYxZ", help="Threads per block, for kernels whose file has none."
            ),
            click.option("--cc", metavar="CC", help="What if the kernels ran on this compute capability?"),
            limits_option("A table of your own (YAML), for chips that ours lacks."),
            click.option(
                "--name", metavar="PART", help="Only kernels with this in their name; * stands for anything."
            ),
            click.option(
                "--arch", "archs", metavar="ARCH", multiple=True,
                help="Only kernels for this architecture. Repeatable.",
            ),
            click.option(
                "--newest", "only_newest", is_flag=True, help="Of each kernel only the newest architecture."
            ),
            click.option(
                "--runtime", "with_runtime", is_flag=True,
                help="With kernels of CUDA's own device runtime, too.",
            ),
        )
    ):  # fmt: skip
        command = option(command)
    return command


def warn_of(problem: ReadProblem) -> None:
    """Say on standard error what could not be read."""
    click.echo(f"Warning: {printable(str(problem))}", err=True)
