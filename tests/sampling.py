"""Comparisons that take long: a fair sample of each in every run, all of it where ``-m thorough`` asks."""

from __future__ import annotations

import pytest
from hypothesis import settings

FULL = 50
"""Random examples of a property in CI, as `tests/conftest.py` says."""


def sampled(name: str, *, sample: object, everything: object) -> pytest.MarkDecorator:
    """Run a test with one value of a parameter by default, and with the other one in CI.

    Args:
        name: The test's parameter: a stride through what there is, or a count.
        sample: Its value in every run. A stride shares no factor with the lengths of the loops inside the
            one that it strides through, so that every combination of those comes up.
        everything: Its value in the run with the marker ``thorough``.
    """
    return pytest.mark.parametrize(
        name,
        [
            pytest.param(sample, id="sample", marks=pytest.mark.sample),
            pytest.param(everything, id="all", marks=pytest.mark.thorough),
        ],
    )


def examples(count: int) -> settings:
    """As many random examples where CI tries `FULL` of other properties, and fewer where it tries fewer."""
    return settings(max_examples=count * settings().max_examples // FULL)
