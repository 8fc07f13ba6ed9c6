"""The list of GPUs, and the search in it."""

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy import ComputeCapability
from occupancy.api.occupancy import multiprocessors
from occupancy.errors import InputError, OccupancyError
from occupancy.tables import shipped
from occupancy.tables.gpus import WELL_KNOWN, Gpu, all_gpus, find_gpu, find_gpus, gpu, gpus_matching, runs_on
from occupancy.tables.products import FILE_NAME
from occupancy.values.kernel import Kernel

PATH = Path(shipped.data_path(FILE_NAME))
LARGEST_SM_COUNT = 224
MARKETS = {"datacenter", "workstation", "geforce", "laptop", "jetson", "automotive", "mining"}


class TestList:
    def test_file_is_well_formed(self) -> None:
        text = PATH.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert "\r" not in text
        header, *rows = csv.reader(text.splitlines())
        assert len(rows) > 900
        assert {len(row) for row in rows} == {len(header)}
        assert [cell for row in rows for cell in row if cell != cell.strip()] == []
        sources = [dict(zip(header, row, strict=True)) for row in rows]
        assert {row["known_from"] for row in sources} == {"hardware", "two lists", "one list", "inferred"}
        assert {row["known_from"] for row in sources if row["l2_cache_bytes"]} == {"hardware"}

    def test_no_two_names_are_the_same_but_for_spelling_and_a_die_has_one_compute_capability(self) -> None:
        spelt = Counter(re.sub(r"[\W_]|geforce|nvidia", "", each.label.lower()) for each in all_gpus())
        assert [name for name, count in spelt.items() if count > 1] == []
        ccs = Counter(die for die, _ in {(each.die, each.cc) for each in all_gpus()})
        assert [die for die, count in ccs.items() if count > 1] == []

    def test_values_make_sense(self) -> None:
        known = set(shipped.known())
        for each in all_gpus():
            assert each.limits.compute_capability in known, each
            assert 1 <= (each.multiprocessor_count or 0) <= LARGEST_SM_COUNT, each
            assert each.market in MARKETS, each
            assert each.die
            assert each.memory_gb is None or 0.1 <= each.memory_gb <= 300, each

    def test_each_compute_capability_has_a_product_by_which_it_is_known(self) -> None:
        without = {str(cc) for cc in shipped.known()} - {each.cc for each in all_gpus()}
        assert without == {"8.8", "10.1"}  # no GPU named by NVIDIA; the old name of 11.0
        assert {cc: find_gpu(name).cc for cc, name in WELL_KNOWN.items()} == {cc: cc for cc in WELL_KNOWN}
        assert all(name.replace(" ", "").isalnum() for name in WELL_KNOWN.values())

    def test_every_gpu_is_found_by_its_name(self) -> None:
        for each in all_gpus():
            wanted = (each.cc, each.multiprocessor_count)
            assert found_by(f"{each.label} {each.die}")[:2] == wanted
            found = found_by(each.label)
            # Or the name was sold with different dies.
            listed = [re.split("  +", str(line))[:3] for line in found]
            assert found[:2] == wanted or [each.label, each.cc, each.die] in listed


class TestFind:
    @pytest.mark.parametrize(("name", "found", "cc", "multiprocessor_count"), [
        ("RTX 4090", "GeForce RTX 4090", "8.9", 128), ("rtx4090", "GeForce RTX 4090", "8.9", 128),
        ("rtx-4090", "GeForce RTX 4090", "8.9", 128), (" 4090 ", "GeForce RTX 4090", "8.9", 128),
        ("NVIDIA GeForce RTX 4090", "GeForce RTX 4090", "8.9", 128),
        ("RTX 4090 D", "GeForce RTX 4090 D", "8.9", 114),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "GeForce RTX 4090 Laptop", "8.9", 76),
        ("h100-sxm", "H100 SXM5", "9.0", 132),
        ("NVIDIA H100 80GB HBM3", "H100 SXM5 80 GB", "9.0", 132),
        ("NVIDIA H100 PCIe", "H100 PCIe 80 GB", "9.0", 114), ("H200", "H200", "9.0", 132),
        ("GH200", "GH200", "9.0", 132), ("B300", "B300", "10.3", 148),
        ("GB300", "GB300", "10.3", 152), ("A6000", "RTX A6000", "8.6", 84),
        ("RTX A6000", "RTX A6000", "8.6", 84), ("Quadro RTX A6000", "RTX A6000", "8.6", 84),
        ("Quadro RTX 6000", "Quadro RTX 6000", "7.5", 72),
        ("RTX 6000 Ada", "RTX 6000 Ada Generation", "8.9", 142),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTX PRO 6000 Blackwell", "12.0", 188),
        ("A10", "A10 PCIe", "8.6", 72), ("A10G", "A10G", "8.6", 72), ("A100", "A100", "8.0", 108),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM4 80 GB", "8.0", 108),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB", "8.0", 108),
        ("Tesla V100-SXM2-16GB", "Tesla V100 SXM2 16 GB", "7.0", 80), ("T4", "Tesla T4", "7.5", 40),
        ("MX450", "GeForce MX450", "7.5", 14), ("mx 450", "GeForce MX450", "7.5", 14),
        ("RTX 2050", "GeForce RTX 2050", "8.6", 16),
        ("GeForce GTX 1060 with Max-Q Design", "GeForce GTX 1060 Max-Q", "6.1", 10),
        ("1080ti", "GeForce GTX 1080 Ti", "6.1", 28), ("3060ti", "GeForce RTX 3060 Ti", "8.6", 38),
        ("TITAN Xp", "TITAN Xp", "6.1", 30), ("GP100", "Quadro GP100", "6.0", 56),
        ("GT 730 GK208", "GeForce GT 730 GK208", "3.5", 2),
        ("GT 730 GF108", "GeForce GT 730 GF108", "2.1", 2), ("Jetson Nano", "Jetson Nano", "5.3", 1),
        ("jetson xavier nx", "Jetson Xavier NX", "7.2", 6),
        ("AGX Orin 64GB", "Jetson AGX Orin 64 GB", "8.7", 16),
        ("Jetson Thor", "Jetson T5000", "11.0", 20), ("DGX Spark", "GB10", "12.1", 48),
    ])  # fmt: skip
    def test_one(self, name: str, found: str, cc: str, multiprocessor_count: int) -> None:
        one = gpu(name)
        assert (one.name, one.cc, one.multiprocessor_count) == (found, cc, multiprocessor_count)

    @pytest.mark.parametrize(
        ("name", "choices"),
        [
            ("H100", ["H100 PCIe 80 GB 9.0 GH100 114 SMs", "H100 SXM5 80 GB 9.0 GH100 132 SMs"]),
            ("RTX 3060", ["GeForce RTX 3060 12 GB 8.6 ", "GeForce RTX 3060 Ti 8.6 "]),
            ("RTX 6000", ["Quadro RTX 6000 7.5", "RTX 6000 Ada Generation 8.9"]),
            ("6000", ["Quadro 6000 2.0", "Quadro RTX 6000 7.5"]),
            ("GTX 1060", ["GeForce GTX 1060 3 GB 6.1 GP106 9 SMs", "GeForce GTX 1060 6 GB "]),
            ("Titan X", ["GeForce GTX TITAN X 5.2", "TITAN X Pascal 6.1"]),
            ("GT 730", ["GeForce GT 730 GF108 2.1", "GeForce GT 730 GK208 3.5"]),
            ("GT 630", ["GeForce GT 630 Rev. 1 2.1", "GeForce GT 630 Rev. 2 3.5"]),
            ("Jetson AGX Orin", ["Jetson AGX Orin 32 GB 8.7 GA10B 14 SMs", "Jetson AGX Orin 64 GB "]),
            ("NVIDIA GeForce RTX 3050 Laptop GPU", ["16 SMs", "20 SMs"]),
            ("jetson", ["matches 17 GPUs"]),
        ],
    )
    def test_an_unclear_name_lists_the_candidates(self, name: str, choices: list[str]) -> None:
        with pytest.raises(InputError, match="matches") as caught:
            multiprocessors(gpu(name), None)
        text = re.sub(" +", " ", str(caught.value))
        for choice in choices:
            assert choice in text
        for choice in caught.value.choices:
            assert gpu(choice).label == choice
        assert "`--" not in caught.value.hint

    def test_variants_of_one_compute_capability_are_one_gpu_without_a_number_of_sms(self) -> None:
        (found,) = find_gpus("H100")
        assert (found.name, found.cc, found.multiprocessor_count) == ("H100", "9.0", None)
        assert {each.multiprocessor_count for each in found.variants} == {114, 132}

    @pytest.mark.parametrize(("name", "hint"), [
        ("RTX 9090", "GeForce RTX 4090"), ("RTX 4O90", "GeForce RTX 4090"), ("H10", "H100"), ("hoper", "hopper"),
        ("GTX 5090", "GeForce RTX 5090 "), ("RTX 5", "run `occupancy.gpus('RTX 5')`"), ("NVIDIA", "all GPUs"),
        ("Radeon RX 7900", ""), ("-", ""), ("x" * 10_000, ""), ("1 " * 100_000, ""),
        ("9", "Did you mean 9.0?"), ("12", "Did you mean 12.0 or 12.1?"), ("RTX 4900", ":\n  GeForce RTX 4090 "),
    ])  # fmt: skip
    def test_an_unknown_name(self, name: str, hint: str) -> None:
        with pytest.raises(InputError) as caught:
            gpu(name)
        assert hint in str(caught.value)
        assert len(str(caught.value)) < 1500

    @given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))  # UTF-8 as a codec takes seconds
    def test_any_text_is_found_or_refused(self, name: str) -> None:
        assert found_by(name)

    @given(st.sampled_from(all_gpus()))
    def test_spelling_does_not_matter(self, one: Gpu) -> None:
        name = one.label
        for spelt in (name.upper(), name.replace(" ", "-"), name.replace(" ", ""), f"NVIDIA {name} GPU"):
            assert found_by(spelt) == found_by(name)


class TestSeveral:
    @pytest.mark.parametrize(("value", "labels"), [
        ("9.0", ["9.0"]), ((9, 0), ["9.0"]), ((12, 0), ["12.0"]), (90, ["9.0"]), ((90, 80), ["9.0", "8.0"]),
        (["9.0", (8, 9), 120], ["9.0", "8.9", "12.0"]), ("9.0, L4 ,sm_120a", ["9.0", "L4", "12.0"]),
        ("ampere", ["8.0", "8.6", "8.7", "8.8"]), ("Rubin", ["10.7"]),
        (["hopper", "ada,L4"], ["9.0", "8.9", "L4"]), (gpu("L4"), ["L4"]),
        (shipped.limits("8.9"), ["8.9"]), ([gpu("L4"), shipped.limits("8.9")], ["L4", "8.9"]),
        (shipped.limits("8.9").compute_capability, ["8.9"]), ("980", ["GeForce GTX 980"]),
        ("450", ["GeForce GTS 450"]), ("10.1", ["10.1"]), ("1060 6", ["GeForce GTX 1060"]),
        ("9.0," * 50_000, ["9.0"] * 50_000),
    ])  # fmt: skip
    def test_one_rule(self, value: object, labels: list[str]) -> None:
        assert [each.label for each in find_gpus(value)] == labels

    @pytest.mark.parametrize(
        "value", [None, 9.0, [], "", ",", b"90", ..., True, [True, 9], ["8", None], [[9]], Kernel(256), {"H100": 1}]
    )  # fmt: skip
    def test_no_gpu(self, value: object) -> None:
        with pytest.raises(InputError):
            find_gpus(value)


def test_words_match_names_markets_dies_and_memory() -> None:
    for pattern, attribute, values in (
        ("generation 6000 rtx", "name", {"RTX 6000 Ada Generation"}), ("mining", "market", {"mining"}),
        ("4080 laptop 12gb", "name", {"GeForce RTX 4080 Max-Q", "GeForce RTX 4080 Mobile"}),
        ("ga102", "die", {"GA102"}), ("sm_90", "cc", {"9.0"}), ("hopper", "cc", {"9.0"}),
    ):  # fmt: skip
        assert {getattr(each, attribute) for each in gpus_matching(pattern)} == values
    for pattern in (" ", "nvidia", "*", "[", "8.8", "10.1"):
        with pytest.raises(InputError):
            gpus_matching(pattern)
    assert not [each for each in gpus_matching("A10") if "A100" in each.label or "A10G" in each.label]


# 8.7 (Tegra) does not run code for sm_80. 10.1 is called 11.0 since CUDA 13, and is not in a family with 10.x.
RUNS_ON = {
    "sm_30": "3.0 3.5 3.7", "sm_32": "3.2", "sm_50": "5.0 5.2", "sm_53": "5.3", "sm_60": "6.0 6.1",
    "sm_62": "6.2", "sm_70": "7.0 7.5", "sm_72": "7.2", "sm_80": "8.0 8.6 8.8 8.9", "sm_87": "8.7",
    "sm_86": "8.6 8.8 8.9", "sm_90": "9.0", "sm_90a": "9.0", "sm_100": "10.0 10.3 10.7", "sm_100a": "10.0",
    "sm_100f": "10.0 10.3 10.7", "sm_103f": "10.3 10.7", "sm_101": "10.1", "sm_101f": "10.1",
    "sm_107f": "10.7", "sm_110": "11.0", "sm_110f": "11.0", "sm_120": "12.0 12.1",
    "sm_120f": "12.0 12.1", "compute_90": "9.0 10.0 10.1 10.3 10.7 11.0 12.0 12.1", "compute_90a": "9.0",
    "compute_100f": "10.0 10.3 10.7", "half": "", None: "",
}  # fmt: skip


def test_code_runs_on_later_chips_of_its_major_version_and_that_of_a_family_on_its_later_members() -> None:
    for arch, chips in RUNS_ON.items():
        expected = [each for each in chips.split() if ComputeCapability.parse(each) in shipped.known()]
        assert [str(chip) for chip in shipped.known() if runs_on(arch, chip)] == expected, arch


def test_a_gpu_in_words() -> None:
    known = str(find_gpu("H200 NVL")), str(find_gpu("H100")), str(find_gpu("9.0"))
    about = "compute capability 9.0 (Hopper)"
    assert known == (f"H200 NVL: {about}, 132 SMs", f"H100: {about}", about)


def found_by(name: str) -> tuple[Any, ...]:
    """Return the identity of a GPU by name, or the candidates in the error."""
    try:
        found = gpu(name)
    except OccupancyError as error:
        return error.choices or (error.problem.partition("'")[0],)
    return found.cc, found.multiprocessor_count, found.die
