"""Options that commands share, and the GPUs that they name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..errors import DeviceError, InputError, MissingDependencyError, OccupancyError
from ..values.fields import FIELDS
from .command import Option

if TYPE_CHECKING:
    from ..tables.gpus import Gpu, LimitsTable

DEFAULT_GPU = "OCCUPANCY_CC"
"""Environment variable with the GPU that is meant without an option."""

LIMITS = Option("--limits", "limits_file", group="rare", type=click.Path(), metavar="FILE",
                help="Table of limits in YAML or TOML.")  # fmt: skip
SMS = Option("--sms", "multiprocessor_count", group="gpu", metavar="N", help="Number of SMs of the GPU.")
_CCS = "Compute capabilities: 9.0,sm_90a,hopper.  [default: {}]"
_ccs = partial(Option, "-c", "--cc", group="gpu", metavar="CC,...", multiple=True)
GPUS = (
    _ccs(help=_CCS.format(f"{DEFAULT_GPU}, or the local GPU")),
    Option("--gpu", group="gpu", metavar="NAME,...", multiple=True,
           help="GPUs: 'H100 SXM,RTX 4090'. Can be combined with --cc."),
    Option("--device", group="gpu", multiple=True, metavar="N", type=int, help="Local GPU, by number: 0. Repeatable."),
    LIMITS,
    Option("--set", "changes", group="rare", multiple=True, metavar="LIMIT=VALUE",
           help="Change a limit. Repeatable. To list the names, run `occupancy limits 9.0 --sources`."),
)  # fmt: skip
GPU = (
    Option("-c", "--cc", group="gpu", metavar="CC", help="Compute capability: 9.0, sm_90a, hopper."),
    Option("--gpu", group="gpu", metavar="NAME", help="GPU by name: 'H100 SXM'."),
)
OLD = Option("--all", "wants_all", group="gpu", is_flag=True, help="Include compute capabilities 1.0 to 7.2.")
_RARE = dict.fromkeys(("virtual_resources", "caching", "shared_memory_mode"), "rare")
GROUP_OF = {"carveout": "launch", "opt_in": "launch", "cluster": "launch", **_RARE}


def option_of(name: str, **settings: Any) -> Option:
    """Return the option of a field, with changed settings such as its help."""
    field = FIELDS[name]
    values: dict[str, Any] = {"group": GROUP_OF.get(name, "kernel"), "help": field.help}
    values |= {"default": None} if field.kind == "flag" else {"metavar": field.metavar}
    values |= {"type": click.Choice(field.choices)} if field.choices else {}
    return Option(*field.options, name, **{**values, **settings})


KERNEL = (
    *(option_of(name) for name, field in FIELDS.items() if field.options),
    Option("--model", group="rare", type=click.Choice(("cuda", "spreadsheet")), metavar="cuda|spreadsheet",
           help="Rules of the CUDA runtime or NVIDIA's spreadsheet.  [default: cuda; spreadsheet before cc 3.0]"),
)  # fmt: skip
INPUTS = (*GPUS, option_of("threads", help=f"{FIELDS['threads'].help}  [required]"), *KERNEL[1:])
ON_ALL = (_ccs(help=_CCS.format("7.5 and newer")), *INPUTS[1:], OLD)
"""The same for commands that compare all compute capabilities."""

GRID = Option("--grid", group="launch", metavar="N|XxYxZ", help="Blocks of the grid, to show its waves.")
LAUNCH = (
    GRID,
    Option("--max-active-clusters", group="launch", metavar="N",
           help="Result of cudaOccupancyMaxActiveClusters.  [default: an upper bound]"),
)  # fmt: skip


def chosen_gpus(options: dict[str, Any]) -> list[Gpu]:
    """Take `GPUS` out of a command's options and return the named GPUs, or the default ones."""
    from ..tables.gpus import Gpu, LimitsTable

    table, changes = LimitsTable(options.pop("limits_file")), options.pop("changes")
    wants_all = options.pop("wants_all", None)  # None for a command that compares only the named GPUs
    if not (gpus := _named(options, table)):
        rows = table.own.values() if wants_all is None else table.rows(every=wants_all)
        gpus = list(map(Gpu, rows)) or _default_gpus(table)
    if changes:
        from ..tables.custom import with_changes

        return [replace(gpu, limits=with_changes(gpu.limits, changes)) for gpu in gpus]
    return gpus


def chosen_gpu(options: dict[str, Any], *, is_needed: bool = False) -> Gpu | None:
    """Take ``--cc``, ``--gpu`` and ``--device`` out of a command's options and return their only GPU."""
    from ..tables.gpus import LimitsTable

    table = LimitsTable(options.get("limits_file"))
    gpus = _named(options, table) or (_default_gpus(table) if is_needed else [])
    if len(gpus) > 1:
        names = ", ".join(gpu.label for gpu in gpus)
        raise InputError(f"{len(gpus)} GPUs given ({names})", hint="Choose one, with --cc or --gpu.")
    return gpus[0] if gpus else None


def _named(options: dict[str, Any], table: LimitsTable) -> list[Gpu]:
    gpus: list[Gpu] = []
    for name in ("cc", "gpu", "device"):
        if (values := options.pop(name, None)) is not None:
            gpus += named_gpus(name, values if isinstance(values, tuple) else [values], table)
    return list(dict.fromkeys(gpus))


def named_gpus(option: str, values: Sequence[Any], table: LimitsTable) -> list[Gpu]:
    from ..tables.gpus import find_gpus

    if option == "device" and values:
        from ..device import read_device

        return [read_device(index).gpu for index in values]
    try:
        return [gpu for value in values for gpu in find_gpus(value, table)]
    except OccupancyError as error:
        error.where = option
        raise


def _default_gpus(table: LimitsTable) -> list[Gpu]:
    from ..device import read_device

    if name := os.environ.get(DEFAULT_GPU, "").strip():
        return named_gpus(f"{DEFAULT_GPU}={name}", [name], table)
    try:
        device = read_device(0)
    except (DeviceError, MissingDependencyError) as error:
        problem = f"No GPU given, and {error.problem}, so the local GPU cannot be detected"
        hint = f"Add --cc 9.0 or --gpu H100, or set {DEFAULT_GPU}=9.0 in the environment."
        raise InputError(problem, hint=hint) from error
    click.echo(f"Using local GPU {device.index}, {device.name} (no --cc or --gpu).", err=True)
    return [device.gpu]
