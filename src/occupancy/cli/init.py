"""``occupancy init``: the first rules and the first baseline."""

from __future__ import annotations

from typing import Any

import click

from .kernel_files import kernel_file_options
from .printing import print_text


@click.command("init")
@click.argument("build", metavar="BUILD...", nargs=-1, required=True)
@click.option(
    "--rules", metavar="FILE", default="occupancy.toml", show_default=True, help="The rules to write."
)
@click.option(
    "--baseline", metavar="FILE", default="occupancy-baseline.json", show_default=True,
    help="The baseline to write.",
)  # fmt: skip
@kernel_file_options
def command(build: tuple[str, ...], rules: str, baseline: str, **options: Any) -> None:
    """Begin to guard a build: write rules with comments, and the baseline of what there is now.

    BUILD is anything that `occupancy scan` reads. Files that are there already are not replaced.

    \b
    occupancy init build/
    """
    from ..api.builds import begin, check_command

    kernels = begin(build, rules, baseline, **options)
    sizes = ", with the block sizes that you gave" if options["threads"] is not None else ""
    print_text(f"{rules}: rules to begin with{sizes}.\n{baseline}: a baseline of {kernels:,} kernels.")
    print_text("Commit both files.")
    print_text("In CI, check exits with 1 on a broken rule: docs/ci.md.")
    print_text(f"Next: {check_command(build, rules, _which_kernels())}")


_IN_THE_BASELINE = frozenset({"rules", "baseline", "threads"})
"""What a check finds by itself."""


def _which_kernels() -> list[str]:
    """The options that say which kernels are read: a check of others would find some added, and some gone."""
    context = click.get_current_context()
    given = []
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if isinstance(option, click.Option) and option.name not in _IN_THE_BASELINE and value:
            flag = max(option.opts, key=len)
            values = value if option.multiple else (value,)
            given += [flag] if option.is_flag else [part for each in values for part in (flag, str(each))]
    return given
