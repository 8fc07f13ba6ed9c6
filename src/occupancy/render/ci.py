"""Formats of CI services: SARIF 2.1.0, JUnit's XML, and annotations of GitHub Actions.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from ..report.scan import Finding
from ..values import untrusted

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
"""Base of relative paths: the top of the checkout."""

MOST_ANNOTATIONS = 10
"""Errors that GitHub shows for one step."""


def sarif(findings: Sequence[Finding], titles: Mapping[str, str], version: str) -> str:
    """Return findings as one run of this program; those of no rule as errors of the program itself."""
    keys = ("shortDescription", "fullDescription", "help")  # GitHub requires all
    used = {each.rule: titles[each.rule] for each in findings if each.rule in titles}
    rules = [{"id": name, **{key: {"text": title} for key in keys}} for name, title in used.items()]
    tool = {"driver": {"name": "occupancy", "version": version, "rules": rules}}
    results = [_result(each) for each in findings if each.rule in titles]
    run: dict[str, Any] = {"tool": tool, "columnKind": "unicodeCodePoints", "results": results}
    errors = [_result(each) for each in findings if each.rule not in titles]
    if notifications := [{key: each[key] for key in ("level", "message", "locations")} for each in errors]:
        run["invocations"] = [{"executionSuccessful": False, "toolExecutionNotifications": notifications}]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return untrusted.json_text(json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False))


def _result(finding: Finding) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(finding.file)}
    if finding.line is not None:
        physical["region"] = {"startLine": finding.line}
    logical = [{"fullyQualifiedName": untrusted.printable(finding.kernel), "kind": "function"}]
    text = untrusted.printable_lines(finding.message).replace("](", "] (")  # [words](place) would be a link
    fingerprint = untrusted.printable(f"{finding.kernel} {finding.arch} {finding.rule}")
    return {
        "ruleId": finding.rule, "level": finding.severity, "message": {"text": text},
        "locations": [{"physicalLocation": physical, "logicalLocations": logical}],
        "partialFingerprints": {"kernelAndRule/v1": fingerprint},
    }  # fmt: skip


def _artifact(path: str) -> dict[str, str]:
    relative = within_checkout(path)
    windows = PureWindowsPath(relative)
    if windows.drive and windows.is_absolute():
        return {"uri": f"file:///{quote(windows.as_posix(), safe='/:', errors='replace')}"}
    if PurePosixPath(relative).is_absolute():
        return {"uri": f"file://{quote(relative, errors='replace')}"}
    return {"uri": quote(relative, errors="replace"), "uriBaseId": ROOT}


def within_checkout(path: str) -> str:
    """Return a path relative to the top of the checkout, with slashes.

    A build in another folder, as in a container, has other absolute paths: the longest tail of the path that
    exists here counts. On Windows paths compare without case, and line tables mix both kinds of slashes.
    """
    folder = PurePath(os.getcwd())
    top = next((each for each in (folder, *folder.parents) if os.path.exists(each / ".git")), folder)
    seen = PurePath(os.path.normpath(folder / path if os.path.exists(path) else path))
    tails = (base.joinpath(*seen.parts[i:]) for i in range(1, len(seen.parts)) for base in (top, folder))
    found = seen if seen.is_relative_to(top) else next(filter(os.path.isfile, tails), seen)
    return (found.relative_to(top) if found.is_relative_to(top) else found).as_posix()


def github(findings: Sequence[Finding], lines: Iterable[str], notices: Iterable[str] = ()) -> str:
    """Return an annotation for each finding, at most as many as GitHub shows, and notices and plain lines."""
    shown = findings if len(findings) <= MOST_ANNOTATIONS else findings[: MOST_ANNOTATIONS - 1]
    messages = list(map(_annotation, shown))
    if more := len(findings) - len(shown):
        messages.append(f"::error title=occupancy::{more:,} more findings. To list them, pass --format csv.")
    messages += (f"::notice title=occupancy::{untrusted.github_message(each)}" for each in notices)
    return "\n".join([*messages, *map(untrusted.printable, lines)])


def _annotation(finding: Finding) -> str:
    place = f"file={untrusted.github_property(within_checkout(finding.file))}," if finding.file else ""
    place += "" if finding.line is None else f"line={finding.line},"
    title = untrusted.github_property(f"occupancy: {finding.rule}")
    return f"::error {place}title={title}::{untrusted.github_message(finding.message)}"


def junit(suite: str, cases: Sequence[Finding], kind: str = "failure") -> str:
    """Return JUnit's XML: a test suite with a case for each finding, which failed if it has a message."""
    failures = sum(bool(case.message) for case in cases)
    count = {"tests": str(len(cases)), "failures": "0", "errors": "0", f"{kind}s": str(failures)}
    root = ElementTree.Element("testsuites", {"name": "occupancy", **count})
    parent = ElementTree.SubElement(root, "testsuite", {"name": untrusted.printable_lines(suite), **count})
    for each in cases:
        file, message = map(untrusted.printable_lines, (within_checkout(each.file), each.message))
        names = {"classname": file, "file": file, "name": untrusted.printable_lines(each.kernel)}
        line = {} if each.line is None else {"line": str(each.line)}
        case = ElementTree.SubElement(parent, "testcase", names | line)
        if message:
            # Jenkins shows the attribute, GitLab the content.
            ElementTree.SubElement(case, kind, {"message": message.partition("\n")[0]}).text = message
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")
