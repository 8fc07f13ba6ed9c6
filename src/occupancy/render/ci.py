"""Findings for services that run checks: annotations of GitHub Actions, JUnit's XML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from .sarif import within_here

# What XML 1.0 cannot hold, not even as a reference; names in damaged files do.
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


class Case(NamedTuple):
    """Something that was checked."""

    source: str
    """The file that it is in."""
    name: str
    title: str = ""
    """The headline of what is wrong with it."""
    message: str = ""
    """What is wrong with it; empty where nothing is."""
    file: str = ""
    """The file of the source that it is written in, where that is known."""
    line: int | None = None
    """The line in it."""


def github(cases: Iterable[Case], conclusion: Sequence[str]) -> str:
    """Workflow commands of GitHub Actions: an annotation for each case that failed; then plain lines.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    lines = [
        f"::error {_place(each)}title={_property(each.title)}::{_data(each.message)}"
        for each in cases
        if each.message
    ]
    return "\n".join([*lines, *conclusion])


def _place(case: Case) -> str:
    if not case.file:
        return ""
    file = f"file={_property(within_here(case.file))},"
    return file if case.line is None else f"{file}line={case.line},"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit(suite: str, cases: Sequence[Case]) -> str:
    """JUnit's XML: a test suite with its cases."""
    failures = sum(bool(each.message) for each in cases)
    count = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "occupancy", **count})
    parent = ElementTree.SubElement(root, "testsuite", {"name": _xml(suite), **count})
    for each in cases:
        names = {"classname": _xml(each.source), "name": _xml(each.name)}
        case = ElementTree.SubElement(parent, "testcase", names)
        if each.message:
            message = _xml(each.message)
            first = {"message": message.splitlines()[0]}
            ElementTree.SubElement(case, "failure", first).text = message
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)
