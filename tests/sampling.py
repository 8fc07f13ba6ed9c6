"""Long comparisons: a representative sample by default, all with ``-m thorough``."""

import pytest
from hypothesis import settings

FULL = 50
"""Random examples per property in CI (`tests/conftest.py`)."""


def sampled(name: str, **values: object) -> pytest.MarkDecorator:
    """Run a test with one value of a parameter for each marker: ``sample``, ``thorough`` and ``exhaustive``.

    A stride must be coprime to the lengths of the inner loops, so that the sample includes all their
    combinations.
    """
    cases = [pytest.param(each, id=mark, marks=getattr(pytest.mark, mark)) for mark, each in values.items()]
    return pytest.mark.parametrize(name, cases)


def examples(count: int) -> settings:
    """Return settings with a number of examples in CI, and proportionally fewer by default."""
    return settings(max_examples=count * settings().max_examples // FULL)
