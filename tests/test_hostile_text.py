"""Malicious names and values, in files and in file names, stay text in every output and message."""

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import hostile
from tests.limited import Ended, held, limited

HARM = "k\x1b]0;PWN\x07\n::error::INJ\r##[error]x <img src=x onerror=alert(1)> =1+1 @user \ud800 |`a`|"
"""Terminal title, build server commands, HTML tag, formula, mention, table row."""
FORMATS = {
    "scan": ("text", "json", "jsonl", "csv", "markdown", "html"),
    "diff": ("text", "json", "csv", "markdown"),
    "check": ("text", "json", "csv", "markdown", "github", "junit", "sarif"),
}


def is_text(ended: Ended, output_format: str) -> None:
    """Check that output and messages contain no commands, and that the output is well-formed."""
    held(ended)
    printed = ended.out.decode()
    for line in f"{printed}\n{ended.error}".split("\n"):
        assert not [harm for harm in ("\x1b", "\x07", "\r", "##[") if harm in line]
        if output_format != "github" or not line.startswith("::error "):
            assert not line.lstrip().startswith("::"), line
    if output_format in ("json", "sarif"):
        json.loads(printed)
    elif output_format == "jsonl":
        list(map(json.loads, printed.splitlines()))
    elif output_format == "junit":
        ElementTree.fromstring(printed)
    elif output_format == "csv":
        header, *rows = csv.reader(io.StringIO(printed, newline=""))
        assert all(len(row) == len(header) for row in rows)
        assert not [cell for row in rows for cell in row if re.match(r"[=+@]|-\D", cell)]
    elif output_format == "html":
        tags = hostile.Tags(printed)
        assert "img" not in tags.found
        assert "onerror" not in tags.attributes
    elif output_format == "markdown":
        assert "<img" not in re.sub(r"`[^`]*`", "", printed)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text("[[rules]]\nmax_regs = 1\n")
    return path


@pytest.mark.parametrize(("command", "output_format"), [(c, f) for c, of in FORMATS.items() for f in of])
def test_names_in_files(tmp_path: Path, rules: Path, command: str, output_format: str) -> None:
    for build, regs in (("old", 32), ("new", 64)):
        (tmp_path / build).mkdir()
        for format in ("nsight-csv", "pytorch-trace"):
            content = hostile.NAMED[format](HARM)
            for before in ('thread": 32', '"32"\n'):
                content = content.replace(before, before.replace("32", str(regs)))
            (tmp_path / build / format).write_bytes(content.encode("utf-8", "replace"))
    others = {"scan": (), "diff": (tmp_path / "old",), "check": ("--rules", rules)}[command]
    ended = limited(command, tmp_path / "new", *others, "--format", output_format)
    assert ended.code == (1 if command == "check" else 0), ended.error
    assert b"PWN" in ended.out
    is_text(ended, output_format)


@pytest.mark.parametrize(
    "arguments",
    [
        ("scan", "log", "-o", "{}.csv"), ("scan", "log", "--save-baseline", "{}.json"),
        ("diff", "log", "log", "-o", "{}.html"), ("check", "log", "--rules", "rules.toml", "-o", "{}.xml"),
        ("sweep", "--cc", "9.0", "--threads", "32:64:32", "-o", "{}.csv"), ("page", "-o", "{}.html"),
        ("init", "log", "--rules", "{}.toml"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_name_of_a_written_file(tmp_path: Path, rules: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "log").write_text(hostile.log("k"))
    name = "x\n::error::INJ\x1b##[error]"
    is_text(limited(*(each.replace("{}", name) for each in arguments), folder=tmp_path), "text")
    assert any("INJ" in each.name for each in tmp_path.iterdir())


@pytest.mark.parametrize("output_format", FORMATS["scan"])
def test_the_name_of_a_file(tmp_path: Path, output_format: str) -> None:
    folder = tmp_path / "a\n::error::INJ\x1b]0;PWN\x07<img src=x onerror=alert(1)>"
    folder.mkdir()
    (folder / "=1+1.log").write_text(hostile.log("k"))
    (folder / "damaged").write_bytes(b"\x50\xed\x55\xba\x01\0\x10\0" + bytes(100))
    ended = limited("scan", "=1+1.log", folder / "damaged", "--format", output_format, folder=folder)
    assert ended.code == 1
    is_text(ended, output_format)


@pytest.mark.parametrize(
    "arguments",
    [
        ("scan", "{}"), ("diff", "{}", "{}"), ("check", "{}", "--rules", "{}"),
        ("check", "log", "--rules", "rules.toml", "--baseline", "{}"), ("scan", "log", "--arch", "{}"),
        ("scan", "log", "--save-baseline", "{}/x"), ("scan", "log", "-o", "{}/x"),
        ("calc", "--cc", "{}", "--threads", "32"), ("calc", "--cc", "9.0", "--threads", "{}"),
        ("calc", "--cc", "9.0", "--threads", "32", "--limits", "{}"),
        ("calc", "--cc", "9.0", "--threads", "32", "--set", "{}=1"), ("{}",), ("calc", "--{}"),
        ("fits", "--gpu", "{}", "--threads", "32"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_refused_is_quoted_as_text(tmp_path: Path, rules: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "log").write_text(hostile.log("k"))
    harm = "no\n::error::INJ\x1b]0;PWN\x07\r##[error]"
    ended = limited(*(each.replace("{}", harm) for each in arguments), folder=tmp_path)
    assert ended.code in (1, 2)
    is_text(ended, "text")


@pytest.mark.parametrize(
    "file",
    [
        hostile.trace("k", arch=("9\x1b]0;x\x07<img onerror=x>", 0)),
        hostile.page("k", "9.0\x1b]0;x\x07<img onerror=x>"),
        hostile.log("k").replace("sm_90", "sm_90\x1b]0;x\x07<img onerror=x>"),
    ],
    ids=["trace", "page", "log"],
)
def test_an_architecture_is_one_or_nothing(tmp_path: Path, file: str) -> None:
    (tmp_path / "file").write_text(file)
    ended = limited("scan", tmp_path / "file", "--format", "jsonl")
    held(ended)
    for row in map(json.loads, ended.out.splitlines()):
        assert row["arch"] in (None, "sm_90")
    for output_format in ("text", "markdown"):
        is_text(limited("scan", tmp_path / "file", "--format", output_format), output_format)


def test_a_name_with_half_a_character_does_not_keep_a_baseline_from_being_written(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(hostile.trace("k\ud800"))
    done = limited("scan", tmp_path / "trace.json", "--save-baseline", tmp_path / "b.json")
    assert done.code == 0, done.error
    again = limited("diff", tmp_path / "b.json", tmp_path / "trace.json", "--format", "json")
    assert again.code == 0, again.error
    assert json.loads(again.out)["kernels"] == []
