"""The catalogue of notes: whole sentences, each with a code and the page that explains it.

A note changes the reader's use of the numbers above it. At most three are printed under a table.
"""

from __future__ import annotations

from .model import Note

_CATALOGUE = (
    Note("assumed", "* assumed", "models#how-missing-inputs-are-treated"),
    Note("registers-may-spill", "Fewer registers may cause spills.", "advice#launch-bounds"),
    Note("spreadsheet-no-launch", "The spreadsheet counts blocks of a kernel that does not launch.", "spreadsheet"),
    Note("carveout-raised", "The carveout is too small for one block, so the SM uses a larger configuration.",
         "concepts/how-it-works"),
    Note("caching-dropped",
         "A block does not fit in half of the SM's registers, so global loads are not cached in L1.",
         "concepts/how-it-works"),
    Note("tensor-memory",
         "If the kernel relinquishes its allocation permit, `--virtual-resources 0` counts by columns (inferred).",
         "concepts/tensor-memory"),
    Note("setmaxnreg",
         "If this kernel uses setmaxnreg, ignore steps to fewer registers; check the split with `occupancy registers`.",
         "concepts/warp-specialization"),
    Note("cluster-bound",
         "Resident clusters are an upper bound: a cluster must stay within one GPC, so a GPU often holds fewer.",
         "concepts/waves"),
    Note("sms-vary", "The number of SMs depends on the product.", "advice#several-gpus"),
    Note("launch-bounds-caps",
         "A kernel that needs more registers spills. `-maxrregcount` caps only kernels without launch bounds.",
         "advice#launch-bounds"),
    Note("budget-both", "The limits of a row hold together.", "advice#a-budget"),
    Note("assumed-threads",
         "* Block size assumed: the launch bound, or 256 without one. Set it with `--threads N` or `--threads NAME=N`.",
         "scan"),
    Note("other-gpu", "This GPU cannot load the code. Results use the code's registers and shared memory.", "scan"),
    Note("dynamic-smem", "Dynamic shared memory is not recorded in the file; 0 assumed.", "scan"),
    Note("spills-counted", "~ Counted in the machine code.", "scan"),
    Note("spills-more", "With fewer registers, a kernel that spills will probably spill more.", "scan"),
    Note("not-linked",
         "Relocatable code: registers, shared memory and stack exclude those of its callees.", "scan"),
    Note("stated-by-one", "Only one of the builds states some values.", "ci#compare-two-builds"),
    Note("mixed", "mixed: some values improved, others regressed.", "ci#compare-two-builds"),
    Note("autotuner", "Candidates that an autotuner rejected do not run and come last.", "scan"),
)  # fmt: skip

NOTES = {note.code: note for note in _CATALOGUE}
"""The notes by their codes."""
