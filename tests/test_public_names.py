"""Every name that `import occupancy` offers: it says what it is.

`test_docs` holds the list in docs/python.md to them."""

from __future__ import annotations

import inspect

import pytest

import occupancy

NAMES = sorted(set(dir(occupancy)) - {"__version__"})


def functions_of(public: object) -> list[object]:
    """The public methods and properties of a class, or the function itself."""
    if not inspect.isclass(public):
        return [public]
    of_class = {name: each for name, each in vars(public).items() if not name.startswith("_")}
    return [
        each.fget if isinstance(each, property) else getattr(public, name)
        for name, each in of_class.items()
        if isinstance(each, (property, classmethod, staticmethod)) or inspect.isfunction(each)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name: str) -> None:
    public = getattr(occupancy, name)
    # A dataclass without a docstring is given its signature for one.
    assert public.__doc__
    assert not public.__doc__.startswith(f"{name}(")
    for function in functions_of(public):
        assert inspect.getdoc(function), function
