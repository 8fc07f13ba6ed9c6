"""What docs/frameworks.md says of other tools is what their wheels give.

``pip download --no-deps --dest .cache/wheels quack-kernels==0.6.5 tilelang==0.1.15`` fetches those that CI
looks at; torch's wheel, of 540 MB, is looked at where it is there. With OCCUPANCY_REQUIRE_FRAMEWORKS=1 those
of CI must be there.
"""

from __future__ import annotations

import os
import re
from types import ModuleType

import pytest

from .refresh_docs import ROOT, module_at

WHEELS = ROOT / ".cache" / "wheels"
OF_CI = ("quack_kernels", "tilelang")


@pytest.fixture(scope="module")
def evidence() -> ModuleType:
    return module_at(ROOT / "benchmarks" / "frameworks.py")


@pytest.mark.parametrize("framework", ["torch", *OF_CI])
def test_the_counts_are_those_of_the_document(evidence: ModuleType, framework: str) -> None:
    found = sorted(WHEELS.glob(f"{framework}-*.whl"))
    if not found:
        if framework in OF_CI and os.environ.get("OCCUPANCY_REQUIRE_FRAMEWORKS") == "1":
            pytest.fail(f"no wheel of {framework} in {WHEELS}")
        pytest.skip(f"THE FORMULA OF {framework} WAS NOT LOOKED AT: its wheel is not in .cache/wheels")
    document = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
    listed = re.findall(rf"^{framework}-\S+: .*$", document, flags=re.MULTILINE)
    assert [str(count) for count in evidence.FRAMEWORKS[framework](found[0])] == listed
    assert listed
