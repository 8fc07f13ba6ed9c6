"""What each field of the JSON means: its own docstring, else what its name means everywhere."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any, get_args, get_type_hints

OF_NAMES = {
    "schema_version": "The version of the names and their meanings.",
    "cc": 'The compute capability, such as `"9.0"`.',
    "arch": 'The compiler\'s name of the architecture, such as `"sm_90a"`; null where the file does not say.',
    "architecture": 'NVIDIA\'s name of the architecture, such as `"Hopper"`.',
    "model": "Whose answer it is: that of cuda_occupancy.h, or of CUDA_Occupancy_Calculator.xls.",
    "inputs": "The kernel that was asked about.",
    "kernels": "The kernels, one by one.",
    "chips": "The answer for each chip.",
    "name": "Its name.",
    "demangled": "The name as the source has it; the compiler's where it cannot be told.",
    "source": "The file that it was read from.",
    "notes": "What to know beside it, a sentence each.",
    # The kernel and its launch
    "threads": "Threads per block.",
    "block_dim": "The block's shape: threads along x, y and z.",
    "grid_dim": "Blocks of the grid along x, y and z.",
    "cluster_dim": "Blocks of a cluster along x, y and z.",
    "regs": "Registers per thread.",
    "static_smem": "Shared memory per block that the kernel declares, in bytes.",
    "dynamic_smem": "Shared memory per block that the launch asks for, in bytes.",
    "smem": "Shared memory per block, static and dynamic together, in bytes.",
    "barriers": "Named barriers per block.",
    "caching": "`ca` where global loads are cached in L1, else `cg`.",
    "opt_in": "Whether the kernel has opted in to more than 48 KiB of dynamic shared memory.",
    "shared_memory_mode": "`oversized` where the kernel has set this mode.",
    "min_blocks": "Blocks per SM that the compiler is asked to allow: the second launch bound.",
    "register_cap": "The most registers per thread that the compiler may use.",
    # The answer
    "occupancy": "Active warps divided by the most warps of an SM, 0 to 1.",
    "active_blocks": "Blocks that are resident on one SM at the same time.",
    "active_warps": "Warps of the active blocks.",
    "active_threads": "Threads of the active blocks.",
    "limiters": "Every resource that allows no more blocks.",
    "launchable": "Whether the kernel launches at all.",
    "reason": "Why it does not launch; null where it does.",
    "needs_opt_in": "Whether the kernel must opt in to more than 48 KiB of dynamic shared memory.",
    "multiprocessor_count": "SMs of the GPU.",
    # The limits of an SM
    "warp_size": "Threads of a warp.",
    "max_threads_per_multiprocessor": "Threads that an SM holds.",
    "max_blocks_per_multiprocessor": "Blocks that an SM holds.",
    "max_registers_per_multiprocessor": "Registers of an SM.",
    "max_registers_per_block": "Registers that a block may have.",
    "max_registers_per_thread": "Registers that a thread may have.",
    "max_shared_memory_per_multiprocessor": "Shared memory of an SM, in bytes.",
    "max_threads_per_block": "Threads that a block may have.",
    "max_block_dim": "Threads that a block may have along x, y and z.",
    "max_barriers_per_block": "Named barriers that a block may have.",
    "register_allocation_unit": "Registers are given in multiples of so many.",
    "shared_memory_allocation_unit": "Shared memory is given in multiples of so many bytes.",
    "warp_allocation_granularity": "The spreadsheet gives registers to so many warps at once.",
    "fp32_lanes_per_multiprocessor": "FP32 operations that an SM starts in a cycle (CUDA cores).",
    "max_shared_memory_per_block": "Shared memory that a block may have, in bytes.",
    # Both builds, and both sides of a comparison
    "worse": "How many kernels are worse in something, and better in nothing.",
    "better": "How many kernels are better in something, and worse in nothing.",
    "mixed": "How many kernels are worse in something and better in something else.",
    "other": "How many kernels changed, and neither for the better nor for the worse.",
    "same": "How many kernels are the same.",
    "compared": "How many answers were compared.",
    "different": "How many of them differ.",
    # One class each
    "CalcReport.resources": "For each resource what a block takes, what the SM has, and how many blocks fit.",
    "Explanation.resource": "The resource.",
    "Explanation.steps": "The arithmetic, a line each.",
    "GreenContext.wanted": "SMs that were asked for.",
    "MeasuredClusters.clusters": "Clusters that are resident on the whole GPU at the same time.",
    "MeasuredClusters.gpu": "The product that was measured.",
    "Slack.left_over": "For each resource what the resident blocks leave of the SM.",
    "WavesReport.blocks": "Blocks of the grid.",
    "WavesReport.full_waves": "Waves that fill the GPU.",
    "ChipBudget.wanted": "The most that a kernel may use on this chip.",
    "RegistersReport.split": "The registers of each warpgroup, and whether there are enough.",
    "RegisterSplit.warpgroups": "Warpgroups of the block, of 128 threads each.",
    "RegisterSplit.groups": "What the warpgroups take.",
    "Share.warpgroups": "How many warpgroups take so many registers.",
    "CurvesReport.curves": "The curves over block size, registers and shared memory.",
    "Better.value": "The value of the input that varies.",
    "Step.first": "The first value of the input with this answer.",
    "Step.last": "The last value of the input with this answer.",
    "ReadProblem.what": "What is wrong with it.",
    "ArchitectureOverview.does_not_launch": "Those that do not launch.",
    "ScanRow.format": "The kind of file that states it.",
    "ScanRow.threads_from": "Where the block size comes from: a file (launch, metadata, required), the user "
    "(option, rules), the build that it is compared with (compared), or an assumption: launch_bounds; best, "
    "the highest occupancy; usual, 256 or the nearest that both builds launch with. Null without an answer.",
    "DiffReport.new": "What the new build was called.",
    "DiffReport.summary": "How many kernels there are of each kind.",
    "DiffReport.added": "Kernels that only the new build has.",
    "DiffReport.removed": "Kernels that only the old build has.",
    "DiffRow.new": "The kernel in the new build.",
    "DiffRow.verdict": "How it changed.",
    "DiffSummary.added": "How many kernels only the new build has.",
    "DiffSummary.removed": "How many kernels only the old build has.",
    "CheckReport.passed": "Whether every kernel meets every rule.",
    "CheckReport.build": "What the build was called.",
    "CheckReport.baseline": "The file of the baseline; null where no rule compares.",
    "CheckReport.rules": "The rules, and how many kernels each is for.",
    "CheckReport.rules_from": "The file of the rules.",
    "CheckedRule.kernels": "Patterns of the names of the kernels that the rule is for; empty for all.",
    "CheckedRule.archs": "The architectures that the rule is for; empty for all.",
    "CheckedRule.bounds": "What the rule asks for, and its bound, as the file has it; null where it exempts.",
    "CheckedRule.matched": "How many kernels the rule is for.",
    "Exempted.violating": "The kernel and what it breaks.",
    "Exempted.reason": "Why it may, as the rules say.",
    "Exempted.until": "The last day on which it may, as YYYY-MM-DD.",
    "Violating.kernel": "The kernel in this build.",
    "Violating.violations": "What it breaks.",
    "LimitsJson.compute_capabilities": "The limits by compute capability.",
    "Source.title": "What it is called.",
    "Source.licence": "Its licence.",
    "SourcedValue.value": "The value of the table.",
    "SourcedValue.note": "What to know of the value.",
    "SourcedValue.disputes": "Sources that say otherwise, and why the value was judged right.",
    "Dispute.others": "The other values.",
    "OtherValue.value": "What they say.",
    "OtherValue.sources": "The codes of the sources that say so.",
    "GpusReport.gpus": "The products.",
    "GpuEntry.die": "NVIDIA's code of the die, such as `GH100`.",
    "GpuEntry.market": "What it is sold for.",
    "GpuEntry.memory_gb": "Its memory in GB.",
    "DeviceReport.devices": "The GPUs.",
    "DeviceEntry.driver_version": "The version of the driver.",
    "DeviceEntry.limits": "The limits of an SM, by name.",
    "LiveLimit.value": "The value that counts.",
    "LiveLimit.source": "Who says so.",
    "VerifyReport.device": "The GPU.",
    "VerifyReport.checks": "The comparisons, by the kind of question.",
}
"""Field, or class and field -> what it means, in its unit, where the class itself says nothing more exact."""


def describe(schema: dict[str, Any], kind: Any) -> dict[str, Any]:
    """A JSON Schema whose every field says what it means, where its class or its name tells.

    Args:
        schema: The schema of `kind`, which is changed.
        kind: A dataclass, or several joined by ``|``.
    """
    classes: dict[str, Any] = {each.__name__: each for each in _dataclasses(kind, set())}
    whole = next(iter(classes.values()))
    for name, definition in {whole.__name__: schema, **schema.get("$defs", {})}.items():
        own = docstrings(classes[name]) if name in classes else {}
        for field, described in definition.get("properties", {}).items():
            meaning = own.get(field) or OF_NAMES.get(f"{name}.{field}") or OF_NAMES.get(field)
            if meaning and "description" not in described:
                described["description"] = meaning
    return schema


@cache
def docstrings(kind: type[Any]) -> dict[str, str]:
    """Attribute -> its docstring, of a class and of those that it is derived from."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if not is_dataclass(each):
            continue
        with suppress(OSError):  # one that is made while the program runs has no source
            (definition,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
            assert isinstance(definition, ast.ClassDef)
            for field, after in pairwise(definition.body):
                match field, after:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                        value=ast.Constant(value=str(text))
                    ):
                        found[name] = inspect.cleandoc(text)
    return found


def _dataclasses(kind: Any, seen: set[Any]) -> Iterator[type[Any]]:
    """The dataclasses in a type, and in the types of their fields."""
    for argument in get_args(kind):
        yield from _dataclasses(argument, seen)
    if inspect.isclass(kind) and is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        yield kind
        for hint in get_type_hints(kind).values():
            yield from _dataclasses(hint, seen)
