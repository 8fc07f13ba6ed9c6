"""The GitHub action: action.yml and its script, run as in CI against a stand-in for GitHub's API."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.cli_runner import PROGRAM

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
BASELINE = "occupancy-baseline.json"


class GitHub(HTTPServer):
    """Server with the comments of one pull request."""

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
        self.server.requests.append(f"{self.command} {self.path}")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        if self.server.is_read_only or self.headers["Authorization"] != "Bearer secret":
            self.send_error(403)
            return
        number = len(self.server.comments)
        if self.command == "POST":
            self.server.comments.append({"id": number, "user": {"type": "Bot"}})
        else:
            number = int(self.path.rpartition("/")[2])
        self.server.comments[number]["body"] = body
        self.answer({"id": number})

    do_PATCH = do_POST  # noqa: N815, a name of http.server

    def answer(self, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub()
    # The server polls for shutdown; the default interval costs half a second per test.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def project(builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = shutil.copytree(builds, tmp_path_factory.mktemp("project"), dirs_exist_ok=True)
    subprocess.run([*PROGRAM, "init", "before"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    return folder


@pytest.fixture
def checkout(project: Path, tmp_path: Path) -> Path:
    return shutil.copytree(project, tmp_path, dirs_exist_ok=True)


def run(checkout: Path, github: GitHub, build: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    defaults = {name.upper(): each.get("default", "") for name, each in ACTION["inputs"].items()}
    environment = {
        **os.environ, **defaults, "BUILD": build, "TOKEN": "secret", **inputs,
        "GITHUB_API_URL": f"http://127.0.0.1:{github.server_port}", "GITHUB_REPOSITORY": "me/it",
        "GITHUB_EVENT_PATH": str(checkout / "event.json"), "GITHUB_OUTPUT": str(checkout / "output"),
        "GITHUB_STEP_SUMMARY": str(checkout / "summary"), "RUNNER_TEMP": str(checkout),
    }  # fmt: skip
    (checkout / "output").write_text("")
    script = [sys.executable, "-I", str(ROOT / "packaging" / "action.py")]
    return subprocess.run(script, cwd=checkout, env=environment, capture_output=True, text=True)


def outputs(checkout: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (checkout / "output").read_text().splitlines())


def test_the_inputs_are_the_variables_of_the_script() -> None:
    steps = ACTION["runs"]["steps"]
    (step,) = [step for step in steps if step.get("id") == "check"]
    assert set(step["env"]) == {name.upper() for name in ACTION["inputs"]} - {"SARIF", "PACKAGE"}
    script = (ROOT / "packaging" / "action.py").read_text()
    assert all(f'"{name}"' in script or f"'{name}'" in script for name in step["env"])
    # An input never becomes part of a shell command.
    assert not any("${{" in step.get("run", "") for step in steps)


def test_a_regression_has_one_comment_which_is_updated(checkout: Path, github: GitHub) -> None:
    github.comments = [{"id": n, "body": "hello", "user": {"type": "User"}} for n in range(120)]
    done = run(checkout, github, "after", BASELINE=BASELINE)
    assert done.returncode == 0
    assert all(line.startswith("Wrote ") for line in done.stderr.splitlines())
    assert "::error " in done.stdout
    assert outputs(checkout)["passed"] == "false"
    assert json.loads(Path(outputs(checkout)["sarif"]).read_text())["runs"][0]["results"]
    assert len(github.comments) == 121
    assert "warp_image" in github.comments[-1]["body"]
    assert "warp_image" in (checkout / "summary").read_text()
    run(checkout, github, "before", BASELINE=BASELINE)
    assert outputs(checkout)["passed"] == "true"
    assert len(github.comments) == 121, "updated, and not repeated"
    assert github.requests[-1].startswith("PATCH ")
    assert all(each["body"] == "hello" for each in github.comments[:120])


def test_a_quoted_comment_is_left_alone(checkout: Path, github: GitHub) -> None:
    github.comments = [{"id": 0, "body": "<!-- occupancy --> mine", "user": {"type": "User"}}]
    run(checkout, github, "before")
    assert [each["body"] == "<!-- occupancy --> mine" for each in github.comments] == [True, False]


def test_a_read_only_token_is_no_failure(checkout: Path, github: GitHub) -> None:
    github.is_read_only = True
    done = run(checkout, github, "before")
    assert done.returncode == 0
    assert "::warning title=occupancy::The comment could not be" in done.stdout
    assert outputs(checkout)["passed"] == "true"


def test_no_comment_if_turned_off_or_without_a_pull_request(checkout: Path, github: GitHub) -> None:
    run(checkout, github, "before", COMMENT="false")
    for event in ({}, {"pull_request": {"number": "7"}}):
        (checkout / "event.json").write_text(json.dumps(event))
        assert run(checkout, github, "before").returncode == 0
    assert github.requests == []


def test_a_check_that_cannot_run_is_reported_in_the_comment(checkout: Path, github: GitHub) -> None:
    (checkout / "k.log").write_text("src/k.cu(26): error: nowhere\n")
    done = run(checkout, github, "k.log")
    assert (done.returncode, "nowhere" in done.stderr) == (2, True)
    assert done.stdout.startswith("::error file=src/k.cu,line=26,title=occupancy%3A could-not-run::k.log")
    assert outputs(checkout) == {"passed": "false"}
    for text in (github.comments[0]["body"], (checkout / "summary").read_text()):
        assert "The check could not run." in text
        assert "nowhere" in text


def test_no_file_of_the_checkout_is_imported(checkout: Path, github: GitHub) -> None:
    stolen = checkout / "stolen"
    attack = f"import os; open({str(stolen)!r}, 'a').write(os.environ.get('TOKEN', ''))"
    for name in ("occupancy.py", "click.py", "json.py", "sitecustomize.py"):
        (checkout / name).write_text(attack)
    run(checkout, github, "after", PYTHONPATH=str(checkout))
    assert outputs(checkout)["passed"] == "false"
    assert not stolen.exists()


def test_a_check_writes_several_formats_at_once(checkout: Path) -> None:
    files = ["findings.sarif", "cases.xml", "summary.md", "rows.csv"]
    check = [*PROGRAM, "check", "after"]
    command = [*check, *(part for file in files for part in ("-o", file))]
    assert subprocess.run(command, cwd=checkout, capture_output=True).returncode == 1
    log, cases, summary, rows = ((checkout / file).read_text() for file in files)
    assert (log[0], cases[0], summary[0] in "*#|F", "," in rows) == ("{", "<", True, True)
    wrong = subprocess.run([*check, "-o", "x.pdf"], cwd=checkout, capture_output=True, text=True)
    assert wrong.returncode == 2
    assert ".sarif" in wrong.stderr


def test_a_line_of_the_build_is_never_an_option(checkout: Path, github: GitHub) -> None:
    baseline = (checkout / BASELINE).read_bytes()
    assert run(checkout, github, "after\n--update").returncode == 2
    assert outputs(checkout) == {"passed": "false"}
    assert (checkout / BASELINE).read_bytes() == baseline


def test_a_long_report_is_cut_between_lines_and_outside_of_code() -> None:
    action = SimpleNamespace(**runpy.run_path(str(ROOT / "packaging" / "action.py")))
    text = f"| `{'a' * 30}` |\n" * 9 + action.fenced("@someone ```` <img>\n" * 9) + "\nend\n"
    lines = set(text.splitlines()) | set(action.CUT.splitlines())
    for limit in range(len(action.CUT), len(text)):
        short = action.shortened(text, limit)
        assert len(short) <= limit
        assert set(short.splitlines()) <= lines
        assert short.count("`````") in (0, 2)
    assert action.shortened(text, len(text)) == text


@pytest.mark.posix
def test_it_installs_its_own_repository_or_the_package_named(tmp_path: Path) -> None:
    # Python and pip are replaced by programs that record their arguments.
    programs = tmp_path / "occupancy" / "bin"
    programs.mkdir(parents=True)
    for program in (programs / "pip", tmp_path / "python3"):
        program.write_text('#!/bin/sh\necho "$@" >>"$RUNNER_TEMP/recorded"\n')
        program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for package in (ACTION["inputs"]["package"]["default"], "a.whl"):
        environment = {"PATH": path, "RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": "/here"}
        environment["PACKAGE"] = package
        subprocess.run(["bash", "-e", "-c", ACTION["runs"]["steps"][0]["run"]], env=environment, check=True)
    venv = f"-I -m venv {tmp_path}/occupancy"
    recorded = (tmp_path / "recorded").read_text().splitlines()
    assert recorded == [venv, "install --quiet /here", venv, "install --quiet a.whl"]
