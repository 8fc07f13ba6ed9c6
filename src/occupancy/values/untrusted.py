"""Escaping of untrusted text: names, paths, architectures and messages out of files.

In every output it stays text: never a command of a terminal, a formula, a tag or an annotation. The patterns
are text, which `re` compiles at first use: no command needs all of them, and compiling takes a while.
"""

from __future__ import annotations

import re

# Commands to GitHub's runner, whoever prints them.
_COMMAND = r"^(\s*):(?=:)|##(?=\[)"

# Starts of a formula in any spreadsheet program.
_FORMULA_STARTS = frozenset("=+-@＝＋－＠")

_CODE_SPAN = r"(`[^`\n]+`)"  # none goes on in the next line, which a heading lacks
_MARKDOWN = (
    r"(?P<link>@(?=\w)|#(?=\d)|(?<=:)//|(?i:(?<=www))\.|(?<=:)(?=[\w+-]+:))"
    r"|(?P<sign>[\\`*\[\]~$]|(?<![^\W_])_|_(?![^\W_])|(?m:(?<=^)[-+>#=]))"
    r"|(?P<tag>[<&])"
)
"""Markup of Markdown: links and emoji that GitHub detects, signs that a backslash escapes, and tags of HTML."""


def printable(text: str) -> str:
    """Escape control characters and commands, for a line of a terminal or of a log."""
    if not text.isprintable():
        escaped = (each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
        text = "".join(escaped)
    if "::" not in text and "##[" not in text:
        return text
    return re.sub(_COMMAND, lambda match: "#\\x23" if match[0] == "##" else f"{match[1]}\\x3a", text)


def printable_lines(text: str) -> str:
    """Escape text like `printable`, except its line breaks."""
    return "\n".join(map(printable, text.split("\n"))) if not text.isprintable() else printable(text)


def without_commands(text: str) -> str:
    """Escape commands at the start of lines, after text was broken into lines."""
    return re.sub(r"(?m)^([^\S\n]*):(?=:)", r"\1\\x3a", text) if "::" in text else text


def csv_cell(value: object) -> object:
    """Put an apostrophe before text that a spreadsheet would evaluate as a formula."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text[:1] in _FORMULA_STARTS and text else text


def json_text(document: str) -> str:
    """Escape commands of GitHub Actions in a JSON document; only strings can hold them."""
    return document.replace("##[", "##\\u005b")


def html_text(text: str) -> str:
    """Escape text for HTML, in an element or in a quoted attribute."""
    from html import escape  # its table of entities is long

    return escape(printable_lines(text))


def markdown_text(text: str) -> str:
    """Escape text for Markdown, except code spans."""
    text = printable_lines(text)
    if "``" in text:  # which pairs in unexpected ways
        return re.sub(_MARKDOWN, _without_meaning, text)
    parts = re.split(_CODE_SPAN, text)
    parts[::2] = [re.sub(_MARKDOWN, _without_meaning, part) for part in parts[::2]]
    return "".join(parts)


def _without_meaning(match: re.Match[str]) -> str:
    if match["sign"]:
        return f"\\{match['sign']}"
    if match["tag"]:
        return "&lt;" if match["tag"] == "<" else "&amp;"
    # An escape does not keep these from becoming links or emoji; a comment in between does.
    return f"{match['link']}<!-- -->" if match["link"] in "@#" else f"<!-- -->{match['link']}"


def markdown_cell(text: str) -> str:
    """Escape pipes and line breaks, for a cell of a Markdown table."""
    return re.sub(r"\\(?=\|)", r"\\ ", text).replace("|", "\\|").replace("\n", " ")


def github_message(text: str) -> str:
    """Escape the message of a workflow command of GitHub Actions."""
    return printable_lines(text).replace("%", "%25").replace("\n", "%0A")


def github_property(text: str) -> str:
    """Escape a property of a workflow command, such as its title."""
    return github_message(text).replace(":", "%3A").replace(",", "%2C")
