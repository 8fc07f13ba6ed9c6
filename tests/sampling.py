"""Long comparisons: a representative sample by default, all with ``-m thorough``."""

import pytest
from hypothesis import settings

FULL = 50
"""Random examples per property in CI (`tests/conftest.py`)."""


def sampled(name: str, *, sample: object, everything: object) -> pytest.MarkDecorator:
    """Run a test with one value of a parameter by default, and with the other in CI.

    A stride must be coprime to the lengths of the inner loops, so that the sample includes all their
    combinations.
    """
    some = pytest.param(sample, id="sample", marks=pytest.mark.sample)
    rest = pytest.param(everything, id="all", marks=pytest.mark.thorough)
    return pytest.mark.parametrize(name, [some, rest])


def examples(count: int) -> settings:
    """Return settings with a number of examples in CI, and proportionally fewer by default."""
    return settings(max_examples=count * settings().max_examples // FULL)
