"""The engine: resident blocks from the limits of an SM and the resources of a block."""

from .common import Model, Use
from .launch_failure import LaunchFailure, max_static_smem
from .result import MODELS, Result, check_model, default_model, limiting, rules

__all__ = [
    "MODELS", "LaunchFailure", "Model", "Result", "Use", "check_model", "default_model", "limiting", "max_static_smem",
    "rules",
]  # fmt: skip
