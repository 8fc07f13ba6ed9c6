"""Names from nvcc 13.0.88; expected results from `c++filt` and the ABI."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from occupancy.builds import names

# In a file a.cu; the first hash is of its path.
UNNAMED = "_ZN36_GLOBAL__N__9e609c31_4_a_cu_f763c0354anonEPf"
UNNAMED_ELSEWHERE = "_ZN36_GLOBAL__N__bf52febb_4_a_cu_f763c0354anonEPf"
# The same, static and with -rdc=true.
STATIC = "__nv_static_25__9e609c31_4_a_cu_f763c035__Z4statPf"
STATIC_UNNAMED = f"__nv_static_25__9e609c31_4_a_cu_f763c035_{UNNAMED}"
TRANSFORM = (
    "_ZN3cub21CUB_300001_SM_800_9006detail9transform16transform_kernelINS2_10policy_hubILb0EN4cuda3std3__4"
    "5tupleIJN6thrust27THRUST_300001_SM_800_900_NS6detail15normal_iteratorEEEEEEEvT_"
)


@pytest.mark.parametrize(("name", "base"), [
    ("_Z4statPf", "stat"), ("_ZL4statPf", "stat"), ("_Z2avIL2E11EEvv", "av"),
    ("_Z3lamIZ4hostPfEUlvE_EvT_", "lam"), ("_Z3varIJifPfEEvDpT_", "var"),
    ("_ZN2ns1kIfLi3EEEvPT_", "ns::k"), ("_ZN2ns2v22kkEi", "ns::v2::kk"), (UNNAMED, "anon"),
    ("_ZN2v236_GLOBAL__N__9e609c31_4_a_cu_f763c0354anonEPf", "v2::anon"),
    ("_ZN12_GLOBAL__N_14anonEPf", "anon"), (STATIC, "stat"), (STATIC_UNNAMED, "anon"),
    (TRANSFORM, "cub::detail::transform::transform_kernel"), ("cname", "cname"),
    ("triton_poi_fused_add_0", "triton_poi_fused_add_0"),
    ("void at::native::(anonymous namespace)::fill<4, int>(int, float)", "at::native::fill"),
    ("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"),
    # Damaged names, and other text.
    ("_ZN9", "_ZN9"), ("_Z", "_Z"), ("__nv_static_99__x", "__nv_static_99__x"), ("<", "<"), ("", ""),
])  # fmt: skip
def test_base_name(name: str, base: str) -> None:
    assert names.base_name(name) == base


def test_the_place_of_a_build_is_no_part_of_the_stable_name() -> None:
    assert UNNAMED != UNNAMED_ELSEWHERE
    assert {*map(names.stable_name, (UNNAMED, UNNAMED_ELSEWHERE))} == {"_ZN15_GLOBAL__N_a_cu4anonEPf"}
    assert names.stable_name(STATIC) == "_Z4statPf"
    assert names.stable_name(STATIC_UNNAMED) == names.stable_name(UNNAMED)


def test_the_version_of_a_library_and_the_architectures_are_no_part_of_it() -> None:
    other = TRANSFORM.replace("21CUB_300001_SM_800_900", "17CUB_300103_SM_900")
    other = other.replace("27THRUST_300001_SM_800_900_NS", "23THRUST_300103_SM_900_NS")
    assert other != TRANSFORM
    assert names.stable_name(other) == names.stable_name(TRANSFORM)
    assert names.stable_name("_ZN6_V_3_71kEv") == names.stable_name("_ZN6_V_3_81kEv") != "_ZN6_V_3_71kEv"


HISTOGRAM = "_ZN3img9histogramILi64ELb1EEEvPfi"
MATCHING = "*", "histogram", "hist*", "img::histogram", "img::*", "?mg::*", HISTOGRAM
OTHERS = "hist", "Histogram", "img", "img::histogram<64>", "[img]*", "", "h?gram"


@pytest.mark.parametrize("pattern", [*MATCHING, *OTHERS])
def test_a_pattern_matches_one_of_the_names_as_a_whole(pattern: str) -> None:
    assert names.matches(pattern, HISTOGRAM) == (pattern in MATCHING)


@given(st.text("ab*?[", max_size=8), st.text("ab?[\n", max_size=10))
@example("a*a", "a")
@example("*a*", "\n")
def test_a_pattern_is_that_of_the_regular_expression(text: str, name: str) -> None:
    expression = re.escape(text).replace(r"\*", ".*").replace(r"\?", ".")
    assert bool(names.pattern(text).match(name)) == bool(re.fullmatch(expression, name, re.DOTALL))


def test_parts_of_names() -> None:
    assert names.contains(("HISTO",), HISTOGRAM)
    assert names.contains(("img...ogram",), HISTOGRAM)
    assert not names.contains(("blur", "img::x"), HISTOGRAM)


def test_short_names_and_signatures() -> None:
    pytest.importorskip("demangle", reason="needs Python 3.11")
    short = {HISTOGRAM: "img::histogram<64, true>", "_ZN2ns1AIiE3runILi3EEEvv": "ns::A<int>::run<3>"}
    assert {name: names.short_name(name) for name in short} == short
    assert list(map(names.template_name, short)) == ["img::histogram", "ns::A::run"]
    overloads = {"void blur<3>(float*)": "blur<3>(float*)", "void blur<3>(int)": "blur<3>(int)"}
    alone = {"k(int)": "k", "k(char)": "k"}  # one for each architecture
    archs = zip([*overloads, *alone], ["sm_80", "sm_80", "sm_80", "sm_90"], strict=True)
    assert names.short_names(archs) == overloads | alone
    assert names.matches("void img::histogram<64, true>(float*, int)", HISTOGRAM)
    assert all(
        names.matches(each, HISTOGRAM) for each in ("*<64,*", "img::histogram<64,true>", "*( float *,int)")
    )
    assert names.contains(("gram<64,t",), HISTOGRAM)
    spellings = ("_Z4blurILi16EEvPKf", "void blur<(int)16>(const float *)", "blur<16>(float const*)")
    assert len({names.signature(each) for each in spellings}) == 1
    assert {names.unparametrized(each) for each in spellings} == {"blur<16>"}


def test_a_name_in_thousands_of_units_is_read_in_a_loop() -> None:
    unit = "__nv_static_25__9e609c31_4_a_cu_f763c035_"
    assert [names.stable_name(unit * 600 + end) for end in ("k", "")] == ["k", ""]
    assert names.stable_name(unit * 2 + "__nv_static_25_rest") == "__nv_static_25_rest"
    assert names.stable_name("__nv_static_24__54ad9792_4_z_cu__Z2x2Pf__Z2stPf") == "_Z2stPf", (
        "a symbol for a hash"
    )
