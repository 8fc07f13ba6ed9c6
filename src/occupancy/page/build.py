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

SCRIPTS = ("words", "dom", "engine", "gpus", "fields", "share", "paste", "chart", "map", "views",
           "report", "app")  # fmt: skip
START = "app.start();\n"


def build_page(
    version: str,
    question: str = "",
    report: Mapping[str, Any] | None = None,
    heading: PageHeading = CALCULATOR,
) -> str:
    """Return the page as HTML, with a link's inputs (`question`) or a report (`report_data`) to open with."""
    style, script, data = _read("style.css") + _read("report.css"), page_script(), page_data()
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
        "data": _json(data),
        "report": "" if report is None else _filled("report.html", {"data": _json(report)}),
        "script": script,
    }
    return _filled("page.html", parts | {each["field"]: _field(each) for each in data["inputs"]})


def page_script() -> str:
    """Return all of the page's JavaScript."""
    script = '"use strict";\n' + "".join(_read(f"{name}.js") for name in SCRIPTS) + START
    if "</script" in script or "<!--" in script:
        raise ValueError("the script would end early in HTML")
    return script


def _field(field: Mapping[str, Any]) -> str:
    """Return an input of the form as HTML."""
    texts = {name: escape(str(text)) for name, text in field.items()}
    texts["inputmode"] = "numeric" if field["kind"] == "count" else "text"
    texts["choices"] = "".join(f"<option>{each}</option>" for each in field["options"])
    return _filled("choice.html" if field["options"] else "number.html", texts)


def _filled(name: str, parts: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read(name))


def _json(value: object) -> str:
    """Return JSON in which nothing ends the element around it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return resources.files(__package__).joinpath("files", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
