"""Which rules the page has, and under which names its own code calls them."""

from __future__ import annotations

from functools import cache

from .translator import translate

# What the page's own code calls by these names.
CALLED = {
    "ADJUSTABLE": "values.resources.ADJUSTABLE",
    "Carveout": "values.kernel.Carveout",
    "ComputeCapability": "values.limits.ComputeCapability",
    "Dial": "advice.search.Dial",
    "Kernel": "values.kernel.Kernel",
    "Launch": "values.kernel.Launch",
    "Limits": "values.limits.Limits",
    "MODELS": "engine.MODELS",
    "QUANTITIES": "values.resources.QUANTITIES",
    "SKIP_FEWER": "report.next_steps.SKIP_FEWER",
    "SpreadsheetColumn": "values.limits.SpreadsheetColumn",
    "carveoutAdvice": "advice.carveout.carveout",
    "countWaves": "advice.waves.count_waves",
    "defaultModel": "engine.default_model",
    "evaluate": "engine.evaluate",
    "explain": "report.calc.explain.explain",
    "fullWave": "advice.waves.full_wave",
    "isEither": "report.calc.tensor_memory.is_either",
    "limitedBy": "report.calc.tensor_memory.limited_by",
    "mayBeDivided": "advice.next_steps.may_be_divided",
    "nameOf": "report.inputs.name_of",
    "nextSteps": "advice.next_steps.next_steps",
    "needsOptIn": "advice.carveout.needs_opt_in",
    "notesOn": "report.calc.notes.notes_on",
    "onceRelinquished": "report.calc.tensor_memory.once_relinquished",
    "overLimit": "report.fits.over_limit",
    "refusedByCompiler": "report.calc.notes.refused_by_compiler",
    "registerCap": "advice.launch_bounds.register_cap",
    "registersChecked": "report.calc.report.registers_checked",
    "reservedBySystem": "report.calc.report.reserved_by_system",
    "slack": "advice.slack.slack",
    "stepsOfState": "report.calc.tensor_memory.steps_of_state",
    "tensorMemory": "advice.tensor_memory.tensor_memory",
    "wavesInWords": "advice.waves.waves_in_words",
    "worthShowing": "report.calc.advice.worth_showing",
}

# What it asks their results for: a name that none of them has any more is refused.
ATTRIBUTES = (
    "active_blocks",
    "active_threads",
    "active_warps",
    "allocated",
    "allowed",
    "amount",
    "answers",
    "architecture",
    "as_measured",
    "block_dim",
    "at_once",
    "block_limits",
    "blocks",
    "blocks_without_permit",
    "carveout",
    "carveout_without_permit",
    "cluster_size",
    "clusters",
    "compute_capability",
    "configurations",
    "dynamic_smem",
    "failure",
    "filling_grid_above",
    "filling_grid_below",
    "idle_share",
    "is_shared_memory_given",
    "is_upper_bound",
    "kernel",
    "l1",
    "label",
    "last_wave_fill",
    "launch_bounds",
    "launchable",
    "lead",
    "left_over",
    "levels",
    "limit",
    "limiters",
    "limits",
    "max_block_dim",
    "max_portable_cluster_size",
    "max_shared_memory_per_block_optin",
    "max_threads_per_block",
    "max_warps_per_multiprocessor",
    "maxnreg",
    "measured",
    "model",
    "most",
    "multiprocessor_count",
    "needs_opt_in",
    "occupancy",
    "occupancy_by_threads",
    "opt_in",
    "partial_wave_blocks",
    "partitioned_global_caching",
    "per_block",
    "per_multiprocessor",
    "percent",
    "reason",
    "register_allocation_unit",
    "regs",
    "regs_without_permit",
    "requires",
    "reserved_shared_memory_per_block",
    "resource",
    "shared_memory",
    "shared_memory_allocation_unit",
    "shared_memory_configurations",
    "smallest",
    "smem",
    "smem_without_permit",
    "static_smem",
    "steps",
    "supports",
    "tensor_memory",
    "threads",
    "unit",
    "uses",
    "virtual_resources",
    "virtual_resources_at_start",
    "warp_size",
    "waves",
    "why",
)

# What of ours becomes text on it.
PRINTED = (
    "engine.launch_failure.LaunchFailure",
    "values.kernel.Carveout",
    "values.limits.ComputeCapability",
)

# What it brings along itself.
EXTERNALS = {
    "errors.InputError": "InputError",
    "errors.shown": "py.str",
    "render.words.held": "words.held",
    "render.words.listing": "words.listing",
    "render.words.name": "words.name",
    "render.words.size": "words.size",
    "tables.clusters.measurements": "measurements",
}


@cache
def rules() -> str:
    """The JavaScript of the rules.

    Raises:
        UnknownConstructError: One of them is written in a way that the translator does not know.
    """
    return translate(CALLED, ATTRIBUTES, PRINTED, EXTERNALS)
