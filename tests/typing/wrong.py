"""Code that type checkers must reject. Both report unused `type: ignore` comments as errors."""

import occupancy

occupancy.compute(9.0, threads=256)  # type: ignore[call-overload]  # a float reads 12.10 as 12.1
occupancy.compute(["9.0", 8.0], threads=256)  # type: ignore[list-item]
occupancy.compute("9.0", thread=256)  # type: ignore[call-overload]
occupancy.compute("9.0", threads=[16, 16])  # type: ignore[call-overload]  # block sizes, or a shape
occupancy.compute("9.0", threads=256, regs=37.5)  # type: ignore[call-overload]
occupancy.Kernel(threads=256).replace(reg=37)  # type: ignore[call-arg]
occupancy.compute("9.0", threads=256, caching="cs")  # type: ignore[call-overload]
occupancy.compute("9.0", threads=256, model="nsight")  # type: ignore[call-overload]
occupancy.compute("9.0", threads=256).occupancy.upper()  # type: ignore[attr-defined]
print(occupancy.compute("9.0", threads=256).blocks)  # type: ignore[attr-defined]
occupancy.prune("9.0", [], min_block=2)  # type: ignore[call-arg]
occupancy.sweep("9.0", threads=[32, 64], outputs=("blocks",))  # type: ignore[arg-type]
print(occupancy.sweep("9.0", threads=[32, 64]).occupancies)  # type: ignore[attr-defined]
occupancy.diff("before")  # type: ignore[call-arg]
occupancy.no_such_function()  # type: ignore[attr-defined]
occupancy.compute("9.0", threads=256).block_limits.warps = 8  # type: ignore[misc]
occupancy.compute("9.0", threads=256).occupancy = 1.0  # type: ignore[misc]
