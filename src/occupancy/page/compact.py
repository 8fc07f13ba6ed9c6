"""The page's code and style without needless white space and comments; short names in generated code."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, product
from string import ascii_letters, digits

OFTEN = 2
"""Uses of a function of ``py`` up to which a name of its own would not make the rules shorter."""

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*)
      | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<regex>(?<=[(,=:!&|?{};])/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*)
      | (?P<word>[\w$]+)
      | (?P<space>\s+)
      | (?P<sign>.)""",
    re.VERBOSE,
)


@lru_cache
def compact_script(text: str, *, is_generated: bool = False) -> str:
    """JavaScript with white space only where two words or signs would become one, and at the ends of lines.

    It knows comments to the end of a line, texts in all three quotes, and regular expressions that follow
    a bracket, a comma or an operator, as all of ours do. What is generated nobody reads line by
    line, and all of its statements end with a semicolon.
    """
    parts: list[str] = []
    before = ""
    at = 0
    kind: str | None
    while at < len(text):
        if text[at] == "`":
            end = _end_of_template(text, at)
            token, kind = text[at:end], "text"
        else:
            # A regular expression is told from a division by what stands before it, spaces apart.
            found = (
                _TOKEN.match(before + text[at:], len(before)) if text[at] == "/" else _TOKEN.match(text, at)
            )
            assert found is not None
            token, kind = found[0], found.lastgroup
            end = at + len(token)
        at = end
        if kind == "comment":
            continue
        if kind == "space":
            if "\n" in token and before not in ("{([,;" if is_generated else "{([,"):
                parts.append("\n")
            elif _needs_space(before, text[at : at + 1]):
                parts.append(" ")
            continue
        if token == "}":  # what ends a block needs no end of its own
            while parts and parts[-1] in (";", "\n"):
                parts.pop()
        parts.append(token)
        before = token[-1]
    return re.sub(r"\n{2,}", "\n", "".join(parts)).lstrip("\n")


@lru_cache
def short_names(rules: str) -> str:
    """The translated rules, with a letter or two for each variable, function, class and constant of theirs,
    and for what they often call of ``py``.

    Those written most often get one letter. A variable is told by its ``$`` in front, and what is global by
    one elsewhere; that of a template's ``${`` is neither.
    """
    named = re.compile(r"(?<![\w$])(?:\$\w+|[A-Za-z_]\w*\$\w*|py\.\w+)(?!\{)(?![\w$])")
    counted = Counter(named.findall(rules)).most_common()
    known = [name for name, count in counted if name.startswith("py.") and count > OFTEN]
    wanted = [name for name, _ in counted if name in known or not name.startswith("py.")]
    short = chain(ascii_letters, map("".join, product(ascii_letters, digits)))
    names = dict(zip(wanted, short, strict=False))
    head = f"const {', '.join(f'{names[name]} = {name}' for name in known)};\n" if known else ""
    return head + named.sub(lambda found: names.get(found[0], found[0]), rules)


def compact_style(text: str) -> str:
    """CSS without comments, indentation and the spaces that it does not need."""
    lines = (line.strip() for line in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines())
    joined = "".join(lines)
    return re.sub(r"(?<=[:;,]) +| (?=\{)|(?<=\{) +|;(?= *\})| +(?=\})", "", joined)


def _needs_space(before: str, after: str) -> bool:
    def is_word(character: str) -> bool:
        return bool(re.fullmatch(r"[\w$#]", character))

    return (is_word(before) and is_word(after)) or (before in "+-" and before == after)


def _end_of_template(text: str, start: int) -> int:
    """Where the template that starts here ends; it may hold expressions, which may hold templates."""
    at = start + 1
    while text[at] != "`":
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            at = _end_of_expression(text, at + 2)
        else:
            at += 1
    return at + 1


def _end_of_expression(text: str, at: int) -> int:
    depth = 1
    while depth:
        if text[at] == "`":
            at = _end_of_template(text, at)
            continue
        if text[at] in "\"'":
            found = _TOKEN.match(text, at)
            assert found is not None
            at = found.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at
