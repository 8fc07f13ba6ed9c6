"""Options that name GPUs, and the GPUs that are meant without them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from ..errors import DeviceError, InputError, MissingDependencyError, OccupancyError
from .command import Option
from .completion import complete_chip, complete_limit

if TYPE_CHECKING:
    from ..tables.gpus import Gpu
    from ..tables.table import LimitsTable

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

DEFAULT_GPU = "OCCUPANCY_CC"
"""Environment variable with the GPU that is meant without an option."""

Default = Literal["one", "current", "any", "hopper"]


def limits_option(command: Decorated) -> Decorated:
    """Add ``--limits FILE``."""
    return click.option(
        "--limits", "limits_file", cls=Option, group="gpu", type=click.Path(), metavar="FILE",
        help="Your own table of limits (YAML or TOML).",
    )(command)  # fmt: skip


def gpu_options(default: Default) -> Callable[[Decorated], Any]:
    """Return a decorator that adds the options; the command gets a list of GPUs as ``gpus``.

    Args:
        default: The GPUs without an option. ``"one"``: that of the environment, or of this machine;
            ``"current"``: the table from 7.5 on, with ``--all`` all of it; ``"any"``: that of the
            environment, or the whole table; ``"hopper"``: 9.0.
    """
    options: list[Callable[[Any], Any]] = [
        click.option("-c", "--cc", "--arch", "ccs", cls=Option, group="gpu", is_common=True, multiple=True,
                     metavar="CC,...", shell_complete=complete_chip,
                     help="Compute capabilities: 9.0, sm_90a, hopper; several with commas."),
        click.option("--gpu", "names", cls=Option, group="gpu", is_common=True, multiple=True,
                     metavar="NAME,...", shell_complete=complete_chip, help="GPUs by name: 'H100 SXM,RTX 4090'."),
        click.option("--device", "devices", cls=Option, group="gpu", multiple=True, metavar="N",
                     type=click.IntRange(min=0), help="GPUs of this machine."),
        limits_option,
        click.option("--set", "changes", cls=Option, group="gpu", multiple=True, metavar="LIMIT=VALUE",
                     shell_complete=complete_limit,
                     help="Change a limit by its name in `occupancy limits 9.0 --format csv`."),
    ]  # fmt: skip
    if default == "current":
        options.append(
            click.option(
                "--all", "wants_all", cls=Option, group="gpu", is_flag=True, help="Also GPUs before 7.5."
            )
        )

    def decorate(command: Decorated) -> Any:
        @wraps(command)
        def with_gpus(
            *, ccs: tuple[str, ...], names: tuple[str, ...], devices: tuple[int, ...], limits_file: str | None,
            changes: tuple[str, ...], wants_all: bool = False, **given: Any,
        ) -> Any:  # fmt: skip
            if devices and limits_file is not None:
                raise InputError(
                    "--device and --limits are mutually exclusive", hint="Give --cc with --limits."
                )
            table = table_of(limits_file)
            found = named_gpus(ccs, "cc", table) + named_gpus(names, "gpu", table) + _machine_gpus(devices)
            found = list(dict.fromkeys(found)) or _default_gpus(default, table, limits_file, wants_all)
            return command(gpus=[_changed(gpu, changes) for gpu in found], **given)

        for option in reversed(options):
            with_gpus = option(with_gpus)
        return with_gpus

    return decorate


def named_gpus(texts: Iterable[str], option: str, table: LimitsTable) -> list[Gpu]:
    """Return the GPUs that the values of an option name.

    Raises:
        InputError: Nothing has the name.
    """
    from ..tables.gpus import find_gpus

    found: list[Gpu] = []
    for text in texts:
        for name in text.split(","):
            if not name.strip():
                raise InputError(
                    f"{text!r} names no GPU", where=option, hint="Such as 9.0, hopper or RTX 4090."
                )
            try:
                found += find_gpus(name.strip(), table)
            except OccupancyError as error:
                error.where = option
                raise
    return found


def one_gpu(cc: str | None, name: str | None, device: int | None, limits_file: str | None) -> Gpu:
    """Return the GPU of one of three options, or the default.

    Raises:
        InputError: Two options, an option with several GPUs, or no GPU.
    """
    given = [
        option for option, value in (("--cc", cc), ("--gpu", name), ("--device", device)) if value is not None
    ]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} are mutually exclusive", hint="Leave one out.")
    table = table_of(limits_file)
    found = [
        *named_gpus([] if cc is None else [cc], "cc", table),
        *named_gpus([] if name is None else [name], "gpu", table),
        *_machine_gpus([] if device is None else [device]),
    ] or _default_gpus("one", table, limits_file, wants_all=False)
    if len(found) > 1:
        raise InputError(f"names {len(found)} GPUs", where=given[0].lstrip("-"), hint="Give one.")
    return found[0]


def table_of(limits_file: str | None) -> LimitsTable:
    """Return the shipped table, or a user's."""
    from ..tables.table import LimitsTable

    return LimitsTable(limits_file)


def _machine_gpus(devices: Iterable[int]) -> list[Gpu]:
    if not devices:
        return []
    from ..device import read_device

    return [read_device(index).gpu for index in devices]


def _default_gpus(default: Default, table: LimitsTable, file: str | None, wants_all: bool) -> list[Gpu]:
    from ..tables.gpus import Gpu, find_gpus
    from ..tables.table import current

    rows = table.rows()
    if default == "hopper":
        return find_gpus("9.0", table)
    if default == "current":
        return [Gpu(row) for row in (rows if wants_all or file is not None else current(rows))]
    if file is not None and len(rows) == 1:
        return [Gpu(rows[0])]
    if name := os.environ.get(DEFAULT_GPU, "").strip():
        try:
            return find_gpus(name, table)
        except OccupancyError as error:
            raise error.with_location(f"{DEFAULT_GPU}={name}", InputError) from error
    if default == "any":
        return [Gpu(row) for row in rows]
    if file is not None:
        known = ", ".join(str(row.compute_capability) for row in rows)
        raise InputError("is missing", where="cc", allowed=known, hint=f"{file} has several.")
    return [_any_device()]


def _any_device() -> Gpu:
    from ..device import read_device

    try:
        device = read_device(0)
    except (DeviceError, MissingDependencyError) as error:
        raise InputError(
            "is missing",
            where="cc",
            hint=f"This machine has no GPU to use instead ({error.problem}). Give --cc 9.0 or "
            f'--gpu "RTX 4090", or set {DEFAULT_GPU}=9.0 in the environment.',
        ) from error
    click.echo(f"Using GPU {device.index} of this machine, {device.name} (no --cc or --gpu).", err=True)
    return device.gpu


def _changed(gpu: Gpu, changes: tuple[str, ...]) -> Gpu:
    if not changes:
        return gpu
    from ..tables.custom import with_changes

    return replace(gpu, limits=with_changes(gpu.limits, changes))
