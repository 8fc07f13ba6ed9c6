"""Release metadata is equal in all files."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import occupancy
from occupancy.errors import TableError
from occupancy.tables.files import read_toml

from .refresh_docs import ROOT

NOT_ON_CONDA_FORGE = {"demangle"}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    found: dict[str, Any] = read_toml(str(ROOT / "pyproject.toml"), TableError)[0]["project"]
    return found


def yaml_of(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_version() -> None:
    assert yaml_of(ROOT / "CITATION.cff")["version"] == occupancy.__version__
    recipe = yaml_of(ROOT / "packaging" / "conda-forge" / "recipe.yaml")
    assert recipe["context"]["version"] == occupancy.__version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] == occupancy.__version__  # type: ignore[index]


def test_the_recipe_has_the_dependencies(project: dict[str, Any]) -> None:
    # On conda-forge, a noarch package lists the dependencies of every Python version.
    needed = {re.sub(r"(<[\d.]+)?;.*|\s", "", each).lower() for each in project["dependencies"]}
    needed = {re.sub(r",.*", "", each) for each in needed}
    run = yaml_of(ROOT / "packaging" / "conda-forge" / "recipe.yaml")["requirements"]["run"]
    given = {each.replace(" ", "") for each in run if not each.startswith("python ")}
    assert given == {each for each in needed if re.split("[<>=]", each)[0] not in NOT_ON_CONDA_FORGE}


def test_the_pythons(project: dict[str, Any]) -> None:
    listed = [each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r":: 3\.\d+$", each)]
    jobs = yaml_of(ROOT / ".github" / "workflows" / "test.yml")["jobs"].values()
    (tested,) = [job["strategy"]["matrix"]["python"] for job in jobs if "strategy" in job]
    assert listed == tested
    assert project["requires-python"] == f">={listed[0]}"
