from __future__ import annotations

import pytest

import occupancy
from occupancy import InputError


@pytest.mark.parametrize("cc", ["8.0", "8.6", "9.0", "10.0", "12.0"])
@pytest.mark.parametrize("blocks", [1, 2, 3, 4])
@pytest.mark.parametrize("stage", [1, 1024, 16384, 24576])
@pytest.mark.parametrize("epilogue", [0, 1000, 8192])
def test_as_many_stages_as_fit_and_not_one_more(cc: str, blocks: int, stage: int, epilogue: int) -> None:
    stages = occupancy.triton.max_stages(
        cc, threads=128, stage_smem=stage, blocks=blocks, static_smem=epilogue
    )

    def resident(count: int) -> int:
        smem = count * stage
        return occupancy.compute(cc, threads=128, static_smem=epilogue, dynamic_smem=smem).active_blocks

    assert stages == 0 or resident(stages) >= blocks
    assert resident(stages + 1) < blocks


def test_wrong_stages_are_refused() -> None:
    with pytest.raises(InputError, match="stage_smem: 0 is out of range"):
        occupancy.triton.max_stages("9.0", threads=128, stage_smem=0)
    with pytest.raises(InputError, match="blocks"):
        occupancy.triton.max_stages("9.0", threads=128, stage_smem=1024, blocks=40)
