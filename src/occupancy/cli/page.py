"""Commands page and schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import __version__
from .command import command
from .options import GPU, GRID, KERNEL, SMS, chosen_gpu
from .printing import formats_of, output_option, written_to

FILE_NAME = "occupancy.html"


@command(
    output_option("Write a .html file instead of opening the page; - for standard output."),
    *GPU, SMS, GRID, *(each for each in KERNEL if each.name not in ("model", "max_threads")),
)  # fmt: skip
def page(output: tuple[str, ...], **inputs: Any) -> None:
    """Open the calculator in the browser, or write it as one HTML file.

    The page needs no server and no network. Kernel options prefill the form, by default for OCCUPANCY_CC or the
    local GPU. For a page with all kernels of a build, run occupancy scan build/ -o kernels.html.

    \b
    occupancy page
    occupancy page -o occupancy.html
    occupancy page --cc 9.0 --threads 256 --regs 40
    """
    from ..page.build import build_page

    formats_of(output, None)
    # The inputs are in the content, too: some systems open a file without what follows the # of its address.
    fragment, subject = _opened_with(inputs)
    content = build_page(__version__, fragment, subject)
    for file in output:
        with written_to(file):
            click.echo(content)
    if output:
        return
    import webbrowser

    path = Path(click.get_app_dir("occupancy"), FILE_NAME)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    address = path.as_uri() + (f"#{fragment}" if fragment else "")
    if not webbrowser.open(address):
        hint = f"To write the page to a file, add -o {FILE_NAME}."
        click.echo(f"No browser to open: {address}\n{hint}", err=True)


def _opened_with(inputs: dict[str, Any]) -> tuple[str, str]:
    """Return the fragment of the address and the subject of the title; empty without options."""
    from ..api.occupancy import compute
    from ..page.data import fragment_of
    from ..report.words import kernel_text

    gpu = chosen_gpu(inputs, is_needed=any(value is not None for value in inputs.values()))
    if gpu is None:
        return "", ""
    sms = inputs.pop("multiprocessor_count") or gpu.multiprocessor_count
    launch = {"grid": inputs.pop("grid"), "sms": sms, "gpu": gpu.name}
    inputs["threads"] = inputs["threads"] or "256"  # as in the form of the page
    result = compute(gpu, **inputs)
    return fragment_of(result, launch), kernel_text(result.kernel, gpu)


@command(click.Argument(["command"]))
def schema(command: str) -> None:
    """Print the JSON Schema of a command's output with --format json.

    COMMAND is a command, such as calc. For limits --sources, pass sources. For budget --stage-smem, pass stages.

    \b
    occupancy schema calc
    """
    import json

    from ..report.schema import json_schema

    click.echo(json.dumps(json_schema(command), indent=2))
