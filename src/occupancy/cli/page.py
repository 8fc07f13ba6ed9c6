"""``occupancy page``: the interactive page, and how other commands open it."""

from __future__ import annotations

import os
import shlex
import sys
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
    output_option("Write the page there, - for standard output."),
    click.Argument(["files"], metavar="[FILE]...", nargs=-1),
    Option("-c", "--cc", group="gpu", metavar="CC", shell_complete=complete_gpu,
           help="Compute capability to open with: 9.0, hopper."),
    Option("--gpu", group="gpu", metavar="NAME", shell_complete=complete_gpu,
           help="GPU to open with: 'RTX 4090', H100-SXM."),
    option_of("threads"),
    *KERNEL,
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
    question, has_problems = "", False
    if files:
        from ..api.scan import scan

        for name in (name for name, value in inputs.items() if value is not None):
            scan_command = shlex.join(["occupancy", "scan", *files, "-o", output or "report.html"])
            hint = f"`{scan_command}` takes --cc, --gpu and --threads."
            raise InputError("cannot be used with files", where=name, hint=hint)
        found = scan(files)
        has_problems = bool(found.problems)
        warn_about(found.problems)
        content = page_of(found, files)
    else:
        question = _question(inputs)
        content = _calculator(question)
    if output is None:
        _open(content, question, files)
    else:
        with written_to(output, files):
            print_data(content)
    if has_problems:
        click.get_current_context().exit(1)


def _question(inputs: dict[str, Any]) -> str:
    """Return the question for the options of the command; empty without any."""
    gpu = chosen_gpu(inputs)
    given = [name for name, value in inputs.items() if value is not None]
    if gpu is None and given:
        raise InputError("is missing", where="cc", hint="Give the GPU of the kernel.")
    if gpu is None:
        return ""
    launch = {name: inputs.pop(name) for name in ("grid", "cluster", "sms")}
    if inputs["threads"] is not None:
        from ..api.occupancy import compute

        return question_for(compute(gpu, **inputs), **launch)
    if given:
        raise InputError("is missing", where="threads", hint="Give threads per block, such as 256 or 16x16.")
    from ..page.question import link_to

    return link_to(gpu.limits.compute_capability, _gpu_inputs(gpu, None))


def question_for(result: Occupancy, *, grid: str | None, cluster: str | None, sms: str | None) -> str:
    """Return the question with which the page shows a result.

    Raises:
        InputError: The GPU or the model is not one of the page.
    """
    from ..engine import default_model
    from ..page.question import question_of
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


def open_question(question: str) -> None:
    """Open the calculator with a question in the browser.

    Raises:
        OSError: The file cannot be written.
    """
    _open(_calculator(question), question)


def _open(content: str, question: str, files: tuple[str, ...] = ()) -> None:
    """Open a page in the browser; print its address if there is no browser.

    The question is in the content as well, because some systems open a file without the part of its address
    after the ``#``.
    """
    import webbrowser

    from ..page.question import command_of
    from ..values.atomic_file import write_atomically

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    write_atomically(str(path), content)
    address = path.as_uri() + (f"#{question}" if question else "")
    if not webbrowser.open(address):
        shown = f"{command_of(question, files)} -o {FILE_NAME}"
        click.echo(f"No browser to open: {address}\nA file to keep or to send: {shown}", err=True)


def _calculator(question: str) -> str:
    from ..page.build import build_page

    return build_page(__version__, question)


def cache_folder() -> Path:
    """Return the cache folder of the system, for the page that was opened last."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "occupancy"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "occupancy"
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "")
    # A relative folder is invalid: XDG Base Directory Specification.
    return (folder if folder.is_absolute() else Path.home() / ".cache") / "occupancy"
