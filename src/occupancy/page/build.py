"""The page as one HTML file: style, data and scripts, none of them minified."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from html import escape
from importlib import resources
from typing import Any

from .data import page_data
from .report import CALCULATOR, PageHeading

SCRIPTS = ("words", "dom", "engine", "gpus", "fields", "share", "paste", "chart", "map", "views", "app")
START = "app.start();\n"
_REPORT = '<script type="application/json" id="report">{}</script>\n'


def build_page(
    version: str,
    question: str = "",
    report: Mapping[str, Any] | None = None,
    heading: PageHeading = CALCULATOR,
) -> str:
    """Return the page as HTML, with a link's inputs (`question`) or a report (`report_data`) to open with."""
    style = "".join(_read(f"{name}.css") for name in (["style", "report"] if report else ["style"]))
    script = page_script(with_report=report is not None)
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
        "data": _json(page_data(version)),
        "report": "" if report is None else _REPORT.format(_json(report)),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("page.html"))


def page_script(*, with_report: bool = False) -> str:
    """Return all of the page's JavaScript."""
    names = (*SCRIPTS, *(["report"] if with_report else []))
    script = '"use strict";\n' + "".join(_read(f"{name}.js") for name in names) + START
    if "</script" in script or "<!--" in script:
        raise ValueError("the script would end early in HTML")
    return script


def _json(value: object) -> str:
    """Return JSON in which nothing ends the element around it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return resources.files(__package__).joinpath("files", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
