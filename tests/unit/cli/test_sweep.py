"""``occupancy sweep``."""

import json
from functools import partial
from itertools import product

import pytest

import occupancy
from tests.cli_runner import as_csv, as_json, run

rows = partial(as_csv, "sweep")


class TestRows:
    def test_gpus_and_carveouts_vary_too(self) -> None:
        found = rows("--cc", "7.0,sm_90", "-t", "128", "--smem", "20k", "--carveout", "0:100:50,max,64k")
        varied = product(("7.0", "9.0"), ("0", "50", "100", "max", "64k"))
        assert [(row["cc"], row["carveout"]) for row in found] == list(varied)
        for row in found:
            text = row["carveout"]
            carveout = int(text) if text.isdecimal() else text
            expected = occupancy.compute(row["cc"], threads=128, smem=20480, carveout=carveout)
            assert int(row["active_blocks"]) == expected.active_blocks

    @pytest.mark.parametrize(
        "arguments",
        [
            ("--cc", "9.0", "-t", "64,128"),
            ("--gpu", "H100,A100", "-t", "64", "-s", "1k", "--carveout", "50"),
            ("--cc", "9.0", "-t", "16x16,64", "--barriers", "1:3", "--no-opt-in", "--static-smem", "1k"),
        ],
        ids=" ".join,
    )
    def test_the_columns_do_not_depend_on_the_options(self, arguments: tuple[str, ...]) -> None:
        found = rows(*arguments)
        assert list(found[0]) == list(rows("--cc", "9.0", "-t", "64,128")[0])
        whole = as_json("sweep", *arguments)
        assert list(whole["results"][0]) == list(found[0])
        assert len(whole["results"]) == len(found)
        assert whole["inputs"]["threads"]
        lines = run("sweep", *arguments, "--format", "jsonl").stdout.splitlines()
        assert [json.loads(line) for line in lines] == whole["results"]

    def test_shapes_of_blocks_and_limits_of_ones_own(self) -> None:
        found = rows("--cc", "9.0", "--threads", "16x16,1x1x128", "--set", "max_blocks_per_multiprocessor=4")
        assert [(row["threads"], row["active_blocks"]) for row in found] == [("16x16", "4"), ("1x1x128", "0")]

    def test_the_curves_if_nothing_varies(self) -> None:
        found = rows("--cc", "7.0", "--threads", "128", "--regs", "37")
        assert [row["active_blocks"] for row in found if row["regs"] == "40"] == ["12"]


@pytest.mark.parametrize(("arguments", "message"), [
    (("-t", "32,64", "-r", "1,2", "-s", "1,2", "-o", "x.png"), "3 inputs vary (threads, regs, smem)"),
    (("--threads", "64:32"), "--threads: the range '64:32' is empty"),
    (("--threads", "0:64:32"), "--threads: 0 is out of range"),
    (("--threads", "32", "--regs", "250:256"), "--regs: 256 is out of range"),
    (("--threads", "32", "--carveout", "0:200:50"), "--carveout: "),
    (("--threads", "32", "--smem", "32k,16,384"), "--smem: '16,384' can be one size or several"),
    (("--threads", "1:1024", "--smem", "0:99999"), "102,400,000 combinations are too many. Allowed:"),
    (("--threads", "32", "-o", "chart"), "--output: 'chart' does not end in a known format"),
    (("--threads", "32,64", "--mark", "32"), "--mark needs a picture"),
    (("--threads", "32", "-o", "x.png", "--mark", "32"), "--mark: these curves mark the kernel's own"),
])  # fmt: skip
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    done = run("sweep", "--cc", "9.0", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Error: {message}" in done.stderr
