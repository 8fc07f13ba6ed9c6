"""The command over the samples."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import occupancy
from occupancy import KernelRecord
from occupancy.builds import scanner as scanner_module
from occupancy.builds import selection
from occupancy.builds.overview import Tally
from occupancy.builds.scan_row import ROW_FIELDS
from occupancy.builds.scanner import Scanner
from occupancy.builds.selection import Selection
from occupancy.cli.scan import ORDERS
from occupancy.readers import read
from occupancy.report.scan.asked import MEANT, columns_named, fields_of
from occupancy.report.scan.columns import ALL, if_there_is_room
from occupancy.tables import shipped
from tests.cli_runner import run
from tests.samples import LAUNCHES

NAMES_OF_THE_JSON = {
    "source", "format", "name", "demangled", "arch", "linked", "regs", "static_smem", "dynamic_smem",
    "barriers", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "max_threads", "required_threads",
    "register_cap", "cluster_dim", "threads", "threads_from", "grid_dim", "occupancy", "active_blocks",
    "limiters", "next_step", "reported_occupancy",
}  # fmt: skip


def scan(*arguments: object) -> list[dict[str, Any]]:
    """The objects of the JSON lines."""
    done = run("scan", *map(str, arguments), "--format", "jsonl")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_path_that_does_not_exist_is_an_error_unless_another_does(samples: Path, tmp_path: Path) -> None:
    absent = str(tmp_path / "absent.cubin")
    for more in ((), ("--save-baseline", str(tmp_path / "base.json"))):
        done = run("scan", absent, *more)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"Error: {absent}: cannot be read: No such file or directory")
    done = run("scan", absent, str(samples / "samples.exe"))
    assert done.exit_code == 1
    assert done.stderr.startswith(f"Warning: {absent}: cannot be read")
    assert "kernels" in done.stdout


class TestAnswers:
    def test_every_name_is_there(self, samples: Path) -> None:
        for row in scan(samples / "samples.exe"):
            assert row.keys() >= NAMES_OF_THE_JSON
            assert tuple(row) == ROW_FIELDS

    def test_launches_come_to_what_nsight_says(self, samples: Path) -> None:
        rows = scan(samples / "ncu.ncu-rep")
        assert [row["occupancy"] for row in rows] == [launch[-1] for launch in LAUNCHES]
        assert [row["occupancy"] for row in rows] == [row["reported_occupancy"] for row in rows]
        assert {row["threads_from"] for row in rows} == {"launch"}

    def test_pytorchs_zeros_stand_beside_our_number_and_are_explained(self, samples: Path) -> None:
        rows = scan(samples / "pytorch_trace.json")
        # The longest first: the rows of the file in the order of their times.
        assert [row["active_blocks"] for row in rows] == [2, 2, 1, 1, 2, 16, 16]
        for row in rows:
            is_wrong = row["smem"] > 48 * 1024
            assert (row["reported_occupancy"] == 0) == is_wrong
            assert row["occupancy"] > 0
            assert any("48 KiB" in note for note in row["notes"]) == is_wrong
        text = run("scan", str(samples / "pytorch_trace.json")).stdout
        assert "Reported" in text
        assert "PyTorch's profiler says 0%" in text

    def test_triton_is_complete(self, samples: Path) -> None:
        rows = {row["regs"]: row for row in scan(samples / "triton_cache")}
        assert rows.keys() == {26, 114, 64}
        assert (rows[114]["threads"], rows[114]["threads_from"]) == (256, "metadata")
        assert (rows[114]["active_blocks"], rows[114]["limiters"]) == (2, ["registers", "shared_memory"])
        assert rows[114]["next_step"] == {
            "active_blocks": 3,
            "occupancy": 0.375,
            "requires": {"regs": 80, "smem": 65536},  # two of three stages
        }

    def test_what_is_needed_and_unknown_is_not_guessed(self, tmp_path: Path) -> None:
        (tmp_path / "k.ptx").write_text(".version 8.0\n.target sm_90\n.entry k()\n{\n}\n")
        (row,) = scan(tmp_path / "k.ptx")
        assert (row["occupancy"], row["active_blocks"], row["limiters"]) == (None, None, [])
        (tmp_path / "usage").write_text("Resource usage:\n Function k:\n  REG:8 SHARED:0 CONSTANT[0]:360\n")
        (row,) = scan(tmp_path / "usage")
        assert row["occupancy"] is None
        assert any("--cc" in note for note in row["notes"])
        (row,) = scan(tmp_path / "usage", "--cc", "9.0")
        assert (row["occupancy"], row["cc"], row["what_if"]) == (1.0, "9.0", False)

    @pytest.mark.parametrize(
        ("arch", "registers", "says"),
        [("sm_99", 32, "not in the table"), ("sm_90", 999, "regs: 999 is out of range")],
    )
    def test_impossible_kernels_are_shown_with_the_reason(
        self, tmp_path: Path, arch: str, registers: int, says: str
    ) -> None:
        log = f"Compiling entry function 'k' for '{arch}'\nptxas info : Used {registers} registers\n"
        (tmp_path / "log").write_text(log)
        (row,) = scan(tmp_path / "log", "--threads", 64)
        assert row["occupancy"] is None
        assert any(says in note for note in row["notes"])
        assert "k\n" in run("scan", str(tmp_path / "log")).stdout

    def test_kernel_that_does_not_launch(self, tmp_path: Path) -> None:
        log = "Compiling entry function 'k' for 'sm_90'\nptxas info : Used 255 registers\n"
        (tmp_path / "log").write_text(log)
        (row,) = scan(tmp_path / "log", "--threads", 1024)
        assert (row["occupancy"], row["launchable"]) == (0, False)
        assert "does not launch" in run("scan", str(tmp_path / "log"), "--threads", "1024").stdout


class TestBlockSize:
    def test_file_then_option_then_bound_then_best(self, samples: Path) -> None:
        rows = {row["name"]: row for row in scan(samples / "samples.cubin")}
        assert (rows["_Z6spillyPfi"]["threads"], rows["_Z6spillyPfi"]["threads_from"]) == (
            1024,
            "launch_bounds",
        )
        vec_add = rows["_Z7vec_addPKfS0_Pfi"]
        assert (vec_add["threads"], vec_add["threads_from"], vec_add["occupancy"]) == (1024, "best", 1.0)
        for row in scan(samples / "samples.cubin", "--threads", "16x8"):
            assert (row["threads"], row["threads_from"]) == (128, "option")
        assert {row["threads_from"] for row in scan(samples / "triton_cache", "--threads", 512)} == {
            "metadata"
        }

    def test_a_size_that_is_given_for_nothing(self, samples: Path) -> None:
        """The files state all of them, and what they state counts."""
        cache, cubin, unused = samples / "triton_cache", samples / "samples.cubin", " changed nothing: "
        text = run("scan", str(cache), "--threads", "16x32").stdout
        assert "\n--threads 512 changed nothing: all block sizes are in the files.\n" in text
        assert "\nthreads=512 changed nothing: all" in str(occupancy.scan(cache, threads=512))
        one = run("scan", str(cache), "--threads", "512", "--name", "add").stdout
        assert "--threads 512 changed nothing: the file states its block size." in one
        assert unused not in run("scan", str(cache)).stdout
        assert unused not in run("scan", str(cubin), "--threads", "512").stdout
        assert unused not in run("scan", str(cache), str(cubin), "--threads", "512").stdout

    def test_more_threads_than_it_was_compiled_for(self, samples: Path) -> None:
        rows = {row["name"]: row for row in scan(samples / "samples.cubin", "--threads", 512)}
        bounded = rows["_Z10reduce_dynPKfPfi"]
        assert bounded["notes"] == []
        assert bounded["reason"] == "512 threads in one block, but it was compiled for at most 256."
        assert (bounded["launchable"], bounded["active_blocks"]) == (False, 0)
        assert bounded["next_step"]["requires"] == {"threads": 256}
        assert rows["_Z6spillyPfi"]["notes"] == []
        assert rows["_Z6spillyPfi"]["launchable"]

    def test_the_text_says_whence(self, samples: Path) -> None:
        text = run("scan", str(samples / "samples.cubin")).stdout
        assert "1,024 bound" in text
        assert "1,024 best" in text
        assert "\nAssumed where no file says it: threads (best, the size with the highest" in text
        assert "; --threads N if you know it), no dynamic shared memory (chosen at launch)." in " ".join(
            text.split()
        )
        assert "256 given" in run("scan", str(samples / "samples.cubin"), "--threads", "256").stdout


class TestWhatIf:
    def test_other_chips_are_labelled(self, samples: Path) -> None:
        rows = scan(samples / "samples.fatbin", "--cc", "8.6", "--threads", 256, "--arch", "all")
        assert {(row["arch"], row["cc"], row["what_if"]) for row in rows} == {
            ("sm_80", "8.6", True),
            ("sm_90", "8.6", True),
            ("sm_120", "8.6", True),
        }
        text = run("scan", str(samples / "samples.fatbin"), "--cc", "8.6", "--arch", "all").stdout
        assert "sm_90 on 8.6" in text
        assert "What if" in text
        assert "Of each kernel only" not in text

    @pytest.mark.parametrize(
        ("chip", "archs"),
        [
            ("8.6", {"sm_80"}),
            ("H100", {"sm_90"}),
            ("12.1", {"sm_120"}),
            ("8.7", {"sm_80", "sm_90", "sm_120"}),
            ("10.0", {"sm_80", "sm_90", "sm_120"}),
        ],
    )
    def test_of_several_architectures_the_code_that_the_chip_runs(
        self, samples: Path, chip: str, archs: set[str]
    ) -> None:
        """All of a file without any: then it is a what-if."""
        fatbin = samples / "samples.fatbin"
        found = json.loads(run("scan", str(fatbin), "--cc", chip, "--format", "json").stdout)
        assert {row["arch"] for row in found["kernels"]} == archs
        text = run("scan", str(fatbin), "--cc", chip, columns=120).stdout
        if len(archs) > 1:
            assert found["runs_on"] is None
            assert "Of each kernel only" not in text
            return
        cc, left = found["runs_on"]["cc"], found["found"] - len(found["kernels"])
        assert found["runs_on"] == {"cc": cc, "archs": list(archs), "left_out": left}
        (arch,) = archs
        assert f"Of each kernel only the code that {cc} runs ({arch}); --arch all shows all.\n" in text
        newest = scan(fatbin, "--cc", chip, "--newest")
        assert {row["arch"] for row in newest} == archs, "the newest of what runs"
        page = occupancy.scan(fatbin, cc=chip)._repr_html_()
        assert "archs=[&quot;all&quot;]" in page or 'archs=["all"]' in page

    def test_two_files_with_a_kernel_of_the_same_name_are_two_kernels(self, tmp_path: Path) -> None:
        line = "ptxas info : Compiling entry function 'k' for 'sm_{}'\nptxas info : Used 8 registers\n"
        logs = [tmp_path / f"{arch}.log" for arch in (80, 86)]
        for log in logs:
            log.write_text(line.format(log.stem))
        assert {row["arch"] for row in scan(tmp_path, "--cc", "8.9")} == {"sm_80", "sm_86"}
        logs[0].write_text(line.format(80) + line.format(86))
        found = [(Path(row["source"]).name, row["arch"]) for row in scan(logs[0], "--cc", "8.9")]
        assert found == [("80.log", "sm_86")]

    def test_the_same_chip_is_no_what_if(self, samples: Path) -> None:
        rows = scan(samples / "triton_cache", "--cc", "9.0")
        assert {(row["arch"], row["what_if"]) for row in rows} == {("sm_90a", False)}

    def test_shared_memory_configuration_of_another_chip_does_not_count(self, samples: Path) -> None:
        # 228 KiB, as recorded, is no configuration of 8.0.
        rows = scan(samples / "ncu.ncu-rep", "--cc", "8.0")
        assert [row["active_blocks"] for row in rows] == [8, 8, 2, 8, 1, 1]

    def test_table_of_ones_own(self, tmp_path: Path) -> None:
        log = "Compiling entry function 'k' for 'sm_99'\nptxas info : Used 32 registers\n"
        (tmp_path / "log").write_text(log)
        ours = next(yaml.safe_load_all(Path(shipped.data_path(shipped.FILE_NAME)).read_text()))
        rows = {"9.9": ours["compute_capabilities"]["9.0"]}
        (tmp_path / "own.yaml").write_text(yaml.safe_dump(ours | {"compute_capabilities": rows}))
        (row,) = scan(tmp_path / "log", "--threads", 256, "--limits", tmp_path / "own.yaml")
        assert (row["cc"], row["occupancy"]) == ("9.9", 1.0)


class TestSelection:
    def names(self, *arguments: object) -> list[str]:
        return [row["name"] for row in scan(*arguments)]

    @pytest.mark.parametrize(
        ("pattern", "count"),
        [
            ("spilly", 1),
            ("SGEMM", 2),
            ("sgemm_tiled<16>", 1),
            ("(float const*", 4),
            ("vec*float", 1),
            ("x", 0),
        ],
    )
    def test_name(self, samples: Path, pattern: str, count: int) -> None:
        pytest.importorskip("demangle", reason="needs Python 3.11")
        assert len(self.names(samples / "samples.exe", "--name", pattern)) == count

    def test_mangled_names_are_found_too(self, samples: Path) -> None:
        assert len(self.names(samples / "samples.exe", "--name", "ILi16E")) == 1

    def test_architectures(self, samples: Path) -> None:
        rows = scan(samples / "samples.fatbin", "--arch", "sm_80", "--arch", "12.0")
        assert {row["arch"] for row in rows} == {"sm_80", "sm_120"}
        assert {row["arch"] for row in scan(samples / "triton_cache", "--arch", "90")} == {"sm_90a"}

    def test_an_architecture_as_people_say_it(self, tmp_path: Path) -> None:
        log = "".join(
            f"Compiling entry function 'k' for 'sm_{arch}'\nptxas info : Used 8 registers\n"
            for arch in ("80", "90", "90a")
        )
        (tmp_path / "log").write_text(log)
        for asked, archs in (
            ("hopper", ["sm_90", "sm_90a"]), ("9.0", ["sm_90", "sm_90a"]), ("sm_90a", ["sm_90a"]),
            ("A100", ["sm_80"]),
        ):  # fmt: skip
            assert [row["arch"] for row in scan(tmp_path / "log", "--arch", asked)] == archs
        done = run("scan", str(tmp_path / "log"), "--arch", "sm_100f")
        said = "no kernel is for the architecture that is asked for; there are some for sm_80, sm_90, sm_90a."
        assert said in " ".join(done.stderr.split())

    def test_newest(self, samples: Path) -> None:
        rows = scan(samples / "samples.fatbin", samples / "samples.exe", "--newest")
        assert [row["arch"] for row in rows] == ["sm_120"] * 3 + ["sm_90"] * 2

    def test_sort_and_limit(self, samples: Path) -> None:
        exe, log = samples / "samples.exe", samples / "ptxas_v.txt"
        assert self.names(exe, "--sort", "occupancy")[0] == "_Z6spillyPfi"
        registers = [row["regs"] for row in scan(exe, "--sort", "regs")]
        assert registers == [64, 32, 32, 12, 12]
        assert self.names(log, "--sort", "spills", "--limit", 1) == ["_Z6spillyPfi"]
        times = [
            row["duration_us"]
            for row in scan(samples / "triton_cache", samples / "ncu_raw.csv", "--sort", "time")
        ]
        assert times == [276.448, 247.136, 189.312, 8.8, 8.512, 5.824, None, None, None]
        assert self.names(exe, "--limit", 2) == self.names(exe)[:2]

    def test_launches_and_the_images_of_their_kernels_are_sorted_as_one(self, samples: Path) -> None:
        # A profile names kernels as the source has them.
        pytest.importorskip("demangle", reason="needs Python 3.11")
        rows = scan(samples / "ncu_raw.csv", samples / "samples.exe", "--sort", "time")
        assert [row["duration_us"] for row in rows] == [276.448, 247.136, 189.312, 8.8, 8.512, 5.824]

    def test_either_end_of_an_order(self, samples: Path) -> None:
        cubin = samples / "samples.cubin"
        rows = scan(cubin, "--sort", "regs", "--reverse")
        assert [row["regs"] for row in rows] == sorted(row["regs"] for row in rows)
        text = run("scan", str(cubin), "--sort", "occupancy", "--reverse").stdout
        assert "3 kernels for sm_90, highest occupancy first" in text
        assert text.index("spilly") > text.index("vec_add")
        assert run("scan", str(cubin), "--reverse").exit_code == 2
        assert run("scan", str(cubin), "--sort", "worst", "--reverse").exit_code == 2

    def test_kernels_of_one_name_stand_together(self, tmp_path: Path) -> None:
        pairs = (("a", 100, 80), ("b", 50, 80), ("a", 10, 90))
        log = "".join(
            f"Compiling entry function '{name}' for 'sm_{arch}'\nFunction properties for {name}\n"
            f"    0 bytes stack frame, {spills} bytes spill stores, 0 bytes spill loads\n"
            "ptxas info : Used 8 registers\n"
            for name, spills, arch in pairs
        )
        (tmp_path / "log").write_text(log)
        lines = run("scan", str(tmp_path / "log"), "--spilling").stdout.splitlines()
        assert [line for line in lines if line in ("a", "b")] == ["a", "b"]

    def test_programs_see_the_order_of_the_screen_where_only_some_match(self, tmp_path: Path) -> None:
        spilling = [row["name"] for row in scan(many(tmp_path), "--spilling")]
        assert spilling == [f"k{number}" for number in range(90, 0, -10)]

    def test_the_commands_choices_are_the_librarys(self) -> None:
        assert ORDERS == selection.ORDERS

    def test_cudas_own_kernels_are_hidden(self) -> None:
        own = KernelRecord(
            source="a", format="cubin", name="__nv_static_51__38_cuda_device_runtime_compute_86_cpp1_ii_k"
        )
        assert list(Selection().kernels([own])) == []
        assert list(Selection(with_runtime=True).kernels([own])) == [own]

    def test_all_is_read_even_where_little_is_shown(self, samples: Path, tmp_path: Path) -> None:
        done = run("scan", str(samples / "samples.exe"), str(tmp_path / "missing"), "--limit", "1")
        assert done.exit_code == 1
        assert "5 kernels for sm_90, 1 shown" in done.stdout


def many(folder: Path, kernels: int = 100) -> Path:
    """A log of so many kernels for two architectures: every tenth spills, more and more; every third has
    an occupancy of 25 %."""
    lines = []
    for number in range(kernels):
        registers = 200 if number % 3 == 0 else 32
        spills = number if number % 10 == 0 else 0
        lines += [
            f"ptxas info : Compiling entry function 'k{number}' for 'sm_{90 if number % 2 else 80}'",
            f"ptxas info : Function properties for k{number}",
            f"    0 bytes stack frame, {spills} bytes spill stores, {2 * spills} bytes spill loads",
            f"ptxas info : Used {registers} registers",
        ]
    (folder / "log").write_text("\n".join(lines))
    return folder / "log"


class TestLargeBuilds:
    def test_a_summary_then_what_deserves_a_look(self, tmp_path: Path) -> None:
        text = run("scan", str(many(tmp_path)), "--threads", "256").stdout
        assert text.startswith("100 kernels; 34 below 50%, 9 spilling.\n")
        rows = {
            line.split()[0]: line.split() for line in text.splitlines() if line.startswith(("sm_", "all"))
        }
        assert rows["sm_80"][1:4] == ["50", "17", "9"]
        assert rows["sm_90"][1:4] == ["50", "17", "0"]
        assert rows["all"][1:4] == ["100", "34", "9"]
        names = [line for line in text.splitlines() if line.startswith("k")]
        assert names[:9] == [f"k{number}" for number in range(90, 0, -10)], "the most spills first"
        assert names[9:] == ["k0", "k3", "k6", "k9", "k12", "k15", "k18", "k21", "k24", "k27", "k33"]
        assert "The 20 that most deserve a look, one of each template (40 have a reason):" in text
        assert "--all shows all 100, --limit N so many" in text

    def test_all_or_as_many_as_asked(self, tmp_path: Path) -> None:
        log = str(many(tmp_path))
        asked: list[tuple[str, ...]] = [
            ("--all",),
            ("--limit", "30"),
            ("--limit", "30", "--sort", "regs"),
            (),
        ]
        texts = [run("scan", log, *more).stdout for more in asked]
        assert [len(re.findall("^k", text, re.MULTILINE)) for text in texts] == [100, 30, 30, 20]
        summaries = {run("scan", log, *more).stdout.splitlines()[0] for more in ((), ("--limit", "30"))}
        assert summaries == {"100 kernels; 34 below 50%, 9 spilling."}

    def test_worst_is_an_order_that_drops_nothing_but_from_the_screen_that_nobody_asked_for(
        self, tmp_path: Path
    ) -> None:
        log = many(tmp_path)
        rows = scan(log, "--sort", "worst")
        assert len(rows) == 100
        assert [row["name"] for row in rows[:9]] == [f"k{number}" for number in range(90, 0, -10)]
        assert len(scan(log, "--sort", "worst", "--below", "50")) == 34
        texts = [run("scan", str(log), "--sort", "worst", *more).stdout for more in (("--all",), ())]
        assert [len(re.findall("^k", text, re.MULTILINE)) for text in texts] == [100, 20]
        assert "\n20 of them, worst first:\n" in texts[1]

    def test_formats_for_programs_stay_whole(self, tmp_path: Path) -> None:
        log = many(tmp_path)
        assert len(scan(log)) == 100
        document = json.loads(run("scan", str(log), "--format", "json", "--limit", "1").stdout)
        assert len(document["kernels"]) == 1
        assert document["overview"]["kernels"] == 100, "of what was found, not of what is shown"

    def test_below_and_spilling(self, tmp_path: Path) -> None:
        log = many(tmp_path)
        low = {row["name"] for row in scan(log, "--below", "50")}
        assert low == {f"k{number}" for number in range(0, 100, 3)}
        assert low == {row["name"] for row in scan(log, "--below", "0.5")}
        assert {row["name"] for row in scan(log, "--spilling")} == {f"k{n}" for n in range(10, 100, 10)}
        both = {row["name"] for row in scan(log, "--spilling", "--below", "50%")}
        assert both == {"k30", "k60", "k90"}
        text = run("scan", str(log), "--spilling").stdout
        assert text.startswith("100 kernels; 34 below 50%, 9 spilling.\n")
        assert len(re.findall("^k", text, re.MULTILINE)) == 9
        assert "\nThe 9 that match, most spills first:\n" in text
        few = run("scan", str(log), "--spilling", "--name", "k*0", "--limit", "2").stdout
        assert re.findall("^k.*", few, re.MULTILINE) == ["k90", "k80"], "of few, too, and of so many"
        assert "--all" not in text, "nothing is left out"
        assert (
            "\nThe first 20 of the 34 that match, lowest occupancy first; limited by: regs 34:\n"
            in run("scan", str(log), "--below", "50").stdout
        )
        failing = run("scan", str(log), "--below", "50", "--threads", "1024").stdout
        assert failing.startswith("100 kernels; 34 do not launch, 9 spilling.\n")
        assert "lowest occupancy first; 34 do not launch:\n" in failing
        # A kernel of which a part is shown is shown whole; else it would seem to be in fewer files.
        entry = "Compiling entry function '{}' for 'sm_90'\nptxas info : Used {} registers\n"
        for registers in (253, 254, 255):
            several = "".join(entry.format(f"s{n}", registers) for n in range(40))
            (tmp_path / f"log{registers}").write_text(several)
        logs = map(str, sorted(tmp_path.glob("log2*")))
        below = run("scan", *logs, "--below", "50", columns=100).stdout
        assert len(re.findall(r"^s\d+$", below, re.MULTILINE)) == 7
        assert len(re.findall(r"^ +log\d+ ", below, re.MULTILINE)) == 21
        assert "\n21 of them, lowest occupancy first:\n" in below
        assert "'--spilling'" in run("scan", str(log), "--spills").stderr

    def test_a_stack_of_which_nothing_says_what_it_is_stands_behind_what_spills(self, tmp_path: Path) -> None:
        many(tmp_path)
        rest = "SHARED:0 LOCAL:0 CONSTANT[0]:352 TEXTURE:0 SURFACE:0 SAMPLER:0"
        usage = "\n".join(f" Function s{stack}:\n  REG:32 STACK:{stack} {rest}" for stack in (1, 65))
        (tmp_path / "usage").write_text(f"Fatbin elf code:\narch = sm_90\n\nResource usage:\n{usage}\n")
        text = " ".join(run("scan", str(tmp_path), "--spilling", columns=120).stdout.split())
        assert text.startswith("102 kernels; 34 below 50%, 9 spilling. ")
        assert "The 9 that match, most spills first:" in text
        assert "2 kernels have a stack of which nothing says whether it holds spills: --sort stack." in text
        all_of_them = run("scan", str(tmp_path), "--sort", "spills", "--limit", "12").stdout
        names = re.findall(r"^[ks]\d+$", all_of_them, re.MULTILINE)
        assert names[:9] == [f"k{number}" for number in range(90, 0, -10)]
        assert names[9:11] == ["s65", "s1"], "before those that spill nothing"

    def test_a_step_to_fewer_registers_is_said_to_spill_more(self, tmp_path: Path) -> None:
        text = run(
            "scan", str(many(tmp_path, 31)), "--threads", "256", "--columns", "spills,next_step"
        ).stdout
        steps = dict(re.findall(r"^(k\d+)\n(.*)$", text, re.MULTILINE))
        assert steps["k30"].endswith("regs 200 -> 128 (spills more)")
        assert steps["k27"].endswith("regs 200 -> 128")

    def test_what_tells_rows_apart_goes_before_all_else(self, builds: Path) -> None:
        one, both = ([builds / each for each in names] for names in (("after",), ("before", "after")))
        for folders, stay in ((one, ("Why", "Config", "To shared")), (both, ("Why", "Config", "Read from"))):
            first, stays = if_there_is_room(tuple(occupancy.scan(folders)))
            assert tuple(first[:3]) == tuple(stays[:3]) == stay

    def test_a_notebook_has_no_options_of_the_command(self, tmp_path: Path) -> None:
        shown = occupancy.scan(many(tmp_path))
        for text in (shown._repr_html_(), str(shown)):
            assert "--" not in text
            assert "limit=N" in text

    def test_the_engine_is_asked_once_for_the_same_needs(self, tmp_path: Path) -> None:
        scanner = Scanner(shipped.limits)
        records = [found for found in read(many(tmp_path)) if isinstance(found, KernelRecord)]
        for record in records:
            scanner.verdict(record)
        assert len(scanner._verdicts) == 4
        assert scanner._answer.cache_info().misses == 4
        assert scanner._advice.cache_info().misses == 0, "that is for what is shown"

    def test_what_decides_is_never_taken_for_the_same(self) -> None:
        decides = {"arch", "registers", "static_smem", "dynamic_smem", "smem", "barriers", "threads"}
        decides |= {"virtual_resources", "tensor_memory", "max_threads", "shared_memory_config", "block"}
        assert not decides & scanner_module._PLAYS_NO_PART


class TestColumns:
    def test_spills_go_before_what_may_be_zero(self, samples: Path) -> None:
        text = run("scan", str(samples / "ptxas_v.txt"), columns=80).stdout
        assert "Spills" in text
        assert "No room for" not in text or "Spills" not in text.split("No room for")[1]

    @pytest.mark.parametrize("columns", range(50, 130, 5))
    def test_what_matters_stands_below_where_there_is_no_room_beside(
        self, samples: Path, columns: int
    ) -> None:
        text = run("scan", str(samples / "ptxas_v.txt"), columns=columns).stdout
        table, _, below = text.partition("5 kernels")
        assert "1,008 / 1,008 B" in table
        assert "100%: regs 64 -> 32 (spills more)" in " ".join(table.split())
        assert not {"Spills", "Next"} & set(re.findall(r"\w+", below.partition("No room for:")[2]))

    def test_as_much_of_a_name_as_tells_it_from_others(self, samples: Path) -> None:
        assert fields_of(columns_named(["kernel", "lim", "Thr", "next"])) == (
            "demangled", "limiters", "threads", "threads_from", "next_step",
        )  # fmt: skip
        assert fields_of(columns_named(["spill_l"])) == ("spill_load_bytes",)
        for unclear in ("s", ""):
            with pytest.raises(occupancy.InputError, match="there is no column"):
                fields_of(columns_named([unclear]))
        with pytest.raises(occupancy.InputError, match=r"Allowed: kernel, .* Or a field of --format csv\."):
            fields_of(columns_named(["zzz"]))
        with pytest.raises(occupancy.InputError, match=r"Allowed: kernel, "):
            columns_named(["nonsense"])  # is not meant to be notes
        with pytest.raises(occupancy.InputError, match=r"column 'smm'\. Did you mean smem\?$"):
            columns_named(["smm"])
        known = {each.title.lower() for each in ALL} | set(ROW_FIELDS) | {"kernel"}
        for word, ours in MEANT.items():
            assert ours in known
            if ours == "name":  # which tables do not show
                with pytest.raises(
                    occupancy.InputError, match=rf"no column '{word}'\. Did you mean {ours}\?"
                ):
                    columns_named([word])
            else:
                assert columns_named([word]) == columns_named([ours])
        head = run("scan", str(samples / "ptxas_v.txt"), "--columns", "kernel,occ").stdout.splitlines()
        assert (head[0].split(), head[1].startswith(" ")) == (["Occ."], False)

    def test_an_architecture_that_is_not_shown_makes_no_row(self, builds: Path) -> None:
        text = run("scan", str(builds / "after"), "--name", "scale", "--columns", "occ,thr").stdout
        name, *row = text.partition("\n\n")[0].split()[2:]
        assert name in ("img::scale", "_ZN3img5scaleEPff")  # where there is no demangler
        assert row == ["100%", "1,024", "best"]

    def test_a_title_that_is_a_fields_name_means_that_field(self) -> None:
        for column in ALL:
            (field, *_) = fields_of(columns_named([column.title]))
            assert field in column.fields
            name = column.title.lower().replace(" ", "_")
            assert name not in ROW_FIELDS or name in column.fields, "one word for one thing"
        assert {column.title for column in ALL if "source" in column.fields} == {"Read from"}
        assert {column.title for column in ALL if "file" in column.fields} == {"File"}

    def test_those_asked_for(self, samples: Path) -> None:
        log = str(samples / "ptxas_v.txt")
        head = run("scan", log, "--columns", "regs,spills,Limited by,register_cap").stdout.splitlines()[0]
        assert head.split() == ["Regs", "Spills", "Limited", "by", "Cap"]
        for asked in ("spills,to shared", "spill_load_bytes,spill_smem"):
            head = run("scan", log, "--columns", asked).stdout.splitlines()[0]
            assert head.split() == ["Spills", "To", "shared"], asked
        rows = csv.reader(
            io.StringIO(run("scan", log, "--columns", "name,occ,spills", "--format", "csv").stdout)
        )
        assert next(rows) == [
            "name", "occupancy", "spill_store_bytes", "spill_load_bytes", "spills_from",
        ]  # fmt: skip
        assert set(scan(log, "--columns", "name,regs")[0]) == {"name", "regs"}

    def test_names_alone(self, samples: Path) -> None:
        log = str(samples / "ptxas_v.txt")
        names = [
            row["demangled"].removeprefix("void ").partition("(")[0]
            for row in scan(log, "--sort", "occupancy")
        ]
        assert run("scan", log, "--columns", "name").stdout.split("\n\n")[0].splitlines() == names
        table = run("scan", log, "--columns", "kernel", "--format", "markdown").stdout.split("\n\n")[0]
        assert table.splitlines() == ["| Kernel |", "| --- |", *(f"| `{name}` |" for name in names)]
        done = run("scan", log, "--columns", "mangled")
        assert done.exit_code == 2
        assert "Did you mean name? It is mangled in CSV and JSON; tables show readable names." in done.stderr

    def test_what_all_kernels_have_in_common_is_said_once(self, samples: Path) -> None:
        text = run("scan", str(samples / "samples.cubin"), columns=120).stdout
        assert "Arch" not in text
        assert "3 kernels for sm_90, lowest occupancy first" in text
        assert "Bar" not in text.split("3 kernels")[0], "which limits nothing"
        assert "Arch" in run("scan", str(samples / "samples.fatbin"), columns=120).stdout
        launches = run("scan", str(samples / "ncu.ncu-rep"), columns=200).stdout
        assert "Launches" not in launches, "1 in every row"
        assert "Reported" not in launches, "the same as ours in every row"

    def test_a_variant_is_called_by_what_a_tuner_chose(self, samples: Path) -> None:
        text = run("scan", str(samples / "triton_cache"), columns=80).stdout
        rows = re.findall(r"^  (\d warps, \d stages) +(\d+)", text, re.MULTILINE)
        assert rows == [
            ("8 warps, 3 stages", "114"),
            ("4 warps, 4 stages", "64"),
            ("4 warps, 3 stages", "26"),
        ]
        assert {(row["num_warps"], row["num_stages"]) for row in scan(samples / "triton_cache")} == {
            (8, 3), (4, 4), (4, 3),
        }  # fmt: skip
        every = run("scan", str(samples / "triton_cache"), columns=200).stdout
        assert "YUEXHEFM.../mm.json" in every, "the folder is a checksum of 52 characters"

    @pytest.mark.parametrize(
        ("others", "shown"),
        [
            ((), "sm_80 to sm_89 "),
            ((87,), "sm_80, 86, 89 "),
            ((87, 88), "sm_80, 86, 89 "),
            ((75, 90), "sm_80 to sm_89 "),
        ],
    )
    def test_architectures_that_differ_in_nothing_are_one_row(
        self, tmp_path: Path, others: tuple[int, ...], shown: str
    ) -> None:
        """As a range only where it leaves out none that a file holds, of that kernel or of another."""
        entry = "Compiling entry function '{}' for 'sm_{}'\nptxas info : Used 8 registers\n"
        log = [entry.format("k", arch) for arch in (89, 80, 86)]
        log += [entry.format("other", arch) for arch in others]
        (tmp_path / "log").write_text("".join(log))
        text = run("scan", str(tmp_path / "log"), "--threads", "256", "--name", "k").stdout
        assert re.search(rf"^  {shown} +8  256 given  100%  warps", text, re.MULTILINE), text

    @pytest.mark.parametrize(
        ("columns", "shown"),
        [(80, "sm_75, 80, 86, 89, 107"), (36, "sm_75, 80, +3"), (None, "sm_75, 80, 86, 89, 107")],
    )
    def test_architectures_that_there_is_no_room_for_are_counted(
        self, tmp_path: Path, columns: int | None, shown: str
    ) -> None:
        log = "".join(
            f"Compiling entry function 'k' for 'sm_{arch}'\nptxas info : Used {registers} registers\n"
            for arch, registers in ((107, 8), (80, 8), (90, 9), (86, 8), (75, 8), (89, 8))
        )
        (tmp_path / "log").write_text(log)
        format = ("--format", "markdown") if columns is None else ()
        options = ("--columns", "arch,regs,cap,threads", "--sort", "regs", *format)
        text = run("scan", str(tmp_path / "log"), "--threads", "32", *options, columns=columns or 80).stdout
        assert f" {shown} " in text

    def test_unknown_column(self, samples: Path) -> None:
        done = run("scan", str(samples / "ptxas_v.txt"), "--columns", "spils")
        assert done.exit_code == 2
        assert "spills" in done.stderr

    def test_files_of_one_name(self, tmp_path: Path) -> None:
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir()
            log = f"Compiling entry function 'in_{folder}' for 'sm_90'\nptxas info : Used 8 registers\n"
            (tmp_path / folder / "build.log").write_text(log)
        text = run("scan", str(tmp_path), columns=120).stdout
        assert "a/build.log" in text
        assert "b/build.log" in text

    def test_an_order_by_what_is_not_there(self, samples: Path) -> None:
        usage = str(samples / "res_usage.txt")
        assert "Not sorted by time: no file" in run("scan", usage, "--sort", "time").stdout
        for order, why in (("spills", "nothing says what spills"), ("time", "no file has times")):
            done = run("scan", usage, "--sort", order, "--format", "csv")
            assert f"Warning: not sorted by {order}: {why}" in done.stderr
        assert "Not sorted" not in run("scan", str(samples / "ptxas_v.txt"), "--sort", "spills").stdout


class TestOutput:
    def test_a_dash_in_the_place_of_a_file_is_standard_output(self, samples: Path) -> None:
        cubin = str(samples / "samples.cubin")
        for asked in ("scan", cubin, "--format", "csv"), ("sweep", "--cc", "9.0", "-t", "64", "-r", "9:12"):
            assert run(*asked, "-o", "-").stdout == run(*asked).stdout

    @pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "md", "txt"])
    def test_the_answer_goes_to_the_file(self, samples: Path, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"answer.{suffix}"
        done = run("scan", str(samples / "samples.cubin"), "-o", str(path))
        assert (done.exit_code, done.stdout) == (0, "")
        format = {"md": "markdown", "txt": "text"}.get(suffix, suffix)
        assert path.read_text() == run("scan", str(samples / "samples.cubin"), "--format", format).stdout

    @pytest.mark.parametrize("name", ["report.pdf", "kernels.xlsx", "v1.0"])
    def test_an_ending_that_no_format_has_is_refused(self, samples: Path, tmp_path: Path, name: str) -> None:
        done = run("scan", str(samples / "samples.cubin"), "-o", str(tmp_path / name))
        assert done.exit_code == 2
        assert f"{name}' does not say what to write. Allowed: .csv, .html, .json, " in done.stderr
        assert not (tmp_path / name).exists()
        run("scan", str(samples / "samples.cubin"), "-o", str(tmp_path / name), "--format", "text")
        run("scan", str(samples / "samples.cubin"), "-o", str(tmp_path / "none"))
        assert (tmp_path / name).read_text() == (tmp_path / "none").read_text() != ""

    def test_how_many_do_not_launch_is_said_where_chosen_columns_do_not(
        self, samples: Path, tmp_path: Path
    ) -> None:
        cubin, path = str(samples / "samples.cubin"), str(tmp_path / "rows.csv")
        done = run("scan", cubin, "--threads", "1024", "--columns", "demangled,occupancy", "-o", path)
        rows = Path(path).read_text().splitlines()
        failing = sum(row.endswith(",0.0") for row in rows)
        assert failing == 1
        assert done.stderr == f"Wrote {path}: 3 kernels, 1 of which does not launch.\n"
        asked = ("scan", cubin, "--threads", "1024", "--format", "csv", "--columns")
        said = "Warning: 3 kernels, 1 of which does not launch; the columns launchable and reason say it.\n"
        assert run(*asked, "demangled,occupancy").stderr == said
        assert run(*asked, "demangled,launchable").stderr == ""

    def test_the_option_counts_more_than_the_name(self, samples: Path, tmp_path: Path) -> None:
        run("scan", str(samples / "samples.cubin"), "-o", str(tmp_path / "w.csv"), "--format", "json")
        assert len(json.loads((tmp_path / "w.csv").read_text())["kernels"]) == 3

    def test_all_or_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "answer.csv").write_text("name,arch\n")
        done = run("scan", str(tmp_path), "-o", str(tmp_path / "answer.csv"), "--cc", "77")
        assert done.exit_code == 2
        assert "7.7 is not in the table" in done.stderr
        assert (tmp_path / "answer.csv").read_text() == "name,arch\n"

    @pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "md", "txt", "html"])
    @pytest.mark.parametrize(
        "content",
        [
            "int main() {}\n",
            "# Project\n\nIt has 12 kernels.\n",
            '{"version": "1", "name": "package"}\n',
            '{\n  "name": "package"\n}\n',
            "name,price\nbread,3\n",
            "<!doctype html>\n<title>Home</title>\n",
            "\x7fELF\0\0",
            " ",
        ],
    )
    def test_a_file_that_is_no_answer_stays(
        self, samples: Path, tmp_path: Path, suffix: str, content: str
    ) -> None:
        path = tmp_path / f"answer.{suffix}"
        path.write_text(content)
        done = run("scan", str(samples / "samples.cubin"), "-o", str(path))
        assert done.exit_code == 2
        assert "is there already, and is no answer in the format" in done.stderr
        assert "Choose another name, or remove it." in done.stderr
        assert path.read_text() == content

    def test_a_baseline_is_an_answer_of_its_own(self, samples: Path, tmp_path: Path) -> None:
        path = tmp_path / "baseline.json"
        for more in (("-o", "x"), ("--limit", "3"), ("--sort", "regs"), ("--spilling",), ("--format", "csv")):
            done = run("scan", str(samples / "samples.cubin"), "--save-baseline", str(path), *more)
            assert done.exit_code == 2
            assert "a baseline" in done.stderr
        assert not path.exists()
        done = run("scan", str(samples / "samples.cubin"), "--save-baseline", str(path))
        assert done.stdout == f"{path}: a baseline of 3 kernels.\n"


class TestGroups:
    def launch(self, **facts: Any) -> KernelRecord:
        known: dict[str, Any] = {
            "regs": 32,
            "smem": 0,
            "threads": 256,
            "arch": "sm_90",
            "launches": 1,
            "grid_dim": (8, 1, 1),
        }
        known |= {"duration_us": 2.0, "reported_occupancy": 1.0, **facts}
        return KernelRecord(source="t", format="pytorch-trace", name="k", **known)

    def rows(self, *records: KernelRecord) -> list[Any]:
        scanner, selection = Scanner(shipped.limits), Selection(group=True)
        return list(map(scanner.row, selection.ordered(selection.kernels(records), scanner)))

    def test_launches_that_differ_in_nothing_of_interest(self) -> None:
        (row,) = self.rows(self.launch(), self.launch(grid_dim=(9, 1, 1), duration_us=3.0), self.launch())
        assert (row.launches, row.duration_us, row.grid_dim, row.reported_occupancy) == (3, 7.0, None, 1.0)
        assert row.occupancy == 1.0

    def test_launches_that_differ(self) -> None:
        first, second = self.rows(self.launch(), self.launch(smem=65536), self.launch())
        assert (first.launches, second.launches) == (2, 1)

    def test_kernels_are_never_merged_but_stand_together(self) -> None:
        kernel = replace(self.launch(), launches=None, grid_dim=None)
        other = replace(kernel, name="other")
        assert [row.name for row in self.rows(kernel, other, kernel)] == ["k", "k", "other"]

    def test_estimate_that_is_low_because_of_the_grid(self) -> None:
        (row,) = self.rows(self.launch(reported_occupancy=0.12))
        assert row.notes == ("PyTorch's profiler counts no more blocks than the grid has for each SM.",)
        (row,) = self.rows(self.launch(reported_occupancy=0.996))
        assert row.notes == ()


class TestFormats:
    def test_json_without_kernels(self, tmp_path: Path) -> None:
        done = run("scan", str(tmp_path), "--format", "json")
        document = json.loads(done.stdout)
        assert (document["kernels"], document["found"]) == ([], 0)
        assert document["problems"][0]["what"] == "a folder without kernels"
        assert done.exit_code == 1

    def test_markdown(self, samples: Path) -> None:
        text = run("scan", str(samples / "ncu_raw.csv"), "--format", "markdown").stdout
        assert text.count("\n| `") == 6
        assert "| 1,024 | 50% | 46.7% | regs | 1.00 |" in text

    @pytest.mark.parametrize("file", ["ncu.ncu-rep", "ncu_raw.csv"])
    def test_what_was_measured_and_how_full_the_gpu_was(self, samples: Path, file: str) -> None:
        """The file says which GPU it was; where all blocks are resident at once, no change fits more."""
        rows = json.loads(run("scan", str(samples / file), "--format", "json").stdout)["kernels"]
        found = [(row["multiprocessor_count"], row["waves"], row["next_step"] is None) for row in rows]
        assert found[-3:] == [(132, 0.25, True), (132, 1.0, True), (132, 1.0, True)]
        more = json.loads(run("scan", str(samples / file), "--sms", "66", "--format", "json").stdout)[
            "kernels"
        ]
        assert [(row["waves"], row["next_step"] is None) for row in more][-3:] == [
            (0.5, True), (2.0, False), (2.0, False),
        ]  # fmt: skip
        text = run("scan", str(samples / file), columns=100).stdout
        assert "24.1%" in text
        assert "Achieved was measured" in " ".join(text.split())
        assert "No next step where all blocks of a launch are resident at once" in " ".join(text.split())

    @pytest.mark.parametrize("columns", [40, 60, 80, 100, 200])
    def test_text_fits_the_terminal(self, samples: Path, columns: int) -> None:
        text = run("scan", str(samples), columns=columns).stdout
        assert max(map(len, text.splitlines())) <= columns

    def test_what_there_is_no_room_for_is_named(self, samples: Path) -> None:
        narrow = run("scan", str(samples / "samples.exe"), columns=60).stdout
        assert 'No room for: "Stack". --columns arch,regs,... chooses; --format csv has all.' in " ".join(
            narrow.split()
        )
        wide = run("scan", str(samples / "samples.exe"), columns=200).stdout
        assert "No room for" not in wide
        assert re.search(r"regs 64 -> 32 \(spills more\)", wide)

    def test_names_are_demangled_and_rows_named_once(self, samples: Path) -> None:
        pytest.importorskip("demangle", reason="needs Python 3.11")
        lines = run("scan", str(samples / "samples.fatbin")).stdout.splitlines()
        assert lines.count("spilly") == lines.count("vec_add") == 1
        assert "sgemm_tiled<32>" in run("scan", str(samples / "samples.exe")).stdout


class TestNamesThatNobodyVouchesFor:
    HOSTILE = "a\x1b]0;owned\x07b\nWarning: c"

    def test_kernels(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        log.write_text(
            "Compiling entry function 'a\x1b]0;b\x07' for 'sm_90'\nptxas info : Used 8 registers\n"
        )
        for output_format in ("text", "markdown"):
            done = run("scan", str(log), "--format", output_format)
            assert "a\\x1b]0;b\\x07" in done.stdout
            assert "\x1b" not in done.output
        assert scan(log)[0]["name"] == "a\\x1b]0;b\\x07"

    def test_files(self, samples: Path, tmp_path: Path) -> None:
        (tmp_path / self.HOSTILE).write_text("nothing")
        (tmp_path / f"{self.HOSTILE}.cubin").write_bytes((samples / "samples.cubin").read_bytes())
        other = samples / "cubins" / "13.0_90_0.cubin"
        done = run("scan", *map(str, sorted(tmp_path.iterdir())), str(other), columns=200)
        assert "\x1b" not in done.output
        assert len(done.stderr.splitlines()) == 1
        assert "a\\x1b]0;owned\\x07b\\nWarning: c.cubin  " in done.stdout


class TestProblems:
    def test_kernels_that_could_be_read_are_still_shown(self, samples: Path, tmp_path: Path) -> None:
        damaged = bytearray((samples / "samples.fatbin").read_bytes())
        damaged[damaged.find(b"\x7fELF")] = 0
        (tmp_path / "damaged").write_bytes(damaged)
        done = run("scan", str(tmp_path / "damaged"), str(samples / "samples.cubin"), columns=120)
        assert done.exit_code == 1
        assert "6 kernels" in done.stdout
        assert f"Warning: {tmp_path / 'damaged'}, byte 0x" in done.stderr

    @pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "csv", "markdown"])
    def test_nothing_readable(self, tmp_path: Path, output_format: str) -> None:
        (tmp_path / "page.html").write_text("<html></html>")
        done = run("scan", str(tmp_path / "page.html"), "--format", output_format)
        assert done.exit_code == 1
        assert "page.html: a text without kernels" in done.stderr
        assert "Traceback" not in done.output

    @pytest.mark.parametrize(
        "arguments",
        [(), ("x", "--threads", "many"), ("x", "--cc", "1.7"), ("x", "--arch", "z"), ("x", "--limit", "0")],
    )
    def test_wrong_usage(self, arguments: tuple[str, ...]) -> None:
        assert run("scan", *arguments).exit_code == 2


def test_what_spills_by_the_code_alone(samples: Path) -> None:
    text = run("scan", str(samples / "samples.cubin"), "--spilling").stdout
    assert "spilly" in text
    assert "vec_add" not in text
    assert "3 kernels for sm_90, 1 shown; 1 spilling." in text
    assert "  ~ 1,008 / 1,008 B  " in text
    assert (
        "Spills: bytes that a thread stores / loads in local memory; ~: a static count of the code, each "
        "spill instruction once however often a loop repeats it." in " ".join(text.split())
    )
    told = run("scan", str(samples / "ptxas_v.txt"), "--spilling").stdout
    assert "  1,008 / 1,008 B  " in told
    assert "~" not in told, "the compiler stated it"


def test_what_has_a_stack_and_does_not_spill_is_counted_beside_what_does(samples: Path) -> None:
    text = run("scan", str(samples / "cubins" / "13.0_90_1.cubin"), "--spilling").stdout
    others = "2 kernels have a stack for arrays or calls and spill nothing: --sort stack."
    assert others in " ".join(text.split())
    assert "stacky" not in text
    assert "stacky" in run("scan", str(samples / "cubins" / "13.0_90_1.cubin"), "--sort", "stack").stdout


def test_where_nothing_says_what_spills_that_is_said_once(samples: Path) -> None:
    usage = str(samples / "res_usage.txt")
    unknown, unsorted = "of which nothing says whether it holds spills", "Not sorted by spills: nothing says"
    asked = " ".join(run("scan", usage, "--spilling").stdout.split())
    assert "5 kernels for sm_90, 0 shown." in asked
    assert (unknown in asked, unsorted in asked) == (True, False)
    ordered = " ".join(run("scan", usage, "--sort", "spills").stdout.split())
    assert (unknown in ordered, unsorted in ordered) == (False, True)


def test_an_order_by_spills() -> None:
    """What may spill, as nothing says that it does not, comes between what does and what does not."""

    def record(name: str, stack: int, **fields: Any) -> KernelRecord:
        return KernelRecord(
            source="a", format="cubin", arch="sm_90", name=name, regs=64, stack_bytes=stack, **fields
        )

    def counted(stores: int, loads: int) -> dict[str, Any]:
        return {"spill_store_bytes": stores, "spill_load_bytes": loads, "spills_from": "code"}

    kernels = [
        record("none", 0, **counted(0, 0)),
        record("arrays", 384, **counted(0, 0)),
        record("unknown", 16),
        record("little", 8, **counted(4, 8)),
        record("larger", 32),
        record("stated", 16, spill_store_bytes=8, spill_load_bytes=8, spills_from="compiler"),
        record("much", 32, **counted(40, 40)),
    ]
    scanner = Scanner(shipped.limits)

    def names(**asked: Any) -> list[str]:
        selection = Selection(**asked)
        matching = selection.matching(selection.kernels(kernels), scanner)
        return [each.name for each in selection.ordered(matching, scanner)]

    assert names(sort="spills")[:5] == ["much", "stated", "little", "larger", "unknown"]
    assert names(sort="spills", only_spilling=True) == ["much", "stated", "little"]
    worst = ["much", "stated", "little", "larger", "unknown", "arrays"]
    assert names(sort="worst") == [*worst, "none"]
    assert names(sort="worst", show="one_per_template") == worst
    tally = Tally(scanner)
    assert len(list(tally.counted(kernels))) == len(kernels)
    overview = tally.overview()
    assert (overview.spilling, overview.spills_known) == (3, 5)
    assert (overview.stacks_without_spills, overview.stacks_unknown) == (1, 2)


def test_shared_memory_stays_where_smaller_blocks_than_the_best_may_be_limited_by_it() -> None:
    log = Path(__file__).parents[2] / "data" / "builds" / "after" / "ptxas.log"
    for columns in (60, 80, 100):
        text = run("scan", str(log), columns=columns).stdout
        assert "36 KiB" in text, columns
        assert "; --threads N if you know it)" in " ".join(text.split())


def test_what_triton_calls_the_next_step(samples: Path) -> None:
    text = " ".join(run("scan", str(samples / "triton_cache")).stdout.split())
    assert ("Triton: fewer num_stages or a smaller tile" in text) == ("Next step" in text)
    assert "Triton:" not in run("scan", str(samples / "samples.cubin")).stdout


def test_blocks_are_shown_where_there_is_room_and_nobody_is_told_that_there_is_none(samples: Path) -> None:
    wide, narrow = (run("scan", str(samples / "samples.cubin"), columns=each).stdout for each in (160, 60))
    assert "Blocks" in wide.splitlines()[0]
    assert "Blocks" not in narrow
    several = run("scan", str(samples / "samples.fatbin"), columns=160).stdout
    assert "Blocks" not in several, "the same share is of other blocks on other architectures"


def test_a_file_where_a_command_belongs_is_to_be_scanned(samples: Path) -> None:
    path = samples / "samples.cubin"
    assert f"Did you mean `occupancy scan {path}`?" in run(str(path)).stderr


def test_a_stack_that_is_the_reason_for_a_look_is_shown_in_any_width(samples: Path) -> None:
    stacky = samples / "cubins" / "13.0_90_0.cubin"
    for columns in (60, 80, 100):
        text = run("scan", str(stacky), "--sort", "worst", columns=columns).stdout
        assert "400 bytes" in text, columns
    assert "largest stack first" in run("scan", str(samples / "samples.cubin"), "--sort", "stack").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--below", "200"), "Error: --below: '200' is out of range. Give up to 100, in percent."),
        (("--below", "0"), "Error: --below: '0' is out of range."),
        (("-t", "99999999999"), "Error: --threads: 99999999999 is out of range. Allowed: 1 to 1,024."),
    ],
)
def test_what_no_kernel_can_have_is_refused_at_once(
    arguments: tuple[str, ...], message: str, samples: Path
) -> None:
    done = run("scan", str(samples / "samples.cubin"), *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(message)


def test_notes_name_their_kernels(samples: Path) -> None:
    text = " ".join(
        run("scan", str(samples / "samples.cubin"), "--threads", "512", columns=200).stdout.split()
    )
    assert "3 kernels for sm_90, lowest occupancy first; 1 does not launch, 1 spilling." in text
    reason = "Does not launch: 512 threads in one block, but it was compiled for at most 256."
    assert re.search(rf"reduce_dyn\S*: {re.escape(reason)}", text)


def test_a_column_of_spills_is_what_is_known_whoever_says_it(samples: Path) -> None:
    cubin, log, usage = (str(samples / each) for each in ("samples.cubin", "ptxas_v.txt", "res_usage.txt"))
    for files, said_by in (([cubin], "code"), ([log], "compiler"), ([cubin, log], "compiler"), ([usage], "")):
        text = run("scan", *files, "--name", "spilly", "--columns", "spills", "--format", "csv").stdout
        (row,) = csv.DictReader(io.StringIO(text))
        known = "1008" if said_by else ""
        assert row == {"spill_store_bytes": known, "spill_load_bytes": known, "spills_from": said_by}
        (kernel,) = occupancy.scan(files, name="spilly")
        assert (kernel.spills_from or "") == said_by
        assert not [name for name in kernel.to_dict() if name.startswith("counted")]


def test_the_logs_that_say_what_spills_are_named(samples: Path) -> None:
    both = [str(samples / each) for each in ("samples.cubin", "ptxas_v.txt")]
    text = run("scan", *both, columns=200).stdout
    assert "Spills: bytes that a thread stores / loads in local memory, from ptxas_v.txt.\n" in text
    assert json.loads(run("scan", *both, "--format", "json").stdout)["spill_logs"] == both[1:]
    alone = run("scan", both[1], columns=200).stdout
    assert "Spills: bytes that a thread stores / loads in local memory.\n" in alone, (
        "where there is nothing else to read"
    )


def test_a_best_size_is_no_end_of_advice(tmp_path: Path) -> None:
    """40 registers: 768 threads are the best size, at 75 %, and 32 give 100 % with another one."""
    log = tmp_path / "log"
    log.write_text("Compiling entry function 'k' for 'sm_90'\nptxas info : Used 40 registers\n")
    (row,) = scan(log)
    assert (row["threads"], row["threads_from"], row["occupancy"]) == (768, "best", 0.75)
    assert row["next_step"] == {
        "active_blocks": 8,
        "occupancy": 1.0,
        "requires": {"regs": 32, "threads": 256},
    }


def test_what_spills_on_several_architectures_is_one_name_and_gets_no_next_step(tmp_path: Path) -> None:
    log = tmp_path / "log"
    entry = (
        "ptxas info : Compiling entry function '{0}' for '{1}'\n"
        "ptxas info : Function properties for {0}\n"
        "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
        "ptxas info : Used 72 registers\n"
    )
    archs = ("sm_80", "sm_90")
    log.write_text("".join(entry.format(f"k{n}", arch) for n in range(40) for arch in archs))
    text = run("scan", str(log), "--spilling", columns=120).stdout
    assert text.startswith("80 kernels of 40 names; 80 below 50%, 80 spilling (40 names).\n")
    assert "Next step" not in text
    assert "--all shows all 80, --limit N so many; --arch sm_90 only its 40; --format csv has all" in text
    assert "Next step" in run("scan", str(log), "--below", "50", columns=100).stdout
    overview = json.loads(run("scan", str(log), "--format", "json").stdout)["overview"]
    assert overview["spilling_functions"] == 40


def test_a_usual_size_with_less_than_the_best_is_named(tmp_path: Path) -> None:
    """36 KiB of shared memory: 4 blocks on an SM of 8.0, and 6 on one of 9.0, of whatever size."""
    log = tmp_path / "log"
    entry = "Compiling entry function '{}' for '{}'\nptxas info : Used {} registers, {} bytes smem\n"
    wanted = (("k", "sm_80", 22, 36864), ("k", "sm_90", 22, 36864), ("q", "sm_80", 40, 0))
    log.write_text("".join(entry.format(*each) for each in wanted))
    found = [(row["usual_threads"], row["usual_occupancy"]) for row in scan(log)]
    assert found == [(256, 0.5), (256, 0.75), (256, 0.75)]
    text = run("scan", str(log), columns=100).stdout
    assert re.search("  Threads  Occ. +At 256  Limited by", text)
    found = re.findall(r"(sm_\d+) .* best  100%  +(\d+% \w+) ", text)
    assert found == [("sm_80", "50% shared"), ("sm_90", "75% shared")]
    assert "\nAt 256: the occupancy at the usual 256 threads, where it is less, and what limits it.\n" in text
    assert "100% at 256 threads: regs 40 -> 32" in text
    stated = scan(log, "--threads", "512")
    assert {(row["usual_threads"], row["usual_occupancy"]) for row in stated} == {(None, None)}
    assert "At 256" not in run("scan", str(log), "--threads", "512").stdout
    for number in range(5):
        with log.open("a") as more:
            more.write(entry.format(f"k{number}", "sm_80", 22, 36864))
    low = " ".join(run("scan", str(log), "--below", "60").stdout.split())
    assert "6 more are as low at the usual 256 threads: --threads 256 shows which." in low
    assert "as low" not in run("scan", str(log), "--below", "60", "--threads", "256").stdout


def test_tuned_kernels_of_libraries_get_no_advice(samples: Path) -> None:
    rows = scan(samples / "pytorch_trace.json")
    tuned = [row for row in rows if row["name"].startswith(("cudnn", "nvjet"))]
    assert [row["next_step"] for row in tuned] == [None, None]
    assert all(any("can be right there" in note for note in row["notes"]) for row in tuned)
    assert any(row["next_step"] for row in rows)


def test_traces_beside_other_files_stand_in_a_table_of_their_own(samples: Path) -> None:
    """Each in its order, which one table would hide."""
    files = [str(samples / name) for name in ("pytorch_trace.json", "ncu.ncu-rep")]
    text = run("scan", *files, columns=100).stdout
    first, second = text.partition("\npytorch_trace.json, longest first\n")[::2]
    assert first.startswith("ncu.ncu-rep, lowest occupancy first\n")
    assert "  Share  " not in first
    assert "Achieved" not in second.partition("Occ. is theoretical")[0]
    assert "Read from" not in text
    assert "13 launches for sm_90; 5 below 50%, " in text
    assert "longest first" not in run("scan", *files, "--sort", "regs").stdout
    assert "2 shown, lowest occupancy first" in run("scan", *files, "--limit", "2").stdout


@pytest.mark.parametrize("command", ["scan", "diff", "check"])
def test_who_forgets_the_dash_after_a_pipe_is_told_of_it(command: str) -> None:
    done = run(command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert re.search(
        r"^Error: Missing argument '\S+'\. `-` reads standard input\.", done.stderr, re.MULTILINE
    )
