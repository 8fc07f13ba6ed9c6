"""What type checkers must refuse. An ignored error that is none is an error of its own, in both of them."""

from __future__ import annotations

import occupancy

occupancy.compute(9.0, threads=256)  # type: ignore[arg-type]  # a float reads 12.10 as 12.1
occupancy.compute("9.0", thread=256)  # type: ignore[call-arg]
occupancy.compute("9.0", threads=256, regs=37.5)  # type: ignore[arg-type]
occupancy.compute("9.0", threads=256, caching="cs")  # type: ignore[arg-type]
occupancy.compute("9.0", threads=256, model="nsight")  # type: ignore[arg-type]
occupancy.compute("9.0", threads=256).occupancy.upper()  # type: ignore[attr-defined]
print(occupancy.compute("9.0", threads=256).blocks)  # type: ignore[attr-defined]
occupancy.next_steps("9.0", threads=256, register=37)  # type: ignore[call-arg]
occupancy.next_steps("9.0", threads=256)[0].requires["regs"].upper()  # type: ignore[attr-defined]
occupancy.block_sizes("9.0", regs=36, sizes=3)  # type: ignore[call-arg]
occupancy.sweep("9.0", threads=[32, 64], outputs=("blocks",))  # type: ignore[arg-type]
print(occupancy.sweep("9.0", threads=[32, 64]).occupancies)  # type: ignore[attr-defined]
occupancy.diff("before")  # type: ignore[call-arg]
occupancy.no_such_function()  # type: ignore[operator]
occupancy.compute("9.0", threads=256).active_blocks = 8  # type: ignore[misc]  # an answer does not change
occupancy.compute("9.0", threads=256).occupancy = 1.0  # type: ignore[misc]
occupancy.compute("9.0", threads=256).block_limits.warps = 8  # type: ignore[misc]
occupancy.slack("9.0", threads=256).regs = 8  # type: ignore[misc]
