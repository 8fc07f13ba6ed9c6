"""Every public name has a docstring and type annotations."""

import inspect
import pydoc
import re
from pathlib import Path

import pytest

import occupancy

NAMES = sorted(set(occupancy.__all__) - {"__version__"})


def functions_of(public: object) -> list[object]:
    """Return the constructor, public methods and properties of a class, also inherited ones; or the function."""
    if not inspect.isclass(public):
        return [public]
    ours = [each for each in public.__mro__[::-1] if each.__module__.startswith("occupancy")]
    of_class = {name: each for base in ours for name, each in vars(base).items()}
    return [
        each.fget if isinstance(each, property) else getattr(public, name)
        for name, each in of_class.items()
        if not name.startswith("_") or name == "__init__"
        if isinstance(each, (property, classmethod, staticmethod)) or inspect.isfunction(each)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name: str) -> None:
    public = getattr(occupancy, name)
    # The default docstring of a dataclass is its signature.
    assert public.__doc__
    assert inspect.ismodule(public) or "ForwardRef" not in str(inspect.signature(public))
    assert not public.__doc__.startswith(f"{name}(")
    for function in functions_of(public):
        assert inspect.getdoc(function) or getattr(function, "__name__", "") == "__init__", function


@pytest.mark.parametrize(
    "name", ["Slack", "NextStep", "Gpu", "Launch", "KernelRecord", "ScannedKernel", "Violation", "Use"]
)
def test_help_has_each_field_with_its_type(name: str) -> None:
    text = pydoc.render_doc(getattr(occupancy, name, None) or getattr(occupancy.typing, name))
    assert "Alias for field" not in text
    assert "attrgetter" not in text
    assert re.search(r"Fields:\n( \|      \w+: \w.+\n)+", text)


def test_few_names_in_one_order() -> None:
    names = [name for name in occupancy.__all__ if not inspect.ismodule(getattr(occupancy, name))]
    assert len(names) <= 46  # with the version
    assert len(set(occupancy.__all__)) == len(occupancy.__all__) == len(dir(occupancy))
    assert all(dir(each) == each.__all__ for each in (occupancy.cuda, occupancy.triton))


def test_types_of_public_signatures_are_public() -> None:
    public = {*occupancy.__all__, *vars(occupancy.typing), "Sweep"}  # its module needs NumPy
    modules = Path(occupancy.__file__).parent.rglob("*.py")
    source = "\n".join(path.read_text(encoding="utf-8") for path in modules)
    classes = set(re.findall(r"^class ([A-Z]\w+)", source, re.MULTILINE))
    for name in NAMES:
        for function in functions_of(getattr(occupancy, name)):
            for text in getattr(function, "__annotations__", {}).values():
                own = set(re.findall(r"\b[A-Z]\w+", str(text))) & classes
                assert own <= public, f"{name}: {own - public}"
