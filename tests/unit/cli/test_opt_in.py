"""What `occupancy calc` says of a launch that takes a call before it, or that no compiler makes."""

from __future__ import annotations

import json

import pytest

import occupancy
from tests.cli_runner import run

LARGE = ("calc", "-t", "256", "-r", "32", "--dynamic-smem", "96k")
SHARED = "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304)"
CLUSTERS = "cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)"
OPT_IN = {
    "call": SHARED,
    "needed_for": "more than 48 KiB of dynamic shared memory",
    "error": "invalid argument",
    "is_made": False,
}
FIRST = 'It launches after the opt-in below; without it: "invalid argument".'


def test_the_verdict_names_the_error_that_a_launch_without_the_opt_in_gets() -> None:
    for form in ("text", "markdown"):
        text = run(*LARGE, "--gpu", "A100", "--format", form, columns=200).stdout
        assert FIRST in text
        assert SHARED in text[text.index("Next steps") :]
    assert FIRST in " ".join(str(occupancy.compute("A100", threads=256, dynamic_smem="96k")).split())
    (opt_in,) = json.loads(run(*LARGE, "--gpu", "A100", "--format", "json").stdout)["opt_ins"]
    assert opt_in == OPT_IN
    made = run(*LARGE, "--gpu", "A100", "--opt-in", columns=200).stdout
    assert "It launches. Limited" in made
    assert SHARED in made
    assert "opt-in" not in run("calc", "-t", "256", "-s", "48k", "--gpu", "A100").stdout.lower()


def test_without_the_opt_in_it_is_the_first_thing_to_do() -> None:
    text = run(*LARGE, "--gpu", "A100", "--no-opt-in", columns=200).stdout
    assert text.index(SHARED) < text.index("Next steps")
    assert text.count(SHARED) == 1


@pytest.mark.parametrize("said", [(), ("--no-opt-in",)])
def test_it_is_named_where_something_else_refuses_the_launch_too(said: tuple[str, ...]) -> None:
    asked = ("calc", "-t", "1024", "-r", "72", "--dynamic-smem", "96k", *said)
    text = run(*asked, "--gpu", "A100", columns=200).stdout
    assert "73,728 registers in one block" in text
    assert text.index(SHARED) < text.index("Next steps")
    (opt_in,) = json.loads(run(*asked, "--gpu", "A100", "--format", "json").stdout)["opt_ins"]
    assert opt_in == OPT_IN
    several = run(*asked, "--gpu", "A100,H100,RTX 2060", columns=100).stdout
    assert f'before the launch on A100 and H100, else "invalid argument":\n{SHARED}\n' in several


def test_it_is_not_named_where_it_is_no_cure() -> None:
    asked = ("calc", "--gpu", "A100", "-t", "1024", "-r", "72")
    assert "Opt-in" not in run(*asked, "--dynamic-smem", "164k").stdout
    assert "Opt-in" not in run(*asked, "--static-smem", "50k", "--dynamic-smem", "4k").stdout


def test_what_answers_without_the_opt_in_is_named_where_it_is_assumed() -> None:
    for chips in ("A100", "A100,H100"):
        text = run(*LARGE, "--gpu", chips, columns=200).stdout
        said = "at most 48 KiB needs none; --no-opt-in answers without it"
        assert said in text[text.index("Opt-in") :]
        for stated in ("--opt-in", "--no-opt-in"):
            assert "answers without it" not in run(*LARGE, stated, "--gpu", chips, columns=200).stdout
    clusters = run("calc", "-t", "256", "--cluster", "16", "--gpu", "H100 SXM", columns=200).stdout
    assert CLUSTERS in clusters
    assert "answers without it" not in clusters


def test_several_chips_are_told_once() -> None:
    text = run(*LARGE, "--gpu", "A100,H100", columns=100).stdout
    assert 'needed before the launch on A100 and H100, else "invalid argument"' in text
    assert f":\n{SHARED}\n" in text
    assert text.count(SHARED) == 1
    some = run("calc", "-t", "256", "--cluster", "16", "--gpu", "A100,H100 SXM", columns=100).stdout
    assert f"Opt-in needed before the launch on H100 SXM5:\n{CLUSTERS}\n" in some


@pytest.mark.parametrize(
    "asked",
    [
        ("--cc", "9.0"),
        ("--cc", "9.0", "--sms", "132"),
        ("--cc", "9.0", "--sms", "132", "--grid", "1024"),
        ("--gpu", "H100 SXM", "--grid", "1024"),
        ("--gpu", "H100 SXM,B200"),
        ("--gpu", "H100 SXM,B200", "--grid", "1024"),
    ],
)
def test_clusters_that_are_not_portable_say_so_on_every_chip(asked: tuple[str, ...]) -> None:
    asked = ("calc", "-t", "256", *asked, "--cluster")
    assert CLUSTERS in run(*asked, "16", columns=200).stdout
    assert CLUSTERS in run(*asked, "16", "--format", "json").stdout
    assert "NonPortable" not in run(*asked, "8", columns=200).stdout


def test_too_much_static_shared_memory_does_not_compile() -> None:
    asked = ("calc", "-t", "256", "--static-smem", "96k")
    for chips in ("A100", "A100,H100"):
        text = run(*asked, "--gpu", chips, columns=200).stdout
        assert "It launches" not in text
        assert text.count("ompile") == 2  # the verdict, and who refuses
        assert text.index("Does not compile:") < text.index("Limited by")
        codes = (run(*asked, "--gpu", chips).exit_code, run(*asked, "--gpu", chips, "--exit-code").exit_code)
        assert codes == (0, 1)
    both = run(*asked, "--dynamic-smem", "4k", "--gpu", "A100").stdout
    assert "Opt-in" not in both  # of 4096 bytes of dynamic memory it would be no hint
    answer = json.loads(run(*asked, "--gpu", "A100", "--format", "json").stdout)
    assert answer["launchable"]
    assert answer["refused_by_compiler"] in answer["notes"]


def test_a_cluster_that_no_chip_has_is_told_before_a_grid_that_it_does_not_divide() -> None:
    asked = ("calc", "-t", "256", "--gpu", "H100 SXM", "--grid", "1000", "--cluster")
    assert "32 blocks per cluster are out of range" in run(*asked, "32").stderr
    refused = run(*asked, "16").stderr
    assert "of 16, and CUDA refuses such a launch. The nearest that are: 992 and 1,008.\n" in refused
    with pytest.raises(occupancy.InputError) as error:  # the same
        occupancy.compute("H100 SXM", threads=256).waves(1000, cluster=16)
    assert refused == f"Error: --{error.value}\n"


def test_a_chip_in_the_place_of_a_command() -> None:
    assert "A chip is given as: occupancy calc --gpu h100 ..." in run("h100", "192", "72").stderr
    assert "A chip is given as: occupancy calc --cc 9.0 ..." in run("9.0").stderr
    assert "A chip" not in run("nothing-like-it").stderr


def test_a_budget_of_several_chips_names_the_opt_in_where_what_all_allow_needs_it() -> None:
    asked = ("budget", "--gpu", "A100,H100", "-t", "256", "--blocks")
    small, large = (run(*asked, blocks, columns=100).stdout for blocks in ("4", "2"))
    assert "40 KiB of shared memory per block on all" in small  # of which 56 KiB on the H100 alone is no part
    assert "opt-in" not in small.lower()
    assert "MaxDynamicSharedMemorySize, 82944)" in large
    chips = json.loads(run(*asked, "4", "--format", "json").stdout)["chips"]
    assert [chip["wanted"]["needs_opt_in"] for chip in chips] == [False, True]


def test_a_refusal_names_the_chip_as_it_was_asked_for() -> None:
    for chips in ("A100", "A100,H100"):
        asked = ("--gpu", chips, "-t", "512", "--blocks", "4")
        assert "cannot be resident on A100;" in run("budget", *asked, "-r", "64").stderr
    assert "may have on A100" in run("bounds", "--gpu", "A100", "-t", "1025").stderr
    with pytest.raises(occupancy.InputError, match="on A100"):
        occupancy.budget("A100", threads=256, blocks=9)
    with pytest.raises(occupancy.InputError, match=r"on 8\.0"):
        occupancy.budget("8.0", threads=256, blocks=9)
