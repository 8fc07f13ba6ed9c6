"""The documentation site: ``sphinx-build -W docs site``.

Pages are Markdown. The reference is generated from the program: command line, library, JSON.
`python -m tests.refresh_docs` writes the terminal sessions and the figures.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import generated  # noqa: E402
from pygments.lexers.special import TextLexer  # noqa: E402

project = "occupancy"
author = "The occupancy authors"
copyright = "the occupancy authors"
# The heading of the changelog says whether the version is released.
changelog = (HERE.parent / "CHANGELOG.md").read_text(encoding="utf-8")
release = version = changelog.partition("\n## ")[2].partition("\n")[0]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
# `name` in a docstring is a name, as in the sources of Python itself.
default_role = "code"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
highlight_language = "none"
# An option that is copied from a sentence keeps its two hyphens.
smartquotes = False

html_theme = "furo"
html_title = f"occupancy {release}"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_theme_options = {"navigation_with_keys": True}
# Copied text is what a reader types: no prompt, and no output where there is a prompt.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

DESCRIPTION = (
    "CUDA occupancy calculator for the command line, Python and the browser: resident blocks, limiters and "
    "the changes that raise occupancy, for every compute capability, without a GPU."
)

man_pages = [("reference/cli", "occupancy", "CUDA occupancy without a GPU", [author], 1)]


def show_examples_as_code(_app: Any, _context: Any, lines: list[str]) -> None:
    """Turn the examples of a command into lines that can be copied."""
    found: list[str] = []
    for line in lines:
        is_example = line.startswith("| ")
        if is_example and not (found and found[-1].startswith("   ")):
            found += ["", ".. code-block:: text", ""]
        found.append(f"   {line[2:]}" if is_example else line)
    lines[:] = found


def keep_colons(_app: Any, what: str, _name: str, public: Any, _options: Any, lines: list[str]) -> None:
    """Keep the colon of a field's docstring, which napoleon takes for a type, and drop the docstrings of help()."""
    if what == "class" and "Fields:" in lines:
        del lines[lines.index("Fields:") :]
    if what in ("attribute", "property"):
        is_own = bool(lines) and (what == "property" or lines[0] != public.__doc__)
        lines[:] = ["..", "", *lines] if is_own else []


def finish_page(_app: Any, _name: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Describe the page to search engines, and put figures into it, where they have its colors."""
    if not context.get("body"):
        return
    paragraph = re.search(r"<p>(.*?)</p>", context["body"], flags=re.DOTALL)
    plain = " ".join(re.sub("<[^>]+>", "", paragraph[1]).split()) if paragraph else ""
    description = plain if 40 <= len(plain) <= 200 and '"' not in plain else DESCRIPTION
    context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{description}" />'

    def figure(image: re.Match[str]) -> str:
        path = HERE / "_static" / image[1]
        return path.read_text(encoding="utf-8") if path.exists() else image[0]

    context["body"] = re.sub(r'<img [^>]*src="[^"]*?([\w-]+\.svg)"[^>]*/>', figure, context["body"])


def link_to_page(_app: Any, _name: str, source: list[str]) -> None:
    """Lead from a document of the repository's root to its page."""
    source[0] = source[0].replace("](../CONTRIBUTING.md", "](project/contributing.md")


def setup(app: Any) -> None:
    """Write the generated pages before the pages are read."""
    app.add_lexer("console", TextLexer)
    app.connect("sphinx-click-process-description", show_examples_as_code)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)  # before napoleon
    app.connect("source-read", link_to_page)
    app.connect("html-page-context", finish_page)
    generated.write_all(HERE / "reference")
    generated.write_page(HERE / "_extra")
