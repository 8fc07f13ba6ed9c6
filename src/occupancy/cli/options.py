"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..errors import InputError
from ..sm_limits import Limits
from .output import FORMATS

Command = TypeVar("Command", bound=Callable[..., Any])

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print the answer.",
)


limits_option = click.option(
    "--limits",
    "limits_file",
    type=click.Path(readable=False),  # for the shell's completion alone
    metavar="FILE",
    help="A table of your own (YAML), for a chip that ours lacks or an imaginary one.",
)

changes_option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="LIMIT=VALUE",
    help="What if this limit were different? Repeatable; `occupancy limits 9.0` has the names.",
)


def sm_options(command: Command) -> Command:
    """Add the options that say which SM: ``--cc``, ``--limits``, ``--set``."""
    cc_option = click.option(
        "--cc",
        "--arch",
        "--sm",
        "cc",
        metavar="CC",
        help="Compute capability: 9.0, 90, sm_90a, compute_90, sm_120 (12.0).",
    )
    return cc_option(limits_option(changes_option(command)))


def sms_options(command: Command) -> Command:
    """Add the same options for several SMs."""
    ccs_option = click.option(
        "--cc",
        "--arch",
        "--sm",
        "ccs",
        multiple=True,
        metavar="CC,CC...",
        help="Compute capabilities, with commas between them or repeated.",
    )
    return ccs_option(limits_option(changes_option(command)))


def kernel_options(command: Command) -> Command:
    """Add the options that say what a block needs; their names are the arguments of `compute`."""
    threads_option = click.option(
        "--threads",
        "--block",
        "--block-size",
        "threads",
        required=True,
        metavar="N|XxYxZ",
        help="Threads per block, or the block's shape.",
    )
    return threads_option(use_options(command))


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
                "--caching", metavar="ca|cg",
                help="Whether global loads are cached in L1; 5.2, 5.3, 6.1, 6.2.",
            ),
            click.option("--barriers", metavar="N", help="Named barriers per block; limits from 9.0."),
            click.option(
                "--opt-in/--no-opt-in", "opt_in", default=None,
                help="Whether the kernel raised its shared memory limit above 48 KiB. [default: it did]",
            ),
            click.option(
                "--model", metavar="cuda|spreadsheet", help="Whose answer. [default: cuda from 3.0]"
            ),
        )
    ):  # fmt: skip
        command = option(command)
    return command


def chosen_sm(cc: str | None, limits_file: str | None, changes: tuple[str, ...]) -> Limits:
    """The SM that the options of `sm_options` name.

    Raises:
        InputError: Neither a compute capability nor a table with just one was given.
    """
    from .. import table

    if limits_file is not None:
        from ..custom_table import read_limits

        sm = _from_file(read_limits(limits_file), cc, limits_file)
    elif cc is not None:
        sm = table.limits(cc)
    else:
        raise InputError("is missing", where="--cc", allowed="a compute capability, such as --cc 9.0")
    if changes:
        from ..custom_table import with_changes

        sm = with_changes(sm, changes)
    return sm


def chosen_sms(ccs: tuple[str, ...], limits_file: str | None, changes: tuple[str, ...]) -> list[Limits]:
    """The SMs that the options of `sms_options` name; without ``--cc`` all of the file, or of the table."""
    if ccs:
        names = [name for listed in ccs for name in listed.split(",") if name.strip()]
    elif limits_file is not None:
        from ..custom_table import read_limits

        names = list(read_limits(limits_file))
    else:
        from ..table import known

        names = [str(cc) for cc in known()]
    return [chosen_sm(name, limits_file, changes) for name in names]


def _from_file(rows: dict[str, Limits], cc: str | None, limits_file: str) -> Limits:
    from .. import table
    from ..sm_limits import ComputeCapability

    if cc is None:
        if len(rows) == 1:
            return next(iter(rows.values()))
        raise InputError(
            f"{limits_file} has {len(rows)} compute capabilities, and --cc is missing",
            where="--cc",
            allowed=", ".join(rows),
        )
    wanted = ComputeCapability.parse(cc)
    return rows.get(str(wanted)) or table.limits(wanted)
