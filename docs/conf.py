"""The documentation site: ``sphinx-build -W docs site``.

Pages are Markdown. What the program itself knows is not written a second time: the command line, the names of
the library and the JSON are generated; `python -m tests.refresh_docs` writes the sessions and figures.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import generated  # noqa: E402
from pygments.lexers.special import TextLexer  # noqa: E402

import occupancy  # noqa: E402
from occupancy.report.meanings import OF_NAMES  # noqa: E402

project = "occupancy"
author = "The occupancy authors"
copyright = "the occupancy authors"
release = version = occupancy.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
# `name` in a docstring is a name, as in the sources of Python itself.
default_role = "code"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
highlight_language = "none"
# What is copied out of a sentence is an option with two hyphens.
smartquotes = False

html_theme = "furo"
html_title = "occupancy"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_theme_options = {"navigation_with_keys": True}

man_pages = [("reference/cli", "occupancy", "CUDA occupancy without a GPU", [author], 1)]


def say_what_the_name_means(
    _app: Any, kind: str, name: str, _value: Any, _how: Any, lines: list[str]
) -> None:
    """An attribute without a docstring means what its name means everywhere."""
    *_, owner, field = name.split(".")
    if kind == "attribute" and not "".join(lines).strip():
        lines[:] = [OF_NAMES.get(f"{owner}.{field}") or OF_NAMES.get(field, "")]


def show_examples_as_code(_app: Any, _context: Any, lines: list[str]) -> None:
    """The examples of a command, as lines that can be copied."""
    found: list[str] = []
    for line in lines:
        is_example = line.startswith("| ")
        if is_example and not (found and found[-1].startswith("   ")):
            found += ["", ".. code-block:: text", ""]
        found.append(f"   {line[2:]}" if is_example else line)
    lines[:] = found


def setup(app: Any) -> None:
    """Write the generated pages before the pages are read."""
    app.add_lexer("console", TextLexer)
    app.connect("autodoc-process-docstring", say_what_the_name_means)
    app.connect("sphinx-click-process-description", show_examples_as_code)
    generated.write_all(HERE / "reference")
    generated.write_page(HERE / "_extra")
