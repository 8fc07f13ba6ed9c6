"""What `scan` and `page` have in common once kernels were read: the page, and what is said of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ..values.untrusted import printable

if TYPE_CHECKING:
    from ..api.scanning import Scanning

CHOOSING = "--newest, --spilling or --below 50"
"""Options of `scan` that choose among kernels."""

MANY = 2000
"""More kernels than these make a page of a megabyte."""

SAY_IT = ("launchable", "reason")
"""The columns that say which kernels do not launch, and why."""


def page_of_kernels(files: tuple[str, ...], report: Mapping[str, Any]) -> str:
    """Return the page that lists kernels.

    Args:
        files: Paths as they were typed.
        report: Data of the report page.
    """
    from .. import __version__
    from ..page.build import build_page
    from ..page.report import report_heading

    return build_page(__version__, "", report, report_heading(files, __version__))


def say_written(output: str, scanning: Scanning, smaller: str = "") -> None:
    """Say how many kernels a file has.

    Args:
        output: The file.
        scanning: Has answered for the kernels.
        smaller: How a page of very many kernels is made smaller; empty where it is no page, or is made so.
    """
    of = " kernels" if scanning.shown == scanning.found else f" of {scanning.found:,} kernels"
    of += _failing(scanning.do_not_launch)
    less = f" For a smaller page: {smaller}." if smaller and scanning.shown > MANY else ""
    click.echo(f"Wrote {output}: {scanning.shown:,}{of}.{less}", err=True)


def warn_of_failing(scanning: Scanning, columns: tuple[str, ...]) -> None:
    """Warn of kernels whose occupancy is 0 because they do not launch, where no column says so.

    Args:
        scanning: Has answered for the kernels.
        columns: Those that were chosen; empty: all there are.
    """
    if columns and SAY_IT[0] not in columns and (failing := _failing(scanning.do_not_launch)):
        said = f"{scanning.shown:,} kernels{failing}"
        click.echo(f"Warning: {said}; the columns {' and '.join(SAY_IT)} say it.", err=True)


def _failing(number: int) -> str:
    from ..report.scan.summary import do_not_launch

    return f", {number:,} of which {do_not_launch(number)}" if number else ""


def end(scanning: Scanning) -> None:
    """Say of which kernels there is nothing, and exit with 1 where something could not be read."""
    if scanning.missing_kernels:
        click.echo(f"Warning: {printable(scanning.missing_kernels)}.", err=True)
    if scanning.problems:
        click.get_current_context().exit(1)
