"""Which chips a command is about: the options, and what they name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .completion import complete_chip, complete_limit
from .help import grouped_option
from .named_chips import NamedChips
from .options import Command as Decorated

if TYPE_CHECKING:
    pass

Command = Callable[..., Any]


def limits_option(text: str) -> Callable[[Decorated], Decorated]:
    """``--limits FILE`` with a text of help."""
    return grouped_option(
        "chip",
        "--limits",
        "limits_file",
        type=click.Path(readable=False),  # for the shell's completion alone
        metavar="FILE",
        help=text,
    )


def device_option(name: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """``--device N`` as the argument of that name, with click's further settings."""
    return grouped_option("chip", "--device", name, metavar="N", type=click.IntRange(min=0), **how)


def cc_option(name: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """``--cc CHIP``, under all its names, as the argument of that name, with click's further settings."""
    return grouped_option(
        "chip", "-c", "--cc", "--arch", "--sm", name, is_common=True, shell_complete=complete_chip, **how
    )


def gpu_option_as(name: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """``--gpu NAME`` as the argument of that name, with click's further settings."""
    return grouped_option("chip", "--gpu", name, is_common=True, shell_complete=complete_chip, **how)


def one_chip(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> str | None:
    """The one text of an option that may be given once; click would take the last in silence."""
    if len(texts) > 1:
        raise click.BadParameter(
            f"is given {len(texts)} times, and one chip is asked for.", context, parameter
        )
    return texts[0] if texts else None


changes_option = grouped_option(
    "chip",
    "--set",
    "changes",
    multiple=True,
    metavar="LIMIT=VALUE",
    shell_complete=complete_limit,
    help="What if this limit were different? Repeatable; `occupancy limits 9.0` has the names.",
)

own_limits_option = limits_option(
    "A table of your own (YAML), for a chip that ours lacks or an imaginary one."
)

gpu_option = gpu_option_as(
    "gpu",
    metavar="NAME",
    multiple=True,
    callback=one_chip,
    help="Or a product: 'RTX 4090', h100-sxm, A6000.",
)


def chips_options(default: str) -> Callable[[Command], Command]:
    """Add the options that say which chips; the command gets a list of `Chip` as ``chips``.

    Args:
        default: Which chips are meant where none is named: ``"one"``, the user's default or this machine's
            GPU; ``"current"``, the table from 7.5 on, and all of it with ``--all``; ``"any"``, the user's
            default, or all of the table.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_chips(**options: Any) -> Any:
            wants_all = options.pop("wants_all", False)
            named, others = _taken(options)
            chips = named.chips()
            if chips and wants_all:
                raise InputError(
                    "some chips are named, and all are asked for", where="--all", cure="Leave one out."
                )
            if not chips and default == "one":
                chips = [named.default()]
            elif not chips:
                chips = named.of_table(wants_all) if default == "current" else named.default_or_table()
            return command(chips=chips, **others)

        options = [
            cc_option(
                "ccs",
                multiple=True,
                metavar="CHIP,...",
                help="9.0, sm_90a, hopper, RTX 4090; several with commas.",
            ),
            gpu_option_as(
                "gpus", multiple=True, metavar="NAME,...", help="Or products: 'H100 SXM,RTX 4090'."
            ),
            device_option("devices", multiple=True, help="Or GPUs of this machine."),
            own_limits_option,
            changes_option,
        ]
        if default == "current":
            options.append(all_option)
        return _with_options(with_chips, *options)

    return decorate


all_option = grouped_option(
    "chip", "--all", "wants_all", is_flag=True, help="Also chips before 7.5 (Turing)."
)


def _with_options(command: Command, *options: Callable[[Command], Command]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def _taken(options: dict[str, Any]) -> tuple[NamedChips, dict[str, Any]]:
    names = ("ccs", "gpus", "devices", "limits_file", "changes")
    return NamedChips(*(options.pop(name) for name in names)), options
