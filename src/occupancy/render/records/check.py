"""The answer to ``occupancy check`` for a program, for a comment, or for a service that runs checks."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ...builds.scanner import ScanRow
from ...builds.violations import Holding, Violating, launched_with
from ...report.check import CheckReport
from .. import check_cells
from ..scan_cells import short_name
from . import code, to_csv, to_json
from .page import MOST_IN_SIGHT, Page

# What XML 1.0 cannot hold, not even as a reference; names in damaged files do.
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def json(report: CheckReport) -> str:
    """The report as JSON."""
    return to_json(report.to_dict())


def csv(report: CheckReport) -> str:
    """A row for each broken rule; the header alone where there is none."""
    rows = [
        (
            *(each.kernel.name, each.kernel.demangled, each.kernel.arch, each.kernel.source),
            *(violation.rule, violation.criterion, violation.bound, violation.was, violation.value),
            check_cells.mending(each.kernel, violation),
        )
        for each in report.violating
        for violation in each.violations
    ]
    return to_csv(dict(zip(HEADER, row, strict=True)) for row in rows) if rows else ",".join(HEADER)


HEADER = (
    "name", "demangled", "arch", "source", "rule", "criterion", "bound", "was", "value", "next_step",
)  # fmt: skip


def markdown(report: CheckReport) -> str:
    """A summary, and a table with a row for each broken rule."""
    rows = [
        (
            f"{code(short_name(each.kernel))} {each.kernel.arch or ''}",
            check_cells.broken(violation),
            check_cells.mending(each.kernel, violation),
        )
        for each in report.violating
        for violation in each.violations
    ]
    page = Page(f"**{check_cells.summary(report)}**")
    header = ("Kernel", "What it breaks", "Next step")
    page.add(header, rows[:MOST_IN_SIGHT])
    page.add(header, rows[MOST_IN_SIGHT:], "More")
    return page.text(check_cells.notes(report))


def github(report: CheckReport) -> str:
    """Workflow commands of GitHub Actions: an annotation for each kernel that breaks a rule."""
    lines = [
        f"::error title={_property(check_cells.kernel(each.kernel))}::{_data(_message(each))}"
        for each in report.violating
    ]
    return "\n".join([*lines, check_cells.summary(report), *check_cells.notes(report)])


def _message(violating: Violating) -> str:
    lines = []
    for violation in violating.violations:
        lines += [check_cells.broken(violation), check_cells.mending(violating.kernel, violation)]
    since = check_cells.since(violating)
    return "\n".join([*lines, *([f"Since the baseline: {since}."] if since else [])])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit(report: CheckReport) -> str:
    """JUnit's XML: a test case for each kernel."""
    failures = len(report.violating)
    count = {"tests": str(failures + len(report.holding)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "occupancy", **count})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml(report.build), **count})
    for each in report.violating:
        message = _message(each)
        failure = ElementTree.SubElement(
            _case(suite, each.kernel, launched_with(each.kernel)),
            "failure",
            {"message": _xml(message.splitlines()[0])},
        )
        failure.text = _xml(message)
    for holding in report.holding:
        _case(suite, holding, holding.threads)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _case(suite: ElementTree.Element, kernel: ScanRow | Holding, threads: int | None) -> ElementTree.Element:
    launch = f", {threads} threads" if threads else ""
    name = f"{kernel.demangled} ({kernel.arch}{launch})"
    return ElementTree.SubElement(suite, "testcase", {"classname": _xml(kernel.source), "name": _xml(name)})


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)
