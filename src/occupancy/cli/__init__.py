"""The command line: modules of related commands, loaded when one is called; the only home of click."""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import Any

import click

from .. import __version__
from .command import WithExamples, errors_as_messages

# Command -> its module, and one line for `occupancy --help`.
COMMANDS = {
    "calc": ("calc", "Compute blocks per SM, their limiter and next steps."),
    "fits": ("calc", "List the GPUs on which a kernel runs."),
    "budget": ("calc", "Find the most registers and shared memory for a target."),
    "bounds": ("calc", "Show the register cap of __launch_bounds__ on each GPU."),
    "block-sizes": ("calc", "Rank every block size by its occupancy."),
    "registers": ("calc", "Check how warpgroups divide registers (setmaxnreg)."),
    "sweep": ("calc", "Vary inputs: tables, charts, heat maps, CSV."),
    "scan": ("files", "List the kernels in files, with their occupancy."),
    "diff": ("files", "Compare the kernels of two builds."),
    "init": ("files", "Write rules and a baseline for check."),
    "check": ("files", "Check a build against rules and a baseline."),
    "limits": ("gpus", "List the limits of an SM by compute capability."),
    "gpus": ("gpus", "List GPUs by name, with compute capability and SMs."),
    "device": ("gpus", "List the local GPUs."),
    "verify": ("gpus", "Compare results with the driver of a local GPU."),
    "page": ("page", "Open the interactive calculator in a browser."),
    "schema": ("page", "Print the JSON Schema of a command's output."),
}
SECTIONS = {
    "Commands for a kernel": "calc", "Commands for a build": "files", "Commands for GPUs": "gpus",
    "Other commands": "page",
}  # fmt: skip


class Commands(WithExamples, click.Group):
    """A group that imports a command when it is called, and turns every error into a message."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or suggest one for an unknown name."""
        if cmd_name.startswith("-"):
            return None  # click reports an unknown option
        if cmd_name not in COMMANDS:
            from ..values.spellings import nearest_names

            known = [*COMMANDS, *(option for each in self.params for option in each.opts)]
            is_path = os.path.exists(cmd_name)
            near = [f"scan {cmd_name}"] if is_path else nearest_names(cmd_name.lower(), known)[:2]
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"No such command {cmd_name!r}.{hint}")
        module = importlib.import_module(f".{COMMANDS[cmd_name][0]}", __name__)
        return getattr(module, cmd_name.replace("-", "_"))  # type: ignore[no-any-return]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, section in SECTIONS.items():
            rows = [(f"{name:11}", text) for name, (module, text) in COMMANDS.items() if module == section]
            with formatter.section(title):
                formatter.write_dl(rows)
        click.Command.format_options(self, ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words before the command; without any, show the help."""
        args = [*args[1:], "--help"] if args[:1] in ([], ["help"]) else args
        with errors_as_messages():  # --help and --version print here
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with errors_as_messages():
            return super().invoke(ctx)


@click.command(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="occupancy")
def commands() -> None:
    """Compute the occupancy of CUDA kernels, without a GPU.

    For the options of a command, run occupancy COMMAND --help.

    \b
    occupancy calc --cc 9.0 --threads 256 --regs 64   # one kernel
    occupancy scan build/                             # all kernels of a build
    occupancy check build/ --rules occupancy.toml     # fail CI on a regression
    """


def main() -> None:
    """Run the command line; the entry point of the program ``occupancy``."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        if isinstance(raw := sys.stdout.buffer, io.RawIOBase):
            # With PYTHONUNBUFFERED, which containers set, Python silently drops the rest of a write that a
            # full disk or a closed pipe cuts short. A buffer makes it an error.
            sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), sys.stdout.encoding, line_buffering=True)
        # On Windows, the encoding of a pipe and of a file is the system's code page, without the bars of charts.
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="replace")
    try:
        commands(prog_name="occupancy")
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            try:
                stream.flush()
            except OSError:
                # Reported above; without this the interpreter would try again at its end, and complain.
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
