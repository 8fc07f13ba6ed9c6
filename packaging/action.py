"""What the GitHub action does: check, annotate, SARIF, a summary, and one comment on the pull request.

Everything comes in environment variables: the inputs of action.yml in capitals, and those of GitHub
(https://docs.github.com/en/actions/reference/variables-reference). Nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARK = "<!-- occupancy -->"
"""In the comment that is updated, instead of a new one each time."""
MOST_CHARACTERS = 60_000
"""Of a comment; GitHub refuses more than 65,536."""
PAGE = 100
MOST_PAGES = 50
SECONDS = 30


def main() -> int:
    """Run the commands; the exit code is 0 where their answers could be had, whatever they are."""
    build = [line.strip() for line in os.environ["BUILD"].splitlines() if line.strip()]
    options = shlex.split(os.environ.get("OPTIONS", ""))
    rules = ["--rules", os.environ["RULES"]] if os.environ.get("RULES") else []
    baseline = os.environ.get("BASELINE", "")
    check = ["check", *build, *rules, *(["--baseline", baseline] if baseline else []), *options]

    checked = occupancy([*check, "--format", "github"])
    sys.stdout.write(checked.stdout)
    sys.stderr.write(checked.stderr)
    if checked.returncode not in (0, 1):
        say("passed", "false")
        return checked.returncode
    say("passed", "true" if checked.returncode == 0 else "false")

    sarif = Path(os.environ.get("RUNNER_TEMP", ".")) / "occupancy.sarif"
    sarif.write_text(occupancy([*check, "--format", "sarif"]).stdout, encoding="utf-8")
    say("sarif", str(sarif))

    text = occupancy([*check, "--format", "markdown"]).stdout
    if baseline and len(build) == 1:
        changes = occupancy(["diff", baseline, *build, *options, "--format", "markdown"])
        if changes.returncode in (0, 1):
            text += f"\n{changes.stdout}"
    append("GITHUB_STEP_SUMMARY", text)
    if os.environ.get("COMMENT") == "true":
        comment(f"{MARK}\n## Occupancy\n\n{text}")
    return 0


def occupancy(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the program."""
    command = [sys.executable, "-m", "occupancy", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")


def say(name: str, value: str) -> None:
    """An output of the step."""
    append("GITHUB_OUTPUT", f"{name}={value}\n")


def append(variable: str, text: str) -> None:
    """Write to the end of a file that GitHub names."""
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def comment(text: str) -> None:
    """Write the comment on the pull request, or bring the one that is there up to date.

    That it cannot be written, as from a fork, whose token may only read, is no failure of the check.
    """
    number = pull_request()
    if number is None:
        return
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}\n\n(The rest is in the summary of the run.)"
    issue = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    try:
        ours = next((each["id"] for each in comments(f"{issue}/{number}/comments") if is_ours(each)), None)
        if ours is None:
            ask("POST", f"{issue}/{number}/comments", {"body": text})
        else:
            ask("PATCH", f"{issue}/comments/{ours}", {"body": text})
    except (urllib.error.URLError, OSError, ValueError) as error:
        print(f"::warning title=occupancy::The comment could not be written: {error}")


def pull_request() -> int | None:
    """The number of the pull request that the event is about."""
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path:
        return None
    event = json.loads(Path(path).read_text(encoding="utf-8"))
    number = event.get("pull_request", {}).get("number")
    return number if isinstance(number, int) else None


def comments(path: str) -> list[dict[str, Any]]:
    """All comments on the pull request."""
    found: list[dict[str, Any]] = []
    for page in range(1, MOST_PAGES + 1):
        some = ask("GET", f"{path}?per_page={PAGE}&page={page}")
        found += some
        if len(some) < PAGE:
            break
    return found


def is_ours(each: dict[str, Any]) -> bool:
    """Whether a comment is the one of an earlier run; others may quote it, and people may not be bots."""
    is_bot = each.get("user", {}).get("type") == "Bot"
    return is_bot and str(each.get("body", "")).startswith(MARK)


def ask(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    """Ask GitHub."""
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    request = urllib.request.Request(
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
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
