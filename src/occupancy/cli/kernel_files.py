"""Options of the commands that read kernels from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from ..render.words import printable
from .options import Command

if TYPE_CHECKING:
    from ..api.builds import ReadingArguments
    from ..readers import ReadProblem
    from ..values.limits import ComputeCapability, Limits


def kernel_file_options(command: Command) -> Command:
    """Add the options that say which kernels are read, and how they are answered for."""
    for option in reversed(
        (
            click.option(
                "--threads", metavar="N|XxYxZ", help="Threads per block, for kernels whose file has none."
            ),
            click.option("--cc", metavar="CC", help="What if the kernels ran on this compute capability?"),
            click.option(
                "--limits", "limits_file", metavar="FILE",
                help="A table of your own (YAML), for chips that ours lacks.",
            ),
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


def limits_from(file: str | None) -> Callable[[ComputeCapability], Limits]:
    """Where limits come from: the shipped table, and a user's own before it."""
    from ..tables import shipped

    if file is None:
        return shipped.limits
    from ..tables.custom import read_limits

    rows = read_limits(file)
    return lambda cc: rows.get(str(cc)) or shipped.limits(cc)


def reading(limits_file: str | None, **options: Any) -> ReadingArguments:
    """The options as the arguments of `guard`'s functions."""
    return {"limits_of": limits_from(limits_file), **options}  # type: ignore[typeddict-item]


def warn_of(problems: Iterable[ReadProblem]) -> None:
    """Say on standard error what could not be read."""
    for problem in problems:
        click.echo(f"Warning: {printable(str(problem))}", err=True)
