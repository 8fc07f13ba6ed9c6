"""Malicious text in every output format stays text when the output is parsed."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import jsonschema
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from occupancy.render.ci import github, junit, sarif
from occupancy.render.data import csv_pieces, json_line_pieces, json_pieces
from occupancy.render.markup import html, markdown
from occupancy.render.terminal import text as to_text
from occupancy.report.model import Column, Paragraph, Report, Table, facts
from occupancy.report.scan import Finding
from tests.hostile import Tags
from tests.samples import unpacked

SCHEMA = json.loads(unpacked("sarif/sarif-2.1.0.json"))
SARIF = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())

PARTS = (
    "<img onerror=x>", "</td>", "`", "``", "|", "\\", "\x1b]0;x\x07", "\n", "\r", "::error::x", "##[error]",
    "=1+1", "@user", "#1", "https://x", "www.x.y", "![a](b)", "*", "_", "[a](b)", "&lt;", "'", '"', ",", ";",
    "]]>", "\x00", "\x85", "\u2028", "\u202e", "\ud800", "%0A", "a", " ", "é", "𝔘",
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PARTS), max_size=6).map("".join)


def report(text: str) -> Report:
    columns = (Column("name", "A", lambda row: row), Column("count", "B", lambda row: -1))
    return Report(
        name="scan", headline=(text, text), columns=columns, rows=[text], inputs={"name": text},
        details=(Table(text, columns, [text]), facts([(text, text)]), Paragraph([text])),
    )  # fmt: skip


def is_quiet(line: str) -> bool:
    return line.isprintable() and not line.lstrip().startswith("::") and "##[" not in line


@given(HOSTILE)
@example("::error::x")
@example("<img onerror=x><img onerror=x> ::error::x")  # broken before the command
@example("x" * 80 + "::error::x")
def test_terminal(text: str) -> None:
    assert all(map(is_quiet, to_text(report(text)).split("\n")))


GITHUB_LINKS = re.compile(r"@\w|#\d|://|\bwww\.", re.IGNORECASE)
"""Text that GitHub turns into mentions or links anywhere."""

OURS = {
    "p", "strong", "b", "br", "div", "h3", "ul", "li", "table", "thead", "tbody", "tr", "th", "td",
    "code", "small",
}  # fmt: skip


@given(HOSTILE)
def test_html(text: str) -> None:
    tags = Tags(html(report(text)))
    assert tags.found <= OURS
    assert tags.attributes <= {"style"}


@given(HOSTILE)
@example("a\\|b")
@example("`<img onerror=x>``")
@example("![a](https://x)@user")
@example("`@user")
@example("`<img onerror=x>\n`")
@example("a`@user`b")
@example("    <img onerror=x>")
def test_markdown(text: str) -> None:
    printed = markdown(report(text if text.strip() else "k"))
    assert all(map(is_quiet, printed.split("\n")))
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(printed)
    tags = Tags(rendered)
    assert tags.found <= OURS, rendered  # neither links nor images
    assert not [text for text in tags.texts if GITHUB_LINKS.search(text)], rendered
    assert tags.attributes <= {"style"}
    # Each row has exactly its cells, and each fact is one item.
    assert [rendered.count(tag) for tag in ("<tr>", "<td", "<li>")] == [2 + 2, 2 + 2, 1]


@given(HOSTILE)
def test_csv(text: str) -> None:
    written = "".join(csv_pieces(report(text)))
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert len(rows) == 2
    cell, count = rows[1]
    assert count == "-1"
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert all(map(is_quiet, written.splitlines()))


@given(HOSTILE)
def test_json(text: str) -> None:
    (line,) = json_line_pieces(report(text))
    assert json.loads(line) == {"name": text, "count": -1}
    whole = "".join(json_pieces(report(text)))
    assert json.loads(whole)["results"] == [{"name": text, "count": -1}]
    for printed in (line, whole):
        assert printed.isascii()
        assert all(map(is_quiet, printed.splitlines()))


@given(HOSTILE, HOSTILE.filter(bool))
def test_services(name: str, message: str) -> None:
    finding = Finding("", None, "error", name, message, name, None)
    command, *rest = github([finding], [f"{name} is written"]).split("\n")
    assert re.fullmatch(r"::error (file=[^:,\r\n]*,)?title=[^:,\r\n]*::[^\r\n]*", command)
    assert all(map(is_quiet, rest))
    root = ElementTree.fromstring(junit(name, [finding]))
    assert [each.tag for each in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]


@given(HOSTILE, HOSTILE)
@example("[a](https://x)", "a\\b")
def test_sarif(text: str, file: str) -> None:
    printed = sarif([Finding(file, 1, "error", text, text, text, text)], {text: text}, "1")
    assert printed.isascii()
    assert all(map(is_quiet, printed.split("\n")))
    log = json.loads(printed)
    assert list(SARIF.iter_errors(log)) == []
    (result,) = log["runs"][0]["results"]
    assert is_quiet(result["message"]["text"].replace("\n", ""))
    assert "](" not in result["message"]["text"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"[\w%/.~:-]*", uri, re.ASCII)
