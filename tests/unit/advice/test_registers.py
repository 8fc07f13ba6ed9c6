"""Splits of a block's registers among its warpgroups."""

import pytest

import occupancy
from occupancy.advice.registers import Warpgroups, split_registers
from occupancy.errors import InputError
from occupancy.tables import shipped

H100 = shipped.limits("9.0")


@pytest.mark.parametrize(
    ("threads", "groups", "complaint"),
    [
        (384, [Warpgroups(1, 40), Warpgroups(1, 232)], "the groups have 256 threads, not 384"),
        (384, [Warpgroups(0, 40), Warpgroups(3, 232)], "each group 1 or more"),
        (100, [Warpgroups(1, 40)], "A warpgroup has 128 threads"),
        (1152, [Warpgroups(9, 40)], "^groups: a block has 1 to 8 warpgroups"),
        *((128, [Warpgroups(1, regs)], "24 to 256 in steps of 8") for regs in (16, 36, 264)),
        (256, [Warpgroups(1, None), Warpgroups(1, None)], "more than one group has"),
        (1024, [Warpgroups(7, 72), Warpgroups(1, None)], "leave fewer than 24 registers"),
    ],
)
def test_refused(threads: int, groups: list[Warpgroups], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint.replace("?", r"\?")):
        split_registers(H100, threads, groups)


def test_chips_and_choices_that_are_refused() -> None:
    with pytest.raises(InputError, match=r"8\.9 has no setmaxnreg"):
        split_registers(shipped.limits("8.9"), 128, [Warpgroups(1, 40)])
    with pytest.raises(InputError, match=r"64 contradicts __launch_bounds__\(128, 1\), which gives 255"):
        split_registers(H100, 128, [Warpgroups(1, 40)], launch_regs=64, min_blocks=1)
    with pytest.raises(InputError, match=r"^regs: 176 is out of range. Allowed: 24 to 168"):
        split_registers(H100, 384, [Warpgroups(1, 24), Warpgroups(2, 240)], launch_regs=176)
    with pytest.raises(InputError, match="24 to 255"):
        split_registers(H100, 128, [Warpgroups(1, 40)], launch_regs=16)
    crowded = H100.replace(max_threads_per_multiprocessor=8192)
    assert split_registers(crowded, 896, [Warpgroups(7, 24)], min_blocks=3).launch_regs == 24
    with pytest.raises(InputError, match="to leave 24 or more"):
        split_registers(crowded, 1024, [Warpgroups(8, 24)], min_blocks=4)
    split = occupancy.register_split("1:40,2:232", blocks=6)  # ptxas ignores setmaxnreg
    assert (split.can_run, "holds at most 5 blocks" in str(split.reason)) == (False, True)


def test_spellings() -> None:
    for groups in ("1:40,2:?", " 1 : 40 , 2 : ? "):
        assert occupancy.register_split(groups, threads="384").groups[1].regs == 232
    for groups in ("40,40", "40,?,?", "40x", "1:40:2", "1;40", "1:x", ""):
        with pytest.raises(InputError):
            occupancy.register_split(groups, threads=128)


def test_registers_at_launch_that_are_enough() -> None:
    found = [
        occupancy.register_split(groups, threads=threads, regs=regs).enough_at_launch
        for groups, threads, regs in (
            ("1:40,2:232", 384, None), ("1:40,2:240", 384, None), ("1:40,1:232", 256, 64), ("2:48", 256, 40),
        )
    ]  # fmt: skip
    assert found == [None, None, "__maxnreg__(136)", "__launch_bounds__(256, 5)"]
