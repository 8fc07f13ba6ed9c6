"""The rules that `occupancy init` begins with."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .rules import Launches

TEXT = """\
# What the kernels of this build must satisfy:  occupancy check BUILD, with the folder of the build
# All that a rule can ask for is in docs/ci.md; a rule may be for some kernels or architectures alone.

# What the build is compared with. When a change is meant:
#   occupancy check BUILD --update               # that of one kernel: --update --name PART
baseline = {baseline}{threads}
# allow_removed = "legacy_*"   # these may go; else a kernel that only the baseline has fails the check

[[rules]]                      # every kernel
max_occupancy_drop = 0         # points below the baseline
{spills}# max_regs_growth = 8          # registers more than in the baseline; an early warning

# [[rules]]                    # these alone, on one architecture
# kernels = "*gemm*"           # * stands for any text
# arch = "sm_90"
# min_occupancy = 50           # percent
# max_regs = 128

{launches}# [[exemptions]]               # what may break a rule for a while
# kernels = "legacy_*"
# rules = "max_occupancy_drop" # without it: whatever is asked
# reason = "rewritten in #123"
# until = 2027-03-31
"""

_SMEM_SPILLS = """\
no_new_smem_spills = true      # spills into shared memory
"""
_SPILLS = """\
no_new_spills = true
# max_stack_growth = 0         # bytes; a stack that grows without spills holds arrays
"""
_NO_SPILLS = """\
max_stack_growth = 0           # bytes; without a log, spills of old code are seen as stack alone
# no_new_spills = true         # better; needs what ptxas -v printed: keep the log beside the files
"""


_LAUNCHES = """\
# [[launches]]                 # how kernels are launched, where no file says it
# kernels = "*stencil*"
# threads = 256
# dynamic_smem = "48k"

"""


def first_rules(
    baseline: str,
    knows_spills: bool,
    knows_smem_spills: bool,
    threads: int | None = None,
    launches: Sequence[Launches] = (),
) -> str:
    """A file of rules with comments, which a build meets that is its own baseline.

    Args:
        baseline: The path of the baseline, as seen from that file.
        knows_spills: Whether the build says of every kernel what it spills.
        knows_smem_spills: Whether it says so of spills into shared memory; logs alone do not.
        threads: Threads per block of all kernels of which nothing else states them; None: not known.
        launches: Those of some kernels.
    """
    stated = [
        f"[[launches]]                   # where no file says it\n"
        f"kernels = {json.dumps(each.kernels[0])}\nthreads = {each.threads[0]}\n\n"
        for each in launches
    ]
    return TEXT.format(
        baseline=json.dumps(baseline),
        threads=f"\n{f'threads = {threads}':<31}# per block, where no file says it" if threads else "",
        launches="".join(stated) or _LAUNCHES,
        spills=(_SPILLS if knows_spills else _NO_SPILLS) + (_SMEM_SPILLS if knows_smem_spills else ""),
    )
