"""Options about the whole GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .help import grouped_option

sms_option = grouped_option(
    "launch",
    "--sms",
    metavar="N|P%",
    help="SMs of the GPU, where --gpu or --device does not say; or a part of them: a number, as of a green "
    "context, or a percentage, as of MPS.",
)


cluster_option = grouped_option(
    "launch", "--cluster", is_common=True, metavar="N|XxYxZ", help="Blocks per cluster, from 9.0."
)


def grid_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--grid``, ``--cluster`` and ``--sms``."""
    for option in (
        sms_option,
        cluster_option,
        grouped_option(
            "launch", "--grid", is_common=True, metavar="N|XxYxZ", help="Blocks of the grid, for its waves."
        ),
    ):
        command = option(command)
    return command
