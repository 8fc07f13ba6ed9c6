"""The page as one HTML file with style, data and scripts, not minified."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from html import escape
from importlib import resources
from typing import Any

from ..advice.next_steps import NextStep
from ..builds.names import short_name
from ..report.calc import step_text
from ..report.diff import change_line
from ..values.untrusted import printable
from .data import page_data

SCRIPTS = ("words", "dom", "engine", "gpus", "fields", "share", "paste", "chart", "views", "report", "app")
START = "app.start();\n"

_MEASURED = (
    "occupancy", "launchable", "threads", "threads_assumed", "regs", "smem", "static_smem", "dynamic_smem",
    "barriers", "tensor_memory", "virtual_resources", "spill_store_bytes", "spill_load_bytes", "stack_bytes",
    "max_threads", "min_blocks", "spills_from",
)  # fmt: skip
_OTHERS = (
    "name", "arch", "cc", "verdict", "changes", "limiters", "next_step", "fix", "block_dim", "grid_dim",
    "cluster_dim", "waves", "duration_us", "time_share", "multiprocessor_count", "shared_memory_configuration",
    "source",
)  # fmt: skip
KEYS = (*_OTHERS, *(f"{side}{key}" for side in ("", "old_", "new_") for key in _MEASURED))
"""Keys of the JSON of `scan` and `diff` that the page uses."""


def build_page(
    version: str,
    fragment: str = "",
    title: str = "CUDA occupancy",
    about: str = "Occupancy is the share of an SM's warps that a kernel can keep resident.",
    report: str = "",
) -> str:
    """Return the page as HTML, opened with the inputs of a link or the list of a report."""
    style, script, data = _read("style.css") + _read("report.css"), page_script(), page_data()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    texts = {"version": version, "title": title, "about": about, "fragment": fragment}
    code = {"policy": policy, "style": style, "script": script, "data": _json(data), "report": report}
    fields = {each["field"]: _field(each) for each in data["inputs"]}
    return _filled("page.html", {name: escape(text) for name, text in texts.items()} | code | fields)


def build_report(
    version: str,
    document: Mapping[str, Any],
    lead: Sequence[str],
    sources: Sequence[str],
    old: str | None = None,
    problems: Sequence[str] = (),
) -> str:
    """Return the page with the kernels in the JSON of `scan` or `diff`, and text above and below the list."""
    names = [printable(os.path.basename(os.path.abspath(each)) or each) for each in sources[:3]]
    more = f" and {len(sources) - 3} more" if len(sources) > 3 else ""
    since = "" if old is None else f", compared with {printable(os.path.basename(os.path.abspath(old)))}"
    title = f"Kernels of {', '.join(names)}{more}{since}"
    now = datetime.now(timezone.utc)
    about = f"{', '.join(map(printable, sources[:8]))}; occupancy {version}, {now:%Y-%m-%d %H:%M} UTC."
    kernels = list(map(_with_texts, document["kernels"]))
    keys = [key for key in KEYS if any(kernel.get(key) not in (None, [], "") for kernel in kernels)]
    rows = [list(map(each.get, keys)) for each in kernels]
    data = {"kind": document.get("report", "scan"), "keys": keys, "rows": rows}
    notes = [*(each["text"] for each in document.get("notes", ())), *problems[:20]]
    parts = {"lead": _paragraphs("lead", lead), "notes": _paragraphs("note", notes), "data": _json(data)}
    return build_page(version, title=title, about=about, report=_filled("report.html", parts))


def _with_texts(kernel: Mapping[str, Any]) -> dict[str, Any]:
    """Return a kernel of the JSON with its name, changes and steps as text."""
    changes = (*kernel.get("causes", ()), *kernel.get("other_changes", ()))
    text = ", ".join(change_line(*each.values()) for each in changes).replace("->", "→")
    steps = {key: step_text(NextStep(**kernel[key])) for key in ("next_step", "fix") if kernel.get(key)}
    return {**kernel, **steps, "name": short_name(kernel["demangled"]), "changes": text}


def _paragraphs(kind: str, texts: Sequence[str]) -> str:
    coded = [re.sub("`([^`]+)`", r"<code>\1</code>", escape(printable(text))) for text in texts]
    return "".join(f'<p class="{kind}">{text}</p>' for text in coded)


def page_script() -> str:
    """Return all of the page's JavaScript."""
    script = '"use strict";\n' + "".join(_read(f"{name}.js") for name in SCRIPTS) + START
    if "</script" in script or "<!--" in script:
        raise ValueError("the script contains its own end tag")
    return script


def _field(field: Mapping[str, Any]) -> str:
    """Return an input of the form as HTML."""
    texts = {name: escape(str(text)) for name, text in field.items()}
    texts["inputmode"] = {"count": "numeric", "shape": "tel"}.get(field["kind"], "text")  # 16*16 is a shape
    texts["choices"] = "".join(f"<option>{each}</option>" for each in field["options"])
    return _filled("choice.html" if field["options"] else "number.html", texts)


def _filled(name: str, parts: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read(name))


def _json(value: object) -> str:
    """Return JSON without characters that could close the surrounding element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return resources.files(__package__).joinpath("files", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
