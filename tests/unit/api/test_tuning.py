"""`occupancy.prune` and `occupancy.is_launchable`."""

from collections import namedtuple
from dataclasses import dataclass
from functools import partial
from itertools import count, product
from types import SimpleNamespace
from typing import Any

import pytest

import occupancy
from occupancy import Kernel, compute, is_launchable, prune


@dataclass
class TritonConfig:
    """Attributes of triton.Config."""

    kwargs: dict[str, int]
    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    maxnreg: int | None = None


@dataclass
class Tile:
    """Tile in the form of CUTLASS."""

    threadblock_shape: tuple[int, int, int]
    stages: int
    warp_count: tuple[int, int, int] = (2, 2, 1)

    @property
    def operands(self) -> int:
        """Bytes of shared memory for two operands with 2-byte elements."""
        m, n, k = self.threadblock_shape
        return self.stages * 2 * k * (m + n)


Block = namedtuple("Block", "num_threads")
Missing = type("NAType", (), {"__repr__": lambda _: "<NA>", "__bool__": None})  # of pandas


class TestConfigurations:
    def test_keeps_what_reaches_the_occupancy_in_any_spelling(self) -> None:
        sizes = product((32, 256, 1024), (16, 40, 100, 255))
        configs: list[dict[str, Any]] = [{"threads": threads, "regs": regs} for threads, regs in sizes]
        expected = [each for each in configs if compute("8.0", **each).occupancy >= 0.75]
        assert 0 < len(expected) < len(configs)
        for spelling in (0.75, 75, "75%", "75"):
            assert list(prune("8.0", configs, min_occupancy=spelling)) == expected

    def test_yields_the_originals_in_order_and_is_lazy(self) -> None:
        numbers = count(1)
        endless = ({"threads": 32 * number, "number": number} for number in numbers)
        kept = prune("9.0", endless, min_occupancy=0.9)
        assert (next(kept)["number"], next(kept)["number"]) == (2, 3)
        assert next(numbers) == 4, "drawn one by one"
        tile = Tile((128, 128, 32), 3)
        assert next(prune("8.0", [tile], smem=lambda each: each.operands)) is tile

    def test_every_one_of_several_chips(self) -> None:
        configs = [{"threads": 128, "smem": size} for size in (48 << 10, 64 << 10, 100 << 10, 200 << 10)]
        assert list(prune(["9.0"], configs)) == configs
        assert list(prune(["9.0", "8.0"], configs)) == configs[:3]
        assert list(prune(["9.0", occupancy.limits("8.0"), 75], configs)) == configs[:2]

    def test_the_fewest_blocks_whatever_the_warps(self) -> None:
        configs = [{"num_warps": warps, "smem": size << 10} for warps in (2, 16) for size in (100, 150)]
        assert list(prune("9.0", configs, min_blocks=1)) == configs
        assert list(prune("9.0", configs, min_blocks=2)) == configs[::2]
        assert list(prune("9.0", configs, min_blocks=2, min_occupancy=0.25)) == configs[2:3]
        reasons: list[str] = []
        kept = prune("9.0", configs, min_blocks=3, dropped=lambda _, reason: reasons.append(reason))
        assert list(kept) == []
        assert reasons[0] == "9.0: 6.3%, 2 blocks, limited by shared memory, but needs 3 blocks"
        assert is_launchable("9.0", configs[0], min_blocks=2)
        assert not is_launchable("9.0", configs[1], min_blocks=2)
        assert not is_launchable(["9.0", "8.0"], configs[0], min_blocks=2)

    @pytest.mark.parametrize(
        ("name", "value"),
        [("regs", 256), ("regs", "300"), ("barriers", 17), ("smem", 1 << 31), ("threads", 1 << 31)],
    )
    def test_more_than_any_kernel_can_have_is_left_out(self, name: str, value: Any) -> None:
        fits, too_much = {"threads": 128}, {name: value}
        assert list(prune(["9.0", "8.0"], [fits, {**fits, **too_much}, fits])) == [fits, fits]
        assert not is_launchable("9.0", {**fits, **too_much})
        needs: dict[str, Any] = {name: lambda config: value if config["large"] else 1}
        sizes = [{**fits, "large": large} for large in (True, False)]
        assert list(prune("9.0", sizes, **needs)) == sizes[1:]
        with pytest.raises(occupancy.InputError, match=f"{name}: .* out of range"):  # for all of them
            list(prune("9.0", [{}], **{**fits, **too_much}))

    def test_reasons_are_those_of_fits_and_begin_with_the_gpu(self) -> None:
        reasons: list[str] = []
        configs = [{"threads": 32, **need} for need in ({"num_ctas": 2}, {"tmem": 64}, {"regs": 256})]
        assert list(prune("8.0", configs, dropped=lambda _, reason: reasons.append(reason))) == []
        assert (
            reasons[0]
            == "8.0: 2 blocks in one cluster, but clusters require compute capability 9.0 or newer."
        )
        assert reasons[1] == "8.0: compute capability 8.0 has no tensor memory"
        assert reasons[2] == "8.0: regs: 256 is out of range. Allowed: 0 to 255."

    def test_a_cap_bounds_the_registers_that_are_stated(self) -> None:
        capped, free = TritonConfig({}, num_warps=8, maxnreg=64), TritonConfig({}, num_warps=8)
        for regs in (100, lambda config: 300):
            assert list(prune("9.0", [capped, free], regs=regs, min_occupancy=0.5)) == [capped]
        assert list(prune("9.0", [capped, free], regs=64, min_occupancy=0.51)) == []
        # A cap alone is not enough: the kernel can use fewer registers, and would be pruned without reason.
        assert list(prune("9.0", [capped, free], min_occupancy=1)) == [capped, free]
        assert is_launchable("9.0", TritonConfig({}, 8, maxnreg=40), regs=40, min_occupancy=0.75)
        assert not is_launchable("9.0", TritonConfig({}, 8, maxnreg=168), regs=100, min_occupancy=0.5)

    @pytest.mark.parametrize(
        "config",
        [
            {"threads": 256}, {"threads": "16x16"}, {"threads": (16, 16)}, {"num_warps": 8},
            {"block_size_x": 256}, {"block_size_x": 64, "block_size_y": 4},
            {"block_size_x": 8, "block_size_y": 8, "block_size_z": 4, "tile_size_x": 3},
            {"warp_count": [2, 4, 1]}, {"block_size": 256, "num_warps": 8},
            TritonConfig({"BLOCK_SIZE": 1024, "block_size": 99}, num_warps=8),
            Tile((128, 128, 32), 3, (4, 2, 1)), Kernel(256), SimpleNamespace(threads_per_block=256),
            Block(256), {"threads": 256, "num_warps": float("nan"), "num_ctas": Missing()},
        ],
        ids=str,
    )  # fmt: skip
    def test_threads(self, config: object) -> None:
        """Check 64 registers on 7.0: four blocks of 256 threads fit, half of the warps."""
        assert is_launchable("7.0", config, regs=64, barriers=lambda _: Missing(), min_occupancy=0.5)
        assert not is_launchable("7.0", config, regs=65, min_occupancy=0.5)

    def test_shared_memory_and_shapes(self) -> None:
        for name in ("smem", "shared", "shared_mem_per_block", "dynamic_smem"):
            assert is_launchable("7.0", {"threads": 256, name: 96 << 10})
            assert not is_launchable("7.0", {"threads": 256, name: (96 << 10) + 1})
        # A shape is a shape.
        assert is_launchable("9.0", {"block_size_x": 16, "block_size_z": 64})
        assert not is_launchable("9.0", {"block_size_x": 8, "block_size_z": 65})
        assert not is_launchable("9.0", {"block_size_x": 8, "block_size_z": 65, "threads": 520})


class TestRefusals:
    @pytest.mark.parametrize(("config", "needs", "name"), [
        ({"num_stages": 3}, {}, "threads"), (object(), {}, "threads"), ({"threads": 0}, {}, "threads"),
        ({"threads": 128, "num_warps": 8}, {}, "threads"), ({"threads": 32.5}, {}, "threads"),
        ({"threads": 32, "regs": 32, "n_regs": 33}, {}, "regs"), ({"threads": 32, "regs": -1}, {}, "regs"),
        ({"threads": 32, "regs": "many"}, {}, "regs"), ({"threads": 32, "caching": "ca"}, {}, "caching"),
        ({"threads": 32, "regs": 64, "maxnreg": 0}, {}, "maxnreg"),
        ({"num_warps": "four"}, {}, "num_warps"),
        ({"threads": 32, "smem": 2, "static_smem": 1}, {}, "smem"),
        ({"threads": 32, "num_ctas": "two"}, {}, "cluster"),
        ({"threads": 32, "carveout": "7k"}, {}, "carveout"),
        ({"threads": 32}, {"smem": lambda each: each["tile"]}, "smem"),
    ])  # fmt: skip
    def test_names_the_configuration(self, config: object, needs: dict[str, Any], name: str) -> None:
        configs = [{"threads": 32, "tile": 1}, config]
        kept = prune("9.0", configs, **needs)
        assert next(kept) is configs[0]
        with pytest.raises(occupancy.InputError, match=rf"^configuration 1: {name}\b"):
            next(kept)
        with pytest.raises(occupancy.InputError, match=r"^configuration: "):
            is_launchable("9.0", config, **needs)

    @pytest.mark.parametrize(("name", "value"), [
        ("min_occupancy", 101), ("min_occupancy", float("nan")), ("gpu", []),
        ("min_blocks", 0), ("min_blocks", 1.5), ("gpu", "x"),
    ])  # fmt: skip
    def test_wrong_arguments_fail_at_once(self, name: str, value: object) -> None:
        with pytest.raises(occupancy.InputError, match=f"^{name}: "):
            prune(**{"configs": [], "gpu": "9.0", name: value})  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("name", "hint"), [("min_block", "min_blocks"), ("shmem", "smem"), ("q", "Allowed: barriers")]
    )
    def test_an_unknown_argument_names_the_nearest(self, name: str, hint: str) -> None:
        arguments: dict[str, Any] = {"gpu": "9.0", name: 2}
        for function in (partial(prune, configs=[]), occupancy.triton.early_config_prune):
            with pytest.raises(TypeError, match=rf"^{name} is not an .*{hint}"):
                function(**arguments)
        with pytest.raises(occupancy.InputError, match="configs is not a list"):
            list(prune("9.0", {"num_warps": 4}))
