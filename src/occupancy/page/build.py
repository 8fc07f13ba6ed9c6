"""The page as one HTML file with style, data and scripts, not minified."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from html import escape
from importlib import resources
from typing import Any

from ..report.model import Column, Report
from ..report.words import FILTERS, computed_for
from ..values.numbers import listed
from ..values.untrusted import printable
from .data import page_data

SCRIPTS = ("words", "dom", "engine", "gpus", "fields", "share", "paste", "chart", "views", "report", "app")
START = "app.start();\n"

_MEASURED = (
    "occupancy", "launchable", "threads", "threads_assumed", "regs", "smem", "static_smem", "dynamic_smem",
    "barriers", "tensor_memory", "virtual_resources", "spill_store_bytes", "spill_load_bytes", "stack_bytes",
    "max_threads", "min_blocks", "spills_from", "cc",
)  # fmt: skip
_TEXTS = ("demangled", "next_step", "fix", "causes", "other_changes", "old_name")
_OTHERS = (
    "arch", "verdict", "limiters", "block_dim", "grid_dim", "cluster_dim", "waves",
    "duration_us", "time_share", "multiprocessor_count", "shared_memory_configuration", "source", "file", "line",
)  # fmt: skip
KEYS = (*_OTHERS, *_TEXTS, *(f"{side}{key}" for side in ("", "old_", "new_") for key in _MEASURED))
"""Columns of the reports of `scan` and `diff` that the page uses."""


def build_page(
    version: str, fragment: str = "", subject: str = "", title: str = "CUDA occupancy",
    about: str = "Occupancy is the share of an SM's warps that a kernel can keep resident.", report: str = "",
) -> str:  # fmt: skip
    """Return the page as HTML, opened with the inputs of a link or the list of a report."""
    style, script, data = _read("style.css") + _read("report.css"), page_script(), page_data()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    texts = {"version": version, "title": title, "about": about, "fragment": fragment}
    texts["subject"] = f"{subject} - " if subject else ""
    code = {"policy": policy, "style": style, "script": script, "data": _json(data), "report": report}
    fields = {each["field"]: _field(each) for each in data["inputs"]}
    code["terms"] = "".join(f"<dt>{each['label']}<dd>{escape(each['help'])}" for each in data["inputs"])
    return _filled("page.html", {name: escape(text) for name, text in texts.items()} | code | fields)


def build_report(version: str, report: Report, sources: Sequence[str], old: str | None = None) -> str:
    """Return the page with the kernels of `scan` or `diff`, and text above the list."""
    names = [printable(os.path.basename(os.path.abspath(each)) or each) for each in sources]
    since = "" if old is None else f", compared with {printable(os.path.basename(os.path.abspath(old)))}"
    title = f"Kernels of {listed(names, 3)}{since}{computed_for(report.inputs)}"
    paths = ("" if old is None else f"{old} → ") + ", ".join(sources[:8])
    options = [text(report.inputs[name]) for name, text in FILTERS.items() if name in report.inputs]
    given = printable(" ".join([paths, *options]))
    about = f"{given}; occupancy {version}, {datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC."
    rows = list(report.rows)
    columns = [each for column in report.columns if column.key in KEYS for each in _coded(column, rows)]
    lead = _paragraphs("note fails", [*report.warnings, *([] if rows else report.headline[:1])])
    if rows and len(report.warnings) > 2:
        lead = f'<details><summary class="fails">{len(report.warnings):,} warnings</summary>{lead}</details>'
    notes = _paragraphs("note", [" ".join(each.text for each in report.notes)])
    parts = {"lead": lead, "notes": notes, "data": _json({"count": len(rows), "columns": columns})}
    return build_page(version, title=title, about=about, report=_filled("report.html", parts))


def _coded(column: Column, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield the different values of a column, if any, and for each row the place of its value."""
    places: dict[Any, int] = {}
    value = column.cell if column.key in _TEXTS else column.getter
    if column.type == "objects":
        value = partial(_other_changes, column)
    at = [places.setdefault(each, len(places)) for each in map(value, rows)]
    if not places.keys() <= {None, "", ()}:
        key = "name" if column.key == "demangled" else column.key
        yield {"key": key, "values": list(places), "at": at if len(places) > 1 else []}


def _other_changes(column: Column, row: Any) -> str:
    others = [each for each in column.getter(row) if each.name not in ("regs", "smem", "spills")]
    return (column.text or str)(others)


def _paragraphs(kind: str, texts: Sequence[str]) -> str:
    coded = [re.sub("`([^`]+)`", r"<code>\1</code>", escape(printable(text))) for text in texts]
    return "".join(f'<p class="{kind}">{text}</p>' for text in coded)


def page_script() -> str:
    return '"use strict";\n' + "".join(_read(f"{name}.js") for name in SCRIPTS) + START


def _field(field: Mapping[str, Any]) -> str:
    texts = {name: escape(str(text)) for name, text in field.items()}
    texts["inputmode"] = {"count": "numeric", "shape": "tel"}.get(field["kind"], "text")  # 16*16 is a shape
    texts["choices"] = "".join(f"<option>{each}</option>" for each in field.get("options", ()))
    return _filled("choice.html" if "options" in field else "number.html", texts)


def _filled(name: str, parts: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda name: parts[name[1]], _read(name))


def _json(value: object) -> str:
    """Return JSON without characters that could close the surrounding element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return resources.files(__package__).joinpath("files", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
