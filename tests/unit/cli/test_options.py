"""Options of all commands: the default chip, short names, completion, exit codes, and the pages of help."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

import occupancy
from occupancy.cli import COMMANDS, commands
from occupancy.cli.help import MOST_LINES
from occupancy.tables.gpus import all_gpus, candidates
from tests.cli_runner import run

KERNEL = ("-t", "256", "-r", "40")
TABLE = 'schema_version: 1\ncompute_capabilities:\n  "9.0": {like: "9.0", max_blocks_per_multiprocessor: 3}\n'


class TestDefaultChip:
    @pytest.fixture(autouse=True)
    def in_a_folder_of_its_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("OCCUPANCY_CC", raising=False)

    def answered_for(self, *arguments: str) -> str:
        answer = json.loads(run("calc", *KERNEL, *arguments, "--format", "json").stdout)
        return str(answer["cc"])

    def test_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OCCUPANCY_CC", "RTX 4090")
        assert self.answered_for() == "8.9"
        assert self.answered_for("--cc", "9.0") == "9.0"

    def test_a_table_with_one_row_goes_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OCCUPANCY_CC", "8.0")
        Path("own.yaml").write_text(TABLE)
        assert self.answered_for("--limits", "own.yaml") == "9.0"

    def test_not_where_many_chips_are_asked_about(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OCCUPANCY_CC", "8.0")
        chips = json.loads(run("fits", *KERNEL, "--format", "json").stdout)["chips"]
        assert len(chips) > 10

    def test_one_that_is_unknown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OCCUPANCY_CC", "x9")
        done = run("calc", *KERNEL, columns=200)
        assert (done.exit_code, "'x9' is not a compute" in done.stderr) == (2, True), done.stderr


def test_a_users_table_says_where_it_has_no_row(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(TABLE)
    own = str(tmp_path / "own.yaml")
    there = run("calc", *KERNEL, "--limits", own, "--cc", "9.0")
    assert there.stderr == ""
    assert "3 blocks" in there.stdout
    missing = run("calc", *KERNEL, "--limits", own, "--cc", "8.0,9.0")
    assert missing.stderr == f"{own} has no row for 8.0: our own row answers.\n"


@pytest.mark.parametrize("value", ["010", "0_17", "-07", "1:30"])
def test_numbers_that_yaml_reads_otherwise_are_refused(value: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(TABLE.replace(": 3}", f": {value}}}"))
    with pytest.raises(occupancy.TableError, match=f"has '{value}' at line 3"):
        occupancy.read_limits(tmp_path / "own.yaml")


def test_a_model_that_does_not_know_a_chip_gives_unknown() -> None:
    fits = ("fits", *KERNEL, "--cc", "8.6,9.0", "--model", "spreadsheet")
    assert "Launches on 1 of 2 compute capabilities; unknown on 1" in run(*fits).stdout
    known, unknown = json.loads(run(*fits, "--format", "json").stdout)["chips"]
    assert (known["launchable"], unknown["launchable"]) == (True, None)
    assert "does not know" in unknown["reason"]
    assert run(*fits, "--exit-code").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("calc", "--cc", "9.0", "-t", "256"), 0),
        (("calc", "--cc", "9.0", "-t", "256", "-s", "300k"), 1),
        (("calc", "--cc", "7.5,9.0", "-t", "256", "-s", "100k"), 1),
        (("calc", "--cc", "8.0,9.0", "-t", "256", "-s", "100k"), 0),
        (("fits", "--cc", "7.5,9.0", "-t", "256", "-s", "100k"), 1),
        (("fits", "--cc", "8.0,9.0", "-t", "256", "-s", "100k"), 0),
        # It is of shared memory, not of large clusters.
        (("calc", "--cc", "9.0", "-t", "256", "--no-opt-in", "--cluster", "16"), 0),
        (("calc", "--cc", "9.0", "-t", "256", "--no-opt-in", "-s", "100k"), 1),
        (("calc", "--cc", "8.9,9.0", "-t", "256", "--cluster", "4"), 1),
        (("fits", "--cc", "8.9", "-t", "256", "--cluster", "4"), 1),
    ],
)
def test_scripts_get_an_exit_code_where_a_kernel_does_not_launch(
    arguments: tuple[str, ...], code: int
) -> None:
    assert run(*arguments).exit_code == 0
    assert run(*arguments, "--exit-code").exit_code == code


@pytest.mark.parametrize(
    ("arguments", "typed", "expected"),
    [
        (["calc", "--cc"], "9", "9.0"),
        (["calc", "--cc"], "hop", "hopper"),
        (["calc", "--cc"], "9.0,hop", "9.0,hopper"),
        (["calc", "--gpu"], "h100 sx", "H100-SXM5-80-GB"),
        (["fits", "--gpu"], "A100,GeForce RTX 40", "A100,GeForce-RTX-4090"),
        (["calc", "--set"], "max_bl", "max_blocks_per_multiprocessor="),
        (["limits"], "8.", "8.6"),
        (["scan", "--cc"], "tur", "turing"),
        (["gpus"], "h1", "H100-PCIe-80-GB"),
        (["schema"], "bl", "block-sizes"),
        ([], "bud", "budget"),
    ],
)
def test_the_shell_completes_values(arguments: list[str], typed: str, expected: str) -> None:
    completion = ShellComplete(commands, {}, "occupancy", "_OCCUPANCY_COMPLETE")
    assert expected in [item.value for item in completion.get_completions(arguments, typed)]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_fits_on_a_screen_and_names_every_option(command: str) -> None:
    first = run(command, "--help").stdout
    assert len(first.splitlines()) <= MOST_LINES
    assert max(map(len, first.splitlines())) <= 80
    assert first.count("[") == first.count("]"), "a default is whole or not there"
    assert not first.rstrip().endswith("--help-all:"), "there is nothing more"
    everything = run(command, "--help-all").stdout or first
    context = click.Context(commands)
    for parameter in commands.get_command(context, command).params:  # type: ignore[union-attr]
        if isinstance(parameter, click.Option):
            names = [name for name in parameter.opts if name.startswith("--")]
            of_first_page = [*parameter.secondary_opts, *names][0]  # of two contraries what is not assumed
            assert of_first_page in first or parameter.name == "help_all", names
            assert all(name in everything for name in (*names, *parameter.secondary_opts))


def test_help_is_in_groups() -> None:
    for page in ("--help", "--help-all"):
        lines = run("calc", page).stdout.splitlines()
        places = [lines.index(f"{group}:") for group in ("Chip", "Kernel", "Launch", "Output")]
        assert places == sorted(places)
        assert any(line.strip().startswith("-c, --cc") for line in lines[places[0] : places[1]])
        assert any(line.strip().startswith("-t, --threads") for line in lines[places[1] : places[2]])


def test_builds_are_asked_about_a_chip_by_its_name(builds: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text("[[rules]]\nmin_occupancy = 1\n")
    before, after = str(builds / "before"), str(builds / "after")
    for command in (("diff", before, after), ("check", after, "--rules", str(tmp_path / "rules.toml"))):
        expected = run(*command, "--cc", "9.0", "--format", "json").stdout
        assert json.loads(expected)
        for chip in (("--gpu", "H100"), ("--cc", "H100"), ("--cc", "hopper")):
            assert run(*command, *chip, "--format", "json").stdout == expected
        both = run(*command, "--cc", "9.0", "--gpu", "H100")
        assert "--cc and --gpu: both say which GPU it is" in both.stderr
    scanned = run("scan", after, "--cc", "9.0", "--format", "json").stdout
    assert run("scan", after, "--cc", "hopper", "--format", "json").stdout == scanned


def test_a_name_that_the_shell_completes_needs_no_quotes_and_is_the_same() -> None:
    completion = ShellComplete(commands, {}, "occupancy", "_OCCUPANCY_COMPLETE")
    for typed in ("rtx", "tesla", "h", "quadro"):
        for item in completion.get_completions(["gpus"], typed):
            assert not set(" '\"") & set(item.value)
    assert all(candidates(each.label.replace(" ", "-")) == candidates(each.label) for each in all_gpus())
