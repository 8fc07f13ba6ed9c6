"""Findings as SARIF 2.1.0, which services for code scanning read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from ..values.untrusted import json_text, printable, sarif_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
"""What relative paths start at: the top of the checkout, as services take it."""


class Finding(NamedTuple):
    """Something that a rule does not allow."""

    rule: str
    """The rule's name."""
    message: str
    name: str
    """What it is about, by its full name."""
    file: str
    """Where it is: a file of the source, or of the build where that is all that is known."""
    line: int | None
    """The line in that file."""
    fingerprint: str
    """The same for the same finding in another build."""


class FoundRule(NamedTuple):
    """What findings are of one kind by."""

    text: str
    level: Literal["error", "warning", "note"] = "error"


def sarif(findings: Iterable[Finding], rules: Mapping[str, FoundRule], version: str) -> str:
    """One run of this program.

    Args:
        findings: What was found.
        rules: Every rule that was asked, by its name.
        version: Of this program.
    """
    driver = {
        "name": "occupancy",
        "version": version,
        "rules": [
            {
                "id": name,
                "shortDescription": {"text": rule.text},
                "defaultConfiguration": {"level": rule.level},
            }
            for name, rule in rules.items()
        ],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, rules) for each in findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False))


def _result(finding: Finding, rules: Mapping[str, FoundRule]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(finding.file)}
    if finding.line is not None:
        physical["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(rules).index(finding.rule),
        "level": rules[finding.rule].level,
        "message": {"text": sarif_text(finding.message)},
        "locations": [
            {
                "physicalLocation": physical,
                "logicalLocations": [{"fullyQualifiedName": printable(finding.name), "kind": "function"}],
            }
        ],
        "partialFingerprints": {"kernelAndRule/v1": printable(finding.fingerprint)},
    }


def _artifact(path: str) -> dict[str, str]:
    """A file by its URI: relative to the folder that the program runs in, where it is in it."""
    relative = within_here(path)
    windows = PureWindowsPath(relative)
    if windows.drive and windows.is_absolute():
        return {"uri": f"file:///{quote(windows.as_posix(), safe='/:', errors='replace')}"}
    if PurePosixPath(relative).is_absolute():
        return {"uri": f"file://{quote(relative, errors='replace')}"}
    return {"uri": quote(relative, errors="replace"), "uriBaseId": ROOT}


def within_here(path: str) -> str:
    """The path as seen from the folder that the program runs in, where it is in it; with slashes everywhere.

    On Windows paths compare without case, and have both kinds of slashes: line tables mix them.
    """
    seen = PurePath(path)
    return (seen.relative_to(os.getcwd()) if seen.is_relative_to(os.getcwd()) else seen).as_posix()
