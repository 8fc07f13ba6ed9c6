"""Text for a program, or for a document: JSON, CSV, Markdown."""

from __future__ import annotations

from ..csv_json import flatten as flatten
from ..csv_json import to_csv as to_csv
from ..csv_json import to_json as to_json
from ..csv_json import to_json_lines as to_json_lines
from ..markdown import code as code
from ..markdown import to_markdown as to_markdown
