"""Laws of the waves of a grid."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from occupancy.advice.waves import FullWave, count_waves
from occupancy.values.kernel import MAX_GRID_DIM, Kernel, Launch

grids = st.tuples(*(st.integers(1, most) for most in MAX_GRID_DIM)) | st.tuples(
    st.integers(1, 10_000), st.just(1), st.just(1)
)
resident = st.integers(1, 50_000)


@given(grids, resident)
def test_the_waves_hold_the_grid_and_nothing_else(grid: tuple[int, int, int], blocks: int) -> None:
    waves = count_waves(Launch(Kernel(32), grid), FullWave(1, blocks, blocks, None, None, False))
    whole = waves.launch.blocks
    assert waves.full_waves * blocks + waves.partial_wave_blocks == whole
    assert 0 <= waves.partial_wave_blocks < blocks
    assert 0 < waves.last_wave_fill <= 1
    assert 0 <= waves.idle_share < 1
    assert 0 <= waves.partial_wave_share <= 0.5


@given(grids, resident)
def test_the_grids_that_fill_are_the_nearest_whole_waves(grid: tuple[int, int, int], blocks: int) -> None:
    waves = count_waves(Launch(Kernel(32), grid), FullWave(1, blocks, blocks, None, None, False))
    below, above = waves.filling_grid_below, waves.filling_grid_above
    assert (below or 0) <= waves.launch.blocks <= above
    assert above % blocks == 0
    assert above - (below or 0) == (blocks if waves.partial_wave_blocks else 0) or below is None


@given(st.integers(1, 5_000), resident)
def test_a_grid_that_fills_its_waves_leaves_nothing_idle(rounds: int, blocks: int) -> None:
    launch = Launch(Kernel(32), (rounds * blocks, 1, 1))
    waves = count_waves(launch, FullWave(1, blocks, blocks, None, None, False))
    assert (waves.waves, waves.last_wave_fill, waves.idle_share) == (rounds, 1.0, 0.0)
    assert waves.partial_wave_share == 0.0
