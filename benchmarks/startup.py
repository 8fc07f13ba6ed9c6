"""Start-up time as a multiple of an empty interpreter's, measured in one run.

Run with the Python that has occupancy installed: ``python benchmarks/startup.py``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

ROUNDS = 25

# Arguments, and the goal as a multiple of `python -c pass`.
GOALS = {
    "import occupancy": (("-c", "import occupancy"), 2.5),
    "occupancy --help": (("--help",), 4.5),
    "calc --format json": (
        ("calc", "--cc", "7.0", "--threads", "128", "--regs", "37", "--format", "json"),
        7,
    ),
    "calc": (("calc", "--cc", "7.0", "--threads", "128", "--regs", "37"), 8.5),
}

# With this variable, every start would compile the checkout again; pip compiles at installation.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

# The same as the installed script; `python -m` would add the time of runpy.
ENTRY_POINT = "import sys; from occupancy.__main__ import main; sys.argv[0] = 'occupancy'; sys.exit(main())"


def seconds(arguments: tuple[str, ...]) -> float:
    """Return the wall-clock time of one process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=ENVIRONMENT, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Alternate the measurements, so that other load affects all of them, and print the fastest."""
    programs: dict[str, tuple[str, ...]] = {"python -c pass": ("-c", "pass")}
    for name, (arguments, _) in GOALS.items():
        programs[name] = arguments if arguments[0] == "-c" else ("-c", ENTRY_POINT, *arguments)
    fastest = dict.fromkeys(programs, float("inf"))
    for _ in range(ROUNDS):
        for name, arguments in programs.items():
            fastest[name] = min(fastest[name], seconds(arguments))
    base = fastest["python -c pass"]
    print(f"{'python -c pass':<20} {1000 * base:6.1f} ms")
    for name, (_, goal) in GOALS.items():
        ratio = fastest[name] / base
        verdict = "met" if ratio <= goal else "MISSED"
        print(f"{name:<20} {1000 * fastest[name]:6.1f} ms  {ratio:5.2f} times, goal {goal} ({verdict})")


if __name__ == "__main__":
    main()
