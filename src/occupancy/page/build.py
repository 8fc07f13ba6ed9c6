"""The page as one file: the translated rules, the data, the page's own code, its style."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import asdict
from html import escape
from importlib import resources

from .compact import compact_script, compact_style, short_names
from .data import page_data
from .heading import CALCULATOR, PageHeading
from .listing import Listing
from .rules import rules

# The page's own code, in the order in which it is loaded; the rules come after the first.
MODULES = ("words", "dom", "answer", "question", "share", "paste", "chart", "map", "views", "form", "app")

START = "app.start();"
_LISTING = '<script type="application/json" id="listing">{}</script>\n'


def build_page(
    version: str,
    question: str = "",
    listing: Listing | None = None,
    heading: PageHeading = CALCULATOR,
) -> str:
    """The whole page as HTML.

    Args:
        version: Of this library.
        question: What the page opens with where its address has no question: see `question`.
        listing: Kernels to choose from, which it opens with where neither has one.
        heading: What it is about.

    Raises:
        UnknownConstructError: A rule is written in a way that the translator does not know.
    """
    styles = ["style", "listing"] if listing else ["style"]
    style = "".join(compact_style(_read(f"{name}.css")) for name in styles)
    script = page_script(with_listing=listing is not None)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    parts = {
        "policy": policy,
        "version": version,
        "title": escape(heading.title),
        "about": escape(heading.about),
        "question": escape(question),
        "style": style,
        "data": _as_data(page_data(version)),
        "listing": "" if listing is None else _LISTING.format(_as_data(asdict(listing))),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("page.html"))


def _as_data(value: object) -> str:
    """JSON in which nothing ends the element that it stands in."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def page_script(*, with_listing: bool = False) -> str:
    """All of its JavaScript."""
    modules = (*MODULES, *(["listing"] if with_listing else []))
    own = "".join(_read(f"{name}.js") for name in modules) + START
    parts = [
        '"use strict";\n',
        compact_script(_read("runtime.js")),
        compact_script(short_names(rules()), is_generated=True),
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
