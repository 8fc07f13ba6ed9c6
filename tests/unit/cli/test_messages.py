from __future__ import annotations

import click

from occupancy.cli import commands
from occupancy.cli.messages import message, wrapped
from tests.cli_runner import run


def test_lines_end_between_words() -> None:
    text = wrapped("Error: " + "max_shared_memory_per_block_optin is 232,448 bytes " * 4, 40)
    assert max(map(len, text.splitlines())) <= 40
    assert text.split() == ("Error: " + "max_shared_memory_per_block_optin is 232,448 bytes " * 4).split()


def test_usage_errors_have_the_form_of_ours() -> None:
    context = click.Context(commands, info_name="occupancy")
    found = message(click.UsageError("No such option: --foo", context))
    assert found == "No such option: --foo. `occupancy --help` lists what there is."


def test_without_a_command_there_is_one_screen() -> None:
    done = run()
    text = done.stdout
    assert done.exit_code == 0
    assert len(text.splitlines()) <= 40
    assert all(f"occupancy {each}" in text for each in ("calc --cc", "scan build/", "check build/"))
    assert all(f"  {each}  " in text for each in ("calc", "fits", "schema"))
