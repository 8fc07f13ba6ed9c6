"""What every answer can do: the base class of the reports.

**How an answer is written.** ``report/X.py`` is all there is to it, `occupancy.report.fits` is the pattern:

- a dataclass, ``@dataclass(frozen=True, slots=True) class XReport(Report)``, whose fields are the JSON: their
  types and docstrings become its schema, those of nested dataclasses too;
- ``_each_row()``, the rows of its CSV and JSON lines (else the JSON is the one row), nested values flattened;
- ``document()``, what a person reads, as blocks of `occupancy.render.document`, and every word of it; a
  sentence that names an option is an `Asking`, which has the words for Python, too;
- a function ``x_report(...)`` that fills the dataclass;
- a line in ``report/schema.py``, and in ``cli/x.py`` ``print_report(report, output_format)``.

The renderers know blocks, no commands. They stand below the reports, so that an answer can print itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from ..values.dataclass import dataclass
from ..values.listed import ToDict
from . import SCHEMA_VERSION

if TYPE_CHECKING:
    from ..render.document import Document as Document
else:
    Document = Sequence  # of blocks, whose many classes only who reads a document waits for


def _version_comes_first(schema: dict[str, Any]) -> None:
    version = schema["properties"].pop("schema_version")
    del version["default"]
    schema["properties"] = {"schema_version": version, **schema["properties"]}
    schema["required"] = ["schema_version", *schema.get("required", ())]


def empty(kind: type[Any]) -> dict[str, None]:
    """The cells of something that an answer does not have: its columns are there all the same."""
    return {each.name: None for each in fields(kind)}


@dataclass(frozen=True, slots=True)
class Report(ToDict):
    """An answer that can print itself, in every format."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {
        "use_attribute_docstrings": True,
        "json_schema_extra": _version_comes_first,
    }

    schema_version: int = field(default=SCHEMA_VERSION, kw_only=True)

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """A list with a dictionary of plain values for each row of the CSV, as for ``pandas.DataFrame``."""
        return list(self._each_row())

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """The rows of the CSV and of JSON lines, one by one."""
        return [self.to_dict()]

    def csv_columns(self) -> Sequence[str]:
        """The columns of the CSV that come first, and are there even where there is no row."""
        return ()

    def for_programs(self, output_format: str) -> Iterable[str]:
        """The answer as ``"json"``, ``"csv"`` or ``"jsonl"``, in pieces of whole lines."""
        from ..render.csv_json import to_csv, to_json, to_json_lines

        if output_format == "json":
            return [to_json(self.to_dict())]
        if output_format == "csv":
            return [to_csv(self._each_row(), self.csv_columns())]
        return [to_json_lines(self._each_row())]

    def document(self) -> Document:
        """What a person reads."""
        raise NotImplementedError

    def headline(self) -> str:
        """The answer in a line."""
        return ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{': ' if self.headline() else ''}{self.headline()}>"

    def __str__(self) -> str:
        """The text that the command prints, without colour, with arguments for its options."""
        from ..render.text import to_text

        return to_text(self.document(), reader="python")

    def _repr_html_(self) -> str:
        """The same as HTML, for a notebook."""
        from ..render.html import html

        return html(self.document())
