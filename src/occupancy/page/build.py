"""The page as one file: the translated rules, the data, the page's own code, its style."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from importlib import resources

from .compact import compact_script, compact_style
from .data import page_data
from .rules import rules

# The page's own code, in the order in which it is loaded; the rules come after the first.
MODULES = ("words", "dom", "answer", "question", "share", "paste", "chart", "map", "views", "form", "app")


def build_page(version: str, question: str = "", kernels: str = "") -> str:
    """The whole page as HTML.

    Args:
        version: Of this library.
        question: What the page opens with where its address has no question: see `question`.

        kernels: What stands in its box for compiler output from the start: see `kernels_of`.

    Raises:
        UnknownConstructError: A rule is written in a way that the translator does not know.
    """
    data = json.dumps(page_data(version), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    script, style = page_script(), compact_style(_read("style.css"))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    parts = {
        "policy": policy,
        "version": version,
        "question": escape(question),
        "kernels": escape(kernels),
        "style": style,
        "data": data,
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("page.html"))


def page_script() -> str:
    """All of its JavaScript."""
    own = "".join(_read(f"{name}.js") for name in MODULES)
    parts = [
        '"use strict";\n',
        compact_script(_read("runtime.js")),
        compact_script(rules(), is_generated=True),
        compact_script(own),
    ]
    script = "\n".join(parts)
    if "</script" in script or "<!--" in script:
        raise ValueError("the script would end early in HTML")
    return script


def _read(name: str) -> str:
    return resources.files(__package__).joinpath("files", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
