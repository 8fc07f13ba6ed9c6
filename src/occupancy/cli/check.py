"""``occupancy check`` and ``occupancy init``: rules for the kernels of a build."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, OccupancyError
from .command import Command, Option
from .files import KernelFiles, chosen_gpu, kernel_file_options, written_to
from .printing import FORMAT_OF_ENDING, format_option, print_data, print_text, show

if TYPE_CHECKING:
    from ..api.builds import CheckResult

FORMAT_OF_FILE = {**FORMAT_OF_ENDING, ".sarif": "sarif", ".xml": "junit"}


@click.command("check", cls=Command)
@click.argument("build", cls=KernelFiles, metavar="BUILD...", nargs=-1, required=True)
@click.option("--rules", cls=Option, is_common=True, metavar="FILE",
    help="TOML with the rules. [default: occupancy.toml, else [tool.occupancy] of pyproject.toml]")  # fmt: skip
@click.option("--baseline", cls=Option, is_common=True, metavar="FILE",
    help="Baseline to compare with. [default: the one that the rules name]")  # fmt: skip
@click.option("--update", cls=Option, is_common=True, is_flag=True,
    help="Accept all kernels into the baseline, or only those of --name and --arch.")  # fmt: skip
@click.option("-o", "--output", "outputs", cls=Option, multiple=True, metavar="FILE",
    help="Write the report to a file, too: .sarif, .xml (JUnit), .md, .html, .json or .csv. Repeatable.")  # fmt: skip
@kernel_file_options
@format_option("html", "github", "junit", "sarif")
def command(
    build: tuple[str, ...],
    rules: str | None,
    baseline: str | None,
    update: bool,
    output_format: str,
    outputs: tuple[str, ...],
    **options: Any,
) -> None:
    """Check the kernels of a build against rules; exit with 1 if one is broken.

    BUILD is anything that `occupancy scan` reads. A rule that demands something of no kernel is an
    error.

    \b
    occupancy check build/
    occupancy check build/ --rules ci/occupancy.toml --baseline baseline.json
    occupancy check build/ --update --name blur
    """
    from ..api.builds import check

    files = {path: _format_of(path) for path in outputs}
    try:
        result = check(build, rules, baseline=baseline, update=update, **chosen_gpu(options))
    except OccupancyError as error:
        if output_format == "github":  # nobody reads the log of a job that has annotations
            from ..render.ci import github_error

            print_data("\n".join(github_error("\n".join(each.lines())) for each in error.every))
        raise
    for path, file_format in files.items():
        with written_to(path, sources=build):
            _print_checked(result, build, file_format)
    _print_checked(result, build, output_format)
    if not result.passed:
        click.get_current_context().exit(1)


def _format_of(path: str) -> str:
    """Return the format that the ending of a file's name stands for."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in FORMAT_OF_FILE:
        allowed = ", ".join(FORMAT_OF_FILE)
        raise InputError(f"{path!r} does not end in a known format", where="output", allowed=allowed)
    return FORMAT_OF_FILE[ending]


def _print_checked(result: CheckResult, build: tuple[str, ...], output_format: str) -> None:
    if output_format == "github":
        from ..render.ci import github

        print_data(github(result.findings(), result.report().headline))
    elif output_format == "junit":
        from ..render.ci import junit
        from ..report.check import check_cases

        print_data(junit(", ".join(build), list(check_cases(result.checked))))
    elif output_format == "sarif":
        from .. import __version__
        from ..render.ci import sarif
        from ..report.check import CHECK_FINDINGS

        print_data(sarif(result.findings(), CHECK_FINDINGS, __version__))
    else:
        show(result.report(), output_format)


@click.command("init", cls=Command)
@click.argument("build", metavar="BUILD...", nargs=-1, required=True)
@click.option("--rules", cls=Option, metavar="FILE", default="occupancy.toml", show_default=True, is_common=True,
    help="File of rules to write.")  # fmt: skip
@click.option("--baseline", cls=Option, metavar="FILE", default="occupancy-baseline.json", show_default=True,
    is_common=True, help="Baseline to write.")  # fmt: skip
@kernel_file_options
def init(
    build: tuple[str, ...], rules: str, baseline: str, cc: None, gpu: None, limits_file: None, **options: Any
) -> None:
    """Write the first rules, with comments, and the first baseline of a build.

    BUILD is anything that `occupancy scan` reads. Existing files are not replaced.

    \b
    occupancy init build/
    """
    from ..api.builds import begin, check_command
    from ..values.untrusted import printable

    saved = begin(build, rules, baseline, **options)
    print_text(
        f"Wrote {printable(rules)}: first rules.\nWrote {printable(baseline)}: {len(saved):,} kernels."
    )
    print_text("Commit both files. In CI, check exits with 1 if a rule is broken.")
    given = _kernel_options()
    print_text(f"Next: {printable(check_command(build, rules, given))}")


def _kernel_options() -> list[str]:
    """Return the options that select kernels: a check of others would find some added and some removed."""
    context = click.get_current_context()
    given: list[str] = []
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if isinstance(option, click.Option) and option.name in ("name", "archs", "only_newest") and value:
            flag = max(option.opts, key=len)
            values = value if option.multiple else (value,)
            given += [flag] if option.is_flag else [part for each in values for part in (flag, str(each))]
    return given
