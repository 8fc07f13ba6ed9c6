"""A table as one HTML file to open: sorted and filtered in the browser, which loads nothing else.

What the file shows stands in it as data, and comes onto the page as text, never as markup; the policy in
its head allows its own script and style alone, and no connection to anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["text", "number", "share", "change"]

Cell = str | tuple[float | None, str]
"""A text; or, in columns that are not texts, a number to sort by and what is shown."""


class PageColumn(NamedTuple):
    """A column of the page's table."""

    title: str
    kind: Kind = "text"
    """``share``: numbers of 0 to 1 with a bar; ``change``: a sentence, sorted by a number, best last."""
    is_choice: bool = False
    """Whether rows can be chosen by its values."""


_FILES = Path(__file__).parent

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1>{lead}</header>
{facts}
<main>
<form id="filters" role="search"></form>
<p id="count" role="status"></p>
<div class="scroll" tabindex="0" role="region" aria-label="Table">
<table id="rows"><thead></thead><tbody></tbody></table>
</div>
<button id="more" type="button" hidden></button>
<noscript><p>This page needs JavaScript to show its table; everything it runs is in this file.</p></noscript>
</main>
<footer>{notes}</footer>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def table_page(
    title: str,
    lead: Sequence[str],
    facts: Sequence[Sequence[str]],
    columns: Sequence[PageColumn],
    rows: Iterable[Sequence[Cell]],
    notes: Sequence[str],
) -> str:
    """The file.

    Args:
        title: Its title.
        lead: Sentences below it.
        facts: A small table above the large one, whose first row is its header; empty for none.
        columns: Those of the large table.
        rows: Its rows, with a cell for each column.
        notes: Sentences below it.
    """
    style, script = ((_FILES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    data = {"columns": [column._asdict() for column in columns], "rows": [list(row) for row in rows]}
    return _PAGE.format(
        policy=escape(policy),
        title=escape(title),
        style=style,
        lead=_paragraphs(lead),
        facts=_facts(facts),
        notes=_paragraphs(notes),
        data=_as_script(data),
        script=script,
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _as_script(data: object) -> str:
    """JSON in which nothing ends the element that it stands in."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def _facts(facts: Sequence[Sequence[str]]) -> str:
    if not facts:
        return ""
    head, *rows = ("".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) for tag, row in _tagged(facts))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        '<div class="scroll facts" tabindex="0" role="region" aria-label="By architecture">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _tagged(facts: Sequence[Sequence[str]]) -> Iterable[tuple[str, Sequence[str]]]:
    return (("td" if number else "th", row) for number, row in enumerate(facts))
