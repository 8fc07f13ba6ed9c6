"""Options of the commands that read kernels from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..values.untrusted import printable
from .choose_sm import choose_sm, limits_option
from .completion import complete_chip
from .help import grouped_option, with_options

if TYPE_CHECKING:
    from ..readers import ReadProblem


class KernelFiles(click.Argument):
    """Files that hold kernels, of which ``-`` is standard input."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """As click does; who forgets ``-`` after a pipe is told of it."""
        try:
            return super().process_value(ctx, value)
        except click.MissingParameter as error:
            raise click.MissingParameter("`-` reads standard input.", ctx, self) from error


def _sizes(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> str | dict[str, str] | None:
    """One block size for all kernels, or several by patterns of their names."""
    if not texts:
        return None
    plain = [text for text in texts if "=" not in text]
    if len(plain) > 1:
        raise click.BadParameter("is given twice for all kernels.", context, parameter)
    if texts == tuple(plain):
        return plain[0]
    by_name = {name.strip(): size for name, _, size in (text.rpartition("=") for text in texts) if name}
    return {**({"*": plain[0]} if plain else {}), **by_name}


kernel_file_options = with_options(
    grouped_option(
        "kernel", "-t", "--threads", is_common=True, metavar="N|XxYxZ", multiple=True,
        callback=_sizes, help="Threads per block, if a file has none; blur=256 for one kernel.",
    ),
    grouped_option(
        "chip", "-c", "--cc", is_common=True, metavar="CHIP", shell_complete=complete_chip,
        help="Apply the limits of this GPU: 9.0, hopper, H100.",
    ),
    limits_option("A table of your own (YAML or TOML)."),
    grouped_option(
        "kernel", "--name", is_common=True, metavar="PART", multiple=True,
        help="Select kernels by a part of their name; * matches anything. Repeatable.",
    ),
    grouped_option(
        "kernel", "--arch", "archs", metavar="ARCH", multiple=True,
        help="Select an architecture: sm_90, sm_90a, hopper, all. Repeatable.", is_common=True,
    ),
    grouped_option(
        "kernel", "--newest", "only_newest", is_flag=True,
        help="Select the newest architecture of each kernel."
    ),
    grouped_option(
        "kernel", "--runtime", "with_runtime", is_flag=True,
        help="Include kernels of CUDA's device runtime.",
    ),
)  # fmt: skip
"""The options that say which kernels are read, and how they are answered for."""


def with_what_if(options: dict[str, Any], gpu: str | None) -> dict[str, Any]:
    """The options of a command, with the chip that ``--cc`` or ``--gpu`` names as ``cc``."""
    if options["cc"] is None and gpu is None:
        return options
    chip = choose_sm(options["cc"], gpu, None, options["limits_file"])
    return {**options, "cc": chip.limits}


def warn_of(problem: ReadProblem) -> None:
    """Say on standard error what could not be read."""
    click.echo(f"Warning: {printable(str(problem))}", err=True)
