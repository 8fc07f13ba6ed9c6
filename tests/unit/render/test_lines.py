"""What has room is laid out as rich would lay it out, in every width and with colour."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from occupancy.render.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Folded,
    Heading,
    KeyValues,
    Marked,
    Paragraph,
    Table,
)
from occupancy.render.text import lines, to_text

ROWS: Sequence[Sequence[Cell]] = [
    ("registers", Marked("5,120", "bad"), "65,536 per SM"),
    ("", "1 KiB", Marked("no limit", "faint")),
    ("shared\nmemory", "", "größer × 2"),
]
COLUMNS = [
    Column("Resource", is_number=False, least=6),
    Column("Per\nblock"),
    Column("", is_number=False, least=4, mark="good"),
]
BLOCKS: list[Block] = [
    Table(COLUMNS, ROWS, marked={0}),
    Table(
        COLUMNS, ROWS, marked={0, 2}, splits=False, gaps=(3, 1), comfortable=30, pointers=("<- limiter", "<-")
    ),
    Table(COLUMNS, ROWS, splits=False, pointers=("<- limiter", "<-")),
    Table(COLUMNS, [], splits=False),
    Table(COLUMNS, [("漢字", "é", "combined e\u0301")], splits=False),
    KeyValues([("Next steps", "16 blocks, 100%: registers 37 -> 32"), ("", "two\nlines"), ("Slack", "")]),
    Paragraph((Marked("75% occupancy", "good"), " on 漢字\n", Marked("a line\nof its own", "wrong"))),
    Paragraph(("some ", Marked("words", "strong"), " to break into lines"), indent=4),
    Bullets(["one", "two or more"], "faint", indent=2),
    Folded("How\nit was found", [Heading("a"), Code("__launch_bounds__(256, 4)")]),
]


def on_screen(text: str) -> list[tuple[str, str]]:
    """Each character with its colours; one text can be coloured in one piece or in several."""
    style, shown = "", []
    for codes, character in re.findall("\x1b\\[([0-9;]*)m|(.|\n)", text):
        if character:
            shown.append((character, style))
        else:
            style = codes.removeprefix("0")
    return shown


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
@pytest.mark.parametrize("color", [False, True], ids=["plain", "colour"])
def test_rich_lays_it_out_likewise(block: Block, color: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    widths = (4, 12, 20, 30, 40, 80)
    ours = [on_screen(to_text((block,), width, color)) for width in widths]
    monkeypatch.setattr(lines, "_have_room", lambda *_: False)
    assert ours == [on_screen(to_text((block,), width, color)) for width in widths]


def test_without_room_there_are_no_lines() -> None:
    assert lines.paragraph([("twelve", "")], 0, 5) is None
    assert lines.paragraph([("twelve", "")], 1, 6) is None
    assert lines.paragraph([("漢字", "")], 0, 80) is None
    assert lines.in_columns([[lines.Cell("one"), lines.Cell("two")]], 2, 7, has_header=False) is None
    assert lines.in_columns([[lines.Cell("one"), lines.Cell("two")]], 2, 8, has_header=False) == [
        [("one", ""), ("  ", ""), ("two", "")]
    ]
