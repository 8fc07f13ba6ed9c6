"""The health of the list of products, and the search in it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import occupancy
from occupancy.errors import InputError
from occupancy.tables import shipped
from occupancy.tables.gpus import find_gpus, products_of
from occupancy.tables.products import FILE_NAME, Product, gpu, matching, products
from occupancy.tables.table import Table

PATH = Path(shipped.data_path(FILE_NAME))
LARGEST_SM_COUNT = 224


class TestList:
    def test_file_is_well_formed(self) -> None:
        text = PATH.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert "\r" not in text
        header, *rows = csv.reader(text.splitlines())
        assert len(rows) > 900
        assert {len(row) for row in rows} == {len(header)}
        assert [cell for row in rows for cell in row if cell != cell.strip()] == []

    def test_columns_are_the_fields(self) -> None:
        with PATH.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file))
        assert header == list(Product.__dataclass_fields__)

    def test_no_two_names_are_the_same_but_for_spelling(self) -> None:
        spelt = Counter(re.sub(r"[\W_]|geforce|nvidia", "", each.name.lower()) for each in products())
        assert [name for name, count in spelt.items() if count > 1] == []

    def test_values_make_sense(self) -> None:
        known = set(shipped.known())
        for each in products():
            assert each.compute_capability in known, each
            assert 1 <= each.multiprocessor_count <= LARGEST_SM_COUNT, each
            assert each.known_from in ("hardware", "two lists", "one list", "inferred"), each
            assert each.market in (
                "datacenter", "workstation", "geforce", "laptop", "jetson", "automotive", "mining",
            ), each  # fmt: skip
            assert each.chip
            assert each.memory_gb is None or 0.1 <= each.memory_gb <= 300, each
            assert each.l2_cache_bytes is None or each.known_from == "hardware", each

    def test_a_chip_has_one_compute_capability(self) -> None:
        pairs = {(each.chip, each.compute_capability) for each in products()}
        assert [chip for chip, count in Counter(chip for chip, _ in pairs).items() if count > 1] == []

    def test_every_compute_capability_with_a_product_has_one(self) -> None:
        without = {str(cc) for cc in shipped.known()} - {str(each.compute_capability) for each in products()}
        assert without == {"8.8", "10.1"}  # no product named by NVIDIA; the old name of 11.0

    def test_every_product_is_found_by_its_name(self) -> None:
        for each in products():
            wanted = (each.compute_capability, each.multiprocessor_count)
            assert _answer(f"{each.name} {each.chip}")[:2] == wanted
            answer = _answer(each.name)
            # Or it was sold under one name with different chips.
            assert answer[:2] == wanted or f"{each.name} ({each.compute_capability}, {each.chip}" in answer[0]


class TestFindGpu:
    @pytest.mark.parametrize(
        ("name", "found", "cc", "multiprocessor_count"),
        [
            ("RTX 4090", "GeForce RTX 4090", "8.9", 128),
            ("rtx4090", "GeForce RTX 4090", "8.9", 128),
            ("rtx-4090", "GeForce RTX 4090", "8.9", 128),
            (" 4090 ", "GeForce RTX 4090", "8.9", 128),
            ("NVIDIA GeForce RTX 4090", "GeForce RTX 4090", "8.9", 128),
            ("RTX 4090 D", "GeForce RTX 4090 D", "8.9", 114),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", "GeForce RTX 4090", "8.9", 76),
            ("h100-sxm", "H100 SXM5", "9.0", 132),
            ("NVIDIA H100 80GB HBM3", "H100 SXM5 80 GB", "9.0", 132),
            ("NVIDIA H100 PCIe", "H100 PCIe 80 GB", "9.0", 114),
            ("H200", "H200", "9.0", 132),
            ("GH200", "GH200", "9.0", 132),
            ("B300", "B300", "10.3", 148),
            ("GB300", "GB300", "10.3", 152),
            ("A6000", "RTX A6000", "8.6", 84),
            ("RTX A6000", "RTX A6000", "8.6", 84),
            ("Quadro RTX A6000", "RTX A6000", "8.6", 84),
            ("Quadro RTX 6000", "Quadro RTX 6000", "7.5", 72),
            ("RTX 6000 Ada", "RTX 6000 Ada Generation", "8.9", 142),
            ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTX PRO 6000 Blackwell", "12.0", 188),
            ("A10", "A10 PCIe", "8.6", 72),
            ("A10G", "A10G", "8.6", 72),
            ("A100", "A100", "8.0", 108),
            ("NVIDIA A100-SXM4-80GB", "A100 SXM4 80 GB", "8.0", 108),
            ("NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB", "8.0", 108),
            ("Tesla V100-SXM2-16GB", "Tesla V100 SXM2 16 GB", "7.0", 80),
            ("T4", "Tesla T4", "7.5", 40),
            ("MX450", "GeForce MX450", "7.5", 14),
            ("mx 450", "GeForce MX450", "7.5", 14),
            ("RTX 2050", "GeForce RTX 2050", "8.6", 16),
            ("GeForce GTX 1060 with Max-Q Design", "GeForce GTX 1060 Max-Q", "6.1", 10),
            ("1080ti", "GeForce GTX 1080 Ti", "6.1", 28),
            ("3060ti", "GeForce RTX 3060 Ti", "8.6", 38),
            ("TITAN Xp", "TITAN Xp", "6.1", 30),
            ("GP100", "Quadro GP100", "6.0", 56),
            ("GT 730 GK208", "GeForce GT 730 GK208", "3.5", 2),
            ("GT 730 GF108", "GeForce GT 730", "2.1", 2),
            ("Jetson Nano", "Jetson Nano", "5.3", 1),
            ("jetson xavier nx", "Jetson Xavier NX", "7.2", 6),
            ("AGX Orin 64GB", "Jetson AGX Orin 64 GB", "8.7", 16),
            ("Jetson Thor", "Jetson T5000", "11.0", 20),
            ("DGX Spark", "GB10", "12.1", 48),
        ],
    )
    def test_found(self, name: str, found: str, cc: str, multiprocessor_count: int) -> None:
        product = gpu(name)
        assert (product.name, str(product.compute_capability)) == (found, cc)
        assert product.multiprocessor_count == multiprocessor_count

    def test_what_variants_do_not_share_is_left_open(self) -> None:
        v100 = gpu("V100")
        assert (v100.memory_gb, v100.l2_cache_bytes, v100.known_from) == (None, None, "one list")
        assert gpu("RTX 4070").chip == "AD103, AD104"
        assert gpu("A100").market is None

    @pytest.mark.parametrize(
        ("name", "candidates"),
        [
            ("H100", ["H100 PCIe 80 GB (9.0, GH100, SMs: 114)", "H100 SXM5 80 GB (9.0, GH100, SMs: 132)"]),
            ("RTX 3060", ["GeForce RTX 3060 12 GB (", "GeForce RTX 3060 Ti ("]),
            ("RTX 6000", ["Quadro RTX 6000 (7.5", "RTX 6000 Ada Generation (8.9"]),
            ("6000", ["Quadro 6000 (2.0", "Quadro RTX 6000 (7.5"]),
            ("GTX 1060", ["GeForce GTX 1060 3 GB (6.1, GP106, SMs: 9)", "GeForce GTX 1060 6 GB ("]),
            ("Titan X", ["GeForce GTX TITAN X (5.2", "TITAN X Pascal (6.1"]),
            ("GT 730", ["GeForce GT 730 (2.1", "GeForce GT 730 GK208 (3.5"]),
            ("GT 630", ["GeForce GT 630 (2.1", "GeForce GT 630 Rev. 2 (3.5"]),
            ("Jetson AGX Orin", ["Jetson AGX Orin 32 GB (8.7, GA10B, SMs: 14)", "Jetson AGX Orin 64 GB ("]),
            ("NVIDIA GeForce RTX 3050 Laptop GPU", ["SMs: 16)", "SMs: 20)"]),
        ],
    )
    def test_products_that_differ_are_listed(self, name: str, candidates: list[str]) -> None:
        with pytest.raises(InputError, match="products that differ") as caught:
            gpu(name)
        for candidate in candidates:
            assert candidate in caught.value.allowed

    def test_a_long_list_is_cut(self) -> None:
        with pytest.raises(InputError, match="; and 5 more"):
            gpu("jetson")

    @pytest.mark.parametrize(
        ("name", "near"),
        [
            ("RTX 9090", "GeForce RTX 4090"),
            ("RTX 4099", "GeForce RTX 4090"),
            ("H10", "H100"),
            ("Radeon RX 7900", "Write it as RTX 4090 or A100 SXM4; `occupancy.gpus()` lists"),
            ("", "Write it as RTX 4090 or A100 SXM4; `occupancy.gpus()` lists"),
            ("NVIDIA", "Write it as RTX 4090 or A100 SXM4; `occupancy.gpus()` lists"),
            ("-", "Write it as RTX 4090 or A100 SXM4; `occupancy.gpus()` lists"),
            ("x" * 10_000, "Write it as RTX 4090 or A100 SXM4; `occupancy.gpus()` lists"),
        ],
    )
    def test_no_such_product(self, name: str, near: str) -> None:
        with pytest.raises(InputError, match="no product is called") as caught:
            gpu(name)
        assert near in str(caught.value)
        assert len(str(caught.value)) < 500

    def test_not_text(self) -> None:
        with pytest.raises(InputError, match="no product is called 4090"):
            gpu(4090)  # type: ignore[arg-type]

    @given(st.text(max_size=20))
    def test_any_text_is_answered_or_refused(self, name: str) -> None:
        assert _answer(name)

    @given(st.sampled_from(products()))
    def test_spelling_does_not_matter(self, product: Product) -> None:
        name = product.name
        for spelt in (name.upper(), name.replace(" ", "-"), name.replace(" ", ""), f"NVIDIA {name} GPU"):
            assert _answer(spelt) == _answer(name)


class TestMatching:
    def test_words_in_any_order(self) -> None:
        assert [each.name for each in matching("ada 6000")] == ["RTX 6000 Ada Generation"]

    def test_market_chip_and_memory_are_searched_too(self) -> None:
        assert {each.market for each in matching("mining")} == {"mining"}
        assert {each.chip for each in matching("ga102")} == {"GA102"}
        assert [each.name for each in matching("4080 laptop 12gb")] == [
            "GeForce RTX 4080 Max-Q",
            "GeForce RTX 4080 Mobile",
        ]

    @pytest.mark.parametrize("family", ["quadro", "tesla", "geforce", "gtx"])
    def test_a_whole_family(self, family: str) -> None:
        found = matching(family)
        assert len(found) > 20
        assert all(family.lower() in f"{each.name} {each.market}".lower() for each in found)

    @pytest.mark.parametrize("pattern", ["", " ", "nvidia", "*", "["])
    def test_nothing_to_look_for(self, pattern: str) -> None:
        assert matching(pattern) == ()

    def test_number_is_not_found_within_another(self) -> None:
        assert not [each for each in matching("A10") if "A100" in each.name or "A10G" in each.name]


def test_several_chips_in_one_text_say_how_python_takes_them() -> None:
    message = r"'9.0, L4' is not one chip\. Several are a list, \['9.0', 'L4'\], which compute_on_all.*"
    with pytest.raises(InputError, match=message):
        find_gpus("9.0, L4")


def test_an_architecture_of_one_product_is_that_product_unless_a_compute_capability_is_meant() -> None:
    for found in (find_gpus("Rubin", meant="product"), find_gpus("Rubin")):
        (chip,) = found
        assert (chip.name, chip.cc, chip.multiprocessor_count) == ("Rubin (VR200)", "10.7", 224)
    (alone,) = find_gpus("Rubin", meant="cc")
    assert (alone.name, alone.multiprocessor_count) == (None, None)
    (hopper,) = find_gpus("hopper", meant="product")  # of which there are many
    assert (hopper.name, hopper.cc) == (None, "9.0")


def test_python_takes_an_architecture_of_one_product_for_it_and_others_as_they_are() -> None:
    answer = occupancy.compute("rubin", threads=256)
    assert answer.waves(1000).full_wave.blocks == 4 * 224
    assert "448 clusters" in str(occupancy.max_active_clusters("Rubin", threads=256, cluster_size=2))
    assert "a grid of 224 blocks" in " ".join(str(occupancy.block_sizes("Rubin")).split())
    for name in ("hopper", "9.0", "ada", "sm_107", "10.7"):
        assert occupancy.compute(name, threads=256).chip.name is None
    assert occupancy.limits("rubin") == occupancy.limits("10.7")


def test_an_architecture_is_no_product_where_a_table_has_more_of_it(tmp_path: Path) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text('schema_version: 1\ncompute_capabilities:\n  "10.8": {like: "10.7"}\n')
    found = find_gpus("Rubin", Table(file), meant="product")
    assert [(chip.name, chip.cc) for chip in found] == [(None, "10.7"), (None, "10.8")]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("10.1", "CUDA 13.0 calls it 11.0: `occupancy gpus 11.0`."),
        ("8.8", "`occupancy limits` has what its SM offers."),
    ],
)
def test_a_compute_capability_without_products(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"no product of compute capability {name} is known") as caught:
        products_of(name)
    assert caught.value.hint == hint
    for pattern in ("", "h100"):
        with pytest.raises(InputError) as by_cc:
            occupancy.gpus(pattern, cc=name)
        assert by_cc.value.lines() == caught.value.lines()
    with pytest.raises(InputError, match=r"none of 'h100' is of compute capability 8\.9"):
        occupancy.gpus("h100", cc="8.9")


def _answer(name: str) -> tuple[Any, ...]:
    try:
        product = gpu(name)
    except InputError as error:
        return (error.allowed,)
    return (product.compute_capability, product.multiprocessor_count, product.chip)
