from __future__ import annotations

from pathlib import Path

import pytest

from tests.samples import unpack


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every sample of `tests.samples`, decompressed."""
    return unpack(tmp_path_factory.mktemp("samples"))
