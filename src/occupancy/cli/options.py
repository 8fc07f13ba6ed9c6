"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..engine import MODELS
from ..values.kernel import CACHING_MODES, SHARED_MEMORY_MODES
from .output import FORMATS

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option_with(*others: str, note: str = ".") -> Callable[[Command], Command]:
    """``--format`` of a command that has other formats too; the note ends the sentence of its help."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice((*FORMATS, *others)),
        default="text",
        show_default=True,
        help=f"How to print the answer{note}",
    )


format_option = format_option_with()


def kernel_options(command: Command) -> Command:
    """Add the options that say what a block needs; their names are the arguments of `compute`."""
    return threads_option(required=True)(use_options(command))


def threads_option(*, required: bool) -> Callable[[Command], Command]:
    """``--threads``."""
    return click.option(
        "--threads",
        "--block",
        "--block-size",
        "threads",
        required=required,
        metavar="N|XxYxZ",
        help="Threads per block, or the block's shape.",
    )


def use_options(command: Command) -> Command:
    """Add the same but for the threads."""
    for option in reversed(
        (
            click.option("--regs", "--registers", "regs", metavar="N", help="Registers per thread."),
            click.option(
                "--smem", metavar="SIZE",
                help="Shared memory per block, static and dynamic: bytes, or 40k, 40KiB.",
            ),
            click.option("--static-smem", metavar="SIZE", help="Shared memory that the kernel declares."),
            click.option("--dynamic-smem", metavar="SIZE", help="Shared memory that the launch asks for."),
            click.option(
                "--carveout", metavar="PERCENT|SIZE",
                help="Shared memory's share of the L1 memory: 50, 64k, max, default (the largest), "
                "auto (the smallest with as many blocks).",
            ),
            click.option(
                "--caching", type=click.Choice(CACHING_MODES), metavar="ca|cg",
                help="Whether global loads are cached in L1; 5.2, 5.3, 6.1, 6.2.",
            ),
            click.option("--barriers", metavar="N", help="Named barriers per block; limits from 9.0."),
            click.option(
                "--virtual-resources", metavar="N", help="Virtual resources per block; limit from 10.0.",
            ),
            click.option(
                "--tensor-memory", metavar="COLUMNS",
                help="Columns of tensor memory per block, 10.0 to 11.0; implies 128 virtual resources.",
            ),
            click.option(
                "--shared-memory-mode", type=click.Choice(SHARED_MEMORY_MODES), metavar="oversized",
                help="The mode with more shared memory than by opt-in, on 10.7.",
            ),
            click.option(
                "--opt-in/--no-opt-in", "opt_in", default=None,
                help="Whether the kernel raised its shared memory limit above 48 KiB. [default: it did]",
            ),
            click.option(
                "--model", type=click.Choice(tuple(MODELS)), metavar="cuda|spreadsheet",
                help="Whose answer. [default: cuda from 3.0]",
            ),
        )
    ):  # fmt: skip
        command = option(command)
    return command
