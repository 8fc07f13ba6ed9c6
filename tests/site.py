"""Check that the documentation site is complete: ``python -m tests.site FOLDER`` lists what is missing.

Every public name and every option has an anchor in the reference, and every link leads somewhere. Sphinx
checks neither links in HTML nor the contents of generated pages.
"""

import inspect
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click

import occupancy
from tests.cli_runner import COMMANDS

IN_EVERY_CLASS = {"to_dict", "from_dict"}


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.places |= {found[name] or "" for name in ("id", "name") if name in found}
        link = found.get("href") if tag in ("a", "link") else found.get("src")
        if link:
            self.links.add(link)


def lacking(site: Path) -> Iterator[str]:
    """Yield a line for each missing link target or anchor."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            # The fragment of the calculator is a set of inputs.
            is_place = parts.fragment and target in pages and target.name != "occupancy.html"
            if not target.exists() or (is_place and unquote(parts.fragment) not in pages[target].places):
                yield f"{path.relative_to(site)}: {link} leads nowhere"
    for file, places in (("api.html", names()), ("cli.html", options())):
        there = pages[site / "reference" / file].places
        yield from (f"reference/{file} has no {place}" for place in places if place not in there)
    if "\N{EN DASH}cc" in (site / "reference" / "cli.html").read_text(encoding="utf-8"):
        yield "reference/cli.html has an example that cannot be copied: a dash before cc"
    if "carveout" not in (site / "searchindex.js").read_text(encoding="utf-8"):
        yield "searchindex.js does not find the word carveout"


def names() -> Iterator[str]:
    """Yield the anchor of every public name and of the members of public classes."""
    for name in sorted(set(dir(occupancy)) - {"__version__"}):
        public = getattr(occupancy, name)
        yield f"module-occupancy.{name}" if inspect.ismodule(public) else f"occupancy.{name}"
        if inspect.isclass(public) and not issubclass(public, Exception):
            own = sorted(key for key in vars(public).keys() - IN_EVERY_CLASS if key[0] != "_")
            yield from (f"occupancy.{name}.{key}" for key in own)


def options() -> Iterator[str]:
    """Yield the anchor of every command and of every option."""
    for name, command in COMMANDS.items():
        yield f"occupancy-{name}"
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                long = next(each for each in option.opts if each.startswith("--"))
                yield f"cmdoption-occupancy-{name}-{long.strip('-')}"


if __name__ == "__main__":
    found = list(lacking(Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "the site is complete")
    sys.exit(1 if found else 0)
