"""The GitHub action: action.yml, and its script as CI would run it, with a stand-in for GitHub."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
BUILDS = ROOT / "tests" / "data" / "builds"


class GitHub(HTTPServer):
    """Keeps the comments of one pull request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.comments: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.is_read_only = False


class _Handler(BaseHTTPRequestHandler):
    server: GitHub

    def do_GET(self) -> None:
        self.server.requests.append(f"GET {self.path}")
        page = int(self.path.rpartition("page=")[2])
        self.answer(self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        self.change(None)

    def do_PATCH(self) -> None:
        self.change(int(self.path.rpartition("/")[2]))

    def change(self, number: int | None) -> None:
        self.server.requests.append(f"{self.command} {self.path}")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        if self.server.is_read_only or self.headers["Authorization"] != "Bearer secret":
            self.send_error(403)
            return
        if number is None:
            number = len(self.server.comments)
            self.server.comments.append({"id": number, "user": {"type": "Bot"}})
        self.server.comments[number]["body"] = body
        self.answer({"id": number})

    def answer(self, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub()
    # It looks that often whether it is to end: by default twice a second, and each test would wait for that.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its rules and its baseline, and the build of a change."""
    folder = tmp_path_factory.mktemp("project")
    for build in ("before", "after"):
        (folder / build).mkdir()
        for packed in (BUILDS / build).glob("*.gz"):
            (folder / build / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    program = [sys.executable, "-m", "occupancy"]
    subprocess.run([*program, "init", "before"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    return folder


@pytest.fixture
def checkout(project: Path, tmp_path: Path) -> Path:
    """The project, for a test to change."""
    return shutil.copytree(project, tmp_path, dirs_exist_ok=True)


def run(checkout: Path, github: GitHub, build: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    defaults = {name.upper(): each.get("default", "") for name, each in action["inputs"].items()}
    environment = {
        **os.environ, **defaults, "BUILD": build, "TOKEN": "secret", **inputs,
        "GITHUB_API_URL": f"http://127.0.0.1:{github.server_port}", "GITHUB_REPOSITORY": "me/it",
        "GITHUB_EVENT_PATH": str(checkout / "event.json"), "GITHUB_OUTPUT": str(checkout / "output"),
        "GITHUB_STEP_SUMMARY": str(checkout / "summary"), "RUNNER_TEMP": str(checkout),
    }  # fmt: skip
    (checkout / "output").write_text("")
    script = [sys.executable, str(ROOT / "packaging" / "action.py")]
    return subprocess.run(script, cwd=checkout, env=environment, capture_output=True, text=True)


def outputs(checkout: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (checkout / "output").read_text().splitlines())


def test_the_inputs_are_the_variables_of_the_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "check"]
    assert set(step["env"]) == {name.upper() for name in action["inputs"]} - {"SARIF", "PACKAGE"}
    script = (ROOT / "packaging" / "action.py").read_text()
    assert all(f'"{name}"' in script or f"'{name}'" in script for name in step["env"])
    # What a user wrote never becomes part of a command of the shell.
    assert not any("${{" in step.get("run", "") for step in action["runs"]["steps"])


def test_a_regression_is_said_once_and_updated(checkout: Path, github: GitHub) -> None:
    baseline = "occupancy-baseline.json"
    github.comments = [{"id": n, "body": "hello", "user": {"type": "User"}} for n in range(120)]
    done = run(checkout, github, "after", BASELINE=baseline)
    assert (done.returncode, done.stderr) == (0, "")
    assert "::error " in done.stdout
    assert outputs(checkout)["passed"] == "false"
    log = json.loads(Path(outputs(checkout)["sarif"]).read_text())
    assert log["runs"][0]["results"]
    assert len(github.comments) == 121
    assert "warp_image" in github.comments[-1]["body"]
    assert "warp_image" in (checkout / "summary").read_text()
    run(checkout, github, "before", BASELINE=baseline)
    assert outputs(checkout)["passed"] == "true"
    assert len(github.comments) == 121, "updated, and not repeated"
    assert github.requests[-1].startswith("PATCH ")
    assert all(each["body"] == "hello" for each in github.comments[:120])


def test_a_comment_that_quotes_ours_is_left_alone(checkout: Path, github: GitHub) -> None:
    github.comments = [{"id": 0, "body": "<!-- occupancy --> mine", "user": {"type": "User"}}]
    run(checkout, github, "before")
    assert github.comments[0]["body"] == "<!-- occupancy --> mine"
    assert len(github.comments) == 2


def test_a_token_that_may_only_read_is_no_failure(checkout: Path, github: GitHub) -> None:
    github.is_read_only = True
    done = run(checkout, github, "before")
    assert done.returncode == 0
    assert "::warning title=occupancy::The comment could not be written" in done.stdout
    assert outputs(checkout)["passed"] == "true"


def test_no_comment_without_a_pull_request_or_where_it_is_not_wanted(checkout: Path, github: GitHub) -> None:
    run(checkout, github, "before", COMMENT="false")
    (checkout / "event.json").write_text("{}")
    run(checkout, github, "before")
    assert github.requests == []


def test_a_wrong_question_fails(checkout: Path, github: GitHub) -> None:
    done = run(checkout, github, "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert done.stdout.startswith("::error title=occupancy::nowhere")
    assert outputs(checkout) == {"passed": "false"}


@pytest.mark.posix
def test_what_it_installs_is_its_own_repository_unless_said_otherwise(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = action["runs"]["steps"][0]["run"]
    # In place of Python and pip, programs that write down what they are asked for.
    programs = tmp_path / "occupancy" / "bin"
    programs.mkdir(parents=True)
    for program in (programs / "pip", tmp_path / "python3"):
        program.write_text('#!/bin/sh\necho "$@" >>"$RUNNER_TEMP/asked"\n')
        program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for package in (action["inputs"]["package"]["default"], "a.whl"):
        environment = {
            "PATH": path,
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTION_PATH": "/here",
            "PACKAGE": package,
        }
        subprocess.run(["bash", "-e", "-c", script], env=environment, check=True)
    venv = f"-m venv {tmp_path}/occupancy"
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == [venv, "install --quiet /here", venv, "install --quiet a.whl"]
