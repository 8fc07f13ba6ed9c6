"""Formats that record launches: Triton's cache, Nsight Compute, PyTorch's profiler."""

import csv
import gzip
import io
import json
import shutil
from pathlib import Path

import pytest

import occupancy
from occupancy.readers import KernelRecord, read, stream_kernels
from occupancy.readers.triton import MAX_METADATA_BYTES
from tests import hostile
from tests.samples import found_in, kernels_of, sample


def test_unknown_version_of_a_report_is_named_where_reading_fails() -> None:
    damaged = bytearray(sample("ncu.ncu-rep"))
    assert damaged[8:10] == b"\x08\x07"  # field 1, version 7
    damaged[9] = 9
    (problem,) = found_in(bytes(damaged[:5000]))
    assert "version 9, but only 7 is supported" in str(problem)


def test_a_profile_has_the_name_of_the_gpu_and_its_number_of_sms(samples: Path, tmp_path: Path) -> None:
    files = "ncu.ncu-rep", "ncu_raw.csv", "ncu_details.csv"
    details, *others = ([*stream_kernels(samples / name)] for name in reversed(files))
    assert {each.multiprocessor_count for records in (details, *others) for each in records} == {132}
    assert {each.profiled_on for records in others for each in records} == {"NVIDIA H200"}
    with (samples / files[1]).open(newline="") as page, (tmp_path / files[1]).open("w", newline="") as again:
        csv.writer(again).writerows(csv.reader(page))
    assert [each.regs for each in stream_kernels(tmp_path / files[1])] == [each.regs for each in others[0]]


class TestNsightCsv:
    @pytest.mark.parametrize(("text", "unit", "bytes"), [
        ("0", "byte/block", 0), ("1,000", "byte/block", 1000), ("2.05", "Kbyte/block", 2048),
        ("33.79", "Kbyte/block", 33792), ("102.40", "Kbyte/block", 102400),
        ("9.216000", "Kbyte/block", 9216), ("9.999000", "Kbyte/block", 9999),
        ("0.098304", "Mbyte/block", 98304),
    ])  # fmt: skip
    def test_units_are_decimal(self, text: str, unit: str, bytes: int) -> None:
        head = '"ID","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"\n'
        row = f'"0","k","9.0","Dynamic Shared Memory Per Block","{unit}","{text}"\n'
        (record,) = stream_kernels(io.StringIO(head + row))
        assert record.dynamic_smem == bytes

    @pytest.mark.parametrize("text", ["8,19", "49 152", "49\ufffd152", "1.024,00", "1'024"])
    def test_numbers_of_another_language(self, text: str) -> None:
        (problem,) = found_in(f'"ID","Kernel Name","launch__block_size"\n"0","k","{text}"\n')
        assert "LC_ALL=C" in str(problem)

    def test_among_other_output(self, samples: Path) -> None:
        head, units, first, rest = (samples / "ncu_raw.csv").read_text().split("\n", 3)
        before, between = "==PROF== Connected to process 510\nresult, ok", "==PROF== Disconnected"
        mixed = "\n".join((before, head, units, first, between, rest))
        assert len(list(stream_kernels(io.StringIO(mixed)))) == 6

    @pytest.mark.parametrize(
        ("unit", "us"), [("nsecond", 0.0035), ("us", 3.5), ("usecond", 3.5), ("ms", 3500), ("msecond", 3500),
                         ("s", 3.5e6), ("second", 3.5e6)],
    )  # fmt: skip
    def test_named_metrics_in_long_form(self, unit: str, us: float) -> None:
        text = (
            '"ID","Kernel Name","Block Size","Grid Size","CC","Metric Name","Metric Unit","Metric Value"\n'
            '"0","k","(64, 1, 1)","(2, 3, 4)","8.6","launch__registers_per_thread","register/thread","40"\n'
            f'"0","k","(64, 1, 1)","(2, 3, 4)","8.6","gpu__time_duration.sum","{unit}","3.50"\n'
            '"1","k","(32, 1, 1)","(2, 3, 4)","8.6","launch__registers_per_thread","register/thread","41"\n'
        )
        first, second = stream_kernels(io.StringIO(text))
        assert (first.regs, first.threads, first.grid_dim, first.duration_us) == (40, 64, (2, 3, 4), us)
        assert (first.arch, second.regs, second.threads) == ("sm_86", 41, 32)


class TestTriton:
    def test_a_cubin_alone_brings_the_metadata_beside_it(self, samples: Path, tmp_path: Path) -> None:
        cubins = sorted((samples / "triton_cache").rglob("*.cubin"))
        whole = samples / "triton_cache"
        assert [record for path in cubins for record in stream_kernels(path)] == list(stream_kernels(whole))
        packed = Path(shutil.copytree(whole, tmp_path / "packed"))
        for path in packed.rglob("*.cubin"):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        described, packed_ones, images = (
            [(each.regs, each.threads, each.dynamic_smem) for path in paths for each in stream_kernels(path)]
            for paths in ([whole], [packed], sorted(packed.rglob("*.gz")))
        )
        assert described == packed_ones == images
        twice = [*cubins, *(path.with_suffix(".json") for path in cubins)]
        assert list(occupancy.scan(twice)) == list(occupancy.scan(whole))
        alone = tmp_path / "mm.cubin"
        shutil.copy(cubins[-1], alone)
        assert [record.format for record in stream_kernels(alone)] == ["cubin"]
        for text in ('{"traceEvents": []}', '{"num_warps": 4, "shared": 0} ' + " " * MAX_METADATA_BYTES):
            alone.with_suffix(".json").write_text(text)
            found = list(read(alone))
            assert [getattr(each, "format", None) for each in found] == ["cubin"]  # other JSON is ignored

    def test_a_cubin_beside_damaged_metadata_is_read_by_itself(self, samples: Path, tmp_path: Path) -> None:
        shutil.copy(next((samples / "triton_cache").rglob("add.cubin")), tmp_path)
        for text, cause in (
            ('{"num_warps": 4,', "its JSON is invalid"),
            ('{"num_warps": "four", "shared": 0}', "num_warps of the metadata is 'four'"),
        ):
            (tmp_path / "add.json").write_text(text)
            for source in (tmp_path, tmp_path / "add.cubin"):
                problem, record = read(source)
                assert f"is damaged: {cause}" in str(problem)
                assert isinstance(record, KernelRecord)
                assert (record.format, record.regs, record.threads) == ("cubin", 26, 128)

    def test_other_files_of_the_cache_are_not_kernels(self, samples: Path, tmp_path: Path) -> None:
        for path in (samples / "triton_cache").rglob("add.[jc]*"):
            shutil.copy(path, tmp_path)
        (tmp_path / "__grp__add.json").write_text('{"child_paths": {"add.json": "/x/add.json"}}')
        (tmp_path / "add.ptx").write_text(".version 8.7\n.target sm_90a\n.visible .entry add()\n{\n}\n")
        (tmp_path / "add.source").write_text("def add(): pass\n")
        assert [record.format for record in stream_kernels(tmp_path)] == ["triton"]

    def test_clusters_of_all_versions(self) -> None:
        old, new, none = {"num_ctas": 4}, {"cluster_dims": [2, 1, 1]}, {"cluster_dims": [1] * 3}
        for changes, expected in ((old, (4, 1, 1)), (new, (2, 1, 1)), (none, None)):
            (record,) = kernels_of(found_in(json.dumps(json.loads(hostile.metadata("k")) | changes)))
            assert (record.cluster_dim, record.arch) == (expected, "sm_90")


class TestPyTorchTrace:
    def test_bare_list_of_events_knows_no_architecture(self, samples: Path) -> None:
        trace = json.loads((samples / "pytorch_trace.json").read_text())
        records = list(stream_kernels(io.StringIO(json.dumps(trace["traceEvents"]))))
        assert [record.arch for record in records] == [None] * 7

    def test_events_of_other_kinds(self) -> None:
        trace = json.loads(hostile.trace("k"))
        (kernel,) = trace["traceEvents"]
        del kernel["ph"], kernel["dur"], kernel["args"]["device"]
        trace["traceEvents"] = [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "args": {}},
            {"ph": "M", "name": "process_name", "args": {"name": "python"}},
            {"ph": "X", "cat": "kernel", "name": "not of CUDA", "args": {}},
            "a string",
            {**kernel, "cat": "Kernel"},
        ]
        record, problem = read(io.StringIO(json.dumps(trace)))
        assert "not of CUDA" in str(problem)
        assert isinstance(record, KernelRecord)
        assert (record.name, record.duration_us) == ("k", None)
