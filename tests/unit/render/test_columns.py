"""Texts whose characters take two columns of a terminal, or none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from occupancy.render.document import GroupColumn, GroupedTable, GroupRow
from occupancy.render.text import to_text
from occupancy.render.text.lines import chopped, head, padded, tail

TEXTS = st.text("ab漢é\u0301", max_size=20)


@given(TEXTS, st.integers(2, 12))
def test_parts_have_room_and_are_no_shorter_than_need_be(text: str, width: int) -> None:
    for part, one_more in ((head(text, width), 1), (tail(text, width), -1)):
        assert cell_len(part) <= width
        longer = text[: len(part) + 1] if one_more > 0 else text[-len(part) - 1 :]
        assert part == text or cell_len(longer) > width
    assert "".join(chopped(text, width)) == text
    assert all(cell_len(each) <= width for each in chopped(text, width))


def test_no_room_at_all() -> None:
    for text in ("ab", "漢字"):
        assert head(text, 0) == head(text, -2) == tail(text, 0) == tail(text, -2) == ""
    assert list(chopped("漢字", 1)) == ["漢", "字"]


def test_beside_each_other() -> None:
    assert padded("漢", 4, is_number=False) == "漢  "
    assert padded("漢", 4, is_number=True) == "  漢"


def test_columns_of_a_table_stand_below_each_other() -> None:
    files = GroupColumn("Read from", ["核函数.log", "b.log"])
    regs = GroupColumn("Regs", ["37", "40"], is_number=True)
    table = GroupedTable("Kernel", [GroupRow("f", "f"), GroupRow("g", "漢" * 40)], [files, regs])
    lines = to_text([table], width=40).splitlines()
    assert [cell_len(line) for line in lines if line[-2:] in ("gs", "37", "40")] == [18] * 3
    assert f"{'漢' * 18}..." in lines
