"""``occupancy page``: the interactive page, and how other commands open it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..errors import InputError
from .command import Option, command
from .files import page_of, warn_about
from .options import CLUSTER, GRID, KERNEL, SMS, chosen_gpu, complete_gpu, option_of, output_option
from .printing import print_data, written_to

if TYPE_CHECKING:
    from ..api.occupancy import Occupancy
    from ..tables.gpus import Gpu

FILE_NAME = "occupancy.html"


@command(
    output_option("Write the page to FILE (- for standard output)."),
    click.Argument(["files"], metavar="[FILE]...", nargs=-1),
    Option("-c", "--cc", group="gpu", metavar="CC", shell_complete=complete_gpu,
           help="Compute capability to open with: 9.0, hopper."),
    Option("--gpu", group="gpu", metavar="NAME", shell_complete=complete_gpu,
           help="GPU to open with: 'RTX 4090', H100-SXM."),
    option_of("threads"),
    *(each for each in KERNEL if each.name != "model"),
    GRID,
    CLUSTER,
    SMS,
)  # fmt: skip
def page(output: str | None, files: tuple[str, ...], **inputs: Any) -> None:
    """Open the calculator in the browser, or write it as one HTML file.

    The page needs no server and no network. With the options of `calc`, it opens with that kernel. With files,
    it lists their kernels; `scan -o FILE.html` also filters them.

    \b
    occupancy page
    occupancy page -o occupancy.html
    occupancy page --cc 9.0 --threads 256 --regs 40
    occupancy page libkernels.so -o kernels.html
    """
    if files:
        _show_kernels(files, output, inputs)
    else:
        show_page(_question(inputs), output)


def _show_kernels(files: tuple[str, ...], output: str | None, inputs: Mapping[str, Any]) -> None:
    """Show the page that lists the kernels of files; exit with 1 if some part could not be read."""
    from ..api.scan import scan

    given = [name for name, value in inputs.items() if value is not None]
    if given:
        scan_command = shlex.join(["occupancy", "scan", *files, "-o", output or "report.html"])
        hint = f"`{scan_command}` takes --cc, --gpu and --threads."
        raise InputError("cannot be used with files", where=given[0], hint=hint)
    found = scan(files)
    warn_about(found.problems)
    show_page("", output, page_of(found, files), files)
    if found.problems:
        click.get_current_context().exit(1)


def _question(inputs: dict[str, Any]) -> str:
    """Return the question for the options of the command; empty without any."""
    gpu = chosen_gpu(inputs)
    given = any(value is not None for value in inputs.values())
    if gpu is None:
        if given:
            raise InputError("is missing", where="cc", hint="Give the GPU of the kernel.")
        return ""
    launch = {name: inputs.pop(name) for name in ("grid", "cluster", "sms")}
    if inputs["threads"] is not None:
        from ..api.occupancy import compute

        return question_for(compute(gpu, **inputs), **launch)
    if given:
        raise InputError("is missing", where="threads", hint="Give threads per block, such as 256 or 16x16.")
    from ..page.data import link_to

    return link_to(gpu.limits.compute_capability, _gpu_inputs(gpu, None))


def question_for(result: Occupancy, *, grid: str | None, cluster: str | None, sms: str | None) -> str:
    """Return the question with which the page shows a result; refuse a GPU or model that it lacks."""
    from ..engine import default_model
    from ..page.data import question_of
    from ..tables import shipped

    cc = result.limits.compute_capability
    if result.model != default_model(result.limits):
        raise InputError(f"the page has no model {result.model} for {cc}", where="model", hint="Remove it.")
    if cc not in shipped.known() or result.limits != shipped.limits(cc):
        raise InputError(
            f"the page has only the shipped limits of {cc}", where="page", hint="Remove --limits and --set."
        )
    return question_of(result, {**_gpu_inputs(result.gpu, sms), "grid": grid, "cluster": cluster})


def _gpu_inputs(gpu: Gpu, sms: str | None) -> dict[str, str | None]:
    if gpu.name is None:
        return {"sms": sms}
    count = gpu.multiprocessor_count
    return {"gpu": gpu.name, "sms": sms if sms is not None or count is None else str(count)}


def show_page(
    question: str, output: str | None = None, content: str | None = None, files: tuple[str, ...] = ()
) -> None:
    """Write a page to a file, or open it in the browser; print its address if there is no browser.

    The question is in the content as well, because some systems open a file without the part of its address
    after the ``#``.
    """
    if content is None:
        from ..page.build import build_page

        content = build_page(__version__, question)
    if output is not None:
        with written_to(output, files):
            print_data(content)
        return
    import webbrowser

    from ..page.data import command_of

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.write_text(content, encoding="utf-8")
    address = path.as_uri() + (f"#{question}" if question else "")
    if not webbrowser.open(address):
        shown = f"{command_of(question, files)} -o {FILE_NAME}"
        click.echo(f"No browser to open: {address}\nA file to keep or to send: {shown}", err=True)


def cache_folder() -> Path:
    """Return the cache folder of the system, for the page that was opened last."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "occupancy"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "occupancy"
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "")
    # A relative folder is invalid: XDG Base Directory Specification.
    return (folder if folder.is_absolute() else Path.home() / ".cache") / "occupancy"
