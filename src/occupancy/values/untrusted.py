"""Text that others wrote, made fit for each output: names, paths, architectures, messages.

Whoever builds a file chooses what is in it, and what it is called. Nothing of that may become a command of
a terminal, a formula, a tag or an annotation: in every output it is text. This is the only place that
knows how, for all outputs.
"""

from __future__ import annotations

import re

# What XML 1.0 cannot hold, not even as a reference.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# A line that begins so, or holds the second, is a command to GitHub's runner, whoever prints it.
_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)")

# What makes a formula of a cell for one spreadsheet program or another.
_FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")

_MARKDOWN = re.compile(r"[\\`*_\[\]<>&~|$#@]|(?<=:)//|(?<=w)\.")
_BEFORE_PIPE = re.compile(r"\\(?=\|)")


def printable(text: str) -> str:
    """Text on a line of a terminal or of a log: with escapes for what either would obey."""
    if not text.isprintable():
        text = "".join(map(_printable, text))
    return _COMMAND.sub(_spelled_out, text) if ":" in text or "##[" in text else text


def printable_lines(text: str) -> str:
    """The same for text whose line breaks are our own."""
    return "\n".join(map(printable, text.split("\n"))) if not text.isprintable() else printable(text)


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _spelled_out(found: re.Match[str]) -> str:
    return "#\\x23" if found[0] == "##" else f"{found[1]}\\x3a"


def csv_cell(value: object) -> object:
    """A cell of CSV: text that a spreadsheet would take for a formula has an apostrophe in front."""
    if not isinstance(value, str):
        return value
    # A log that a CSV is printed to obeys lines, and a cell may be the first of one.
    is_command = value.lstrip().startswith("::") or "##[" in value
    if (value[:1] in _FORMULA_STARTS and value) or is_command:
        return f"'{_COMMAND.sub(_spelled_out, value)}"
    return value


def markdown_text(text: str) -> str:
    """Words in Markdown, in which none of its signs, no tag and no mention is one."""
    return _MARKDOWN.sub(_without_meaning, printable_lines(text))


def _without_meaning(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in "<>&":
        return {"<": "&lt;", ">": "&gt;", "&": "&amp;"}[sign]
    # An escape does not keep a mention, a number of an issue or an address from becoming a link.
    if sign in "@#":
        return f"{sign}<!-- -->"
    if sign in ("//", "."):
        return f"<!-- -->{sign}"
    return f"\\{sign}"


def markdown_code(text: str) -> str:
    """A name as code, in which Markdown and HTML leave all signs alone."""
    text = _BEFORE_PIPE.sub(r"\\ ", printable(text).replace("`", "'"))
    return f"`{text}`" if text.strip() else "` `"


def github_message(text: str) -> str:
    """The message of a workflow command of GitHub Actions."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def github_property(text: str) -> str:
    """A property of a workflow command, such as its title."""
    return github_message(text).replace(":", "%3A").replace(",", "%2C")


def xml_text(text: str) -> str:
    """Text that XML can hold; its signs are for the writer of XML to escape."""
    return _NOT_XML.sub("?", text)
