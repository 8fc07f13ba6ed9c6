"""Which rules the page has, and under which names its own code calls them."""

from __future__ import annotations

from .translator import translate

# What the page's own code calls by these names.
CALLED = {
    "Carveout": "values.kernel.Carveout",
    "ComputeCapability": "values.limits.ComputeCapability",
    "HOLDS_ALL": "report.calc_document.HOLDS_ALL",
    "Kernel": "values.kernel.Kernel",
    "Launch": "values.kernel.Launch",
    "Limits": "values.limits.Limits",
    "MODELS": "engine.MODELS",
    "QUANTITIES": "values.resources.QUANTITIES",
    "SpreadsheetColumn": "values.limits.SpreadsheetColumn",
    "carveoutAdvice": "advice.carveout.carveout",
    "countWaves": "advice.waves.count_waves",
    "defaultModel": "engine.default_model",
    "evaluate": "engine.evaluate",
    "explain": "report.explain.explain",
    "fullWave": "advice.waves.full_wave",
    "nextSteps": "advice.next_steps.next_steps",
    "notesOn": "report.calc.notes_on",
    "slack": "advice.slack.slack",
}

# Properties of their results that it asks for.
ATTRIBUTES = (
    "active_threads",
    "blocks",
    "failure",
    "filling_grid_above",
    "filling_grid_below",
    "idle_share",
    "is_shared_memory_given",
    "last_wave_fill",
    "launchable",
    "limiters",
    "occupancy",
    "occupancy_by_threads",
    "partial_wave_blocks",
    "reason",
    "shared_memory",
    "supports",
    "uses",
    "waves",
)

# What of ours becomes text on it.
PRINTED = (
    "advice.waves.Waves",
    "engine.launch_failure.LaunchFailure",
    "values.kernel.Carveout",
    "values.limits.ComputeCapability",
)

# What it brings along itself.
EXTERNALS = {
    "errors.InputError": "InputError",
    "errors.shown": "py.str",
    "tables.clusters.measurements": "measurements",
}


def rules() -> str:
    """The JavaScript of the rules.

    Raises:
        UnknownConstructError: One of them is written in a way that the translator does not know.
    """
    return translate(CALLED, ATTRIBUTES, PRINTED, EXTERNALS)
