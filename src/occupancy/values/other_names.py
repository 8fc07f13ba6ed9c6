"""What other tools and people call what is asked for here, to say our name for it."""

from __future__ import annotations

import re

_WORDS = {
    "threads": "blockdim blocksize threadsperblock numthreads nthreads tpb workgroupsize",
    "regs": "registers regsperthread registersperthread numregs nregs maxrregcount vgprs",
    "smem": "shared sharedmemory sharedmem shmem smembytes sharedbytes sharedmemperblock lds",
    "static_smem": "staticshared staticsharedmemory staticsharedmem staticshmem",
    "dynamic_smem": "dynamicshared dynamicsharedmemory dynamicsharedmem dynamicshmem dsmem",
    "barriers": "numblockbarriers numbarriers",
    "tensor_memory": "tensormem tmemsize tmemcolumns",
    "groups": "setmaxnreg warpgroups registergroups",
    "cc": "computecapability capability compute computecap architecture target chip",
    "gpu": "product card gpuname devicename name",
    "sms": "numsms smcount multiprocessors multiprocessorcount",
    "blocks": "minblockspersm minblockspermultiprocessor blockspersm activeblocks",
    "grid": "griddim gridsize blocks numblocks",
    "cluster": "clustersize clusterdim",
    "virtual_resources": "permit relinquish relinquished relinquishpermit",
    "carveout": "l1 prefershared preferl1",
    "spilling": "spills spilled spillbytes",
    "format": "json csv markdown html",
}
"""Our name -> what others call it, as `plain` has it."""


def plain(name: str) -> str:
    """A name without what is between its words, in small letters."""
    return re.sub("[-_]", "", name.lower())


def our_names(name: str) -> list[str]:
    """What a name that others use can stand for here, the likeliest first."""
    word = plain(name)
    return [ours for ours, others in _WORDS.items() if word in others.split()]
