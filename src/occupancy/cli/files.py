"""Options of the commands that read kernels from files, and the files that commands write."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import InputError
from ..values.untrusted import printable
from .command import Option
from .completion import complete_chip
from .gpu_options import limits_option, one_gpu

if TYPE_CHECKING:
    from ..readers import ReadProblem

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class KernelFiles(click.Argument):
    """Files that hold kernels, of which ``-`` is standard input."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Process as click does, with a hint for a forgotten ``-`` after a pipe."""
        try:
            return super().process_value(ctx, value)
        except click.MissingParameter as error:
            raise click.MissingParameter("`-` reads standard input.", ctx, self) from error


def _sizes(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> str | dict[str, str] | None:
    """Return one block size for all kernels, or several by patterns of their names."""
    if not texts:
        return None
    plain = [text for text in texts if "=" not in text]
    if len(plain) > 1:
        raise click.BadParameter("is given twice for all kernels.", context, parameter)
    if texts == tuple(plain):
        return plain[0]
    by_name = {name.strip(): size for name, _, size in (text.rpartition("=") for text in texts) if name}
    return {**({"*": plain[0]} if plain else {}), **by_name}


def kernel_file_options(command: Decorated) -> Decorated:
    """Add the options that choose kernels of files and set their block sizes."""
    options: list[Callable[[Any], Any]] = [
        click.option("-t", "--threads", cls=Option, group="kernel", is_common=True, metavar="N|XxYxZ",
                     multiple=True, callback=_sizes,
                     help="Threads per block of kernels without a known size; blur=256 for one kernel."),
        click.option("--name", cls=Option, group="kernel", is_common=True, metavar="PART", multiple=True,
                     help="Only kernels with this in their name; * matches anything. Repeatable."),
        click.option("--arch", "archs", cls=Option, group="kernel", is_common=True, metavar="ARCH", multiple=True,
                     help="Only kernels for this architecture: sm_90, sm_90a, hopper, all. Repeatable."),
        click.option("--newest", "only_newest", cls=Option, group="kernel", is_flag=True,
                     help="Only the newest architecture of each kernel."),
        click.option("--runtime", "with_runtime", cls=Option, group="kernel", is_flag=True,
                     help="Include kernels of CUDA's own device runtime."),
        click.option("-c", "--cc", cls=Option, group="gpu", is_common=True, metavar="CC",
                     shell_complete=complete_chip, help="Compute for this compute capability instead."),
        click.option("--gpu", cls=Option, group="gpu", is_common=True, metavar="NAME",
                     shell_complete=complete_chip, help="Compute for this GPU, with the code that it loads."),
        limits_option,
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def chosen_gpu(options: dict[str, Any], device: int | None = None) -> dict[str, Any]:
    """Return the options with the GPU of ``--cc``, ``--gpu`` or ``--device`` as ``cc``."""
    cc, gpu = options.pop("cc"), options.pop("gpu")
    if (cc, gpu, device) == (None, None, None):
        return {**options, "cc": None}
    return {**options, "cc": one_gpu(cc, gpu, device, options["limits_file"])}


def output_option(text: str) -> Callable[[Decorated], Decorated]:
    """Return the decorator of ``-o``, with its help."""
    return click.option(
        "-o", "--output", cls=Option, group="output", is_common=True, metavar="FILE", help=text
    )


def warn_about(problem: ReadProblem) -> None:
    """Print a part of a file that could not be read, on standard error."""
    click.echo(f"Warning: {printable(str(problem))}", err=True)


@contextmanager
def written_to(path: str | None, sources: Iterable[str] = ()) -> Iterator[None]:
    """Redirect standard output to a file, written whole or not at all; without a path, leave it.

    Args:
        path: The file; an existing one is replaced.
        sources: Files that are read for it.

    Raises:
        InputError: The file is one of the sources.
        OSError: It cannot be written.
    """
    if path is None or path == "-":
        yield
        return
    from ..values.atomic_file import written_atomically

    if any(_is_same(source, path) for source in sources):
        raise InputError("is one of the files that are read", where=path, hint="Choose another file.")
    with written_atomically(path) as file, redirect_stdout(file):
        yield


def _is_same(file: str, output: str) -> bool:
    try:
        return os.path.samefile(file, output)
    except OSError:
        return False
