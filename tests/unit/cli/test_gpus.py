"""The commands limits, gpus, device and verify."""

import json

import pytest

from occupancy import compute_capabilities
from tests.cli_runner import as_csv, as_json, run
from tests.recorded import FEW, installed, recorded_tape

KERNEL = ("--threads", "256", "--regs", "32")


class TestLists:
    def test_the_overview_has_a_row_for_each_compute_capability(self) -> None:
        every = [str(cc) for cc in compute_capabilities()]
        lines = run("limits", "--all", columns=80).stdout.splitlines()
        assert [line.split()[0] for line in lines[3:]] == every
        assert [row["cc"] for row in as_csv("limits", "--all")] == every
        newer = [str(cc) for cc in compute_capabilities() if cc >= (7, 5)]
        assert [line.split()[0] for line in run("limits").stdout.splitlines()[3:]] == newer
        assert max(map(len, lines)) <= 80
        assert {"Threads", "Warps", "Blocks", "Registers"} <= set(lines[2].split())

    def test_sources(self) -> None:
        assert "Disputed" in run("limits", "12.0", "--sources", columns=100).stdout
        printed = as_json("limits", "12.0", "--sources")
        values = {row["limit"]: row for row in printed["limits"]}
        blocks = values["max_blocks_per_multiprocessor"]
        assert (blocks["value"], blocks["disputes"][0].startswith("32 in ")) == (24, True)
        assert set(blocks["sources"]) <= set(printed["sources"])
        rows = as_csv("limits", "--all", "--sources")
        assert len(rows) == len(compute_capabilities()) * len(values)
        assert all(row["sources"] for row in rows)

    def test_the_highest_come_first_and_the_others_with_all(self) -> None:
        newest = run("gpus").stdout.splitlines()
        assert newest[0] == "First 30 of 955 GPUs, highest compute capability first (--all lists every GPU)"
        assert len(newest) == 33
        assert len(run("gpus", "--all").stdout.splitlines()) == 958
        assert len(as_json("gpus")["gpus"]) == 30


@pytest.fixture
def few(h200: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("occupancy.device.verification.QUICK", FEW)


class TestDevice:
    def test_each_limit_with_its_source(self, h200: None) -> None:
        lines = run("device", columns=100).stdout.splitlines()
        assert lines[0] == "GPU 0: NVIDIA H200, compute capability 9.0"
        assert lines[1] == "132 SMs, driver 580.159.04 (CUDA 13.0), MIG off"
        shown = {line[:34].strip(): line.split()[-1] for line in lines[4:]}
        assert (shown["Blocks per SM"], shown["Register allocation unit"]) == ("driver", "table")
        assert as_csv("device")[0]["name"] == "NVIDIA H200"

    @pytest.mark.parametrize("arguments", [("device",), ("verify",), ("calc", *KERNEL, "--device", "0")])
    def test_without_a_gpu(self, arguments: tuple[str, ...]) -> None:
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "pip install 'cuda-bindings" in result.stderr


def test_calc_on_this_machine(h200: None) -> None:
    result = run("calc", *KERNEL, "--grid", "4096")
    assert "NVIDIA H200" in result.stderr
    assert "in 3.88 waves of 1,056: last wave 87.9% full, " in result.stdout

    def clusters(*arguments: str) -> tuple[int, int, bool]:
        kernel = ("--threads", "1024", "--regs", "32", "--cluster", "16")
        found = as_json("calc", *kernel, *arguments)["gpus"][0]["clusters"]
        return found["clusters"], found["blocks"], found["is_upper_bound"]

    assert clusters("--device", "0") == (14, 224, False), "counted on this machine, and bounded elsewhere"
    assert clusters("--gpu", "H200") == (16, 256, True)
    assert clusters("--device", "0", "--sms", "66")[2]
    (part,) = as_json("calc", "--gpu", "H200", "--threads", "64", "--sms", "66")["gpus"]
    assert part["multiprocessor_count"] == 66


def test_verify_finds_a_difference(few: None) -> None:
    tape = recorded_tape()
    tape.answers["cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, cuDeviceGet(0))"][1] = 64
    with installed(tape):
        done = run("verify", "--quick")
    assert (done.exit_code, "warp_size" in done.stdout) == (1, True)
    assert "Please report it" in " ".join(done.stdout.split())


@pytest.mark.parametrize("columns", [60, 120])
@pytest.mark.parametrize("command", ["limits 9.0 --sources", "device", "verify --quick"])
def test_screens_fit(command: str, columns: int, few: None) -> None:
    lines = run(*command.split(), columns=columns).stdout.splitlines()
    assert all(len(line) <= columns or len(line.split()) == 1 for line in lines), "one word can be longer"
    assert "--sources" not in command or any("compute-capabilities.html," in each for each in lines)
    assert run(*command.split(), "--format", "markdown").stdout.startswith("**")


@pytest.mark.parametrize(("schema", "command"), [
    ("limits", "limits"), ("sources", "limits 9.0 --sources"), ("gpus", "gpus"),
    ("device", "device"), ("verify", "verify --quick"),
])  # fmt: skip
def test_the_json_has_the_keys_of_its_schema(schema: str, command: str, few: None) -> None:
    described = json.loads(run("schema", schema).stdout)
    printed = as_json(*command.split())
    assert list(printed) == list(described["properties"])
    properties = described["properties"].items()
    ((rows, items),) = ((n, each["items"]) for n, each in properties if each.get("items", {}).get("required"))
    assert list(printed[rows][0]) == items["required"]
    assert all(each.get("description") for each in items["properties"].values())
