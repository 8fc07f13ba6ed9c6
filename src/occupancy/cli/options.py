"""Options that commands share, and the GPUs and block sizes that they name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import click

from ..errors import DeviceError, InputError, MissingDependencyError, OccupancyError
from ..values.fields import FIELDS
from .command import Option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ..tables.gpus import Gpu, LimitsTable

DEFAULT_GPU = "OCCUPANCY_CC"
"""Environment variable with the GPU that is meant without an option."""

MOST_COMPLETIONS = 40
"""Names of GPUs that a shell gets at once."""

Default = Literal["one", "current", "any", "hopper"]


def complete_gpu(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete a compute capability, architecture or GPU; in a list with commas the last one."""
    from click.shell_completion import CompletionItem

    from ..tables import shipped
    from ..tables.gpus import all_gpus

    before, comma, part = typed.rpartition(",")
    wanted = _without_spaces(part.strip().lower())
    found: dict[str, str] = {}
    if parameter.name != "gpu":
        for cc in shipped.known():
            found[str(cc)] = architecture = shipped.limits(cc).architecture
            found.setdefault(architecture.split()[0].lower(), architecture)
    chosen = {name: text for name, text in found.items() if name.startswith(wanted)}
    if wanted:
        named = {_without_spaces(gpu.label): gpu.cc for gpu in all_gpus()}
        matching = [name for name in named if wanted in name.lower()]
        first = sorted(matching, key=lambda name: not name.lower().startswith(wanted))[:MOST_COMPLETIONS]
        chosen |= {name: named[name] for name in first}
    return [CompletionItem(f"{before}{comma}{name}", help=text) for name, text in chosen.items()]


def _without_spaces(name: str) -> str:
    return name.replace(" ", "-")


def _complete_limit(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from ..values.limits import FIELD_NAMES

    names = sorted(name for name in FIELD_NAMES if name.startswith(typed) and name != "compute_capability")
    return [f"{name}=" for name in names]


LIMITS = Option("--limits", "limits_file", group="gpu", type=click.Path(), metavar="FILE",
                help="Custom table of limits (YAML or TOML).")  # fmt: skip
GPUS = (
    Option("-c", "--cc", group="gpu", multiple=True, metavar="CC,...", shell_complete=complete_gpu,
           help="Compute capabilities: 9.0, sm_90a, hopper; several with commas."),
    Option("--gpu", group="gpu", multiple=True, metavar="NAME,...", shell_complete=complete_gpu,
           help="GPUs by name: 'H100 SXM,RTX 4090'."),
    Option("--device", group="gpu", multiple=True, metavar="N", type=click.IntRange(min=0),
           help="A GPU of this machine by its number. Repeatable."),
    LIMITS,
    Option("--set", "changes", group="gpu", multiple=True, metavar="LIMIT=VALUE", shell_complete=_complete_limit,
           help="Change a limit by its name in `occupancy limits 9.0 --format csv`."),
)  # fmt: skip
ALL_GPUS = Option(
    "--all", "wants_all", group="gpu", is_flag=True, help="Include compute capabilities 1.0 to 7.2."
)
SMS = Option("--sms", group="gpu", metavar="N", help="Number of SMs, if not that of the GPU.")


def option_of(name: str, **settings: Any) -> Option:
    """Return the option of a field, with changed settings such as its help."""
    field = FIELDS[name]
    group = "launch" if name in ("dynamic_smem", "carveout", "opt_in") else "kernel"
    values: dict[str, Any] = {"group": group, "help": field.help}
    if field.kind == "flag":
        values["default"] = None
    else:
        values["metavar"] = field.metavar
    if field.choices:
        values["type"] = click.Choice(field.choices)
    return Option(*field.options, name, **{**values, **settings})


THREADS = option_of("threads", required=True)
KERNEL = (
    *(option_of(name) for name, field in FIELDS.items() if field.options and name != "threads"),
    Option("--model", group="kernel", type=click.Choice(("cuda", "spreadsheet")), metavar="cuda|spreadsheet",
           help="Rules of the CUDA runtime, or of NVIDIA's old spreadsheet."),
)  # fmt: skip
"""Every input of a kernel but its threads."""

CLUSTER = Option("--cluster", group="launch", metavar="N|XxYxZ", help="Blocks per cluster, from 9.0.")
GRID = Option("--grid", group="launch", metavar="N|XxYxZ", help="Blocks of the grid, for its waves.")


def output_option(help: str) -> Option:
    """Return ``-o``."""
    return Option("-o", "--output", metavar="FILE", help=help)


def chosen_gpus(options: dict[str, Any], default: Default = "one") -> list[Gpu]:
    """Take `GPUS` out of a command's options and return the GPUs.

    The default, without an option, is one of:
        ``"one"``: that of the environment, or of this machine;
        ``"current"``: the table from 7.5 on, with ``--all`` all of it;
        ``"any"``: that of the environment, or the whole table;
        ``"hopper"``: 9.0.
    """
    from ..tables.gpus import LimitsTable

    file, changes = options.pop("limits_file"), options.pop("changes")
    wants_all = options.pop("wants_all", False)
    if options["device"] and file is not None:
        raise InputError("--device and --limits cannot be combined", hint="Give --cc with --limits.")
    table = LimitsTable(file)
    found = [gpu for name in ("cc", "gpu", "device") for gpu in named_gpus(name, options.pop(name), table)]
    found = list(dict.fromkeys(found)) or _default_gpus(default, table, file, wants_all)
    if changes:
        from ..tables.custom import with_changes

        return [replace(gpu, limits=with_changes(gpu.limits, changes)) for gpu in found]
    return found


def chosen_gpu(options: dict[str, Any]) -> Gpu | None:
    """Take ``--cc``, ``--gpu`` and ``--device`` out of a command's options and return their only GPU."""
    from ..tables.gpus import LimitsTable

    table = LimitsTable(options.get("limits_file"))
    values = {name: options.pop(name, None) for name in ("cc", "gpu", "device")}
    given = {name: value for name, value in values.items() if value is not None}
    found = [gpu for name, value in given.items() for gpu in named_gpus(name, [value], table)]
    if len(found) > 1:
        names = " and ".join(f"--{name}" for name in given)
        raise InputError(f"{len(found)} GPUs are given with {names}", hint="Give one.")
    return found[0] if found else None


def named_gpus(option: str, values: Sequence[Any], table: LimitsTable) -> list[Gpu]:
    """Return the GPUs that the values of an option name."""
    if option == "device" and values:
        from ..device import read_device

        return [read_device(index).gpu for index in values]
    from ..tables.gpus import find_gpus

    found: list[Gpu] = []
    for text in values:
        for name in text.split(","):
            if not name.strip():
                raise InputError(
                    f"{text!r} names no GPU", where=option, hint="Write 9.0, hopper or RTX 4090."
                )
            try:
                found += find_gpus(name.strip(), table)
            except OccupancyError as error:
                error.where = option
                raise
    return found


def _default_gpus(default: Default, table: LimitsTable, file: str | None, wants_all: bool) -> list[Gpu]:
    from ..tables.gpus import Gpu, find_gpus

    rows = table.rows()
    if default == "hopper":
        return find_gpus("9.0", table)
    if default == "current":
        return [Gpu(row) for row in table.rows(every=wants_all)]
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
    return [_gpu_of_machine()]


def _gpu_of_machine() -> Gpu:
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
