"""Compiled kernels of Triton: extra warps of warp specialization, clusters, tensor memory.

The kernels are in tests/data/modern/triton, with their source. All have ``num_warps=4``.
"""

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import occupancy
from tests.samples import unpacked

FOLDER = Path(__file__).parents[2] / "data" / "modern" / "triton"

# Threads, registers (cuobjdump -res-usage), shared memory, columns of tensor memory, blocks per cluster, and
# occupancy on the GPU: 8, 12 and 3 x 4 of 64 warps.
GOLDEN = {
    "specialised_100": (256, 255, 98524, 128, None, "10.0", 8 / 64),
    "specialised_90": (384, 168, 131672, None, None, "9.0", 12 / 64),
    "cluster_90": (128, 90, 73752, None, (2, 1, 1), "9.0", 12 / 64),
}


def compiled(name: str) -> Any:
    """Result of Triton's launch, as far as it is used."""
    metadata = json.loads((FOLDER / name / "product.json").read_text(encoding="utf-8"))
    image = unpacked(f"modern/triton/{name}/product.cubin")
    fields = SimpleNamespace(**metadata, _asdict=lambda: metadata)
    return SimpleNamespace(asm={"cubin": image}, metadata=fields)


@pytest.mark.parametrize("name", GOLDEN)
class TestCompiled:
    def test_all_of_it_is_read(self, name: str) -> None:
        threads, regs, smem, columns, cluster, cc, share = GOLDEN[name]
        record = occupancy.read_kernel(compiled(name))
        assert (record.threads, record.required_threads) == (threads, threads)
        assert (record.regs, record.dynamic_smem) == (regs, smem)
        assert (record.tensor_memory, record.virtual_resources) == (columns, columns and 128)
        assert record.cluster_dim == cluster
        assert bool(record.reallocates_registers) == name.startswith("specialised")
        assert occupancy.compute(cc, compiled(name)).occupancy == share
        assert not occupancy.compute(cc, compiled(name), threads=threads + 32).launchable
        with pytest.raises(occupancy.InputError, match="includes its stages"):
            occupancy.triton.max_stages(cc, compiled(name), stage_smem="1k")

    def test_it_is_pruned_by_what_it_is(self, name: str) -> None:
        *_, columns, cluster, cc, share = GOLDEN[name]
        kernel = compiled(name)
        assert list(occupancy.prune(cc, [kernel], min_occupancy=share)) == [kernel]
        assert not occupancy.is_launchable(cc, kernel, min_occupancy=share + 1 / 64)
        assert occupancy.is_launchable("8.0", kernel) == (cluster is None and columns is None)
        assert occupancy.is_launchable(["9.0", "12.0"], kernel) == (name == "cluster_90")

    def test_its_metadata_alone_are_a_configuration(self, name: str) -> None:
        """Check missing registers, which only the cubin contains: more warps fit."""
        threads, _, smem, columns, cluster, cc, _ = GOLDEN[name]
        metadata = json.loads((FOLDER / name / "product.json").read_text(encoding="utf-8"))
        assert metadata["num_warps"] == threads // 32
        answer = occupancy.compute(cc, threads=threads, smem=smem, tensor_memory=columns or None)
        assert occupancy.is_launchable(cc, metadata, min_occupancy=answer.occupancy)
        assert not occupancy.is_launchable(cc, metadata, min_occupancy=answer.occupancy + 1 / 64)
        assert occupancy.is_launchable("8.0", metadata, smem=0) == (cluster is None and columns is None)


class TestTensorMemory:
    @pytest.mark.parametrize(("columns", "cc", "fits"), [
        (0, "9.0", True), (0, "10.0", True), (128, "9.0", False), (512, "10.0", True), (100, "10.0", True),
        (544, "10.0", False),
    ])  # fmt: skip
    def test_what_a_chip_does_not_have_is_left_out(self, columns: int, cc: str, fits: bool) -> None:
        config = {"num_warps": 4, "tmem_size": columns}
        assert occupancy.is_launchable(cc, config) == fits
        assert (occupancy.triton.perf_model(cc)(**config) < math.inf) == fits
        assert list(occupancy.prune([cc, "10.0"], [config])) == [config] * fits


def test_the_extra_warps_before_compiling() -> None:
    """Check that callers must add them, as in docs/autotuning.md."""
    config = SimpleNamespace(num_warps=4, shared=16384)
    total = occupancy.triton.early_config_prune(
        "9.0", min_occupancy=0.9, threads=lambda each: 32 * (each.num_warps + 8)
    )
    assert total([config]) == [config]
    assert not occupancy.is_launchable("9.0", config, min_occupancy=0.9)
