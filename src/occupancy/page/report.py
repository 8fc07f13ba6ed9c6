"""The data and the heading of the report page of `scan` and `diff`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

from ..builds.names import short_name
from ..errors import InputError
from ..values.untrusted import printable

BUILT_AT = "SOURCE_DATE_EPOCH"
"""Environment variable with the time of a reproducible build, in seconds since 1970."""

_MEASURED = (
    "occupancy", "launchable", "threads", "threads_assumed", "regs", "smem", "static_smem", "dynamic_smem",
    "barriers", "tensor_memory", "virtual_resources", "spill_store_bytes", "spill_load_bytes", "stack_bytes",
    "max_threads", "min_blocks",
)  # fmt: skip
_OTHERS = (
    "arch", "cc", "verdict", "limiters", "next_step", "causes", "fix", "block_dim", "grid_dim", "cluster_dim",
    "waves", "duration_us", "time_share", "multiprocessor_count", "shared_memory_configuration", "source",
)  # fmt: skip
KEYS = (*_OTHERS, *(f"{side}{key}" for side in ("", "old_", "new_") for key in _MEASURED))
"""Keys of the JSON of `scan` and `diff` that the page shows."""


class PageHeading(NamedTuple):
    """Title and subtitle of the page."""

    title: str
    about: str


CALCULATOR = PageHeading("CUDA occupancy", "Blocks of a kernel that fit on a streaming multiprocessor (SM).")


def report_heading(sources: Sequence[str], version: str, old: str | None = None) -> PageHeading:
    """Return the files of a report, and of the old build, with the version and the time."""
    text = os.environ.get(BUILT_AT) or ""
    try:
        now = datetime.fromtimestamp(int(text), timezone.utc) if text else datetime.now(timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"{printable(text)} is not a time",
            where=BUILT_AT,
            hint="Set it to seconds since 1970, or unset it.",
        ) from None
    names = [printable(os.path.basename(os.path.abspath(each)) or each) for each in sources[:3]]
    more = f" and {len(sources) - 3} more" if len(sources) > 3 else ""
    since = "" if old is None else f", compared with {printable(os.path.basename(os.path.abspath(old)))}"
    about = f"{', '.join(map(printable, sources[:8]))}; occupancy {version}, {now:%Y-%m-%d %H:%M} UTC."
    return PageHeading(f"Kernels of {', '.join(names)}{more}{since}", about)


def report_data(
    document: Mapping[str, Any], lead: Sequence[str], problems: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the data of the page for the JSON of `scan` or `diff`, and sentences above and below it."""
    kernels = document["kernels"]
    keys = [key for key in KEYS if any(kernel.get(key) not in (None, [], "") for kernel in kernels)]
    return {
        "kind": document.get("report", "scan"),
        "lead": list(lead),
        "notes": [*(each["text"] for each in document.get("notes", ())), *problems[:20]],
        "keys": ["name", *keys],
        "rows": [[short_name(each["name"]), *map(each.get, keys)] for each in kernels],
    }
