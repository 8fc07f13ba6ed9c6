"""How many columns of a terminal a text takes: a Chinese character two, an accent that combines none."""

from __future__ import annotations

from collections.abc import Iterator


def columns_of(text: str) -> int:
    """The columns of a text on a line; rich, which takes a while to load, is asked of what is not ASCII."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def head(text: str, width: int) -> str:
    """As much of the beginning as has room in so many columns."""
    if text.isascii():
        return text[: max(width, 0)]
    end = next((end for end in range(1, len(text) + 1) if columns_of(text[:end]) > width), None)
    return text if end is None else text[: end - 1]


def tail(text: str, width: int) -> str:
    """As much of the end as has room in so many columns."""
    if text.isascii():
        return text[max(len(text) - max(width, 0), 0) :]
    start = next((start for start in range(len(text) - 1, -1, -1) if columns_of(text[start:]) > width), None)
    return text if start is None else text[start + 1 :]


def chopped(text: str, width: int) -> Iterator[str]:
    """The text in pieces of so many columns; a character that alone is wider is a piece of its own."""
    while text:
        piece = head(text, width) or text[0]
        yield piece
        text = text[len(piece) :]


def padded(text: str, width: int, *, is_number: bool) -> str:
    """The text in so many columns, a number at their right."""
    blanks = " " * (width - columns_of(text))
    return f"{blanks}{text}" if is_number else f"{text}{blanks}"
