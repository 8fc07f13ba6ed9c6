"""User-defined tables, and limits changed on the command line."""

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy import engine
from occupancy.errors import InputError, OccupancyError, TableError, UnknownComputeCapabilityError
from occupancy.tables import shipped
from occupancy.tables.custom import read_limits, with_changes
from occupancy.tables.gpus import LimitsTable
from occupancy.values.limits import KINDS
from tests.property import strategies

HEAD = "schema_version: 1\ncompute_capabilities:\n"


def write(directory: Path, text: str, name: str = "table.yaml") -> Path:
    path = directory / name
    path.write_text(text)
    return path


class TestReadLimits:
    def test_the_shipped_table(self, tmp_path: Path) -> None:
        whole = Path(shipped.data_path(shipped.FILE_NAME)).read_text()
        _, values, _ = re.split("^---$", whole, flags=re.MULTILINE)
        assert read_limits(write(tmp_path, values)) == {str(cc): shipped.limits(cc) for cc in shipped.known()}

    def test_sizes_may_be_text(self, tmp_path: Path) -> None:
        sizes = "max_shared_memory_per_block_optin: 200k, shared_memory_configurations: [0, 100 KiB, 228k]"
        rows = read_limits(write(tmp_path, HEAD + f'  "9.1": {{like: "9.0", {sizes}}}\n'))
        assert rows["9.1"].max_shared_memory_per_block_optin == 200 << 10
        assert rows["9.1"].shared_memory_configurations == (0, 100 << 10, 228 << 10)

    def test_like_in_yaml_and_toml(self, tmp_path: Path) -> None:
        values = {"like": '"10.0"', "max_blocks_per_multiprocessor": "24", "max_block_dim": "[64, 64, 8]"}
        row = "".join(f"    {name}: {value}\n" for name, value in values.items())
        yaml = write(tmp_path, f'{HEAD}  "13.0":\n{row}')
        row = "".join(f"{name} = {value}\n" for name, value in values.items())
        toml = write(tmp_path, f'schema_version = 1\n[compute_capabilities."13.0"]\n{row}', "table.toml")
        expected = shipped.limits("10.0").replace(
            compute_capability="13.0", max_blocks_per_multiprocessor=24, max_block_dim=(64, 64, 8)
        )
        assert expected.compute_capability == (13, 0)
        assert read_limits(yaml) == read_limits(toml) == {"13.0": expected}
        for text, says in (("a." * 20_000 + "a = 1", "line 1 has more than 200 dots"), ("a =", "not TOML")):
            with pytest.raises(TableError, match=says):
                read_limits(write(tmp_path, text, "table.toml"))

    @pytest.mark.parametrize(("row", "message"), [
        *((f'{{like: "9.0", warp_size: {value}}}', ".warp_size: ") for value in (
            '"32x"', "32.5", ".nan", "true", "null", "2026-01-01", "-32", "4294967296")),
        *((f'{{like: "9.0", max_block_dim: {value}}}', ".max_block_dim: ") for value in (
            "64", "[64, 64]", "[64, 0, 1]", "[1, 2, x]")),
        *((f'{{like: "9.0", spreadsheet: {value}}}', ".spreadsheet") for value in (
            "3", '{version: "2.5"}', '{version: "2.4", x: 1}', "{2026-01-01: 1}",
            '{version: "2.4", warp_allocation_granularity_ca: 0}')),
        ('{like: "9.0", register_allocation_granularity: w}', 'Allowed: "warp" or "block".'),
        ('{like: "9.0", partitioned_global_caching: 1}', "Allowed: true or false."),
        ('{like: "9.0", wrap_size: 32}', "Did you mean warp_size?"),
        ('{like: "9.0", 32: 32}', ".32 is unknown"),
        ('{like: "9.0", compute_capability: [9, 0]}', ".compute_capability is unknown"),
        ('{like: "9.0", max_shared_memory_per_block: 300000}', ".max_shared_memory_per_block: 300,000"),
        ('{like: "9.9"}', ".like: "), ("{like: 9.0}", ".like: "), ('{like: "x"}', ".like: 'x' is invalid"),
        ('{like: "sm_90"}', ".like: 'sm_90' is invalid. Write a"),
        ("{warp_size: 32}", ".architecture, max_threads_per_multiprocessor, max_blocks_"),
        ("{}", "are missing"), ("3", ": 3 is invalid."), ("", " is missing."),
    ])  # fmt: skip
    def test_bad_row(self, tmp_path: Path, row: str, message: str) -> None:
        path = write(tmp_path, f'{HEAD}  "13.0": {row}\n')
        with pytest.raises(TableError, match=re.escape(message)) as caught:
            read_limits(path)
        assert caught.value.where.startswith(f'{path}: compute_capabilities."13.0"')

    @pytest.mark.parametrize(("text", "where", "message"), [
        *((text, "", "is not a table of limits") for text in (
            "", "# nothing\n", "---\n", "- 1\n", "just text\n",
            HEAD + '  "9.1": {like: "9.0"}\n---\nmore: 1\n')),
        *((f"{text}\n", ": schema_version", "Allowed: 1.") for text in (
            "compute_capabilities: {}", "schema_version: 2", "schema_version: true", "schema_version: '1'")),
        ("schema_version: 1\n", ": compute_capabilities", "is missing"),
        (HEAD, ": compute_capabilities", "is missing"),
        (HEAD + "  []", ": compute_capabilities", "[] is invalid"),
        (HEAD + "extra: 1\n", ": extra", "Allowed: compute_capabilities, schema_version"),
        (HEAD + "  9.0: {}\n", ": compute_capabilities", "in quotes"),
        (HEAD + "  12.10: {}\n", ": compute_capabilities", "12.10 is read as 12.1."),
        (HEAD + "  sm_90: {}\n", ": compute_capabilities", "'sm_90' is invalid"),
        (HEAD + "  '9': {}\n", ": compute_capabilities", "'9'"),
        (HEAD + "  '9.0': {}\n  '9.0': {}\n", "", "'9.0' occurs twice (line 4, column 3)"),
    ])  # fmt: skip
    def test_bad_file(self, tmp_path: Path, text: str, where: str, message: str) -> None:
        path = write(tmp_path, text)
        with pytest.raises(TableError, match=re.escape(message)) as caught:
            read_limits(path)
        assert caught.value.where == f"{path}{where}"


class TestWithChanges:
    @pytest.mark.parametrize(("change", "value"), [
        ("max_blocks_per_multiprocessor=4", 4), (" max_blocks_per_multiprocessor = 4 ", 4),
        ("max_registers_per_multiprocessor=128k", 131072),
        ("max_registers_per_multiprocessor=128KiB", 131072),
        ("max_barriers_per_multiprocessor=null", None),
        ("max_barriers_per_multiprocessor=None", None), ("partitioned_global_caching=true", True),
        ("partitioned_global_caching=False", False), ("max_block_dim=64,64,8", (64, 64, 8)),
        ("shared_memory_configurations=0, 64k, 228k", (0, 65536, 233472)),
        ("shared_memory_configurations=228k", (233472,)), ("architecture=Mine", "Mine"),
        ("spreadsheet=null", None),
    ])  # fmt: skip
    def test_change(self, change: str, value: Any) -> None:
        name = change.partition("=")[0].strip()
        assert with_changes(shipped.limits("9.0"), [change]) == shipped.limits("9.0").replace(**{name: value})

    @pytest.mark.parametrize(("changes", "message"), [
        *(([f"warp_size={value}"], "--set warp_size: ") for value in (
            "", "32x", "1.5", "null", "-1", "1,2", "9" * 6000)),
        *(([f"max_block_dim={value}"], "max_block_dim: ") for value in ("1,2", "1,2,3,4", "1,2,")),
        (["max_blocks=4"], "--set max_blocks is unknown. Did you mean max_blocks_per_multi"),
        (["=4"], "is not LIMIT=VALUE"), (["compute_capability=9.1"], "compute_capability is unknown"),
        (["like=9.0"], "like is unknown"), (["warp_size"], "is not LIMIT=VALUE"),
        (["spreadsheet=11.1"], "spreadsheet: "),
        (["max_threads_per_multiprocessor=100"], "Allowed: a multiple of"),
    ])  # fmt: skip
    def test_refused(self, changes: list[str], message: str) -> None:
        with pytest.raises(TableError, match=re.escape(message)):
            with_changes(shipped.limits("9.0"), changes)


POSITIVE = [name for name, kind in KINDS.items() if kind == "int" and "reserved" not in name]
COLUMN = ["max_registers_per_block_ca", "warp_allocation_granularity_ca", "max_registers_per_block"]
NUMBER = st.sampled_from([1, 2, 3, 31, 32, 64, 1000, 2**16, 2**31 - 1]) | st.integers(1, 300_000)


@given(
    cc=st.sampled_from(shipped.known()),
    changes=st.dictionaries(st.sampled_from(POSITIVE), NUMBER, max_size=4),
    column=st.dictionaries(st.sampled_from(COLUMN), NUMBER),
    data=st.data(),
)
def test_limits_that_are_accepted_can_be_computed_with(
    cc: object, changes: dict[str, Any], column: dict[str, int], data: st.DataObject
) -> None:
    kernel = data.draw(strategies.kernels(shipped.limits(cc)))
    with contextlib.suppress(OccupancyError):
        limits = shipped.limits(cc).replace(**changes)
        if limits.spreadsheet is not None:
            limits = limits.replace(spreadsheet=limits.spreadsheet._replace(**column))  # type: ignore[arg-type]
        answer = engine.Result(limits, kernel, data.draw(st.sampled_from(list(engine.MODELS))))
        assert answer.limiters
        assert all(each is None or each >= 0 for each in answer.block_limits)


def test_the_users_rows_replace_the_shipped_ones(tmp_path: Path) -> None:
    rows = '  "13.0": {like: "10.0", sub_partitions: 8}\n  "9.0": {like: "9.0", max_blocks_per_multiprocessor: 7}\n'
    own = LimitsTable(write(tmp_path, HEAD + rows))
    assert LimitsTable().limits("sm_90a") == shipped.limits("9.0")
    assert [row.compute_capability for row in LimitsTable().rows()] == list(shipped.known())
    assert own.limits("sm_90a").max_blocks_per_multiprocessor == 7
    assert own.limits((13, 0)).sub_partitions == 8
    assert own.limits(80) == shipped.limits("8.0")
    assert list(own.own) == ["13.0", "9.0"]
    assert [row.compute_capability for row in own.rows()] == [*shipped.known(), (13, 0)]
    with pytest.raises(UnknownComputeCapabilityError):
        own.limits("14.0")
    with pytest.raises(InputError):
        own.limits("nine")
    with pytest.raises(TableError):
        LimitsTable(tmp_path / "none.yaml")
