"""The engine: resident blocks from the limits of an SM and the resources of a block."""

from __future__ import annotations

from .common import Model as Model
from .common import Use as Use
from .launch_failure import LaunchFailure as LaunchFailure
from .result import MODELS as MODELS
from .result import Result as Result
from .result import check_model as check_model
from .result import default_model as default_model
from .result import rules as rules
