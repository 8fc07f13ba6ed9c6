"""Rules for the sentences of documents, help and notes: subject first, at most 25 words on average."""

import re

BAD_STARTS = re.compile(r"(Of an? |Where |Which |Beside |What )")
MAX_WORDS = 25


def sentences(paragraph: str) -> list[str]:
    return [each for each in re.split(r"(?<=[.!?:])[\s*\")]+(?=[A-Z0-9`*\[(\"])", paragraph) if each]
