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
from ..values.untrusted import printable
from .command import Command, Option
from .completion import complete_chip
from .files import output_option, warn_about, written_to
from .gpu_options import one_gpu
from .inputs import grid_options, kernel_options
from .printing import print_data

if TYPE_CHECKING:
    from ..api.occupancy import Occupancy
    from ..tables.gpus import Gpu

FILE_NAME = "occupancy.html"


@click.command("page", cls=Command)
@output_option("Write the page there, - for standard output.")
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("-c", "--cc", cls=Option, group="gpu", is_common=True, metavar="CC", shell_complete=complete_chip,
              help="Compute capability to open with: 9.0, hopper.")  # fmt: skip
@click.option("--gpu", cls=Option, group="gpu", is_common=True, metavar="NAME", shell_complete=complete_chip,
              help="GPU to open with: 'RTX 4090', H100-SXM.")  # fmt: skip
@kernel_options(required=())
@grid_options
def command(
    output: str | None,
    files: tuple[str, ...],
    cc: str | None,
    gpu: str | None,
    grid: str | None,
    cluster: str | None,
    sms: str | None,
    **kernel: Any,
) -> None:
    """Open the calculator in the browser, or write it as one HTML file.

    The page needs no server and no network. With the options of `calc`, it opens with that kernel. With files,
    it lists their kernels; `scan -o FILE.html` also filters them.

    \b
    occupancy page
    occupancy page -o occupancy.html
    occupancy page --cc 9.0 --threads 256 --regs 40
    occupancy page libkernels.so -o kernels.html
    """
    launch = {"grid": grid, "cluster": cluster, "sms": sms}
    if files:
        _refuse_question(files, output, {"cc": cc, "gpu": gpu, **kernel, **launch})
    question = _question(cc, gpu, kernel, launch)
    content, has_problems = _kernels(files) if files else (None, False)
    if output is None:
        open_page(question, content, files)
    else:
        file = None if output == "-" else output
        with written_to(file, files):
            print_data(_page(question) if content is None else content)
        if file is not None:
            click.echo(f"Wrote {printable(file)}.", err=True)
    if has_problems:
        click.get_current_context().exit(1)


def _refuse_question(files: tuple[str, ...], output: str | None, given: Mapping[str, object]) -> None:
    """Reject the inputs of a kernel on a page of files, whose list they would hide.

    Raises:
        InputError: There is something of a question.
    """
    shared = {name: str(given[name]) for name in ("cc", "gpu", "threads") if given[name] is not None}
    others = [name for name, value in given.items() if value is not None and name not in shared]
    if others:
        option = f"--{others[0].replace('_', '-')}"
        raise InputError(
            "is for a question, and the page of files is their list", where=option, hint="Leave it out."
        )
    if shared:
        options = [word for name, text in shared.items() for word in (f"--{name}", text)]
        command = shlex.join(["occupancy", "scan", *files, *options, "-o", output or "report.html"])
        raise InputError(
            "is for a question, and the page of files is their list",
            where=f"--{next(iter(shared))}",
            hint=f"{command} lists them by it.",
        )


def _kernels(files: tuple[str, ...]) -> tuple[str, bool]:
    """Return the page that lists the kernels of files, and whether some part could not be read.

    Raises:
        ReadError: Nothing at all could be read.
    """
    from ..api.scan import scan
    from .scan import page_of_kernels

    found = scan(files)
    for problem in found.problems:
        warn_about(problem)
    return page_of_kernels(files, found), bool(found.problems)


def _question(cc: str | None, gpu: str | None, kernel: dict[str, Any], launch: dict[str, str | None]) -> str:
    given = [name for name, value in (*kernel.items(), *launch.items()) if value is not None]
    if cc is None and gpu is None:
        if given:
            raise InputError("is missing", where="cc", hint="Give the GPU of the kernel.")
        return ""
    chip = one_gpu(cc, gpu, None, None)
    if kernel.get("threads") is not None:
        from ..api.occupancy import compute

        return question_for(compute(chip, **kernel), **launch)
    if given:
        raise InputError("is missing", where="threads", hint="Give threads per block, such as 256 or 16x16.")
    from ..page.question import link_to

    return link_to(chip.limits.compute_capability, _gpu_inputs(chip, None))


def question_for(answer: Occupancy, *, grid: str | None, cluster: str | None, sms: str | None) -> str:
    """Return the address of a result, for `open_page`.

    Raises:
        InputError: The chip is not one of the shipped table, which are all that the page has.
    """
    from ..engine import default_model
    from ..page.question import question_of
    from ..tables import shipped

    cc = answer.limits.compute_capability
    if answer.model != default_model(answer.limits):
        raise InputError(
            f"the page has no model {answer.model} for {cc}", where="model", hint="Leave it out."
        )
    if cc not in shipped.known() or answer.limits != shipped.limits(cc):
        raise InputError(
            f"the limits of {cc} are not those of the shipped table, and the page has no others",
            where="page",
            hint="Leave out --limits and --set.",
        )
    return question_of(answer, {**_gpu_inputs(answer.gpu, sms), "grid": grid, "cluster": cluster})


def _gpu_inputs(chip: Gpu, sms: str | None) -> dict[str, str | None]:
    if chip.name is None:
        return {"sms": sms}
    count = None if chip.multiprocessor_count is None else str(chip.multiprocessor_count)
    return {"gpu": chip.name, "sms": count if sms is None else sms}


def open_page(question: str, content: str | None = None, files: tuple[str, ...] = ()) -> None:
    """Open the page in the browser; print its address where there is none.

    The question is written into the file as well, because some systems open a file without what stands behind
    the ``#`` of its address.

    Args:
        question: What it opens with.
        content: The page of files; None: the calculator.
        files: What it lists, for the command that writes such a page.

    Raises:
        OSError: The file cannot be written.
    """
    import webbrowser

    from ..page.question import command_of
    from ..values.atomic_file import write_atomically

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    write_atomically(str(path), _page(question) if content is None else content)
    address = path.as_uri() + (f"#{question}" if question else "")
    if not webbrowser.open(address):
        command = f"{command_of(question, files)} -o {FILE_NAME}"
        click.echo(f"No browser to open: {address}\nA file to keep or to send: {command}", err=True)


def _page(question: str) -> str:
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
