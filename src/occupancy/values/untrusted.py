"""Text that others wrote, made fit for each output: names, paths, architectures, messages.

Whoever builds a file chooses what is in it, and what it is called. Nothing of that may become a command of
a terminal, a formula, a tag or an annotation: in every output it is text. This is the only place that
knows how, for all outputs. Its patterns are text, which `re` compiles once and at first use: no command
needs all of them, and all of them take as long as an answer.
"""

from __future__ import annotations

import re

# What XML 1.0 cannot hold, not even as a reference.
_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

# A line that begins so, or holds the second, is a command to GitHub's runner, whoever prints it.
_COMMAND = r"^(\s*):(?=:)|##(?=\[)"

# What makes a formula of a cell for one spreadsheet program or another.
_FORMULA_STARTS = frozenset("=+-@＝＋－＠")

_CODE_SPAN = r"(`[^`]+`)"
_MARKDOWN = (
    r"(?P<link>@(?=\w)|#(?=\d)|(?<=:)//|(?i:(?<=www))\.)"
    r"|(?P<sign>[\\`*\[\]~$]|(?<![^\W_])_|_(?![^\W_])|(?m:(?<=^)[-+>#=]))"
    r"|(?P<tag>[<&])"
)
"""What means something in Markdown: what GitHub makes links of; signs, which a backslash takes the meaning
from; and what begins a tag or a character of HTML."""
_BEFORE_PIPE = r"\\(?=\|)"


def printable(text: str) -> str:
    """Text on a line of a terminal or of a log: with escapes for what either would obey."""
    if not text.isprintable():
        text = "".join(map(_printable, text))
    return re.sub(_COMMAND, _spelled_out, text) if "::" in text or "##[" in text else text


def printable_lines(text: str) -> str:
    """The same for text whose line breaks are our own."""
    return "\n".join(map(printable, text.split("\n"))) if not text.isprintable() else printable(text)


def without_commands(text: str) -> str:
    """Lines of a screen, which can begin in the middle of a text that was printable as a whole."""
    return re.sub(r"(?m)^([^\S\n]*):(?=:)", r"\1\\x3a", text) if "::" in text else text


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _spelled_out(found: re.Match[str]) -> str:
    return "#\\x23" if found[0] == "##" else f"{found[1]}\\x3a"


def csv_cell(value: object) -> object:
    """A cell of CSV: text that a spreadsheet would take for a formula has an apostrophe in front."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text[:1] in _FORMULA_STARTS and text else text


def json_text(document: str) -> str:
    """JSON that can be printed to a log of GitHub Actions; only strings of it can hold what that obeys."""
    return document.replace("##[", "##\\u005b")


def html_text(text: str) -> str:
    """Text in HTML, in an element or in an attribute with quotes."""
    from html import escape  # its table of entities is long

    return escape(printable_lines(text))


def markdown_text(text: str) -> str:
    """Words in Markdown, in which no sign, tag or mention is one; it can hold what `markdown_code` gave."""
    text = printable_lines(text)
    if "``" in text:  # which would pair with others than the eye sees
        return re.sub(_MARKDOWN, _without_meaning, text)
    parts = re.split(_CODE_SPAN, text)
    parts[::2] = [re.sub(_MARKDOWN, _without_meaning, part) for part in parts[::2]]
    return "".join(parts)


def _without_meaning(found: re.Match[str]) -> str:
    if found["sign"]:
        return f"\\{found['sign']}"
    if found["tag"]:
        return "&lt;" if found["tag"] == "<" else "&amp;"
    # An escape does not keep these from becoming links; a comment in between does.
    return f"{found['link']}<!-- -->" if found["link"] in "@#" else f"<!-- -->{found['link']}"


def markdown_code(text: str) -> str:
    """A name as code, in which Markdown and HTML leave all signs alone."""
    text = printable(text).replace("`", "'")
    return f"`{text}`" if text.strip() else "` `"


def markdown_cell(text: str) -> str:
    """Markdown in a cell of a table, which ends at the first pipe that has no backslash before it."""
    return re.sub(_BEFORE_PIPE, r"\\ ", text).replace("|", "\\|").replace("\n", " ")


def github_message(text: str) -> str:
    """The message of a workflow command of GitHub Actions."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def github_property(text: str) -> str:
    """A property of a workflow command, such as its title."""
    return github_message(text).replace(":", "%3A").replace(",", "%2C")


def sarif_text(text: str) -> str:
    """Text of a message in SARIF, in which `[words](place)` would be a link."""
    return printable_lines(text).replace("](", "] (")


def xml_text(text: str) -> str:
    """Text that XML can hold; its signs are for the writer of XML to escape."""
    return re.sub(_NOT_XML, "?", text)
