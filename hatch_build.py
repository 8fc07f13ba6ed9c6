"""Puts the rows of the table as JSON into the wheel, beside the YAML that they are made of."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileTable(BuildHookInterface):  # type: ignore[type-arg]
    """Runs for a wheel, and not for an editable install, where the YAML may change at any time."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the JSON, and have it packed."""
        if version != "standard":
            return
        sys.path.insert(0, str(Path(self.root, "src")))
        from occupancy.tables import shipped

        compiled = Path(self.directory, shipped.COMPILED_NAME)
        compiled.parent.mkdir(parents=True, exist_ok=True)
        compiled.write_text(shipped.compiled(), encoding="utf-8")
        build_data["force_include"][str(compiled)] = f"occupancy/data/{shipped.COMPILED_NAME}"
