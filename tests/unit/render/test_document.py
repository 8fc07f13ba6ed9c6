"""Blocks laid out by each of the renderers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from occupancy.render.document import (
    About,
    Block,
    Bullets,
    Code,
    Column,
    Folded,
    GroupColumn,
    GroupedTable,
    GroupRow,
    Heading,
    KeyValues,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    grade,
)
from occupancy.render.html import html
from occupancy.render.markdown import markdown
from occupancy.render.text import to_text
from occupancy.values.asking import Asking

WIDE = Table(
    [Column("CC", is_number=False), Column("Blocks"), Column("Limited by", is_number=False, least=18)],
    [("9.0", "8", "registers and shared memory"), ("8.0", "16", "warps")],
    marked={0},
)

# Block -> its text on a terminal of 80 columns, and its Markdown.
EXAMPLES: list[tuple[Block, str, str]] = [
    (Heading("Notes"), "Notes", "**Notes**"),
    (Paragraph((Marked("75%", "good"), " on 9.0")), "75% on 9.0", "**75%** on 9.0"),
    (Paragraph(Marked("a<b>", "code"), indent=2), "  a<b>", "`a<b>`"),
    (Bullets(["one", "two"], "faint", indent=2), "  one\n  two", "- one\n- two"),
    (KeyValues([("Slack", "a"), ("", "b")]), "Slack   a\n        b", "- Slack: a\n  - b"),
    (Code("__launch_bounds__(256)"), "__launch_bounds__(256)", "`__launch_bounds__(256)`"),
    (
        WIDE,
        "CC   Blocks  Limited by\n9.0       8  registers and shared memory\n8.0      16  warps",
        "| CC | Blocks | Limited by |\n| --- | ---: | --- |\n"
        "| **9.0** | 8 | registers and shared memory |\n| 8.0 | 16 | warps |",
    ),
    (
        GroupedTable(
            "Kernel",
            [GroupRow("a", "f<int>"), GroupRow("a", "f<int>")],
            [GroupColumn("Arch", ["sm_80", "sm_90"], is_number=False), GroupColumn("Regs", ["8", "16"])],
        ),
        "  Arch   Regs\nf<int>\n  sm_80     8\n  sm_90    16",
        "| Kernel | Arch | Regs |\n| --- | --- | ---: |\n| `f<int>` | sm_80 | 8 |\n| `f<int>` | sm_90 | 16 |",
    ),
    (Together([Heading("a"), Heading("b")]), "a\nb", "**a**\n\n**b**"),
    (Only("text", [Heading("a")]), "a", ""),
    (Only("markdown", [Heading("a")]), "", "**a**"),
    (Bullets([]), "", ""),
    (KeyValues([]), "", ""),
]


@pytest.mark.parametrize(("block", "text", "page"), EXAMPLES, ids=lambda each: type(each).__name__)
def test_every_block_in_text_and_markdown(block: Block, text: str, page: str) -> None:
    assert to_text([block]) == text
    assert markdown([block]) == page


def test_an_empty_line_stands_between_blocks_that_show_something() -> None:
    blocks: list[Block] = [Heading("a"), Bullets([]), Only("markdown", [Heading("b")]), Heading("c")]
    assert to_text(blocks) == "a\n\nc"
    assert markdown(blocks) == "**a**\n\n**b**\n\n**c**"


def test_a_table_splits_beside_its_first_column() -> None:
    assert to_text([WIDE], width=24) == (
        "CC   Blocks\n9.0       8\n8.0      16\n\n"
        "CC   Limited by\n9.0  registers and\n     shared memory\n8.0  warps"
    )


def test_a_table_that_does_not_split_is_squeezed_and_points() -> None:
    table = WIDE._replace(splits=False, comfortable=50, gaps=(3, 1), pointers=("<- here", "<-"))
    assert (
        to_text([table], width=60).splitlines()[1] == "9.0        8   registers and shared memory   <- here"
    )
    assert to_text([table], width=40).splitlines()[1].endswith("<-")
    assert max(map(len, to_text([table], width=30).splitlines())) <= 30


def test_marks_are_colours_on_a_terminal_only_if_wanted() -> None:
    blocks = [Paragraph(Marked("no", "bad"))]
    assert to_text(blocks, color=True) == "\x1b[1;31mno\x1b[0m"
    assert to_text(blocks) == "no"


def test_html_is_escaped_and_shows_what_a_terminal_shows() -> None:
    page = html([block for block, *_ in EXAMPLES])
    assert "<strong>75%</strong> on 9.0" in page
    assert '<tr style="font-weight:bold"><td style="text-align:left;white-space:nowrap">9.0</td>' in page
    assert "f&lt;int&gt;" in page
    assert "<int>" not in page
    assert page.count("<strong>a</strong>") == 2  # together, and on a terminal only
    assert html([Folded("More <", [Heading("a")])]).startswith("<details><summary>More &lt;</summary><p>")


def test_html_is_of_a_notebook() -> None:
    where = Asking.of("2 more levels in ", Asking("--format json", "next_steps()"))
    texts: list[Block] = [Paragraph(("a", where)), KeyValues([("", where)]), Bullets([where])]
    texts.append(Paragraph(Asking("--all shows all", "")))  # nothing is asked for there
    assert "--" not in html(texts)
    assert html(texts).count("2 more levels in next_steps()") == 3
    assert html(texts).endswith("</ul>")
    assert to_text(texts).count("2 more levels in --format json") == 3
    assert to_text(texts, reader="python").count("2 more levels in next_steps()") == 3
    assert markdown(texts).count("2 more levels in --format json") == 3
    long = Table((Column("Kernel", is_number=False), Column("Regs")), [("a" * 60, "1"), ("b", "2")])
    assert html([long]).count("overflow-wrap:anywhere") == 2
    assert html([long._replace(rows=[])]) == ""


def test_what_is_short_in_a_table_of_a_notebook_stays_on_a_line() -> None:
    columns = (Column("Gpu", is_number=False), Column("Reached"), Column("Why", is_number=False))
    page = html([Table(columns, [("RTX 4090", "4 blocks, 50%", "registers and " * 3), ("A100", "", "")])])
    cells = re.findall(r"<(t[hd]) style=\"[^\"]*?(nowrap)?\">", page)
    assert cells == [("th", "")] * 3 + [("td", "nowrap"), ("td", "nowrap"), ("td", "")] * 2


def test_a_notebook_shows_the_last_column_and_leaves_out_what_is_of_the_least_use() -> None:
    wide = [GroupColumn(title, ["x" * 24], False) for title in ("A", "B", "Unnamed", "Stays", "Arch", "C")]
    wide[4] = wide[4]._replace(shorter=["x"])  # always shown
    next_step = GroupColumn("Next step", ["y" * 90], False)
    rows = [GroupRow("k", "kernel")]
    table = GroupedTable(
        "Kernel", rows, [*wide, next_step],
        if_there_is_room=("B", "Next step", "Arch", "C", "A", "Stays", "Unnamed"),
        stays=("Stays", "Next step"), last="Next step", hint="rows() has them.", unnamed=("Unnamed",),
    )  # fmt: skip
    page = html([table])
    assert re.findall("<th[^>]*>([^<]*)</th>", page) == ["Kernel", "B", "Stays", "Arch", "Next step"]
    assert page.endswith("<p>No room for: &quot;C&quot;, &quot;A&quot;. rows() has them.</p>")
    has_room = html([table._replace(columns=[wide[0], wide[2], next_step])])
    assert "No room" not in has_room
    assert "Unnamed" in has_room


@pytest.mark.parametrize("render", [html, markdown, to_text])
def test_a_line_about_a_column_is_shown_with_it_within_another_block_too(
    render: Callable[[list[Block]], str],
) -> None:
    table = GroupedTable("Kernel", [GroupRow("a", "f")], [GroupColumn("Regs", ["8"])])
    lines = Bullets([About("Regs", "Regs: of a thread."), About("Stack", "Stack: of a thread.")])
    for within in (lines, Together([lines]), Folded("More", [Together([lines])])):
        shown = render([table, within])
        assert "Regs: of a thread." in shown
        assert "Stack: of a thread." not in shown


def test_columns_that_have_no_room_are_named_at_the_end() -> None:
    table = GroupedTable(
        "Kernel",
        [GroupRow("a", "f")],
        [GroupColumn("Regs", ["8"]), GroupColumn("File", ["a long name of a file"], is_number=False)],
        if_there_is_room=("File",),
        hint="A wider terminal has it.",
    )
    lines = to_text([table, Heading("1 kernel.")], width=20).splitlines()
    assert lines[:5] == ["  Regs", "f", "     8", "", "1 kernel."]
    assert " ".join(lines[5:]).startswith('No room for: "File". A wider')
    alike = to_text([table, table], width=20)
    assert (alike.count("No room for"), alike.count("Regs")) == (1, 2)
    assert alike.rindex("No room for") > alike.rindex("Regs")
    short = table._replace(columns=table.columns[:1])  # which has room for all of its own
    differing = to_text([table, short], width=20)
    assert differing.rindex("No room for") < differing.rindex("Regs")


@pytest.mark.parametrize(
    ("width", "rows"),
    [
        (28, ["Arch                 Stack", "sm_75, 80, 86, 89  8 bytes", "sm_90              9 bytes"]),
        (27, ["Arch", "sm_75, 80, 86, 89", "sm_90"]),
        (19, ["Arch", "sm_75, 80, 86, 89", "sm_90"]),
        (18, ["Arch", "sm_75, +3", "sm_90"]),
    ],
)
def test_a_cell_is_shorter_where_there_is_no_room_for_the_whole(width: int, rows: list[str]) -> None:
    """Before columns that are less useful."""
    table = GroupedTable(
        "Kernel",
        [GroupRow("a", "f"), GroupRow("a", "f")],
        [
            GroupColumn("Arch", ["sm_75, 80, 86, 89", "sm_90"], False, ["sm_75, +3", "sm_90"]),
            GroupColumn("Stack", ["8 bytes", "9 bytes"]),
        ],
        if_there_is_room=("Arch", "Stack"),
    )
    head, name, *lines = to_text([table], width=width).splitlines()
    assert ([each.removeprefix("  ") for each in (head, *lines)], name) == (rows, "f")
    assert "sm_75, 80, 86, 89" in markdown([table])


def test_what_stays_stands_below_its_row_where_there_is_no_room() -> None:
    cells = ["regs 114 -> 80, shared 96 KiB -> 75 KiB", ""]
    table = GroupedTable(
        "Kernel",
        [GroupRow("a", "f"), GroupRow("b", "g")],
        [GroupColumn("Regs", ["8", "9"]), GroupColumn("Next", cells, is_number=False)],
        if_there_is_room=("Next",),
        stays=("Next",),
        last="Next",
    )
    below = [
        "  Regs",
        "f",
        "     8",
        "    Next regs 114 -> 80,",
        "    shared 96 KiB -> 75 KiB",
        "g",
        "     9",
    ]
    assert to_text([table], width=30).splitlines() == below
    beside = [
        "  Regs  Next",
        "f",
        "     8  regs 114 -> 80,",
        "        shared 96 KiB -> 75 KiB",
        "g",
        "     9",
    ]
    assert to_text([table], width=40).splitlines() == beside


@pytest.mark.parametrize(("occupancy", "mark"), [(0, "bad"), (0.1, "fair"), (0.5, "good"), (1, "good")])
def test_grades(occupancy: float, mark: str) -> None:
    assert grade(occupancy) == mark
