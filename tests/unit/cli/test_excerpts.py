"""The first screen of very many kernels: one row for each name, and how whole names and all rows are seen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli_runner import run

ENTRY = """\
ptxas info : Compiling entry function '{0}' for '{1}'
ptxas info : Function properties for {0}
    {2} bytes stack frame, {2} bytes spill stores, {2} bytes spill loads
ptxas info : Used {3} registers
"""

NAMES = 25
WORST = ("sm_90", "sm_100")
"""Where kernels of odd and of even numbers spill the most; on the other half as much, on 8.0 nothing."""
ONE_MORE = ("sm_90 + 100", "sm_100 + 90")


@pytest.fixture
def log(tmp_path: Path) -> str:
    """``k1`` to ``k25`` for three architectures, the last spills most; ``k0`` spills on 10.0 alone."""
    path = tmp_path / "log"
    kernels = [("k0", arch, 4 * (arch == "sm_100"), 72) for arch in ("sm_80", *WORST)]
    for number in range(1, NAMES + 1):
        kernels.append((f"k{number}", "sm_80", 0, 32))
        for arch in WORST:
            is_worst = arch == WORST[number % 2]
            kernels.append((f"k{number}", arch, 8 * number * (1 + is_worst), 168 if is_worst else 72))
    path.write_text("".join(ENTRY.format(*each) for each in kernels))
    return str(path)


def rows(text: str) -> list[tuple[str, str]]:
    """Each name with the begin of the row below it."""
    arch = r"sm_\d+(?: \+ \d+(?:, \d+| more)*|, \d+| to sm_\d+)?"
    return re.findall(rf"^(k\d+)\n  ({arch}) ", text, re.MULTILINE)


def screen(log: str, *options: str) -> str:
    """In a terminal that breaks no sentence."""
    return run("scan", log, *options, columns=200).stdout


class TestOneRowForEachName:
    def test_its_worst_architecture_and_how_many_more_match(self, log: str) -> None:
        text = screen(log, "--spilling")
        assert rows(text) == [(f"k{number}", ONE_MORE[number % 2]) for number in range(NAMES, NAMES - 20, -1)]
        assert (
            "\nThe first 20 of 26 matching names (51 kernels), most spills first, each on the architecture "
            "with the most:\n" in text
        )
        assert (
            "\nA row for each architecture: --all shows all 51, --limit N so many; --arch sm_100 only its 26;"
            " --format csv has all.\n"
            "--all --columns arch lists the architectures of each name, and no more.\n" in text
        )
        short = screen(log, "--spilling", "--all", "--columns", "arch")
        assert "\n  Arch\nk25\n  sm_90, 100\nk24\n  sm_90, 100\n" in short, "both in one row"
        assert "\nk0\n  sm_100\n" in short

    def test_so_it_is_by_the_lowest_occupancy(self, log: str) -> None:
        """168 registers leave 12 warps of 64, 72 leave 28."""
        text = screen(log, "--below", "50", "--threads", "128")
        assert {arch for _, arch in rows(text)} == set(ONE_MORE)
        assert set(re.findall(r" (\d+\.?\d*%)  regs", text)) == {"18.8%"}
        assert (
            "\nThe first 20 of 26 matching names (53 kernels), lowest occupancy first, each on the "
            "architecture with the lowest; limited by: regs 53:\n" in text
        )

    def test_so_it_is_in_another_order(self, log: str) -> None:
        high = screen(log, "--below", "50", "--threads", "128", "--sort", "occupancy", "--reverse")
        assert ", highest occupancy first, each on the architecture with the highest; limited" in high
        assert set(re.findall(r" (\d+\.?\d*%)  regs", high)) == {"43.8%"}
        most = screen(log, "--sort", "regs")
        assert "\nThe first 20 of 26 names (78 kernels), most registers first, each on the arch" in most
        assert {arch for _, arch in rows(most)} == {"sm_90 + 80, 100", "sm_100 + 80, 90"}

    @pytest.mark.parametrize(
        ("options", "names", "says"),
        [
            (("--all",), 26, "The 51 that match, most spills first:"),
            (("--limit", "51"), 26, "The 51 that match, most spills first:"),
            (("--limit", "3"), 3, "The first 3 of the 51 that match, most spills first:"),
            (("--arch", "sm_100"), 26, "26 kernels for sm_100 of 78 found, most spills first"),
            (("--name", "k1"), 11, "33 kernels of 78 found, 22 shown, most spills first"),
        ],
    )
    def test_rows_of_single_architectures_where_they_are_asked_for(
        self, log: str, options: tuple[str, ...], names: int, says: str
    ) -> None:
        text = screen(log, "--spilling", *options)
        assert len(re.findall(r"^k\d+$", text, re.MULTILINE)) == names
        assert says in text
        assert "more" not in text
        assert "A row for each" not in text

    def test_one_name_is_one(self, log: str) -> None:
        assert ", 2 spilling (1 name).\n" in screen(log, "--spilling", "--name", "k25")

    def test_programs_have_all(self, log: str) -> None:
        assert len(run("scan", log, "--spilling", "--format", "csv").stdout.splitlines()) == 1 + 51

    def test_markdown_has_whole_names(self, log: str) -> None:
        text = run("scan", log, "--spilling", "--format", "markdown").stdout
        assert len(re.findall(r"^\| `k\d+` \| sm_\d+ \+ \d+ ", text, re.MULTILINE)) == 20


def test_limiters_that_come_to_more_than_all_are_explained(tmp_path: Path) -> None:
    """32 registers fill the register file with as many warps as an SM holds; 24 do not."""
    said = "\nLimited by: a kernel with several limiters counts for each.\n\n"
    for registers, is_said in ((32, True), (24, False)):
        log = tmp_path / str(registers)
        log.write_text("".join(ENTRY.format(f"k{number}", "sm_90", 0, registers) for number in range(70)))
        assert (said in screen(str(log), "-t", "128")) == is_said


class TestWholeNames:
    HINT = "Names are shortened: --full-names shows whole ones."
    LONG = "_Z4sort" + "I" + "".join(f"Li{number}E" for number in range(100, 130)) + "EvPf"
    READABLE = f"sort<{', '.join(map(str, range(100, 130)))}>"

    @pytest.fixture
    def builds(self, tmp_path: Path) -> list[str]:
        pytest.importorskip("demangle", reason="needs Python 3.11")
        for name, registers in (("before", 32), ("after", 72)):
            (tmp_path / name).write_text(ENTRY.format(self.LONG, "sm_90", 0, registers))
        return [str(tmp_path / name) for name in ("before", "after")]

    @pytest.mark.parametrize("columns", [40, 60, 80, 120])
    def test_on_several_lines(self, builds: list[str], columns: int) -> None:
        for command in (("scan", builds[0]), ("diff", *builds)):
            short = run(*command, columns=columns).stdout
            assert self.READABLE not in " ".join(short.split())
            assert self.HINT in " ".join(short.split())
            text = run(*command, "--full-names", columns=columns).stdout
            assert self.READABLE in " ".join(text.split())
            assert "shortened" not in text
            assert "--format csv and json have the mangled names, too." in " ".join(text.split())
            assert max(map(len, text.splitlines())) <= columns
            start = text.splitlines().index(next(each for each in text.splitlines() if each[:4] == "sort"))
            assert text.splitlines()[start + 1].startswith("    1")

    def test_nothing_is_said_where_all_names_are_whole(self, builds: list[str]) -> None:
        for command in (("scan", builds[0]), ("diff", *builds)):
            assert "shortened" not in run(*command, columns=300).stdout
            markdown = run(*command, "--format", "markdown").stdout
            assert self.READABLE in markdown
            assert "shortened" not in markdown
            assert run(*command, "--format", "markdown", "--full-names").stdout == markdown

    def test_no_baseline_has_other_names(self, builds: list[str], tmp_path: Path) -> None:
        done = run("scan", builds[0], "--save-baseline", str(tmp_path / "base.json"), "--full-names")
        assert done.exit_code == 2
        assert "--full-names" in done.stderr
