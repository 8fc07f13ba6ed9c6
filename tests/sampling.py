"""Comparisons that take long: a fair sample of each in every run, all of it where ``-m thorough`` asks."""

import pytest
from hypothesis import settings

FULL = 50
"""Random examples of a property in CI, as `tests/conftest.py` says."""


def sampled(name: str, *, sample: object, everything: object) -> pytest.MarkDecorator:
    """Run a test with one value of a parameter by default, and with the other one in CI.

    A stride as the sample shares no factor with the lengths of the inner loops, so that every combination
    of those comes up.
    """
    some = pytest.param(sample, id="sample", marks=pytest.mark.sample)
    return pytest.mark.parametrize(
        name, [some, pytest.param(everything, id="all", marks=pytest.mark.thorough)]
    )


def examples(count: int) -> settings:
    """As many random examples where CI tries `FULL` of other properties, and fewer where it tries fewer."""
    return settings(max_examples=count * settings().max_examples // FULL)
