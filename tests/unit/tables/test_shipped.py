"""Consistency of the shipped table, and the strict YAML reader."""

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy.errors import TableError, UnknownComputeCapabilityError
from occupancy.tables import shipped, sources
from occupancy.tables.files import MAX_YAML_BYTES, read_yaml
from occupancy.values.fields import CACHING_CCS
from occupancy.values.limits import KINDS, ComputeCapability, SpreadsheetColumn
from occupancy.values.numbers import join_and

VALUES, PROVENANCE = read_yaml(shipped.data_path(shipped.FILE_NAME))
ROWS: dict[str, dict[str, Any]] = VALUES["compute_capabilities"]

OPTIONAL = {
    "launch_check_sub_partitions", "max_oversized_shared_memory_per_block",
    "tensor_memory_per_multiprocessor", "virtual_resources_per_multiprocessor",
    "partitioned_global_caching", "spreadsheet",
}  # fmt: skip
"""Fields missing from most rows, because `Limits` has a default."""


class TestRows:
    @pytest.mark.parametrize("name", ROWS)
    def test_row_is_complete(self, name: object) -> None:
        assert isinstance(name, str), "an unquoted 12.10 would be read as 12.1"
        assert str(ComputeCapability.parse(name)) == name
        assert not KINDS.keys() - OPTIONAL - set(ROWS[name])
        assert set(ROWS[name]) <= KINDS.keys()
        assert set(ROWS[name].get("spreadsheet", {})) <= set(SpreadsheetColumn._fields)

    def test_capabilities_with_a_caching_mode_are_those_of_its_help(self) -> None:
        having = [str(cc) for cc in shipped.known() if shipped.limits(cc).partitioned_global_caching]
        assert join_and(having) == CACHING_CCS

    def test_same_chip_under_two_names_has_the_same_limits(self) -> None:
        assert PROVENANCE["renamed"]["10.1"]["to"] == "11.0"
        for old, new in PROVENANCE["renamed"].items():
            assert ROWS[old] == ROWS[new["to"]]
            assert set(new["sources"]) <= set(PROVENANCE["sources"])
            assert new["to"] in (sources.provenance(old, "compute_capability").note or "")

    def test_unknown_one_names_the_nearest(self) -> None:
        for unknown, nearest in {"9.1": "9.0", "4.0": "3.7", "13.0": "12.1"}.items():
            with pytest.raises(UnknownComputeCapabilityError, match=re.escape(nearest)) as caught:
                shipped.limits(unknown)
            assert "read_limits" in str(caught.value)


class TestSources:
    @pytest.mark.parametrize("field", sorted(KINDS.keys() | set(PROVENANCE["provenance"])))
    def test_every_value_has_its_sources_once_and_a_note_if_it_is_not_known(self, field: str) -> None:
        entries = PROVENANCE["provenance"][field]
        named = [cc for entry in entries for cc in sources.expand(entry["compute_capabilities"])]
        assert sorted(named) == list(shipped.known())
        for cc in shipped.known():
            found = sources.provenance(cc, field)
            assert found.sources
            assert found.note or found.value is not None

    def test_entries_have_known_keys_only(self) -> None:
        for entry in _entries():
            assert {"compute_capabilities", "sources"} <= set(entry)
            assert set(entry) <= {"compute_capabilities", "sources", "note"}
        for dispute in PROVENANCE["disputed"]:
            assert set(dispute) == {"compute_capabilities", "field", "judged", "others", "why"}
            for other in dispute["others"]:
                assert set(other) == {"value", "sources"}
        for about in PROVENANCE["sources"].values():
            assert set(about) == {"title", "where", "license"}
        texts = [each.get("note") or each.get("why", "") for each in [*_entries(), *PROVENANCE["disputed"]]]
        assert not [text for text in texts if re.search(r"; |\bIt |refuse|[Nn]ot known|\b[0-9]{5}", text)]

    def test_ranges_and_sources_are_those_of_the_table(self) -> None:
        known = {str(cc) for cc in shipped.known()}
        for entry in [*_entries(), *PROVENANCE["disputed"]]:
            assert set(re.split(r"-|, ", entry["compute_capabilities"])) <= known
        others = [other for dispute in PROVENANCE["disputed"] for other in dispute["others"]]
        cited = {code for entry in [*_entries(), *others] for code in entry["sources"]}
        assert cited == set(PROVENANCE["sources"])

    @pytest.mark.parametrize(
        "dispute", PROVENANCE["disputed"], ids=lambda each: f"{each['compute_capabilities']} {each['field']}"
    )
    def test_judged_value_is_the_value_of_the_table(self, dispute: dict[str, Any]) -> None:
        for cc in sources.expand(dispute["compute_capabilities"]):
            value = getattr(shipped.limits(cc), dispute["field"])
            assert (list(value) if isinstance(value, tuple) else value) == dispute["judged"]
            found = sources.provenance(cc, dispute["field"])
            assert dispute["why"] in [each.why for each in found.disputes]
            for other in dispute["others"]:
                assert other["value"] != dispute["judged"]
                assert not {source.code for source in found.sources} & set(other["sources"])

    def test_provenance_of_one_value(self) -> None:
        found = sources.provenance("sm_103", "max_barriers_per_multiprocessor")
        assert (found.value, [source.code for source in found.sources]) == (32, ["H13.3", "H13.5"])
        (dispute,) = found.disputes
        (other,) = dispute.others
        assert (other.value, "N" in {source.code for source in other.sources}) == (64, True)
        assert sources.provenance("9.0", "warp_size").disputes == ()


class TestReadYaml:
    @pytest.mark.parametrize(("text", "problem"), [
        (b"a: 1\nb: 2\na: 3\n", "'a' occurs twice (line 3"),
        (b"a: {b: 1, 'b': 2}\n", "'b' occurs twice (line 1"), (b"a: [1, 2\n", "is not YAML"),
        (b"a: b: c\n", "is not YAML"), (b"\x00\x01\x02\xff", "is not YAML: it is a binary file"),
        (b"\xff\xfe\xff", "is not YAML: it is a binary file"), (b"a: \xc3\x28\n", "or not in UTF-8"),
        (b"? [1, 2]\n: 3\n", "is not YAML"), (b"a: " + b"9" * 5000, "cannot be read"),
        (b"a: 2026-13-45\n", "cannot be read"), (b"a: 0b_\n", "cannot be read"),
        (b"a: !!python/object/apply:os.system [true]\n", "anchor, alias or tag at line 1"),
        (b"a: !!bool maybe\n", "anchor, alias or tag at line 1"),
        (b"a: &a [*a]\n", "anchor, alias or tag at line 1"),
        (b"a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchor, alias or tag at line 1"),
        (b"\n" + b"[" * 17, "nested too deeply at line 2. "),
        (b"- " * 100, "nested too deeply at line 1"),
        (b"[" * MAX_YAML_BYTES, "nest"),  # own limit, or libyaml's in PyYAML 6.0.4
        (b"a" * (MAX_YAML_BYTES + 1), "is too large for "),
    ])  # fmt: skip
    def test_refused(self, tmp_path: Path, text: bytes, problem: str) -> None:
        path = tmp_path / "bad.yaml"
        path.write_bytes(text)
        with pytest.raises(TableError, match=re.escape(problem)) as caught:
            read_yaml(str(path))
        assert caught.value.where == str(path)

    @pytest.mark.parametrize("name", ["missing.yaml", ".", "nul\0.yaml"])
    def test_unreadable(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(TableError, match=r"cannot be read|does not exist|is a folder"):
            read_yaml(f"{tmp_path}/{name}")

    @given(
        text=st.binary(max_size=200)
        | st.text(alphabet="ab:-?[]{},&*!|>'\"#%@=<0.1 \n\t", max_size=60).map(str.encode)
    )
    def test_whatever_it_holds(self, tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
        path = tmp_path_factory.getbasetemp() / "any.yaml"
        path.write_bytes(text)
        with contextlib.suppress(TableError):
            read_yaml(str(path))


def _entries() -> list[dict[str, Any]]:
    return [entry for listed in PROVENANCE["provenance"].values() for entry in listed]
