"""Names that are too long for a line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from occupancy.render.text.shortening import shortened, wrapped

LONG = "at::native::vectorized_elementwise_kernel<8, at::native::"
NAMES = st.text("ab<>漢字é\u0301", max_size=40)
"""Some take two columns of a terminal for a character, and an accent takes none."""


def test_what_fits_stays() -> None:
    assert shortened(["add", "add<1>"], 10) == {"add": "add", "add<1>": "add<1>"}


def test_alone_it_is_cut_at_the_end() -> None:
    assert shortened([LONG], 20) == {LONG: "at::native::vecto..."}


def test_what_tells_them_apart_is_kept() -> None:
    names = [f"{LONG}{each}, std::array<char*, 2>>" for each in ("add", "mul", "sub")]
    for width in (30, 40, 60):
        shown = shortened(names, width)
        assert len(set(shown.values())) == 3
        assert all(each in shown[name] for each, name in zip(("add", "mul", "sub"), names, strict=True))
        assert all(text.startswith("at::native::"[: width // 3]) for text in shown.values())


def test_differences_at_two_places() -> None:
    names = [f"{LONG}{one}{'x' * 60}{other}" for one in "pq" for other in "rs"]
    assert len(set(shortened(names, 50).values())) == 4


@given(st.lists(NAMES), st.integers(8, 45))
def test_never_too_long_and_only_long_ones_change(names: list[str], width: int) -> None:
    for name, text in shortened(names, width).items():
        assert cell_len(text) <= width
        assert text == name or cell_len(name) > width


@given(st.lists(NAMES, unique=True), st.integers(12, 45))
def test_different_names_look_different(names: list[str], width: int) -> None:
    shown = shortened(names, width)
    assert len(set(shown.values())) == len(names)


def test_the_words_that_differ_are_seen() -> None:
    """Names of a library, equal in their first 80 characters."""
    begin = "ImageReductionKernel<Pixel<double, 3>, BinaryImageDotProdReductionFunctor<Pixel<"
    names = [f"{begin}{one}, 4>, Pixel<double, {two}>>>" for one in ("short", "float") for two in (3, 4)]
    shown = shortened(names, 60)
    for name, text in shown.items():
        assert ("float" in text) == ("float" in name)
        assert ("...3" in text) == ("double, 3>>>" in name)


def test_namespaces_of_template_arguments_go_before_anything_is_cut() -> None:
    name = (
        "cub::detail::Sweep<cub::detail::policy<float, int>, thrust::less<float>, (anonymous namespace)::f>"
    )
    assert shortened([name], 200) == {name: name}
    assert shortened([name], 75) == {
        name: "cub::detail::Sweep<policy<float, int>, less<float>, (anonymous namespace)::f>"[:72] + "..."
    }
    other = name.replace("thrust::", "std::")
    assert len(set(shortened([name, other], 75).values())) == 2


@given(st.text("ab<>:, (漢", min_size=1, max_size=80), st.integers(8, 45))
def test_a_whole_name_loses_nothing_but_blanks(name: str, width: int) -> None:
    lines = wrapped(name, width, "    ")
    assert max(map(cell_len, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(name.split())
    assert all(line.startswith("    ") for line in lines[1:])


def test_a_whole_name_is_broken_where_it_is_read_best() -> None:
    name = "ns::detail::sort<ns::detail::policy<float, unsigned int>, 256, 4>"
    assert wrapped(name, 80, "    ") == [name]
    assert wrapped(name, 40, "    ") == [
        "ns::detail::sort<ns::detail::policy<",
        "    float, unsigned int>, 256, 4>",
    ]
    assert wrapped("ns::detail::sort<int>", 14, "    ") == ["ns::detail::", "    sort<int>"]
    assert wrapped("a" * 14, 10, "    ") == ["aaaaaa", "    aaaaaa", "    aa"]
    assert wrapped("漢" * 8, 10, "    ") == ["漢漢漢", "    漢漢漢", "    漢漢"]
