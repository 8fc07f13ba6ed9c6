"""Findings for services that run checks: annotations of GitHub Actions, JUnit's XML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from ..values.untrusted import github_message, github_property, printable, xml_text
from .sarif import within_here


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


def github(cases: Iterable[Case], conclusion: Sequence[str], notices: Iterable[Case] = ()) -> str:
    """Workflow commands of GitHub Actions: an annotation for each case that failed, and for each notice; then
    plain lines.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    failed = [("error", each) for each in cases if each.message]
    lines = [
        f"::{kind} {_place(each)}title={github_property(each.title)}::{github_message(each.message)}"
        for kind, each in (*failed, *(("notice", each) for each in notices))
    ]
    return "\n".join([*lines, *map(printable, conclusion)])


def _place(case: Case) -> str:
    if not case.file:
        return ""
    file = f"file={github_property(within_here(case.file))},"
    return file if case.line is None else f"{file}line={case.line},"


def junit(suite: str, cases: Sequence[Case]) -> str:
    """JUnit's XML: a test suite with its cases."""
    failures = sum(bool(each.message) for each in cases)
    count = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "occupancy", **count})
    parent = ElementTree.SubElement(root, "testsuite", {"name": xml_text(suite), **count})
    for each in cases:
        names = {"classname": xml_text(each.source), "name": xml_text(each.name)}
        case = ElementTree.SubElement(parent, "testcase", names)
        if each.message:
            message = xml_text(each.message)
            first = {"message": message.splitlines()[0]}
            ElementTree.SubElement(case, "failure", first).text = message
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")
