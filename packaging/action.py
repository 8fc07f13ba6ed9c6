"""The script of the GitHub action: annotations, SARIF, a summary and one comment on the pull request.

Inputs come in environment variables: the inputs of action.yml in capitals, and GitHub's own
(https://docs.github.com/en/actions/reference/variables-reference). It needs the standard library alone.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARK = "<!-- occupancy -->"
"""First line of the comment, by which the next run finds it."""
MAX_COMMENT = 60_000
"""Characters of a comment; GitHub rejects more than 65,536."""
CUT = "\n(Shortened. The summary of the run has the whole report.)\n"
PER_PAGE = 100
MAX_PAGES = 50
TIMEOUT_SECONDS = 30


def main() -> int:
    """Run the check and publish its results; return 0 unless it could not run."""
    # After "--" nothing is an option, so that a file called "--update" cannot accept the build.
    build = ["--", *(line.strip() for line in os.environ["BUILD"].splitlines() if line.strip())]
    options = shlex.split(os.environ.get("OPTIONS", ""))
    rules = ["--rules", os.environ["RULES"]] if os.environ.get("RULES") else []
    baseline = os.environ.get("BASELINE", "")
    check = ["check", *rules, *(["--baseline", baseline] if baseline else []), *options]

    folder = Path(os.environ.get("RUNNER_TEMP", "."))
    sarif, summary = folder / "occupancy.sarif", folder / "occupancy.md"
    files = ["-o", str(sarif), "-o", str(summary)]
    checked = run_program([*check, "--format", "github", *files, *build])
    sys.stdout.write(checked.stdout)
    sys.stderr.write(checked.stderr)
    set_output("passed", "true" if checked.returncode == 0 else "false")
    if checked.returncode not in (0, 1):
        problem = re.sub("(?m)^Wrote .*\n", "", checked.stderr)
        publish([f"The check could not run.\n\n{fenced(problem)}\n"])
        return checked.returncode

    set_output("sarif", str(sarif))
    reports = [summary.read_text(encoding="utf-8")]
    if baseline and len(build) == 2 and checked.returncode == 0:  # else the check lists the failures
        changes = run_program(["diff", *options, "--format", "markdown", "--", baseline, build[1]])
        if changes.returncode in (0, 1):
            reports.append(changes.stdout)
    publish(reports)
    return 0


def run_program(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run occupancy isolated: no Python file of the checkout is imported, and the token is not passed."""
    command = [sys.executable, "-I", "-m", "occupancy", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "TOKEN"}
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def set_output(name: str, value: str) -> None:
    """Set an output of the step."""
    append("GITHUB_OUTPUT", f"{name}={value}\n")


def append(variable: str, text: str) -> None:
    """Append to the file whose path is in an environment variable."""
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def publish(reports: list[str]) -> None:
    """Write the reports to the summary of the run and, if wanted, to the comment."""
    append("GITHUB_STEP_SUMMARY", "\n".join(reports))
    number = pull_request()
    if os.environ.get("COMMENT") == "true" and number is not None:
        head = f"{MARK}\n## Occupancy\n\n"
        room = (MAX_COMMENT - len(head)) // len(reports)
        comment(number, head + "\n".join(shortened(each, room) for each in reports))


def fenced(text: str) -> str:
    """Return text as a block of code that nothing in the text can close."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def shortened(text: str, limit: int) -> str:
    """Return whole lines of Markdown, at most limit characters, with every block of code closed."""
    if len(text) <= limit:
        return text
    kept: list[str] = []
    fence = ""
    room = limit - len(CUT)
    for line in text.splitlines(keepends=True):
        following = fence_after(line, fence)
        if len(line) + len(following) + 1 > room:
            break
        kept.append(line)
        room -= len(line)
        fence = following
    return "".join(kept) + (f"{fence}\n" if fence else "") + CUT


def fence_after(line: str, fence: str) -> str:
    """Return the fence of the block of code that is open after a line, or nothing."""
    if fence:
        return "" if line.strip() == fence else fence
    opened = re.match("`{3,}", line)
    return opened[0] if opened else ""


def pull_request() -> int | None:
    """Return the number of the pull request that the event is about."""
    path = os.environ.get("GITHUB_EVENT_PATH")
    event = json.loads(Path(path).read_text(encoding="utf-8")) if path else None
    request = event.get("pull_request") if isinstance(event, dict) else None
    number = request.get("number") if isinstance(request, dict) else None
    return number if isinstance(number, int) else None


def comment(number: int, text: str) -> None:
    """Write the comment on a pull request, or update the one of an earlier run.

    A token that may only read, as in a pull request from a fork, does not fail the check.
    """
    issue = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    try:
        mine = next((each["id"] for each in comments(f"{issue}/{number}/comments") if is_mine(each)), None)
        if mine is None:
            request("POST", f"{issue}/{number}/comments", {"body": text})
        else:
            request("PATCH", f"{issue}/comments/{mine}", {"body": text})
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = str(error).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        print(f"::warning title=occupancy::The comment could not be written: {reason}")


def comments(path: str) -> list[dict[str, Any]]:
    """Return all comments on the pull request."""
    found: list[dict[str, Any]] = []
    for page in range(1, MAX_PAGES + 1):
        some = request("GET", f"{path}?per_page={PER_PAGE}&page={page}")
        found += some
        if len(some) < PER_PAGE:
            break
    return found


def is_mine(each: dict[str, Any]) -> bool:
    """Return true for the comment of an earlier run: people may quote it, and are not bots."""
    is_bot = (each.get("user") or {}).get("type") == "Bot"
    return is_bot and str(each.get("body", "")).startswith(MARK)


def request(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    """Send a request to GitHub's API and return the parsed response."""
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    message = urllib.request.Request(
        f"{api}/{path}",
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ.get('TOKEN', '')}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.urlopen(message, timeout=TIMEOUT_SECONDS) as response:
        return json.load(response)


if __name__ == "__main__":
    sys.exit(main())
