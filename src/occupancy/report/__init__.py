"""Reports: plain values, every number computed before rendering.

One module for each answer, or a package where much is shown; its dataclass is the schema of the JSON that
the command prints.
It may use every package below it.
"""

from __future__ import annotations

SCHEMA_VERSION = 2
"""Version of the JSON that the commands print; it changes when a name changes its meaning or goes."""
