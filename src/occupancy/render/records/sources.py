"""The answer to ``occupancy limits --sources`` for a program, or for a document."""

from __future__ import annotations

from collections.abc import Iterator

from ...report.limits import SourcesReport
from .. import words
from . import to_csv, to_json, to_markdown


def json(report: SourcesReport) -> str:
    """Compute capability -> limit -> its value and who says so; and what the sources' codes stand for."""
    return to_json(report.to_dict())


def csv(report: SourcesReport) -> str:
    """A row for each value."""
    return to_csv(dict(zip(HEADER, row, strict=True)) for row in _rows(report))


def markdown(report: SourcesReport) -> str:
    """A row for each value, then the sources."""
    sources = [(source.code, source.title, source.where, source.licence) for source in report.cited()]
    return "\n\n".join(
        (to_markdown(HEADER, _rows(report)), to_markdown(("code", "title", "where", "licence"), sources))
    )


HEADER = ("cc", "limit", "value", "sources", "note", "disputed")


def _rows(report: SourcesReport) -> Iterator[tuple[str, ...]]:
    for value in report.values:
        yield (
            str(value.compute_capability),
            value.field,
            words.limit(value.field, value.value),
            " ".join(source.code for source in value.sources),
            value.note or "",
            " ".join(words.dispute(value.field, dispute) for dispute in value.disputes),
        )
