"""Puts the rows of the table as JSON into the wheel, beside the YAML that they are made of."""

from __future__ import annotations

import shutil
import sys
import tempfile
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

        # Not in the folder of the wheel, which holds what is published and nothing else.
        self._scratch = Path(tempfile.mkdtemp())
        compiled = self._scratch / shipped.COMPILED_NAME
        compiled.write_text(shipped.compiled(), encoding="utf-8")
        build_data["force_include"][str(compiled)] = f"occupancy/data/{shipped.COMPILED_NAME}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the JSON, once it is packed."""
        if version == "standard":
            shutil.rmtree(self._scratch)
