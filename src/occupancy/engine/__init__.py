"""The engine: resident blocks from the limits of an SM and the resources of a block."""

from .common import Model, Use
from .launch_failure import LaunchFailure
from .result import MODELS, Result, check_model, default_model, limiting, rules

__all__ = [
    "MODELS", "LaunchFailure", "Model", "Result", "Use", "check_model", "default_model", "limiting", "rules",
]  # fmt: skip
