"""Names as nvcc 13.0.88 made them; `c++filt` and the ABI say what they mean."""

from __future__ import annotations

import pytest

from occupancy.builds.kernel_names import Names, base_name, stable_name

# In a file a.cu; the first hash is that of its path.
UNNAMED = "_ZN36_GLOBAL__N__9e609c31_4_a_cu_f763c0354anonEPf"
UNNAMED_ELSEWHERE = "_ZN36_GLOBAL__N__bf52febb_4_a_cu_f763c0354anonEPf"
# The same, static and with -rdc=true.
STATIC = "__nv_static_25__9e609c31_4_a_cu_f763c035__Z4statPf"
STATIC_UNNAMED = f"__nv_static_25__9e609c31_4_a_cu_f763c035_{UNNAMED}"
TRANSFORM = (
    "_ZN3cub21CUB_300001_SM_800_9006detail9transform16transform_kernelINS2_10policy_hubILb0EN4cuda3std3__4"
    "5tupleIJN6thrust27THRUST_300001_SM_800_900_NS6detail15normal_iteratorEEEEEEEvT_"
)


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("_Z4statPf", "stat"),
        ("_ZL4statPf", "stat"),
        ("_Z2avIL2E11EEvv", "av"),
        ("_Z3lamIZ4hostPfEUlvE_EvT_", "lam"),
        ("_Z3varIJifPfEEvDpT_", "var"),
        ("_ZN2ns1kIfLi3EEEvPT_", "ns::k"),
        ("_ZN2ns2v22kkEi", "ns::v2::kk"),
        (UNNAMED, "anon"),
        ("_ZN2v236_GLOBAL__N__9e609c31_4_a_cu_f763c0354anonEPf", "v2::anon"),
        ("_ZN12_GLOBAL__N_14anonEPf", "anon"),
        (STATIC, "stat"),
        (STATIC_UNNAMED, "anon"),
        (TRANSFORM, "cub::detail::transform::transform_kernel"),
        ("cname", "cname"),
        ("triton_poi_fused_add_0", "triton_poi_fused_add_0"),
        ("void at::native::(anonymous namespace)::fill<4, int>(int, float)", "at::native::fill"),
        ("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"),
        # Damaged, and no name at all.
        ("_ZN9", "_ZN9"),
        ("_Z", "_Z"),
        ("__nv_static_99__x", "__nv_static_99__x"),
        ("<", "<"),
        ("", ""),
    ],
)
def test_base_name(name: str, base: str) -> None:
    assert base_name(name) == base


def test_the_place_of_a_build_is_no_part_of_the_stable_name() -> None:
    assert UNNAMED != UNNAMED_ELSEWHERE
    assert stable_name(UNNAMED) == stable_name(UNNAMED_ELSEWHERE) == "_ZN15_GLOBAL__N_a_cu4anonEPf"
    assert stable_name(STATIC) == "_Z4statPf"
    assert stable_name(STATIC_UNNAMED) == stable_name(UNNAMED)


def test_the_version_of_a_library_and_the_architectures_are_no_part_of_it() -> None:
    other = TRANSFORM.replace("21CUB_300001_SM_800_900", "17CUB_300103_SM_900").replace(
        "27THRUST_300001_SM_800_900_NS", "23THRUST_300103_SM_900_NS"
    )
    assert other != TRANSFORM
    assert stable_name(other) == stable_name(TRANSFORM)


def test_files_with_kernels_of_the_same_name_stay_apart() -> None:
    assert stable_name(UNNAMED) != stable_name(UNNAMED.replace("36_", "37_").replace("4_a_cu", "5_b2_cu"))


@pytest.mark.parametrize("name", ["_ZN3img4blurEPf", "_Z12sgemm_GLOBALPf", "cname", "_ZN5CUB_x3fooEv", ""])
def test_other_names_are_stable_already(name: str) -> None:
    assert stable_name(name) == name


@pytest.mark.parametrize("name", [UNNAMED, STATIC, TRANSFORM, "cname"])
def test_a_stable_name_is_stable(name: str) -> None:
    assert stable_name(stable_name(name)) == stable_name(name)


READABLE = {"_ZN3img9histogramILi64ELb1EEEvPfi": "void img::histogram<64, true>(float*, int)"}


@pytest.mark.parametrize(
    "pattern",
    [
        "*", "histogram", "hist*", "img::histogram", "img::*", "img::histogram<64, true>*", "*<64*", "?mg::*",
        "img::histogram<64, true>", "img::histogram<64, true>(float*, int)",
        "_ZN3img9histogramILi64ELb1EEEvPfi", "*(float*, int)",
    ],
)  # fmt: skip
def test_a_pattern_matches_any_of_the_names_as_a_whole(pattern: str) -> None:
    names = Names("_ZN3img9histogramILi64ELb1EEEvPfi", READABLE.__getitem__)
    assert names.match(pattern)


def test_brackets_in_a_pattern_are_those_of_an_array() -> None:
    names = Names("_Z4fillPA4_f", lambda _: "fill(float (*) [4])")
    assert names.match("fill(float * [4])")
    assert not names.match("fil[l]*")


@pytest.mark.parametrize(
    "pattern", ["hist", "Histogram", "img", "img::histogram<64>", "[img]*", "", "h?gram"]
)
def test_a_part_of_a_name_is_not_enough(pattern: str) -> None:
    assert not Names("_ZN3img9histogramILi64ELb1EEEvPfi", READABLE.__getitem__).match(pattern)


def test_a_name_is_made_readable_only_where_a_pattern_asks_for_it() -> None:
    def refuse(name: str) -> str:
        raise AssertionError(name)

    assert Names("_ZN3img4blurEPf", refuse).match("*")
    assert Names("_ZN3img4blurEPf", refuse).match("blur")


def test_a_name_in_thousands_of_units_is_read_in_a_loop() -> None:
    unit = "__nv_static_25__9e609c31_4_a_cu_f763c035_"
    assert stable_name(unit * 600 + "k") == "k"
    assert stable_name(unit * 600) == ""
    assert stable_name(unit * 2 + "__nv_static_25_rest") == "__nv_static_25_rest"
