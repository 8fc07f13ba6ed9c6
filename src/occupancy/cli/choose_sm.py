"""Which chips a command is about: the options, what they name, and what is meant where they name none."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from ..errors import DeviceError, InputError, MissingDependencyError, OccupancyError
from ..values.option_names import options_of
from .completion import complete_chip, complete_limit
from .help import Decorated, grouped_option, with_options

if TYPE_CHECKING:
    from ..device import Device
    from ..tables.gpus import Gpu
    from ..tables.table import Table

DEFAULT_CHIP = "OCCUPANCY_CC"
"""The environment variable with the chip that is meant where none is named."""


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
        "chip", "-c", *options_of("cc"), name, is_common=True, shell_complete=complete_chip, **how
    )


def gpu_option_as(name: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """``--gpu NAME`` as the argument of that name, with click's further settings."""
    return grouped_option("chip", "--gpu", name, is_common=True, shell_complete=complete_chip, **how)


changes_option = grouped_option(
    "chip",
    "--set",
    "changes",
    multiple=True,
    metavar="LIMIT=VALUE",
    shell_complete=complete_limit,
    help="Change a limit by its name in `occupancy limits 9.0 --format csv`. Repeatable.",
)

own_limits_option = limits_option("A table of your own (YAML or TOML).")

gpu_option = gpu_option_as(
    "gpu",
    metavar="NAME",
    help="GPU by name: 'RTX 4090', h100-sxm, A6000.",
)

all_option = grouped_option(
    "chip", "--all", "wants_all", is_flag=True, help="Include compute capabilities before 7.5."
)


def chips_options(default: Literal["one", "current", "any", "hopper"]) -> Callable[[Decorated], Decorated]:
    """Add the options that say which chips; the command gets a list of `Gpu` as ``chips``.

    Args:
        default: Which chips are meant where none is named: ``"one"``, the user's default or this machine's
            GPU; ``"current"``, the table from 7.5 on, and all of it with ``--all``; ``"any"``, the user's
            default, or all of the table.
    """
    options = with_options(
        cc_option(
            "ccs",
            multiple=True,
            metavar="CHIP,...",
            help="Compute capability, architecture or GPU: 9.0, sm_90a, hopper; several with commas.",
        ),
        gpu_option_as(
            "gpus", multiple=True, metavar="NAME,...", help="GPU by name: 'RTX 4090'; several with commas."
        ),
        device_option("devices", multiple=True, help="GPU of this machine, by number."),
        own_limits_option,
        changes_option,
        *([all_option] if default == "current" else []),
    )

    def decorate(command: Decorated) -> Any:
        @wraps(command)
        def with_chips(*, wants_all: bool = False, **given: Any) -> Any:
            named = NamedChips(*(given.pop(name) for name in NamedChips._fields))
            chips = named.chips()
            if chips and wants_all:
                raise InputError(
                    "some chips are named, and all are asked for", where="--all", hint="Leave one out."
                )
            if not chips and default == "hopper":
                chips = NamedChips(["9.0"]).chips()
            elif not chips and default == "one":
                chips = [named.default()]
            elif not chips:
                chips = named.of_table(wants_all) if default == "current" else named.default_or_table()
            return command(chips=chips, **given)

        return options(with_chips)

    return decorate


class NamedChips(NamedTuple):
    """What the options name."""

    ccs: Sequence[str] = ()
    """The texts of ``--cc``, each with commas between chips."""
    gpus: Sequence[str] = ()
    """Those of ``--gpu``."""
    devices: Sequence[int] = ()
    """The numbers of GPUs of this machine."""
    limits_file: str | None = None
    """A user's own table."""
    changes: Sequence[str] = ()
    """What ``--set`` changes."""

    def chips(self) -> list[Gpu]:
        """All of them, in the order of the options, each once; none if none is named.

        Raises:
            InputError: A name of nothing, or an option without a name.
        """
        if self.devices and self.limits_file is not None:
            raise InputError(
                "both say what an SM offers", where="--device and --limits", hint="Give --cc with --limits."
            )
        table = self._table()
        found = [chip for text in self.ccs for chip in _listed(text, "cc", table)]
        found += [chip for text in self.gpus for chip in _listed(text, "gpu", table)]
        for chip in found:
            self._say_where_from(chip, table)
        for device in self.devices:
            found.append(_read_device(device).gpu)
        once = {(chip.label, chip.device, chip.cc): chip for chip in found}
        return [self._changed(chip) for chip in once.values()]

    def default(self) -> Gpu:
        """The chip that is meant where none is named.

        It is the only one of the user's table, or the user's default, or this machine's GPU.

        Raises:
            InputError: There is none of them.
        """
        from ..tables.gpus import Gpu, find_gpu

        table = self._table()
        if self.limits_file is not None and len(table.rows()) == 1:
            return self._changed(Gpu(table.rows()[0]))
        if (text := default_name()) is not None:
            try:
                chip = find_gpu(text, table)
            except OccupancyError as error:
                raise error.elsewhere(f"the default chip {text!r}", InputError) from error
            self._say_where_from(chip, table)
            return self._changed(chip)
        if self.limits_file is not None:
            raise InputError(
                f"{self.limits_file} has {len(table.rows())} compute capabilities, and --cc is missing",
                where="--cc",
                allowed=", ".join(str(row.compute_capability) for row in table.rows()),
            )
        return self._changed(_of_any_device())

    def default_or_table(self) -> list[Gpu]:
        """The user's default, else every chip of the table."""
        is_known = self.limits_file is None and default_name() is not None
        return [self.default()] if is_known else self.of_table(wants_all=True)

    def of_table(self, wants_all: bool) -> list[Gpu]:
        """The chips of the user's table; or those of ours, from 7.5 on or all."""
        from ..tables.gpus import Gpu
        from ..tables.table import current

        rows = self._table().rows()
        if self.limits_file is None and not wants_all:
            rows = current(rows)
        return [self._changed(Gpu(row)) for row in rows]

    def _table(self) -> Table:
        from ..tables.table import Table

        return Table(self.limits_file)

    def _changed(self, chip: Gpu) -> Gpu:
        if not self.changes:
            return chip
        from ..tables.custom import with_changes

        return replace(chip, limits=with_changes(chip.limits, self.changes))

    def _say_where_from(self, chip: Gpu, table: Table) -> None:
        if self.limits_file is not None and not table.has_own(chip.limits.compute_capability):
            click.echo(f"{self.limits_file} has no row for {chip.cc}: using the shipped row.", err=True)


def default_name() -> str | None:
    """Return the name of the user's default GPU, of the environment."""
    return os.environ.get(DEFAULT_CHIP, "").strip() or None


def choose_sm(cc: str | None, gpu: str | None, device: int | None, limits_file: str | None) -> Gpu:
    """The chip of one compute capability, product or device, or of none of them.

    Raises:
        InputError: Two of them, or none and nothing stands in.
    """
    given = {"--cc": cc, "--gpu": gpu, "--device": device}
    both = [option for option, value in given.items() if value is not None]
    if len(both) > 1:
        raise InputError("both say which GPU it is", where=" and ".join(both), hint="Leave one out.")
    named = NamedChips(
        [] if cc is None else [cc],
        [] if gpu is None else [gpu],
        [] if device is None else [device],
        limits_file,
    )
    chips = named.chips() or [named.default()]
    if len(chips) > 1:
        raise InputError(f"names {len(chips)} chips", where=both[0], hint="Give one.")
    return chips[0]


def _listed(text: str, option: str, table: Table) -> list[Gpu]:
    from ..tables.gpus import find_gpus

    try:
        return find_gpus(text, table)
    except OccupancyError as error:
        error.where = option
        raise


def _of_any_device() -> Gpu:
    try:
        device = _read_device()
    except (DeviceError, MissingDependencyError) as error:
        raise InputError(
            f"is missing, and this machine's GPU cannot stand in: {error.problem}",
            where="--cc",
            hint=f"Give --cc 9.0, or --gpu 'RTX 4090'; {DEFAULT_CHIP}=9.0 in the environment makes one the "
            "default.",
        ) from error
    click.echo(f"No --cc and no --gpu: the answer is for GPU {device.index}, {device.name}.", err=True)
    return device.gpu


def _read_device(index: int = 0) -> Device:
    from ..device import read_device

    return read_device(index)
