"""Which SM a command is about: the options, and what they name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import DeviceError, InputError, MissingDependencyError
from ..values.limits import Limits
from .options import Command as Decorated

if TYPE_CHECKING:
    from ..device import Device
    from ..report.gpu import Gpu

Command = Callable[..., Any]


# Tuples, because a dataclass takes ten times as long to make, and every command waits for it.
class ChosenSm(NamedTuple):
    """What the options name."""

    limits: Limits
    gpu: Gpu | None = None
    """The product, or this machine's GPU; None for a compute capability."""


class ChosenSms(NamedTuple):
    """What the options name where they can name several."""

    limits: list[Limits]
    are_named: bool
    """Whether an option named them; otherwise these are all of the user's table, or of ours."""


def limits_option(text: str) -> Callable[[Decorated], Decorated]:
    """``--limits FILE`` with a text of help."""
    return click.option(
        "--limits",
        "limits_file",
        type=click.Path(readable=False),  # for the shell's completion alone
        metavar="FILE",
        help=text,
    )


def device_option(name: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """``--device N`` as the argument of that name, with click's further settings."""
    return click.option("--device", name, metavar="N", type=click.IntRange(min=0), **how)


def cc_option(name: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """``--cc CC``, under all its names, as the argument of that name, with click's further settings."""
    return click.option("--cc", "--arch", "--sm", name, **how)


changes_option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="LIMIT=VALUE",
    help="What if this limit were different? Repeatable; `occupancy limits 9.0` has the names.",
)

own_limits_option = limits_option(
    "A table of your own (YAML), for a chip that ours lacks or an imaginary one."
)


def gpu_option_as(name: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """``--gpu NAME`` as the argument of that name, with click's further settings."""
    return click.option("--gpu", name, **how)


gpu_option = gpu_option_as("gpu", metavar="NAME", help="Or a product: 'RTX 4090', h100-sxm, A6000.")


def sm_options(command: Command) -> Command:
    """Add the options that say which SM; the command gets a `ChosenSm` as ``sm``."""

    @wraps(command)
    def with_sm(
        *,
        cc: str | None,
        gpu: str | None,
        device: int | None,
        limits_file: str | None,
        changes: tuple[str, ...],
        **others: Any,
    ) -> Any:
        return command(sm=_changed(choose_sm(cc, gpu, device, limits_file), changes), **others)

    return _with_options(
        with_sm,
        cc_option("cc", metavar="CC", help="Compute capability: 9.0, 90, sm_90a, compute_90, sm_120 (12.0)."),
        gpu_option,
        device_option("device", help="Or a GPU of this machine. [default: 0, where there is one]"),
        own_limits_option,
        changes_option,
    )


def sms_options(command: Command) -> Command:
    """Add the same options for several SMs; the command gets `ChosenSms` as ``sms``."""

    @wraps(command)
    def with_sms(
        *,
        ccs: tuple[str, ...],
        gpus: tuple[str, ...],
        devices: tuple[int, ...],
        limits_file: str | None,
        changes: tuple[str, ...],
        **others: Any,
    ) -> Any:
        from ..tables.table import Table

        named = [choose_sm(cc, None, None, limits_file) for cc in _listed(ccs)]
        named += [choose_sm(None, gpu, None, limits_file) for gpu in _listed(gpus)]
        named += [choose_sm(None, None, device, limits_file) for device in devices]
        are_named = bool(ccs or gpus or devices)
        chosen = named if are_named else [ChosenSm(limits) for limits in Table(limits_file).rows()]
        sms = ChosenSms([_changed(each, changes).limits for each in chosen], are_named)
        return command(sms=sms, **others)

    return _with_options(
        with_sms,
        cc_option(
            "ccs",
            multiple=True,
            metavar="CC,CC...",
            help="Compute capabilities, with commas between them or repeated.",
        ),
        gpu_option_as("gpus", multiple=True, metavar="NAME,NAME...", help="Or products: 'RTX 4090', A6000."),
        device_option("devices", multiple=True, help="Or GPUs of this machine."),
        own_limits_option,
        changes_option,
    )


def _with_options(command: Command, *options: Callable[[Command], Command]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def _listed(values: tuple[str, ...]) -> list[str]:
    return [name for listed in values for name in listed.split(",") if name.strip()]


def choose_sm(cc: str | None, gpu: str | None, device: int | None, limits_file: str | None) -> ChosenSm:
    """The SM of one compute capability, product or device, or of none of them.

    Raises:
        InputError: Two of them, or none and neither a GPU nor a table with just one row.
    """
    given = {"--cc": cc, "--gpu": gpu, "--device": device}
    named = [option for option, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError("both say which GPU it is", where=" and ".join(named), cure="Leave one out.")
    if device is not None:
        return _of_device(device, limits_file)
    if gpu is not None:
        return _of_product(gpu, limits_file)
    if cc is None and limits_file is None:
        return _of_any_device()
    return ChosenSm(_row(cc, limits_file))


def _of_product(name: str, limits_file: str | None) -> ChosenSm:
    from ..report.gpu import Gpu
    from ..tables.products import find_gpu

    product = find_gpu(name)
    gpu = Gpu(product.name, product.multiprocessor_count, product.known_from, device=None)
    return ChosenSm(_row(str(product.compute_capability), limits_file), gpu)


def _of_device(index: int, limits_file: str | None) -> ChosenSm:
    from ..device import read_device

    if limits_file is not None:
        raise InputError(
            "both say what an SM offers", where="--device and --limits", cure="Give --cc with --limits."
        )
    return _live(read_device(index))


def _of_any_device() -> ChosenSm:
    from ..device import read_device

    try:
        device = read_device()
    except (DeviceError, MissingDependencyError) as error:
        raise InputError(
            f"is missing, and this machine's GPU cannot stand in: {error.problem}",
            where="--cc",
            allowed="a compute capability, such as --cc 9.0, or a GPU, such as --gpu 'RTX 4090'",
        ) from error
    click.echo(f"No --cc and no --gpu: the answer is for GPU {device.index}, {device.name}.", err=True)
    return _live(device)


def _live(device: Device) -> ChosenSm:
    from ..report.gpu import Gpu

    return ChosenSm(device.limits, Gpu(device.name, device.multiprocessor_count, "device", device.index))


def _changed(sm: ChosenSm, changes: tuple[str, ...]) -> ChosenSm:
    if not changes:
        return sm
    from ..tables.custom import with_changes

    return sm._replace(limits=with_changes(sm.limits, changes))


def _row(cc: str | None, limits_file: str | None) -> Limits:
    from ..tables.table import Table

    table = Table(limits_file)
    if cc is not None:
        return table.limits(cc)
    rows = table.rows()
    if len(rows) == 1:
        return rows[0]
    raise InputError(
        f"{limits_file} has {len(rows)} compute capabilities, and --cc is missing",
        where="--cc",
        allowed=", ".join(str(row.compute_capability) for row in rows),
    )
