"""Beginning to guard a build: `occupancy init`, a check without a baseline, exemptions that end."""

from __future__ import annotations

import gzip
import shlex
from datetime import date, timedelta
from pathlib import Path

import pytest

from occupancy.compare.rules_file import read_rules
from occupancy.errors import RulesError
from tests.cli_runner import run

BUILDS = Path(__file__).parents[2] / "data" / "builds"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two builds in the current folder."""
    monkeypatch.chdir(tmp_path)
    for build in ("before", "after"):
        (tmp_path / build).mkdir()
        for packed in (BUILDS / build).glob("*.gz"):
            (tmp_path / build / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    return tmp_path


class TestInit:
    def test_what_it_writes_holds(self) -> None:
        done = run("init", "before")
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-1] == "Next: occupancy check before"
        assert "Commit both files.\n" in done.stdout
        assert "In CI, check exits with 1 on a broken rule: docs/ci.md." in done.stdout
        assert run("check", "before", "--rules", "occupancy.toml").exit_code == 0
        assert run("check", "after", "--rules", "occupancy.toml").exit_code == 1
        assert (run("check", "before").exit_code, run("check", "after").exit_code) == (0, 1)

    def test_sizes_that_are_given_are_rules(self) -> None:
        said = run("init", "before", "--threads", "256", "-t", "blur=128", "-t", "16x4").output
        assert "is given twice for all kernels" in said
        assert "the block sizes" not in run("init", "before", "--rules", "r.toml", "--baseline", "b").stdout
        said = run("init", "before", "--threads", "blur=128", "-t", "16x4").stdout
        assert "occupancy.toml: rules to begin with, with the block sizes that you gave.\n" in said
        rules = read_rules("occupancy.toml")
        assert rules.threads == 64
        assert [(each.kernels, each.threads) for each in rules.launches] == [(("blur",), (128,))]
        said = run("check", "after", columns=120).stdout
        assert "100% -> 25% at 128 threads\n" in said, "blur alone"
        assert run("check", "before").exit_code == 0
        Path("occupancy.toml").write_text("threads = 96\n[[rules]]\nmin_occupancy = 100\n")
        assert ": 98.4% at 96 threads\n" in run("check", "before").stdout, "21 blocks of 3 warps, 63 of 64"
        assert ": 50% at 32 threads\n" in run("check", "before", "-t", "32").stdout

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ([], ""),
            (["--rules", "other.toml"], " --rules other.toml"),
            (["--rules", "two words.toml"], " --rules 'two words.toml'"),
            (["--arch", "sm_90", "--name", "scale*"], " --name 'scale*' --arch sm_90"),
            (["--newest", "--runtime", "--threads", "256"], " --newest --runtime"),
        ],
    )
    def test_it_prints_the_shortest_command_that_works(self, options: list[str], said: str) -> None:
        command = run("init", "before", *options).stdout.splitlines()[-1].removeprefix("Next: ")
        assert command == f"occupancy check before{said}"
        checked = run(*shlex.split(command)[1:])
        assert (checked.exit_code, "in the baseline" in checked.stdout) == (0, False), checked.output

    def test_spills_are_asked_for_where_they_are_known(self, folder: Path) -> None:
        (folder / "usage").write_bytes((BUILDS.parent / "kernels" / "res_usage.txt").read_bytes())
        assert run("init", "usage", "--rules", "usage.toml", "--baseline", "usage.json").exit_code == 0
        text = Path("usage.toml").read_text()
        assert "\n# no_new_spills = true" in text
        assert "\nmax_stack_growth = 0" in text, "which is all that is seen of spills"
        run("init", "before")
        text = Path("occupancy.toml").read_text()
        assert "\nno_new_spills = true\n# max_stack_growth = 0" in text, "which the code tells"
        assert "\n# max_regs_growth = 8" in text, "more registers that cost no occupancy are no loss"
        assert "before" not in text.replace("before the occupancy", ""), "a build is elsewhere in CI"
        (folder / "ptxas.log").write_bytes((BUILDS / "before" / "ptxas.log").read_bytes())
        assert run("init", "ptxas.log", "--rules", "log.toml", "--baseline", "log.json").exit_code == 0
        assert "\nno_new_spills = true\n# max_stack_growth = 0" in Path("log.toml").read_text()
        assert "no_new_smem_spills" not in Path("log.toml").read_text(), "which a log does not say"
        assert run("check", "ptxas.log", "--rules", "log.toml").exit_code == 0
        assert "\nno_new_smem_spills = true" in text, "which images say"

    def test_the_examples_in_its_comments_are_rules(self) -> None:
        run("init", "before")
        text = Path("occupancy.toml").read_text()
        examples = [line[2:] for line in text.splitlines() if line.startswith(("# [[", "# kernels", "# arch",
            "# min_", "# max_", "# rules", "# reason", "# until"))]  # fmt: skip
        del examples[: next(number for number, line in enumerate(examples) if line.startswith("[["))]
        start = next(number for number, line in enumerate(examples) if line.startswith("[[launches]]"))
        del examples[start : start + 2]
        Path("all.toml").write_text("\n".join(examples))
        rules = read_rules("all.toml")
        assert len(rules.rules) == len(rules.exemptions) == 1

    def test_nothing_is_replaced(self) -> None:
        Path("occupancy.toml").write_text("mine")
        done = run("init", "before")
        assert done.exit_code == 2
        assert "occupancy.toml: is already there" in done.stderr or "is there already" in done.stderr
        assert Path("occupancy.toml").read_text() == "mine"
        assert not Path("occupancy-baseline.json").exists()


def test_a_check_without_its_baseline_says_what_to_run() -> None:
    Path("r.toml").write_text('baseline = "b.json"\n[[rules]]\nmax_stack_growth = 0\n')
    done = run("check", "before", "--rules", "r.toml")
    assert done.exit_code == 2
    command = "occupancy check before --rules r.toml --update"
    assert command in " ".join(done.stderr.split())
    assert run(*command.split()[1:]).exit_code == 0
    assert run("check", "before", "--rules", "r.toml").exit_code == 0


class TestExemptions:
    RULES = "[[rules]]\nmax_regs = 64\n"

    def check(self, more: str) -> tuple[int, str]:
        Path("r.toml").write_text(self.RULES + more)
        done = run("check", "before", "--rules", "r.toml")
        return done.exit_code, " ".join(done.output.split())

    def exemption(self, until: date, kernels: str = "img::*", more: str = "") -> str:
        return f'[[exemptions]]\nkernels = "{kernels}"\nreason = "see #7"\nuntil = {until}\n{more}'

    def test_until_its_last_day(self) -> None:
        assert self.check("")[0] == 1
        code, text = self.check(self.exemption(date.today()))
        assert code == 0
        assert f"may break max_regs until {date.today()}: see #7." in text
        assert f"14 kernels meet 1 rule (14 checks); 4 are exempted until {date.today()}." in text
        assert text.count("may break") == 1, "once for all that may for one reason"

    def test_after_it(self) -> None:
        yesterday = date.today() - timedelta(days=1)
        code, text = self.check(self.exemption(yesterday))
        assert code == 1
        assert f"Exemption 1 (img::*, until {yesterday}) has ended." in text

    def test_of_something_else(self) -> None:
        code, text = self.check(self.exemption(date.today(), more='rules = "min_occupancy"\n'))
        assert code == 1
        assert "is not needed for this build." in text

    def test_not_needed(self) -> None:
        code, text = self.check(self.exemption(date.today()) + self.exemption(date.today(), "nothing*"))
        assert code == 0
        assert f"Exemption 2 (nothing*, until {date.today()}) is for no kernel; there are img::blur," in text
        assert "not needed" not in text
        one = run("check", "before", "--rules", "r.toml", "--name", "scale").stdout
        assert "is for no kernel" not in one, "the others were not looked at"

    def test_what_it_suggests_can_be_pasted(self) -> None:
        pytest.importorskip("demangle", reason="needs Python 3.11")
        tomorrow = date.today() + timedelta(days=1)
        _, text = self.check(self.exemption(tomorrow, "img::histogram<64, true>"))
        assert "there are img::histogram<64>, img::histogram<16>." in text, "the most alike first"
        _, text = self.check(self.exemption(tomorrow, "img::histogram<64>"))
        assert "is for no kernel" not in text
        error = run("scan", "before", "--threads", "histogram<64, true>=64").stderr
        assert "Allowed: img::histogram<64>, img::histogram<16>." in error
        assert run("scan", "before", "--threads", "img::histogram<64>=64").exit_code == 0

    def test_a_month_is_no_date(self) -> None:
        Path("r.toml").write_text(
            f'{self.RULES}[[exemptions]]\nkernels = "a"\nreason = "b"\nuntil = 2027-01\n'
        )
        with pytest.raises(RulesError, match=r"line 6, .*A date has a day: 2027-01-31\."):
            read_rules("r.toml")

    @pytest.mark.parametrize(
        ("table", "says"),
        [
            ('kernels = "a"\nreason = "b"', "until"),
            ('kernels = "a"\nuntil = 2027-01-01', "reason"),
            ('reason = "b"\nuntil = 2027-01-01', "kernels"),
            ('kernels = "a"\nreason = "b"\nuntil = "soon"', "until"),
            ('kernels = "a"\nreason = "b"\nuntil = 2027-01-01T00:00:00', "until"),
            ('kernels = "a"\nreason = "b"\nuntil = 2027-01-01\nrules = "min_ocupancy"', "min_occupancy"),
            ('kernels = "a"\nreason = "b"\nuntil = 2027-01-01\nfor = "x"', "for"),
        ],
    )
    def test_mistakes(self, table: str, says: str) -> None:
        Path("r.toml").write_text(f"{self.RULES}[[exemptions]]\n{table}\n")
        with pytest.raises(RulesError, match=says):
            read_rules("r.toml")
