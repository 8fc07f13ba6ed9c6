"""How the fields of a dataclass that is printed as JSON get their descriptions in the JSON Schema."""

from __future__ import annotations

from typing import Any

DOCUMENTED: dict[str, Any] = {"use_attribute_docstrings": True}
"""As ``__pydantic_config__`` it has pydantic take the fields' docstrings into the schema.

It costs nothing where there is no pydantic.
"""
